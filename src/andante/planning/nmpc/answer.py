"""What every solver shares around its solve: what it refuses, and how its forces, or its failure, become an answer."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from andante.planning.nmpc.checks import UnsolvedError, check_body, check_form, check_numbers, check_plan
from andante.planning.nmpc.problem import FEET, STATE, NmpcProblem, NmpcSolution, NmpcStatus, RigidBody
from andante.planning.nmpc.qp import NmpcTrajectory, QpBuilder, Stages
from andante.planning.nmpc.rollout import best_follow
from andante.planning.nmpc.settings import NmpcSettings
from andante.spatial.arrays import Array, Index
from andante.spatial.gravity import GRAVITY


class MethodAnswer(NamedTuple):
    """What a method found."""

    stages: Stages
    """The program along ``origin``."""
    feedback: Array
    """Feedback of the forces, (n, 12, 12)."""
    origin: NmpcTrajectory
    """Where the answer was linearised."""
    answer: NmpcTrajectory
    """The answer, forces in the columns of the feet that stand."""
    iterations: int
    """What it took."""
    held: Index | None = None
    """See `NmpcSolution.held`."""


class Nmpc(ABC):
    """A `NmpcSolver` whose method is open.

    Args:
        settings: Costs and bounds.
        body: The body.

    Raises:
        NmpcError: Mass or inertia is not that of a body.
    """

    def __init__(self, settings: NmpcSettings, body: RigidBody) -> None:
        check_body(body)
        self._settings = settings
        self.body = body
        self.builder = QpBuilder(settings, body)

    @property
    def settings(self) -> NmpcSettings:
        """Costs and bounds."""
        return self._settings

    def solve(self, problem: NmpcProblem, guess: NmpcSolution | None = None) -> NmpcSolution:
        """The method's answer, its forces clipped into their pyramids and followed by the body.

        Args:
            problem: What is asked.
            guess: A solution that is near, already shifted to this problem's grid (`rollout.shifted`); one that is not
                solved counts as None, which begins at the reference.

        Raises:
            NmpcError: An array of the problem or the guess has not its shape.
        """
        began, iterations = time.perf_counter(), 0
        check_form(problem, self.settings, guess)
        out = NmpcTrajectory(np.empty((self.settings.states, STATE)), np.empty((self.settings.states - 1, FEET, 3)))
        status, cost, reason, held = NmpcStatus.SOLVED, np.inf, "", None
        try:
            check_numbers(problem)
            found = self._find(problem, guess, self.builder.origin(problem, guess))
            iterations, held = found.iterations, found.held
            cost = best_follow(found.stages, found.feedback, *found.origin, *found.answer, *out)
            check_plan(problem, out.states)
        except UnsolvedError as failure:
            status, reason, cost, held = failure.status, failure.reason, np.inf, None
            iterations = max(iterations, failure.iterations)
            out.states[:], out.forces[:] = np.nan, np.nan
        spent = time.perf_counter() - began
        return NmpcSolution(status, out.states, out.forces, cost, iterations, spent, reason, held)

    @abstractmethod
    def _find(self, problem: NmpcProblem, guess: NmpcSolution | None, origin: NmpcTrajectory) -> MethodAnswer:
        """The answer of the method from a trajectory on.

        Raises:
            UnsolvedError: There is none.
        """


def fallback(problem: NmpcProblem, body: RigidBody, reason: str = "") -> NmpcSolution:
    """What a caller does when a solve fails: equal vertical shares of the weight on the feet that stand in each
    interval, and the pose of the start held; never the old plan.

    A plan is made for states and contacts that were expected; the longer it is followed without a new one, the less it
    fits. The fallback is made of the failed problem alone, so it has no memory that could be stale, and it needs
    nothing that can fail. It holds no balance over a stride: who uses it counts failures and stops.

    Args:
        problem: The problem that has no solution; its contacts are believed, its numbers only where they are finite.
        body: The body.
        reason: Why there is no solution; handed on.

    Returns:
        Forces that are inside every pyramid whose bounds allow a share. The states are the start's pose at rest,
        each part that is not finite taken from the reference, else zero. Its status is ``FALLBACK``, so that it does
        not count as solved and no solver begins from it.
    """
    pose = np.where(np.isfinite(problem.start), problem.start, problem.reference[0])
    pose = np.where(np.isfinite(pose), pose, 0.0)
    pose[6:] = 0.0
    states = np.tile(pose, (len(problem.reference), 1))
    return NmpcSolution(NmpcStatus.FALLBACK, states, problem.shares(body.mass * GRAVITY), np.inf, 0, 0.0, reason)
