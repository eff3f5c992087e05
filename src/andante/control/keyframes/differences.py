"""How far joints lag behind their requests, with the servo's delay taken out."""

from __future__ import annotations

from collections import deque

import numpy as np

from andante.control.keyframes.trend_filter import TrendFilter
from andante.robots.records import Vector

_KEEP = 0.6
_HORIZON = 3.0


class JointDifferences:
    """Filtered difference of a request some ticks ago and the measurement (docs/sources/keyframe-engine.md, 2.4).

    Args:
        joints: Number of joints.
        delay: Ticks from a request to its effect in the measurement.
        adaptive: Slow and fast factor of the 2025 filter; None: the fixed one, 0.6 old + 0.4 new.
    """

    def __init__(self, joints: int, delay: int, adaptive: tuple[float, float] | None = None) -> None:
        self._joints = joints
        self._trend = None if adaptive is None else TrendFilter(np.zeros(joints), *adaptive)
        self._requests: deque[Vector] = deque()
        self.expect(delay)
        self.reset()

    def expect(self, delay: int) -> None:
        """Compare with requests of so many ticks ago; where that is new, those that are remembered are forgotten."""
        if max(delay, 1) != self._requests.maxlen:
            self._requests = deque(maxlen=max(delay, 1))

    def reset(self) -> None:
        """Forget all requests."""
        self._requests.clear()
        self.filtered = self._before = np.zeros(self._joints)
        """Filtered differences, (nj,) [rad]; 0 until enough requests are remembered."""
        if self._trend is not None:
            self._trend.reset()

    def update(self, measured: Vector) -> None:
        """Compare the measurement of this tick, (nj,) [rad], with the request that it shows."""
        self._before = self.filtered
        raw = self._requests[0] - measured if len(self._requests) == self._requests.maxlen else None
        if self._trend is None:
            self.filtered = self.filtered * _KEEP
            if raw is not None:
                self.filtered += raw * (1.0 - _KEEP)
        elif raw is not None:
            self._trend.update(raw)
            self.filtered = self._trend.value

    def push(self, request: Vector) -> None:
        """Remember this tick's request, (nj,) [rad]."""
        self._requests.append(request.copy())

    def predicted(self, joint: int) -> float:
        """Difference three ticks ahead by its change, or the present one, or 0 between them: the nearest to 0."""
        now = float(self.filtered[joint])
        ahead = now + _HORIZON * (now - float(self._before[joint]))
        low, high = min(now, ahead), max(now, ahead)
        return low if low > 0.0 else min(high, 0.0)
