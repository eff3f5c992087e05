"""Schedule: at which samples each foot lifts off and touches down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Schedule:
    """Samples of a walk of n steps."""

    lift_off: Index
    """Sample at which each foot leaves its old place, (n,)."""
    touchdown: Index
    """Sample at which it is on its new place, (n,)."""
    count: int
    """Number of samples."""

    @staticmethod
    def of(swings: Index, four_foot_times: Index) -> Schedule:
        """From the lengths of the swings (n,) and of the times before, between and after them (n + 1,) in samples."""
        ends = np.cumsum(four_foot_times[:-1] + swings)
        return Schedule(ends - swings, ends, int(ends[-1] + four_foot_times[-1]) + 1)

    @property
    def knots(self) -> Index:
        """Start, lift-off and touchdown of each step in turn, end, (2 n + 2,)."""
        inner = np.stack([self.lift_off, self.touchdown], axis=-1).ravel()
        return np.concatenate([[0], inner, [self.count - 1]])

    def moving(self) -> tuple[Index, Array]:
        """Number of the step whose foot is off its old place, -1: none, and the share of its time, (n,) each."""
        step = np.full(self.count, -1, dtype=np.int64)
        share = np.zeros(self.count)
        for number, (begin, end) in enumerate(zip(self.lift_off.tolist(), self.touchdown.tolist(), strict=True)):
            step[begin + 1 : end + 1] = number
            share[begin + 1 : end + 1] = np.arange(1, end - begin + 1) / (end - begin)
        return step, share

    def away(self, legs: Index) -> Index:
        """Row of the foot that does not carry, lift-off and touchdown counted, -1: all carry, (n,)."""
        row = np.full(self.count, -1, dtype=np.int64)
        for leg, begin, end in zip(legs.tolist(), self.lift_off.tolist(), self.touchdown.tolist(), strict=True):
            row[begin : end + 1] = leg
        return row
