"""Whole-body inverse kinematics as one compiled kernel: least squares that keeps its constraints on the way.

Every pass linearises the tasks' errors (Gauss-Newton), solves `bounded_step` for the joints within their limits with
the fixed frames' rows as equalities, goes that way, and takes the fixed frames back to their places by Newton steps of
least length. A step counts only if the frames are back and the cost has fallen; otherwise it is damped more (Levenberg,
1944). So whatever ends the search, the answer keeps limits and places.

Variables are scaled so that a radian of a joint, a radian of the base and ``size`` metres of the base count the same.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.bounded_step import INDEFINITE, bounded_step, least_step
from andante.kinematics.tree_kernels import com_columns, frame_columns, mass_moments, place_links, point_of
from andante.kinematics.tree_table import TreeTable
from andante.spatial.arrays import Array1, Array2, Array3, Flags1, Index1
from andante.spatial.compiled import entry, inlined, kernel
from andante.spatial.rotation_kernels import from_matrix, to_matrix

Array = NDArray[np.float64]
Index = NDArray[np.int64]

COM = -1
"""In place of a link: the centre of mass."""
_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-4, 1e-9, 1e4
_LONGEST = 0.6
"""Longest change of a variable in one pass [rad]."""
_BACK = 1e-8
"""To this the fixed frames are taken back to their places [m], [rad]."""
_RETURNS = 10
_SLOW = 0.5
"""Share of the cost that a pass must take away not to count as slow."""


class GoalTable(NamedTuple):
    """Places and orientations that frames should have, by row."""

    link: Index1
    """Link of the frame, or `COM`, (ng,)."""
    rows: Index1
    """3: place; 6: place and orientation, (ng,)."""
    place: Array2
    """Frame's place from its link's origin at zero angles, (ng, 3) [m]."""
    rotation: Array3
    """Its rotation at zero angles, (ng, 3, 3)."""
    target: Array2
    """Where it should be, (ng, 3) [m]."""
    turn: Array3
    """How it should be turned, (ng, 3, 3)."""
    weight: Array2
    """Weights of the squared errors, world axes, place then orientation, (ng, 6)."""


class MotionTable(NamedTuple):
    """What may move, and how far."""

    floating: bool
    """Whether the base's six are variables."""
    size: float
    """So many metres of the base count as much as a radian [m]."""
    column: Index1
    """Variable of each link, (nl,), -1 where it is held."""
    joint: Index1
    """Entry of the joint array of each variable, (n,), -1 for the base's."""
    low: Array1
    """Least joint positions by variable, (n,) [rad]; the base has none."""
    high: Array1
    """Largest, (n,) [rad]."""
    wanted: Array1
    """Joint positions that a posture task asks for, by variable, (n,) [rad]."""
    hold: Array1
    """Weight of the squared distance from there, (n,); the base's from where it starts."""


class Posed(NamedTuple):
    """A configuration and the poses of its links."""

    joints: Array1
    """(nj,) [rad]."""
    origins: Array2
    """(nl, 3) [m]."""
    turns: Array3
    """(nl, 3, 3)."""
    axes: Array2
    """(nl, 3)."""
    moments: Array2
    """(nl, 4) [kg, kg m]."""


@kernel
def _posed(joints: int, links: int) -> Posed:
    return Posed(
        np.empty(joints), np.empty((links, 3)), np.empty((links, 3, 3)), np.zeros((links, 3)), np.empty((links, 4))
    )


@kernel
def _copy(source: Posed, target: Posed) -> None:
    target.joints[:] = source.joints
    target.origins[:] = source.origins
    target.turns[:] = source.turns
    target.axes[:] = source.axes
    target.moments[:] = source.moments


@kernel
def _refresh(table: TreeTable, posed: Posed) -> None:
    place_links(table, posed.joints, posed.origins, posed.turns, posed.axes)
    mass_moments(table, posed.origins, posed.turns, posed.moments)


