"""When a swing is high and when it moves ahead: over the edges of steps, up and down."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.kernels import entry
from andante.planning.quadruped.ground import Ground, ground_height, level_ground
from andante.planning.quadruped.swing import swing_state
from andante.planning.quadruped.swing_timing import time_swing

RADIUS, MARGIN = 0.02, 0.02
SPACING = 0.005
# The inner kernel, compiled for calls from Python.
time_swing = entry(time_swing.py_func)


def step_at(edge: float, height: float) -> Ground:
    """Level ground that rises by a height within one node at an x."""
    x = -0.5 + SPACING * np.arange(301)
    grid = np.repeat(np.where(x > edge, height, 0.0)[:, None], 101, axis=1)
    flat = np.zeros_like(grid)
    return Ground(-0.5, -0.25, SPACING, grid, flat, flat.copy(), flat.copy(), np.ones_like(grid))


def swing_over(ground: Ground, way: float, clearance: float = 0.05) -> np.ndarray:
    """A swing along x from the origin, up to a clearance over its higher end."""
    start, end = ground_height(ground, 0.0, 0.0) + RADIUS, ground_height(ground, way, 0.0) + RADIUS
    return np.array([0.0, 0.2, 0.0, 0.0, start, way, 0.0, end, max(start, end) + clearance, 0.5, 0.0, 1.0])


def least_room(ground: Ground, swing: np.ndarray) -> float:
    """How far the ball's lowest point is above the ground, the least of the swing [m]."""
    place, velocity, acceleration = np.empty(3), np.empty(3), np.empty(3)
    rooms = []
    for time in np.linspace(swing[0], swing[1], 401):
        swing_state(swing, float(time), place, velocity, acceleration)
        rooms.append(place[2] - RADIUS - ground_height(ground, place[0], 0.0))
    return min(rooms)


@given(way=st.floats(-0.3, 0.3))
@settings(deadline=None)
def test_on_level_ground_the_apex_is_in_the_middle_and_the_foot_moves_all_the_time(way):
    swing = swing_over(level_ground(), way)
    time_swing(level_ground(), RADIUS, MARGIN, swing)
    assert swing[9:] == pytest.approx((0.5, 0.0, 1.0))


def test_a_foot_before_a_step_rises_first():
    # The riser of 20 cm is 4 cm ahead, of a way of 20 cm. Moving all the time, the foot meets it: after 0.29 of the
    # swing it has come a fifth of its way, and 62 % of its rise of 25 cm.
    ground = step_at(0.04, 0.2)
    swing = swing_over(ground, 0.2)
    assert least_room(ground, swing) < -0.03
    time_swing(ground, RADIUS, MARGIN, swing)
    assert least_room(ground, swing) > -1e-9
    # Up 25 cm and down 5 cm, both with the same largest acceleration 6 h / t^2: sqrt(5) : 1 of the time.
    assert swing[9] == pytest.approx(math.sqrt(5.0) / (math.sqrt(5.0) + 1.0))
    assert swing[10] > 0.2
    assert swing[11] == 1.0


@given(edge=st.floats(0.05, 0.2), height=st.floats(0.0, 0.22), way=st.floats(0.1, 0.3), down=st.booleans())
@settings(deadline=None, max_examples=200)
def test_swings_pass_over_the_edges_of_steps(edge, height, way, down):
    if edge + 0.04 > way:
        return
    ground = step_at(edge, -height if down else height)
    swing = swing_over(ground, way)
    time_swing(ground, RADIUS, MARGIN, swing)
    assert least_room(ground, swing) > -0.005


@given(edge=st.floats(0.03, 0.2), height=st.floats(0.0, 0.22), way=st.floats(0.1, 0.3))
@settings(deadline=None)
def test_the_way_back_is_timed_as_its_mirror(edge, height, way):
    ground = step_at(edge, height)
    there = swing_over(ground, way)
    back = there.copy()
    back[2:5], back[5:8] = there[5:8], there[2:5]
    time_swing(ground, RADIUS, MARGIN, there)
    time_swing(ground, RADIUS, MARGIN, back)
    assert back[9:] == pytest.approx((1.0 - there[9], 1.0 - there[11], 1.0 - there[10]))
