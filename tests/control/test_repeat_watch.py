"""Joints whose readings stand still while those of the others go on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.control.quadruped.repeats import RepeatWatch
from andante.robots.robot import Robot

ROBOT = Robot.load("spirit40")
TICK = ROBOT.tick


def first(repeats: np.ndarray, frozen_after: float) -> int:
    """As a sentence says it."""
    frozen = repeats * TICK >= frozen_after
    return int(np.flatnonzero(frozen)[0]) if frozen.any() and 2 * frozen.sum() <= len(frozen) else -1


@given(
    st.lists(st.lists(st.integers(0, 1), min_size=12, max_size=12), min_size=1, max_size=30),
    st.sampled_from([2.5 * TICK, 4.5 * TICK]),
)
def test_the_first_joint_that_repeats_itself_long_enough_is_named(ticks: list[list[int]], frozen_after: float) -> None:
    watch, sensors = RepeatWatch(ROBOT, frozen_after), ROBOT.sensors(np.zeros(ROBOT.sensors_layout.size))
    repeats, last = np.zeros(12, dtype=int), None
    for values in ticks:
        sensors.position[:] = values
        repeats = np.zeros(12, dtype=int) if last is None else np.where(last == sensors.position, repeats + 1, 0)
        last = sensors.position.copy()
        assert watch.frozen(sensors) == first(repeats, frozen_after)


@pytest.mark.parametrize("changing", ["position", "velocity"])
def test_a_joint_of_which_one_reading_changes_is_alive(changing: str) -> None:
    watch, sensors = RepeatWatch(ROBOT, 3.5 * TICK), ROBOT.sensors(np.zeros(ROBOT.sensors_layout.size))
    found = []
    for tick in range(8):
        sensors["position"][:], sensors["velocity"][:] = 0.01 * tick, 0.0
        sensors["position"][4] = 0.3
        if changing == "velocity":
            sensors["velocity"][4] = tick
        found.append(watch.frozen(sensors))
    # Four repeats last 4 ticks.
    assert found == ([-1, -1, -1, -1, 4, 4, 4, 4] if changing == "position" else 8 * [-1])


def test_all_joints_at_rest_are_no_frozen_joints_and_reset_forgets() -> None:
    watch, sensors = RepeatWatch(ROBOT, 1.5 * TICK), ROBOT.sensors(np.zeros(ROBOT.sensors_layout.size))
    assert [watch.frozen(sensors) for _ in range(5)] == 5 * [-1]
    sensors.position[:6] += 1.0
    assert watch.frozen(sensors) == 6
    watch.reset()
    assert watch.frozen(sensors) == -1
