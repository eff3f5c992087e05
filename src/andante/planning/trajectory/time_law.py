"""When a swinging foot is where on its path: such that the fastest joint runs at constant speed.

The length of the path is measured in time that the slowest joint needs for it at its declared speed (the maximum norm
of joint angles over speeds), body in motion; that length is run through with constant speed between two ramps. A
quintic in time, for comparison, needs half as long again for the same largest speed.
"""

from __future__ import annotations

import numpy as np

from andante.kernels import entry, kernel
from andante.kinematics.com_ik import rpy_matrix
from andante.kinematics.leg_kernels import turns
from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array, Array1, Array2, Array3, Index1, Index2
from andante.spatial.rotation_kernels import seen_from

_SLOW = 2.0
"""How many times longer than on the mean a foot is on a piece of path on which it is slow."""
_EVEN = 1e-6
"""Joint way of a piece of path that moves no joint [s]."""


@kernel
def trapezoid_time(share: float, ramp: float) -> float:
    """Time, 0 to 1, at which a share of the way is done with speed rising over ``ramp`` and falling over as much."""
    top = 1.0 / (1.0 - ramp)
    if share < 0.5 * top * ramp:
        return float(np.sqrt(2.0 * ramp * max(share, 0.0) / top))
    if share > 1.0 - 0.5 * top * ramp:
        return float(1.0 - np.sqrt(2.0 * ramp * max(1.0 - share, 0.0) / top))
    return share / top + 0.5 * ramp


@entry
def law_share(law: Array1, time: float) -> float:
    """Share of the path at a time 0 to 1, of the times (n,) at which its points are reached."""
    count = len(law)
    n = min(max(int(np.searchsorted(law, time)), 1), count - 1)
    gap = law[n] - law[n - 1]
    t = (time - law[n - 1]) / gap if gap > 0.0 else 0.0
    return float((n - 1 + min(max(t, 0.0), 1.0)) / (count - 1))


@kernel
def time_law(
    table: LegTable,
    speeds: Array,
    leg: int,
    path: Array,
    position: Array,
    rpy: Array,
    first: int,
    last: int,
    ramp: float,
    air: bool,
    law: Array,
) -> float:
    """The time law of a swing over a body in motion.

    Args:
        table: The robot.
        speeds: Declared speeds of the leg's joints, (3,) [rad/s].
        leg: Row of the leg.
        path: The path, (m, 3) [m].
        position: Origin of the base at each sample, (n, 3) [m].
        rpy: Its roll, pitch and yaw, (n, 3) [rad].
        first: Sample of lift-off.
        last: Sample of touchdown.
        ramp: Share of the time for getting fast, and for getting slow.
        air: Whether the foot is in the air already and starts at full speed.
        law: Times 0 to 1 at which the points are reached, (m,); those of the pass before, and the new ones.

    Returns:
        Time that the joints need for the way at declared speed [s].
    """
    count = len(path)
    way = np.zeros(count)
    place, turn = np.empty(3), np.empty(3)
    old, held, new = np.empty(3), np.empty(3), np.empty(3)
    _pose(position, rpy, first, last, law[0], place, turn)
    rotation = rpy_matrix(turn)
    _angles(table, leg, path[0], place, rotation, old)
    for n in range(1, count):
        _angles(table, leg, path[n], place, rotation, held)
        _pose(position, rpy, first, last, law[n], place, turn)
        rotation = rpy_matrix(turn)
        _angles(table, leg, path[n], place, rotation, new)
        # Where the foot is slow, most of all at its ends, the body's motion is no part of the way.
        gap = (law[n] - law[n - 1]) * (count - 1)
        part = min(1.0, _SLOW / gap) if gap > 0.0 else 1.0
        longest = _EVEN
        for joint in range(3):
            moved = (held[joint] - old[joint]) + part * (new[joint] - held[joint])
            longest = max(longest, abs(moved) / speeds[joint])
            old[joint] = new[joint]
        way[n] = way[n - 1] + longest
    total = way[count - 1]
    for n in range(count):
        done = way[n] / total
        # A foot that is in the air already has only the second half of the trapezoid before it.
        law[n] = 2.0 * (trapezoid_time(0.5 + 0.5 * done, 0.5 * ramp) - 0.5) if air else trapezoid_time(done, ramp)
    law[0], law[count - 1] = 0.0, 1.0
    return float(total)


@kernel
def _pose(position: Array, rpy: Array, first: int, last: int, time: float, place: Array, turn: Array) -> None:
    """The body's pose at a share of the time between two samples."""
    at = first + time * (last - first)
    n = min(max(int(at), 0), len(position) - 2)
    t = at - n
    for axis in range(3):
        place[axis] = position[n, axis] + t * (position[n + 1, axis] - position[n, axis])
        turn[axis] = rpy[n, axis] + t * (rpy[n + 1, axis] - rpy[n, axis])


@kernel
def _angles(table: LegTable, leg: int, foot: Array, place: Array, rotation: Array, angles: Array) -> None:
    """Turns of a leg's joints, (3,) [rad], whose differences are those of the joints up to their sign."""
    x, y, z = seen_from(place, rotation, foot)
    angles[0], angles[1], angles[2], _ = turns(table, leg, x, y, z)


@entry
def draw_laws(
    table: LegTable,
    speeds: Array2,
    legs: Index1,
    paths: Array3,
    position: Array2,
    rpy: Array2,
    samples: Index2,
    ramps: Array1,
    air: bool,
    laws: Array2,
    ways: Array1,
) -> None:
    """`time_law` of all steps; ``ways`` (k,) [s] gets the times that the joints need at declared speed."""
    for step in range(len(legs)):
        leg, first, last = legs[step], samples[step, 0], samples[step, 1]
        ways[step] = time_law(
            table, speeds[leg], leg, paths[step], position, rpy, first, last, ramps[step], air and step == 0, laws[step]
        )
