"""ROBOTIS's `motion_4096.bin`: values worked out by hand from bytes that the tests build."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from robotis_files import ACTIONS, CROUCH, STAND, action_file, page

from andante.formats.registry import FORMATS, convert, identify, read, write
from andante.formats.report import FormatError, Losses, ReadReport
from andante.motions.keyframe import Block, Interpolation, Keyframe
from andante.motions.library import FollowUp, Motion, MotionLibrary

TICK = 2.0 * math.pi / 4096


def opened(path: Path, raw: bytes) -> tuple[MotionLibrary, list[str]]:
    path.write_bytes(raw)
    report = ReadReport()
    library = read(path, report=report)
    return library, [str(each).removeprefix(str(path)).lstrip(":, ") for each in report.warnings]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "motion_4096.bin"


def test_angles_and_times_are_those_of_the_bytes(path: Path):
    library, told = opened(path, ACTIONS)
    assert identify(path).name == "robotis"
    assert list(library.motions) == ["stand up", "kick", "sit down", "march", "limp"]
    assert library.robot == "robotis-op3"
    assert told[-1] == "the file does not name its robot; 'robotis-op3' is taken"
    first, second, pause = library.blocks["sit down"].keyframes
    assert (first.duration, second.duration, pause.duration) == (0.48, 1.0, 0.2)
    assert set(first.joints) == set(second.joints) == set(pause.joints)
    assert len(first.joints) == 20
    assert set(first.joints.values()) == {0.0}
    assert second.joints["r_hip_pitch"] == 683 * TICK
    assert second.joints["l_knee"] == 1138 * TICK
    assert pause.joints == second.joints
    assert library.blocks["kick"].keyframes[0].joints == {"r_knee": -548 * TICK, "l_knee": 52 * TICK}


def test_the_next_page_is_played_behind_each_as_often_as_it_repeats(path: Path):
    library, told = opened(path, ACTIONS)
    assert library.motions["kick"].blocks == ("kick", "page_13", "page_13")
    assert library.motions["march"].blocks == ("march", "page_21", "page_21")
    assert library.motions["march"].follow_ups == (FollowUp(motion="march"),)
    assert "page 20: it leads to page 20 again and ends only when the robot is told to stop" in told


def test_speed_stretches_a_step_and_shortens_its_pause(path: Path):
    """At speed 64 a time of 80 is 160 units and a pause of 10 is 5, as the Action module reckons."""
    library, told = opened(path, ACTIONS)
    step, pause = library.blocks["limp"].keyframes
    assert (step.duration, pause.duration) == (1.28, 0.04)
    assert step.joints == {"r_sho_pitch": "off", "l_sho_pitch": -48 * TICK}
    assert step.interpolation is Interpolation.LINEAR
    assert any(each.startswith("page 30: the torque of r_sho_pitch is off") for each in told)


def test_a_schedule_of_speeds_takes_its_time_from_the_longest_way(path: Path):
    """512 ticks at speed 40: 512 * 40 // (40 * 3) = 170 units; then 100 ticks: 33."""
    raw = action_file({1: page(b"a", [({1: 2560}, 0, 40), ({1: 2460}, 0, 40)], schedule=0)})
    library, told = opened(path, raw)
    assert [each.duration for each in library.blocks["a"].keyframes] == [170 * 0.008, 33 * 0.008]
    assert any("its steps have speeds" in each for each in told)
    write(library, path.with_name("b.bin"))
    assert path.with_name("b.bin").read_bytes() == raw


def test_ticks_of_1024_are_told_by_their_size(tmp_path: Path):
    path = tmp_path / "motion_1024.bin"
    raw = action_file({1: page(b"a", [({1: 512, 2: 853}, 0, 125)])})
    library, told = opened(path, raw)
    angles = library.blocks["a"].keyframes[0].joints
    assert angles == {"r_sho_pitch": 0.0, "l_sho_pitch": pytest.approx(math.radians(341 * 300 / 1024))}
    assert "no position is above 1023: they are ticks of 300 degrees / 1024" in told
    write(library, tmp_path / "b.bin")
    assert (tmp_path / "b.bin").read_bytes() == raw


