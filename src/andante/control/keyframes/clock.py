"""The keyframe clock: how far a keyframe has come, in whole microseconds."""

from __future__ import annotations

import math

MICROSECONDS = 1_000_000
_TICK_SHARE = 4
"""The last quarter of a tick counts as done: 3 ms of the original's 12 ms (docs/sources/keyframe-engine.md, 2.2)."""


def to_microseconds(seconds: float) -> int:
    """Nearest whole number of microseconds."""
    return round(seconds * MICROSECONDS)


class MicrosecondClock:
    """Sensor time as microseconds that never run backwards and never stop at a value that is no number.

    Args:
        period: Tick in microseconds, assumed to have passed where the sensor time is not finite.
    """

    def __init__(self, period: int) -> None:
        self._period = period
        self._now: int | None = None

    def reset(self) -> None:
        """Forget the time."""
        self._now = None

    def update(self, time: float) -> int:
        """The time of this tick [us]."""
        last = self._now
        if math.isfinite(time) and abs(time) < 1e9:
            now = to_microseconds(time)
            self._now = now if last is None else max(last, now)
        else:
            self._now = 0 if last is None else last + self._period
        return self._now


class KeyframeClock:
    """Ratio of a keyframe's duration that has passed.

    The first tick of a keyframe already counts: a keyframe of duration D takes ``floor((D - e) / T) + 1`` ticks of
    period T with ``e = T / 4``, and at least one. It ends on the tick after the ratio 1 was first given out.

    Args:
        period: Tick [us].
    """

    def __init__(self, period: int) -> None:
        self._period = period
        self._snap = period // _TICK_SHARE
        self.start(0, 1)

    def start(self, now: int, duration: int) -> None:
        """Begin a keyframe at this tick [us]."""
        self._start = self._seen = now - self._period
        self.duration = max(duration, 1)
        """Duration of the running keyframe [us]."""
        self.ratio = 0.0
        """Share of the duration that has passed, 0 to 1."""

    def update(self, now: int) -> float:
        """Move on to the time ``now`` [us]; returns the ratio."""
        self._seen = now
        elapsed = now - self._start
        self.ratio = 1.0 if self.duration - elapsed < self._snap else elapsed / self.duration
        return self.ratio

    def stand(self, now: int) -> None:
        """Leave out the time from the last tick to ``now``: the keyframe ends that much later."""
        self._start += now - self._seen
        self._seen = now
