"""Pose files and move lists: poses by value, so that a lost or changed pose file breaks nothing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.formats.aibo.moves import (
    MovesFile,
    MovesStep,
    Pose,
    digest_of,
    moves_text,
    parse_moves,
    parse_pose,
    pose_text,
)
from andante.formats.aibo.moves_codec import library_from_moves, moves_from_library
from andante.formats.registry import FORMATS, convert, identify, read, write
from andante.formats.report import FormatError, Losses, ReadReport

READY = Pose({"LFJ1": 10.0, "Tilt1": -20.5})
MOVES = f"""\
andante moves 1
robot ers7
# a comment
pose ready file=ready.pose sha256={digest_of(READY)}
  LFJ1 10
  Tilt1 -20.5
pose two%20words
  LFJ1 -10
pose spare
  LFJ2 1
motion a_stand#stand_kick
  400 ready
  120.5 two%20words
  80 ready
motion empty
"""


def test_reading(tmp_path):
    (tmp_path / "x.moves").write_text(MOVES)
    assert identify(tmp_path / "x.moves").name == "moves"
    library = read(tmp_path / "x.moves")
    keyframes = library.blocks["a_stand#stand_kick"].keyframes
    assert [keyframe.duration for keyframe in keyframes] == [0.4, 0.1205, 0.08]
    assert keyframes[0].joints == {"LFJ1": math.radians(10), "Tilt1": math.radians(-20.5)}
    assert keyframes[1].joints == {"LFJ1": math.radians(-10)}
    assert list(library.motions) == ["a_stand#stand_kick", "empty", "spare"]


def test_written_and_read_again(tmp_path):
    (tmp_path / "x.moves").write_text(MOVES)
    library = read(tmp_path / "x.moves")
    assert FORMATS["moves"].losses(library) == []
    write(library, tmp_path / "library.yaml")
    write(read(tmp_path / "library.yaml"), tmp_path / "y.moves")
    assert parse_moves((tmp_path / "y.moves").read_text()) == parse_moves(MOVES)
    write(read(tmp_path / "y.moves"), tmp_path / "z.moves")
    assert (tmp_path / "z.moves").read_bytes() == (tmp_path / "y.moves").read_bytes()


NAMES = st.text(min_size=1, max_size=8).filter(lambda name: not any("\ud800" <= letter <= "\udfff" for letter in name))
POSES = st.dictionaries(NAMES, st.floats(-180, 180), max_size=3).map(Pose)


@given(NAMES, st.dictionaries(NAMES, POSES, min_size=1, max_size=3), st.data())
def test_any_moves_come_back(robot, poses, data):
    steps = st.builds(MovesStep, st.floats(0.001, 1e6), st.sampled_from(sorted(poses)))
    motions = data.draw(st.dictionaries(NAMES, st.lists(steps, max_size=4).map(tuple), max_size=3))
    moves = MovesFile(robot, poses, motions)
    assert parse_moves(moves_text(moves)) == moves
    name, pose = next(iter(poses.items()))
    assert parse_pose(pose_text(robot, name, pose)) == (robot, name, pose)


@given(st.floats(-3.1, 3.1), st.floats(0.001, 100))
def test_angles_and_times_come_back_to_the_last_bit_or_nearly(angle, duration):
    from andante.motions.keyframe import Block, Keyframe
    from andante.motions.library import Motion, MotionLibrary

    block = Block(keyframes=(Keyframe(duration=duration, joints={"LFJ1": angle}),))
    library = MotionLibrary(robot="ers7", motions={"m": Motion(blocks=("m",))}, blocks={"m": block})
    (again,) = library_from_moves(moves_from_library(library, Losses())).blocks["m"].keyframes
    assert again.joints["LFJ1"] == pytest.approx(angle, rel=1e-15, abs=1e-300)
    assert again.duration == pytest.approx(duration, rel=1e-15)


def test_a_lost_or_changed_pose_file_breaks_nothing(tmp_path):
    (tmp_path / "x.moves").write_text(MOVES)
    wanted = read(tmp_path / "x.moves")

    def remarks() -> list[str]:
        report = ReadReport()
        assert read(tmp_path / "x.moves", report=report) == wanted
        return [warning.text for warning in report.warnings]

    assert remarks() == ["pose 'ready' came from 'ready.pose', which is not beside it; the pose kept here is used"]
    (tmp_path / "ready.pose").write_text(pose_text("ers7", "ready", READY))
    assert remarks() == []
    (tmp_path / "ready.pose").write_text(pose_text("ers7", "ready", Pose({"LFJ1": 11.0})))
    assert remarks() == [
        "pose 'ready' came from 'ready.pose', which says something else now; the pose kept here is used"
    ]
    (tmp_path / "ready.pose").write_text("rubbish")
    assert remarks() == [
        "pose 'ready' came from 'ready.pose', which cannot be read now (the first line is not the format's); "
        "the pose kept here is used"
    ]
    (tmp_path / "ready.pose").unlink()
    (tmp_path / "x.moves").write_text(MOVES.replace("LFJ1 10\n", "LFJ1 12\n"))
    report = ReadReport()
    read(tmp_path / "x.moves", report=report)
    assert report.warnings[0].text == "pose 'ready' came from 'ready.pose' and was changed here since"


def test_pose_files(tmp_path):
    (tmp_path / "ready.pose").write_text(pose_text("ers7", "ready", READY))
    assert identify(tmp_path / "ready.pose").name == "pose"
    library = read(tmp_path / "ready.pose")
    assert library.motions["ready"].blocks == ("ready",)
    write(library, tmp_path / "again.pose")
    assert (tmp_path / "again.pose").read_bytes() == (tmp_path / "ready.pose").read_bytes()
    assert FORMATS["pose"].losses(library) == []
    (tmp_path / "x.moves").write_text(MOVES)
    with pytest.raises(FormatError, match=r"motions.a_stand#stand_kick: a pose file holds one pose; got 3"):
        write(read(tmp_path / "x.moves"), tmp_path / "x.pose")
    (tmp_path / "two.moves").write_text(
        "andante moves 1\nrobot ers7\npose a\n  LFJ1 1\nmotion a\n  1000 a\nmotion b\n  1000 a\n"
    )
    two = read(tmp_path / "two.moves")
    with pytest.raises(FormatError, match="one pose file holds one motion; got 2"):
        write(two, tmp_path / "x.pose")
    assert [path.name for path in write(two, tmp_path / "poses", "pose")] == ["a.pose", "b.pose"]


def test_export_to_mtn_says_what_is_lost(tmp_path):
    (tmp_path / "x.moves").write_text(MOVES.replace("motion empty\n", "").replace("pose spare\n  LFJ2 1\n", ""))
    report = convert(tmp_path / "x.moves", tmp_path / "x.mtn")
    text = "times become whole frames of 16 ms, here 120.5 ms become 128 ms"
    assert f"blocks.a_stand#stand_kick.keyframes[1]: {text}" in report.losses
    assert identify(tmp_path / "x.mtn").name == "mtn"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("andante move 1\n", "x:1: the first line is not the format's; got 'andante move 1'"),
        ("andante moves 1\n", "x:2: the robot is not named; limit: robot NAME"),
        ("andante moves 1\nrobot a\nrobot b\n", "x:3: the robot is named twice; got 'b'"),
        ("andante moves 1\nposes a\n", "x:2: the line is not understood; got 'poses a'; limit: robot NAME, pose"),
        ("andante moves 1\n  LFJ1 1\n", "x:2: an indented line needs a pose or motion before it; got 'LFJ1 1'"),
        ("andante moves 1\npose a\n  LFJ1\n", "x:3: the line needs two words; got 'LFJ1'; limit: JOINT DEGREES"),
        ("andante moves 1\npose a\n  LFJ1 nan\n", "x:3, LFJ1: the number is not finite or absurdly large; got 'nan'"),
        ("andante moves 1\npose a\n  LFJ1 x\n", "x:3, LFJ1: this is no number; got 'x'"),
        ("andante moves 1\npose a\n  LFJ1 1\n  LFJ1 2\n", "x:4: the joint stands twice in the pose; got 'LFJ1'"),
        ("andante moves 1\npose a\npose a\n", "x:3: there are two poses of this name; got 'a'"),
        ("andante moves 1\npose a hash=1\n", "x:2: the line is not understood; got 'hash=1'"),
        ("andante moves 1\npose a sha256=1\n", "x:2: the hash is not 64 hexadecimal digits; got '1'"),
        ("andante moves 1\npose ready\nmotion m\n  100 redy\n", "there is no such pose before this line; got 'redy'"),
        ("andante moves 1\npose a\nmotion m\n  0 a\n", "x:4: the time is not above zero; got '0'"),
        ("andante moves 1\nmotion m\nmotion m\n", "x:3: there are two motions of this name; got 'm'"),
    ],
)  # fmt: skip
def test_errors(text, message):
    with pytest.raises(FormatError) as caught:
        parse_moves(text, "x")
    assert message in str(caught.value)


def test_cut_at_every_byte():
    for length in range(len(MOVES)):
        try:
            moves = parse_moves(MOVES[:length], "x")
        except FormatError as error:
            assert error.line is not None  # noqa: PT017 - both outcomes are right
        else:
            assert moves.robot.startswith("e")


def test_a_small_file_cannot_call_a_large_pose_endlessly():
    pose = "pose a\n" + "".join(f"  j{number} 1\n" for number in range(5000))
    with pytest.raises(FormatError, match="the motions have too many angles; got 505000; limit: 500000"):
        parse_moves(f"andante moves 1\nrobot ers7\n{pose}motion m\n" + "  1 a\n" * 5000)
