"""NmpcSolver: solves the predictive control's problems; made by its name, and looked at where others wrote it.

In coordinates of surveys places are counted from near the robot, and the answer is moved back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution, RigidBody
from andante.planning.nmpc.settings import NmpcSettings
from andante.planning.nmpc.solvers import SOLVERS
from andante.plugins.answers import answer_of, finite_array
from andante.plugins.errors import PluginError
from andante.plugins.register import SHIPPED

_FAR = 1e4
"""Starts farther from the origin are moved [m]: solvers lose digits of numbers that are so large."""


class NmpcSolver(Protocol):
    """Solves problems of one body with one horizon."""

    @property
    def settings(self) -> NmpcSettings:
        """Costs and bounds."""
        ...

    def solve(self, problem: NmpcProblem, guess: NmpcSolution | None = None) -> NmpcSolution:
        """The solution of a problem.

        Args:
            problem: What is asked.
            guess: A solution that is near, already shifted to this problem's grid; None: begin at the reference.
        """
        ...


def make_solver(settings: NmpcSettings, body: RigidBody) -> NmpcSolver:
    """The solver that settings name, for a body.

    Raises:
        PluginError: It raised; names it.
        NmpcError: Mass or inertia is not that of a body.
    """
    name = settings.solver
    if SOLVERS.source(name) == SHIPPED:
        solver: NmpcSolver = SOLVERS[name](settings, body)
        return solver
    who = SOLVERS.told(name)
    return CheckedSolver(who, settings, answer_of(who, lambda: SOLVERS[name](settings, body)))


class CheckedSolver:
    """A solver that others wrote, whose answers are looked at.

    Args:
        who: What messages call it.
        settings: Costs and bounds.
        solver: The solver.
    """

    def __init__(self, who: str, settings: NmpcSettings, solver: NmpcSolver) -> None:
        self._who, self._solver, self.settings = who, solver, settings

    def solve(self, problem: NmpcProblem, guess: NmpcSolution | None = None) -> NmpcSolution:
        """The solver's answer.

        Raises:
            PluginError: It raised, or gave something else than a solution of finite states and forces; names it.
        """
        # A solver that writes into the problem solves one of its own.
        found = answer_of(self._who, lambda: self._solver.solve(problem.copy(), guess))
        if not isinstance(found, NmpcSolution):
            raise PluginError("gave no NmpcSolution", place=self._who, value=type(found).__name__)
        if found.solved:
            for what, array, shape in (
                ("states", found.states, problem.reference.shape),
                ("forces", found.forces, problem.feet.shape),
            ):
                if np.shape(array) != shape:
                    limit = f"shape {shape}"
                    raise PluginError(
                        f"gave {what} of another shape", place=self._who, value=np.shape(array), limit=limit
                    )
                finite_array(self._who, what, array, shape)
        return found


def solve_near(solver: NmpcSolver, problem: NmpcProblem, guess: NmpcSolution | None = None) -> NmpcSolution:
    """The solver's answer; of a problem far from the origin, that of the same problem near it.

    Args:
        solver: Solves it.
        problem: What is asked.
        guess: Where it begins; None: it decides.
    """
    place = problem.start[:2]
    # What is no number is told by the solver.
    if not (np.isfinite(place).all() and float(np.abs(place).max()) > _FAR):
        return solver.solve(problem, guess)
    away = np.zeros(12)
    away[:2] = np.round(place)
    near = replace(
        problem, start=problem.start - away, reference=problem.reference - away, feet=problem.feet - away[:3]
    )
    begun = None if guess is None else replace(guess, states=guess.states - away)
    found = solver.solve(near, begun)
    return replace(found, states=found.states + away)
