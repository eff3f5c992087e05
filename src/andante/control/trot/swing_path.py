"""Where a trotting foot is in its swing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


_MATCH = 0.5
"""Share of the ground's speed with which a foot lifts and comes down; all of it would cost joint speed in between."""


def swing_place(start: Array, goal: Array, lift: float, share: float, passed: Array | None = None) -> Array:
    """Place of a foot in the level frame, (3,) [m], a share of the swing's time after it lifted.

    Across it goes with the speed of a sine's half wave; it is highest a little before the middle, so that it comes down
    steeply onto what may be a little higher than expected.

    Args:
        start: Where it lifted, (3,) [m].
        goal: Where it shall come down, (3,) [m].
        lift: How high it goes [m].
        share: Share of the time, 0 to 1.
        passed: How far the ground passes below the body in the swing's time, (2,) [m].
    """
    s = min(max(share, 0.0), 1.0)
    across = 0.5 - 0.5 * math.cos(math.pi * s)
    place = start + across * (goal - start)
    if passed is not None:
        place[:2] += _MATCH * (s - across) * passed
    place[2] += lift * math.sin(math.pi * s**0.85) ** 1.5
    return np.asarray(place)
