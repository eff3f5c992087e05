"""Improves chosen poses: each goes toward its neighbours as far as cost allows, half ways counted.

Over a noisy map poses change little where the feet and the ground change little. A choice among samples, and a search
that keeps what is better, turn nearly equal costs into other poses. There every pose goes, over and over, to the mean
of places around it weighted by their costs (a Gibbs distribution). All of it is a continuous function of feet and
heights: no sample is picked and no move is refused.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, kernel
from andante.kinematics.com_ik import rpy_matrix
from andante.kinematics.leg_kernels import turns
from andante.kinematics.support_triangle import inner_triangle, into_triangle
from andante.planning.feasibility.pose_room import NOWHERE
from andante.planning.stances.chain import first_rung
from andante.planning.stances.pose_cost import (
    BLOCKED,
    PoseProblem,
    half_way_cost,
    motion_cost,
    node_cost,
    room_at,
    short_of,
    swing_travel,
    torque_cost,
)
from andante.planning.stances.settings import LADDER
from andante.spatial.arrays import Array, Array2, Index1
from andante.spatial.rotation_kernels import seen_from

_GAIN = 1e-5
"""Least gain of cost that is worth a change."""
_ASIDE = 0.04
"""First step of a pose that looks for more room, in leg lengths and, halved, in radians."""
_PASSES = 14
"""How often each pose goes towards the mean of the places around it: the more, the faster is the walk, by a little."""
_FIRST, _LAST = 0.05, 0.01
"""Distance of the places around a pose in the first and in the last pass, in leg lengths."""
_HEAT = 13.0
"""Temperature over the square of that distance, in leg lengths: about the curvature of what motion costs."""
_LEAST = 0.5
"""Share of the least room that a pose must have in the end."""
_SHARE = 0.6
"""Share of the way to the mean that a pose goes in a pass."""


@kernel
def _cost_around(
    task: PoseProblem, k: int, poses: Array, pose: Array, least: float, anchor: Array, bound: float
) -> float:
    """Cost of a pose at a node with the ways to it and from it, infinite where above ``bound`` or room is missing.

    What takes long is looked at last; ``anchor`` is about where the centre of mass is in the base.
    """
    scene, rules, costs, chain = task
    origin, following, centre, angles = poses[k - 1], poses[k + 1], anchor.copy(), np.empty((4, 3))
    cost = node_cost(task, k, pose, np.inf)
    cost += motion_cost(task, k - 1, origin, pose) + motion_cost(task, k, pose, following)
    if cost >= bound:
        return np.inf
    if chain.flying[k - 1] >= 0:
        cost += costs.travel * swing_travel(scene.table, chain, k - 1, origin, pose, anchor)
    if chain.flying[k] >= 0:
        cost += costs.travel * swing_travel(scene.table, chain, k, pose, following, anchor)
    if cost >= bound:
        return np.inf
    room = room_at(scene, rules, chain.feet[k], chain.swing[k], chain.lifted[k], pose, centre, least, angles)
    if room <= least:
        return np.inf
    cost += costs.slack * short_of(room, rules.enough)
    cost += torque_cost(scene, costs, chain.feet[k], chain.swing[k], pose, angles)
    if cost >= bound:
        return np.inf
    cost += half_way_cost(task, k - 1, origin, pose, centre)
    if cost >= bound:
        return np.inf
    cost += half_way_cost(task, k, pose, following, centre)
    return cost


@entry
def polish(task: PoseProblem, rungs: Index1, sweeps: int, poses: Array2) -> int:
    """Improve the poses (n, 6) of a chain in place; the first and the last stay.

    Returns:
        Passes made.
    """
    scene, rules, costs, chain = task
    last = len(poses) - 1
    corners, trial, pull, centre = np.empty((3, 2)), np.empty(6), np.empty(6), np.zeros(3)
    angles = np.empty((4, 3))
    awake = np.ones(last + 1, dtype=np.bool_)
    size = scene.table.lengths[0, 0] + scene.table.lengths[0, 1]
    for sweep in range(sweeps):
        changed = False
        aside = _ASIDE * size * 0.7**sweep
        for n in range(1, last):
            k = n if sweep % 2 == 0 else last - n
            if not awake[k]:
                continue
            awake[k] = False
            inner_triangle(chain.feet[k], chain.swing[k], LADDER[rungs[k], 0] * rules.margin, corners)
            least = LADDER[rungs[k], 1] * rules.least
            # One centre for all that are compared at this node.
            room_at(scene, rules, chain.feet[k], chain.swing[k], chain.lifted[k], poses[k], centre, NOWHERE, angles)
            best = _cost_around(task, k, poses, poses[k], least, centre, np.inf)
            moved = False
            before, after = chain.stiffness[k - 1], chain.stiffness[k]
            for axis in range(6):
                weight = costs.stray / costs.motion if axis > 1 else 0.0
                pull[axis] = (
                    before * poses[k - 1, axis] + after * poses[k + 1, axis] + weight * chain.reference[k, axis]
                )
                pull[axis] = pull[axis] / (before + after + weight) - poses[k, axis]
            for number in range(11):
                trial[:] = poses[k]
                if number < 3:
                    for axis in range(6):
                        trial[axis] += pull[axis] * 0.4**number
                else:
                    axis = (2, 4, 3, 0)[(number - 3) // 2]
                    step = aside if axis != 4 and axis != 3 else 2.0 * aside / size
                    trial[axis] += step if number % 2 else -step
                trial[0], trial[1] = into_triangle(corners, trial[0], trial[1])
                trial[4] = min(max(trial[4], -rules.steepest), rules.steepest)
                price = _cost_around(task, k, poses, trial, least, centre, best)
                if price < best - _GAIN:
                    best = price
                    poses[k] = trial
                    moved = True
                    if number < 3:
                        break
            if moved:
                changed = True
                awake[k - 1] = awake[k] = awake[k + 1] = True
        if not changed:
            return sweep + 1
    return sweeps


@entry
def rooms_of(task: PoseProblem, poses: Array2) -> Array:
    """Room at each node (n,) [m]; 0 at the ends, which are given."""
    scene, rules, _, chain = task
    rooms, centre, angles = np.zeros(len(poses)), np.zeros(3), np.empty((4, 3))
    for k in range(len(poses) - 1):
        # Half way to the next node tells where the centre of mass nearly is in the base.
        middle = 0.5 * (poses[k] + poses[k + 1])
        room_at(scene, rules, chain.between[k], -1, middle[:3], middle, centre, NOWHERE, angles)
        if k > 0:
            rooms[k] = room_at(
                scene, rules, chain.feet[k], chain.swing[k], chain.lifted[k], poses[k], centre, NOWHERE, angles
            )
    return rooms


@kernel
def _price(task: PoseProblem, k: int, poses: Array, pose: Array, anchor: Array) -> float:
    """Cost of a pose at a node with the ways to it and from it; what is impossible costs as much as `BLOCKED`.

    ``anchor`` is about where the centre of mass is in the base.
    """
    scene, rules, costs, chain = task
    origin, following, centre, angles = poses[k - 1], poses[k + 1], anchor.copy(), np.empty((4, 3))
    cost = node_cost(task, k, pose, np.inf)
    cost += motion_cost(task, k - 1, origin, pose) + motion_cost(task, k, pose, following)
    if chain.flying[k - 1] >= 0:
        cost += costs.travel * swing_travel(scene.table, chain, k - 1, origin, pose, anchor)
    if chain.flying[k] >= 0:
        cost += costs.travel * swing_travel(scene.table, chain, k, pose, following, anchor)
    room = room_at(scene, rules, chain.feet[k], chain.swing[k], chain.lifted[k], pose, centre, NOWHERE, angles)
    if room <= NOWHERE:
        return cost + BLOCKED * (3.0 + _missing(task, k, pose, anchor))
    cost += costs.slack * min(short_of(room, rules.enough), BLOCKED / costs.slack)
    cost += torque_cost(scene, costs, chain.feet[k], chain.swing[k], pose, angles)
    cost += half_way_cost(task, k - 1, origin, pose, centre)
    cost += half_way_cost(task, k, pose, following, centre)
    return cost


@kernel
def _missing(task: PoseProblem, k: int, pose: Array, anchor: Array) -> float:
    """How much the legs lack to their feet and to the lifted place at a node, in tenths of a leg."""
    table, chain = task.scene.table, task.chain
    rotation, total = rpy_matrix(pose[3:]), 0.0
    position = pose[:3] - rotation @ anchor
    for n in range(5):
        leg = chain.swing[k] if n == 4 else n
        if leg >= 0:
            x, y, z = seen_from(position, rotation, chain.lifted[k] if n == 4 else chain.feet[k, leg])
            total += turns(table, leg, x, y, z)[3]
    return float(10.0 * total / (table.lengths[0, 0] + table.lengths[0, 1]))


@entry
def settle(task: PoseProblem, poses: Array2) -> bool:
    """Let the poses (n, 6) of a chain settle in place; the first and the last stay.

    Each keeps the share of the margin that `LADDER` names first of those that leave a triangle.

    Returns:
        Whether all have room in the end: half of what is asked for, as further down the ladder.
    """
    scene, rules, costs, chain = task
    last, size = len(poses) - 1, scene.table.lengths[0, 0] + scene.table.lengths[0, 1]
    corners, trial, shift = np.empty((3, 2)), np.empty(6), np.empty(6)
    centre, angles = np.zeros(3), np.empty((4, 3))
    for number in range(_PASSES):
        reach = _FIRST * (_LAST / _FIRST) ** (number / (_PASSES - 1))
        heat = _HEAT * reach * reach
        for n in range(1, last):
            k = n if number % 2 == 0 else last - n
            first_rung(chain, k, rules.margin, corners)
            # One centre for all that are compared at this node.
            room_at(scene, rules, chain.feet[k], chain.swing[k], chain.lifted[k], poses[k], centre, NOWHERE, angles)
            here = _price(task, k, poses, poses[k], centre)
            for axis in range(6):
                step = reach * size / (1.0 if axis < 3 else costs.lever)
                trial[:] = poses[k]
                trial[axis] += step
                _into(rules.steepest, corners, trial)
                up = _price(task, k, poses, trial, centre)
                trial[:] = poses[k]
                trial[axis] -= step
                _into(rules.steepest, corners, trial)
                down = _price(task, k, poses, trial, centre)
                least = min(here, min(up, down))
                a, b = math.exp((least - here) / heat), math.exp((least - up) / heat)
                c = math.exp((least - down) / heat)
                shift[axis] = _SHARE * step * (b - c) / (a + b + c)
            for axis in range(6):
                poses[k, axis] += shift[axis]
            _into(rules.steepest, corners, poses[k])
    for k in range(1, last):
        room = room_at(scene, rules, chain.feet[k], chain.swing[k], chain.lifted[k], poses[k], centre, NOWHERE, angles)
        if room <= _LEAST * rules.least:
            return False
    return True


@kernel
def _into(steepest: float, corners: Array, pose: Array) -> None:
    """Put a pose (6,) into the triangle, and its pitch between its limits."""
    pose[0], pose[1] = into_triangle(corners, pose[0], pose[1])
    pose[4] = min(max(pose[4], -steepest), steepest)
