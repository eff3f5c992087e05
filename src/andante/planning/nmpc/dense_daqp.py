"""DAQP on a condensed program: the same answer as `active_set`, from a solver that others wrote.

Source: Arnström, Bemporad, Axehill 2022, a dual active-set method for embedded quadratic programming.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.active_set import Workspace
from andante.planning.nmpc.condense import CondensedQp, condense
from andante.planning.nmpc.primal_dual import feedback_of
from andante.planning.nmpc.problem import FEET
from andante.planning.nmpc.qp import FACES, Face, StageQp, Stages
from andante.planning.nmpc.rollout import held_at

Array = NDArray[np.float64]
_FREE = 1e30
_EVEN = 1e-6
"""Quadratic part of the cost of a slack, as a share of its linear one; DAQP wants one, this is too small to matter."""
_LEFT = 1e-9
"""By how much a soft row is left before it is made part of the program."""


def solve_dense(
    stages: Stages, work: Workspace, hold: NDArray[np.int64], limit: int, states: Array, forces: Array
) -> int:
    """As `primal_dual.solve_stages`, with DAQP on the dense form; ``hold`` is not looked at, only set."""
    changes = 0
    forces[:] = 0.0
    if stages.inputs.any():
        program = condense(StageQp(stages))
        found, changes = solve_condensed(program, limit)
        forces[program.place[:, 0], program.place[:, 1]] = found
    by_foot = np.zeros_like(forces)
    for foot in range(FEET):
        rows = np.flatnonzero(stages.slot[:, foot] >= 0)
        for axis in range(3):
            by_foot[rows, 3 * foot + axis] = forces[rows, 3 * stages.slot[rows, foot] + axis]
    hold[:] = held_at(by_foot, stages.friction, stages.least, stages.largest)
    hold[stages.slot < 0] = 0
    states[0] = stages.start
    for k, used in enumerate(stages.inputs):
        ahead = stages.transition[k] @ states[k] + stages.effect[k, :, :used] @ forces[k, :used]
        states[k + 1] = ahead + stages.drift[k]
    feedback_of(stages, work, hold)
    return changes


def solve_condensed(program: CondensedQp, limit: int) -> tuple[Array, int]:
    """Forces (m,) and the number of iterations; -1: more than the limit, -2: no answer within the rows.

    Soft rows come in only where they are left without them, each with a slack of its own as a further variable. (DAQP's
    own soft rows gave forces that differ by up to 0.2 N from the optimum where several of them are left at once.)

    Args:
        program: The program.
        limit: Largest number of iterations.
    """
    soft = np.isfinite(program.slack)
    used = np.zeros(0, dtype=np.int64)
    while True:
        forces, iterations = _solve(program, used, limit)
        left = np.flatnonzero(soft & (program.matrix @ forces - program.bound > _LEFT))
        more = np.union1d(used, left)
        if iterations < 0 or len(more) == len(used):
            return forces, iterations
        used = more


def _solve(program: CondensedQp, soft: NDArray[np.int64], limit: int) -> tuple[Array, int]:
    """As `solve_condensed`, with some of the soft rows."""
    import daqp

    size, slacks = len(program.gradient), len(soft)
    hard = np.flatnonzero(~np.isfinite(program.slack))
    # The first bounds are those of the variables themselves: vertical forces and slacks.
    lower, upper = np.full(size + slacks, -_FREE), np.full(size + slacks, _FREE)
    lower[size:] = 0.0
    face = program.number[hard] % FACES
    for which, bounds, sign in ((Face.LEAST, lower, -1.0), (Face.LARGEST, upper, 1.0)):
        rows = hard[face == which]
        bounds[program.matrix[rows].nonzero()[1]] = sign * program.bound[rows]
    sides = np.concatenate([hard[face < Face.LEAST], soft])
    matrix = np.zeros((len(sides), size + slacks))
    matrix[:, :size] = program.matrix[sides]
    matrix[len(sides) - slacks + np.arange(slacks), size + np.arange(slacks)] = -1.0
    hessian, gradient = np.zeros((size + slacks, size + slacks)), np.zeros(size + slacks)
    hessian[:size, :size], gradient[:size] = program.hessian, program.gradient
    gradient[size:] = program.slack[soft]
    hessian[size + np.arange(slacks), size + np.arange(slacks)] = _EVEN * program.slack[soft]
    model = daqp.Model()
    model.settings = {"iter_limit": limit, "primal_tol": 1e-9}
    flag, _ = model.setup(
        hessian,
        gradient,
        matrix,
        np.concatenate([upper, program.bound[sides]]),
        np.concatenate([lower, np.full(len(sides), -_FREE)]),
    )
    if flag >= 0:
        found, _, flag, info = model.solve()
        if flag > 0:
            return np.asarray(found)[:size], int(info["iterations"])
    return np.zeros(size), -1 if flag == -4 else -2
