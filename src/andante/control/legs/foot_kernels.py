"""Kernels behind `FootMotion`: where feet are, and how far they may move in one tick."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_kernels import slack, turns
from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array1, Array2, Flags1
from andante.spatial.compiled import entry, kernel

Array = NDArray[np.float64]
_HALVINGS = 8
_TOUCHING = 1e-9


@entry
def foot_places(table: LegTable, angles: Array2, places: Array2) -> None:
    """Centres of the feet in the base's frame, (nl, 3) [m], at joint angles (nl, 3) [rad]."""
    for leg in range(len(angles)):
        roll, pitch = table.signs[leg, 0] * angles[leg, 0], table.signs[leg, 1] * angles[leg, 1]
        turned = pitch + table.signs[leg, 2] * angles[leg, 2]
        c1, s1, c2, s2 = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
        c3, s3 = math.cos(turned), math.sin(turned)
        o, u, f = table.offset[leg], table.upper[leg], table.lower[leg]
        x = o[0] + c2 * u[0] + s2 * u[2] + c3 * f[0] + s3 * f[2]
        y = o[1] + u[1] + f[1]
        z = o[2] + c2 * u[2] - s2 * u[0] + c3 * f[2] - s3 * f[0]
        places[leg, 0] = table.hip[leg, 0] + x
        places[leg, 1] = table.hip[leg, 1] + c1 * y - s1 * z
        places[leg, 2] = table.hip[leg, 2] + s1 * y + c1 * z


@kernel
def foot_jacobian(table: LegTable, leg: int, angles: Array, jacobian: Array) -> None:
    """How a foot's centre moves in the base's frame as its joints turn, (3, 3) [m/rad]."""
    roll, pitch = table.signs[leg, 0] * angles[leg, 0], table.signs[leg, 1] * angles[leg, 1]
    turned = pitch + table.signs[leg, 2] * angles[leg, 2]
    c1, s1, c2, s2 = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    c3, s3 = math.cos(turned), math.sin(turned)
    o, u, f = table.offset[leg], table.upper[leg], table.lower[leg]
    kx, kz = c2 * u[0] + s2 * u[2], c2 * u[2] - s2 * u[0]
    lx, lz = c3 * f[0] + s3 * f[2], c3 * f[2] - s3 * f[0]
    y, z = o[1] + u[1] + f[1], o[2] + kz + lz
    jacobian[0, 0] = 0.0
    jacobian[1, 0] = table.signs[leg, 0] * (-s1 * y - c1 * z)
    jacobian[2, 0] = table.signs[leg, 0] * (c1 * y - s1 * z)
    for column, (dx, dz) in enumerate(((kz + lz, -(kx + lx)), (lz, -lx))):
        sign = table.signs[leg, 1 + column]
        jacobian[0, 1 + column] = sign * dx
        jacobian[1, 1 + column] = -sign * s1 * dz
        jacobian[2, 1 + column] = sign * c1 * dz


@entry
def leg_angles(table: LegTable, leg: int, x: float, y: float, z: float, angles: Array1) -> float:
    """Joint angles (3,) [rad] of a foot's place in the base's frame, and the smallest angle left to a limit [rad].

    Far below zero where the leg is too short or too long.
    """
    roll, pitch, bend, missing = turns(table, leg, x, y, z)
    left, _ = slack(table, leg, roll, pitch, bend)
    angles[0] = table.signs[leg, 0] * roll
    angles[1] = table.signs[leg, 1] * pitch
    angles[2] = table.signs[leg, 2] * (table.stretched[leg] + table.bend[leg] * bend)
    return -10.0 - missing if missing > _TOUCHING else left


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
