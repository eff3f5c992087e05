"""MTN: every variant read and written byte for byte, what it means, and clean errors."""

from __future__ import annotations

import math
import struct
from dataclasses import replace

import pytest
from aibo_files import KEYS, LOCATORS, VARIANTS, mtn
from hypothesis import given
from hypothesis import strategies as st

from andante.formats.aibo.mtn import MtnFile, MtnKey, read_mtn, write_mtn
from andante.formats.aibo.mtn_codec import microradians, mtn_from_motion
from andante.formats.registry import FORMATS, convert, identify, read, write
from andante.formats.report import FormatError, Losses, ReadReport
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.parts import AngleRange

VARIANT = pytest.mark.parametrize("raw", VARIANTS.values(), ids=VARIANTS)


@VARIANT
def test_bytes_come_back(raw):
    assert write_mtn(read_mtn(raw, "x.mtn")) == raw


@VARIANT
def test_bytes_come_back_through_a_library(raw, tmp_path):
    (tmp_path / "x.mtn").write_bytes(raw)
    library = read(tmp_path / "x.mtn")
    write(library, tmp_path / "y.mtn")
    assert (tmp_path / "y.mtn").read_bytes() == raw
    write(library, tmp_path / "library.yaml")
    write(read(tmp_path / "library.yaml"), tmp_path / "z.mtn")
    assert (tmp_path / "z.mtn").read_bytes() == raw


@VARIANT
def test_cut_at_every_byte(raw):
    whole = len(raw) - len(read_mtn(raw, "x").layout.tail)
    for length in range(whole):
        with pytest.raises(FormatError, match=r"x\.mtn, byte \d+: "):
            read_mtn(raw[:length], "x.mtn")


def test_meaning(tmp_path):
    (tmp_path / "x.mtn").write_bytes(mtn())
    library = read(tmp_path / "x.mtn")
    name = "a_stand#stand_kick"
    assert (library.robot, list(library.motions), library.motions[name].blocks) == ("ers7", [name], (name,))
    first, second = library.blocks[name].keyframes
    assert (first.duration, second.duration) == (0.016, 0.16)
    assert list(second.joints) == [
        *("Tilt1", "Pan", "Tilt2", "Mouth", "LeftEar", "RightEar"),
        *(f"{leg}J{joint}" for leg in ("LF", "LR", "RF", "RR") for joint in (1, 2, 3)),
        *("TailTilt", "TailPan"),
    ]
    assert (second.joints["Tilt1"], second.joints["Pan"], second.joints["TailPan"]) == (1e-6, 0.001001, 0.019001)


def test_ers110_gets_sixteen_milliseconds(tmp_path):
    (tmp_path / "x.mtn").write_bytes(VARIANTS["ERS-110"])
    report = ReadReport()
    library = read(tmp_path / "x.mtn", report=report)
    assert library.robot == "ers110"
    assert library.blocks["a_stand#stand_kick"].keyframes[1].duration == 0.16
    assert [str(warning).split(": ", 1)[1] for warning in report.warnings] == [
        "a_stand#stand_kick: the file gives no frame time; 16 ms are taken"
    ]


def test_section_3_may_count_bytes_after_the_keys():
    raw = bytearray(mtn(tail=b"abcd"))
    at = raw.index(struct.pack("<I", 3) + struct.pack("<I", 12 + 4 * (2 * 23 + 1))) + 4
    raw[at : at + 4] = struct.pack("<I", 12 + 4 * (2 * 23 + 1) + 4)
    motion = read_mtn(bytes(raw), "x")
    assert (motion.layout.tail, motion.layout.counted) == (b"abcd", 4)
    assert write_mtn(motion) == bytes(raw)


def test_content_decides_not_the_ending(tmp_path):
    for name in ("x.MTN", "x.mnt", "x.yaml"):
        (tmp_path / name).write_bytes(mtn())
        assert identify(tmp_path / name).name == "mtn"
        assert list(read(tmp_path / name).motions) == ["a_stand#stand_kick"]
    library = read(tmp_path / "x.MTN")
    write(library, tmp_path / "UPPER.MTN")
    with pytest.raises(FormatError, match=r"no format writes .* this ending; got '\.mnt'; did you mean '\.mtn'"):
        write(library, tmp_path / "kick.mnt")


