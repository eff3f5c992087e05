"""A dual active-set method for stage-wise quadratic programs: exact, finite, and quick from a good first guess.

It begins at the answer without inequalities and lets in the row that is left most, one at a time; multipliers of rows
that hold stay at or above zero, those of soft rows at or below their cost, so that the method climbs in the dual
program until no row is left. The matrix of the multipliers, A H^-1 A^T, is only made for rows that hold, a column per
row from one pass of `riccati.response`; states and forces come from the multipliers by one pass of `riccati.best`. Both
are linear in the horizon, while condensing a program costs its square and factorising the condensed one its cube. A
first guess of the rows that hold saves their search.

Source: Goldfarb and Idnani, Mathematical Programming 27, 1983; bounds on multipliers for soft rows as l1 penalties.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.kernels import inlined, kernel
from andante.planning.nmpc.inputs import Inputs, new_inputs, restrict
from andante.planning.nmpc.qp import Stages
from andante.planning.nmpc.riccati import Factors, Loads, best, factorise, new_factors, response
from andante.spatial.arrays import Array, Array1, Array2, Array3, Index1, Index2

ACTIVE, SATURATED = 1, 2
_FORCE_TOLERANCE, _STATE_TOLERANCE = 1e-8, 1e-10
"""By how much a row of forces [N] and of states may be left."""
_DEPENDENT = 1e-11
"""A row whose share that other active rows do not explain is less than this depends on them."""
_DOUBTFUL = 1e-7
"""The same for rows of the first guess, which are only let in where that is safe."""


class QpWorkspace(NamedTuple):
    """Room for the method, made once."""

    inputs: Inputs
    """What is free to choose: here, all forces."""
    nothing: Index2
    """No faces, (n, 4)."""
    factors: Factors
    """Factors of the program without inequalities."""
    loads: Loads
    """Multipliers times rows."""
    row: Index1
    """Numbers of the active rows, (rows,)."""
    code: Index1
    """0 of a row that is not active, `ACTIVE`, or `SATURATED` of a soft row that is left, by number."""
    multiplier: Array1
    """Multipliers of the active rows, (rows,)."""
    triangle: Array2
    """Lower Cholesky factor of the multipliers' matrix, (rows, rows)."""
    states: Array2
    """Response of the states to a row, (N, 12)."""
    forces: Array2
    """Response of the forces to a row, (n, 12)."""
    feedback: Array3
    """Feedback of the forces on the state, (n, 12, 12)."""


def new_workspace(intervals: int) -> QpWorkspace:
    """Room for programs with so many intervals."""
    rows = 12 * intervals + 1
    return QpWorkspace(
        new_inputs(intervals),
        np.zeros((intervals, 4), dtype=np.int64),
        new_factors(intervals),
        Loads(np.zeros((intervals + 1, 12)), np.zeros((intervals, 12))),
        np.zeros(rows, dtype=np.int64),
        np.zeros(intervals * 48, dtype=np.int64),
        np.zeros(rows),
        np.zeros((rows, rows)),
        np.zeros((intervals + 1, 12)),
        np.zeros((intervals, 12)),
        np.zeros((intervals, 12, 12)),
    )


