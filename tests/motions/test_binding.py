"""Libraries bound to robots that go by other joint names, and the same on the command line."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.cli.motion_files import robot_of
from andante.formats.registry import convert, read, write
from andante.formats.report import ReadReport
from andante.motions.editing.binding import bind, by_aliases
from andante.motions.errors import MotionError
from andante.motions.keyframe import Block, JointCompensation, JointScale, JointStiffness, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.parts import AngleRange
from andante.motions.storage import save_library
from andante.robots import elsewhere
from andante.robots.bare.aliases import booster_aliases
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role
from andante.runs.motion_libraries import bind_file, load_motions, shipped_motions

sys.path.append(str(Path(__file__).resolve().parents[1] / "robots"))
sys.path.append(str(Path(__file__).resolve().parents[1] / "kinematics"))
from humanoids import mjcf_humanoid
from packaged_robots import packaged_robot

DATA = Path(os.environ.get("ANDANTE_BHUMAN_CFG", Path(__file__).resolve().parents[3] / "shared/data/bhuman"))


@pytest.fixture(scope="module")
def booster(tmp_path_factory) -> Robot:
    """A robot with a Booster's joint names: Knee_Pitch, and letters that sort the head's first joint to the front."""
    text = mjcf_humanoid().replace("_Knee", "_Knee_Pitch").replace('"Head_yaw"', '"AAHead_yaw"')
    path = tmp_path_factory.mktemp("booster") / "robot.xml"
    path.write_text(text)
    return Robot.load(path)


RANGE = AngleRange(min=0.1, max=0.2)


def scales(*joints: str) -> tuple[JointScale, ...]:
    return tuple(JointScale(joint=joint, scale=1.0) for joint in joints)


def library(**keyframe: object) -> MotionLibrary:
    frame = Keyframe(duration=0.5, **keyframe)  # type: ignore[arg-type]
    return MotionLibrary(robot="nao", motions={"go": Motion(blocks=("go",))}, blocks={"go": Block(keyframes=(frame,))})


def test_a_booster_goes_by_the_nao_s_names(booster):
    assert len(booster.aliases) == 23
    assert booster.aliases["HeadYaw"] == "AAHead_yaw"
    assert booster.aliases["LElbowYaw"] == "Left_Elbow_Pitch"
    assert booster.aliases["LElbowRoll"] == "Left_Elbow_Yaw"
    assert booster.aliases["RHipYawPitch"] == "Right_Hip_Yaw"
    assert booster.aliases["WaistYaw"] == "Waist"
    assert booster.absent == {"LWristYaw", "LHand", "RWristYaw", "RHand"}


def test_letters_that_sort_joints_do_not_matter_and_a_missing_waist_is_absent():
    names = ["AAHead_yaw", "Head_pitch"]
    for side, first in (("Left", "A"), ("Right", "A")):
        names += [f"{first}{side}_Shoulder_Pitch", f"{side}_Shoulder_Roll", f"{side}_Elbow_Pitch", f"{side}_Elbow_Yaw"]
        names += [f"{side}_Hip_{axis}" for axis in ("Pitch", "Roll", "Yaw")]
        names += [f"{side}_Knee_Pitch", f"{side}_Ankle_Pitch", f"{side}_Ankle_Roll"]
    aliases, absent = booster_aliases(names)
    assert aliases["LShoulderPitch"] == "ALeft_Shoulder_Pitch"
    assert absent == ("LWristYaw", "LHand", "RWristYaw", "RHand", "WaistYaw")


def test_a_robot_with_other_joints_has_no_aliases():
    assert booster_aliases(["left_hip_pitch_joint", "left_elbow_joint"]) == ({}, ())
    assert dict(Robot.load("nao").aliases) == {}


def test_roles_are_found_by_aliases(booster):
    assert joint_with_role(booster, "left_hip_yaw_pitch") == booster.index("Left_Hip_Yaw")
    assert joint_with_role(booster, "left_wrist_yaw") is None


def test_every_place_of_a_joint_gets_the_robot_s_name(booster):
    bound = bind(
        library(
            joints={"LKneePitch": 0.5, "LHand": 0.2, "LElbowRoll": -0.3},
            compensation=(
                JointCompensation(
                    joint="LHipPitch",
                    range=RANGE,
                    targets=scales("RHand", "RHipPitch"),
                ),
                JointCompensation(joint="LWristYaw", range=RANGE),
            ),
            balance_pitch=scales("LAnklePitch", "RHand"),
            balance_roll=scales("LAnkleRoll"),
            stiffness=(JointStiffness(joint="RKneePitch", stiffness=0.5), JointStiffness(joint="RHand", stiffness=0.1)),
        ),
        booster,
    )
    (frame,) = bound.library.blocks["go"].keyframes
    assert bound.library.robot == "walker"
    assert frame.joints == {"Left_Knee_Pitch": 0.5, "Left_Elbow_Yaw": -0.3}
    (rule,) = frame.compensation
    assert (rule.joint, [target.joint for target in rule.targets]) == ("Left_Hip_Pitch", ["Right_Hip_Pitch"])
    assert [entry.joint for entry in frame.balance_pitch] == ["Left_Ankle_Pitch"]
    assert [entry.joint for entry in frame.balance_roll] == ["Left_Ankle_Roll"]
    assert [(change.joint, change.stiffness) for change in frame.stiffness] == [("Right_Knee_Pitch", 0.5)]
    assert bound.dropped == ("LHand", "RHand", "LWristYaw")


def test_a_joint_that_nobody_knows_is_named(booster):
    with pytest.raises(MotionError) as caught:
        bind(library(joints={"Tail": 0.1}), booster)
    assert "blocks.go.keyframes[0]: a library for robot 'nao' names a joint that robot 'walker' neither has" in str(
        caught.value
    )


def test_a_library_of_the_robot_itself_stays(booster):
    own = library(joints={}).model_copy(update={"robot": "walker"})
    assert bind(own, booster).library is own


def test_the_robot_that_is_asked_for_wins_over_the_one_that_the_file_names(booster, tmp_path):
    file = tmp_path / "motions.yaml"
    save_library(library(joints={"LKneePitch": 0.1}), file)
    bound = bind_file(file, booster)
    assert bound.library.robot == "walker"
    assert bound.notes == (f"{file} is for robot 'nao'; bound to 'walker', whose joints it names",)
    assert load_motions(file, booster) == bound.library
    assert load_motions(file).robot == "nao"


def test_a_document_without_a_robot_is_bound_by_names_and_aliases(booster, tmp_path):
    file = tmp_path / "motions.yaml"
    save_library(library(joints={"LKneePitch": 0.1, "Right_Knee_Pitch": 0.2}), file)
    file.write_text(file.read_text().replace("robot: nao\n", ""))
    bound = bind_file(file, booster)
    assert bound.library.blocks["go"].keyframes[0].joints == pytest.approx(
        {"Left_Knee_Pitch": 0.1, "Right_Knee_Pitch": 0.2}
    )
    assert bound.notes == (f"{file} does not name its robot; bound to 'walker'",)


def test_a_library_that_cannot_be_bound_is_left_to_its_checks(booster, tmp_path):
    file = tmp_path / "motions.yaml"
    save_library(library(joints={"Tail": 0.1}), file)
    report = ReadReport()
    found, robot, notes = robot_of(read(file, report=report), file, str(booster.path), report)
    assert (found.robot, robot.name, notes) == ("nao", "walker", [])
    with pytest.raises(MotionError, match="names a joint that robot 'walker' neither has nor goes by; got 'Tail'"):
        load_motions(file, booster)


def test_a_file_that_names_no_robot_is_for_the_one_asked_for_by_its_aliases(booster, tmp_path):
    """Such a file has the robot's name as soon as it is read; its joints went by as they were, and nothing could play
    them."""
    table = tmp_path / "bow.csv"
    table.write_text("time [s],LKneePitch [rad],Right_Knee_Pitch [rad]\n0,0.1,0.2\n1,0.2,0.1\n")
    convert(table, tmp_path / "bow.yaml", robot=str(booster.path))
    names = {name for each in read(tmp_path / "bow.yaml").blocks["bow"].keyframes for name in each.joints}
    assert names == {"Left_Knee_Pitch", "Right_Knee_Pitch"}
    named = read(table, robot=booster.name)
    assert bind(named, booster).library.blocks["bow"].keyframes[0].joints["Left_Knee_Pitch"] == pytest.approx(0.1)
    table.write_text("time [s],Tail [rad]\n0,0.1\n1,0.2\n")
    with pytest.raises(MotionError, match=r"names a joint that robot 'walker' neither has nor goes by; got 'Tail'"):
        convert(table, tmp_path / "tail.yaml", robot=str(booster.path))
    assert not (tmp_path / "tail.yaml").exists()
    # Its own library may have a slip, which checks tell; who binds it strictly is told at once.
    own = library(joints={"Tail": 0.1}).but(robot=booster.name)
    assert bind(own, booster).library == own
    with pytest.raises(MotionError, match="got 'Tail'"):
        bind(own, booster, strict=True)


def test_by_aliases_undoes_a_binding(booster):
    own = library(
        joints={"LKneePitch": 0.5, "LElbowRoll": -0.3},
        compensation=(JointCompensation(joint="LHipPitch", range=RANGE, targets=scales("RHipPitch")),),
        balance_pitch=scales("LAnklePitch"),
        stiffness=(JointStiffness(joint="RKneePitch", stiffness=0.5),),
    )
    assert by_aliases(bind(own, booster).library, booster, "nao") == own


@pytest.mark.slow
def test_every_command_takes_a_team_s_folder_for_the_robot_that_is_asked_for(booster, tmp_path, monkeypatch):
    """From an empty folder, by the reader's own file names: B-Human's files name no robot, and joints as a NAO's."""
    monkeypatch.chdir(tmp_path)
    model = tmp_path / "ours" / "model.xml"
    model.parent.mkdir()
    model.write_text(Path(str(booster.path)).read_text())
    source = library(joints={"LShoulderPitch": 1.2, "LElbowRoll": -0.3, "LHand": 0.1})
    source = source.but(motions={"stand": Motion(blocks=("go",))})
    write(source, "kicks", "bhuman-2024")

    def andante(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, [*words, "--robot", "ours/model.xml"])
        assert result.exit_code == code, result.output
        return result.output

    assert "left out, for 'walker' has no such joints: " in andante("check", "kicks")
    assert "Left_Elbow_Yaw -17.19" in andante("show", "kicks/stand")
    assert "left out, for robot 'walker' has no such joints: " in andante("convert", "kicks", "own.yaml")
    assert "robot: walker\n" in Path("own.yaml").read_text()
    assert "Left_Elbow_Yaw: -17.18" in Path("own.yaml").read_text()
    andante("convert", "own.yaml", "back", "--to", "bhuman-2024")
    back = read("back")
    assert back.blocks["go"].keyframes[0].joints["LElbowRoll"] == pytest.approx(-0.3, abs=1e-3)
    told = andante("run", "kicks/stand", "--out", "run", "--no-report", "--allow-fall")
    assert "note: kicks does not say which robot it is for; its motions are bound to ours/model.xml" in told
    assert "PASS" in told
    andante("fix", "kicks", "--out", "fixed.yaml")
    assert "robot: walker\n" in Path("fixed.yaml").read_text()