def test_what_is_read_is_written_byte_by_byte_also_through_a_document(path: Path, tmp_path: Path):
    library, _ = opened(path, ACTIONS)
    write(library, tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == ACTIONS
    convert(path, tmp_path / "b.yaml")
    report = convert(tmp_path / "b.yaml", tmp_path / "c.bin")
    assert (tmp_path / "c.bin").read_bytes() == ACTIONS
    assert report.losses == ()


def test_an_edited_page_keeps_its_number_and_the_others_their_bytes(path: Path, tmp_path: Path):
    library, _ = opened(path, ACTIONS)
    block = library.blocks["sit down"]
    first = block.keyframes[0].model_copy(update={"duration": 0.4})
    edited = library.but(blocks=library.blocks | {"sit down": block.but(keyframes=(first, *block.keyframes[1:]))})
    write(edited, tmp_path / "a.bin")
    raw = (tmp_path / "a.bin").read_bytes()
    different = [number for number in range(256) if raw[number * 512 :][:512] != ACTIONS[number * 512 :][:512]]
    assert different == [15]
    assert raw[15 * 512 + 64 + 63] == 50


def test_a_page_that_leads_to_one_without_steps_ends_there_and_so_it_stays(path: Path, tmp_path: Path):
    raw = action_file({1: page(b"a", [({1: 2100}, 0, 9)], following=2)})
    library, told = opened(path, raw)
    assert told[0] == "page 1: it ends with page 1, whose next page 2 has no steps"
    assert library.motions["a"].blocks == ("a",)
    write(library, tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == raw
    more = library.but(
        motions=library.motions | {"b": Motion(blocks=("b",))},
        blocks=library.blocks | {"b": Block(keyframes=(Keyframe(duration=0.08, joints={"l_el": 0.0}),))},
    )
    write(more, tmp_path / "b.bin")
    assert read(tmp_path / "b.bin").motions["a"].blocks == ("a",)


def test_a_motion_of_another_format_is_written(tmp_path: Path):
    """Eight keyframes are two pages; 376 units of 8 ms need speed 64; a keyframe that moves nothing is a pause."""
    frames = [Keyframe(duration=0.2, joints={"head_pan": 0.1 * index}) for index in range(8)]
    frames += [Keyframe(duration=0.4), Keyframe(duration=3.008, joints={"head_pan": 0.0})]
    library = MotionLibrary(
        robot="op3",
        motions={"look around slowly": Motion(blocks=("look",))},
        blocks={"look": Block(keyframes=tuple(frames))},
    )
    losses = Losses()
    write(library, tmp_path / "a.bin", losses=losses)
    assert [each.split(": ", 1)[1] for each in losses.texts] == [
        "angles become whole ticks of 1/4096 of the servo's range (and at 6 more places)",
        "a page's name has 13 bytes at most; it becomes 'look around s'",
    ]
    raw = (tmp_path / "a.bin").read_bytes()
    assert [raw[number * 512 + 20] for number in (1, 2, 3, 4)] == [7, 1, 1, 0]
    assert [raw[number * 512 + 25] for number in (1, 2, 3)] == [2, 3, 0]
    assert (raw[2 * 512 + 126], raw[2 * 512 + 127]) == (50, 25)
    assert (raw[3 * 512 + 22], raw[3 * 512 + 127]) == (64, 188)
    back = read(tmp_path / "a.bin")
    assert list(back.motions) == ["look around s"]
    keyframes = [each for name in back.motions["look around s"].blocks for each in back.blocks[name].keyframes]
    assert [each.duration for each in keyframes] == [each.duration for each in frames]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (ACTIONS[:-1], "the file is no whole file of pages; got 131071; limit: 131072 bytes, 256 pages of 512"),
        (ACTIONS[: 512 * 40], "the file is no whole file of pages; got 20480"),
    ],
)
def test_a_cut_file_is_refused(path: Path, raw: bytes, text: str):
    with pytest.raises(FormatError, match=text):
        opened(path, raw)


def test_a_page_with_a_wrong_checksum_or_eight_steps_is_left_out_and_told(path: Path):
    raw = bytearray(ACTIONS)
    raw[512 + 64] ^= 1
    raw[15 * 512 : 16 * 512] = page(b"sit down", [(STAND, 0, 60)], count=8)
    library, told = opened(path, bytes(raw))
    assert list(library.motions) == ["kick", "march", "limp"]
    assert told[:2] == [
        "page 1: cannot be read and is left out: the page's checksum is wrong, its robot would take it as empty; "
        "got 0; limit: a sum of 255",
        "page 15, byte 20: cannot be read and is left out: the page counts more steps than it has; got 8; "
        "limit: 0 to 7",
    ]


def test_servos_without_a_joint_are_told_and_kept(path: Path, tmp_path: Path):
    raw = action_file({3: page(b"grip", [({21: 2100, 1: 2000}, 0, 10)])})
    library, told = opened(path, raw)
    assert library.blocks["grip"].keyframes[0].joints == {"r_sho_pitch": -48 * TICK}
    assert told[0] == "page 3: no joint is known of servo 21; its positions are kept, not played"
    write(library, tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == raw


POSITION = st.one_of(st.integers(0, 4095), st.just(0x4000), st.integers(0, 0xFFFF))
STEP = st.tuples(st.dictionaries(st.integers(0, 30), POSITION, max_size=6), st.integers(0, 255), st.integers(0, 255))
BYTE = st.integers(0, 255)
PAGE = st.builds(
    page,
    st.binary(max_size=14),
    st.lists(STEP, min_size=1, max_size=7),
    repeat=st.integers(1, 3),
    schedule=st.sampled_from([0, 0x0A, 0x0A, 7]),
    speed=BYTE,
    accel=BYTE,
    following=st.sampled_from([0, 0, 1, 2, 3]),
    leaving=st.sampled_from([0, 1]),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.tuples(PAGE, PAGE, PAGE))
def test_any_pages_come_back(tmp_path: Path, pages: tuple[bytes, ...]):
    raw = action_file(dict(enumerate((*pages, page(b"high", [(CROUCH, 0, 9)])), start=1)))
    library, _ = opened(tmp_path / "a.bin", raw)
    write(library, tmp_path / "b.bin", "robotis", losses=Losses())
    assert (tmp_path / "b.bin").read_bytes() == raw
    assert FORMATS["robotis"].read(tmp_path / "b.bin", ReadReport()) == library
