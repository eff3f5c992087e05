"""The observer `solvers`: the problems of a closed loop are solved again by every solver of the predictive control."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from andante.backends.backend import Backend
from andante.control.quadruped.controller import QuadrupedController
from andante.planning.nmpc.online import OnlineNmpc, QpMethod
from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution, RigidBody
from andante.planning.nmpc.rollout import shifted
from andante.planning.nmpc.settings import NmpcSettings
from andante.planning.nmpc.solver import NmpcSolver
from andante.planning.nmpc.solver_packages import require_solver_packages
from andante.planning.quadruped.local_plan import LocalPlan
from andante.runs.build import Parts
from andante.runs.controls.quadruped import QuadrupedControl
from andante.runs.loop.tick import Tick
from andante.runs.scenario import Scenario
from andante.search.errors import SearchError
from andante.search.experiment.observing import ObserverKind, TrialObserver

EVERY = 20
"""One problem of so many is solved again."""
SOLVERS = ("online", "daqp", "fatrop", "ipopt")
"""Solvers by name; costs are compared with the last one's, which converges."""


class SolversKind(ObserverKind):
    """Solves problems of a dynamic quadruped's predictive control again."""

    place: ClassVar[str] = "observers.solvers"
    tells: ClassVar[tuple[str, ...]] = SOLVERS
    by_clock: ClassVar[tuple[str, ...]] = SOLVERS

    def observer(self, scenario: Scenario, parts: Parts) -> SolversObserver:
        """An observer of one trial.

        Raises:
            SearchError: It is no dynamic quadruped.
            AndanteError: A solver's package is missing.
        """
        require_solver_packages()
        control, controller = scenario.controller, parts.controller
        if not isinstance(control, QuadrupedControl) or not isinstance(controller, QuadrupedController):
            raise SearchError("is no run of a dynamic quadruped", place=self.place, value=type(controller).__name__)
        return SolversObserver(controller, control.local.fitted(controller.body).nmpc)


class SolversObserver(TrialObserver):
    """Keeps problems of a run, each with the solution before it, moved on to its grid."""

    def __init__(self, controller: QuadrupedController, settings: NmpcSettings) -> None:
        self._controller, self._settings = controller, settings

    def begin(self, backend: Backend) -> None:
        """Forget everything."""
        self._plan: LocalPlan | None = None
        self._count = 0
        self._problems: list[tuple[NmpcProblem, NmpcSolution | None]] = []

    def see(self, tick: Tick) -> None:
        """Look whether there is another plan."""
        plan, before = self._controller.plan, self._plan
        if plan is None or plan is before:
            return
        if self._count % EVERY == 0:
            guess = None
            if before is not None and not before.fallback:
                guess = shifted(before.solution, max(plan.index - before.index, 0))
            self._problems.append((plan.problem, guess))
        self._plan = plan
        self._count += 1

    def values(self) -> Mapping[str, Any]:
        """What each solver takes, see `compare`."""
        return compare(self._problems, self._settings, self._controller.body.rigid)


def compare(
    problems: Sequence[tuple[NmpcProblem, NmpcSolution | None]], settings: NmpcSettings, body: RigidBody
) -> dict[str, dict[str, float]]:
    """Solve the same problems from the same guesses by each solver, each after two solves that do not count.

    Args:
        problems: Problems with guesses.
        settings: Costs and bounds.
        body: The body.

    Returns:
        By solver the median and the 95th percentile of the thread's processor time [s], the median over that of the
        online solver, the median of its cost over the converged one's (nan where nobody converges), and the number of
        problems without a solution.
    """
    from andante.planning.nmpc.converged import ConvergedMethod, ConvergedNmpc

    solvers: list[NmpcSolver] = [
        OnlineNmpc(settings, body),
        OnlineNmpc(settings, body, QpMethod.DAQP),
        ConvergedNmpc(settings, body, ConvergedMethod.FATROP),
        ConvergedNmpc(settings, body, ConvergedMethod.IPOPT),
    ]
    times, costs, solved = (np.zeros((len(solvers), len(problems))) for _ in range(3))
    for row, solver in enumerate(solvers):
        for problem, guess in problems[:2]:
            solver.solve(problem, guess)
        for column, (problem, guess) in enumerate(problems):
            begun = time.thread_time()
            solution = solver.solve(problem, guess)
            times[row, column] = time.thread_time() - begun
            costs[row, column], solved[row, column] = solution.cost, solution.solved
    medians = np.median(times, axis=1)
    return {
        name: {
            "median": float(medians[row]),
            "high": float(np.quantile(times[row], 0.95)),
            "over_online": float(medians[row] / medians[0]),
            "cost": _ratio(costs[row], costs[-1], (solved[row] * solved[-1]).astype(bool)),
            "unsolved": float(len(problems) - solved[row].sum()),
        }
        for row, name in enumerate(SOLVERS)
    }


def _ratio(above: np.ndarray, below: np.ndarray, known: np.ndarray) -> float:
    known = known & (below > 0.0)
    return float(np.median(above[known] / below[known])) if known.any() else float("nan")
