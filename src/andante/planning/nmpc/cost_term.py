"""CostTerm: what a plan of forces costs besides the settings' weights, chosen in a scenario by its name.

    class Lean(CostTerm):
        weight: float = 20.0

        def errors(self, problem, states):
            ...
            return weights, targets

    andante.register("costs", "lean", Lean)

A term is a sum of half weighted squared errors of the states, so that the quadratic program stays what it is. A cost
of another form is given by its squares near the trajectory that the program is linearised along.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from andante.documents.choice import Choice
from andante.documents.settings import Settings
from andante.planning.nmpc.problem import NmpcProblem
from andante.plugins.answers import answer_of, finite_array, subclass_of
from andante.plugins.errors import PluginError
from andante.plugins.register import Register
from andante.spatial.arrays import Array


class CostTerm(Settings, ABC):
    """A cost of the states of a plan. Its fields are set by scenarios: ``costs: [{type: lean, weight: 30}]``."""

    place: ClassVar[str] = "cost"

    @abstractmethod
    def errors(self, problem: NmpcProblem, states: Array) -> tuple[Array, Array]:
        """Weights and wanted states: the term costs half the weighted squared differences from these.

        Args:
            problem: What is asked of the predictive control, `NmpcProblem`; N states of 12 numbers.
            states: Trajectory along which the program is linearised, (N, 12).

        Returns:
            Weights, not below zero, and wanted states, each (N, 12) or of a shape that broadcasts to it. Weights count
            per interval of `NmpcSettings.step`, as `NmpcSettings.weights` do.
        """


COSTS: Register[type[CostTerm]] = Register("costs", "cost term", subclass_of(CostTerm, "cost terms"))
"""Cost terms by name."""
COST_CHOICE = Choice(COSTS)


def with_terms(
    terms: Sequence[CostTerm], problem: NmpcProblem, states: Array, weights: Array, reference: Array
) -> tuple[Array, Array]:
    """Weights and wanted states, (N, 12) each, of a cost and more terms together; a constant of the cost is left out.

    Args:
        terms: The terms.
        problem: What is asked.
        states: Trajectory along which the program is linearised, (N, 12).
        weights: Weights of the cost without them, (N, 12).
        reference: Its wanted states, (N, 12).

    Raises:
        PluginError: A term raised, or gave something else than finite weights and states; names it.
    """
    for term in terms:
        who = COST_CHOICE.told(term)
        given = answer_of(who, lambda term=term: term.errors(problem.copy(), states.copy()))  # type: ignore[misc]
        if not isinstance(given, tuple) or len(given) != 2:
            raise PluginError("gave something else than weights and states", place=who, value=type(given).__name__)
        added = finite_array(who, "weights", given[0], weights.shape)
        wanted = finite_array(who, "wanted states", given[1], weights.shape)
        if added.min() < 0.0:
            raise PluginError("gave a weight below zero", place=who, value=float(added.min()))
        total = weights + added
        share = np.divide(added, total, out=np.zeros_like(total), where=total > 0.0)
        weights, reference = total, reference + share * (wanted - reference)
    return weights, reference