def test_size_and_string_too_short_as_in_a_file_of_the_field():
    raw = bytearray(mtn())
    raw[28 + 4 : 28 + 8] = struct.pack("<I", struct.unpack_from("<I", raw, 32)[0] - 8)
    with pytest.raises(FormatError, match="byte 32: section 1 is larger than its size says; got 32; limit: 39"):
        read_mtn(bytes(raw), "x.mtn")
    raw = bytearray(mtn())
    raw[28 + 4 : 28 + 8] = struct.pack("<I", struct.unpack_from("<I", raw, 32)[0] - 8)
    raw[36] -= 8
    with pytest.raises(FormatError):
        read_mtn(bytes(raw), "x.mtn")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"NotOMTN ", "byte 0: this is a stub for a motion that is kept elsewhere"),
        (b"ODAR" + bytes(60), "byte 0: this is no MTN motion; got b'ODAR'; limit: begins with 'OMTN'"),
        (mtn(keys=[]), "byte 20: the motion has no keys"),
        (mtn(version=(2, 0)), r"byte 16: the version is not known; got '2\.0'; limit: 1\.x"),
        (mtn(locators=[]), r"the number of joints is out of range; got 0; limit: 1\.\.255"),
        (mtn(keys=[*KEYS, (-1, (0, 0, 0))]), "key 2 has a negative number of interpolated frames; got -1"),
        (mtn()[:-92] + mtn()[-88:], "the file ends inside the 2 keys; got 184; limit: 188 bytes"),
    ],
)
def test_errors(raw, message):
    with pytest.raises(FormatError, match=message):
        read_mtn(raw, "x.mtn")


def test_a_wrong_number_of_keys_is_named():
    raw = bytearray(mtn())
    raw[20:22] = struct.pack("<H", 60000)
    with pytest.raises(FormatError, match="section 3 does not fit 60000 keys of 20 joints; got 200; limit:"):
        read_mtn(bytes(raw), "x.mtn")


def test_a_joint_twice_is_refused(tmp_path):
    (tmp_path / "x.mtn").write_bytes(mtn(locators=[LOCATORS[0], LOCATORS[0]]))
    with pytest.raises(FormatError, match="a joint stands twice in the motion; got 'PRM:/r1/c1-Joint2:11'"):
        read(tmp_path / "x.mtn")


def test_microradians_are_rounded_never_truncated():
    degrees = [microradians(math.radians(angle)) for angle in range(-130, 131)]
    exact = [angle * math.pi / 180.0 * 1e6 for angle in range(-130, 131)]
    assert max(abs(value - wanted) for value, wanted in zip(degrees, exact, strict=True)) <= 0.5
    truncated = [int(1e6 * math.radians(angle)) for angle in range(-130, 131)]
    assert sum(value != other for value, other in zip(degrees, truncated, strict=True)) == 130
    with pytest.raises(FormatError, match="does not fit into 32 bits"):
        microradians(2148.0)


@given(st.integers(-(2**31), 2**31 - 1))
def test_every_microradian_comes_back(value):
    assert microradians(value / 1e6) == value


@given(
    st.lists(
        st.tuples(st.integers(0, 2**31 - 1), st.tuples(*[st.integers(-(2**31), 2**31 - 1)] * 5)), min_size=1, max_size=5
    ),
    st.text(st.characters(max_codepoint=255), max_size=255),
    st.integers(0, 0xFFFF),
)
def test_any_motion_comes_back(rows, name, frame):
    keys = tuple(
        MtnKey(frames if index else 0, numbers[:3], numbers[3:]) for index, (frames, numbers) in enumerate(rows)
    )
    motion = MtnFile(name, "", "DRX-1000_Tail", (LOCATORS[18], LOCATORS[19]), keys, frame_ms=frame)
    assert read_mtn(write_mtn(motion), "x") == motion


def library_of(*keyframes: Keyframe, robot: str = "ers7", **more) -> MotionLibrary:
    return MotionLibrary(
        robot=robot, motions={"kick": Motion(blocks=("kick",), **more)}, blocks={"kick": Block(keyframes=keyframes)}
    )


def test_what_is_lost_is_said():
    library = library_of(
        Keyframe(duration=0.5, joints={"LFJ1": 0.1, "Wing": 1.0}, note="up"),
        Keyframe(duration=0.1, joints={"LFJ1": "off", "LFJ2": 0.2}, interpolation="sine_min_to_max", com_goal=(0.1, 0)),
        balance_out=True,
    )
    losses = FORMATS["mtn"].losses(library)
    assert losses[:8] == [
        "motions.kick.balance_out: is not held",
        "blocks.kick.keyframes[0].note: is not held",
        "blocks.kick.keyframes[1].com_goal: is not held",
        "blocks.kick.keyframes[1].joints: joints that are off are not held; they keep their angle",
        "blocks.kick.keyframes[1].interpolation: sine_min_to_max becomes a straight line between the keyframes",
        "blocks.kick.keyframes[1]: joint 'LFJ2' is first given here; it has this angle from the start on",
        "motions.kick: joint 'Tilt1' is not given and becomes 0 deg",
        "motions.kick: joint 'Pan' is not given and becomes 0 deg",
    ]
    assert "motions.kick: joint 'TailTilt' is not given and becomes 5 deg" in losses
    assert losses[-3:] == [
        "motions.kick: joint 'Wing' is not held",
        "blocks.kick.keyframes[0]: the time to the first pose is not held, a file begins with it, here 500 ms",
        "blocks.kick.keyframes[1]: times become whole frames of 16 ms, here 100 ms become 96 ms",
    ]
    motion = mtn_from_motion(library, "kick", Losses())
    assert (motion.design, motion.version, len(motion.keys)) == ("DRX-1000", (1, 2), 2)
    assert motion.keys[1].interpolated == 5
    assert motion.keys[1].angles[6:8] == (100000, 200000)


