"""Kernels behind `FootMotion`: where feet are, and how far they may move in one tick."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_kernels import slack, turns
from andante.kinematics.leg_table import LegTable
from andante.spatial.compiled import kernel

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
_HALVINGS = 8
_TOUCHING = 1e-9


@kernel
def foot_places(table: LegTable, angles: Array, places: Array) -> None:
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


@kernel
def leg_angles(table: LegTable, leg: int, x: float, y: float, z: float, angles: Array) -> float:
    """Joint angles (3,) [rad] of a foot's place in the base's frame, and the smallest angle left to a limit [rad].

    Far below zero where the leg is too short or too long.
    """
    roll, pitch, bend, missing = turns(table, leg, x, y, z)
    left, _ = slack(table, leg, roll, pitch, bend)
    angles[0] = table.signs[leg, 0] * roll
    angles[1] = table.signs[leg, 1] * pitch
    angles[2] = table.signs[leg, 2] * (table.stretched[leg] + table.bend[leg] * bend)
    return -10.0 - missing if missing > _TOUCHING else left


@kernel
def _allowed(
    table: LegTable, leg: int, place: Array, goal: Array, share: float, before: Array, most: Array, room: float,
    angles: Array,
) -> bool:  # fmt: skip
    """Whether a foot may go a share of the way to its goal in this tick; the joint angles there into ``angles``."""
    x = place[0] + share * (goal[0] - place[0])
    y = place[1] + share * (goal[1] - place[1])
    z = place[2] + share * (goal[2] - place[2])
    if leg_angles(table, leg, x, y, z, angles) < room:
        return False
    slow = True
    for joint in range(3):
        slow = slow and abs(angles[joint] - before[joint]) <= most[joint]
    return slow


@kernel
def advance(
    table: LegTable,
    places: Array,
    angles: Array,
    goals: Array,
    together: Flags,
    most: Array,
    rooms: Array,
    shares: Array,
) -> None:
    """Move feet in straight lines towards their goals as far as limits and rates of their joints allow.

    Args:
        table: The legs.
        places: Places in the base's frame, changed in place, (nl, 3) [m].
        angles: Their joint angles, changed in place, (nl, 3) [rad].
        goals: Where they should go, (nl, 3) [m].
        together: Feet that go the same share of their ways (those on the ground), (nl,).
        most: Largest change of a joint in this tick, (nl, 3) [rad].
        rooms: Angle that joints of a leg keep from their limits, (nl,) [rad].
        shares: Gets the share of its way that each foot went, (nl,).
    """
    count = len(places)
    trial = np.empty((count, 3))
    common = 1.0
    for leg in range(count):
        low, high = 0.0, common if together[leg] else 1.0
        if not _allowed(table, leg, places[leg], goals[leg], high, angles[leg], most[leg], rooms[leg], trial[leg]):
            for _ in range(_HALVINGS):
                middle = 0.5 * (low + high)
                if _allowed(
                    table, leg, places[leg], goals[leg], middle, angles[leg], most[leg], rooms[leg], trial[leg]
                ):
                    low = middle
                else:
                    high = middle
            high = low
        shares[leg] = high
        if together[leg]:
            common = high
    for leg in range(count):
        share = common if together[leg] else shares[leg]
        # A part of an allowed way need not be allowed where limits are not convex: then the feet stay.
        ok = _allowed(table, leg, places[leg], goals[leg], share, angles[leg], most[leg], rooms[leg], trial[leg])
        if together[leg] and share > 0.0 and not ok:
            common = 0.0
    for leg in range(count):
        share = common if together[leg] else shares[leg]
        shares[leg] = share
        if share <= 0.0:
            continue
        if _allowed(table, leg, places[leg], goals[leg], share, angles[leg], most[leg], rooms[leg], trial[leg]):
            for axis in range(3):
                places[leg, axis] += share * (goals[leg, axis] - places[leg, axis])
                angles[leg, axis] = trial[leg, axis]
        else:
            shares[leg] = 0.0
