"""Trees, shortcuts and random numbers of the global plan; random grounds whose plans are checked by someone else."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from global_worlds import GO2_LIKE, planner, request, slow_faults, world
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.kernels import entry
from andante.planning.quadruped.global_plan.draws import lognormal, seeded, uniform, whole
from andante.planning.quadruped.global_plan.full_states import angular_velocities, headings, smoothed_yaw
from andante.planning.quadruped.global_plan.layers import body_layers
from andante.planning.quadruped.global_plan.path import GlobalPath, shorten
from andante.planning.quadruped.global_plan.planner import GlobalRequest, GlobalStatus
from andante.planning.quadruped.global_plan.tables import GroundLayers, Trees
from andante.planning.quadruped.global_plan.tree import grow
from andante.planning.quadruped.global_plan.validity import first_fault
from andante.spatial.rotations import conjugate, from_rpy, log, multiply
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import HeightMap

UNIFORM, WHOLE, LOGNORMAL = (entry(each.py_func) for each in (uniform, whole, lognormal))


def grown(name, seed, horizon=400_000):
    plans = planner()
    asked = request(plans, name, seed)
    ground, trees = GroundLayers.of(asked.layers), Trees.of(4000, seeded(seed))
    first = np.concatenate([asked.start[:3], np.zeros(3)])
    goal = np.array([*asked.goal, first[2], 0.0, 0.0, 0.0])
    goal[2] = world(name).heights.nearest(asked.goal) + GO2_LIKE.standing
    met, node, other = grow(ground, plans.rules, first, goal, horizon, trees)
    assert met
    return plans, ground, trees, GlobalPath.joined(trees, node, other), goal


def sound(path, ground, rules):
    """Every state is valid with the heading of its velocity, and motions meet without a jump of place or velocity."""
    rows, _, kinds, feet = path.sampled(ground, rules)
    moving = np.hypot(rows[:, 3], rows[:, 4]) > 0.05
    heading = np.arctan2(rows[:, 4], rows[:, 3])
    assert first_fault(ground, rules, rows[moving], heading[moving], kinds[moving], feet[moving]) == -1
    jumps = np.abs(np.diff(rows[:, :2], axis=0) - 0.5 * rules.step * (rows[1:, 3:5] + rows[:-1, 3:5]))
    assert jumps.max() < 2e-3


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["slope-20-hole", "gap-30"])
def test_shortcuts_never_lengthen_and_keep_a_way_valid(name, seed):
    plans, ground, trees, path, goal = grown(name, seed)
    rules = plans.rules
    sound(path, ground, rules)
    np.testing.assert_allclose(path.states[-1], goal)
    lengths, costs = [path.length(ground, rules)], [path.cost(ground, rules)]
    for _ in range(6):
        count, room = len(path.states), 80
        states, motions = np.zeros((room, 6)), np.zeros((room, 6))
        states[:count], motions[: count - 1] = path.states, path.motions
        count = shorten(ground, rules, states, motions, count, 30, trees)
        path = GlobalPath(states[:count].copy(), motions[: count - 1].copy())
        sound(path, ground, rules)
        lengths.append(path.length(ground, rules))
        costs.append(path.cost(ground, rules))
    assert (np.diff(lengths) <= 1e-6).all()
    assert (np.diff(costs) <= 1e-6).all()
    assert costs[-1] < costs[0]
    np.testing.assert_array_equal(path.states[[0, -1], :2], [[0.0, 0.0], goal[:2]])


def test_a_tree_that_is_full_or_out_of_budget_ends():
    plans = planner()
    asked = request(plans, "gap-80")
    ground, goal = GroundLayers.of(asked.layers), np.array([5.0, 0.0, 0.278, 0.0, 0.0, 0.0])
    first = np.concatenate([asked.start[:3], np.zeros(3)])
    few = Trees.of(16, seeded(1))
    assert grow(ground, plans.rules, first, goal, 10**9, few)[0] is False
    assert few.counts.max() <= 16
    spent = Trees.of(1000, seeded(1))
    assert grow(ground, plans.rules, first, goal, 5000, spent)[0] is False
    assert 5000 <= spent.counters[0] < 12000


def test_a_moving_start_is_carried_on():
    plans = planner()
    asked = request(plans, "gap-30", 3)
    start = asked.start.copy()
    start[6:9] = 0.8, -0.4, 0.7
    answer = plans.plan(GlobalRequest(start, asked.goal, asked.layers, 3))
    assert answer.status is GlobalStatus.VALID
    # The gait's own vertical speed is left out.
    np.testing.assert_allclose(answer.body.states[0, 6:9], (0.8, -0.4, 0.0), atol=1e-9)
    assert slow_faults(answer.body, plans, world("gap-30")) == []


def test_without_room_to_stop_there_is_no_plan():
    plans = planner(budget=20_000)
    asked = request(plans, "gap-80", start=(2.7, 0.0))
    start = asked.start.copy()
    start[6] = 2.0
    answer = plans.plan(GlobalRequest(start, asked.goal, asked.layers))
    assert answer.status is GlobalStatus.UNSOLVED
    assert answer.body is None
    assert "no way nearer to the goal was found by testing 2" in answer.reason


GRIDS = st.integers(0, 2**32 - 1)


@pytest.mark.slow
@given(GRIDS)
@settings(max_examples=10, deadline=None)
def test_plans_over_random_grounds_are_valid_for_an_independent_checker(seed):
    rng = np.random.default_rng(seed)
    heights = np.zeros((201, 121))
    x, y = 0.02 * np.arange(201) - 1.0, 0.02 * np.arange(121) - 1.2
    for _ in range(int(rng.integers(1, 5))):
        left, near = rng.uniform(0.6, 1.8), rng.uniform(-1.2, 0.8)
        inside = (x[:, None] > left) & (x[:, None] < left + rng.uniform(0.1, 0.5))
        inside = inside & (y > near) & (y < near + rng.uniform(0.2, 1.5))
        heights[inside] = rng.choice([-0.5, 0.1, 0.2, 0.5])
    board = SimpleNamespace(heights=HeightMap(heights, (-1.0, -1.2), 0.02), pits=heights < -0.4)
    plans = planner(budget=300_000)
    layers = body_layers(ElevationMap.of(board.heights), GO2_LIKE.leg_length)
    start = np.zeros(12)
    start[2] = GO2_LIKE.standing
    answer = plans.plan(GlobalRequest(start, (2.6, 0.0), layers, seed % 1000))
    if answer.body is not None:
        assert slow_faults(answer.body, plans, board) == []
        assert (answer.body.states[-1, 6:] == 0.0).all()
    else:
        assert answer.status in (GlobalStatus.UNSOLVED, GlobalStatus.INVALID_GOAL)


def test_random_numbers_are_those_of_the_paper():
    # MRG32k3a with all six words 12345, computed here from its definition with whole numbers.
    first, second = [12345] * 3, [12345] * 3
    state = np.full(6, 12345, dtype=np.int64)
    for _ in range(50):
        a = (1403580 * first[1] - 810728 * first[0]) % 4294967087
        b = (527612 * second[2] - 1370589 * second[0]) % 4294944443
        first, second = [*first[1:], a], [*second[1:], b]
        expected = ((a - b) % 4294967087 or 4294967087) / 4294967088
        assert UNIFORM(state) == expected
    # The first one is printed in L'Ecuyer's RngStreams manual as 0.127011122046577.
    assert UNIFORM(np.full(6, 12345, dtype=np.int64)) == pytest.approx(0.127011122046577, abs=1e-14)


def test_random_numbers_have_their_distributions():
    state = seeded(7)
    numbers = np.array([UNIFORM(state) for _ in range(4000)])
    assert 0.0 < numbers.min() < 0.002
    assert 0.998 < numbers.max() < 1.0
    assert numbers.mean() == pytest.approx(0.5, abs=0.02)
    assert {WHOLE(state, 4, 6) for _ in range(200)} == {4, 5, 6}
    speeds = np.array([LOGNORMAL(state, 0.75, 0.4) for _ in range(8000)])
    assert speeds.mean() == pytest.approx(0.75, abs=0.02)
    assert speeds.std() == pytest.approx(0.4, abs=0.03)


def test_headings_are_unwrapped_and_standing_keeps_the_last():
    way = np.array([[0.0, 0.0], [-1.0, 0.1], [-1.0, -0.1], [0.01, 0.01], [0.0, -1.0]])
    by_hand = [math.pi - math.atan(0.1)] * 2 + [math.pi + math.atan(0.1)] * 2 + [1.5 * math.pi]
    assert headings(way).tolist() == pytest.approx(by_hand)
    assert headings(np.zeros((3, 2))).tolist() == [0.0] * 3


@given(st.floats(-20.0, 20.0), st.integers(1, 25), st.floats(0.0, 0.98))
def test_yaw_begins_where_the_robot_is_and_comes_to_the_heading(yaw, window, memory):
    heading = np.full(400, 0.5)
    turned = smoothed_yaw(heading, yaw, window, memory)
    assert turned[0] == pytest.approx(yaw, abs=1e-9)
    assert math.remainder(turned[-1] - 0.5, 2.0 * math.pi) == pytest.approx(0.0, abs=2e-3)
    # It turns by half a circle at most.
    assert np.ptp(turned) <= math.pi + 1e-9


def test_angular_velocities_against_rotations():
    times = np.linspace(0.0, 1.0, 2001)
    attitudes = np.stack([0.3 * np.sin(times), 0.5 * np.cos(2.0 * times), 1.5 * times**2], axis=-1)
    found = angular_velocities(attitudes, times[1])
    for n in (400, 1000, 1700):
        before, after = from_rpy(attitudes[n - 1]), from_rpy(attitudes[n + 1])
        turn = log(multiply(conjugate(before), after))
        np.testing.assert_allclose(found[n], turn / (2.0 * times[1]), atol=2e-3)
