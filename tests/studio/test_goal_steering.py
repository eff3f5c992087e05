"""A robot that is told a place: it turns to it, goes there and stands, by the speeds that are asked of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.control.steering import Heading
from andante.robots.records import Vector
from andante.runs.live.source import SteeringWish
from andante.studio.goal_steering import ARRIVED, GoalSteering
from andante.studio.terrain_walk import PageSource

FAST = Heading(0.5, 0.2, 1.0)


def base(x: float, y: float, yaw: float) -> Vector:
    return np.array([x, y, 0.3, math.cos(0.5 * yaw), 0.0, 0.0, math.sin(0.5 * yaw)])


@pytest.mark.slow
@given(
    st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(-3.1, 3.1), st.floats(0.2, 1.0), st.sampled_from([0.02, 0.2])
)
def test_what_does_as_it_is_asked_comes_to_the_place(x: float, y: float, yaw: float, share: float, late: float) -> None:
    goal, place, looks = GoalSteering(np.array([x, y])), np.zeros(2), yaw
    for _ in range(4000):
        forward, lateral, turn = goal.wish(base(*place, looks), FAST, share)
        assert lateral == 0.0
        assert abs(forward) <= share + 0.026
        assert abs(turn) <= share + 0.026
        if goal.arrived:
            break
        looks += late * turn * FAST.turn
        place += late * forward * FAST.forward * np.array([math.cos(looks), math.sin(looks)])
    assert goal.arrived
    assert math.dist(place, (x, y)) <= ARRIVED
    assert goal.wish(base(*place, looks), FAST, share) == (0.0, 0.0, 0.0)


def test_signs() -> None:
    left = GoalSteering(np.array([0.0, 2.0])).wish(base(0.0, 0.0, 0.0), FAST, 1.0)
    assert left[0] == 0.0
    assert left[2] == 1.0
    assert GoalSteering(np.array([0.0, -2.0])).wish(base(0.0, 0.0, 0.0), FAST, 0.5)[2] == -0.5
    assert GoalSteering(np.array([2.0, 0.0])).wish(base(0.0, 0.0, 0.0), FAST, 0.8) == (0.8, 0.0, 0.0)


def test_a_page_that_asks_no_more_renews_nothing() -> None:
    """The command's age counts from the page's last word: its number changes with that and not by itself."""
    source = PageSource()
    assert not source.go((1.0, 0.0), base(0.0, 0.0, 0.0), FAST, 1.0)
    asked = source.poll()
    assert (asked.forward, asked.number) == (1.0, 1)
    assert source.poll() is asked
    assert source.go((1.0, 0.0), base(0.95, 0.0, 0.0), FAST, 1.0)
    assert not source.go((1.0, 0.0), base(0.95, 0.0, 0.0), FAST, 1.0)
    source.steer(SteeringWish(forward=0.3))
    assert source.goal is None
    assert source.poll() == SteeringWish(forward=0.3)
    assert source.poll().number == 4


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.05, -0.05)])
def test_where_it_stands_already_nothing_is_asked(place: tuple[float, float]) -> None:
    goal = GoalSteering(np.array(place))
    assert goal.wish(base(0.0, 0.0, 2.0), FAST, 1.0) == (0.0, 0.0, 0.0)
    assert goal.arrived


@given(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(-3.1, 3.1))
def test_a_robot_that_turns_fast_does_not_overshoot_between_two_looks(x: float, y: float, yaw: float) -> None:
    """LittleDog's trot turns by up to 7.4 rad/s, and a page looks four times a second."""
    fast, late = Heading(0.92, 0.75, 7.36), 0.25
    goal, place, looks, time = GoalSteering(np.array([x, y])), np.zeros(2), yaw, 0.0
    while time < 30.0:
        forward, _, turn = goal.wish(base(*place, looks), fast, 0.6)
        if goal.arrived:
            break
        looks += late * turn * fast.turn
        place += late * forward * fast.forward * np.array([math.cos(looks), math.sin(looks)])
        time += late
    assert goal.arrived
    # Turning round takes some 3 s; the way and its slow end the rest.
    assert time < 12.0
