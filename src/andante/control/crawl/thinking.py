"""Thinking beside the walk: what a crawl asks its planner, and the answer that comes after the declared latency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.control.controller import ControlError
from andante.control.estimation.estimator import BodyState
from andante.kinematics.leg_table import StanceError
from andante.kinematics.three_joint_leg import LegReachError
from andante.planning.course import PlanningError
from andante.planning.walk_plan import WalkPlan
from andante.robots.records import Layout, Record, Sensors, scalar

Array = NDArray[np.float64]
ANSWER = Layout("walk", (scalar("serial"), scalar("found"), scalar("whole"), scalar("duration", "s")))
"""Layout of an answer; the plan itself rides along."""


@dataclass(frozen=True, eq=False)
class UnderWay:
    """A walk and where its rest begins."""

    plan: WalkPlan
    """The walk."""
    at: int
    """Sample from which on it may change."""
    feet: Array
    """Centres of the feet then, (nl, 3) [m]."""


@dataclass(frozen=True, eq=False)
class Question:
    """What a crawl asks."""

    serial: int
    """Number of the question."""
    state: BodyState
    """Where body and feet are."""
    under_way: UnderWay | None = None
    """The walk whose rest shall be planned anew; None: a new walk from where the robot stands."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A walk that answers a question."""

    plan: WalkPlan
    """The walk."""
    whole: bool
    """Whether it leads to the goal; else the robot asks again at its end."""


class Answer(Record):
    """A solution, or why there is none."""

    __slots__ = ("question", "reason", "solution")

    def __init__(self, question: Question | None = None, solution: Solution | None = None, reason: str = "") -> None:
        values = np.zeros(ANSWER.size)
        if question is not None:
            values[0] = question.serial
        if solution is not None:
            values[1:] = 1.0, float(solution.whole), solution.plan.duration
        super().__init__(ANSWER, values)
        self.question, self.solution, self.reason = question, solution, reason


Solve = Callable[[Question], Solution]
"""Answers a question, or raises `PlanningError`, or `StanceError` where the robot stands beyond a joint's limit."""


class CrawlPlanner:
    """Planner of a crawl: looks at every tick whether it is asked something, and thinks only then.

    Args:
        ask: Gives the question that waits, once; None where none does.
        solve: Answers it.
        period: Time between two ticks [s].
        latency: Time after which an answer may be used [s], at least what solving takes on the robot's computer.

    Raises:
        ControlError: The latency is below zero.
    """

    def __init__(self, ask: Callable[[], Question | None], solve: Solve, period: float, latency: float) -> None:
        if not (np.isfinite(latency) and latency >= 0.0):
            raise ControlError("a planner's latency is not below zero", place="crawl.latency", value=latency)
        self._ask, self._solve = ask, solve
        self._period, self._latency = period, latency

    @property
    def period(self) -> float:
        """Time between two looks [s]."""
        return self._period

    @property
    def latency(self) -> float:
        """Time from a question's sensors to its answer [s]."""
        return self._latency

    def reset(self) -> None:
        """Nothing is kept between questions."""

    def plan(self, sensors: Sensors) -> Record:
        """The answer to the question that waits; an empty one where none does."""
        question = self._ask()
        if question is None:
            return Answer()
        try:
            return Answer(question, self._solve(question))
        except (PlanningError, StanceError, LegReachError) as error:
            return Answer(question, reason=str(error))
