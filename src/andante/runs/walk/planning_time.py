"""How long a planner takes: processor time, beside the log, which must be the same on every computer.

A simulated planner answers after its declared latency whatever it takes. What an answer took beyond that while the
robot walked is overtime: the robot would have had to wait for it, so it counts in the speed. Processor time does not
grow when other programs run beside.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from andante.planning.planner import Planner
from andante.planning.walk.request import WalkAnswer, WalkRequest


@dataclass(frozen=True)
class PlanningTime:
    """Processor time of planning."""

    before: float | None = None
    """Before the walk began [s]; None: nothing was planned."""
    longest: float | None = None
    """Longest answer while walking [s]; None: there was none."""
    overtime: float = 0.0
    """Sum of what answers while walking took beyond the declared latency [s]."""


class TimedPlanner:
    """A planner whose answers are timed."""

    def __init__(self, planner: Planner[WalkRequest, WalkAnswer]) -> None:
        self._planner = planner
        self.spent: list[tuple[float, float]] = []
        """Time of the run and processor time of each answer [s]."""

    @property
    def latency(self) -> float:
        """Time from a request to the arrival of its answer [s]."""
        return self._planner.latency

    def reset(self) -> None:
        """Forget everything."""
        self.spent.clear()
        self._planner.reset()

    def plan(self, request: WalkRequest) -> WalkAnswer:
        """The answer of the planner."""
        began = time.thread_time()
        answer = self._planner.plan(request)
        self.spent.append((request.time, time.thread_time() - began))
        return answer

    def within(self, begin: float, end: float) -> PlanningTime:
        """The processor time of planning in a run whose walk began at ``begin`` and ended at ``end`` [s]."""
        before = [spent for moment, spent in self.spent if moment <= begin]
        later = [spent for moment, spent in self.spent if begin < moment <= end]
        overtime = sum(max(spent - self.latency, 0.0) for spent in later)
        return PlanningTime(sum(before) if before else None, max(later, default=None), overtime)
