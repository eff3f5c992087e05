"""DriveDoubts: looks now and then why measured torques do not fit the commands while the robot walks all the same."""

from __future__ import annotations

from collections.abc import Sequence

from andante.control.quadruped.drive_watch import DriveWatch
from andante.control.quadruped.drive_words import Explanation, explained

_EVERY = 0.25
"""Time between two looks [s]."""
_IN_A_ROW = 3
"""At so many looks torques must not have fitted: blows and gusts are over by then."""
_MOST = 4
"""So often is looked for an explanation: it takes some milliseconds."""


class DriveDoubts:
    """Finds wrong readings of joints by which a robot still walks, as torques with another sign, and tells each once.

    Args:
        watch: Compares torques and commands.
        legs: The joints of each leg, in the same order for all.
        names: Names of the joints.
    """

    def __init__(self, watch: DriveWatch, legs: Sequence[Sequence[int]], names: Sequence[str]) -> None:
        self._watch, self._legs, self._names = watch, legs, names
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._next, self._row, self._tries = 0.0, 0, 0
        self._told: set[tuple[str, tuple[int, ...]]] = set()

    def look(self, time: float) -> list[Explanation]:
        """What was found; nothing mostly.

        Args:
            time: Now [s].
        """
        if time < self._next or self._tries >= _MOST:
            return []
        self._next = time + _EVERY
        self._row = self._row + 1 if self._watch.odd else 0
        if self._row < _IN_A_ROW:
            return []
        self._row, self._tries = 0, self._tries + 1
        found = explained(self._watch.history(), self._legs, self._names)
        if found is None or (found.part, found.joints) in self._told:
            return []
        self._told.add((found.part, found.joints))
        return [found]
