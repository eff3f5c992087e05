"""Libraries bound to robots that go by other joint names, and the same on the command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from andante.cli.motion_files import robot_of
from andante.formats.registry import read
from andante.motions.editing.binding import bind
from andante.motions.errors import MotionError
from andante.motions.keyframe import Block, JointCompensation, JointScale, JointStiffness, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.parts import AngleRange
from andante.robots.bare.aliases import booster_aliases
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role

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


def test_a_file_that_names_its_robot_is_not_bound_to_another(booster, tmp_path):
    found, robot, notes = robot_of(library(joints={"LHand": 0.1}), tmp_path / "motions.yaml", str(booster.path))
    assert (found.robot, robot.name, notes) == ("nao", "walker", [])


@pytest.mark.parametrize("name", ["K1", "T1"])
def test_booster_files_are_bound_to_their_robots(name):
    file = DATA / name / "keyframeMotionEngine.cfg"
    if not file.is_file():
        pytest.skip(f"needs B-Human's {file}, or the same in ANDANTE_BHUMAN_CFG (CONTRIBUTING.md)")
    expected = packaged_robot(name.lower())
    bound, robot, notes = robot_of(read(file), file, str(expected.path))
    assert (bound.robot, robot.name) == (name, name)
    assert notes[0].endswith(f"bound to {name!r}, whose joints it names")
    assert "LWristYaw" in notes[1]
    named = {joint for block in bound.blocks.values() for frame in block.keyframes for joint in frame.joints}
    assert named <= set(robot.joint_names)
    _, nao, notes = robot_of(read(file), file, None)
    assert nao.name == "nao"
    assert "does not say which robot it is for; looked at with 'nao', give --robot for another" in notes[0]