def test_the_joints_decide_the_design():
    head = library_of(Keyframe(duration=0.016, joints={"Pan": 0.1, "Tilt1": -0.1, "Tilt2": 0.2}))
    motion = mtn_from_motion(head, "kick", Losses())
    assert (motion.design, motion.version) == ("DRX-1000_Head", (1, 1))
    assert motion.keys[0].angles == (-100000, 100000, 200000)
    assert FORMATS["mtn"].losses(head) == []


def test_a_file_is_one_motion_a_folder_many(tmp_path):
    library = library_of(Keyframe(duration=0.016, joints={"Mouth": -0.1}))
    library.motions["a/b"] = Motion(blocks=("kick",))
    with pytest.raises(
        FormatError,
        match=r"one MTN file holds one motion; got 2; legal: kick, a/b; name one with --motion, ",
    ):
        write(library, tmp_path / "x.mtn")
    files = write(library, tmp_path / "all", "mtn")
    assert [file.name for file in files] == ["kick.mtn", "a_b.mtn"]
    assert sorted(read(tmp_path / "all").motions) == ["a/b", "kick"]
    files[0].rename(files[0].with_name("second.MTN"))
    (tmp_path / "all" / "copy.mtn").write_bytes((tmp_path / "all" / "second.MTN").read_bytes())
    report = ReadReport()
    whole = read(tmp_path / "all", report=report)
    assert sorted(whole.motions) == ["a/b", "kick", "second"]
    assert "another file of the folder has a motion 'kick'; this one goes by the name 'second'" in str(report.warnings)
    # The name inside stays.
    write(whole, tmp_path / "again", "mtn")
    assert (tmp_path / "again" / "second.mtn").read_bytes() == (tmp_path / "all" / "second.MTN").read_bytes()


@pytest.mark.parametrize(
    ("library", "message"),
    [
        (library_of(), "an MTN motion needs at least one keyframe"),
        (library_of(Keyframe(duration=1, joints={"HeadYaw": 1}), robot="nao"), "no OPEN-R locators; got 'HeadYaw'"),
        (library_of(Keyframe(duration=1, joints={"Pan": 2200.0})), "does not fit into 32 bits of microradians"),
        (
            MotionLibrary(robot="ers7", motions={"x": Motion(blocks=("y",))}),
            "motions.x.blocks: the library has no such block; got 'y'",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_written(library, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        write(library, tmp_path / "x.mtn")
    assert list(tmp_path.iterdir()) == []


def test_compensation_is_a_loss():
    from andante.motions.keyframe import JointCompensation

    rule = JointCompensation(joint="Pan", range=AngleRange(min=0, max=1))
    library = library_of(Keyframe(duration=0.016, joints={"Mouth": -0.1}, compensation=(rule,)))
    assert FORMATS["mtn"].losses(library) == ["blocks.kick.keyframes[0].compensation: is not held"]


def test_wrong_extras_keep_nothing_and_are_told(tmp_path):
    (tmp_path / "x.mtn").write_bytes(mtn())
    library = read(tmp_path / "x.mtn")
    name = "a_stand#stand_kick"
    for said in ({"author": 5}, {"sections": 1}, {"tail": "no digits"}, {"colour": "red"}):
        changed = library.model_copy(
            update={"motions": {name: library.motions[name].model_copy(update={"extras": {"mtn": said}})}}
        )
        told = f"what only mtn files have ({next(iter(said))}) is not held"
        assert f"motions.{name}.extras: {told}" in FORMATS["mtn"].losses(changed)
        assert mtn_from_motion(changed, name, Losses()).author == ""


def test_convert_says_that_monet_cannot_call_a_long_name(tmp_path):
    (tmp_path / "x.mtn").write_bytes(VARIANTS["long name"])
    report = convert(tmp_path / "x.mtn", tmp_path / "y.mtn")
    assert len(report.losses) == 1
    assert report.losses[0].endswith("MoNet cannot call a motion whose name has more than 31 characters")
    assert report.warnings[0].text == "the name has more than 31 characters, MoNet cannot call it"


def test_a_huge_file_is_not_read_whole(tmp_path):
    with (tmp_path / "x.mtn").open("wb") as file:
        file.write(mtn())
        file.truncate(10_000_000_000)
    with pytest.raises(Exception, match="is too large"):
        read(tmp_path / "x.mtn")


def test_names_that_do_not_fit():
    motion = read_mtn(mtn(), "x")
    with pytest.raises(FormatError, match="an MTN name holds Latin-1 characters only; got '€'"):
        write_mtn(replace(motion, author="€"))
    with pytest.raises(FormatError, match="an MTN name has at most 255 characters; got 256"):
        write_mtn(replace(motion, design="x" * 256))
    with pytest.raises(FormatError, match="key 1 does not have 20 angles"):
        write_mtn(replace(motion, keys=(motion.keys[0], MtnKey(0, (0, 0, 0), (1,)))))
