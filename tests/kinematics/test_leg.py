"""The leg's geometry read from the model, and its refusals."""

from __future__ import annotations

import dataclasses
import math

import pytest

from andante.kinematics.leg import biped_legs
from andante.kinematics.leg_model import LegGeometryError
from andante.robots.robot import Robot


def changed(robot: Robot, old: str, new: str) -> Robot:
    assert old in robot.mjcf
    return dataclasses.replace(robot, mjcf=robot.mjcf.replace(old, new, 1))


def test_lengths_names_and_limits_come_from_the_robot(small):
    left, right = biped_legs(small)
    for leg, side in ((left, 1.0), (right, -1.0)):
        assert leg.side == side
        assert leg.hip == pytest.approx((0.0, side * 0.05, -0.085), abs=1e-15)
        assert (leg.thigh, leg.tibia, leg.sole) == pytest.approx((0.1, 0.1029, 0.04519), abs=1e-15)
        assert leg.lower == tuple(small.lower[list(leg.indices)])
        assert leg.upper == tuple(small.upper[list(leg.indices)])
    assert left.joints == ("LYaw", "LRoll", "LPitch", "LKnee", "LFlex", "LTilt")
    assert right.joints == ("RYaw", "RRoll", "RPitch", "RKnee", "RFlex", "RTilt")
    assert [small.joint_names[index] for index in right.indices] == list(right.joints)


def test_reach_by_the_knees_range(small):
    left, _ = biped_legs(small)
    # The knee passes through straight; folded at 2.1125 rad by the law of cosines.
    assert left.stretched == pytest.approx(0.2029, abs=1e-15)
    assert left.folded == pytest.approx(math.sqrt(0.1**2 + 0.1029**2 + 2 * 0.1 * 0.1029 * math.cos(2.1125)), abs=1e-15)
    bent = dataclasses.replace(left, lower=(*left.lower[:3], 0.5, *left.lower[4:]))
    assert bent.stretched == pytest.approx(math.sqrt(0.1**2 + 0.1029**2 + 2 * 0.1 * 0.1029 * math.cos(0.5)), abs=1e-15)


def test_nao_legs_have_the_published_lengths(nao):
    for leg, side in zip(biped_legs(nao), (1.0, -1.0), strict=True):
        assert leg.hip == pytest.approx((0.0, side * 0.05, -0.085), abs=1e-9)
        assert (leg.thigh, leg.tibia, leg.sole) == pytest.approx((0.1, 0.1029, 0.04519), abs=1e-9)
        letter = "L" if side > 0 else "R"
        names = ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
        assert leg.joints == tuple(letter + name for name in names)


def test_the_models_own_placing_of_the_torso_does_not_matter(small):
    turned = changed(small, '<body name="trunk">', '<body name="trunk" pos="1 2 3" euler="0.4 -0.3 2">')
    for leg, plain in zip(biped_legs(turned), biped_legs(small), strict=True):
        assert leg.hip == pytest.approx(plain.hip, abs=1e-12)
        assert (leg.thigh, leg.tibia, leg.sole) == pytest.approx((plain.thigh, plain.tibia, plain.sole), abs=1e-12)


def test_other_legs_are_refused_with_the_part_that_differs(small):
    with pytest.raises(
        LegGeometryError, match=r"^small\.LKnee: .* another axis at zero angles; got \[0\.0, 0\.0, 1\.0\]"
    ):
        biped_legs(changed(small, '<joint name="LKnee" axis="0 1 0"', '<joint name="LKnee" axis="0 0 1"'))
    with pytest.raises(LegGeometryError, match=r"^small\.LKnee: .* another position .*limit: 0, 0\.05, -0\.185"):
        biped_legs(changed(small, 'name="LTibia" pos="0 0 -0.1"', 'name="LTibia" pos="0.01 0 -0.1"'))
    # A knee whose zero angle is bent.
    with pytest.raises(LegGeometryError, match=r"^small\.LTilt: .* another axis"):
        biped_legs(changed(small, '<joint name="LKnee" axis', '<joint name="LKnee" ref="0.3" axis'))
    with pytest.raises(LegGeometryError, match=r"^small\.R_sole: .* another position"):
        biped_legs(changed(small, 'name="R_sole" pos="0 0', 'name="R_sole" pos="0.01 0'))
    with pytest.raises(LegGeometryError, match=r"^small\.R_sole: .* another rotation"):
        biped_legs(changed(small, 'name="R_sole" pos', 'name="R_sole" euler="0 0 1" pos'))


def test_robots_that_are_no_bipeds_are_refused(small):
    with pytest.raises(
        LegGeometryError, match=r"robot 'small' is no biped; got \['left'\]; limit: two feet, left first"
    ):
        biped_legs(dataclasses.replace(small, feet=small.feet[:1]))
    hand = dataclasses.replace(small.feet[0], body="arm", site="hand")
    with pytest.raises(LegGeometryError, match=r"^small\.left: the leg must have six joints .* got \('Shoulder',\)"):
        biped_legs(dataclasses.replace(small, feet=(hand, small.feet[1])))
