"""Reference states, the plan's grid and the tilt on slopes, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.kernels import entry
from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.ground import Ground, ground_height, ground_heights, level_ground, support_plane
from andante.planning.quadruped.reference import heights_flown, plan_index, plan_reference, slope_tilt, twist_reference
from andante.spatial.rotations import from_rpy, to_matrix

# The inner kernel, compiled for calls from Python.
slope_tilt = entry(slope_tilt.py_func)


def sloped(rise: float) -> Ground:
    """A ground that rises along x, without end."""
    height = np.array([[-100.0 * rise] * 2, [100.0 * rise] * 2])
    return Ground(
        -100.0, -100.0, 200.0, height, height.copy(), np.full((2, 2), rise), np.zeros((2, 2)), np.ones((2, 2))
    )


@pytest.mark.parametrize(
    ("yaw", "roll", "pitch"),
    [(0.0, 0.0, -0.19740), (90.0, -0.19740, 0.0), (45.0, -0.13912, -0.14049), (180.0, 0.0, 0.19740)],
)
def test_a_body_stands_square_on_a_grade_of_a_fifth(yaw, roll, pitch):
    assert slope_tilt(0.2, 0.0, math.radians(yaw)) == pytest.approx((roll, pitch), abs=6e-6)


@settings(deadline=None)
@given(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6), st.floats(-10.0, 10.0))
def test_the_tilted_body_points_along_the_normal_of_the_ground(rise_x, rise_y, yaw):
    roll, pitch = slope_tilt(rise_x, rise_y, yaw)
    up = to_matrix(from_rpy(np.array([roll, pitch, yaw])))[:, 2]
    normal = np.array([-rise_x, -rise_y, 1.0]) / math.sqrt(1.0 + rise_x**2 + rise_y**2)
    assert up @ normal == pytest.approx(1.0, abs=1e-6)


def test_a_reference_goes_on_by_euler_steps_in_its_own_heading():
    rows = np.empty((4, 12))
    twist_reference(level_ground(), np.array([1.0, 2.0, math.pi / 2]), np.array([0.5, 0.1, 1.0]), 0.3,
                    np.array([0.01, 0.03, 0.03]), rows)  # fmt: skip
    # Facing y: forward is y, left is -x. The first interval lasts 10 ms.
    assert rows[0, [0, 1, 2, 5]] == pytest.approx([1.0, 2.0, 0.3, math.pi / 2])
    assert rows[0, 6:9] == pytest.approx([-0.1, 0.5, 0.0])
    assert rows[0, 9:] == pytest.approx([0.0, 0.0, 1.0])
    assert rows[1, [0, 1, 5]] == pytest.approx([1.0 - 0.001, 2.0 + 0.005, math.pi / 2 + 0.01])
    turned = math.pi / 2 + 0.01
    vx, vy = 0.5 * math.cos(turned) - 0.1 * math.sin(turned), 0.5 * math.sin(turned) + 0.1 * math.cos(turned)
    assert rows[2, [0, 1]] == pytest.approx([rows[1, 0] + 0.03 * vx, rows[1, 1] + 0.03 * vy])


def test_yaw_has_no_seam():
    rows = np.empty((30, 12))
    twist_reference(level_ground(), np.array([0.0, 0.0, 3.1]), np.array([0.0, 0.0, 4.0]), 0.3, np.full(29, 0.03), rows)
    assert np.diff(rows[:, 5]) == pytest.approx(np.full(29, 0.12))


def test_on_a_slope_height_and_speed_follow_the_ground():
    rows = np.empty((3, 12))
    twist_reference(sloped(0.2), np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), 0.3, np.full(2, 0.03), rows)
    assert rows[:, 2] == pytest.approx([0.5, 0.506, 0.512])
    assert rows[:, 8] == pytest.approx([0.2, 0.2, 0.2])
    assert rows[:, 4] == pytest.approx(np.full(3, -0.19740), abs=1e-5)


@pytest.mark.parametrize(
    ("now", "index", "left"),
    [(1.0, 0, 0.03), (1.01, 0, 0.02), (1.03, 1, 0.03), (1.0299999999, 1, 0.03), (1.0301, 1, 0.0299), (1.3, 10, 0.03)],
)
def test_index_and_first_interval_of_the_grid(now, index, left):
    found = plan_index(now, 1.0, 0.03)
    assert found[0] == index
    assert found[1] == pytest.approx(left, abs=1e-8)


def a_plan() -> BodyPlan:
    states = np.zeros((5, 12))
    states[:, 0], states[:, 5] = np.arange(5), 0.1 * np.arange(5)
    primitives = np.array([0, Primitive.LEAP_STANCE, Primitive.FLIGHT, Primitive.LAND_STANCE, 0])
    return BodyPlan(0.03, states, np.zeros((5, 3)), primitives)


def test_a_plan_is_followed_row_by_row_and_its_end_is_held():
    rows = 0.03 * np.arange(4)
    states, primitives = plan_reference(a_plan(), 0.09, rows, 1.0, yaw=0.0)
    assert states[:, 0] == pytest.approx([3.0, 4.0, 4.0, 4.0])
    assert primitives.tolist() == [3, 0, 0, 0]
    states, _ = plan_reference(a_plan(), -0.06, rows, 1.0, yaw=0.0)
    assert states[:, 0] == pytest.approx([0.0, 0.0, 0.0, 1.0])


def test_between_two_rows_a_plan_is_followed_on_the_line():
    times = np.array([0.0, 0.01, 0.04])
    states, primitives = plan_reference(a_plan(), 0.05, times, 1.0, yaw=0.0)
    assert states[:, 0] == pytest.approx([5.0 / 3.0, 2.0, 3.0])
    assert primitives.tolist() == [1, 2, 3]


def test_a_plan_that_waits_goes_slower_by_as_much():
    plan = a_plan()
    plan.states[:, 6] = 1.2
    states, _ = plan_reference(plan, 0.0, 0.03 * np.arange(5), 0.5, yaw=0.0)
    assert states[:, 0] == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0])
    assert states[:, 6] == pytest.approx(0.6)
    states, _ = plan_reference(plan, 0.0, 0.03 * np.arange(3), 1.25, yaw=0.0)
    assert states[:, 0] == pytest.approx([0.0, 1.25, 2.5])
    assert states[:, 6] == pytest.approx(1.2)


def test_each_row_of_a_flight_knows_how_high_all_of_it_comes():
    states, kinds = np.zeros((9, 12)), np.array([0, 1, 2, 2, 2, 3, 0, 2, 3])
    states[:, 2] = [0.3, 0.9, 0.4, 0.5, 0.4, 0.8, 0.3, 0.6, 0.7]
    plan = BodyPlan(0.03, states, np.zeros((9, 3)), kinds)
    none = -math.inf
    assert heights_flown(plan, 0, 9).tolist() == [none, none, 0.5, 0.5, 0.5, none, none, 0.6, none]
    assert heights_flown(plan, 4, 7).tolist() == [0.5, none, none, 0.6, none, none, none]
    assert heights_flown(plan, -3, 6).tolist() == [none, none, none, none, none, 0.5]


def test_a_plan_is_told_in_the_turns_that_the_body_has_made():
    states, _ = plan_reference(a_plan(), 0.0, 0.03 * np.arange(5), 1.0, yaw=4.0 * math.pi + 0.2)
    assert states[:, 5] == pytest.approx(4.0 * math.pi + 0.1 * np.arange(5))


@settings(deadline=None)
@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.floats(-1.0, 1.0), st.floats(-50.0, 50.0))
def test_the_plane_through_the_feet_is_the_ground_that_they_stand_on(rise_x, rise_y, height, x):
    places = np.array([[0.2, 0.15], [0.2, -0.15], [-0.2, 0.15], [-0.2, -0.15]]) + np.array([x, -x])
    z = height + places @ (rise_x, rise_y)
    ground = support_plane(np.column_stack([places, z + 0.02]), np.full(4, 0.02))
    assert ground_height(ground, x + 3.0, -x - 2.0) == pytest.approx(
        height + (x + 3.0) * rise_x - (x + 2.0) * rise_y, abs=1e-6
    )
    assert ground.slope_x == pytest.approx(np.full((2, 2), rise_x), abs=1e-9)
    np.testing.assert_allclose(ground_heights(ground, places), z, atol=1e-6)


def test_feet_in_a_line_make_level_ground():
    ground = support_plane(np.array([[0.0, 0.0, 0.1], [1.0, 0.0, 0.1], [2.0, 0.0, 0.1]]), np.zeros(3))
    assert ground_height(ground, 5.0, 5.0) == pytest.approx(0.1)


def test_a_plan_is_told_in_the_turn_nearest_to_its_own_heading_whatever_its_speed():
    plan = a_plan()
    plan.states[:, 6] = -1.2
    # Three radians away is nearer without a turn; from minus 1.2 rad it would be nearer with one.
    states, _ = plan_reference(plan, 0.0, 0.03 * np.arange(2), 1.0, yaw=3.0)
    assert states[:, 5] == pytest.approx([0.0, 0.1])


@pytest.mark.parametrize("way", [(1.0, 0.0), (0.0, -1.0), (-0.6, 0.8)])
def test_ground_that_rises_by_less_than_a_millimetre_a_metre_is_level(way):
    for rise in (-9.9e-4, 9.9e-4):
        assert slope_tilt(rise * way[0], rise * way[1], 0.0) == (0.0, 0.0)
    for rise in (1.01e-3, 1.9e-3):
        assert slope_tilt(rise * way[0], rise * way[1], 0.0) == pytest.approx((rise * way[1], -rise * way[0]), abs=1e-8)


@pytest.mark.parametrize("yaw", [0.3, -2.0, 2.5])
@pytest.mark.parametrize("rises", [(0.2, 0.3), (-0.4, 0.1), (0.1, -0.3)])
def test_on_a_slope_a_body_moves_along_it_and_turns_about_the_upright(rises, yaw):
    nodes = np.array([-100.0, 100.0])
    height = rises[0] * nodes[:, None] + rises[1] * nodes
    even = np.ones((2, 2))
    ground = Ground(-100.0, -100.0, 200.0, height, height.copy(), rises[0] * even, rises[1] * even, even)
    rows = np.empty((2, 12))
    twist_reference(ground, np.array([1.0, 2.0, yaw]), np.array([0.5, -0.2, 0.8]), 0.3, np.array([1e-3]), rows)
    state = rows[0]
    assert state[8] == pytest.approx(rises[0] * state[6] + rises[1] * state[7])
    assert (rows[1, 2] - state[2]) / 1e-3 == pytest.approx(state[8])
    # Body axes see the turn about the world's z by their own tilt.
    axes = to_matrix(from_rpy(state[3:6]))
    assert np.abs(state[9:11]).min() > 0.005
    assert axes @ state[9:] == pytest.approx([0.0, 0.0, 0.8], abs=1e-12)


def test_a_plan_s_turns_are_counted_from_the_row_of_now():
    plan = a_plan()
    plan.states[:, 5] = [3.0, 9.0, 15.0, 21.0, 27.0]
    for yaw, first in ((3.0, 3.0), (-3.0, 3.0 - 2.0 * math.pi), (9.0, 3.0 + 2.0 * math.pi)):
        states, _ = plan_reference(plan, 0.0, 0.03 * np.arange(4), 1.0, yaw=yaw)
        assert states[:, 5] == pytest.approx(first + 6.0 * np.arange(4)), yaw


def test_a_time_that_misses_a_row_by_rounding_is_at_that_row():
    plan = a_plan()
    plan.states[:, 0] = [0.0, 1e7, 2e7, 3e7, 4e7]
    for late in (-0.9e-6, -0.4e-6, 0.0):
        states, primitives = plan_reference(plan, 0.03 * (2.0 + late), np.zeros(1), 1.0, yaw=0.0)
        assert states[0, 0] == 2e7
        assert primitives.tolist() == [Primitive.FLIGHT]
    states, primitives = plan_reference(plan, 0.03 * (2.0 - 1.5e-6), np.zeros(1), 1.0, yaw=0.0)
    assert states[0, 0] == pytest.approx(2e7 - 15.0, abs=1e-2)
    assert primitives.tolist() == [Primitive.LEAP_STANCE]


@pytest.mark.parametrize(("late", "index"), [(-1.5e-6, 6), (-0.9e-6, 7), (0.9e-6, 7), (1.0 - 1.5e-6, 7), (1.0, 8)])
def test_a_time_that_misses_the_grid_by_a_millionth_of_an_interval_is_on_it(late, index):
    assert plan_index(2.0 + 0.5 * (7.0 + late), 2.0, 0.5)[0] == index
