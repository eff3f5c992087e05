"""What becomes of forces: clipped into their pyramids, followed by the body, shifted to the next grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from andante.kernels import entry, kernel
from andante.planning.nmpc.dynamics import BodyNumbers, step
from andante.planning.nmpc.problem import FEET, NmpcSolution
from andante.planning.nmpc.qp import Stages
from andante.spatial.arrays import Array, Array2, Array3, Index

SHORTEST = 0.1
"""Shares of the way to the answer below this are not halved any more."""
_NEAR = 1e-7
"""A force this near to a face of its pyramid [N] was probably held there."""


def shifted(solution: NmpcSolution, rows: int) -> NmpcSolution:
    """A solution moved on by some rows of the grid, the last row repeated: a guess, never a plan to be followed.

    Args:
        solution: A solution that is solved.
        rows: How many grid points have passed; none leaves it as it is.
    """
    if rows <= 0:
        return solution
    state = np.minimum(np.arange(len(solution.states)) + rows, len(solution.states) - 1)
    force = np.minimum(np.arange(len(solution.forces)) + rows, len(solution.forces) - 1)
    held = None if solution.held is None else solution.held[force]
    return replace(solution, states=solution.states[state], forces=solution.forces[force], held=held)


def held_at(forces: Array, friction: float, least: float, largest: float) -> Index:
    """Faces at which forces, (n, 12) or (n, 4, 3) [N], are, as `NmpcSolution.held`."""
    fx, fy, fz = np.moveaxis(forces.reshape(-1, FEET, 3), 2, 0)
    room, low = friction * fz - _NEAR, fz <= least + _NEAR
    faces = (fx >= room, -fx >= room, fy >= room, -fy >= room, low, ~low & (fz >= largest - _NEAR))
    return np.asarray(np.stack(faces, axis=2) @ (1 << np.arange(len(faces))))


@kernel
def _follow(
    stages: Stages, feedback: Array3, x0: Array2, u0: Array3, x1: Array2, u1: Array2, share: float, x: Array2, u: Array3
) -> float:
    """Follow what is between the guess and the answer, 0 at the guess and 1 at the answer; see `best_follow`."""
    beside, body = np.empty(12), BodyNumbers(stages.mass, stages.inertia, stages.inverse)
    cost = 0.0
    x[0] = stages.start
    for k in range(len(stages.durations)):
        for j in range(12):
            beside[j] = x[k, j] - x0[k, j] - share * (x1[k, j] - x0[k, j])
        force = u[k]
        for foot in range(4):
            slot = stages.slot[k, foot]
            force[foot] = 0.0
            if slot < 0:
                continue
            for axis in range(3):
                column = 3 * slot + axis
                total = u0[k, foot, axis] + share * (u1[k, column] - u0[k, foot, axis])
                if k > 0:
                    for j in range(12):
                        total -= feedback[k, column, j] * beside[j]
                force[foot, axis] = total
            fz = min(max(force[foot, 2], stages.least), stages.largest)
            room = stages.friction * fz
            force[foot, 2] = fz
            force[foot, 0] = min(max(force[foot, 0], -room), room)
            force[foot, 1] = min(max(force[foot, 1], -room), room)
            rest = fz - stages.share[k]
            square = force[foot, 0] ** 2 + force[foot, 1] ** 2 + rest * rest
            cost += 0.5 * stages.force_weight[k] * square
        after = x[k + 1]
        step(body, x[k], force, stages.feet[k], stages.durations[k], after)
        for j in range(12):
            error = after[j] - stages.reference[k + 1, j]
            cost += 0.5 * stages.weight[k + 1, j] * error * error
            if stages.bounded[j]:
                cost += stages.slack[k] * max(stages.lower[k + 1, j] - after[j], after[j] - stages.upper[k + 1, j], 0.0)
    return cost


@entry
def best_follow(
    stages: Stages, feedback: Array3, x0: Array2, u0: Array3, x1: Array2, u1: Array2, x: Array2, u: Array3
) -> float:
    """Follow a trajectory between the guess and the program's answer with the body's own dynamics; its cost.

    Forces are those of the trajectory and of the program's feedback on where the body is beside it, clipped into their
    pyramids. It goes as far towards the answer as lowers the cost: half the way where the whole does not, and so on.

    Args:
        stages: The program.
        feedback: Feedback of the forces on the state, (n, 12, 12).
        x0, u0: The guess along which it was linearised: states (N, 12) and forces, foot by foot, (n, 4, 3) [N].
        x1, u1: Its answer, forces in the columns of the feet that stand, (n, 12).
        x, u: Where states and forces, foot by foot, go.
    """
    cost = _follow(stages, feedback, x0, u0, x1, u1, 1.0, x, u)
    other_x, other_u = np.empty_like(x), np.empty_like(u)
    before = _follow(stages, feedback, x0, u0, x1, u1, 0.0, other_x, other_u)
    tried = 1.0
    while not cost <= before and tried > SHORTEST:
        tried *= 0.5
        here = _follow(stages, feedback, x0, u0, x1, u1, tried, other_x, other_u)
        if not cost <= here:
            cost = here
            x[:, :] = other_x
            u[:, :, :] = other_u
    return cost
