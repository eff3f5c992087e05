"""Headway: whether a crawl that sees nothing still gets on, told by how its swings end.

Its odometry counts what the legs do, and legs that push a body which hangs on an edge do as much as legs that carry it
on. But their feet then meet something on the way, or come down higher than the ground that the other feet stand on
would be there, time after time.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.control.reactive_crawl.swing import Swing

Array = NDArray[np.float64]
_HIGH = 0.5
"""Share of a step's height by which a foot that meets what it was not lifted for comes down too high."""
_FEET = 4


class Headway:
    """Counts swings that were hindered, and feet that could not lift.

    Args:
        settings: How the crawl steps, of this robot's size.
    """

    def __init__(self, settings: ReactiveCrawlSettings) -> None:
        self._settings = settings
        self._hindered = deque[bool](maxlen=settings.stuck_window)
        self._late = 0

    def landed(self, swing: Swing, feet: Array) -> None:
        """A swing is over.

        Args:
            swing: The swing.
            feet: All feet in the level frame, (4, 3) [m].
        """
        # The plane of least squares through the feet is the ground as far as it is known.
        around = feet - feet.mean(axis=0)
        rise = np.linalg.lstsq(around[:, :2], around[:, 2], rcond=None)[0]
        higher = float(swing.done[2] - rise @ swing.done[:2])
        self._hindered.append(swing.raises > 0 or higher > _HIGH * self._settings.step_height)
        self._late = 0

    def stayed(self) -> None:
        """A foot did not lift, as the body did not come over the others."""
        self._late += 1

    @property
    def lost(self) -> str:
        """Why the crawl gets no farther; empty: it does."""
        if self._late >= _FEET:
            return "no foot can lift: the body does not come over the others"
        count = sum(self._hindered)
        if len(self._hindered) == self._settings.stuck_window and count >= self._settings.stuck_swings:
            return (
                f"{count} of its last {len(self._hindered)} swings met something before they were where they should be"
            )
        return ""
