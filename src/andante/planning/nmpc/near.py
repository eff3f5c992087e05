"""Solving in coordinates of surveys: places are counted from near the robot, and the answer is moved back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution
from andante.planning.nmpc.solver import NmpcSolver

_FAR = 1e4
"""Starts farther from the origin are moved [m]: solvers lose digits of numbers that are so large."""


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
