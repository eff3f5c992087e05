"""The guard and coupled joints: one motor, so one command and one set of limits."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from guard_model import ticks_of
from test_guard import sensors_at
from test_guard_limits import TICK, asked, limits, settled

from andante.control.guard import Guard
from andante.control.interventions import Intervention
from andante.robots.robot import Robot


def test_a_follower_begins_where_its_leader_is_measured(uneven: Robot) -> None:
    guard, sensors = Guard(uneven, TICK), sensors_at(uneven, 0.0, 0.1)
    sensors.position[5] = 0.3
    out = guard.apply(asked(uneven, 0.1), sensors)
    assert out.position == pytest.approx(np.full(9, 0.1), abs=0.0)
    assert limits(guard) == []


def test_a_follower_of_which_all_five_numbers_differ_gets_its_leaders(uneven: Robot) -> None:
    guard, time = settled(uneven)
    command = asked(uneven)
    for row, value in zip(command.vector.reshape(5, 9), (0.002, 0.2, 6.0, 0.6, 0.3), strict=True):
        row[5] = value
    out = guard.apply(command, sensors_at(uneven, time + TICK))
    rows = out.vector.reshape(5, 9)
    assert rows[:, 5].tolist() == rows[:, 3].tolist() == [0.0, 0.0, 5.0, 0.5, 0.0]
    (event,) = guard.take_events()
    assert event.data == {"joint": "RHipYawPitch", "limit": "coupling"}


def test_only_the_follower_that_differs_is_told(uneven: Robot) -> None:
    guard, time = settled(_with_two_followers(uneven))
    command = asked(uneven)
    command.kp[2] = 4.0
    guard.apply(command, sensors_at(uneven, time + TICK))
    assert [event.data["joint"] for event in guard.take_events()] == ["LShoulderRoll"]
    assert ticks_of(guard, Intervention.COUPLING) == 1


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_all_followers_of_a_leader_stay_within_the_narrowest_limits(uneven: Robot, side: float) -> None:
    robot = _with_two_followers(uneven)
    guard = Guard(robot, TICK)
    for tick in range(120):
        command = asked(robot)
        command.position[[2, 3, 5]] = side * 2.0
        out = guard.apply(command, sensors_at(robot, tick * TICK))
        assert len(set(out.position[[2, 3, 5]].tolist())) == 1
    # the second follower ends at 1.2 rad, the leader at -0.7 rad
    assert out.position[2] == pytest.approx(1.2 if side > 0.0 else -0.7, abs=1e-3)


def _with_two_followers(robot: Robot) -> Robot:
    """Joint 3 leads 2, which may go from -1.2 to 1.2 rad or a little farther, and 5."""
    joints = list(robot.joints)
    joints[2] = dataclasses.replace(joints[2], follows=joints[3].name, upper=1.3)
    return dataclasses.replace(robot, joints=tuple(joints))
