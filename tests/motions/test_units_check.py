"""Slips between degrees and radians, milliseconds and seconds are errors that name the other unit."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.formats.registry import FORMATS, convert, read
from andante.motions.checks.aibo.run import check_aibo
from andante.motions.checks.run import check_library
from andante.motions.checks.targets import UNITS
from andante.motions.findings import Finding
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.storage import load_library
from andante.robots.robot import Robot

NAO = Robot.load("nao")
SHIPPED = Path(__file__).parents[2] / "src/andante/runs/libraries"


def document(units: str, duration: float, angle: float, joint: str = "HeadPitch", robot: str = "nao") -> str:
    return (
        f"format: andante.motions\nunits: {units}\nrobot: {robot}\nmotions: {{nod: {{blocks: [nod]}}}}\n"
        f"blocks: {{nod: {{keyframes: [{{duration: {duration!r}, joints: {{{joint}: {angle!r}}}}}]}}}}\n"
    )


def slips(text: str) -> list[Finding]:
    return check_library(load_library(text), NAO, [UNITS])


def test_degrees_read_as_radians_are_an_error_that_says_so() -> None:
    (found,) = slips(document("{angle: rad, time: s}", 0.5, 40.0))
    assert str(found) == (
        "error: blocks.nod.keyframes[0].joints.HeadPitch: 2291.83 deg (40 rad) is far beyond every joint of nao, of"
        " which the widest goes to 121.47 deg; did you mean deg (40 deg)? [units]"
    )


def test_seconds_read_as_milliseconds_and_back() -> None:
    (short,) = slips(document("{angle: deg, time: ms}", 0.5, 40.0))
    assert str(short) == (
        "error: blocks.nod.keyframes[0].duration: a duration of 0.5 ms is shorter than any; did you mean 0.5 s? [units]"
    )
    (long,) = slips(document("{angle: deg, time: s}", 500.0, 20.0))
    assert str(long) == (
        "error: blocks.nod.keyframes[0].duration: a duration of 500 s is longer than any; did you mean 500 ms? [units]"
    )


def test_rows_of_a_table_may_be_as_close_as_joints_can_follow(tmp_path: Path) -> None:
    rows = "".join(f"{0.0005 * row:.4f},{0.5 + 0.001 * row:.3f}\n" for row in range(40))
    (tmp_path / "fast.csv").write_text(f"time [s],HeadYaw [rad]\n{rows}")
    assert check_library(read(tmp_path / "fast.csv"), NAO, [UNITS]) == []
    (tmp_path / "slip.csv").write_text("time [ms],HeadYaw [rad]\n0,0\n0.2,0.3\n0.4,-0.3\n")
    found = check_library(read(tmp_path / "slip.csv"), NAO, [UNITS])
    assert [(each.severity, "did you mean 0.2 s?" in each.message) for each in found] == [("error", True)] * 2
    (tmp_path / "still.csv").write_text("time [ms],HeadYaw [rad]\n0.2,0.3\n0.4,0.3\n")
    assert [each.severity for each in check_library(read(tmp_path / "still.csv"), NAO, [UNITS])] == ["error"] * 2


@given(degrees=st.floats(5.0, 119.0), sign=st.sampled_from([-1.0, 1.0]))
def test_every_angle_from_five_degrees_on_is_caught_as_radians_and_legal_as_degrees(degrees, sign) -> None:
    joint = "LShoulderPitch"
    assert [f.severity for f in slips(document("{angle: rad}", 0.5, sign * degrees, joint))] == ["error"]
    assert slips(document("{angle: deg}", 0.5, sign * degrees, joint)) == []


@given(seconds=st.floats(0.002, 0.99))
def test_every_second_as_millisecond_is_caught_and_no_keyframe_of_one_to_60000_is(seconds) -> None:
    assert len(slips(document("{angle: deg, time: ms}", seconds, 10.0))) == 1
    assert slips(document("{angle: deg, time: ms}", 1.0 + seconds * 59_998.0, 10.0)) == []


def test_a_whole_motion_of_radians_read_as_degrees_is_doubted() -> None:
    frames = ", ".join(f"{{duration: 500, joints: {{HeadPitch: {0.05 * step}}}}}" for step in range(1, 8))
    text = document("{angle: deg, time: ms}", 1.0, 1.0).split("blocks: {nod")[0]
    (found,) = slips(f"{text}blocks: {{nod: {{keyframes: [{frames}]}}}}\n")
    assert (found.severity, found.place) == ("warning", "blocks")
    assert found.message.endswith("did you mean rad (0.35 rad)?")


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_shipped_libraries_have_no_slip(path: Path) -> None:
    library = read(path)
    assert check_library(library, Robot.load(library.robot), [UNITS]) == []


def test_an_aibo_is_told_by_its_own_rules() -> None:
    found = check_aibo(load_library(document("{angle: rad}", 0.5, 40.0, "RFJ1", "ers7")), Robot.load("ers7"))
    assert next(finding.rule for finding in found if finding.severity == "error") == UNITS


@pytest.mark.parametrize("name", ["csv", "npz", "webots", "hulks", "xar", "mujoco"])
def test_a_slip_is_told_through_every_format(name: str, tmp_path: Path) -> None:
    source = tmp_path / "nod.yaml"
    source.write_text(document("{angle: rad, time: s}", 0.48, 40.0))
    target = tmp_path / f"nod{FORMATS[name].suffixes[0]}"
    report = convert(source, target, target_format=name)
    assert "did you mean deg (40 deg)?" in str(report.warnings[0])
    found = check_library(read(target, name, robot="nao"), NAO, [UNITS])
    assert {finding.severity for finding in found} == {"error"}
    assert all(math.isclose(float(finding.value or 0.0), 40.0, rel_tol=1e-3) for finding in found)


def paced(durations: list[float], angles: list[float]) -> MotionLibrary:
    pairs = zip(durations, angles, strict=True)
    frames = tuple(Keyframe(duration=duration, joints={"HeadYaw": angle}) for duration, angle in pairs)
    return MotionLibrary(robot="nao", motions={"m": Motion(blocks=("m",))}, blocks={"m": Block(keyframes=frames)})


def told_of(library: MotionLibrary) -> list[str]:
    return [finding.message for finding in check_library(library, Robot.load("nao"), rules=["units"])]


def test_a_table_of_rows_that_are_all_slow_or_all_rushed_is_in_another_unit():
    sway = [0.4 * (-1) ** index for index in range(30)]
    assert told_of(paced([40.0] * 30, sway)) == ["none of 29 keyframes takes less than 40 s; did you mean 40 ms?"]
    assert told_of(paced([6.0] * 30, sway))[0].endswith("less than 6 s; did you mean 6 ms?")
    assert told_of(paced([6.0] * 5, sway[:5])) == told_of(paced([0.5] * 30, sway)) == []
    (rushed,) = told_of(paced([0.002] * 4, sway[:4]))
    assert "none of 3 keyframes takes longer than 2 ms" in rushed
    assert rushed.endswith("did you mean 2 s?")
    smooth = [0.4 * math.sin(0.01 * index) for index in range(200)]
    assert told_of(paced([0.002] * 200, smooth)) == []


def test_degrees_that_are_small_enough_for_some_joint_are_suspected():
    (told,) = told_of(paced([0.5] * 8, [3.0, -3.5, 4.0, -4.0, 3.2, -3.1, 1.0, -1.0]))
    assert "6 of 8 targets are far beyond their joint's limits, by up to 110 deg (HeadYaw)" in told
    assert told.endswith("did you mean deg?")
