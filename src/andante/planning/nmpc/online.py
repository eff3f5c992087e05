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

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.active_set import new_workspace
from andante.planning.nmpc.answer import MethodAnswer, Nmpc
from andante.planning.nmpc.checks import UnsolvedError, check_form, require
from andante.planning.nmpc.primal_dual import solve_stages
from andante.planning.nmpc.problem import FEET, NmpcProblem, NmpcSolution, NmpcStatus, RigidBody
from andante.planning.nmpc.qp import NmpcTrajectory, Stages
from andante.planning.nmpc.rollout import held_at
from andante.planning.nmpc.settings import NmpcSettings

_CHANGES = 500
"""Changes of the active rows after which a solve is given up; walking takes some ten, the hardest push a hundred."""


class QpMethod(StrEnum):
    """Who solves the quadratic program."""

    STAGES = "stages"
    """The project's own active-set method, stage by stage; linear in the horizon."""
    DAQP = "daqp"
    """DAQP on the condensed program."""


class OnlineNmpc(Nmpc):
    """`NmpcSolver` by real-time iteration. It has room of its own to work in: one thread at a time.

    Args:
        settings: Costs and bounds.
        body: The body.
        method: Who solves the quadratic program; both give the same forces.

    Raises:
        NmpcError: Mass or inertia is not that of a body, or DAQP is not installed.
    """

    def __init__(self, settings: NmpcSettings, body: RigidBody, method: QpMethod = QpMethod.STAGES) -> None:
        super().__init__(settings, body)
        self.method = method
        self._work = new_workspace(settings.states - 1)
        self._solve = solve_stages
        if method is QpMethod.DAQP:
            # Imported here since others need no dense form.
            from andante.planning.nmpc.dense import solve_dense
            from andante.planning.nmpc.solver_packages import solver_package

            solver_package("daqp")
            self._solve = solve_dense

    def program(self, problem: NmpcProblem, guess: NmpcSolution | None = None) -> Stages:
        """The quadratic program that `solve` would solve, to be looked at.

        Raises:
            NmpcError: An array of the problem or the guess has not its shape.
        """
        check_form(problem, self.settings, guess)
        return self.builder.stages(problem, self.builder.origin(problem, guess))

    def _find(self, problem: NmpcProblem, guess: NmpcSolution | None, origin: NmpcTrajectory) -> MethodAnswer:
        bad, stages = NmpcStatus.NOT_FINITE, self.builder.stages(problem, origin)
        require(bad, np.isfinite(stages.drift), lambda k, _: f"interval {k}: the linearisation is not finite")
        held = self._held(guess)
        answer = NmpcTrajectory(np.empty_like(stages.reference), np.empty_like(stages.drift))
        changes = self._solve(stages, self._work, held, _CHANGES, answer.states, answer.forces)
        if changes == -1:
            reason = f"no answer of the quadratic program within {_CHANGES} changes of its active rows"
            raise UnsolvedError(NmpcStatus.LIMIT, reason, _CHANGES)
        if changes < 0:
            raise UnsolvedError(
                NmpcStatus.INFEASIBLE, "the rows of the quadratic program contradict each other", _CHANGES
            )
        require(
            bad,
            np.isfinite(answer.states),
            lambda k, _: f"state {k}: the quadratic program's answer is not finite",
            changes,
        )
        return MethodAnswer(stages, self._work.feedback, origin, answer, changes, held)

    def _held(self, guess: NmpcSolution | None) -> NDArray[np.int64]:
        """Where forces are probably held, (n, 4)."""
        if guess is None or not guess.solved:
            return np.zeros((self.settings.states - 1, FEET), dtype=np.int64)
        if guess.held is not None:
            return guess.held.copy()
        return held_at(guess.forces, self.settings.friction, self.builder.least, self.builder.largest)


def daqp_nmpc(settings: NmpcSettings, body: RigidBody) -> OnlineNmpc:
    """`OnlineNmpc` whose quadratic programs DAQP solves."""
    return OnlineNmpc(settings, body, QpMethod.DAQP)
