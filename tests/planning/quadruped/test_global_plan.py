"""The global plan over the worlds: found, valid against the board, always the same, honest where there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from global_worlds import GO2_LIKE, planner, request, slow_faults, world

from andante.planning.quadruped.body_plan import Primitive
from andante.planning.quadruped.global_plan.planner import GlobalStatus

SOLVED = ("flat", "slope-20", "slope-40", "step-10", "step-15", "step-20", "stairs-13x28", "gap-20", "gap-30", "gap-40")
MORE = ("slope-20-hole", "step-10-local-min", "rough-25")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", [*SOLVED, *MORE])
def test_worlds_are_solved_and_every_state_is_valid_against_the_board(name, seed):
    plans = planner()
    answer = plans.plan(request(plans, name, seed))
    assert answer.status is GlobalStatus.VALID, answer.reason
    assert slow_faults(answer.body, plans, world(name)) == []
    states = answer.body.states
    np.testing.assert_allclose(states[-1, :2], (5.0, 0.0), atol=1e-9)
    assert (states[-1, 6:] == 0.0).all()
    assert answer.reason == ""
    assert answer.statistics.remaining < 1e-9
    assert answer.statistics.length == pytest.approx(answer.body.length, abs=1e-6)
    assert answer.statistics.length <= answer.statistics.found_length + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_stairs_are_climbed_straight_and_slower_than_the_floor_is_walked(seed):
    plans = planner()
    plan = plans.plan(request(plans, "stairs-13x28", seed)).body
    assert (plan.primitives == Primitive.CONNECT).all()
    assert plan.length == pytest.approx(5.0, abs=0.3)
    speeds = np.hypot(*plan.states[:, 6:8].T)
    climbing = np.abs(plan.states[:, 8]) > 0.2
    # Treads of 28 cm that rise by 13 cm each.
    assert speeds[climbing].max() * 13.0 / 28.0 <= 1.1 * plans.settings.climbing_speed
    assert speeds.max() > 1.05 * speeds[climbing].max()


@pytest.mark.parametrize("name", ["gap-20", "gap-30", "gap-40"])
def test_gaps_are_leapt_with_a_push_a_flight_and_a_landing_of_whole_steps(name):
    plans = planner()
    plan = plans.plan(request(plans, name, 1)).body
    changes = np.flatnonzero(np.diff(plan.primitives)) + 1
    order = [plan.primitives[0], *plan.primitives[changes]]
    assert order == [
        Primitive.CONNECT,
        Primitive.LEAP_STANCE,
        Primitive.FLIGHT,
        Primitive.LAND_STANCE,
        Primitive.CONNECT,
    ]
    push, flight, land = np.diff(changes)
    low, high = plans.settings.push
    assert low <= push <= high
    assert low <= land <= high
    assert plans.settings.flight[0] <= flight <= plans.settings.flight[1]


@pytest.mark.slow
def test_a_gap_that_is_too_wide_gives_a_plan_that_stops_before_it_and_says_so():
    plans = planner(budget=150_000)
    answer = plans.plan(request(plans, "gap-80", 0))
    assert answer.status is GlobalStatus.PARTIAL
    assert answer.body.partial
    assert "no way to the goal was found by testing" in answer.reason
    assert f"stops {answer.statistics.remaining:.2f} m before it" in answer.reason
    assert slow_faults(answer.body, plans, world("gap-80")) == []
    end = answer.body.states[-1]
    assert 2.0 < end[0] < 3.0
    assert (end[6:] == 0.0).all()
    assert answer.statistics.checks >= 150_000


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_plan():
    plans = planner()
    one, again, other = (plans.plan(request(plans, "gap-40", seed)) for seed in (5, 5, 6))
    for name in ("states", "forces", "primitives"):
        assert getattr(one.body, name).tobytes() == getattr(again.body, name).tobytes()
    assert one.statistics == again.statistics
    assert one.body.states.tobytes() != other.body.states.tobytes()


def test_the_plan_moves_as_its_velocities_say():
    plans = planner()
    plan = plans.plan(request(plans, "gap-30", 2)).body
    moved = np.diff(plan.states[:, :2], axis=0) / plan.step
    mean = 0.5 * (plan.states[1:, 6:8] + plan.states[:-1, 6:8])
    # The mean of the ends' velocities misses a cubic's by jerk * step^2 / 12, and a push's by a little more.
    assert np.abs(moved - mean).max() < 0.02
    flying = plan.primitives[:-1] == Primitive.FLIGHT
    fall = np.diff(plan.states[:, 8])[flying] / plan.step
    np.testing.assert_allclose(fall, -9.81, atol=0.02)


def test_the_plan_begins_at_the_robots_yaw_and_turns_to_its_way():
    plans = planner()
    plan = plans.plan(request(plans, "flat", 0, yaw=2.0 + 4.0 * math.pi)).body
    yaw = plan.states[:, 5]
    assert yaw[0] == pytest.approx(2.0 + 4.0 * math.pi)
    assert np.abs(np.diff(yaw)).max() < 0.1
    assert yaw[-1] == pytest.approx(4.0 * math.pi, abs=0.05)


def test_pitch_follows_a_slope():
    plans = planner()
    plan = plans.plan(request(plans, "slope-20", 0)).body
    on = (plan.states[:, 0] > 2.0) & (plan.states[:, 0] < 4.0)
    # Nose up is below zero; a grade of 0.2 is 0.1974 rad.
    np.testing.assert_allclose(plan.states[on, 4], -math.atan(0.2), atol=1e-6)


def test_forces_carry_the_weight_and_what_moves_it():
    plans = planner()
    plan = plans.plan(request(plans, "gap-30", 0)).body
    mean = plan.forces[:-1].mean(axis=0)
    # From rest to rest at one height the mean force is the weight.
    assert mean[2] == pytest.approx(GO2_LIKE.mass * 9.81, rel=0.03)
    assert np.abs(mean[:2]).max() < 0.02 * GO2_LIKE.mass * 9.81
    assert (plan.forces[plan.primitives == Primitive.FLIGHT] == 0.0).all()
