"""A leg that a reflex would fold into the trunk swings outwards instead."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from andante.kernels import entry
from andante.kinematics.leg_kernels import leg_ik
from andante.kinematics.leg_table import LeggedBody
from andante.planning.feasibility.body_shape import BodyShape
from andante.planning.feasibility.trunk import avoid_trunk, trunk_distance
from andante.robots.robot import Robot

# Inner kernels, compiled for calls from Python.
leg_ik = entry(leg_ik.py_func)
trunk_distance = entry(trunk_distance.py_func)

BODY = LeggedBody.of(Robot.load("littledog"))
TABLE, SHAPE = BODY.table, BodyShape.of(BODY)
POSITION, TURN = np.array([0.0, 0.0, 0.1]), np.eye(3)
KEEP, LEAST = 0.002, 0.003


def _moved(leg: int, foot: np.ndarray) -> tuple[float, float, float, float]:
    """How far a foot is moved, its leg's distance from the trunk before and after, and the angle left then."""
    angles = np.empty(3)
    leg_ik(TABLE, leg, POSITION, TURN, foot, angles)
    before = trunk_distance(TABLE, SHAPE.trunk, SHAPE.lower, leg, POSITION, TURN, angles, foot)
    moved = avoid_trunk(TABLE, SHAPE.trunk, SHAPE.lower, leg, POSITION, TURN, foot, KEEP, LEAST, angles)
    again, place = np.empty(3), foot.copy()
    place[1] += moved if TABLE.hip[leg, 1] > 0.0 else -moved
    room = leg_ik(TABLE, leg, POSITION, TURN, place, again)
    np.testing.assert_allclose(angles, again)
    return moved, before, trunk_distance(TABLE, SHAPE.trunk, SHAPE.lower, leg, POSITION, TURN, angles, place), room


@pytest.mark.slow
def test_a_leg_that_hangs_stays_where_it_is():
    foot = POSITION + np.array([0.09, 0.06, -0.12])
    moved, before, _, _ = _moved(0, foot)
    assert moved == 0.0
    assert before > KEEP


@settings(deadline=None)
@given(st.integers(0, 3), st.floats(-0.04, 0.04), st.floats(-0.03, 0.0), st.floats(-0.085, -0.06))
# Outwards the knee comes nearer to the trunk at first.
@example(3, -0.028534754974342134, -0.028610383247725305, -0.06611521642122174)
@example(0, 0.029478852712156507, -0.026741780701642605, -0.06409808697226642)
@example(1, 0.023012689057163978, -0.028015868014099016, -0.07979768129436042)
def test_a_folded_leg_under_the_trunk_comes_out_by_no_more_than_it_must(leg, ahead, inwards, height):
    side = 1.0 if TABLE.hip[leg, 1] > 0.0 else -1.0
    foot = POSITION + TABLE.hip[leg] + [ahead, side * (0.0236 + inwards), height]
    moved, before, after, room = _moved(leg, foot)
    assert room >= LEAST
    assert after >= min(before, KEEP) - 1e-9
    assert (moved > 0.0) == (before < KEEP)
    assert moved <= 0.03
    if moved > 0.0:
        assert after >= KEEP - 1e-4


@settings(deadline=None)
@given(st.integers(0, 3), st.floats(1.9, 2.3), st.floats(2.3, 2.9), st.floats(0.25, 0.55))
def test_a_leg_folded_above_its_hip_comes_inwards_and_so_off_the_trunk(leg, pitch, bend, roll):
    # Its knee is above the hip: rolled outwards, knee and shank lean into the trunk.
    front, left = TABLE.hip[leg, 0] > 0.0, TABLE.hip[leg, 1] > 0.0
    angles = np.array([roll if left else -roll, pitch if front else -pitch, -bend if front else bend])
    place = POSITION + np.array(BODY.legs[leg].place(angles))
    folded = np.empty(3)
    leg_ik(TABLE, leg, POSITION, TURN, place, folded)
    before = trunk_distance(TABLE, SHAPE.trunk, SHAPE.lower, leg, POSITION, TURN, folded, place)
    moved = avoid_trunk(TABLE, SHAPE.trunk, SHAPE.lower, leg, POSITION, TURN, place, KEEP, LEAST, folded)
    if before >= KEEP:
        assert moved == 0.0
    if moved > 0.0:
        # Nearer to upright than before.
        assert abs(folded[0]) < roll


def test_a_leg_that_leans_into_the_trunk_with_its_knee_up_comes_off_it():
    # Of a plan over a step of 10.8 cm: outwards, as a hanging leg would go, it would come nearer still.
    angles = np.array([-0.44, 2.14, -2.75])
    place = POSITION + np.array(BODY.legs[1].place(angles))
    before = trunk_distance(TABLE, SHAPE.trunk, SHAPE.lower, 1, POSITION, TURN, angles, place)
    assert before < 0.0
    moved = avoid_trunk(TABLE, SHAPE.trunk, SHAPE.lower, 1, POSITION, TURN, place, KEEP, LEAST, angles)
    place[1] += moved
    assert moved > 0.0
    assert trunk_distance(TABLE, SHAPE.trunk, SHAPE.lower, 1, POSITION, TURN, angles, place) > before + 0.002
    assert abs(angles[0]) < 0.44
