"""How long a planner takes: processor time, beside the log, which must be the same on every computer.

A simulated planner answers after its declared latency whatever it takes. What an answer took beyond that while the
robot walked is overtime: the robot would have had to wait for it, so it counts in the speed. Processor time does not
grow when other programs run beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PlanningTime:
    """Processor time of planning."""

    before: float | None = None
    """Before the walk began [s]; None: nothing was planned."""
    longest: float | None = None
    """Longest answer while walking [s]; None: there was none."""
    overtime: float = 0.0
    """Sum of what answers while walking took beyond the declared latency [s]."""


def planning_time(plans: Sequence[tuple[float, float]], latency: float, begin: float, end: float) -> PlanningTime:
    """The processor time of planning in a run whose walk began at ``begin`` and ended at ``end`` [s].

    Args:
        plans: Time of the run and processor time of each plan, `Outcome.plans` [s].
        latency: The planner's declared latency [s].
        begin: Begin of the walk [s].
        end: Its end [s].
    """
    before = [spent for moment, spent in plans if moment <= begin]
    later = [spent for moment, spent in plans if begin < moment <= end]
    overtime = sum(max(spent - latency, 0.0) for spent in later)
    return PlanningTime(sum(before) if before else None, max(later, default=None), overtime)
