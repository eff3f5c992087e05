"""Quantiles of a stream of times in constant memory, however long a run takes."""

from __future__ import annotations

import math

import numpy as np

_LEAST, _PER_DECADE, _DECADES = 1e-6, 60, 8
"""Buckets from 1 us to 100 s, 60 per factor of ten: a quantile is right within 4 %."""


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

    def above(self, limit: float) -> int:
        """How many times were above a limit, to the bucket that it falls into [s]."""
        place = 0 if limit < _LEAST else 1 + int(math.log10(limit / _LEAST) * _PER_DECADE)
        return int(self._counts[place + 1 :].sum())

    def take(self, other: Quantiles) -> None:
        """Take all times of another stream."""
        self._counts += other._counts

    @property
    def count(self) -> int:
        """How many times there were."""
        return int(self._counts.sum())
