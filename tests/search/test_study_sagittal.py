"""The robot from its side: limbs point where they are told to, whatever the joints' zeros and axes."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.search.studies.sagittal import Sagittal

NAO = Robot.load("nao")
LEG = ("LHipPitch", "LKneePitch", "LAnklePitch")


def places(robot: Robot, angles):
    """Anchors of the left leg's pitching joints, and the toes' direction, by MuJoCo itself."""
    data = mujoco.MjData(robot.model)
    for name, angle in zip(robot.joint_names, angles, strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_kinematics(robot.model, data)
    foot = next(foot for foot in robot.feet if foot.name == "left")
    return [np.array(data.joint(name).xanchor) for name in LEG], np.array(data.site(foot.site).xmat).reshape(3, 3)[:, 0]


@pytest.mark.parametrize(("flexion", "knee", "toes"), [(0.0, 0.0, 0.0), (60.0, 30.0, 10.0), (20.0, 90.0, -20.0)])
def test_legs_point_where_they_are_told_to(flexion, knee, toes):
    sagittal = Sagittal(NAO, "a test")
    angles = sagittal.leg(np.zeros(len(NAO.joints)), *(math.radians(each) for each in (flexion, knee, toes)))
    (hip, bend, ankle), toe = places(NAO, angles)
    thigh, shank = bend - hip, ankle - bend
    from_down = [math.degrees(math.atan2(link[0], -link[2])) for link in (thigh, shank)]
    assert from_down[0] == pytest.approx(flexion, abs=0.5)
    assert from_down[1] == pytest.approx(flexion - knee, abs=0.5)
    assert math.degrees(math.atan2(toe[2], toe[0])) == pytest.approx(flexion - knee + toes, abs=0.5)


def test_hands_are_where_they_are_told_to_be():
    sagittal = Sagittal(NAO, "a test")
    (angles,) = sagittal.reach([sagittal.stand], [(math.radians(90.0), 0.8)])
    data = mujoco.MjData(NAO.model)
    for name, angle in zip(NAO.joint_names, angles, strict=True):
        data.joint(name).qpos[0] = angle
    data.qpos[:3] = 0.0
    mujoco.mj_kinematics(NAO.model, data)
    for arm in sagittal.arms.values():
        hand = data.xpos[arm.hand_body] + data.xmat[arm.hand_body].reshape(3, 3) @ arm.hand - arm.shoulder
        assert np.linalg.norm(hand) == pytest.approx(0.8 * arm.length, rel=0.1)
        assert math.degrees(math.atan2(hand[0], -hand[2])) == pytest.approx(90.0, abs=8.0)


def test_a_robot_without_arms_is_refused():
    class Armless(Robot):
        pass

    armless = Armless(**{f: getattr(NAO, f) for f in NAO.__dataclass_fields__ if f != "groups"}, groups=_legs_only())
    with pytest.raises(AndanteError, match="needs arms of two joints or more"):
        Sagittal(armless, "a get-up")


def _legs_only():
    return {name: joints for name, joints in NAO.groups.items() if "arm" not in name}