@kernel
def _moved(motion: MotionTable, source: Posed, step: Array, share: float, target: Posed) -> None:
    """Joints and base of ``source`` after a share of a step, clipped to the limits against rounding."""
    target.joints[:] = source.joints
    target.origins[0] = source.origins[0]
    target.turns[0] = source.turns[0]
    first = 0
    if motion.floating:
        first = 6
        for axis in range(3):
            target.origins[0, axis] = source.origins[0, axis] + share * motion.size * step[axis]
        _turn(source.turns[0], share * step[3], share * step[4], share * step[5], target.turns[0])
    for n in range(first, len(step)):
        index = motion.joint[n]
        target.joints[index] = min(max(source.joints[index] + share * step[n], motion.low[n]), motion.high[n])


@kernel
def _turn(rotation: Array, x: float, y: float, z: float, out: Array) -> None:
    """The rotation turned by a rotation vector in world axes [rad]."""
    angle = math.sqrt(x * x + y * y + z * z)
    sine = 1.0 if angle < 1e-12 else math.sin(angle) / angle
    rest = 0.5 if angle < 1e-6 else (1.0 - math.cos(angle)) / (angle * angle)
    for column in range(3):
        a, b, c = rotation[0, column], rotation[1, column], rotation[2, column]
        u, v, w = y * c - z * b, z * a - x * c, x * b - y * a
        out[0, column] = a + sine * u + rest * (y * w - z * v)
        out[1, column] = b + sine * v + rest * (z * u - x * w)
        out[2, column] = c + sine * w + rest * (x * v - y * u)


@inlined
def _turn_between(first: Array, second: Array, zero: Array) -> tuple[float, float, float]:
    """Rotation vector in world axes [rad] that takes the rotation ``first`` times ``zero`` to ``second``."""
    # E = second (first zero)', and (first zero)'s columns turned one by one would need room; so its entries are summed.
    e00 = e01 = e02 = e10 = e11 = e12 = e20 = e21 = e22 = 0.0
    for k in range(3):
        a = first[0, 0] * zero[0, k] + first[0, 1] * zero[1, k] + first[0, 2] * zero[2, k]
        b = first[1, 0] * zero[0, k] + first[1, 1] * zero[1, k] + first[1, 2] * zero[2, k]
        c = first[2, 0] * zero[0, k] + first[2, 1] * zero[1, k] + first[2, 2] * zero[2, k]
        u, v, w = second[0, k], second[1, k], second[2, k]
        e00 += u * a
        e01 += u * b
        e02 += u * c
        e10 += v * a
        e11 += v * b
        e12 += v * c
        e20 += w * a
        e21 += w * b
        e22 += w * c
    x, y, z = e21 - e12, e02 - e20, e10 - e01
    sine, cosine = math.sqrt(x * x + y * y + z * z), e00 + e11 + e22 - 1.0
    angle = math.atan2(sine, cosine)
    if sine > 1e-5 or cosine > 0.0:
        share = 0.5 if sine < 1e-9 else angle / sine
        return share * x, share * y, share * z
    # Nearly a half turn: E + E' = 2 (a a' (1 - cos) + cos I), so the largest diagonal entry tells the axis.
    if e00 >= e11 and e00 >= e22:
        x, y, z = e00 + 1.0, 0.5 * (e01 + e10), 0.5 * (e02 + e20)
    elif e11 >= e22:
        x, y, z = 0.5 * (e01 + e10), e11 + 1.0, 0.5 * (e12 + e21)
    else:
        x, y, z = 0.5 * (e02 + e20), 0.5 * (e12 + e21), e22 + 1.0
    share = angle / math.sqrt(x * x + y * y + z * z)
    return share * x, share * y, share * z


@kernel
def errors_of(goals: GoalTable, posed: Posed, errors: Array) -> None:
    """What is missing to the goals, rows of place [m] and orientation [rad] in world axes one after the other."""
    row = 0
    for goal in range(len(goals.link)):
        link = goals.link[goal]
        if link == COM:
            total = posed.moments[0, 0]
            for axis in range(3):
                errors[row + axis] = goals.target[goal, axis] - posed.moments[0, 1 + axis] / total
        else:
            x, y, z = point_of(posed.origins, posed.turns, link, goals.place[goal])
            errors[row] = goals.target[goal, 0] - x
            errors[row + 1] = goals.target[goal, 1] - y
            errors[row + 2] = goals.target[goal, 2] - z
            if goals.rows[goal] == 6:
                errors[row + 3], errors[row + 4], errors[row + 5] = _turn_between(
                    posed.turns[link], goals.turn[goal], goals.rotation[goal]
                )
        row += goals.rows[goal]


