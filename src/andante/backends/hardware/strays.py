"""StrayWatch: states whose count is far from the newest one's: one is a packet gone astray, several are a robot's."""

from __future__ import annotations

_FAR = 100
"""A count that is so many cycles behind is no packet that was overtaken."""
_AHEAD = 1.0
"""A count that is so far ahead of the time that has passed is believed once another one goes on from there [s]."""
_SEVERAL = 3
"""So many that are far behind are those of a robot."""
_FORGOTTEN = 1.0
"""A stray one is forgotten after so long by the robot's count [s]."""


class StrayWatch:
    """Tells packets that have gone astray from a robot that counts anew, and from two robots that answer at once.

    Args:
        period: Time between two states [s].
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self._behind, self._seen = 0, 0
        self._held: int | None = None

    def counts_anew(self, tick: int, newest: int) -> bool:
        """Whether a count that is not above the newest one is that of a robot that has begun to count anew."""
        if newest - tick <= _FAR:
            return False
        if (newest - self._seen) * self._period > _FORGOTTEN:
            self._behind = 0
        self._behind, self._seen = self._behind + 1, newest
        return self._behind >= _SEVERAL

    def leaps(self, tick: int, newest: int, passed: float) -> bool:
        """Whether a count is too far ahead to be believed yet.

        Args:
            tick: The count.
            newest: The newest one that was believed.
            passed: Time since that came [s].
        """
        if (tick - newest) * self._period <= passed + _AHEAD:
            return False
        held, self._held = self._held, tick
        return held is None or not 0 < tick - held <= _FAR
