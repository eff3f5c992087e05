"""Clocks: when the next tick may begin, and how late it did.

A simulated clock never waits. The real-time clock holds every tick at an absolute deadline counted from the start, so
that the error of one wait is never added to the next: it sleeps until shortly before the deadline and spins through
the rest, because a sleeping thread wakes up some 0.1 ms late. Late ticks are caught up at twice the pace, never in a
burst: a servo that gets ten commands at once sees only the last one, as a jump.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from andante.backends.hardware.pace import Pace
from andante.backends.hardware.quantiles import Quantiles
from andante.runs.errors import RunError

NANOSECONDS = 1_000_000_000
"""Nanoseconds per second."""


@dataclass(frozen=True)
class ClockLateness:
    """How late the ticks of a run began."""

    count: int = 0
    """Number of ticks."""
    mean: float = 0.0
    """Mean lateness [s]."""
    deviation: float = 0.0
    """Standard deviation of the lateness [s]."""
    maximum: float = 0.0
    """Greatest lateness [s]."""
    missed: int = 0
    """Ticks that began at least one period late."""
    slips: int = 0
    """How often the deadlines were moved because the run had fallen too far behind."""
    p50: float = 0.0
    """Half of the ticks were no later [s]."""
    p99: float = 0.0
    """99 % of the ticks were no later [s]."""
    p999: float = 0.0
    """99.9 % of the ticks were no later [s]."""
    drift: float = 0.0
    """By how much the clock of the robot that paces the run is faster than the computer's, as a share."""
    waited_p99: float | None = None
    """In 99 % of the ticks the run waited no longer for a processor; None: not known [s]."""
    waited_max: float | None = None
    """The longest such wait in one tick; None: not known [s]."""


class Welford:
    """Mean, variance and maximum of a stream of numbers in constant memory (Welford 1962)."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self.maximum = 0.0
        self._squares = 0.0

    def add(self, value: float) -> None:
        """Take one more number."""
        self.count += 1
        delta = value - self.mean
        self.mean += delta / self.count
        self._squares += delta * (value - self.mean)
        if value > self.maximum or self.count == 1:
            self.maximum = value

    @property
    def deviation(self) -> float:
        """Standard deviation of the numbers so far (0 for fewer than two)."""
        return math.sqrt(max(self._squares, 0.0) / self.count) if self.count > 1 else 0.0


class Clock:
    """Decides when a tick may begin: as fast as possible, as time is what the backend says."""

    real_time = False
    """True where waiting takes real time."""

    def start(self, period: int) -> None:
        """Begin a run with ticks of ``period`` [ns]."""

    def wait_until(self, moment: int) -> None:
        """Return at ``moment`` after the start [ns]."""

    def rebase(self, moment: int) -> None:
        """After a pause or a jump in time: ``moment`` after the start is now [ns]."""

    @property
    def lateness(self) -> ClockLateness:
        """Statistics of the run so far; a simulated tick is never late."""
        return ClockLateness()


WATCHED = 1.0
"""Time by which a simulation that somebody looks at may be late before its deadlines move [s]."""


class RealTimeClock(Clock):
    """Absolute deadlines against the computer's monotonic clock.

    Args:
        speed: Run time per real time; 0.5 is slow motion.
        spin: The last part of each wait that is spent spinning [s].
        late_periods: Periods that a tick may be late before the deadlines move. Below it, late ticks are caught up;
            above it (a debugger, a suspended computer), old ticks would do harm.
        late: Time that a tick may be late at least before the deadlines move, however short the period is [s]. Old
            ticks do a simulation no harm: one that is looked at may fall behind for a moment and catch up.
        pace: Least time between two ticks, as a share of the period.
        now: Monotonic time [ns].
        sleep: Sleeps for some seconds.

    Raises:
        RunError: ``speed`` is not a positive number, ``pace`` not a share below 1, or ``late`` negative.
    """

    real_time = True

    def __init__(
        self,
        speed: float = 1.0,
        *,
        spin: float = 300e-6,
        late_periods: int = 10,
        late: float = 0.0,
        pace: float = 0.5,
        now: Callable[[], int] = time.perf_counter_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not (math.isfinite(speed) and speed > 0.0):
            raise RunError("the speed of a real-time run must be a positive number", value=speed)
        if not 0.0 <= pace < 1.0:
            raise RunError("late ticks need a pace at which they can be caught up", value=pace, limit="0 <= pace < 1")
        if not (math.isfinite(late) and late >= 0.0):
            raise RunError("the time that a tick may be late must be a number of at least 0", value=late)
        self._speed = speed
        self._spin = int(spin * NANOSECONDS)
        self._late_periods, self._late, self._pace = late_periods, int(late * NANOSECONDS), pace
        self._now = now
        self._sleep = sleep
        self.start(0)

    def start(self, period: int) -> None:
        """Begin now; forgets earlier statistics."""
        self._statistics, self._quantiles = Welford(), Quantiles()
        self._missed = self._slips = 0
        self._period = int(period / self._speed)
        self._least = int(self._period * self._pace)
        self._origin = self._now()
        self._last = self._origin - self._period

    def wait_until(self, moment: int) -> None:
        """Sleep, then spin, until ``moment`` [ns] after the start; note how late it got."""
        deadline = self._origin + int(moment / self._speed)
        begin = max(deadline, self._last + self._least)
        left = begin - self._now()
        if left > self._spin:
            self._sleep((left - self._spin) / NANOSECONDS)
        now = self._now()
        while now < begin:
            now = self._now()
        self._last = now
        late = now - deadline
        self._statistics.add(late / NANOSECONDS)
        self._quantiles.add(late / NANOSECONDS)
        if late >= self._period > 0:
            self._missed += 1
            if late > max(self._late_periods * self._period, self._late):
                self._origin += late
                self._slips += 1

    def rebase(self, moment: int) -> None:
        """Count deadlines anew, with ``moment`` [ns] after the start due now."""
        now = self._now()
        self._origin = now - int(moment / self._speed)
        self._last = now - self._period

    @property
    def lateness(self) -> ClockLateness:
        """Statistics since `start`."""
        seen = self._statistics
        p50, p99, p999 = (min(self._quantiles.at(share), seen.maximum) for share in (0.5, 0.99, 0.999))
        counts = (seen.count, seen.mean, seen.deviation, seen.maximum, self._missed, self._slips)
        return ClockLateness(*counts, p50, p99, p999)


def lateness_of(pace: Pace) -> ClockLateness:
    """How late the ticks of a run were that a robot paced: its states by the line of their earliest arrivals."""
    return ClockLateness(
        pace.ticks,
        pace.late_mean,
        0.0,
        pace.late_max,
        pace.missed,
        0,
        pace.late_p50,
        pace.late_p99,
        pace.late_p999,
        pace.drift,
        pace.waited_p99,
        pace.waited_max,
    )
