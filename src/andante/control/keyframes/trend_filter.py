"""The adaptive low-pass of the 2025 dialect: follows a signal that keeps its direction, smooths one that flickers.

Rule (B-Human code release 2025, LowPassFilterPR; the two factors come from the library): the last four samples are
kept. Until there are four, the value keeps the share ``slow`` of itself. From then on it walks, at every tick, over
the three newer samples, oldest first: a sample on the same side of the value as the one before it pulls with ``fast``,
the newest and one on the other side with ``slow``, and after two changes of side every one with
``min(slow, 1 - slow)``.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from andante.robots.records import Vector

_SAMPLES = 4
Signal = TypeVar("Signal", float, Vector)


class TrendFilter(Generic[Signal]):
    """Filters a signal, or several at once in an array.

    Args:
        nothing: The value before the first sample: 0.0, or zeros of the samples' shape.
        slow: Factor for samples that do not agree, 0 to 1.
        fast: Factor for samples that agree, 0 to 1.
    """

    def __init__(self, nothing: Signal, slow: float, fast: float) -> None:
        self._nothing: Signal = nothing
        self._keep, self._least = slow, min(slow, 1.0 - slow)
        # In the samples' shape, as numpy takes three times as long where one side is a number.
        self._slow: Signal = nothing + slow
        self._rest: Signal = nothing + (1.0 - slow)
        self._fast: Signal = nothing + fast
        self._less: Signal = nothing + (slow - fast)
        self.reset()

    def reset(self) -> None:
        """Forget all samples; the value becomes 0."""
        self._before: deque[Signal] = deque(maxlen=_SAMPLES - 1)
        self.value: Signal = self._nothing
        """Filtered signals, in the samples' shape."""

    def update(self, sample: Signal) -> None:
        """Take a sample, which nobody changes afterwards."""
        before, value, slow = self._before, self.value, self._slow
        if len(before) < _SAMPLES - 1:
            self.value = value * slow + self._rest * sample
        else:
            way = before[-2] - value
            value = value + way * self._fast
            ahead = before[-1] - value
            turned = ahead * way < self._nothing
            value = value + (turned * self._less + self._fast) * ahead
            way = sample - value
            if self._least != self._keep:
                twice = turned & (way * ahead < self._nothing)
                slow = twice * self._least + (1 - twice) * slow
            self.value = value + way * slow
        before.append(sample)
