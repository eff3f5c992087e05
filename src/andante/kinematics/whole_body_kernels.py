"""Whole-body inverse kinematics as one compiled kernel: least squares that keeps its constraints on the way.

Every pass linearises the tasks' errors (Gauss-Newton), solves `bounded_step` for the joints within their limits with
the fixed frames' rows as equalities, goes that way, and takes the fixed frames back to their places by Newton steps of
least length. A step counts only if the frames are back and the cost has fallen; otherwise it is damped more (Levenberg,
1944). So whatever ends the search, the answer keeps limits and places.

Variables are scaled so that a radian of a joint, a radian of the base and ``size`` metres of the base count the same.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, kernel
from andante.kinematics.bounded_step import INDEFINITE, LeastStep, bounded_step, empty_step, least_step
from andante.kinematics.tree_table import TreeTable
from andante.kinematics.whole_body_goals import (
    add_curvature,
    all_reached,
    columns_of,
    cost_of,
    errors_of,
    normal_equations,
)
from andante.kinematics.whole_body_tables import GoalTable, MotionTable, Posed, copy_posed, empty_posed, moved, refresh
from andante.spatial.arrays import Array, Array1, Index1
from andante.spatial.rotation_kernels import from_matrix, to_matrix

_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-4, 1e-9, 1e4
_LONGEST = 0.6
"""Longest change of a variable in one pass [rad]."""
_BACK = 1e-8
"""To this the fixed frames are taken back to their places [m], [rad]."""
_RETURNS = 10
_SLOW = 0.5
"""Share of the cost that a pass must take away not to count as slow."""


@kernel
def _largest(errors: Array, rows: int) -> float:
    most = 0.0
    for row in range(rows):
        most = max(most, abs(errors[row]))
    return most


@kernel
def _bounds(motion: MotionTable, posed: Posed, low: Array, high: Array) -> None:
    for n in range(len(low)):
        index = motion.joint[n]
        if index < 0:
            low[n], high[n] = -math.inf, math.inf
        else:
            low[n] = min(motion.low[n] - posed.joints[index], 0.0)
            high[n] = max(motion.high[n] - posed.joints[index], 0.0)


@kernel
def _brought_back(
    table: TreeTable, motion: MotionTable, fixed: GoalTable, posed: Posed, other: Posed, room: LeastStep
) -> bool:
    """Move a configuration by the shortest steps until the fixed frames are in their places; whether they are."""
    rows = len(room.wanted)
    refresh(table, posed)
    if rows == 0:
        return True
    before = math.inf
    for _ in range(_RETURNS):
        errors_of(fixed, posed, room.wanted)
        off = _largest(room.wanted, rows)
        if off <= _BACK:
            return True
        if off > 0.7 * before:
            return False
        before = off
        columns_of(table, motion, fixed, posed, room.rows)
        _bounds(motion, posed, room.low, room.high)
        least_step(room)
        if _largest(room.step, len(room.step)) > 2.0:
            return False
        moved(motion, posed, room.step, 1.0, other)
        posed.joints[:] = other.joints
        posed.origins[0] = other.origins[0]
        posed.turns[0] = other.turns[0]
        refresh(table, posed)
    return False


@entry
def solve_whole_body(
    table: TreeTable,
    motion: MotionTable,
    tasks: GoalTable,
    fixed: GoalTable,
    joints: Array1,
    position: Array1,
    orientation: Array1,
    near: float,
    turn_near: float,
    passes: int,
    task_errors: Array1,
    fixed_errors: Array1,
    side: Index1,
) -> tuple[int, float, bool]:
    """Search the configuration that fulfils tasks best, from a start within the limits.

    Args:
        table: The robot.
        motion: What may move.
        tasks: What is asked.
        fixed: Frames that stay in their places.
        joints: Start and answer, (nj,) [rad].
        position: Of the base, start and answer, (3,) [m].
        orientation: Of the base, start and answer, (4,) wxyz.
        near: Error of a place that is good enough [m].
        turn_near: Error of an orientation that is good enough [rad].
        passes: How many passes it may take.
        task_errors: Gets the tasks' errors.
        fixed_errors: Gets the fixed frames' errors.
        side: Gets which limits the answer rests on, by variable: -1 lower, +1 upper.

    Returns:
        Passes taken, cost of the tasks, and whether the fixed frames are in their places.
    """
    n, links, m, count = len(motion.joint), len(table.parent), len(fixed_errors), len(task_errors)
    here, there = empty_posed(len(joints), links), empty_posed(len(joints), links)
    other, start = empty_posed(len(joints), links), empty_posed(len(joints), links)
    here.joints[:] = joints
    here.origins[0] = position
    here.turns[0] = to_matrix(orientation)
    refresh(table, here)
    copy_posed(here, start)
    room = empty_step(m, n)
    jacobian, hold, dual = np.empty((count, n)), np.empty((m, n)), np.zeros(m)
    hessian, damped, work = np.empty((n, n)), np.empty((n, n)), np.empty((2, 3))
    gradient, step, away, forces = np.empty(n), np.empty(n), np.empty(n), np.empty(count)
    low, high = np.empty(n), np.empty(n)
    side[:] = 0
    kept = _brought_back(table, motion, fixed, here, other, room)
    taken = 0
    errors_of(tasks, here, task_errors)
    cost, held = cost_of(tasks, motion, here, start, task_errors, away)
    damping, gain = _DAMPING, 1.0
    while kept and taken < passes:
        taken += 1
        columns_of(table, motion, tasks, here, jacobian)
        columns_of(table, motion, fixed, here, hold)
        errors_of(fixed, here, fixed_errors)
        _bounds(motion, here, low, high)
        normal_equations(tasks, motion, jacobian, task_errors, away, hessian, gradient, forces)
        # Gauss and Newton converge slowly to what lies far outside the reach; there the full second derivative helps.
        curved = gain < _SLOW
        better = False
        longest = 0.0
        while not better and damping <= _MOST_DAMPING:
            damped[:] = hessian
            for i in range(n):
                damped[i, i] += damping
            if curved:
                add_curvature(table, motion, tasks, here, forces, damped, work)
                add_curvature(table, motion, fixed, here, dual, damped, work)
            if bounded_step(damped, gradient, hold, fixed_errors, low, high, step, side, dual) == INDEFINITE:
                dual[:] = 0.0
                curved = False
                continue
            longest = _largest(step, n)
            share = 1.0 if longest <= _LONGEST else _LONGEST / longest
            moved(motion, here, step, share, there)
            if _brought_back(table, motion, fixed, there, other, room):
                errors_of(tasks, there, task_errors)
                new, new_held = cost_of(tasks, motion, there, start, task_errors, away)
                better = new + new_held < cost + held
            if not better:
                if longest < 1e-7:
                    break
                damping = max(10.0 * damping, 1e-6)
        if not better:
            break
        gain = (cost + held - new - new_held) / (cost + held)
        cost, held = new, new_held
        copy_posed(there, here)
        damping = max(0.1 * damping, _LEAST_DAMPING)
        if longest < 1e-6 or gain < 1e-7:
            break
        if longest < 1e-2 and all_reached(tasks, task_errors, near, turn_near):
            break
    errors_of(tasks, here, task_errors)
    errors_of(fixed, here, fixed_errors)
    joints[:] = here.joints
    position[:] = here.origins[0]
    orientation[:] = from_matrix(here.turns[0])
    for v in range(n):
        index = motion.joint[v]
        side[v] = 0
        if index >= 0:
            if joints[index] <= motion.low[v] + 1e-9:
                side[v] = -1
            elif joints[index] >= motion.high[v] - 1e-9:
                side[v] = 1
    return taken, cost, kept