@kernel
def _columns_of(table: TreeTable, motion: MotionTable, goals: GoalTable, posed: Posed, jacobian: Array) -> None:
    row = 0
    for goal in range(len(goals.link)):
        link = goals.link[goal]
        if link == COM:
            com_columns(table, posed.origins, posed.axes, posed.moments, motion.column, motion.floating, jacobian, row)
        else:
            x, y, z = point_of(posed.origins, posed.turns, link, goals.place[goal])
            turning = goals.rows[goal] == 6
            frame_columns(
                table, posed.origins, posed.axes, motion.column, motion.floating, link, x, y, z, jacobian, row, turning
            )
        row += goals.rows[goal]
    if motion.floating:
        for n in range(row):
            for axis in range(3):
                jacobian[n, axis] *= motion.size


@kernel
def _largest(errors: Array, rows: int) -> float:
    most = 0.0
    for row in range(rows):
        most = max(most, abs(errors[row]))
    return most


@kernel
def _cost(
    goals: GoalTable, motion: MotionTable, posed: Posed, start: Posed, errors: Array, away: Array
) -> tuple[float, float]:
    """Half the weighted squares of the goals' errors, and of the distance from the wanted posture.

    Args:
        goals: The tasks.
        motion: Wanted posture and weights.
        posed: The configuration.
        start: Where the base is held.
        errors: Of `errors_of`.
        away: Gets the way from the wanted posture by variable, (n,).
    """
    first, total, row = 0, 0.0, 0
    for goal in range(len(goals.link)):
        for axis in range(goals.rows[goal]):
            total += goals.weight[goal, axis] * errors[row] * errors[row]
            row += 1
    if motion.floating:
        first = 6
        for axis in range(3):
            away[axis] = (posed.origins[0, axis] - start.origins[0, axis]) / motion.size
        # From start to here in world axes; the way back's derivative is the unit matrix for small turns only.
        away[3], away[4], away[5] = _turn_between(start.turns[0], posed.turns[0], np.eye(3))
    held = 0.0
    for n in range(len(away)):
        if n >= first:
            away[n] = posed.joints[motion.joint[n]] - motion.wanted[n]
        held += motion.hold[n] * away[n] * away[n]
    return 0.5 * total, 0.5 * held


@kernel
def _bounds(motion: MotionTable, posed: Posed, low: Array, high: Array) -> None:
    for n in range(len(low)):
        index = motion.joint[n]
        if index < 0:
            low[n], high[n] = -math.inf, math.inf
        else:
            low[n] = min(motion.low[n] - posed.joints[index], 0.0)
            high[n] = max(motion.high[n] - posed.joints[index], 0.0)


class Room(NamedTuple):
    """Where `_brought_back` works."""

    errors: Array1
    jacobian: Array2
    columns: Array2
    low: Array1
    high: Array1
    step: Array1
    schur: Array2
    dual: Array1
    diagonal: Array1
    held: Flags1


@kernel
def _brought_back(
    table: TreeTable, motion: MotionTable, fixed: GoalTable, posed: Posed, other: Posed, room: Room
) -> bool:
    """Move a configuration by the shortest steps until the fixed frames are in their places; whether they are."""
    rows = len(room.errors)
    _refresh(table, posed)
    if rows == 0:
        return True
    before = math.inf
    for _ in range(_RETURNS):
        errors_of(fixed, posed, room.errors)
        off = _largest(room.errors, rows)
        if off <= _BACK:
            return True
        if off > 0.7 * before:
            return False
        before = off
        _columns_of(table, motion, fixed, posed, room.jacobian)
        _bounds(motion, posed, room.low, room.high)
        least_step(
            room.jacobian,
            room.errors,
            room.low,
            room.high,
            room.step,
            room.schur,
            room.dual,
            room.columns,
            room.held,
            room.diagonal,
        )
        if _largest(room.step, len(room.step)) > 2.0:
            return False
        _moved(motion, posed, room.step, 1.0, other)
        posed.joints[:] = other.joints
        posed.origins[0] = other.origins[0]
        posed.turns[0] = other.turns[0]
        _refresh(table, posed)
    return False


