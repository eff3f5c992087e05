"""How long joints have stood still that are asked to move, in one call per tick of a get-up."""

from __future__ import annotations

import math

from andante.kernels import lazy_entry
from andante.spatial.arrays import Array1, Index1

BEHIND = math.radians(15.0)
"""A joint farther behind than this is asked to move [rad]."""
MOVED = math.radians(2.0)
"""A joint that was farther from where it stood than this moves, beyond noise and play [rad]."""
STIFF = 0.3
"""Stiffness below which a joint need not move."""


@lazy_entry
def stood_still(
    measured: Array1, behind: Array1, stiffness: Array1, watched: Index1, tick: float, place: Array1, time: Array1
) -> float:
    """Count one tick; gives the longest time [s].

    Args:
        measured: Positions, (nj,) [rad].
        behind: How far each is behind its request, (nj,) [rad].
        stiffness: Their stiffness, (nj,).
        watched: The joints that are watched, (k,).
        tick: Period [s].
        place: Where each stands, (k,) [rad]; NaN, the place before the first tick, is no place to stand at.
        time: How long each should have moved and did not, (k,) [s].
    """
    longest = 0.0
    for number in range(len(watched)):
        joint = watched[number]
        if not abs(measured[joint] - place[number]) <= MOVED:
            place[number] = measured[joint]
            time[number] = 0.0
        if abs(behind[joint]) > BEHIND and stiffness[joint] > STIFF:
            time[number] += tick
        longest = max(longest, time[number])
    return longest
