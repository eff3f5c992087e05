"""Errors, Jacobians, cost and curvature of goals at a configuration, as compiled kernels over a `GoalTable`.

Columns of Jacobians belong to the variables of a `MotionTable`, the base's place counted in its ``size``.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, inlined, kernel
from andante.kinematics.tree_kernels import com_columns, frame_columns, place_links, point_of
from andante.kinematics.tree_table import TreeTable
from andante.kinematics.whole_body_tables import COM, GoalTable, MotionTable, Posed, empty_posed
from andante.spatial.arrays import Array, Array1
from andante.spatial.rotation_kernels import to_matrix


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
def columns_of(table: TreeTable, motion: MotionTable, goals: GoalTable, posed: Posed, jacobian: Array) -> None:
    """Jacobian of the goals' places and orientations by variable, (m, n), rows as those of `errors_of`."""
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
def cost_of(
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
def add_curvature(
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
        work: Room, (2, 3).
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
def places_at(table: TreeTable, joints: Array1, position: Array1, orientation: Array1, goals: GoalTable) -> None:
    """Write where frames are at a configuration to the targets of goals, those of a place and orientation that is NaN.

    Args:
        table: The robot.
        joints: Joint positions, (nj,) [rad].
        position: Of the base, (3,) [m].
        orientation: Of the base, (4,) wxyz.
        goals: The frames.
    """
    posed = empty_posed(len(joints), len(table.parent))
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
def all_reached(goals: GoalTable, errors: Array, near: float, turn_near: float) -> bool:
    """Whether all errors that have weight are within the tolerances [m], [rad]."""
    row = 0
    for goal in range(len(goals.link)):
        for axis in range(goals.rows[goal]):
            if goals.weight[goal, axis] > 0.0 and abs(errors[row]) > (near if axis < 3 else turn_near):
                return False
            row += 1
    return True


@kernel
def normal_equations(
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
