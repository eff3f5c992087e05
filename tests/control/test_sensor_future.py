"""Readings whose time stamps are of the future, or of another clock: named, and nothing moves by them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from andante.control.plausibility import SensorCheck
from andante.robots.robot import Robot

PERIOD = 0.01
Stamp = Callable[[int], float]


def looked_at(robot: Robot, stamp: Stamp, ticks: int = 1000) -> tuple[list[str], int | None, int | None, str, float]:
    """What was told, the first ticks at which a controller may move and must stop, why, and the time at the end."""
    check, told, ready, lost = SensorCheck(robot, PERIOD), [], None, None
    time = 0.0
    for tick in range(ticks):
        sensors = robot.sensors()
        sensors.vector[0], sensors.orientation[0], sensors.health[:] = stamp(tick), 1.0, 1.0
        time = check.apply(sensors, None).time
        told += [event.text for event in check.take_events()]
        ready = tick if ready is None and check.ready else ready
        if check.lost:
            return told, ready, tick, check.lost, time
    return told, ready, lost, "", time


@pytest.mark.parametrize(
    ("start", "text"),
    [
        (1000.0, "clock: jumped ahead by 1e+03 s"),
        (0.5, "clock: jumped ahead by 0.5 s"),
        (-5.0, "clock: went back by 5 s"),
    ],
)
def test_a_clock_that_does_not_begin_with_the_run_is_told_and_counts_from_its_begin(
    tiny: Robot, start: float, text: str
) -> None:
    told, ready, lost, _, time = looked_at(tiny, lambda tick: start + tick * PERIOD)
    assert told == [text, "clock: goes on"]
    assert (ready, lost) == (1, None)
    assert time == pytest.approx(999 * PERIOD)


@pytest.mark.parametrize(
    ("stamp", "reason"),
    [
        (lambda tick: 2.0 * tick * PERIOD, "clock: 1.00 s ahead of the run"),
        (lambda tick: 1.2 * tick * PERIOD, "clock: 1.00 s ahead of the run"),
        (lambda tick: tick * PERIOD + (0.4 if tick % 7 == 3 else 0.0), "clock: went back again and again"),
        (lambda tick: 0.9 * tick, "clock: ticks lost again and again"),
        (lambda tick: 10.0 - tick * PERIOD, "clock: "),
    ],
    ids=["double", "a fifth", "to and fro", "leaps", "backward"],
)
def test_a_clock_that_tells_no_time_stops_the_robot(tiny: Robot, stamp: Stamp, reason: str) -> None:
    told, _, lost, why, time = looked_at(tiny, stamp)
    assert lost is not None
    assert why.startswith(reason)
    assert time - lost * PERIOD < 1.1 or told


@pytest.mark.parametrize(
    "stamp",
    [
        lambda tick: max(tick - 3, 0) * PERIOD,
        lambda tick: (tick - tick % 5) * PERIOD,
        lambda tick: 0.98 * tick * PERIOD,
        lambda tick: tick * PERIOD + (0.9 if tick > 300 else 0.0) + (0.9 if tick > 600 else 0.0),
        lambda tick: tick * PERIOD + 0.004 * (tick % 2),
    ],
    ids=["late", "every fifth", "slow", "two pauses", "jitter"],
)
def test_clocks_that_can_be_told_by_go_on(tiny: Robot, stamp: Stamp) -> None:
    _, ready, lost, _, _ = looked_at(tiny, stamp)
    assert (ready, lost) == (0, None)
