"""The step of an inverse kinematics iteration: a small strictly convex quadratic program, as compiled kernels.

    minimise 1/2 d'H d + g'd   where   A d = b   and   low <= d <= high

The bounds are found by a primal-dual active set (Hintermüller, Ito, Kunisch, SIAM J. Optimization 13 (3), 2003): what a
step takes beyond a bound is held there, what is held with a multiplier of the wrong sign is let go. With the held ones
out, the equalities are eliminated by H's Cholesky factor and the Schur complement A H^-1 A'. Rows of A that depend on
others are left out, as a stretched leg's are.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.kernels import entry, kernel
from andante.spatial.arrays import Array, Array1, Array2, Flags1, Index, Index1

SETTLED, CLIPPED, INDEFINITE = 0, 1, 2
"""How a step was found."""
_PASSES, _TOGETHER = 14, 6
_BLOCKED = 1e8
"""Multiplier of an equality per unit that it lacks, where the variables that are held leave it none: lets them go."""
_DEPENDENT = 1e-11
"""Share of a row's square that is left when the rows before it are taken out, below which it depends on them."""


@entry
def bounded_step(
    hessian: Array2,
    gradient: Array1,
    rows: Array2,
    wanted: Array1,
    low: Array1,
    high: Array1,
    step: Array1,
    side: Index1,
    dual: Array1,
) -> int:
    """Solve the program above.

    Args:
        hessian: H, (n, n), positive definite; its upper half is read.
        gradient: g, (n,).
        rows: A, (m, n).
        wanted: b, (m,).
        low: Lower bounds, (n,), not above 0.
        high: Upper bounds, (n,), not below 0.
        step: Gets d, (n,), within the bounds.
        side: -1 or +1 where a variable is held at its lower or upper bound, else 0, (n,); a guess, and the answer.
        dual: Gets the multipliers of the equalities, (m,).

    Returns:
        `SETTLED`; `CLIPPED` where the active set was not settled, so that the step is within the bounds, but not the
        least; `INDEFINITE` where H is not positive definite, and then there is no step.
    """
    n, m = len(gradient), len(wanted)
    free = np.empty(n, dtype=np.int64)
    factor, reduced = np.empty((n, n)), np.empty((n, m))
    schur, right, diagonal = np.empty((m, m)), np.empty(n), np.empty(max(n, m))
    for turn in range(_PASSES):
        count = 0
        for i in range(n):
            if side[i] == 0:
                free[count] = i
                count += 1
            else:
                step[i] = low[i] if side[i] < 0 else high[i]
        if not _equality_step(
            hessian, gradient, rows, wanted, step, side, free, count, factor, reduced, schur, dual, right, diagonal
        ):
            return INDEFINITE
        changed, worst, steepest = False, -1, 0.0
        for i in range(n):
            if side[i] == 0:
                if step[i] < low[i] or step[i] > high[i]:
                    side[i] = -1 if step[i] < low[i] else 1
                    changed = True
                continue
            slope = gradient[i]
            for j in range(n):
                slope += (hessian[i, j] if i <= j else hessian[j, i]) * step[j]
            for row in range(m):
                slope += rows[row, i] * dual[row]
            if slope * side[i] <= 0.0:
                continue
            if turn < _TOGETHER:
                side[i] = 0
                changed = True
            elif slope * side[i] > steepest:
                worst, steepest = i, slope * side[i]
        if not changed and worst < 0:
            return SETTLED
        if not changed:
            # All together may go round in circles: later on one is let go at a time, when all others are settled.
            side[worst] = 0
    for i in range(n):
        step[i] = min(max(step[i], low[i]), high[i])
    return CLIPPED


@kernel
def _equality_step(
    hessian: Array,
    gradient: Array,
    rows: Array,
    wanted: Array,
    step: Array,
    side: Index,
    free: Index,
    count: int,
    factor: Array,
    reduced: Array,
    schur: Array,
    dual: Array,
    right: Array,
    diagonal: Array,
) -> bool:
    """The step's ``count`` ``free`` variables with the others as they are, and the multipliers of the equalities.

    Returns:
        Whether H is positive definite in them.
    """
    m, n = len(wanted), len(gradient)
    for row in range(m):
        dual[row] = -wanted[row]
    for a in range(count):
        i = free[a]
        right[a] = -gradient[i]
        for b in range(a, count):
            factor[a, b] = hessian[i, free[b]]
        for row in range(m):
            reduced[a, row] = rows[row, i]
    if count < n:
        for j in range(n):
            if side[j] != 0:
                for row in range(m):
                    dual[row] += rows[row, j] * step[j]
                for a in range(count):
                    i = free[a]
                    right[a] -= (hessian[i, j] if i <= j else hessian[j, i]) * step[j]
    if _cholesky(factor, count, 0.0, diagonal) < count:
        return False
    for k in range(count):
        share = 1.0 / factor[k, k]
        above = reduced[k]
        right[k] *= share
        for row in range(m):
            above[row] *= share
        for j in range(k + 1, count):
            share = factor[k, j]
            line = reduced[j]
            right[j] -= share * right[k]
            for row in range(m):
                line[row] -= share * above[row]
    # S nu = Y' w - b, with d = U^-1 (w - Y nu).
    schur[:] = 0.0
    for a in range(count):
        line = reduced[a]
        for row in range(m):
            share = line[row]
            out = schur[row]
            dual[row] += share * right[a]
            for other in range(row, m):
                out[other] += share * line[other]
    _cholesky(schur, m, _DEPENDENT, diagonal)
    _solve(schur, m, dual, _BLOCKED)
    for a in range(count):
        for row in range(m):
            right[a] -= reduced[a, row] * dual[row]
    _backward(factor, count, right)
    for a in range(count):
        step[free[a]] = right[a]
    return True


