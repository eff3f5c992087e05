"""Margins of many postures at once against the ones that are asked one by one, and which samples are looked at."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.kinematics.forward import Kinematics
from andante.kinematics.support import resting
from andante.motions.checks.bodies import standing_margin
from andante.motions.checks.context import MOVED, moved
from andante.motions.checks.standing import ball_margins, flat_margins, hull_margins
from andante.robots.robot import Robot
from andante.spatial.polygons import convex_hull, signed_distance


def postures(robot: Robot, spread: float, count: int) -> np.ndarray:
    random = np.random.default_rng(3)
    stand = robot.posture("stand")
    return np.clip(stand + random.uniform(-spread, spread, (count, len(stand))), robot.lower, robot.upper)


@pytest.mark.parametrize("spread", [0.0, 0.002, 0.01, 0.1])
def test_flat_soles_as_one_by_one(spread: float) -> None:
    nao = Robot.load("nao")
    kinematics, many = Kinematics(nao), postures(nao, spread, 300)
    found = flat_margins(kinematics, many)
    for joints, margin in zip(many, found, strict=True):
        kinematics.update(joints)
        exact = standing_margin(kinematics)
        assert (exact is None) == np.isnan(margin)
        if exact is not None:
            # Never told too large, and too small by 2 mm at most.
            assert exact - 0.002 <= margin <= exact + 1e-9


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.3, 1.0])
def test_ball_feet_as_one_by_one(spread: float) -> None:
    ers7 = Robot.load("ers7")
    kinematics, many = Kinematics(ers7), postures(ers7, spread, 200)
    for joints, margin in zip(many, ball_margins(kinematics, many), strict=True):
        kinematics.update(joints)
        rest = resting(kinematics)
        if rest is None or rest.clearance < 0.0:
            assert np.isnan(margin)
        else:
            assert margin == pytest.approx(rest.margin, abs=1e-9)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 12])
def test_hulls_against_the_polygon(count: int) -> None:
    random = np.random.default_rng(count)
    points, spots = random.uniform(-0.1, 0.1, (200, count, 2)), random.uniform(-0.1, 0.1, (200, 2))
    found = hull_margins(points, np.ones((200, count), dtype=bool), spots)
    exact = [float(signed_distance(convex_hull(each), spot)) for each, spot in zip(points, spots, strict=True)]
    assert np.all(found <= np.array(exact) + 1e-12)
    np.testing.assert_allclose(found, exact, atol=1e-12 if count <= 4 else 2e-3)


def test_samples_are_looked_at_by_how_far_joints_go() -> None:
    still = np.zeros((1000, 2))
    assert moved(still, 0, 1000).tolist() == [0, 999]
    ramp = np.linspace(0.0, math.radians(10.0), 1001)[:, None]
    looked = moved(ramp, 0, 1001)
    assert len(looked) == 51
    assert np.abs(np.diff(ramp[looked, 0])).max() <= MOVED * 1.06
    assert moved(ramp, 5, 6).tolist() == [5]
