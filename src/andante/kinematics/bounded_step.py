"""The step of an inverse kinematics iteration: a small strictly convex quadratic program, as compiled kernels.

    minimise 1/2 d'H d + g'd   where   A d = b   and   low <= d <= high

The bounds are found by a primal-dual active set (Hintermüller, Ito, Kunisch, SIAM J. Optimization 13 (3), 2003): what a
step takes beyond a bound is held there, what is held with a multiplier of the wrong sign is let go. With the held ones
out, the equalities are eliminated by H's Cholesky factor and the Schur complement A H^-1 A'. Rows of A that depend on
others are left out, as a stretched leg's are.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.spatial.arrays import Array1, Array2, Index1
from andante.spatial.compiled import entry, kernel

Array = NDArray[np.float64]
Index = NDArray[np.int64]
_PASSES = 12
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
) -> bool:
    """Solve the program above.

    Args:
        hessian: H, (n, n), positive definite; its lower half is read.
        gradient: g, (n,).
        rows: A, (m, n).
        wanted: b, (m,).
        low: Lower bounds, (n,), not above 0.
        high: Upper bounds, (n,), not below 0.
        step: Gets d, (n,), within the bounds.
        side: Gets -1 or +1 where a variable is held at its lower or upper bound, else 0, (n,).

    Returns:
        Whether the active set was settled; else the step is within the bounds, but not the least.
    """
    n, m = len(gradient), len(wanted)
    free = np.empty(n, dtype=np.int64)
    factor, reduced = np.empty((n, n)), np.empty((m, n))
    schur, dual = np.empty((m, m)), np.empty(m)
    right = np.empty(n)
    side[:] = 0
    for turn in range(_PASSES):
        count = 0
        for i in range(n):
            if side[i] == 0:
                free[count] = i
                count += 1
            else:
                step[i] = low[i] if side[i] < 0 else high[i]
        _equality_step(hessian, gradient, rows, wanted, step, side, free[:count], factor, reduced, schur, dual, right)
        changed = False
        for i in range(n):
            if side[i] == 0:
                if step[i] < low[i] or step[i] > high[i]:
                    side[i] = -1 if step[i] < low[i] else 1
                    changed = True
            elif turn < _PASSES // 2:
                # Later on none is let go any more, so that it ends.
                slope = gradient[i]
                for j in range(n):
                    slope += (hessian[i, j] if j <= i else hessian[j, i]) * step[j]
                for row in range(m):
                    slope += rows[row, i] * dual[row]
                if slope * side[i] > 0.0:
                    side[i] = 0
                    changed = True
        if not changed:
            return True
    for i in range(n):
        step[i] = min(max(step[i], low[i]), high[i])
    return False


@kernel
def _equality_step(
    hessian: Array,
    gradient: Array,
    rows: Array,
    wanted: Array,
    step: Array,
    side: Index,
    free: Index,
    factor: Array,
    reduced: Array,
    schur: Array,
    dual: Array,
    right: Array,
) -> None:
    """The step's ``free`` variables with the others as they are, and the multipliers ``dual`` of the equalities."""
    count, m, n = len(free), len(wanted), len(gradient)
    for a in range(count):
        i = free[a]
        slope = gradient[i]
        for j in range(n):
            if side[j] != 0:
                slope += (hessian[i, j] if j <= i else hessian[j, i]) * step[j]
        right[a] = -slope
        for b in range(a + 1):
            factor[a, b] = hessian[i, free[b]] if free[b] <= i else hessian[free[b], i]
    _cholesky(factor, count, 0.0)
    _forward(factor, count, right)
    for row in range(m):
        line = reduced[row]
        rest = wanted[row]
        for j in range(n):
            if side[j] != 0:
                rest -= rows[row, j] * step[j]
        for a in range(count):
            line[a] = rows[row, free[a]]
        _forward(factor, count, line)
        # S nu = Y' w - b, with d = L^-T (w - Y nu).
        total = -rest
        for a in range(count):
            total += line[a] * right[a]
        dual[row] = total
        for other in range(row + 1):
            total = 0.0
            for a in range(count):
                total += line[a] * reduced[other, a]
            schur[row, other] = total
    _cholesky(schur, m, _DEPENDENT)
    _forward(schur, m, dual)
    _backward(schur, m, dual)
    for row in range(m):
        for a in range(count):
            right[a] -= reduced[row, a] * dual[row]
    _backward(factor, count, right)
    for a in range(count):
        step[free[a]] = right[a]


@kernel
def least_step(rows: Array, wanted: Array, low: Array, high: Array, step: Array, schur: Array, dual: Array) -> None:
    """The shortest step d (n,) with A d = b that the bounds allow; ``schur`` (m, m) and ``dual`` (m,) are room to work.

    Variables that leave their bounds are held there and the rest is solved anew: it is the shortest only without any.
    """
    m, n = rows.shape
    held = np.zeros(n, dtype=np.bool_)
    step[:] = 0.0
    for _ in range(4):
        for row in range(m):
            rest = wanted[row]
            for j in range(n):
                if held[j]:
                    rest -= rows[row, j] * step[j]
            dual[row] = rest
            for other in range(row + 1):
                total = 0.0
                for j in range(n):
                    if not held[j]:
                        total += rows[row, j] * rows[other, j]
                schur[row, other] = total
        _cholesky(schur, m, _DEPENDENT)
        _forward(schur, m, dual)
        _backward(schur, m, dual)
        beyond = False
        for j in range(n):
            if held[j]:
                continue
            total = 0.0
            for row in range(m):
                total += rows[row, j] * dual[row]
            step[j] = min(max(total, low[j]), high[j])
            if step[j] != total:
                held[j] = beyond = True
        if not beyond:
            return


@kernel
def _cholesky(matrix: Array, size: int, least: float) -> None:
    """Lower factor in place; a row with no more than ``least`` of its diagonal left is marked by a diagonal of 0."""
    for i in range(size):
        start = matrix[i, i]
        for j in range(i):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = total / matrix[j, j] if matrix[j, j] > 0.0 else 0.0
        total = start
        for k in range(i):
            total -= matrix[i, k] * matrix[i, k]
        matrix[i, i] = math.sqrt(total) if total > least * start and total > 0.0 else 0.0


@kernel
def _forward(factor: Array, size: int, right: Array) -> None:
    """Solve L x = right in place; marked rows give 0."""
    for i in range(size):
        total = right[i]
        for j in range(i):
            total -= factor[i, j] * right[j]
        right[i] = total / factor[i, i] if factor[i, i] > 0.0 else 0.0


@kernel
def _backward(factor: Array, size: int, right: Array) -> None:
    """Solve L' x = right in place; marked rows give 0."""
    for i in range(size - 1, -1, -1):
        right[i] = right[i] / factor[i, i] if factor[i, i] > 0.0 else 0.0
        for j in range(i):
            right[j] -= factor[i, j] * right[i]
