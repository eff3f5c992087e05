"""How the guard follows targets that are too far for a tick; a way of one a T^2 is the unit of all numbers here."""

from __future__ import annotations

import math

import pytest
from test_guard import sensors_at
from test_guard_limits import TICK, asked, settled

from andante.robots.robot import Robot

WAY = 110.0 * TICK**2
"""What joint 1 moves in its first tick from rest [rad]."""


def ways(robot: Robot, start: float, targets: list[float]) -> list[float]:
    """Where joint 1 is commanded in the ticks after it stood at ``start``, in units of `WAY`."""
    guard, time = settled(robot, position=start * WAY)
    out = []
    for tick, target in enumerate(targets, 1):
        command = asked(robot, start * WAY)
        command.position[1] = target * WAY
        out.append(float(guard.apply(command, sensors_at(robot, time + tick * TICK)).position[1]) / WAY)
    return out


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_target_that_stands_is_approached_so_that_braking_ends_at_it(uneven: Robot, side: float) -> None:
    # 2 units behind: with v + v^2 / 2 = 2 the joint can still stop at the target, although a tick could reach it
    found = ways(uneven, 0.0, [side * 3.0] * 2)
    assert found == pytest.approx([side, side * (1.0 + math.sqrt(5.0) - 1.0)])


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_target_that_moves_is_approached_relative_to_it(uneven: Robot, side: float) -> None:
    # 1 unit behind a target that moves 1.1 and goes 0.1 too far: closing up with v + v^2 / 2 = 1
    found = ways(uneven, 0.0, [side * 2.0, side * 3.1])
    assert found == pytest.approx([side, side * (1.0 + 1.1 + math.sqrt(3.0) - 1.0)])


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_target_on_the_other_side_of_zero_is_not_jumped_to(uneven: Robot, side: float) -> None:
    assert ways(uneven, side * 2.0, [-side]) == pytest.approx([side])
