"""What becomes of forces: clipped into their pyramids, followed by the body, shifted to the next grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.dynamics import step
from andante.planning.nmpc.problem import FEET, NmpcProblem, NmpcSolution
from andante.planning.nmpc.qp import Stages
from andante.spatial.arrays import Array1, Array2, Array3
from andante.spatial.compiled import entry, kernel

Array = NDArray[np.float64]
SHORTEST = 0.1
"""Shares of the way to the answer below this are not halved any more."""
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
    held = None if solution.held is None else solution.held[force]
    return replace(solution, states=solution.states[state], forces=solution.forces[force], held=held)


def held_at(forces: Array, friction: float, least: float, largest: float) -> NDArray[np.int64]:
    """Faces at which forces, (n, 12) or (n, 4, 3) [N], are, as `NmpcSolution.held`."""
    fx, fy, fz = np.moveaxis(forces.reshape(-1, FEET, 3), 2, 0)
    room, low = friction * fz - _NEAR, fz <= least + _NEAR
    faces = (fx >= room, -fx >= room, fy >= room, -fy >= room, low, ~low & (fz >= largest - _NEAR))
    return np.asarray(np.stack(faces, axis=2) @ (1 << np.arange(len(faces))))


@kernel
def follow(
    stages: Stages,
    feedback: Array3,
    states_from: Array2,
    forces_from: Array2,
    states_to: Array2,
    forces_to: Array2,
    way: float,
    feet: Array2,
    durations: Array1,
    mass: float,
    inertia: Array2,
    inverse: Array2,
    states: Array2,
    forces: Array2,
) -> float:
    """Follow a trajectory between the guess and the program's answer with the body's own dynamics; its cost.

    Forces are those of the trajectory and of the program's feedback on where the body is beside it, clipped into their
    pyramids.

    Args:
        stages: The program.
        feedback: Feedback of the forces on the state, (n, 12, 12).
        states_from: States of the guess, (N, 12); row 0 is not looked at.
        forces_from: Forces of the guess, foot by foot, (n, 12) [N].
        states_to: States of the answer, (N, 12).
        forces_to: Forces of the answer in the columns of the feet that stand, (n, 12) [N].
        way: 0 at the guess, 1 at the answer.
        feet: Where forces act, (n, 12) [m].
        durations: Length of each interval, (n,) [s].
        mass: Mass [kg].
        inertia: Inertia in body axes, (3, 3) [kg m^2].
        inverse: Its inverse, (3, 3).
        states: Where the states go, (N, 12).
        forces: Where the forces go, foot by foot, (n, 12) [N].
    """
    place, force = np.empty((4, 3)), np.empty((4, 3))
    beside = np.empty(12)
    cost = 0.0
    states[0] = stages.start
    for k in range(len(durations)):
        for j in range(12):
            before = states_from[k, j] if k > 0 else stages.start[j]
            beside[j] = states[k, j] - before - way * (states_to[k, j] - before)
        for foot in range(4):
            slot = stages.slot[k, foot]
            for axis in range(3):
                place[foot, axis] = feet[k, 3 * foot + axis] if slot >= 0 else 0.0
                total = 0.0
                if slot >= 0:
                    column = 3 * slot + axis
                    before = forces_from[k, 3 * foot + axis]
                    total = before + way * (forces_to[k, column] - before)
                    if k > 0:
                        for j in range(12):
                            total -= feedback[k, column, j] * beside[j]
                force[foot, axis] = total
            if slot >= 0:
                fz = min(max(force[foot, 2], stages.least), stages.largest)
                room = stages.friction * fz
                force[foot, 2] = fz
                force[foot, 0] = min(max(force[foot, 0], -room), room)
                force[foot, 1] = min(max(force[foot, 1], -room), room)
                rest = fz - stages.share[k]
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


@entry
def best_follow(
    stages: Stages,
    feedback: Array3,
    states_from: Array2,
    forces_from: Array2,
    states_to: Array2,
    forces_to: Array2,
    feet: Array2,
    durations: Array1,
    mass: float,
    inertia: Array2,
    inverse: Array2,
    states: Array2,
    forces: Array2,
) -> tuple[float, float]:
    """As `follow`, as far towards the answer as lowers the cost: half the way where the whole one does not, and so on.

    Returns:
        The cost and the way.
    """
    whole = follow(
        stages, feedback, states_from, forces_from, states_to, forces_to, 1.0,
        feet, durations, mass, inertia, inverse, states, forces,
    )  # fmt: skip
    other_states, other_forces = np.empty_like(states), np.empty_like(forces)
    before = follow(
        stages, feedback, states_from, forces_from, states_to, forces_to, 0.0,
        feet, durations, mass, inertia, inverse, other_states, other_forces,
    )  # fmt: skip
    cost, way, tried = whole, 1.0, 1.0
    while not cost <= before and tried > SHORTEST:
        tried *= 0.5
        here = follow(
            stages, feedback, states_from, forces_from, states_to, forces_to, tried,
            feet, durations, mass, inertia, inverse, other_states, other_forces,
        )  # fmt: skip
        if not cost <= here:
            cost, way = here, tried
            states[:, :] = other_states
            forces[:, :] = other_forces
    return cost, way
