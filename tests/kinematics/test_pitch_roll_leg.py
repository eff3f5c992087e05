"""The AIBO's leg inverse kinematics against the model's forward kinematics."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.kinematics.forward import Kinematics
from andante.kinematics.leg_model import LegGeometryError
from andante.kinematics.pitch_roll_leg import pitch_roll_legs
from andante.kinematics.three_joint_leg import LegReachError
from andante.robots.robot import Robot

ERS7 = Robot.load("ers7")
LEGS = {leg.name: leg for leg in pitch_roll_legs(ERS7)}
SHARES = st.tuples(*[st.floats(0.0, 1.0)] * 3)


def test_the_legs_are_the_published_ones():
    leg = LEGS["HL"]
    assert leg.joints == ("LRJ1", "LRJ2", "LRJ3")
    assert leg.hip == pytest.approx((-0.065, 0.0625, 0.0), abs=1e-9)
    assert leg.knee == pytest.approx((-0.009, 0.0, -0.0695), abs=1e-9)
    assert leg.signs == (1.0, 1.0, 1.0)
    assert LEGS["FR"].signs == (-1.0, -1.0, -1.0)


@given(st.sampled_from(sorted(LEGS)), SHARES)
@settings(max_examples=200, deadline=None)
def test_any_place_that_angles_reach_is_solved(name, shares):
    leg = LEGS[name]
    angles = np.array(leg.lower) + np.array(shares) * (np.array(leg.upper) - leg.lower)
    posture = np.zeros(len(ERS7.joints))
    posture[list(leg.indices)] = angles
    kinematics = Kinematics(ERS7)
    kinematics.update(posture)
    foot = kinematics.pose(next(foot.site for foot in ERS7.feet if foot.name == name))[0]
    assert np.abs(leg.place(angles) - foot).max() < 1e-12
    found = leg.solve(foot)
    assert (found >= leg.lower).all()
    assert (found <= leg.upper).all()
    assert np.abs(leg.place(found) - foot).max() < 1e-9
    # With a hint, a bent knee is found again exactly as it was.
    if math.degrees(angles[2]) > 20.0:
        assert leg.place(leg.solve(foot, near=angles)) == pytest.approx(foot, abs=1e-9)


def test_the_walk_posture_is_found_again():
    posture = ERS7.posture("walk")
    for leg in LEGS.values():
        angles = posture[list(leg.indices)]
        assert leg.solve(leg.place(angles), near=angles) == pytest.approx(angles, abs=1e-9)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (
            (0.0, 0.0, -0.3),
            r"^FL: LFJ3: the foot's place is out of the leg's reach; got '300.0 mm from the hip'",
        ),
        ((0.0, 0.15, 0.0), "out of the leg's reach"),
        (
            (0.0, -0.08, -0.06),
            r"^FL: LFJ2: the foot's place needs a joint beyond its limit; got '-76.4 deg'",
        ),
        ((math.nan, 0.0, 0.0), "three finite coordinates"),
    ],
)
def test_what_no_angles_reach_is_named(place, message):
    leg = LEGS["FL"]
    with pytest.raises(LegReachError, match=message):
        leg.solve(np.array(place) + leg.hip)


def test_other_legs_are_refused(nao):
    with pytest.raises(LegGeometryError, match="three joints"):
        pitch_roll_legs(nao)
