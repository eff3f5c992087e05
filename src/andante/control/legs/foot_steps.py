"""How far feet may move in one tick, compiled for `FootMotion`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_kernels import leg_angles
from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array1, Array2, Flags1
from andante.spatial.compiled import entry, kernel

Array = NDArray[np.float64]
_HALVINGS = 8


class Limits(NamedTuple):
    """What joints of the legs may do in one tick."""

    most: Array2
    """Largest change of an angle, (nl, 3) [rad]."""
    change: Array2
    """Largest change of that change from tick to tick, at least ``most``, (nl, 3) [rad]."""
    rooms: Array1
    """Angle that joints of a leg keep from their limits, (nl,) [rad]."""


@kernel
def _allowed(
    table: LegTable, limits: Limits, leg: int, way: Array, share: float, angles: Array, steps: Array, trial: Array
) -> bool:
    """Whether a foot may go a share of its way (from, to; (2, 3)) in this tick; its angles there into ``trial``."""
    x = way[0, 0] + share * (way[1, 0] - way[0, 0])
    y = way[0, 1] + share * (way[1, 1] - way[0, 1])
    z = way[0, 2] + share * (way[1, 2] - way[0, 2])
    if leg_angles(table, leg, x, y, z, trial) < limits.rooms[leg]:
        return False
    slow = True
    for joint in range(3):
        step = trial[joint] - angles[leg, joint]
        slow = slow and abs(step) <= limits.most[leg, joint]
        slow = slow and abs(step - steps[leg, joint]) <= limits.change[leg, joint]
    return slow


@entry
def advance(
    table: LegTable,
    limits: Limits,
    places: Array2,
    angles: Array2,
    steps: Array2,
    goals: Array2,
    together: Flags1,
    shares: Array1,
) -> None:
    """Move feet in straight lines towards their goals as far as limits and rates of their joints allow.

    Standing still is always allowed, since no joint is faster than it can stop within a tick.

    Args:
        table: The legs.
        limits: What their joints may do.
        places: Places in the base's frame, changed in place, (nl, 3) [m].
        angles: Their joint angles, changed in place, (nl, 3) [rad].
        steps: How far the joints went in the last tick, changed in place, (nl, 3) [rad].
        goals: Where the feet should go, (nl, 3) [m].
        together: Feet that go the same share of their ways (those on the ground), (nl,).
        shares: Gets the share of its way that each foot went, (nl,).
    """
    count = len(places)
    trial, way = np.empty(3), np.empty((2, 3))
    common = 1.0
    for leg in range(count):
        way[0], way[1] = places[leg], goals[leg]
        low, high = 0.0, common if together[leg] else 1.0
        if not _allowed(table, limits, leg, way, high, angles, steps, trial):
            for _ in range(_HALVINGS):
                middle = 0.5 * (low + high)
                if _allowed(table, limits, leg, way, middle, angles, steps, trial):
                    low = middle
                else:
                    high = middle
            high = low
        shares[leg] = high
        if together[leg]:
            common = high
    for leg in range(count):
        # A part of an allowed way need not be allowed where limits are not convex: then the feet stay.
        way[0], way[1] = places[leg], goals[leg]
        if together[leg] and not _allowed(table, limits, leg, way, common, angles, steps, trial):
            common = 0.0
    for leg in range(count):
        share = common if together[leg] else shares[leg]
        shares[leg] = share
        way[0], way[1] = places[leg], goals[leg]
        if share > 0.0 and _allowed(table, limits, leg, way, share, angles, steps, trial):
            for axis in range(3):
                places[leg, axis] += share * (goals[leg, axis] - places[leg, axis])
                steps[leg, axis] = trial[axis] - angles[leg, axis]
                angles[leg, axis] = trial[axis]
        else:
            shares[leg] = 0.0
            steps[leg] = 0.0
