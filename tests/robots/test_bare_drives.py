"""Drives and limits of robots without a pack: assumptions that grow with the robot, placeholders among numbers."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest
from quadrupeds import LEGS, mjcf_quadruped, urdf_quadruped

from andante.robots.robot import Robot

sys.path.append(str(Path(__file__).resolve().parents[1] / "kinematics"))
from packaged_robots import packaged_robot

MASS = 6 + 4 * 1.3
LENGTH = 0.2 + 0.2 + 0.02
"""Two links and the ball."""
MOMENT, RATE = MASS * 9.81 * LENGTH, math.sqrt(9.81 / LENGTH)


def load(folder: Path, text: str, name: str = "quad.xml") -> Robot:
    path = folder / name
    path.write_text(text)
    return Robot.load(path)


def test_speeds_that_no_file_gives_grow_with_the_root_of_gravity_over_leg_length(tmp_path: Path) -> None:
    robot = load(tmp_path, mjcf_quadruped())
    assert robot.max_velocity == pytest.approx(6.0 * RATE)
    assert robot.sources["speeds"].startswith("assumption where the file has none: 6 times the root of gravity over")


def test_a_stronger_joint_of_a_leg_is_slower_by_as_much(tmp_path: Path) -> None:
    """Knees of 48 N m beside hips of 24 N m: the same motor through twice the gear."""
    text = mjcf_quadruped()
    for leg in LEGS:
        text = text.replace(f'joint="{leg}_calf" gear="2"', f'joint="{leg}_calf" gear="4"')
    robot = load(tmp_path, text)
    assert robot.max_effort[:3].tolist() == [24.0, 24.0, 48.0]
    assert robot.max_velocity[:3] == pytest.approx([6.0 * RATE, 6.0 * RATE, 3.0 * RATE])


def test_efforts_that_no_file_gives_are_half_of_weight_times_leg_length(tmp_path: Path) -> None:
    text = mjcf_quadruped().split("<actuator>")[0] + "</mujoco>"
    robot = load(tmp_path, text)
    assert robot.max_effort == pytest.approx(0.5 * MOMENT)
    assert robot.servos[0].kp == pytest.approx(0.5 * MOMENT / 0.15)


@pytest.mark.parametrize(("share", "believed"), [(9.9, True), (10.1, False)])
def test_an_effort_beyond_ten_times_weight_times_leg_length_is_a_placeholder(
    tmp_path: Path, share: float, believed: bool
) -> None:
    robot = load(tmp_path, urdf_quadruped().replace('effort="20"', f'effort="{share * MOMENT}"'), "quad.urdf")
    assert robot.max_effort == pytest.approx((share if believed else 0.5) * MOMENT)
    assert ("placeholders of efforts" in robot.sources) is not believed


@pytest.mark.parametrize(("share", "believed"), [(19.9, True), (20.1, False)])
def test_a_speed_beyond_twenty_times_the_rate_of_the_leg_is_a_placeholder(
    tmp_path: Path, share: float, believed: bool
) -> None:
    robot = load(tmp_path, urdf_quadruped().replace('velocity="30"', f'velocity="{share * RATE}"'), "quad.urdf")
    assert robot.max_velocity == pytest.approx((share if believed else 6.0) * RATE)
    assert ("placeholders of speeds" in robot.sources) is not believed


def test_legs_without_position_limits_turn_half_a_turn_each_way_and_the_joints_are_named(tmp_path: Path) -> None:
    text = urdf_quadruped(limit='<limit effort="20" velocity="30"/>').replace('type="revolute"', 'type="continuous"')
    robot = load(tmp_path, text, "quad.urdf")
    assert robot.lower.tolist() == [-math.pi] * 12
    assert robot.upper.tolist() == [math.pi] * 12
    told = robot.sources["position limits"]
    assert told.startswith("assumption: +-180 degrees where the file has none: FL_HAA, FL_HFE, FL_KFE, FR_HAA, ")


def test_motors_lose_their_torque_from_half_their_speed_on(tmp_path: Path) -> None:
    robot = load(tmp_path, urdf_quadruped(), "quad.urdf")
    assert {servo.torque_speed for servo in robot.servos} == {(15.0, 30.0)}
    assert {servo.stiffness_limits_torque for servo in robot.servos} == {False}


def test_the_acceleration_limit_is_twice_what_the_motors_can_give(tmp_path: Path) -> None:
    """Against MuJoCo's forward dynamics of the legs on a fixed base, over all signs of full torques."""
    robot = load(tmp_path, urdf_quadruped(), "quad.urdf")
    spec = robot.spec()
    base = spec.body(robot.base_body)
    for joint in list(base.joints):
        spec.delete(joint)
    spec.option.gravity = (0.0, 0.0, 0.0)
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    for joint, servo in zip(robot.joints, robot.servos, strict=True):
        spec.joint(joint.name).armature = servo.armature
    model = spec.compile()
    data, best = mujoco.MjData(model), np.zeros(12)
    middle = 0.5 * (-1.5 + 1.25)
    for posture in (0.0, middle):
        for signs in np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).T.reshape(-1, 3):
            mujoco.mj_resetData(model, data)
            data.qpos[:], data.qfrc_applied[:] = posture, np.tile(signs * 20.0, 4)
            mujoco.mj_forward(model, data)
            best = np.maximum(best, np.abs(data.qacc))
    limit = np.minimum(2.0 * best, 2.0 * 30.0 / 0.01)
    assert robot.max_acceleration == pytest.approx(limit, rel=1e-3)


def test_a_light_quadruped_has_light_rotors(tmp_path: Path) -> None:
    robot = load(tmp_path, urdf_quadruped(), "quad.urdf")
    assert [servo.armature for servo in robot.servos] == pytest.approx([0.005 * MASS * LENGTH**2] * 12)


