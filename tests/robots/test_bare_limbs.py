"""Limbs, feet, groups and standing postures that are guessed from model files."""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest
from humanoids import LEG, mjcf_humanoid
from quadrupeds import mjcf_quadruped

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.control.guard import Guard
from andante.robots.robot import Robot

sys.path.append(str(Path(__file__).resolve().parents[1] / "kinematics"))
from packaged_robots import packaged_robot

SOLES = {"left": "Left_foot", "right": "Right_foot"}
HUMANOIDS = {
    # name: feet, sole length and width [cm], joints of head, arm, leg and waist
    "k1": (("left_foot_link", "right_foot_link"), (18.0, 7.0), (2, 4, 6, 0)),
    "t1": (("left_foot_link", "right_foot_link"), (22.3, 10.0), (2, 4, 6, 1)),
    "g1": (("left_ankle_roll_link", "right_ankle_roll_link"), (17.0, 6.0), (0, 7, 6, 3)),
    "h1": (("left_ankle_link", "right_ankle_link"), (17.5, 6.0), (0, 4, 5, 1)),
}


def load(folder: Path, text: str) -> Robot:
    path = folder / "robot.xml"
    path.write_text(text)
    return Robot.load(path)


def sizes(robot: Robot) -> dict[str, int]:
    return {name: len(joints) for name, joints in robot.groups.items()}


def outline_size(robot: Robot, foot: int) -> np.ndarray:
    return np.ptp(np.array(robot.feet[foot].outline), axis=0)


@pytest.fixture(scope="module")
def humanoid(tmp_path_factory) -> Robot:
    return load(tmp_path_factory.mktemp("humanoid"), mjcf_humanoid())


def test_both_legs_are_found_behind_a_waist(humanoid):
    assert {foot.name: foot.body for foot in humanoid.feet} == SOLES
    assert dict(humanoid.doubts) == {}


def test_soles_are_what_lies_flat_on_the_ground_below_the_ankles(humanoid):
    for foot in humanoid.feet:
        assert foot.radius == 0.0
        # The box reaches from 7 cm behind the ankle to 13 cm before it.
        corners = [(-0.07, -0.05), (-0.07, 0.05), (0.13, -0.05), (0.13, 0.05)]
        np.testing.assert_allclose(sorted(foot.outline), corners, atol=1e-6)
    data = mujoco.MjData(humanoid.model)
    mujoco.mj_kinematics(humanoid.model, data)
    site = data.site(humanoid.feet[0].site)
    hip = data.joint("Left_Hip_Pitch").xanchor
    np.testing.assert_allclose(site.xpos - hip, [0.0, 0.0, -LEG], atol=1e-9)
    np.testing.assert_allclose(site.xmat.reshape(3, 3), np.eye(3), atol=1e-9)


def test_soles_made_of_small_spheres_are_soles(tmp_path):
    robot = load(tmp_path, mjcf_humanoid(foot="spheres"))
    assert outline_size(robot, 0) == pytest.approx([0.2, 0.1])
    assert dict(robot.doubts) == {}


def test_groups_follow_the_branches(humanoid):
    assert sizes(humanoid) == {
        "all": 23,
        "left_leg": 6,
        "right_leg": 6,
        "legs": 12,
        "head": 2,
        "left_arm": 4,
        "right_arm": 4,
        "arms": 8,
        "waist": 1,
    }
    assert humanoid.groups["left_leg"][0] == "Left_Hip_Pitch"
    assert humanoid.groups["waist"] == ("Waist",)
    assert humanoid.groups["right_arm"] == tuple(
        f"Right_{part}" for part in ("Shoulder_Pitch", "Shoulder_Roll", "Elbow_Pitch", "Elbow_Yaw")
    )


def test_a_robot_without_a_waist_has_no_such_group(tmp_path):
    assert "waist" not in sizes(load(tmp_path, mjcf_humanoid(waist=False)))


def test_fingers_belong_to_their_arm(tmp_path):
    robot = load(tmp_path, mjcf_humanoid(hands=True))
    assert sizes(robot)["left_arm"] == 4 + 6
    assert {foot.name: foot.body for foot in robot.feet} == SOLES


def test_legs_of_four_are_groups_by_their_feet(tmp_path):
    robot = load(tmp_path, mjcf_quadruped())
    assert sizes(robot) == {"all": 12, "FL": 3, "FR": 3, "HL": 3, "HR": 3, "legs": 12}
    assert robot.groups["HL"] == ("RL_hip", "RL_thigh", "RL_calf")


def test_one_leg_is_doubted(tmp_path):
    robot = load(tmp_path, mjcf_humanoid(one_leg=True))
    assert robot.doubts["feet"] == "1 feet were found where two or four were expected"


def test_feet_that_are_no_mirror_images_are_doubted(tmp_path):
    text = mjcf_humanoid().replace('name="Right_foot"', 'name="Right_foot" pos=".2 0 0"')
    assert load(tmp_path, text).doubts["feet"].startswith("left and right are no mirror images of each other: 200 mm")


def test_a_foot_without_a_level_underside_is_doubted(tmp_path):
    robot = load(tmp_path, mjcf_humanoid(foot="ball"))
    assert robot.doubts["feet"] == "Left_foot ends a leg with an ankle, and its shapes have no level underside"
    assert "stand" in robot.doubts
    assert "stand" not in robot.postures


