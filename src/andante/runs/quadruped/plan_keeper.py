"""PlanKeeper: what local plans were like while a run went on; the log holds only their first interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.backends.backend import Backend
from andante.control.quadruped.controller import QuadrupedController
from andante.planning.quadruped.local_plan import LocalPlan
from andante.runs.tick import Observer, Tick

_EARLY = 1e-9


@dataclass(frozen=True)
class PlanFigures:
    """What one local plan was like."""

    time: float
    """When its state was measured [s]."""
    solved: bool
    """Whether its forces are a solver's."""
    iterations: int
    """Iterations of the solver."""
    wall: float
    """Time that the solve took by the clock on the wall [s]."""
    excess: float
    """How far a planned force leaves friction pyramid or bounds, the largest over horizon and feet [N]."""


class PlanKeeper(Observer):
    """Keeps figures of every plan that was used, and some plans whole.

    Args:
        controller: The controller of the run.
        friction: Friction coefficient of the plans.
        bounds: Least and largest vertical force of a standing foot [N].
        every: Time between two plans that are kept whole [s]; None: none is.
    """

    def __init__(
        self, controller: QuadrupedController, friction: float, bounds: tuple[float, float], every: float | None = None
    ) -> None:
        self._controller, self._friction, self._bounds, self._every = controller, friction, bounds, every
        self._forget()

    def _forget(self) -> None:
        self._plan: LocalPlan | None = None
        self.figures: list[PlanFigures] = []
        """Figures of every plan, in order."""
        self.plans: list[LocalPlan] = []
        """The plans that were kept."""

    def begin(self, backend: Backend) -> None:
        """Forget everything."""
        self._forget()

    def see(self, tick: Tick) -> None:
        """Look whether there is another plan."""
        plan = self._controller.plan
        if plan is None or plan is self._plan:
            return
        self._plan = plan
        solution = plan.solution
        excess = force_excess(plan, self._friction, self._bounds)
        self.figures.append(PlanFigures(plan.time, not plan.fallback, solution.iterations, solution.time, excess))
        if self._every is not None and (not self.plans or plan.time >= self.plans[-1].time + self._every - _EARLY):
            self.plans.append(plan)


def force_excess(plan: LocalPlan, friction: float, bounds: tuple[float, float]) -> float:
    """How far the farthest planned force leaves the friction pyramid or its bounds, or pulls on a foot in the air [N].

    Args:
        plan: The plan.
        friction: Friction coefficient of the pyramid.
        bounds: Least and largest vertical force of a standing foot [N].
    """
    low, high = bounds
    fx, fy, fz = (plan.forces[:, :, axis] for axis in range(3))
    over = np.maximum(np.maximum(np.abs(fx), np.abs(fy)) - friction * fz, np.maximum(low - fz, fz - high))
    return float(np.where(plan.contact, over, np.abs(plan.forces).max(axis=2)).max(initial=0.0))
