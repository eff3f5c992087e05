"""What is free to choose in each interval: forces of standing feet, or of a foot held at faces what the faces leave.

A foot that is held at a side face has its force tied to the vertical one, fx = +-friction fz; held at its least or
largest force it has that one no more. So a choice y gives the forces f = f0 + Z y, and the squared forces of the cost
stay a sum of squares of y, since no two choices share an axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from andante.kernels import inlined, kernel
from andante.planning.nmpc.qp import Stages
from andante.spatial.arrays import Array2, Array3, Index1, Index2


class Inputs(NamedTuple):
    """Choices of each interval; columns beyond those in use are not set."""

    choices: Index1
    """Number of choices, (n,)."""
    effect: Array3
    """How a state moves with them, (n, 12, 12)."""
    drift: Array2
    """How it moves without any, (n, 12)."""
    weight: Array2
    """Weight of half a choice's square, (n, 12)."""
    pull: Array2
    """Slope of the cost at zero, turned round, (n, 12)."""


def new_inputs(intervals: int) -> Inputs:
    """Room for the choices of programs with so many intervals."""
    vectors = [np.zeros((intervals, 12)) for _ in range(3)]
    return Inputs(np.zeros(intervals, dtype=np.int64), np.zeros((intervals, 12, 12)), *vectors)


@inlined
def side(faces: int, axis: int) -> float:
    """To which side a foot's force is held along x (0) or y (1): 1, -1, or 0: it is free."""
    first = (faces >> (2 * axis)) & 3
    return 1.0 if first == 1 else -1.0 if first == 2 else 0.0


@inlined
def fixed_upward(stages: Stages, faces: int) -> float:
    """Vertical force at which a foot is held; -1: it is free."""
    return stages.least if faces & 16 else stages.largest if faces & 32 else -1.0


@kernel
def restrict(stages: Stages, hold: Index2, inputs: Inputs) -> None:
    """The choices of feet that are held at faces, as `NmpcSolution.held`; at most one face of an axis."""
    for k in range(len(inputs.choices)):
        effect, chosen = stages.effect[k], inputs.effect[k]
        used = 0
        for i in range(12):
            inputs.drift[k, i] = stages.drift[k, i]
            for j in range(12):
                chosen[i, j] = 0.0
        for foot in range(4):
            slot = stages.slot[k, foot]
            if slot < 0:
                continue
            faces = hold[k, foot]
            upward = fixed_upward(stages, faces)
            square = 1.0
            for axis in range(2):
                sign = side(faces, axis)
                if sign == 0.0:
                    for i in range(12):
                        chosen[i, used] = effect[i, 3 * slot + axis]
                    inputs.weight[k, used] = stages.force_weight[k]
                    inputs.pull[k, used] = 0.0
                    used += 1
                else:
                    square += stages.friction * stages.friction
            tie_x, tie_y = side(faces, 0) * stages.friction, side(faces, 1) * stages.friction
            for i in range(12):
                along = effect[i, 3 * slot + 2] + tie_x * effect[i, 3 * slot] + tie_y * effect[i, 3 * slot + 1]
                if upward < 0.0:
                    chosen[i, used] = along
                else:
                    inputs.drift[k, i] += upward * along
            if upward < 0.0:
                inputs.weight[k, used] = stages.force_weight[k] * square
                inputs.pull[k, used] = stages.force_weight[k] * stages.share[k]
                used += 1
        inputs.choices[k] = used


@kernel
def expand(stages: Stages, hold: Index2, choices: Array3, forces: Array3, fixed: float) -> None:
    """Forces (n, 12, m), in the columns of the feet that stand, of m columns of choices (n, 12, m).

    ``fixed`` is the share of the vertical forces that are held: 1, or 0 for how forces change with choices.
    """
    columns = forces.shape[2]
    for k in range(len(forces)):
        used = 0
        for foot in range(4):
            first = 3 * stages.slot[k, foot]
            if first < 0:
                continue
            faces = hold[k, foot]
            upward = fixed_upward(stages, faces)
            for axis in range(3):
                if (upward < 0.0) if axis == 2 else (side(faces, axis) == 0.0):
                    for j in range(columns):
                        forces[k, first + axis, j] = choices[k, used, j]
                    used += 1
                elif axis == 2:
                    for j in range(columns):
                        forces[k, first + 2, j] = fixed * upward
            for axis in range(2):
                sign = side(faces, axis)
                if sign != 0.0:
                    for j in range(columns):
                        forces[k, first + axis, j] = sign * stages.friction * forces[k, first + 2, j]
        for row in range(stages.inputs[k], 12):
            for j in range(columns):
                forces[k, row, j] = 0.0
