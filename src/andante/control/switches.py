"""SwitchWatch: finds a foot switch that never changes while those of all other feet do."""

from __future__ import annotations

import numpy as np

from andante.robots.records import Vector

_CHANGES = 6
"""So often each other switch must have changed meanwhile: three steps."""
_APART = 0.1
"""Changes of a switch closer together than this are one: a foot that comes down bounces [s]."""
_LEAST_FEET = 3
"""With fewer feet a stance leg and a leg that plays with the ball look like a stuck switch and a good one."""


class SwitchWatch:
    """Counts changes of foot switches.

    Args:
        feet: Names of the feet.
        columns: Where their contacts lie in the sensors' vector.
        period: Time between two readings [s].
    """

    def __init__(self, feet: tuple[str, ...], columns: slice, period: float) -> None:
        self._feet, self._columns, self._period = feet, columns, period
        self._watching = len(feet) >= _LEAST_FEET
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        count = len(self._feet)
        self._bytes = b""
        self._state = np.zeros(count, dtype=bool)
        self._tick = 0
        self._last = np.full(count, -(10**9))
        self._changes = np.zeros(count, dtype=np.int64)
        self._marks = np.zeros((count, count), dtype=np.int64)
        self._stuck = np.zeros(count, dtype=bool)
        self._news: list[tuple[str, bool]] = []

    def changed(self, vector: Vector) -> bool:
        """Take a reading; whether there is something to tell."""
        if not self._watching:
            return False
        self._tick += 1
        contact = vector[self._columns]
        raw = contact.tobytes()
        if raw == self._bytes:
            return False
        first, self._bytes = not self._bytes, raw
        state = contact > 0.5
        if not first:
            self._count(state != self._state)
        self._state = state
        return bool(self._news)

    def take(self) -> list[tuple[str, bool]]:
        """Feet whose switch was found to be stuck (True) or to change again (False)."""
        news, self._news = self._news, []
        return news

    def _count(self, changed: np.ndarray) -> None:
        apart = (self._tick - self._last) * self._period >= _APART
        self._last[changed] = self._tick
        for foot in np.flatnonzero(changed):
            if self._stuck[foot]:
                self._stuck[foot] = False
                self._news.append((self._feet[foot], False))
        self._changes += changed & apart
        for foot in np.flatnonzero(changed):
            self._marks[foot] = self._changes
        meanwhile = self._changes - self._marks
        np.fill_diagonal(meanwhile, _CHANGES)
        found = (meanwhile.min(axis=1) >= _CHANGES) & ~self._stuck
        for foot in np.flatnonzero(found):
            self._stuck[foot] = True
            self._news.append((self._feet[foot], True))
