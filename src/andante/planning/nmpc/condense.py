"""The stage-wise program with its states eliminated: a dense program of the forces of standing feet only.

    minimise 1/2 u^T H u + g^T u + slack_weight (soft rows left by)   with   rows u <= bounds

Each column of H is one pass forward (how a force moves the states) and one back (what that costs), over the intervals
from its own on, so that the whole is quadratic in the horizon (Andersson 2013; Frison, Kufoalor et al. 2014).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.qp import Row, StageQp, Stages
from andante.spatial.arrays import Array1, Array2, Index1
from andante.spatial.compiled import entry

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
    offsets = np.concatenate([[0], np.cumsum(stages.inputs)])
    numbers = program.row_numbers()
    size, rows = int(offsets[-1]), len(numbers)
    hessian, gradient = np.zeros((size, size)), np.zeros(size)
    matrix, bound, slack = np.zeros((rows, size)), np.zeros(rows), np.full(rows, np.inf)
    condense_stages(stages, offsets, numbers, hessian, gradient, matrix, bound, slack)
    interval = np.repeat(np.arange(len(stages.inputs)), stages.inputs)
    place = np.stack([interval, np.arange(size) - offsets[interval]], axis=1)
    return CondensedQp(hessian, gradient, matrix, bound, slack, numbers, place, program)


@entry
def condense_stages(
    stages: Stages,
    offsets: Index1,
    numbers: Index1,
    hessian: Array2,
    gradient: Array1,
    matrix: Array2,
    bound: Array1,
    slack: Array1,
) -> None:
    """Fill a dense program: see `CondensedQp`; ``offsets`` (n + 1,) of the intervals' first forces."""
    count = len(stages.inputs)
    hard = 0
    while hard < len(numbers) and numbers[hard] < 24 * count:
        number = numbers[hard]
        interval, foot, face = number // 24, (number % 24) // 6, number % 6
        first = offsets[interval] + 3 * stages.slot[interval, foot]
        if face < 4:
            matrix[hard, first + face // 2] = 1.0 if face % 2 == 0 else -1.0
            matrix[hard, first + 2] = -stages.friction
        else:
            matrix[hard, first + 2] = -1.0 if face == 4 else 1.0
            bound[hard] = -stages.least if face == 4 else stages.largest
        hard += 1
    # States without any force, their errors and what a push of a state costs from there on.
    free = np.empty((count + 1, 12))
    free[0] = stages.start
    for k in range(count):
        for i in range(12):
            total = stages.drift[k, i]
            for j in range(12):
                total += stages.transition[k, i, j] * free[k, j]
            free[k + 1, i] = total
    price = np.zeros(12)
    moved = np.empty(12)
    for back in range(count):
        k = count - 1 - back
        for i in range(12):
            price[i] += stages.weight[k + 1, i] * (free[k + 1, i] - stages.reference[k + 1, i])
        for column in range(stages.inputs[k]):
            total = -stages.force_weight[k] * stages.share[k] if column % 3 == 2 else 0.0
            for i in range(12):
                total += stages.effect[k, i, column] * price[i]
            gradient[offsets[k] + column] = total
        moved[:] = 0.0
        for m in range(12):
            for j in range(12):
                moved[j] += price[m] * stages.transition[k, m, j]
        price[:] = moved
    for row in range(hard, len(numbers)):
        rest = numbers[row] - 24 * count
        k, each = rest // 24, (rest % 24) // 2
        lower = rest % 2 == 0
        bound[row] = (
            free[k + 1, each] - stages.lower[k + 1, each] if lower else stages.upper[k + 1, each] - free[k + 1, each]
        )
        slack[row] = stages.slack[k]
    moves = np.empty((count + 1, 12, 12))
    prices = np.empty((12, 12))
    passed = np.empty((12, 12))
    for start in range(count):
        used = stages.inputs[start]
        if used == 0:
            continue
        base = offsets[start]
        for i in range(12):
            for j in range(12):
                moves[start + 1, i, j] = stages.effect[start, i, j]
        for k in range(start + 1, count):
            for i in range(12):
                for j in range(12):
                    moves[k + 1, i, j] = 0.0
                for m in range(12):
                    share = stages.transition[k, i, m]
                    if share != 0.0:
                        for j in range(12):
                            moves[k + 1, i, j] += share * moves[k, m, j]
        for row in range(hard, len(numbers)):
            rest = numbers[row] - 24 * count
            k, each = rest // 24, (rest % 24) // 2
            if k >= start:
                for j in range(used):
                    matrix[row, base + j] = -moves[k + 1, each, j] if rest % 2 == 0 else moves[k + 1, each, j]
        prices[:, :] = 0.0
        for back in range(count - start):
            k = count - 1 - back
            for i in range(12):
                share = stages.weight[k + 1, i]
                for j in range(12):
                    prices[i, j] += share * moves[k + 1, i, j]
            for column in range(stages.inputs[k]):
                target = hessian[offsets[k] + column]
                for m in range(12):
                    share = stages.effect[k, m, column]
                    if share != 0.0:
                        for j in range(used):
                            target[base + j] += share * prices[m, j]
            if k > start:
                for i in range(12):
                    for j in range(12):
                        passed[i, j] = 0.0
                for m in range(12):
                    for i in range(12):
                        share = stages.transition[k, m, i]
                        if share != 0.0:
                            for j in range(12):
                                passed[i, j] += share * prices[m, j]
                for i in range(12):
                    for j in range(12):
                        prices[i, j] = passed[i, j]
        for j in range(used):
            hessian[base + j, base + j] += stages.force_weight[start]
    for i in range(len(gradient)):
        for j in range(i):
            hessian[j, i] = hessian[i, j]