@pytest.mark.parametrize(
    ("name", "mass", "efforts", "speeds", "radius"),
    [
        ("go2", 15.206, (23.7, 23.7, 45.43), (28.1, 28.1, 14.6), 0.022),
        ("mini_cheetah", 12.473, (23.7, 23.7, 45.43), (29.2, 29.2, 15.2), 0.025),
        ("aliengo", 24.638, (35.278, 35.278, 44.4), (25.9, 25.9, 20.6), 0.0265),
        ("a1", 13.741, (33.5, 33.5, 33.5), (21.0, 21.0, 21.0), 0.02),
        ("go1", 13.101, (23.7, 23.7, 35.55), (30.1, 30.1, 20.06), 0.02),
        ("anymal_b", 30.475, (80.0, 80.0, 80.0), (15.0, 15.0, 15.0), 0.031),
        ("anymal_c", 52.135, (80.0, 80.0, 80.0), (7.5, 7.5, 7.5), 0.03),
        # Its file says 1000 N m and 1000 rad/s; its feet are mesh discs of 16 mm.
        ("solo12", 2.5, (4.12, 4.12, 4.12), (32.4, 32.4, 32.4), 0.016),
    ],
)
def test_quadrupeds_of_other_packages(name: str, mass: float, efforts: tuple, speeds: tuple, radius: float) -> None:
    robot = packaged_robot(name)
    assert robot.model.body_mass.sum() == pytest.approx(mass, abs=1e-3)
    assert robot.max_effort[:3] == pytest.approx(efforts, rel=1e-3)
    assert robot.max_velocity[:3] == pytest.approx(speeds, abs=0.05)
    assert [foot.name for foot in robot.feet] == ["FL", "FR", "HL", "HR"]
    assert [foot.radius for foot in robot.feet] == pytest.approx([radius] * 4, abs=1e-4)
    assert robot.lower.min() >= -10.0
    assert {
        name: len(joints) for name, joints in robot.groups.items() if name in ("FL", "FR", "HL", "HR")
    } == dict.fromkeys(("FL", "FR", "HL", "HR"), 3)


def test_feet_of_other_packages_hang_where_the_leg_lengths_say() -> None:
    """Go2: hips at (+-0.1934, +-0.0465), 0.0955 out, links of 0.213 m, the ball 2 mm behind the shank's axis."""
    robot = packaged_robot("go2")
    data = mujoco.MjData(robot.model)
    mujoco.mj_kinematics(robot.model, data)
    base = data.body(robot.base_body).xpos
    for foot, (x, y) in zip(robot.feet, [(1, 1), (1, -1), (-1, 1), (-1, -1)], strict=True):
        place = data.site(foot.site).xpos - base
        np.testing.assert_allclose(place, [0.1934 * x - 0.002, (0.0465 + 0.0955) * y, -0.426], atol=1e-4)


@pytest.mark.parametrize(
    ("drives", "more", "effort"),
    [
        ('<motor joint="{j}" gear="2" ctrlrange="-5 5"/><motor joint="{j}" ctrlrange="-3 3"/>', "", 13.0),
        ('<position joint="{j}" kp="9" forcerange="-9 9"/><velocity joint="{j}" kv="1" forcerange="-4 4"/>', "", 13.0),
        ('<velocity joint="{j}" kv="1" forcerange="-4 4"/><position joint="{j}" kp="9" forcerange="-9 9"/>', "", 13.0),
        ('<motor jointinparent="{j}" ctrlrange="-9 9"/>', "", 9.0),
        ('<motor joint="{j}" ctrlrange="-9 9"/>', ' actuatorfrcrange="-7 7"', 7.0),
        ('<motor joint="{j}" ctrlrange="-5 5"/>', ' actuatorfrcrange="-7 7"', 5.0),
    ],
)
def test_all_drives_of_a_joint_together_have_its_effort(tmp_path, drives, more, effort):
    """MuJoCo adds what they give, within what the joint lets act on it."""
    text = re.sub('<motor name="FL_calf".*?/>', drives.format(j="FL_calf"), mjcf_quadruped())
    text = text.replace('<joint name="FL_calf"', f'<joint name="FL_calf"{more}')
    robot = load(tmp_path, text)
    assert robot.joints[robot.index("FL_calf")].max_effort == effort


def test_legs_that_cannot_carry_the_robot_are_told(tmp_path):
    """Efforts of 1 as a placeholder, or masses in grams."""
    assert "weak legs" not in load(tmp_path, urdf_quadruped(), "quad.urdf").sources
    weak = load(tmp_path, urdf_quadruped().replace('effort="20"', 'effort="1"'), "quad.urdf")
    assert weak.sources["weak legs"].endswith(
        "11.2 kg times 0.42 m, and do not carry the robot: FL 1 N m, FR 1 N m, HL 1 N m, HR 1 N m"
    )


def test_springs_and_tendons_that_act_without_a_motor_are_told(tmp_path: Path) -> None:
    plain = mjcf_quadruped()
    text = plain.replace('_thigh" axis="0 1 0"', '_thigh" axis="0 1 0" stiffness="5"', 1).replace(
        "<actuator>",
        '<tendon><fixed name="cord" stiffness="7"><joint joint="FR_calf" coef="1"/></fixed>'
        '<fixed name="slack"><joint joint="FL_calf" coef="1"/></fixed></tendon><actuator>',
    )
    for number, (each, told) in enumerate(((plain, None), (text, "(FL_thigh); 1 tendons with"))):
        path = tmp_path / f"{number}.xml"
        path.write_text(each)
        found = Robot.load(path).sources.get("springs")
        assert found is None if told is None else found is not None and told in found and "5 N m/rad" in found