@kernel
def _bent(
    table: TreeTable, motion: MotionTable, goals: GoalTable, posed: Posed, forces: Array, hessian: Array, work: Array
) -> None:
    """Add what the curvature of frames' ways adds to H: of each place x with force f the matrix of f . d2x/dqi dqj.

    With axes i nearer to the base than j it is f . (a_i x J_j), J_j the velocity of x by j, as turning i turns J_j.

    Args:
        table: The robot.
        motion: Its variables.
        goals: The frames.
        posed: The configuration.
        forces: Gradient of what is minimised by each row of the goals, (m,); those of orientations are not used.
        hessian: Upper half to add to, (n, n).
        work: Room, (6, 3).
    """
    row = 0
    for goal in range(len(goals.link)):
        link = goals.link[goal]
        fx, fy, fz = forces[row], forces[row + 1], forces[row + 2]
        row += goals.rows[goal]
        if link == COM or (fx == 0.0 and fy == 0.0 and fz == 0.0):
            continue
        x, y, z = point_of(posed.origins, posed.turns, link, goals.place[goal])
        while link > 0:
            j = motion.column[link]
            a, b, c = posed.axes[link, 0], posed.axes[link, 1], posed.axes[link, 2]
            vx, vy, vz = a, b, c
            if not table.slides[link]:
                dx, dy, dz = x - posed.origins[link, 0], y - posed.origins[link, 1], z - posed.origins[link, 2]
                vx, vy, vz = b * dz - c * dy, c * dx - a * dz, a * dy - b * dx
            # f . (a x v) = a . (v x f)
            tx, ty, tz = vy * fz - vz * fy, vz * fx - vx * fz, vx * fy - vy * fx
            above = link
            while above > 0 and j >= 0:
                i = motion.column[above]
                if i >= 0 and not table.slides[above]:
                    bend = posed.axes[above, 0] * tx + posed.axes[above, 1] * ty + posed.axes[above, 2] * tz
                    if i == j and above != link:
                        bend *= 2.0
                    hessian[min(i, j), max(i, j)] += bend
                above = table.parent[above]
            if motion.floating and j >= 0:
                hessian[3, j] += tx
                hessian[4, j] += ty
                hessian[5, j] += tz
            link = table.parent[link]
        if motion.floating:
            dx, dy, dz = x - posed.origins[0, 0], y - posed.origins[0, 1], z - posed.origins[0, 2]
            # The base's turn by a rotation vector w: x'' = w x (w x r), whose matrix is f r' + r f' over 2 - f.r I.
            along = fx * dx + fy * dy + fz * dz
            work[0, 0], work[0, 1], work[0, 2] = fx, fy, fz
            work[1, 0], work[1, 1], work[1, 2] = dx, dy, dz
            for p in range(3):
                hessian[3 + p, 3 + p] -= along
                for q in range(p, 3):
                    hessian[3 + p, 3 + q] += 0.5 * (work[0, p] * work[1, q] + work[0, q] * work[1, p])


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
    here, there, other = _posed(len(joints), links), _posed(len(joints), links), _posed(len(joints), links)
    start = _posed(len(joints), links)
    here.joints[:] = joints
    here.origins[0] = position
    here.turns[0] = to_matrix(orientation)
    _refresh(table, here)
    _copy(here, start)
    room = Room(
        np.empty(m),
        np.empty((m, n)),
        np.empty((n, m)),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty((m, m)),
        np.empty(m),
        np.empty(m),
        np.empty(n, dtype=np.bool_),
    )
    jacobian, hold, dual = np.empty((count, n)), np.empty((m, n)), np.zeros(m)
    hessian, damped, work = np.empty((n, n)), np.empty((n, n)), np.empty((2, 3))
    gradient, step, away, forces = np.empty(n), np.empty(n), np.empty(n), np.empty(count)
    low, high = np.empty(n), np.empty(n)
    side[:] = 0
    kept = _brought_back(table, motion, fixed, here, other, room)
    taken = 0
    errors_of(tasks, here, task_errors)
    cost, held = _cost(tasks, motion, here, start, task_errors, away)
    damping, gain = _DAMPING, 1.0
    while kept and taken < passes:
        taken += 1
        _columns_of(table, motion, tasks, here, jacobian)
        _columns_of(table, motion, fixed, here, hold)
        errors_of(fixed, here, fixed_errors)
        _bounds(motion, here, low, high)
        _normal_equations(tasks, motion, jacobian, task_errors, away, hessian, gradient, forces)
        # Gauss and Newton converge slowly to what lies far outside the reach; there the full second derivative helps.
        curved = gain < _SLOW
        better = False
        longest = 0.0
        while not better and damping <= _MOST_DAMPING:
            damped[:] = hessian
            for i in range(n):
                damped[i, i] += damping
            if curved:
                _bent(table, motion, tasks, here, forces, damped, work)
                _bent(table, motion, fixed, here, dual, damped, work)
            if bounded_step(damped, gradient, hold, fixed_errors, low, high, step, side, dual) == INDEFINITE:
                dual[:] = 0.0
                curved = False
                continue
            longest = _largest(step, n)
            share = 1.0 if longest <= _LONGEST else _LONGEST / longest
            _moved(motion, here, step, share, there)
            if _brought_back(table, motion, fixed, there, other, room):
                errors_of(tasks, there, task_errors)
                new, new_held = _cost(tasks, motion, there, start, task_errors, away)
                better = new + new_held < cost + held
            if not better:
                if longest < 1e-7:
                    break
                damping = max(10.0 * damping, 1e-6)
        if not better:
            break
        gain = (cost + held - new - new_held) / (cost + held)
        cost, held = new, new_held
        _copy(there, here)
        damping = max(0.1 * damping, _LEAST_DAMPING)
        if longest < 1e-6 or gain < 1e-7:
            break
        if longest < 1e-2 and _reached(tasks, task_errors, near, turn_near):
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


