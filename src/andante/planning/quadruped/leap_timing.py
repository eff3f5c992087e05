"""LeapTiming: a gait that is on its way to a leap, timed so that the push-off finds all feet where they can push.

A gait that is left at any moment has feet in the air, or so far behind that they reach the ground only for the first
part of the push. So its pace is stretched by some percent, from the first step on, until the push-off begins just
before feet come down; these do so a step early. After the landing the gait goes on as if its next feet had been
lifted before the landing's end, so that those that landed with them are not left behind.
"""

from __future__ import annotations

import numpy as np

from andante.planning.quadruped.body_plan import Primitive
from andante.spatial.arrays import Flags, Index

Kinds = Index
_SOON = 1
"""A push-off begins so many steps of the gait before feet come down; all feet come down at once then."""
_LIFTED = 3
"""Steps that the first feet to swing after a landing have swung at its end, as the gait counts them."""
_LEFT = 2
"""They are lifted so many steps before its end; and those that have stood longest so many before a take-off, where they
would be far behind."""
_SLOWEST, _FASTEST = 0.75, 1.33
"""Bounds of the gait's pace."""
_SAME = 1e-6


class LeapTiming:
    """Which feet stand while a body plan with leaps is followed.

    Args:
        pattern: Which feet stand in each step of the gait's period, (P, 4).
        kinds: `Primitive` of each row of the plan, (n,).
    """

    def __init__(self, pattern: Flags, kinds: Kinds) -> None:
        self._pattern, self._kinds = pattern, kinds
        self._phase, self._index = 0.0, -1
        before = np.roll(pattern, 1, axis=0)
        down, up = (pattern & ~before).any(axis=1), (before & ~pattern).any(axis=1)
        self._meeting = (np.flatnonzero(down) - _SOON) % len(pattern)
        self._resumed = float((np.flatnonzero(up)[0] + _LIFTED) % len(pattern))
        # First row of the motion that each row belongs to, and the row after it.
        bounds = np.array([0, *(np.flatnonzero(np.diff(kinds)) + 1), len(kinds)])
        self._first, self._end = (np.repeat(each, np.diff(bounds)).tolist() for each in (bounds[:-1], bounds[1:]))

    def contact(self, index: int, row: int, count: int) -> Flags:
        """Which feet stand in the intervals from one on, (count, 4).

        Args:
            index: The interval of the planner's grid; it does not go back from call to call.
            row: Row of the plan that belongs to it; before the first one and after the last the gait goes on.
            count: How many intervals.
        """
        self._phase, self._index = self.phase(index, row), index
        out = np.ones((count, 4), dtype=np.bool_)
        phase = self._phase
        for k in range(count):
            at = row + k
            kind = self._kind(at)
            if kind == Primitive.CONNECT:
                out[k] = self._standing(phase)
                phase += self._pace(at, phase)
            elif kind == Primitive.LEAP_STANCE:
                # As the gait counts on, the feet that have just come down still stand then.
                if self._end[at] - at <= _LEFT:
                    out[k] = self._standing(round(phase - (at - self._first[at])) + _SOON)
                phase += 1.0
            elif kind == Primitive.FLIGHT:
                out[k] = False
            elif kind == Primitive.LAND_STANCE:
                left = self._end[at] - at
                if left <= _LEFT and at > self._first[at]:
                    out[k] = self._standing(self._resumed)
                if left == 1:
                    phase = self._resumed
                    if k == 0:
                        self._phase = self._resumed - 1.0
        return out

    def phase(self, index: int, row: int) -> float:
        """Steps of the gait that have passed at an interval of the grid, at a row of the plan; 0 before the first."""
        phase = self._phase
        for back in range(index - self._index if self._index >= 0 else 0, 0, -1):
            phase += self._pace(row - back, phase)
        return phase

    def _standing(self, phase: float) -> Flags:
        standing: Flags = self._pattern[int(phase + _SAME) % len(self._pattern)]
        return standing

    def _pace(self, row: int, phase: float) -> float:
        """Steps of the gait in a step of the plan, at a row of it."""
        row = max(row, 0)
        if row >= len(self._kinds) or self._kinds[row] != Primitive.CONNECT:
            return 1.0
        ahead = np.flatnonzero(self._kinds[row:] == Primitive.LEAP_STANCE)
        if not len(ahead):
            return 1.0
        left, period = int(ahead[0]), len(self._pattern)
        steps = (self._meeting - phase) % period
        steps = steps + period * np.maximum(np.round((left - steps) / period), 0.0)
        nearest = float(steps[np.argmin(np.abs(steps - left))])
        return float(np.clip(nearest / left, _SLOWEST, _FASTEST))

    def _kind(self, row: int) -> int:
        return int(self._kinds[row]) if 0 <= row < len(self._kinds) else int(Primitive.CONNECT)
