"""What a conversion tells: whose extras are lost, which robot a file is for, and which robots a format cannot hold."""

from __future__ import annotations

import pytest
from aibo_files import VARIANTS, mtn
from team_files import BITBOTS

from andante.formats.codec import MotionFileCodec
from andante.formats.registry import FORMATS, convert, read, write
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.losses import extras_losses, note_losses
from andante.formats.shared.single import robot_with
from andante.motions import extras
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import UNKNOWN_ROBOT, Motion, MotionLibrary


def test_too_much_for_extras_is_refused_and_not_dropped(tmp_path, monkeypatch):
    monkeypatch.setattr(extras, "MAX_EXTRAS", 30)
    (tmp_path / "kick.mtn").write_bytes(mtn(author="me"))
    assert read(tmp_path / "kick.mtn").motions["a_stand#stand_kick"].extras == {"mtn": {"author": "me"}}
    (tmp_path / "kick.mtn").write_bytes(mtn(author="x" * 20))
    with pytest.raises(FormatError, match="extras of 'mtn' have 33 characters as JSON, more than 30"):
        read(tmp_path / "kick.mtn")


def test_lost_notes_and_extras_say_whose_they_are():
    losses = Losses()
    for place in ("", "motions.kick", "motions.stop", "blocks.kick.keyframes[3]", "blocks.kick.keyframes[4]"):
        note_losses("for the cup", place, losses)
        extras_losses({"mtn": {"author": "me", "frame": 8}} if place else {}, place, losses)
    note_losses("", "blocks.kick", losses)
    extras_losses({"mtn": {"author": "me"}}, "blocks.kick", losses, ("mtn",))
    assert losses.texts == [
        "note: is not held",
        "motions.kick.note: is not held (and at 1 more place)",
        "motions.kick.extras: what only mtn files have (author, frame) is not held (and at 1 more place)",
        "blocks.kick.keyframes[3].note: is not held (and at 1 more place)",
        "blocks.kick.keyframes[3].extras: what only mtn files have (author, frame) is not held (and at 1 more place)",
    ]


def test_an_author_that_the_target_cannot_hold_is_told(tmp_path):
    (tmp_path / "kick.mtn").write_bytes(mtn(author="me"))
    report = convert(tmp_path / "kick.mtn", tmp_path / "kick.mot")
    assert report.losses == (
        "motions.a_stand#stand_kick.extras: what only mtn files have (author) is not held",
        "blocks.a_stand#stand_kick.keyframes[1].extras: what only mtn files have (body) is not held",
    )


def test_joints_tell_the_robot():
    assert robot_with(["HeadYaw", "LHand"]) == "nao"
    assert robot_with(["LFJ1", "TailPan"]) == "ers7"
    assert robot_with(["LFJ1", "HeadYaw"]) == robot_with([]) == UNKNOWN_ROBOT


@pytest.mark.parametrize("ending", ["motion", "xml", "xar", "csv", "npz", "py"])
def test_files_that_name_no_robot_are_told_by_their_joints(ending, tmp_path):
    block = Block(keyframes=(Keyframe(duration=0.5, joints={"LFJ1": 0.1, "TailPan": 0.2}),))
    library = MotionLibrary(robot="ers7", motions={"wag": Motion(blocks=("wag",))}, blocks={"wag": block})
    path = tmp_path / f"wag.{ending}"
    write(library, path)
    report = ReadReport()
    assert read(path, report=report).robot == "ers7"
    assert report.warnings == []


def test_a_robot_that_nobody_ships_must_be_named(tmp_path):
    (tmp_path / "wave.motion").write_text("#WEBOTS_MOTION,V1.0,Wing\n00:01:000,Up,0.5\n")
    report = ReadReport()
    assert read(tmp_path / "wave.motion", report=report).robot == UNKNOWN_ROBOT
    told = "the file does not name its robot and no robot shipped has its joints; ask for one"
    assert [warning.text for warning in report.warnings] == [told]


@pytest.mark.parametrize("name", ["hulks", "hulks-motion2", "runswift", "naodevils"])
def test_formats_of_one_robot_refuse_others(name, tmp_path):
    (tmp_path / "kick.mtn").write_bytes(mtn())
    with pytest.raises(FormatError) as caught:
        convert(tmp_path / "kick.mtn", tmp_path / "out", target_format=name)
    assert str(caught.value) == "the format holds motions of one robot only; got 'ers7'; legal: nao"
    assert not (tmp_path / "out").exists()


def test_a_first_pose_at_once_loses_nothing_where_files_begin_with_it(tmp_path):
    (tmp_path / "wag.motion").write_text(
        "#WEBOTS_MOTION,V1.0,TailTilt,TailPan\n00:00:000,Pose1,0.5,0\n00:00:160,Pose2,0.5,0.25\n"
    )
    for name in ("mtn", "tekkotsu-mot"):
        told = FORMATS[name].losses(read(tmp_path / "wag.motion"))
        assert not [text for text in told if "time" in text]
    convert(tmp_path / "wag.motion", tmp_path / "wag.mot")
    assert (tmp_path / "wag.mot").read_text().splitlines()[:3] == ["#MSq", "radians", "setTime\t0"]
    report = convert(tmp_path / "wag.motion", tmp_path / "wag.moves")
    assert "blocks.wag.keyframes[0]: a pose needs a time; 0 ms become 1 ms" in report.losses


def test_bitbots_files_need_no_shipped_robot(tmp_path):
    (tmp_path / "a.json").write_text(BITBOTS)
    assert convert(tmp_path / "a.json", tmp_path / "a.motion").target_format == "webots"


@pytest.mark.parametrize("ending", ["xar", "py"])
def test_a_jump_inside_a_motion_is_no_curve_and_that_is_told(ending, tmp_path):
    (tmp_path / "nod.motion").write_text(
        "#WEBOTS_MOTION,V1.0,HeadYaw\n00:00:100,Pose1,0\n00:01:000,Pose2,0.5\n00:01:000,Pose3,0.25\n"
    )
    report = convert(tmp_path / "nod.motion", tmp_path / f"nod.{ending}")
    assert (
        "blocks.nod.keyframes[2]: a curve has one angle at a time; the pose before, which this one follows at once, "
        "is not held" in report.losses
    )


def test_every_format_has_the_one_base():
    assert all(isinstance(codec, MotionFileCodec) for codec in FORMATS.values())
    assert [name for name, codec in FORMATS.items() if codec.name != name or not codec.suffixes] == []


@pytest.mark.parametrize("target", ["webots", "csv", "xar", "mtn", "moves", "tekkotsu-mot", "npz", "andante"])
def test_losses_are_those_of_the_conversion(tmp_path, target):
    (tmp_path / "kick.mtn").write_bytes(mtn(author="me"))
    codec = FORMATS[target]
    report = convert(tmp_path / "kick.mtn", tmp_path / f"kick-2{codec.suffixes[0]}", target_format=target)
    assert list(report.losses) == codec.losses(read(tmp_path / "kick.mtn"))


def test_a_value_that_the_target_cannot_take_is_refused(tmp_path):
    (tmp_path / "pause.mtn").write_bytes(VARIANTS["the longest pause"])
    with pytest.raises(FormatError, match=r"x\.xar, at: Input should be less than or equal to 1000000000"):
        convert(tmp_path / "pause.mtn", tmp_path / "x.xar")
    assert not (tmp_path / "x.xar").exists()
