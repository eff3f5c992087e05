"""What every solver shares around its solve: where it begins, and how its forces, or its failure, become an answer."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.checks import fault_of_plan
from andante.planning.nmpc.problem import FEET, STATE, NmpcProblem, NmpcSettings, NmpcSolution, NmpcStatus
from andante.planning.nmpc.qp import QpBuilder, Stages
from andante.planning.nmpc.rollout import best_follow, share_forces

Array = NDArray[np.float64]


class Way(NamedTuple):
    """States (N, 12) and forces (n, 12) of a trajectory."""

    states: Array
    """Its states."""
    forces: Array
    """Its forces; of an answer in the columns of the feet that stand."""


def along(problem: NmpcProblem, guess: NmpcSolution | None, builder: QpBuilder) -> tuple[Array, Array]:
    """Trajectory to begin from: states (N, 12), of which row 0 is not looked at, and forces (n, 4, 3).

    Without a guess that is solved it is the reference with equal shares of the weight; feet that the guess has in the
    air get such a share too.
    """
    shares = share_forces(problem, builder.gravity_force)
    if guess is None or not guess.solved:
        return problem.reference, shares
    missing = problem.contact & ~(guess.forces[:, :, 2] > 0.0)
    return guess.states, np.where(missing[:, :, None], shares, guess.forces)


def followed(
    problem: NmpcProblem,
    builder: QpBuilder,
    stages: Stages,
    feedback: Array,
    origin: Way,
    answer: Way,
    iterations: int,
    began: float,
    held: NDArray[np.int64] | None = None,
) -> NmpcSolution:
    """The solution of an answer: its forces clipped into their pyramids and followed by the body.

    Args:
        problem: What was asked.
        builder: What made ``stages``.
        stages: The program along ``origin``.
        feedback: Feedback of the forces, (n, 12, 12).
        origin: Where the answer was linearised.
        answer: What the solver found.
        iterations: What it took.
        began: When the solve began, by `time.perf_counter`.
        held: See `NmpcSolution.held`.
    """
    states, forces = np.empty_like(answer.states), np.empty_like(answer.forces)
    cost, _ = best_follow(
        stages,
        feedback,
        np.ascontiguousarray(origin.states, dtype=float),
        origin.forces,
        answer.states,
        answer.forces,
        np.ascontiguousarray(problem.feet, dtype=float).reshape(-1, FEET * 3),
        np.ascontiguousarray(problem.durations, dtype=float),
        builder.body.mass,
        builder.inertia,
        builder.inverse,
        states,
        forces,
    )
    fault = fault_of_plan(problem, states)
    if fault is not None:
        return failed(builder.settings, *fault, began, iterations)
    spent = time.perf_counter() - began
    return NmpcSolution(NmpcStatus.SOLVED, states, forces.reshape(-1, FEET, 3), cost, iterations, spent, held=held)


def failed(settings: NmpcSettings, status: NmpcStatus, reason: str, began: float, iterations: int = 0) -> NmpcSolution:
    """The answer where there is none; states and forces are NaN.

    Args:
        settings: Those of the solver.
        status: How it ended.
        reason: Why.
        began: When the solve began, by `time.perf_counter`.
        iterations: What it took.
    """
    states, forces = np.full((settings.states, STATE), np.nan), np.full((settings.states - 1, FEET, 3), np.nan)
    return NmpcSolution(status, states, forces, np.inf, iterations, time.perf_counter() - began, reason)
