"""Support polygons and stability margins by hand, and under turns of the world."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from andante.kinematics.forward import Kinematics
from andante.kinematics.leg import biped_legs
from andante.kinematics.nao_leg import solve_leg
from andante.kinematics.support import SupportError, sole_points, static_margin, support
from andante.robots.parts import Foot
from andante.spatial.rotations import exp, rotation_x, rotation_y


@pytest.fixture
def straight(small, kinematics: Kinematics) -> Kinematics:
    """All joints at zero: soles flat at z = -0.33309, at y = +-0.05."""
    kinematics.update(np.zeros(len(small.joints)))
    return kinematics


def test_both_soles_by_hand(straight):
    found = support(straight, ["left", "right"])
    corners = {tuple(np.round(corner, 12)) for corner in found.polygon}
    assert corners == {(0.1, 0.09), (-0.05, 0.09), (-0.05, -0.09), (0.1, -0.09)}
    com = straight.com()
    np.testing.assert_allclose(found.com, com[:2], atol=1e-15)
    nearest = min(0.1 - com[0], com[0] + 0.05, 0.09 - com[1], com[1] + 0.09)
    assert found.margin == pytest.approx(nearest, abs=1e-12)
    assert found.height == pytest.approx(com[2] + 0.33309, abs=1e-12)
    np.testing.assert_allclose(found.up, [0, 0, 1], atol=1e-12)
    assert found.unevenness < 1e-12


def test_on_one_foot_the_middle_is_outside(straight):
    found = support(straight, ["left"])
    # The left sole's inner edge is at y = 0.01.
    assert found.margin == pytest.approx(float(straight.com()[1]) - 0.01, abs=1e-12)
    assert found.margin < 0.0


def test_margin_of_a_posture_depends_on_the_legs_not_on_the_torso(small, kinematics):
    """A torso that leans over feet that stay put keeps the ground under the feet."""
    legs = biped_legs(small)
    soles = [np.array([0.0, side * 0.05, -0.31]) for side in (1, -1)]
    margins = []
    for lean in (0.0, 0.2):
        joints = np.zeros(len(small.joints))
        for leg, sole in zip(legs, soles, strict=True):
            # Feet turned back by the lean: in the world they stay flat while the torso turns forward.
            turn = rotation_y(-lean)
            joints[list(leg.indices)] = solve_leg(leg, turn @ sole, turn)
        margins.append(static_margin(kinematics, joints, ["left", "right"]))
        found = support(kinematics, ["left", "right"])
        np.testing.assert_allclose(found.up, rotation_y(-lean) @ [0, 0, 1], atol=1e-12)
        np.testing.assert_allclose(np.ptp(found.polygon, axis=0), [0.15, 0.18], atol=1e-12)
        # The centre of mass, seen from the level ground.
        level = rotation_y(lean)
        np.testing.assert_allclose(found.com, (level @ kinematics.com())[:2], atol=1e-12)
    assert margins[1] != pytest.approx(margins[0], abs=1e-4)


def test_support_does_not_depend_on_where_the_robot_stands(small, kinematics, rng):
    joints = rng.uniform(small.lower, small.upper) * 0.2
    kinematics.update(joints)
    plain = support(kinematics, ["left", "right"])
    for turn in rng.uniform(-2.0, 2.0, size=(20, 3)):
        kinematics.update(joints, base_position=[1.0, -2.0, 0.5], base_orientation=exp(turn))
        moved = support(kinematics, ["left", "right"])
        assert moved.margin == pytest.approx(plain.margin, abs=1e-12)
        assert moved.height == pytest.approx(plain.height, abs=1e-12)
        assert moved.unevenness == pytest.approx(plain.unevenness, abs=1e-12)


def test_given_up_tilts_the_ground(straight):
    angle = 0.3
    up = rotation_x(angle) @ [0, 0, 1]
    found = support(straight, ["left", "right"], up=2.0 * np.array(up))
    np.testing.assert_allclose(found.up, up, atol=1e-15)
    # Soles 0.18 m wide seen under the angle; the ground passes through the lowest edge.
    assert np.ptp(found.polygon[:, 1]) == pytest.approx(0.18 * math.cos(angle), abs=1e-12)
    assert found.unevenness == pytest.approx(0.18 * math.sin(angle), abs=1e-12)
    # The mass leans over the edge on the side to which up points away.
    com = straight.com() - [0.0, 0.0, -0.33309]
    across = com[1] * math.cos(angle) + com[2] * math.sin(angle)
    assert found.margin == pytest.approx(0.09 * math.cos(angle) - abs(across), abs=1e-12)


@pytest.mark.parametrize(("up", "feet"), [([-1.0, 0, 0], -0.33309), ([1.0, 0, 0], 0.33309)])
def test_lying_robot_has_axes_too(straight, up, feet):
    found = support(straight, ["left", "right"], up=up)
    # Seen along x, the soles are a line 0.18 m long in y; on the belly the feet are behind, on the back ahead.
    assert np.ptp(found.polygon, axis=0) == pytest.approx([0.0, 0.18], abs=1e-12)
    assert found.polygon[0, 0] == pytest.approx(feet, abs=1e-12)
    assert found.com[1] == pytest.approx(float(straight.com()[1]), abs=1e-12)


def test_ball_feet(small):
    balls = tuple(Foot(foot.name, foot.body, foot.site, radius=0.02) for foot in small.feet)
    hand = Foot("hand", "arm", "hand", radius=0.01)
    robot = dataclasses.replace(small, feet=(*balls, hand))
    kinematics = Kinematics(robot)
    kinematics.update(np.zeros(len(robot.joints)))
    np.testing.assert_allclose(sole_points(kinematics, balls[0]), [[0.0, 0.05, -0.35309]], atol=1e-15)
    with pytest.raises(SupportError, match=r"on one line .* got \['left', 'right'\]; give the up direction"):
        support(kinematics, ["left", "right"])
    line = support(kinematics, ["left", "right"], up=[0, 0, 1])
    assert line.polygon.shape == (2, 2)
    assert line.margin == pytest.approx(-abs(float(kinematics.com()[0])), abs=1e-12)
    assert support(kinematics, ["left", "right", "hand"]).polygon.shape == (3, 2)


def test_impossible_questions_are_named(straight):
    with pytest.raises(SupportError, match="at least one foot"):
        support(straight, [])
    with pytest.raises(SupportError, match="no such foot; got 'lft'; did you mean 'left'"):
        support(straight, ["lft"])
    with pytest.raises(SupportError, match="up must be three finite numbers"):
        support(straight, ["left"], up=[0, 0, 0])
    with pytest.raises(SupportError, match="up must be three finite numbers"):
        support(straight, ["left"], up=[0, 1])


def test_nao_stands_within_its_soles(nao):
    kinematics = Kinematics(nao)
    names = [foot.name for foot in nao.feet]
    margin = static_margin(kinematics, nao.posture("stand"), names)
    assert margin > 0.02
    assert support(kinematics, names).unevenness < 0.002
