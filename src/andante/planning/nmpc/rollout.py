"""What becomes of forces: clipped into their pyramids, followed by the body, shifted to the next grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.dynamics import step
from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution
from andante.planning.nmpc.qp import Stages
from andante.spatial.arrays import Array1, Array2
from andante.spatial.compiled import entry

Array = NDArray[np.float64]
_NEAR = 1e-7
"""A force this near to a face of its pyramid [N] was probably held there."""


def share_forces(problem: NmpcProblem, gravity_force: float) -> Array:
    """An equal share of the weight [N] on every foot that stands, (n, 4, 3) [N]."""
    forces = np.zeros((*problem.contact.shape, 3))
    standing = np.maximum(problem.contact.sum(axis=1, keepdims=True), 1)
    forces[:, :, 2] = np.where(problem.contact, gravity_force / standing, 0.0)
    return forces


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
    return replace(solution, states=solution.states[state], forces=solution.forces[force])


@entry
def warm_rows(stages: Stages, forces: Array2) -> NDArray[np.int64]:
    """Numbers of the rows at which forces (n, 12) are held: a first guess of the active rows."""
    count = len(stages.inputs)
    found = np.empty(24 * count, dtype=np.int64)
    used = 0
    for k in range(count):
        for foot in range(4):
            if stages.slot[k, foot] < 0:
                continue
            fx, fy, fz = forces[k, 3 * foot], forces[k, 3 * foot + 1], forces[k, 3 * foot + 2]
            room = stages.friction * fz - _NEAR
            number = 24 * k + 6 * foot
            if fx >= room:
                found[used] = number
                used += 1
            if -fx >= room:
                found[used] = number + 1
                used += 1
            if fy >= room:
                found[used] = number + 2
                used += 1
            if -fy >= room:
                found[used] = number + 3
                used += 1
            if fz <= stages.least + _NEAR:
                found[used] = number + 4
                used += 1
            elif fz >= stages.largest - _NEAR:
                found[used] = number + 5
                used += 1
    return found[:used].copy()


@entry
def finish(
    stages: Stages,
    compact: Array2,
    feet: Array2,
    durations: Array1,
    mass: float,
    inertia: Array2,
    inverse: Array2,
    states: Array2,
    forces: Array2,
) -> float:
    """Clip forces and follow them; cost.

    Args:
        stages: The program that they are of.
        compact: Forces in the columns of the feet that stand, (n, 12) [N].
        feet: Where forces act, (n, 12) [m].
        durations: Length of each interval, (n,) [s].
        mass: Mass [kg].
        inertia: Inertia in body axes, (3, 3) [kg m^2].
        inverse: Its inverse, (3, 3).
        states: Where the states go, (N, 12).
        forces: Where the forces go, foot by foot, (n, 12) [N].
    """
    place, force = np.empty((4, 3)), np.empty((4, 3))
    cost = 0.0
    states[0] = stages.start
    for k in range(len(durations)):
        for foot in range(4):
            slot = stages.slot[k, foot]
            for axis in range(3):
                place[foot, axis] = feet[k, 3 * foot + axis] if slot >= 0 else 0.0
                force[foot, axis] = compact[k, 3 * slot + axis] if slot >= 0 else 0.0
            if slot >= 0:
                fz = min(max(force[foot, 2], stages.least), stages.largest)
                room = stages.friction * fz
                force[foot, 2] = fz
                force[foot, 0] = min(max(force[foot, 0], -room), room)
                force[foot, 1] = min(max(force[foot, 1], -room), room)
                rest = force[foot, 2] - stages.share[k]
                square = force[foot, 0] ** 2 + force[foot, 1] ** 2 + rest * rest
                cost += 0.5 * stages.force_weight[k] * square
            for axis in range(3):
                forces[k, 3 * foot + axis] = force[foot, axis]
        after = states[k + 1]
        step(states[k], force, place, durations[k], mass, inertia, inverse, after)
        for j in range(12):
            error = after[j] - stages.reference[k + 1, j]
            cost += 0.5 * stages.weight[k + 1, j] * error * error
            if stages.bounded[j]:
                cost += stages.slack[k] * max(stages.lower[k + 1, j] - after[j], after[j] - stages.upper[k + 1, j], 0.0)
    return cost