@entry
def places_at(table: TreeTable, joints: Array1, position: Array1, orientation: Array1, goals: GoalTable) -> None:
    """Write where frames are at a configuration to the targets of goals, those of a place and orientation that is NaN.

    Args:
        table: The robot.
        joints: Joint positions, (nj,) [rad].
        position: Of the base, (3,) [m].
        orientation: Of the base, (4,) wxyz.
        goals: The frames.
    """
    posed = _posed(len(joints), len(table.parent))
    posed.joints[:] = joints
    posed.origins[0] = position
    posed.turns[0] = to_matrix(orientation)
    place_links(table, posed.joints, posed.origins, posed.turns, posed.axes)
    for goal in range(len(goals.link)):
        link = goals.link[goal]
        if math.isnan(goals.target[goal, 0]):
            x, y, z = point_of(posed.origins, posed.turns, link, goals.place[goal])
            goals.target[goal, 0], goals.target[goal, 1], goals.target[goal, 2] = x, y, z
        if math.isnan(goals.turn[goal, 0, 0]):
            goals.turn[goal] = posed.turns[link] @ goals.rotation[goal]


@kernel
def _reached(goals: GoalTable, errors: Array, near: float, turn_near: float) -> bool:
    row = 0
    for goal in range(len(goals.link)):
        for axis in range(goals.rows[goal]):
            if goals.weight[goal, axis] > 0.0 and abs(errors[row]) > (near if axis < 3 else turn_near):
                return False
            row += 1
    return True


@kernel
def _normal_equations(
    goals: GoalTable,
    motion: MotionTable,
    jacobian: Array,
    errors: Array,
    away: Array,
    hessian: Array,
    gradient: Array,
    forces: Array,
) -> None:
    """H = sum w J'J + hold (upper half), g = - sum w J'e + hold away, and the forces - w e."""
    n = len(gradient)
    for i in range(n):
        gradient[i] = motion.hold[i] * away[i]
        for j in range(i, n):
            hessian[i, j] = 0.0
        hessian[i, i] = motion.hold[i]
    row = 0
    for goal in range(len(goals.link)):
        for axis in range(goals.rows[goal]):
            weight = goals.weight[goal, axis]
            forces[row] = -weight * errors[row]
            line = jacobian[row]
            for i in range(n):
                share = weight * line[i]
                if share != 0.0:
                    gradient[i] -= share * errors[row]
                    out = hessian[i]
                    for j in range(i, n):
                        out[j] += share * line[j]
            row += 1
