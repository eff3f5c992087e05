"""LandingHeights: whether feet have lately found the ground where the plan has it, which tells what a high touch is.

Where they have, a foot that touches well above its place has met an edge beside it. Where they have not, the ground is
not where the map has it, and the foot stands on it.
"""

from __future__ import annotations

from collections import deque

_LATELY = 4
"""Landings that count, of all feet together."""
_ALIKE = 0.75
"""Share of the height of an edge within which all of them were where they should be."""


class LandingHeights:
    """The last landings of all feet."""

    def __init__(self) -> None:
        self._misses: deque[float] = deque(maxlen=_LATELY)

    def note(self, miss: float) -> None:
        """A foot has ended its swing this far above its place [m]."""
        self._misses.append(abs(miss))

    def tell_edge(self, height: float, edge: float) -> bool:
        """Whether a foot that touches at a height over its place [m] has met an edge.

        Args:
            height: How far above its place it touches [m].
            edge: Height from which on this is no landing [m].
        """
        known = len(self._misses) == _LATELY and max(self._misses) <= _ALIKE * edge
        return known and height > edge
