"""Pace: how late a robot's states came and were answered, in constant memory however long a run takes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from andante.backends.hardware.processor_wait import ProcessorWait
from andante.backends.hardware.quantiles import Quantiles
from andante.robots.records import Vector

_PULL = 0.002
"""Share by which the line of earliest arrivals is drawn to later ones at each tick."""

_ARRIVALS = 300
"""Arrivals by which the rate is told."""
_NEAR, _RATES, _TOGETHER = (0.98, 1.16), 361, 0.5
"""Rates that are tried, as a share of the mean one, which lost states make too small, and how many; by how much phases
must agree."""
_GROSS = 0.2
"""A mean rate that is off by so much is told even where phases do not agree."""
_LEAST_TICKS = 30
"""The drift is told by so many ticks at least."""


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
    missed: int = 0
    """Cycles of the robot that got no command of their own."""
    drift: float = 0.0
    """By how much the robot's clock is faster than the computer's, as a share."""
    waited_p99: float | None = None
    """In 99 % of the ticks the run waited no longer for a processor; None: the system does not tell [s]."""
    waited_max: float | None = None
    """The longest such wait in one tick [s]."""


class PaceWatch:
    """Measures a run's `Pace`.

    Args:
        period: Time between two states by the robot's clock [s].
        recent: Time over which waits for a processor are added up [s].
        counted: Whether the robot counts its states, so that lost ones are known.
    """

    def __init__(self, period: float, recent: float = 0.6, *, counted: bool = True) -> None:
        self._period = period
        self.late = Quantiles()
        self.processor = ProcessorWait(round(recent / period) + 1, period)
        """How long the run waited for a processor."""
        self._late_max = self._late_sum = 0.0
        self.missed = self.lost = self.silent = self.ticks = 0
        self._counted = counted
        self._arrivals: deque[tuple[int, float]] = deque(maxlen=_ARRIVALS)
        self._first: tuple[int, float] | None = None
        self._line = 0.0
        self._tick = 0
        # Running sums of a straight line through arrivals over robot time.
        self.states, self._mean_x, self._mean_y, self._sxx, self._sxy = 0, 0.0, 0.0, 0.0, 0.0
        """The first of them: states that were used so far."""

    def seen(self, tick: int, moment: float) -> None:
        """A state of this cycle of the robot arrived at ``moment``, whether it is used or not [s]."""
        if not self._arrivals or tick > self._arrivals[-1][0]:
            self._arrivals.append((tick, moment))

    def leapt(self) -> None:
        """The robot's count has leapt: lateness and rate are told from the next state on."""
        self._arrivals.clear()
        self._first = None

    def arrived(self, tick: int, moment: float) -> None:
        """A state of this cycle of the robot is used; it arrived at ``moment`` [s]."""
        if self._first is None:
            self._first, self._line, self._tick = (tick, moment), moment, tick
        self.seen(tick, moment)
        x, y = (tick - self._first[0]) * self._period, moment - self._first[1]
        self.states += 1
        dx = x - self._mean_x
        self._mean_x += dx / self.states
        self._mean_y += (y - self._mean_y) / self.states
        self._sxx += dx * (x - self._mean_x)
        self._sxy += dx * (y - self._mean_y)
        self._line += (tick - self._tick) * self._period * self._slope
        self._tick = tick
        if self.states < _LEAST_TICKS:
            # How fast the robot's clock goes is not known yet.
            self._line = moment
            return
        late = moment - self._line
        self._line += late if late < 0.0 else _PULL * late
        late = max(late, 0.0)
        self.late.add(late)
        self._late_sum += late
        self._late_max = max(self._late_max, late)

    @property
    def rate(self) -> float | None:
        """States per second over those that there should be; None where it cannot be told."""
        if len(self._arrivals) < _LEAST_TICKS:
            return None
        ticks, moments = (np.array(each) for each in zip(*self._arrivals, strict=True))
        return self._by_count(ticks, moments) if self._counted else self._by_phase(ticks, moments)

    def _by_count(self, ticks: Vector, moments: Vector) -> float:
        """By the earliest arrivals of the first and of the last third: states may be late, never early."""
        late, third = moments - ticks * self._period, len(ticks) // 3
        first, last = int(np.argmin(late[:third])), len(ticks) - third + int(np.argmin(late[-third:]))
        return float((ticks[last] - ticks[first]) * self._period / (moments[last] - moments[first]))

    def _by_phase(self, ticks: Vector, moments: Vector) -> float | None:
        """That rate at which all arrivals have the same phase (a periodogram): a lost state that is not seen as lost
        does not change it."""
        passed = moments - moments[0]
        if passed[-1] <= 0.0:
            return None
        mean = float(ticks[-1] - ticks[0]) * self._period / float(passed[-1])
        rates = mean * np.linspace(*_NEAR, _RATES)
        together = np.abs(np.exp(2j * np.pi * np.outer(rates, passed / self._period)).mean(axis=1))
        best = int(np.argmax(together))
        if together[best] >= _TOGETHER:
            return float(rates[best])
        # States are late by more than their distance: only a gross error shows.
        return None if abs(mean - 1.0) < _GROSS else mean

    @property
    def _slope(self) -> float:
        """Computer's seconds per second of the robot."""
        return self._sxy / self._sxx if self.states >= _LEAST_TICKS and self._sxx > 0.0 else 1.0

    @property
    def pace(self) -> Pace:
        """What was measured so far."""
        late, wait = self.late, self.processor
        return Pace(
            self.ticks,
            self._late_sum / max(self.states, 1),
            min(late.at(0.5), self._late_max),
            min(late.at(0.99), self._late_max),
            min(late.at(0.999), self._late_max),
            self._late_max,
            self.missed,
            1.0 / self._slope - 1.0 if self._slope > 0.0 else 0.0,
            min(wait.quantiles.at(0.99), wait.maximum) if wait.known else None,
            wait.maximum if wait.known else None,
        )
