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
        self._way, self._newer, self._weight = np.zeros(size), np.zeros(size), np.zeros(size)
        self.value: Vector = np.zeros(size)
        """Filtered signals, (size,)."""

    def reset(self) -> None:
        """Forget all samples; the value becomes 0."""
        self._count, self._at = 0, 0
        self.value[:] = 0.0

    def update(self, sample: Vector) -> None:
        """Take a sample of each signal, (size,)."""
        samples, at, value = self._samples, self._at, self.value
        samples[at] = sample
        self._at = (at + 1) % _SAMPLES
        self._count = min(self._count + 1, _SAMPLES)
        if self._count < _SAMPLES:
            value *= self._slow
            value += (1.0 - self._slow) * sample
            return
        way, newer, weight = self._way, self._newer, self._weight
        np.subtract(samples[at - 2], value, out=way)
        np.multiply(way, self._fast, out=weight)
        value += weight
        np.subtract(samples[at - 1], value, out=newer)
        turned = newer * way < 0.0
        np.multiply(turned, self._slow - self._fast, out=weight)
        weight += self._fast
        weight *= newer
        value += weight
        np.subtract(sample, value, out=way)
        if self._least == self._slow:
            way *= self._slow
        else:
            turned &= way * newer < 0.0
            np.multiply(way, np.where(turned, self._least, self._slow), out=way)
        value += way
