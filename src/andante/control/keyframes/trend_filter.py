"""The adaptive low-pass of the 2025 dialect: follows a signal that keeps its direction, smooths one that flickers.

Rule (B-Human code release 2025, LowPassFilterPR; the two factors come from the library): the last four samples are
kept. Until there are four, the value keeps the share ``slow`` of itself. From then on it walks, at every tick, over
the three newer samples, oldest first: a sample on the same side of the value as the one before it pulls with ``fast``,
the newest and one on the other side with ``slow``, and after two changes of side every one with
``min(slow, 1 - slow)``.
"""

from __future__ import annotations

import numpy as np

from andante.robots.records import Vector

_SAMPLES = 4


class TrendFilter:
    """Filters several signals at once.

    Args:
        size: Number of signals.
        slow: Factor for samples that do not agree, 0 to 1.
        fast: Factor for samples that agree, 0 to 1.
    """

    def __init__(self, size: int, slow: float, fast: float) -> None:
        self._slow, self._fast, self._least = slow, fast, min(slow, 1.0 - slow)
        self._samples = np.zeros((_SAMPLES, size))
        self._count, self._at = 0, 0
        self.value: Vector = np.zeros(size)
        """Filtered signals, (size,)."""

    def reset(self) -> None:
        """Forget all samples; the value becomes 0."""
        self._count, self._at = 0, 0
        self.value[:] = 0.0

    def update(self, sample: Vector) -> None:
        """Take a sample of each signal, (size,)."""
        self._samples[self._at] = sample
        self._at = (self._at + 1) % _SAMPLES
        self._count = min(self._count + 1, _SAMPLES)
        value = self.value
        if self._count < _SAMPLES:
            value *= self._slow
            value += (1.0 - self._slow) * sample
            return
        changes = np.zeros(len(value))
        side: Vector | None = None
        for age in (2, 1, 0):
            way = self._samples[(self._at - 1 - age) % _SAMPLES] - value
            turned = np.zeros(len(value), dtype=bool) if side is None else way * side < 0.0
            changes += turned
            if age:
                weight = np.where(turned, self._slow, self._fast)
            else:
                weight = np.where(changes >= 2.0, self._least, self._slow)
            side = way
            value += weight * way
