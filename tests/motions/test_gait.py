"""Gaits: feet stand still on the ground, cycles close, and what cannot be walked is named."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from andante.kinematics.pitch_roll_leg import pitch_roll_legs
from andante.kinematics.three_joint_leg import LegReachError
from andante.motions.errors import MotionError
from andante.motions.gait import ERS7_WALK, gait_angles, gait_block
from andante.robots.robot import Robot


@pytest.fixture(scope="module")
def ers7() -> Robot:
    return Robot.load("ers7")


def feet(robot: Robot, rows: np.ndarray) -> np.ndarray:
    """Feet in the trunk's frame, (n, 4, 3) [m]."""
    legs = pitch_roll_legs(robot)
    return np.array([[leg.place(row[list(leg.indices)]) for leg in legs] for row in rows])


def test_a_cycle_begins_and_ends_in_the_posture(ers7):
    ends = gait_angles(ers7, ERS7_WALK, np.array([0.0, 1.0]))
    assert ends == pytest.approx(np.array([ers7.posture("walk")] * 2), abs=1e-9)


def test_standing_feet_keep_their_distances(ers7):
    # What stands on the ground does not move over it: distances between standing feet stay, whatever the body does.
    shares = np.linspace(0.0, 1.0, 101)
    places = feet(ers7, gait_angles(ers7, ERS7_WALK, shares))
    order = [leg.name for leg in pitch_roll_legs(ers7)]
    for swinging, start, end in ERS7_WALK.swings:
        inside = (shares >= start - 1e-9) & (shares <= end + 1e-9)
        standing = [index for index, name in enumerate(order) if name != swinging]
        for a, b in ((standing[0], standing[1]), (standing[1], standing[2])):
            lengths = np.linalg.norm(places[inside, a] - places[inside, b], axis=1)
            assert np.ptp(lengths) < 1e-9


def test_each_foot_is_lifted_once_by_the_lift_and_comes_one_stride_ahead(ers7):
    gait = dataclasses.replace(ERS7_WALK, sway=0.0, surge=0.0, turn=0.0)
    places = feet(ers7, gait_angles(ers7, gait, np.linspace(0.0, 1.0, 201)))
    assert np.ptp(places[:, :, 2], axis=0) == pytest.approx(gait.lift, abs=3e-4)
    for index, leg in enumerate(pitch_roll_legs(ers7)):
        start, end = next((a, b) for name, a, b in gait.swings if name == leg.name)
        before, after = places[round(start * 200), index], places[round(end * 200), index]
        # The body moves on meanwhile.
        assert after[0] - before[0] == pytest.approx(gait.stride * (1.0 - (end - start)), abs=1e-4)


def test_walking_backwards_is_the_same_with_the_stride_negative(ers7):
    gait = dataclasses.replace(ERS7_WALK, stride=-ERS7_WALK.stride, sway=0.0, surge=0.0)
    places = feet(ers7, gait_angles(ers7, gait, np.array([0.0, 0.1])))
    assert (places[1, :3, 0] > places[0, :3, 0]).all()


def test_a_turn_and_a_side_step_move_standing_feet_the_other_way(ers7):
    # Before its own step, a foot stays on the ground while the body turns left by 0.1 of 20 deg and steps left by 1 mm.
    gait = dataclasses.replace(ERS7_WALK, stride=0.0, side=0.01, turn=math.radians(20.0), sway=0.0, surge=0.0)
    places = feet(ers7, gait_angles(ers7, gait, np.array([0.0, 0.1])))
    turned = math.radians(-2.0)
    for index in range(3):  # all but HR, which steps first
        x, y = places[0, index, 0], places[0, index, 1] - 0.001
        wanted = (math.cos(turned) * x - math.sin(turned) * y, math.sin(turned) * x + math.cos(turned) * y)
        # The ground is not quite level in the trunk's frame, by 0.07 deg.
        assert places[1, index, :2] == pytest.approx(wanted, abs=1e-5)
    assert gait_angles(ers7, gait, np.array([1.0]))[0] == pytest.approx(ers7.posture("walk"), abs=1e-9)


def test_the_shipped_gait_keeps_the_speed_limits(ers7):
    rows = gait_angles(ers7, ERS7_WALK, np.arange(0, 29) / 28)
    speeds = np.abs(np.diff(rows, axis=0)) / (ERS7_WALK.period / 28)
    assert (speeds <= ers7.max_velocity).all()


def test_what_cannot_be_walked_is_named(ers7):
    with pytest.raises(MotionError, match=r"swings.FL.*lies within one cycle.*got \(0.9, 0.8\)"):
        dataclasses.replace(ERS7_WALK, swings=(("FL", 0.9, 0.8),))
    with pytest.raises(MotionError, match="every foot takes one step"):
        gait_block(ers7, dataclasses.replace(ERS7_WALK, swings=ERS7_WALK.swings[:3]))
    with pytest.raises(MotionError, match=r"no whole ticks; got 0.0373"):
        gait_block(ers7, dataclasses.replace(ERS7_WALK, keys=30))
    with pytest.raises(LegReachError, match=r"J3|out of the leg's reach"):
        gait_block(ers7, dataclasses.replace(ERS7_WALK, stride=0.4))
    with pytest.raises(MotionError, match="needs time and keyframes"):
        dataclasses.replace(ERS7_WALK, period=math.nan)
