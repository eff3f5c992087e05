"""The stage-wise program with its states eliminated, a dense program of the forces of standing feet, and DAQP on it.

    minimise 1/2 u^T H u + g^T u + slack_weight (soft rows left by)   with   rows u <= bounds

One pass forward tells how every force moves all states from its interval on; H is what these moves cost (Andersson
2013; Frison, Kufoalor et al. 2014). DAQP gives the same answer as `active_set`, from a solver that others wrote
(Arnström, Bemporad, Axehill 2022, a dual active-set method for embedded quadratic programming).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.planning.nmpc.active_set import QpWorkspace
from andante.planning.nmpc.primal_dual import feedback_of
from andante.planning.nmpc.problem import STATE
from andante.planning.nmpc.qp import FACES, FOOT_ROWS, Face, Stages
from andante.planning.nmpc.rollout import held_at
from andante.planning.nmpc.solver_packages import solver_package
from andante.spatial.arrays import Array, Index

_FREE = 1e30
_EVEN = 1e-6
"""Quadratic part of the cost of a slack, as a share of its linear one; DAQP wants one, this is too small to matter."""
_LEFT = 1e-9
"""By how much a soft row is left before it is made part of the program."""


@dataclass(frozen=True, eq=False)
class CondensedQp:
    """A dense quadratic program of m forces; `Stages` has the names of forces and rows."""

    hessian: Array
    """H, (m, m)."""
    gradient: Array
    """g, (m,)."""
    matrix: Array
    """Rows of inequalities, (r, m)."""
    bound: Array
    """What a row times the forces is at most, (r,)."""
    slack: Array
    """Cost of leaving a row by one unit, (r,); infinite: it must not be left."""
    number: Index
    """Number of each row as kernels count them, (r,), rising; those of forces first."""

    def cost(self, forces: Array) -> float:
        """Cost of forces (m,), up to a constant."""
        left = np.maximum(self.matrix @ forces - self.bound, 0.0)
        soft = np.isfinite(self.slack)
        return float(0.5 * forces @ self.hessian @ forces + self.gradient @ forces + self.slack[soft] @ left[soft])

    def __str__(self) -> str:
        soft = int(np.isfinite(self.slack).sum())
        return f"dense QP: {len(self.gradient)} forces, {len(self.slack) - soft} hard rows, {soft} soft"


def condense(stages: Stages) -> CondensedQp:
    """The dense form of a program."""
    count, offsets = len(stages.inputs), np.concatenate([[0], np.cumsum(stages.inputs)])
    size, numbers = int(offsets[-1]), stages.row_numbers()
    # States without any force, and how each force moves them.
    free, moves = np.empty((count + 1, STATE)), np.zeros((count + 1, STATE, size))
    free[0] = stages.start
    for k in range(count):
        here = slice(offsets[k], offsets[k + 1])
        free[k + 1] = stages.transition[k] @ free[k] + stages.drift[k]
        moves[k + 1, :, : here.start] = stages.transition[k] @ moves[k, :, : here.start]
        moves[k + 1, :, here] = stages.effect[k, :, : stages.inputs[k]]
    interval, column = np.nonzero(stages.used)
    moved, weight = moves[1:].reshape(-1, size), stages.weight[1:].ravel()
    hessian = moved.T @ (weight[:, None] * moved) + np.diag(stages.force_weight[interval])
    even = np.where(column % 3 == 2, (stages.force_weight * stages.share)[interval], 0.0)
    gradient = moved.T @ (weight * (free - stages.reference)[1:].ravel()) - even
    matrix, bound, slack = np.zeros((len(numbers), size)), np.zeros(len(numbers)), np.full(len(numbers), np.inf)
    hard = int(np.searchsorted(numbers, count * FOOT_ROWS))
    at, rest = np.divmod(numbers[:hard], FOOT_ROWS)
    foot, face = np.divmod(rest, FACES)
    row, first = np.arange(hard), offsets[at] + 3 * stages.slot[at, foot]
    side = face < Face.LEAST
    matrix[row[side], (first + face // 2)[side]] = np.where(face % 2 == 0, 1.0, -1.0)[side]
    matrix[row, first + 2] = np.array([-stages.friction] * 4 + [-1.0, 1.0])[face]
    bound[:hard] = np.array([0.0] * 4 + [-stages.least, stages.largest])[face]
    at, rest = np.divmod(numbers[hard:] - count * FOOT_ROWS, 2 * STATE)
    each, upper = np.divmod(rest, 2)
    matrix[hard:] = np.where(upper, 1.0, -1.0)[:, None] * moves[at + 1, each]
    bound[hard:] = np.where(upper, (stages.upper - free)[at + 1, each], (free - stages.lower)[at + 1, each])
    slack[hard:] = stages.slack[at]
    return CondensedQp(hessian, gradient, matrix, bound, slack, numbers)


def solve_dense(stages: Stages, work: QpWorkspace, hold: Index, limit: int, states: Array, forces: Array) -> int:
    """As `primal_dual.solve_stages`, with DAQP on the dense form; ``hold`` is not looked at, only set."""
    changes = 0
    forces[:] = 0.0
    if stages.inputs.any():
        forces[stages.used], changes = solve_condensed(condense(stages), limit)
    by_foot = np.zeros_like(forces)
    by_foot[stages.standing] = forces[stages.used]
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


def _solve(program: CondensedQp, soft: Index, limit: int) -> tuple[Array, int]:
    """As `solve_condensed`, with some of the soft rows."""
    daqp = solver_package("daqp")
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
