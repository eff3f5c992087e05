"""SensorClock: the time that controllers see, which never goes back and never leaps."""

from __future__ import annotations

import math

from andante.control.sensor_parts import Failure

_LOST = 2.5
"""A step of the clock from so many periods on is told."""


class SensorClock:
    """Follows the sensors' time.

    A clock that was set, back or far ahead, is believed when it goes on from there at the next tick: until then time
    stands still, afterwards it goes on from where it stood. A single wrong reading is passed over.

    Args:
        period: Time between two readings [s].
        longest_gap: Largest step that is believed to be time [s].
    """

    def __init__(self, period: float, longest_gap: float) -> None:
        self._period, self._longest = period, longest_gap
        self.reset()

    def reset(self) -> None:
        """Forget everything; the next finite time is where the clock begins."""
        self.read = math.nan
        """The last reading that was believed [s]."""
        self.offset = 0.0
        """What is added to a reading [s]."""
        self.stale = 0.0
        """How long time has stood still, counted in periods [s]."""
        self._doubted = math.nan

    def take(self, reading: float) -> tuple[float, Failure | None, float]:
        """Time, what is wrong with its reading, and by how much time went on or back [s]."""
        step = reading - self.read
        if 0.0 < step <= self._longest or (math.isnan(self.read) and math.isfinite(reading)):
            lost = step >= _LOST * self._period
            return self._believe(reading), Failure.GAP if lost else None, step
        self.stale += self._period
        if step == 0.0:
            return self._now, Failure.STALE, 0.0
        if 0.0 < reading - self._doubted <= self._longest:
            # The reading goes on from the doubted one: that one was where time stood.
            self.offset = self._now - self._doubted
            return self._believe(reading), None, 0.0
        if not math.isfinite(reading):
            return self._now, Failure.NOT_FINITE, 0.0
        self._doubted = reading
        return self._now, Failure.BACK if step < 0.0 else Failure.AHEAD, step

    def pass_on(self, reading: float) -> None:
        """Take a reading that is known to be good."""
        self.read, self.stale = reading, 0.0

    @property
    def _now(self) -> float:
        return self.read + self.offset

    def _believe(self, reading: float) -> float:
        self.read, self.stale, self._doubted = reading, 0.0, math.nan
        return self._now
