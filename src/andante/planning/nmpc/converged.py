"""The converged solution of the same problem by CasADi with IPOPT or fatrop: what the online solver is measured with.

States and forces of all intervals are variables (direct multiple shooting), the dynamics are written in CasADi's
symbols once more, and the solver is made once for a horizon and its settings; contacts are parameters. A foot that
swings has its force multiplied by zero in the dynamics and its bounds lifted, so that its cost makes it zero. Soft
bounds get a slack each.

CasADi takes half a second to import, so that happens when the first solver is made.
"""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.answer import Way, along, failed, followed
from andante.planning.nmpc.checks import check_body, check_form, first_fault
from andante.planning.nmpc.problem import FEET, NmpcProblem, NmpcSettings, NmpcSolution, NmpcStatus, RigidBody
from andante.planning.nmpc.qp import QpBuilder
from andante.planning.nmpc.symbolic import Program

Array = NDArray[np.float64]


class ConvergedMethod(StrEnum):
    """Who solves the nonlinear program."""

    IPOPT = "ipopt"
    """Interior points with a filter; linear systems by MUMPS."""
    FATROP = "fatrop"
    """Interior points on Riccati factors, made for optimal control."""


class ConvergedNmpc:
    """`NmpcSolver` that iterates until the optimum.

    Args:
        settings: Costs and bounds.
        body: The body.
        method: Who solves the nonlinear program.
        tolerance: To what the conditions of the optimum hold.
        iterations: Largest number of iterations.

    Raises:
        NmpcError: Mass or inertia is not that of a body.
    """

    def __init__(
        self,
        settings: NmpcSettings,
        body: RigidBody,
        method: ConvergedMethod = ConvergedMethod.IPOPT,
        tolerance: float = 1e-5,
        iterations: int = 200,
    ) -> None:
        check_body(body)
        self._settings = settings
        self.body = body
        self.method = method
        self.builder = QpBuilder(settings, body)
        self.program = Program(settings, body)
        self._solver = self.program.solver(method.value, tolerance, iterations)
        self._no_feedback = np.zeros((settings.states - 1, 12, 12))

    @property
    def settings(self) -> NmpcSettings:
        """Costs and bounds."""
        return self._settings

    def solve(self, problem: NmpcProblem, guess: NmpcSolution | None = None) -> NmpcSolution:
        """The optimum near a guess.

        Args:
            problem: What is asked.
            guess: A solution that is near, already shifted to this problem's grid; None, or one that is not solved:
                begin at the reference.

        Raises:
            NmpcError: An array of the problem or the guess has not its shape.
        """
        began = time.perf_counter()
        check_form(problem, self._settings, guess)
        fault = first_fault(problem, self._settings)
        if fault is not None:
            return failed(self._settings, *fault, began)
        states, forces = along(problem, guess, self.builder)
        limits = self.program.limits(problem, self.method is ConvergedMethod.IPOPT)
        answer = self._solver(
            x0=self.program.packed(problem, states, forces), p=self.program.parameters(problem), **limits
        )
        stats: dict[str, Any] = self._solver.stats()
        iterations = int(stats.get("iter_count", 0))
        if not stats["success"]:
            return failed(self._settings, *_reason(self.method, stats), began, iterations)
        return self._finished(problem, np.asarray(answer["x"]).ravel(), iterations, began)

    def _finished(self, problem: NmpcProblem, found: Array, iterations: int, began: float) -> NmpcSolution:
        """Forces clipped into their pyramids and followed, as by the online solver."""
        states, forces = self.program.unpacked(problem, found)
        stages = self.builder.stages(problem, states, forces)
        flat = forces.reshape(-1, FEET * 3)
        compact = np.zeros_like(flat)
        for foot in range(FEET):
            rows = np.flatnonzero(stages.slot[:, foot] >= 0)
            for axis in range(3):
                compact[rows, 3 * stages.slot[rows, foot] + axis] = flat[rows, 3 * foot + axis]
        answer = Way(states, compact)
        return followed(problem, self.builder, stages, self._no_feedback, Way(states, flat), answer, iterations, began)


def _reason(method: ConvergedMethod, stats: dict[str, Any]) -> tuple[NmpcStatus, str]:
    told = str(stats.get("return_status", "no status"))
    if "Infeasible" in told:
        return NmpcStatus.INFEASIBLE, f"{method}: {told}"
    if "Invalid_Number" in told:
        return NmpcStatus.NOT_FINITE, f"{method}: {told}"
    return NmpcStatus.LIMIT, f"{method}: {told} after {stats.get('iter_count', 0)} iterations"