@pytest.mark.parametrize("name", ["K1", "T1"])
def test_booster_files_are_bound_to_their_robots(name):
    file = DATA / name / "keyframeMotionEngine.cfg"
    if not file.is_file():
        pytest.skip(f"needs B-Human's {file}, or the same in ANDANTE_BHUMAN_CFG (CONTRIBUTING.md)")
    expected = packaged_robot(name.lower())
    report = ReadReport()
    bound, robot, notes = robot_of(read(file, report=report), file, str(expected.path), report)
    assert (bound.robot, robot.name) == (name, name)
    assert notes[0].endswith(f"bound to {name!r}, whose joints it names")
    assert "LWristYaw" in notes[1]
    named = {joint for block in bound.blocks.values() for frame in block.keyframes for joint in frame.joints}
    assert named <= set(robot.joint_names)
    _, nao, notes = robot_of(read(file), file, None, report)
    assert nao.name == "nao"
    assert "does not say which robot it is for; looked at with 'nao', give --robot for another" in notes[0]


@pytest.mark.slow
def test_motions_of_one_robot_find_the_joints_of_another_by_what_programs_call_both():
    pytest.importorskip("rcsssmj", reason="needs the package rcsssmj (make robots)")
    k1, t1 = Robot.load("k1"), Robot.load("t1")
    wave = load_motions("k1")
    found = bind(wave, t1).library
    before, after = (
        (frame.joints for block in each.blocks.values() for frame in block.keyframes) for each in (wave, found)
    )
    programs = {joint: alias for alias, joint in k1.aliases.items()}
    assert any("ALeft_Shoulder_Pitch" in frame.joints for block in wave.blocks.values() for frame in block.keyframes)
    for theirs, ours in zip(before, after, strict=True):
        assert ours == {t1.aliases[programs[name]]: angle for name, angle in theirs.items()}


