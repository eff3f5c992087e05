"""The online solver: real-time iteration, one step of sequential quadratic programming per call.

The problem is linearised along the guess (or, without one, along the reference with an equal share of the weight on
the feet that stand), the quadratic program is solved exactly, and the body is moved forward with its forces by the
nonlinear dynamics. So states and forces of a solution always belong to each other, whatever the step left of the
linearisation's error, and the next call finds a trajectory that the body can follow. Forces are clipped into their
pyramids before, by no more than the tolerance of the quadratic program, so that limits hold to the last bit.

A solution depends on the problem and the guess alone. Source: Diehl, Bock, Schloeder 2005 (real-time iteration);
Grandia et al. 2023 for the same on legged robots.
"""

from __future__ import annotations

import time
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.active_set import new_workspace
from andante.planning.nmpc.answer import Way, along, failed, followed
from andante.planning.nmpc.checks import all_finite, check_body, check_form, first_fault
from andante.planning.nmpc.primal_dual import solve_stages
from andante.planning.nmpc.problem import FEET, NmpcProblem, NmpcSettings, NmpcSolution, NmpcStatus, RigidBody
from andante.planning.nmpc.qp import QpBuilder, StageQp
from andante.planning.nmpc.rollout import held_at

Array = NDArray[np.float64]
_CHANGES = 500
"""Changes of the active rows after which a solve is given up; walking takes some ten, the hardest push a hundred."""


class QpMethod(StrEnum):
    """Who solves the quadratic program."""

    STAGES = "stages"
    """The project's own active-set method, stage by stage; linear in the horizon."""
    DAQP = "daqp"
    """DAQP on the condensed program."""


class OnlineNmpc:
    """`NmpcSolver` by real-time iteration. It has room of its own to work in: one thread at a time.

    Args:
        settings: Costs and bounds.
        body: The body.
        method: Who solves the quadratic program; both give the same forces.

    Raises:
        NmpcError: Mass or inertia is not that of a body.
    """

    def __init__(self, settings: NmpcSettings, body: RigidBody, method: QpMethod = QpMethod.STAGES) -> None:
        check_body(body)
        self._settings = settings
        self.body = body
        self.method = method
        self.builder = QpBuilder(settings, body)
        self._work = new_workspace(settings.states - 1)
        self._solve = solve_stages
        if method is QpMethod.DAQP:
            # Imported here since its kernels need not be compiled for others.
            from andante.planning.nmpc.dense_daqp import solve_dense

            self._solve = solve_dense

    @property
    def settings(self) -> NmpcSettings:
        """Costs and bounds."""
        return self._settings

    def program(self, problem: NmpcProblem, guess: NmpcSolution | None = None) -> StageQp:
        """The quadratic program that `solve` would solve, to be looked at.

        Raises:
            NmpcError: An array of the problem or the guess has not its shape.
        """
        check_form(problem, self._settings, guess)
        return self.builder.build(problem, *along(problem, guess, self.builder))

    def solve(self, problem: NmpcProblem, guess: NmpcSolution | None = None) -> NmpcSolution:
        """One step from the guess.

        Args:
            problem: What is asked.
            guess: A solution that is near, already shifted to this problem's grid (`rollout.shifted`); one that is not
                solved counts as None, which begins at the reference.

        Raises:
            NmpcError: An array of the problem or the guess has not its shape.
        """
        began = time.perf_counter()
        check_form(problem, self._settings, guess)
        fault = first_fault(problem, self._settings)
        if fault is not None:
            return failed(self._settings, *fault, began)
        states, forces = along(problem, guess, self.builder)
        stages = self.builder.stages(problem, states, forces)
        if not all_finite(stages.drift):
            row = int(np.flatnonzero(~np.isfinite(stages.drift).all(axis=1))[0])
            return failed(
                self._settings, NmpcStatus.NOT_FINITE, f"interval {row}: the linearisation is not finite", began
            )
        held = self._held(guess)
        planned, compact = np.empty_like(stages.reference), np.empty_like(stages.drift)
        changes = self._solve(stages, self._work, held, _CHANGES, planned, compact)
        if changes < 0:
            status = NmpcStatus.LIMIT if changes == -1 else NmpcStatus.INFEASIBLE
            reason = (
                f"no answer of the quadratic program within {_CHANGES} changes of its active rows"
                if changes == -1
                else "the rows of the quadratic program contradict each other"
            )
            return failed(self._settings, status, reason, began, _CHANGES)
        if not all_finite(planned):
            row = int(np.flatnonzero(~np.isfinite(planned).all(axis=1))[0])
            reason = f"state {row}: the quadratic program's answer is not finite"
            return failed(self._settings, NmpcStatus.NOT_FINITE, reason, began, changes)
        origin, answer = Way(states, forces.reshape(-1, FEET * 3)), Way(planned, compact)
        return followed(problem, self.builder, stages, self._work.feedback, origin, answer, changes, began, held)

    def _held(self, guess: NmpcSolution | None) -> NDArray[np.int64]:
        """Where forces are probably held, (n, 4)."""
        if guess is None or not guess.solved:
            return np.zeros((self._settings.states - 1, FEET), dtype=np.int64)
        if guess.held is not None:
            return guess.held.copy()
        return held_at(guess.forces, self._settings.friction, self.builder.least, self.builder.largest)
