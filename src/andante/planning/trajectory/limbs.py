"""Feet, base and joints at every sample of a walk whose centre of mass and turn are given.

A foot that carries is a ball that rolls without slipping: as its shank turns by w, its centre moves by r w x n. Without
that a robot with balls of a tenth of its leg gets a tenth farther than planned.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, inlined
from andante.kinematics.com_ik import rpy_matrix, solved_com
from andante.kinematics.leg_table import LegTable
from andante.planning.trajectory.swing_path import along_path
from andante.planning.trajectory.time_law import law_share
from andante.spatial.arrays import Array, Array1, Array2, Array3, Index1

_CLOSE = 1e-7
"""Largest distance of the centre of mass from where it is wanted [m]."""
NO_ROOM = -10.0
"""Slack where a leg is too short for its foot [rad]."""


@entry
def move_limbs(
    table: LegTable,
    com: Array2,
    rpy: Array2,
    swinging: Index1,
    times: Array1,
    paths: Array3,
    laws: Array2,
    legs: Index1,
    normals: Array2,
    feet: Array3,
    position: Array2,
    angles: Array3,
    slack: Array1,
    where: Index1,
) -> None:
    """Solve all samples in order.

    Args:
        table: The robot.
        com: Centre of mass, (n, 3) [m].
        rpy: Roll, pitch and yaw of the base, (n, 3) [rad].
        swinging: Number of the step whose foot is off its old place, -1: none, (n,).
        times: Share of its swing's time that has passed, (n,).
        paths: Path of each step, (k, m, 3) [m].
        laws: Its time law, (k, m).
        legs: Row of its leg, (k,).
        normals: Normals of the ground under the feet at the first sample and where each step lands, (nl + k, 3).
        feet: Centres of the feet, (n, nl, 3) [m]; the first row is given, the others are found.
        position: Gets the origin of the base, (n, 3) [m]; the first row is where the search starts.
        angles: Gets the joint angles, (n, nl, 3) [rad].
        slack: Gets the smallest angle left to a limit, (n,) [rad]; `NO_ROOM` where a leg is too short.
        where: Gets the joint that has it as 3 leg + joint, (n,).
    """
    count, legs_count = len(com), feet.shape[1]
    ground = normals[:legs_count].copy()
    here, found, work = position[0].copy(), np.empty(3), np.empty((5, 3))
    shanks, turned = np.empty((legs_count, 3, 3)), np.empty((3, 3))
    guess = np.zeros((legs_count, 3))
    begin, place = np.zeros(3), np.empty(3)
    current = -1
    for j in range(count):
        rotation = rpy_matrix(rpy[j])
        step = swinging[j]
        leg = legs[step] if step >= 0 else -1
        if step >= 0 and step != current:
            # The old foothold has rolled on since the path was drawn.
            base = feet[max(j - 1, 0), leg]
            for axis in range(3):
                begin[axis] = base[axis] - paths[step, 0, axis]
        if current >= 0 and step != current:
            ground[legs[current]] = normals[legs_count + current]
        current = step
        if j > 0:
            for axis in range(3):
                here[axis] += com[j, axis] - com[j - 1, axis]
            feet[j] = feet[j - 1]
        if step >= 0:
            share = law_share(laws[step], times[j])
            along_path(paths[step], share, place)
            for axis in range(3):
                feet[j, leg, axis] = place[axis] + (1.0 - share) * begin[axis]
        for _ in range(2):
            for each in range(legs_count):
                if each != leg and j > 0:
                    for axis in range(3):
                        feet[j, each, axis] = feet[j - 1, each, axis] + guess[each, axis]
            passes, missing, least, which = solved_com(
                table, com[j], feet[j], rotation, _CLOSE, here, angles[j], found, work
            )
            if j == 0:
                break
            for each in range(legs_count):
                _shank(table, each, angles[j, each], rotation, turned)
                _roll(table.radius[each], shanks[each], turned, ground[each], guess[each])
        slack[j] = least if missing <= 1e-9 and passes > 0 else NO_ROOM
        where[j] = which
        position[j] = here
        for each in range(legs_count):
            _shank(table, each, angles[j, each], rotation, shanks[each])


@inlined
def _shank(table: LegTable, leg: int, angles: Array, rotation: Array, turned: Array) -> None:
    """Rotation (3, 3) of a leg's lower link in the world."""
    roll = table.signs[leg, 0] * angles[0]
    bent = table.signs[leg, 1] * angles[1] + table.signs[leg, 2] * angles[2]
    c1, s1, c2, s2 = math.cos(roll), math.sin(roll), math.cos(bent), math.sin(bent)
    for row in range(3):
        a, b, c = rotation[row, 0], rotation[row, 1], rotation[row, 2]
        up = -s1 * b + c1 * c
        turned[row, 0] = a * c2 - up * s2
        turned[row, 1] = c1 * b + s1 * c
        turned[row, 2] = a * s2 + up * c2


@inlined
def _roll(radius: float, before: Array, after: Array, normal: Array, shift: Array) -> None:
    """How a ball's centre moves, (3,) [m], as it turns from one rotation to another on ground with a normal."""
    # The vector of the skew part is the turn, between neighbouring samples.
    w0 = w1 = w2 = 0.0
    for k in range(3):
        w0 += 0.5 * (after[2, k] * before[1, k] - after[1, k] * before[2, k])
        w1 += 0.5 * (after[0, k] * before[2, k] - after[2, k] * before[0, k])
        w2 += 0.5 * (after[1, k] * before[0, k] - after[0, k] * before[1, k])
    shift[0] = radius * (w1 * normal[2] - w2 * normal[1])
    shift[1] = radius * (w2 * normal[0] - w0 * normal[2])
    shift[2] = radius * (w0 * normal[1] - w1 * normal[0])
