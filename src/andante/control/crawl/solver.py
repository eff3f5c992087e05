"""CourseSolver: answers a crawl's questions with the planner of the whole walk and the one of its rest."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from andante.control.crawl.thinking import Question
from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import Course
from andante.planning.plan_walk import plan_walk
from andante.planning.walk_plan import WalkPlan
from andante.terrain.height_map import HeightMap


class CourseSolver:
    """Plans over one map to one goal.

    Args:
        body: The robot.
        ground: The ground as the planner knows it.
        goal: Where the middle of the robot shall go [m].
        pits: Nodes of the map that are the bottom of a pit; None: none.
    """

    def __init__(
        self, body: LeggedBody, ground: HeightMap, goal: tuple[float, float], pits: NDArray[np.bool_] | None = None
    ) -> None:
        self.body, self.ground, self.goal, self.pits = body, ground, goal, pits
        self.before, self.longest = 0.0, 0.0
        """Time that planning whole walks took, and the longest replanning, by the wall clock [s]."""

    def __call__(self, question: Question) -> WalkPlan:
        """The answer.

        Raises:
            PlanningError: There is none.
        """
        began = time.perf_counter()
        try:
            return self._walk(question)
        finally:
            spent = time.perf_counter() - began
            if question.kind == "walk":
                self.before += spent
            else:
                self.longest = max(self.longest, spent)

    def _walk(self, question: Question) -> WalkPlan:
        state = question.state
        course = Course(
            body=self.body,
            ground=self.ground,
            feet=state.feet,
            position=state.position,
            rotation=state.rotation,
            goal=self.goal,
            pits=self.pits,
        )
        return plan_walk(course)
