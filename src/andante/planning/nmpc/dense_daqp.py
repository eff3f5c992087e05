"""DAQP on a condensed program: the same answer as `active_set`, from a solver that others wrote.

Source: Arnström, Bemporad, Axehill 2022, a dual active-set method for embedded quadratic programming.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.condense import CondensedQp

Array = NDArray[np.float64]
_FREE = 1e30
_EVEN = 1e-6
"""Quadratic part of the cost of a slack, as a share of its linear one; DAQP wants one, this is too small to matter."""


def solve_condensed(program: CondensedQp, limit: int) -> tuple[Array, int]:
    """Forces (m,) and the number of iterations; -1: more than the limit, -2: no answer within the rows.

    Every soft row gets a slack of its own as a further variable. (DAQP's own soft rows gave forces that differ by up to
    0.2 N from the optimum where several of them are left at once.)

    Args:
        program: The program.
        limit: Largest number of iterations.
    """
    import daqp

    soft = np.flatnonzero(np.isfinite(program.slack))
    size, rows, slacks = len(program.gradient), len(program.rows), len(soft)
    hessian = np.zeros((size + slacks, size + slacks))
    hessian[:size, :size] = program.hessian
    price = program.slack[soft]
    hessian[size + np.arange(slacks), size + np.arange(slacks)] = _EVEN * price
    matrix = np.zeros((rows, size + slacks))
    matrix[:, :size] = program.matrix
    matrix[soft, size + np.arange(slacks)] = -1.0
    # The first bounds are those of the variables themselves: forces are free, slacks not below zero.
    lower = np.full(size + slacks + rows, -_FREE)
    lower[size : size + slacks] = 0.0
    upper = np.concatenate([np.full(size + slacks, _FREE), program.bound])
    model = daqp.Model()
    model.settings = {"iter_limit": limit, "primal_tol": 1e-9}
    flag, _ = model.setup(hessian, np.concatenate([program.gradient, price]), matrix, upper, lower)
    if flag >= 0:
        found, _, flag, info = model.solve()
        if flag > 0:
            return np.asarray(found)[:size], int(info["iterations"])
    return np.zeros(size), -1 if flag == -4 else -2