@inlined
def _row(stages: Stages, number: int) -> tuple[bool, int, int, float, int]:
    """A row: whether it is of states, its interval, its column, its sign there, and the column of the vertical force
    whose friction it asks for; -1: none."""
    count, odd = len(stages.inputs), number % 2 == 1
    if number >= 24 * count:
        return True, number // 24 - count, number % 24 // 2, 1.0 if odd else -1.0, -1
    face, first = number % 6, 3 * stages.slot[number // 24, number % 24 // 6]
    if face >= 4:
        return False, number // 24, first + 2, 1.0 if odd else -1.0, -1
    return False, number // 24, first + face // 2, -1.0 if odd else 1.0, first + 2


@kernel
def _product(stages: Stages, number: int, states: Array2, forces: Array2) -> float:
    """A row times states and forces."""
    of_state, k, column, sign, upward = _row(stages, number)
    value: float = sign * (states[k + 1, column] if of_state else forces[k, column])
    return value - stages.friction * forces[k, upward] if upward >= 0 else value


@kernel
def _bound(stages: Stages, number: int) -> float:
    """What a row times states and forces may be at most."""
    of_state, k, column, sign, upward = _row(stages, number)
    if of_state:
        bound: float = -stages.lower[k + 1, column] if sign < 0.0 else stages.upper[k + 1, column]
        return bound
    return 0.0 if upward >= 0 else -stages.least if sign < 0.0 else stages.largest


@kernel
def _largest_multiplier(stages: Stages, number: int) -> float:
    count = len(stages.inputs)
    return math.inf if number < 24 * count else stages.slack[number // 24 - count]


@kernel
def _load(stages: Stages, loads: Loads, number: int, factor: float) -> None:
    """Add a factor times a row."""
    of_state, k, column, sign, upward = _row(stages, number)
    if of_state:
        loads.states[k + 1, column] += sign * factor
    else:
        loads.choices[k, column] += sign * factor
    if upward >= 0:
        loads.choices[k, upward] -= stages.friction * factor


@kernel
def _primal(stages: Stages, work: QpWorkspace, held: int, states: Array2, forces: Array2) -> None:
    """States and forces that belong to the multipliers."""
    count = len(stages.inputs)
    work.loads.states[:, :] = 0.0
    work.loads.choices[:, :] = 0.0
    for i in range(held):
        _load(stages, work.loads, work.row[i], work.multiplier[i])
    for each in range(12):
        if stages.bounded[each]:
            for k in range(count):
                for side in range(2):
                    number = 24 * (count + k) + 2 * each + side
                    if work.code[number] == SATURATED:
                        _load(stages, work.loads, number, stages.slack[k])
    best(stages, work.inputs, work.factors, work.loads, states, forces)


@kernel
def _respond(stages: Stages, work: QpWorkspace, number: int) -> float:
    """-H^-1 a of a row into the workspace; a^T H^-1 a."""
    of_state, k, column, sign, upward = _row(stages, number)
    term = np.zeros(12)
    term[column] = sign
    if upward >= 0:
        term[upward] = -stages.friction
    response(work.inputs, work.factors, k, term, of_state, work.states, work.forces)
    return -_product(stages, number, work.states, work.forces)


@kernel
def _most_left(stages: Stages, code: Index1, states: Array2, forces: Array2) -> int:
    """Number of the row that is left most and not active, or of a saturated row that is no longer left; -1: none."""
    count = len(stages.inputs)
    worst, found = 1.0, -1
    for k in range(count):
        for foot in range(4):
            slot = stages.slot[k, foot]
            if slot < 0:
                continue
            fx, fy, fz = forces[k, 3 * slot], forces[k, 3 * slot + 1], forces[k, 3 * slot + 2]
            room = stages.friction * fz
            first = 24 * k + 6 * foot
            sides = (fx - room, -fx - room, fy - room, -fy - room, stages.least - fz, fz - stages.largest)
            for face, beyond in enumerate(sides):
                left = beyond / _FORCE_TOLERANCE
                if left > worst and code[first + face] == 0:
                    worst, found = left, first + face
    for each in range(12):
        if not stages.bounded[each]:
            continue
        for k in range(count):
            number = 24 * (count + k) + 2 * each
            value = states[k + 1, each]
            for side in range(2):
                left = stages.lower[k + 1, each] - value if side == 0 else value - stages.upper[k + 1, each]
                if code[number + side] == SATURATED:
                    left = -left
                elif code[number + side] == ACTIVE:
                    continue
                left /= _STATE_TOLERANCE
                if left > worst:
                    worst, found = left, number + side
    return found


@kernel
def _append(work: QpWorkspace, held: int, number: int, multiplier: float, cross: Array, rest: float) -> None:
    """Make a row active; ``cross``: its row of the Cholesky factor, ``rest``: the square of its diagonal."""
    work.row[held] = number
    work.multiplier[held] = multiplier
    work.code[number] = ACTIVE
    for j in range(held):
        work.triangle[held, j] = cross[j]
    work.triangle[held, held] = math.sqrt(rest)


@kernel
def _remove(work: QpWorkspace, held: int, index: int, code: int) -> None:
    """Make an active row one that is not; the factor is mended by rotations."""
    triangle = work.triangle
    work.code[work.row[index]] = code
    for i in range(index + 1, held):
        work.row[i - 1] = work.row[i]
        work.multiplier[i - 1] = work.multiplier[i]
        for j in range(i + 1):
            triangle[i - 1, j] = triangle[i, j]
    for column in range(index, held - 1):
        a, b = triangle[column, column], triangle[column, column + 1]
        size = math.hypot(a, b)
        c, s = a / size, b / size
        for i in range(column, held - 1):
            x, y = triangle[i, column], triangle[i, column + 1]
            triangle[i, column] = c * x + s * y
            triangle[i, column + 1] = c * y - s * x


@inlined
def _dot(one: Array, other: Array, count: int) -> float:
    """Product of two vectors' first parts; four sums run side by side, which a processor does at once."""
    a = b = c = d = 0.0
    whole = count - count % 4
    for i in range(0, whole, 4):
        a += one[i] * other[i]
        b += one[i + 1] * other[i + 1]
        c += one[i + 2] * other[i + 2]
        d += one[i + 3] * other[i + 3]
    for i in range(whole, count):
        a += one[i] * other[i]
    return (a + b) + (c + d)


@kernel
def _forth(work: QpWorkspace, held: int, vector: Array) -> float:
    """Solve L x = vector in place; square of x."""
    square = 0.0
    for i in range(held):
        row = work.triangle[i]
        total = (vector[i] - _dot(row, vector, i)) / row[i]
        vector[i] = total
        square += total * total
    return square


@kernel
def _back(work: QpWorkspace, held: int, vector: Array) -> None:
    """Solve L^T x = vector in place."""
    for back in range(held):
        i = held - 1 - back
        row = work.triangle[i]
        total = vector[i] / row[i]
        vector[i] = total
        for j in range(i):
            vector[j] -= total * row[j]


@kernel
def _cross(stages: Stages, work: QpWorkspace, held: int, cross: Array) -> float:
    """Row of the Cholesky factor of the row whose response the workspace has, and its square."""
    for i in range(held):
        cross[i] = -_product(stages, work.row[i], work.states, work.forces)
    return _forth(work, held, cross)


@kernel
def _let_in(stages: Stages, work: QpWorkspace, held: int, number: int, cross: Array) -> int:
    """Make a row active with a multiplier of zero, where it does not depend on the others; number held."""
    if held >= len(work.row) - 1:
        return held
    whole = _respond(stages, work, number)
    rest = whole - _cross(stages, work, held, cross)
    if rest <= _DOUBTFUL * whole:
        return held
    _append(work, held, number, 0.0, cross, rest)
    return held + 1


@kernel
def _settle(stages: Stages, work: QpWorkspace, held: int, states: Array2, forces: Array2, change: Array) -> int:
    """Multipliers by which all active rows just hold; rows that would need one below zero leave. Number held."""
    while held > 0:
        for i in range(held):
            number = work.row[i]
            change[i] = _product(stages, number, states, forces) - _bound(stages, number)
        # States and forces have the multipliers that the workspace has so far, of rows that left too.
        _forth(work, held, change)
        _back(work, held, change)
        left = held
        for back in range(held):
            i = held - 1 - back
            if work.multiplier[i] + change[i] < 0.0:
                _remove(work, left, i, 0)
                left -= 1
        if left == held:
            for i in range(held):
                work.multiplier[i] += change[i]
            _primal(stages, work, held, states, forces)
            return held
        held = left
        _primal(stages, work, held, states, forces)
    return 0


@kernel
def dual_solve(stages: Stages, work: QpWorkspace, hold: Index2, limit: int, states: Array2, forces: Array2) -> int:
    """Solve a program from the rows in ``hold``; for arguments and what is returned see `primal_dual.solve_stages`."""
    rows, count = len(work.row), len(stages.inputs)
    work.code[:] = 0
    work.nothing[:, :] = 0
    restrict(stages, work.nothing, work.inputs)
    factorise(stages, work.inputs, work.factors)
    _primal(stages, work, 0, states, forces)
    cross, step = np.empty(rows), np.empty(rows)
    held = 0
    for k in range(count):
        for foot in range(4):
            if stages.slot[k, foot] >= 0:
                for face in range(6):
                    if (hold[k, foot] >> face) & 1:
                        held = _let_in(stages, work, held, 24 * k + 6 * foot + face, cross)
    held = _settle(stages, work, held, states, forces, cross)
    changes = 0
    while True:
        number = _most_left(stages, work.code, states, forces)
        if number < 0:
            break
        if held == rows:
            return -2
        leaving = work.code[number] == SATURATED
        sign = -1.0 if leaving else 1.0
        ceiling = _largest_multiplier(stages, number)
        multiplier = ceiling if leaving else 0.0
        left = sign * (_product(stages, number, states, forces) - _bound(stages, number))
        whole = _respond(stages, work, number)
        square = _cross(stages, work, held, cross)
        while True:
            changes += 1
            if changes > limit:
                return -1
            rest = whole - square
            for i in range(held):
                step[i] = cross[i]
            _back(work, held, step)
            # The longest way that no multiplier forbids.
            way, blocking = math.inf, -1
            if rest > _DEPENDENT * whole:
                way = max(left, 0.0) / rest
            if sign > 0.0:
                if ceiling - multiplier < way:
                    way, blocking = ceiling - multiplier, held
            elif multiplier < way:
                way, blocking = multiplier, held
            for i in range(held):
                speed = -sign * step[i]
                if speed < 0.0:
                    far = max(work.multiplier[i], 0.0) / -speed
                elif speed > 0.0:
                    far = max(_largest_multiplier(stages, work.row[i]) - work.multiplier[i], 0.0) / speed
                else:
                    continue
                if far < way:
                    way, blocking = far, i
            if way == math.inf:
                return -2
            for i in range(held):
                work.multiplier[i] -= sign * way * step[i]
            multiplier += sign * way
            left -= rest * way
            if blocking < 0:
                _append(work, held, number, multiplier, cross, rest)
                held += 1
                break
            if blocking == held:
                work.code[number] = 0 if leaving else SATURATED
                break
            saturated = sign * step[blocking] < 0.0
            _remove(work, held, blocking, SATURATED if saturated else 0)
            held -= 1
            square = _cross(stages, work, held, cross)
        _primal(stages, work, held, states, forces)
    for k in range(count):
        for foot in range(4):
            faces = 0
            for face in range(6):
                if work.code[24 * k + 6 * foot + face] == ACTIVE:
                    faces += 1 << face
            hold[k, foot] = faces
    return changes