class LeastStep(NamedTuple):
    """What `least_step` is asked, its answer, and where it works."""

    rows: Array2
    """A, (m, n)."""
    wanted: Array1
    """b, (m,)."""
    low: Array1
    """Lower bounds, (n,)."""
    high: Array1
    """Upper bounds, (n,)."""
    step: Array1
    """Gets d, (n,)."""
    schur: Array2
    """Room, (m, m)."""
    dual: Array1
    """Room, (m,)."""
    columns: Array2
    """Room, (n, m)."""
    held: Flags1
    """Room, (n,)."""
    diagonal: Array1
    """Room, (m,)."""


@kernel
def empty_step(m: int, n: int) -> LeastStep:
    """Room for so many equalities and variables."""
    rows, columns, schur, held = np.empty((m, n)), np.empty((n, m)), np.empty((m, m)), np.empty(n, dtype=np.bool_)
    low, high, step = np.empty(n), np.empty(n), np.empty(n)
    return LeastStep(rows, np.empty(m), low, high, step, schur, np.empty(m), columns, held, np.empty(m))


@kernel
def least_step(asked: LeastStep) -> None:
    """The shortest step d with A d = b that the bounds allow.

    Variables that leave their bounds are held there and the rest is solved anew: it is the shortest only without any.
    """
    rows, wanted, low, high, step, schur, dual, columns, held, diagonal = asked
    m, n = rows.shape
    for j in range(n):
        held[j] = False
        step[j] = 0.0
        for row in range(m):
            columns[j, row] = rows[row, j]
    for _ in range(4):
        schur[:] = 0.0
        dual[:] = wanted
        for j in range(n):
            line = columns[j]
            if held[j]:
                for row in range(m):
                    dual[row] -= line[row] * step[j]
                continue
            for row in range(m):
                share = line[row]
                if share != 0.0:
                    out = schur[row]
                    for other in range(row, m):
                        out[other] += share * line[other]
        _cholesky(schur, m, _DEPENDENT, diagonal)
        _solve(schur, m, dual, 0.0)
        beyond = False
        for j in range(n):
            if held[j]:
                continue
            total = 0.0
            for row in range(m):
                total += columns[j, row] * dual[row]
            step[j] = min(max(total, low[j]), high[j])
            if step[j] != total:
                held[j] = beyond = True
        if not beyond:
            return


@kernel
def _cholesky(matrix: Array, size: int, least: float, diagonal: Array) -> int:
    """Upper factor U with U'U in place of a matrix's upper half.

    A row with no more than the share ``least`` of its diagonal left gets a diagonal of 0, as if it were not there.

    Returns:
        How many rows are there.
    """
    count = size
    for i in range(size):
        diagonal[i] = matrix[i, i]
    for k in range(size):
        line = matrix[k]
        if line[k] <= least * diagonal[k] or line[k] <= 0.0:
            line[k] = 0.0
            count -= 1
            continue
        line[k] = math.sqrt(line[k])
        share = 1.0 / line[k]
        for j in range(k + 1, size):
            line[j] *= share
        for i in range(k + 1, size):
            share = line[i]
            out = matrix[i]
            for j in range(i, size):
                out[j] -= share * line[j]
    return count


@kernel
def _solve(factor: Array, size: int, right: Array, absent: float) -> None:
    """Solve U'U x = right in place; rows that are not there give what they lack times ``absent``."""
    for k in range(size):
        line = factor[k]
        if line[k] == 0.0:
            right[k] *= absent
            continue
        right[k] /= line[k]
        share = right[k]
        for j in range(k + 1, size):
            right[j] -= line[j] * share
    for k in range(size - 1, -1, -1):
        line = factor[k]
        if line[k] == 0.0:
            continue
        total = right[k]
        for j in range(k + 1, size):
            total -= line[j] * right[j]
        right[k] = total / line[k]


@kernel
def _backward(factor: Array, size: int, right: Array) -> None:
    """Solve U x = right in place."""
    for k in range(size - 1, -1, -1):
        line = factor[k]
        total = right[k]
        for j in range(k + 1, size):
            total -= line[j] * right[j]
        right[k] = total / line[k]
