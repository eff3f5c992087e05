"""The one table of names against the robot pack."""

from __future__ import annotations

import math

import pytest

from andante.formats.aibo.names import DESIGN_JOINTS, EK_ORDER, JOINTS, NAMES, ROBOT, TEKKOTSU_ORDER


def test_the_table_is_whole():
    assert len(JOINTS) == len(set(NAMES)) == len({joint.locator for joint in JOINTS}) == 20
    assert [joint.number for joint in JOINTS] == [
        *range(11, 17),
        *(10 * leg + joint for leg in (2, 3, 4, 5) for joint in (1, 2, 3)),
        *(61, 62),
    ]
    assert all(joint.locator.endswith(f":{joint.number}") for joint in JOINTS)
    assert (len(EK_ORDER), len(set(TEKKOTSU_ORDER))) == (16, 18)
    parts = [name for design, names in DESIGN_JOINTS.items() if "_" in design for name in names]
    assert sorted(parts) == sorted(NAMES)


def test_joints_that_nobody_gives_rest_inside_their_limits():
    for joint in JOINTS:
        assert joint.lower <= math.degrees(joint.rest) + 1e-9
        assert math.degrees(joint.rest) - 1e-9 <= joint.upper
        if joint.lower <= 0.0 <= joint.upper:
            assert joint.rest == 0.0


def test_the_table_agrees_with_the_robot_pack():
    from andante.robots.robot import Robot

    robot = Robot.load(ROBOT)
    assert tuple(joint.name for joint in robot.joints) == NAMES
    for joint, known in zip(robot.joints, JOINTS, strict=True):
        if not known.name.endswith("Ear"):
            assert (math.degrees(joint.lower), math.degrees(joint.upper)) == pytest.approx((known.lower, known.upper))
