"""The stage-wise program with its states eliminated: a dense program of the forces of standing feet only.

    minimise 1/2 u^T H u + g^T u + slack_weight (soft rows left by)   with   rows u <= bounds

One pass forward tells how every force moves all states from its interval on; H is what these moves cost (Andersson
2013; Frison, Kufoalor et al. 2014).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.problem import STATE
from andante.planning.nmpc.qp import FACES, FOOT_ROWS, Face, Row, StageQp

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CondensedQp:
    """A dense quadratic program of m forces with its names."""

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
    number: NDArray[np.int64]
    """Number of each row as kernels count them, (r,), rising; those of forces first."""
    place: NDArray[np.int64]
    """Interval and column of each force among a stage's, (m, 2)."""
    program: StageQp
    """The program that it is the dense form of."""

    @property
    def variables(self) -> list[str]:
        """Names of the forces."""
        return self.program.variables

    @property
    def rows(self) -> list[Row]:
        """What each row says."""
        return self.program.rows

    def cost(self, forces: Array) -> float:
        """Cost of forces (m,), up to a constant."""
        left = np.maximum(self.matrix @ forces - self.bound, 0.0)
        soft = np.isfinite(self.slack)
        return float(0.5 * forces @ self.hessian @ forces + self.gradient @ forces + self.slack[soft] @ left[soft])

    def __str__(self) -> str:
        soft = int(np.isfinite(self.slack).sum())
        return f"dense QP: {len(self.gradient)} forces, {len(self.slack) - soft} hard rows, {soft} soft"


def condense(program: StageQp) -> CondensedQp:
    """The dense form of a program."""
    stages = program.stages
    count, offsets = len(stages.inputs), np.concatenate([[0], np.cumsum(stages.inputs)])
    size, numbers = int(offsets[-1]), program.row_numbers()
    # States without any force, and how each force moves them.
    free, moves = np.empty((count + 1, STATE)), np.zeros((count + 1, STATE, size))
    free[0] = stages.start
    for k in range(count):
        here = slice(offsets[k], offsets[k + 1])
        free[k + 1] = stages.transition[k] @ free[k] + stages.drift[k]
        moves[k + 1, :, : here.start] = stages.transition[k] @ moves[k, :, : here.start]
        moves[k + 1, :, here] = stages.effect[k, :, : stages.inputs[k]]
    interval = np.repeat(np.arange(count), stages.inputs)
    place = np.stack([interval, np.arange(size) - offsets[interval]], axis=1)
    moved, weight = moves[1:].reshape(-1, size), stages.weight[1:].ravel()
    hessian = moved.T @ (weight[:, None] * moved) + np.diag(stages.force_weight[interval])
    even = np.where(place[:, 1] % 3 == 2, (stages.force_weight * stages.share)[interval], 0.0)
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
    return CondensedQp(hessian, gradient, matrix, bound, slack, numbers, place, program)