@pytest.mark.parametrize(
    "spelled",
    [
        lambda name: name.lower() + "_joint",
        lambda name: name.replace("Left_", "L").replace("Right_", "R").replace("_", ""),
        lambda name: name.lower(),
    ],
)
def test_a_booster_is_known_whatever_the_spelling_of_its_joints(booster, spelled):
    known, absent = booster_aliases([name.removeprefix("AA") for name in booster.joint_names])
    names = [spelled(name.removeprefix("AA")) for name in booster.joint_names]
    found = booster_aliases(names)
    assert found[1] == absent
    assert found[0] == {alias: spelled(joint) for alias, joint in known.items()}


def test_two_joints_of_one_spelling_are_nobody_s(booster):
    assert booster_aliases([*booster.joint_names, "left_hip_yaw_joint"]) == ({}, ())


def test_a_booster_without_a_head_plays_what_the_shipped_booster_plays(tmp_path, monkeypatch):
    # The K1's own model need not be there.
    monkeypatch.setattr(elsewhere, "model_file", lambda *_: pytest.fail("the K1's model is looked for"))
    text = re.sub(r'<joint name="Head_\w+"[^>]*>', "", mjcf_humanoid()).replace("_Knee", "_Knee_Pitch")
    path = tmp_path / "robot.xml"
    path.write_text(text)
    robot = Robot.load(path)
    bound = bind(shipped_motions("k1"), robot)
    assert set(bound.dropped) == {"AAHead_yaw", "Head_pitch"}
    assert all("head" not in block.base_stiffness for block in bound.library.blocks.values())
    assert bound.library.blocks["stand"].base_stiffness["left_leg"] == 1.0
    frame = {"duration": 1.0, "joints": {"HeadYaw": 0.1}}
    theirs = MotionLibrary.model_validate(
        {
            "robot": "nao",
            "motions": {"go": {"blocks": ["go"]}},
            "blocks": {"go": {"base_stiffness": {"head": 1.0, "tail": 1.0}, "keyframes": [frame]}},
        }
    )
    # A group that nobody knows stays for the checks to tell.
    assert set(bind(theirs, robot).library.blocks["go"].base_stiffness) == {"tail"}