def test_the_model_s_own_name_counts_and_the_file_s_where_it_has_none(tmp_path):
    assert load(tmp_path, mjcf_humanoid()).name == "walker"
    assert load(tmp_path, mjcf_humanoid().replace('model="walker"', "")).name == "robot"


def test_a_computed_stand_has_level_soles_and_the_weight_between_ankle_and_middle(humanoid):
    data = mujoco.MjData(humanoid.model)
    for name, angle in humanoid.postures["stand"].items():
        data.joint(name).qpos[0] = angle
    mujoco.mj_kinematics(humanoid.model, data)
    mujoco.mj_comPos(humanoid.model, data)
    places = [np.array(data.site(foot.site).xpos) for foot in humanoid.feet]
    for foot in humanoid.feet:
        np.testing.assert_allclose(data.site(foot.site).xmat.reshape(3, 3), np.eye(3), atol=1e-3)
    com = data.subtree_com[data.body("Trunk").id]
    # The sole's middle is 3 cm before the ankle; the ankles give way by half as much again.
    assert com[0] - places[0][0] == pytest.approx(0.03 / 1.5, abs=2e-3)
    hip = data.joint("Left_Hip_Pitch").xanchor
    assert hip[2] - places[0][2] == pytest.approx(0.96 * LEG, abs=1e-3)
    assert data.joint("Left_Knee").qpos[0] > 0.3


def test_a_keyframe_that_stands_is_the_stand_and_one_that_does_not_is_told(tmp_path):
    robot = load(tmp_path, mjcf_quadruped().replace('key name="stand"', 'key name="home"'))
    assert robot.sources["stand"] == "keyframe 'home' of the file"
    assert robot.postures["stand"] == robot.postures["home"]
    lying = mjcf_quadruped().replace('key name="stand"', 'key name="home"').replace("0 0.5 -1", "0 1.5 0", 1)
    told = load(tmp_path, lying).sources["stand"]
    assert told.startswith("computed: feet below the body, legs bent to 0.77 of their length; keyframe 'home' does not")
    computed = load(tmp_path, lying).postures["stand"]
    named = load(tmp_path, lying.replace('key name="home"', 'key name="stand"'))
    assert "keyframe 'stand' does not" in named.sources["stand"]
    assert named.postures["stand"] == computed


def test_gains_of_ankles_hold_the_weight(humanoid):
    """The weight tips the robot with m g h; two ankles of 1.5 m g l each hold three times that of h = l."""
    mass = humanoid.model.body_mass.sum()
    ankle = humanoid.servos[humanoid.index("Left_Ankle_Roll")]
    assert ankle.kp == pytest.approx(1.5 * mass * 9.81 * LEG, rel=1e-3)
    assert ankle.max_torque == 15.0


def stands(robot: Robot, seconds: float) -> None:
    """Hold the posture ``stand`` through the guard; nothing but feet may touch the ground."""
    world = MujocoWorld(robot, WorldConfig(start=Start(posture="stand")))
    guard, command = Guard(robot, robot.tick), robot.command()
    command.position[:] = robot.posture("stand")
    command.kp[:], command.kd[:] = robot.servo_kp, robot.servo_kd
    height = world.truth()["base_height"][0]
    for _ in range(round(seconds / robot.tick)):
        world.write(guard.apply(command, world.read()))
        world.advance(robot.tick)
        truth = world.truth()
        assert truth["other_contacts"][0] == 0.0
    assert truth["base_height"][0] > 0.9 * height
    assert abs(truth["pitch"][0]) < 0.1
    assert world.read().contact.tolist() == [1.0] * len(robot.feet)
    assert np.abs(world.read().velocity).max() < 0.05
    assert guard.summary() == []


@pytest.mark.slow
def test_a_humanoid_from_its_file_stands_for_20_s(humanoid):
    stands(humanoid, 20.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["k1", "t1", "g1", "h1", "go2", "go1", "anymal_b", "anymal_c", "mini_cheetah", "aliengo", "a1", "solo12"]
)
def test_robots_of_other_packages_stand_for_20_s(name):
    stands(packaged_robot(name), 20.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(HUMANOIDS))
def test_humanoids_of_other_packages_have_the_right_feet_and_groups(name):
    bodies, sole, (head, arm, leg, waist) = HUMANOIDS[name]
    robot = packaged_robot(name)
    assert [foot.name for foot in robot.feet] == ["left", "right"]
    assert tuple(foot.body for foot in robot.feet) == bodies
    for index in (0, 1):
        assert 100.0 * outline_size(robot, index) == pytest.approx(sole, abs=0.05)
    found = sizes(robot)
    assert (found.get("head", 0), found["left_arm"], found["left_leg"], found.get("waist", 0)) == (
        head,
        arm,
        leg,
        waist,
    )
    assert (found["right_arm"], found["right_leg"]) == (arm, leg)
    sided = {name for pair in robot.mirror.pairs for name in pair}
    assert sided == {joint for group in ("arms", "legs") for joint in robot.groups[group]}
    assert dict(robot.doubts) == {}
