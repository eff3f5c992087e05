"""How far joints lag behind their requests, with the servo's delay taken out."""

from __future__ import annotations

import numpy as np

from andante.control.keyframes.trend_filter import TrendFilter
from andante.robots.records import Vector

_KEEP = 0.6
_HORIZON = 3.0


class JointDifferences:
    """Filtered difference of a request some ticks ago and the measurement of now (reference section 2.4).

    Args:
        joints: Number of joints.
        delay: Ticks from a request to its effect in the measurement.
        adaptive: Slow and fast factor of the 2025 filter; None: the fixed one, 0.6 old + 0.4 new.
    """

    def __init__(self, joints: int, delay: int, adaptive: tuple[float, float] | None = None) -> None:
        self._ring = np.zeros((0, joints))
        self.expect(delay)
        self._trend = None if adaptive is None else TrendFilter(joints, *adaptive)
        self.filtered: Vector = np.zeros(joints)
        """Filtered differences, (nj,) [rad]; 0 until the ring of requests is full."""
        self._before = np.zeros(joints)
        self._raw = np.zeros(joints)

    def expect(self, delay: int) -> None:
        """Compare with requests of so many ticks ago; where that is new, those that are remembered are forgotten."""
        if max(delay, 1) != len(self._ring):
            self._delay = max(delay, 1)
            self._ring = np.zeros((self._delay, self._ring.shape[1]))
            self._filled, self._at = 0, 0

    def reset(self) -> None:
        """Forget all requests."""
        self._filled, self._at = 0, 0
        self.filtered[:] = 0.0
        self._before[:] = 0.0
        if self._trend is not None:
            self._trend.reset()

    def update(self, measured: Vector) -> None:
        """Compare the measurement of this tick, (nj,) [rad], with the request that it shows."""
        self._before[:] = self.filtered
        if self._trend is not None:
            if self._filled == self._delay:
                np.subtract(self._ring[self._at], measured, out=self._raw)
                self._trend.update(self._raw)
                self.filtered[:] = self._trend.value
            return
        self.filtered *= _KEEP
        if self._filled == self._delay:
            np.subtract(self._ring[self._at], measured, out=self._raw)
            self._raw *= 1.0 - _KEEP
            self.filtered += self._raw

    def push(self, request: Vector) -> None:
        """Remember this tick's request, (nj,) [rad]."""
        self._ring[self._at] = request
        self._at = (self._at + 1) % self._delay
        self._filled = min(self._filled + 1, self._delay)

    def predicted(self, joint: int) -> float:
        """Difference three ticks ahead by its change, or the present one, or 0 between them: the nearest to 0."""
        now = float(self.filtered[joint])
        ahead = now + _HORIZON * (now - float(self._before[joint]))
        low, high = min(now, ahead), max(now, ahead)
        return low if low > 0.0 else min(high, 0.0)
