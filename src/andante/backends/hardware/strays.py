"""StrayWatch: states whose count is far from the newest one's: one is a packet gone astray, several are a robot's."""

from __future__ import annotations

_FAR = 100
"""A count that is so many cycles behind is no packet that was overtaken."""
_AHEAD = 1.0
"""A count that is so far ahead of the time that has passed is believed once another one goes on from there [s]."""
_SEVERAL = 3
"""So many that are far behind are those of a robot."""
_ROW = 10
"""So many states in a row whose count goes on by the same number are no lost ones."""
_SOON = 1.5
"""Periods within which the next state has come."""
_FORGOTTEN = 1.0
"""A stray one is forgotten after so long by the robot's count [s]."""
_STAMPS = "is it a time stamp, in ms, us or ns, in the place of a count of cycles?"


class StrayWatch:
    """Tells packets that have gone astray from a robot that counts anew, and from two robots that answer at once.

    Args:
        period: Time between two states [s].
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self._behind, self._seen = 0, 0
        self._held: int | None = None
        self._leaps = self._step = 0
        self._row, self._by = 0, 1

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
            self._leaps = 0
            return False
        held, self._held = self._held, tick
        if held is not None and 0 < tick - held <= _FAR:
            self._leaps = 0
            return False
        self._leaps, self._step = self._leaps + 1, 0 if held is None else tick - held
        return True

    def leaping(self) -> str:
        """That no count is near the one before, in words; empty: that is not so."""
        if self._leaps < _SEVERAL:
            return ""
        return f"{self._leaps} states came whose count leaps, the last by {self._step} from the one before: {_STAMPS}"

    def strides(self, tick: int, newest: int, passed: float) -> str:
        """That the count of a state goes on by more than 1, though it is the next one, in words; mostly empty.

        Args:
            tick: The count.
            newest: That of the state before.
            passed: Time since that came [s].
        """
        by = tick - newest
        if by < 2 or passed > _SOON * self._period or (self._row and by != self._by):
            self._row = 0
            return ""
        self._row, self._by = self._row + 1, by
        return f"its count goes on by {by} with each state: {_STAMPS}" if self._row == _ROW else ""
