"""Clocks against a scripted time, and statistics against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.runs.errors import RunError
from andante.runs.loop.clock import Clock, RealTimeClock, Welford

MS = 1_000_000


class ScriptedTime:
    """Monotonic time that moves when someone sleeps or looks at it."""

    def __init__(self, look: int = 1000, overshoot: int = 0) -> None:
        self.time = 5_000 * MS
        self.look = look
        self.overshoot = overshoot
        self.slept: list[float] = []

    def now(self) -> int:
        self.time += self.look
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += round(seconds * 1e9) + self.overshoot


def clock_on(script: ScriptedTime, **options: float) -> RealTimeClock:
    return RealTimeClock(now=script.now, sleep=script.sleep, **options)  # type: ignore[arg-type]


def test_deadlines_are_absolute_so_that_errors_do_not_add_up() -> None:
    script = ScriptedTime(overshoot=100_000)
    clock = clock_on(script)
    clock.start(10 * MS)
    start = script.time
    for tick in range(100):
        clock.wait_until(tick * 10 * MS)
        script.time += 3 * MS
    assert script.time - start == pytest.approx(99 * 10 * MS + 3 * MS, abs=5_000)
    assert clock.lateness.missed == 0
    assert clock.lateness.maximum < 3e-6


def test_sleeping_ends_before_the_deadline_and_the_rest_is_spun() -> None:
    script = ScriptedTime()
    clock = clock_on(script, spin=300e-6)
    clock.start(10 * MS)
    clock.wait_until(10 * MS)
    assert script.slept == [pytest.approx(9.7e-3, abs=1e-5)]


def test_a_late_tick_is_counted_and_caught_up() -> None:
    script = ScriptedTime()
    clock = clock_on(script)
    clock.start(10 * MS)
    start = script.time
    for tick in range(10):
        clock.wait_until(tick * 10 * MS)
        if tick == 3:
            script.time += 25 * MS
    lateness = clock.lateness
    # tick 4, due at 40 ms, begins at 55 ms; tick 5, due at 50 ms, half a period later
    assert (lateness.count, lateness.missed, lateness.slips) == (10, 2, 0)
    assert lateness.maximum == pytest.approx(0.015, abs=1e-5)
    assert script.time - start == pytest.approx(90 * MS, abs=10_000)


def test_late_ticks_are_caught_up_at_twice_the_pace_and_not_in_a_burst() -> None:
    script = ScriptedTime()
    clock = clock_on(script)
    clock.start(10 * MS)
    begins = []
    for tick in range(30):
        clock.wait_until(tick * 10 * MS)
        begins.append(script.time)
        script.time += 95 * MS if tick == 3 else 1 * MS
    steps = np.diff(begins) / MS
    assert steps[3] == pytest.approx(95.0, abs=0.01)
    # 85 ms behind, and 5 ms less with each tick: 17 ticks of half a period, then whole ones
    assert steps[4:21] == pytest.approx(np.full(17, 5.0), abs=0.01)
    assert steps[21:] == pytest.approx(np.full(8, 10.0), abs=0.01)
    with pytest.raises(RunError, match="late ticks need a pace"):
        RealTimeClock(pace=1.0)


def test_after_a_long_stop_the_deadlines_move_instead_of_a_burst_of_ticks() -> None:
    script = ScriptedTime()
    clock = clock_on(script)
    clock.start(10 * MS)
    clock.wait_until(0)
    script.time += 2_000 * MS
    clock.wait_until(10 * MS)
    before = script.time
    clock.wait_until(20 * MS)
    assert script.time - before == pytest.approx(10 * MS, abs=10_000)
    assert clock.lateness.slips == 1


def test_a_watched_simulation_of_short_ticks_catches_up_after_a_stall_of_many_periods() -> None:
    script = ScriptedTime(look=100)
    clock = clock_on(script, late=1.0)
    clock.start(2 * MS)
    start = script.time
    for tick in range(301):
        clock.wait_until(tick * 2 * MS)
        if tick == 3:
            script.time += 150 * MS
    assert clock.lateness.slips == 0
    assert script.time - start == pytest.approx(600 * MS, abs=10_000)
    script.time += 1_100 * MS
    clock.wait_until(301 * 2 * MS)
    assert clock.lateness.slips == 1
    with pytest.raises(RunError, match=r"may be late must be a number of at least 0; got -0\.1"):
        RealTimeClock(late=-0.1)


def test_slow_motion_stretches_the_deadlines() -> None:
    script = ScriptedTime()
    clock = clock_on(script, speed=0.25)
    clock.start(10 * MS)
    start = script.time
    clock.wait_until(10 * MS)
    assert script.time - start == pytest.approx(40 * MS, abs=10_000)


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf")])
def test_a_senseless_speed_is_refused(speed: float) -> None:
    with pytest.raises(RunError, match="speed of a real-time run must be a positive number"):
        RealTimeClock(speed)


def test_a_simulated_clock_never_waits() -> None:
    clock = Clock()
    clock.start(1)
    clock.wait_until(10**18)
    assert clock.lateness.count == 0


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
def test_welford_agrees_with_numpy(values: list[float]) -> None:
    seen = Welford()
    for value in values:
        seen.add(value)
    assert seen.mean == pytest.approx(np.mean(values), abs=1e-6)
    assert seen.deviation == pytest.approx(np.std(values), abs=1e-3)
    assert seen.maximum == max(values)
