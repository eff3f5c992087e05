"""Pace: how late a robot's states came and were answered, in constant memory however long a run takes."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

_LEAST, _PER_DECADE, _DECADES = 1e-6, 60, 8
"""Buckets from 1 us to 100 s, 60 per factor of ten: a quantile is right within 4 %."""
_PULL = 0.002
"""Share by which the line of earliest arrivals is drawn to later ones at each tick."""

_INTERVALS = 300
"""Intervals by which the rate is told."""
_LEAST_TICKS = 30
"""The drift is told by so many ticks at least."""


class Quantiles:
    """Quantiles of a stream of times in a histogram with buckets of equal ratio."""

    def __init__(self) -> None:
        self._counts = np.zeros(_PER_DECADE * _DECADES + 2, dtype=np.int64)

    def add(self, value: float) -> None:
        """Take one more time [s]."""
        place = 0 if value < _LEAST else 1 + int(math.log10(value / _LEAST) * _PER_DECADE)
        self._counts[min(place, len(self._counts) - 1)] += 1

    def at(self, share: float) -> float:
        """The time that this share of all times does not exceed [s]; 0 where there were none."""
        total = int(self._counts.sum())
        if not total:
            return 0.0
        place = int(np.searchsorted(np.cumsum(self._counts), share * total))
        return 0.0 if place == 0 else _LEAST * 10.0 ** (place / _PER_DECADE)


@dataclass(frozen=True)
class Pace:
    """How a run kept pace with the robot that paces it."""

    ticks: int = 0
    """Ticks of the run."""
    late_mean: float = 0.0
    """Mean lateness of the states [s]."""
    late_p50: float = 0.0
    """Half of the states came no later than this after the line of the earliest arrivals [s]."""
    late_p99: float = 0.0
    """The same for 99 % [s]."""
    late_p999: float = 0.0
    """The same for 99.9 % [s]."""
    late_max: float = 0.0
    """The latest [s]."""
    answer_p50: float = 0.0
    """Half of the commands left no later than this after the arrival of their state [s]."""
    answer_p99: float = 0.0
    """The same for 99 % [s]."""
    answer_max: float = 0.0
    """The longest [s]."""
    missed: int = 0
    """Cycles of the robot that got no command of their own."""
    lost: int = 0
    """States that the robot sent and that never arrived."""
    silent: int = 0
    """Ticks without a new state."""
    drift: float = 0.0
    """By how much the robot's clock is faster than the computer's, as a share."""


class PaceWatch:
    """Measures a run's `Pace`.

    Args:
        period: Time between two states by the robot's clock [s].
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self._late, self._answer = Quantiles(), Quantiles()
        self._late_max = self._answer_max = self._late_sum = 0.0
        self.missed = self.lost = self.silent = self.ticks = 0
        self._intervals: deque[float] = deque(maxlen=_INTERVALS)
        self._before = 0.0
        self._first: tuple[int, float] | None = None
        self._line = 0.0
        self._tick = 0
        # Running sums of a straight line through arrivals over robot time.
        self._n, self._mean_x, self._mean_y, self._sxx, self._sxy = 0, 0.0, 0.0, 0.0, 0.0

    def arrived(self, tick: int, moment: float) -> None:
        """A state of this cycle of the robot is used; it arrived at ``moment`` [s]."""
        if self._first is None:
            self._first, self._line, self._tick = (tick, moment), moment, tick
        elif tick > self._tick and moment > self._before:
            self._intervals.append((moment - self._before) / ((tick - self._tick) * self._period))
        self._before = moment
        x, y = (tick - self._first[0]) * self._period, moment - self._first[1]
        self._n += 1
        dx = x - self._mean_x
        self._mean_x += dx / self._n
        self._mean_y += (y - self._mean_y) / self._n
        self._sxx += dx * (x - self._mean_x)
        self._sxy += dx * (y - self._mean_y)
        self._line += (tick - self._tick) * self._period * self._slope
        self._tick = tick
        if self._n < _LEAST_TICKS:
            # How fast the robot's clock goes is not known yet.
            self._line = moment
            return
        late = moment - self._line
        self._line += late if late < 0.0 else _PULL * late
        late = max(late, 0.0)
        self._late.add(late)
        self._late_sum += late
        self._late_max = max(self._late_max, late)

    def answered(self, time: float) -> None:
        """A command left so long after its state had arrived [s]."""
        self.ticks += 1
        self._answer.add(time)
        self._answer_max = max(self._answer_max, time)

    @property
    def rate(self) -> float:
        """States per second over those that there should be, by the median of the last intervals between arrivals.

        States that were lost or late do not change it, whether the robot counts them or not.
        """
        return 1.0 / float(np.median(self._intervals)) if self._intervals else 1.0

    @property
    def states(self) -> int:
        """States that were used so far."""
        return self._n

    @property
    def _slope(self) -> float:
        """Computer's seconds per second of the robot."""
        return self._sxy / self._sxx if self._n >= _LEAST_TICKS and self._sxx > 0.0 else 1.0

    @property
    def pace(self) -> Pace:
        """What was measured so far."""
        late, answer = self._late, self._answer
        return Pace(
            self.ticks,
            self._late_sum / max(self._n, 1),
            min(late.at(0.5), self._late_max),
            min(late.at(0.99), self._late_max),
            min(late.at(0.999), self._late_max),
            self._late_max,
            min(answer.at(0.5), self._answer_max),
            min(answer.at(0.99), self._answer_max),
            self._answer_max,
            self.missed,
            self.lost,
            self.silent,
            1.0 / self._slope - 1.0 if self._slope > 0.0 else 0.0,
        )
