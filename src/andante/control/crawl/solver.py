"""CourseSolver: answers a crawl's questions: the walk to the goal, or as much of it as can be walked.

A search finds footsteps all the way; whether body and joints can follow them shows only later. Where they cannot, the
robot need not stay: it walks more carefully, or walks the first part and looks again from there, where feet stand
differently.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from andante.control.crawl.thinking import Question, Solution, UnderWay
from andante.control.estimation.estimator import BodyState
from andante.kinematics.com_ik import com_ik_free, stance_com
from andante.kinematics.leg_table import LeggedBody, StanceError
from andante.kinematics.three_joint_leg import LegReachError
from andante.planning.course import Course, NoPlanError
from andante.planning.feasibility_scene import Scene
from andante.planning.footstep import FootstepPlan
from andante.planning.plan_walk import PlanSettings, rehearsed_walk, try_walk
from andante.planning.replan import replan
from andante.planning.stances.choose import choose_stances
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.walk_plan import WalkPlan
from andante.spatial.rotations import from_matrix, to_rpy
from andante.terrain.height_map import HeightMap

Array = NDArray[np.float64]

_PARTS = (0.7, 0.4, 0.2)
"""Shares of the footsteps that are tried where not all can be walked."""
_NEAR = (0.15, 0.2, 0.1)
"""How far from the estimated roll, pitch and yaw a body that seems beyond a joint's limit is looked for [rad]."""
_TOWARDS = (0.0, 0.15, 0.3)
"""Shares of the way to the middle of the feet by which its centre of mass is moved then."""
_FEWEST = 3
"""Fewest steps that are worth a walk of their own."""


class CourseSolver:
    """Plans over one map to one goal.

    Args:
        body: The robot.
        ground: The ground as the planner knows it.
        goal: Where the middle of the robot shall go [m].
        pits: Nodes of the map that are the bottom of a pit; None: none.
        settings: How it plans.
    """

    def __init__(
        self,
        body: LeggedBody,
        ground: HeightMap,
        goal: tuple[float, float],
        pits: NDArray[np.bool_] | None = None,
        settings: PlanSettings | None = None,
    ) -> None:
        self.body, self.ground, self.goal, self.pits = body, ground, goal, pits
        self.settings = settings or PlanSettings()
        self.before = 0.0
        """Time that planning before the first step took, by the wall clock [s]."""
        self.longest = 0.0
        """Longest time of a planning after it [s]."""
        self._count = 0
        self._course: Course | None = None
        self._scene: Scene | None = None

    def __call__(self, question: Question) -> Solution:
        """The answer.

        Raises:
            PlanningError: There is none.
        """
        began = time.perf_counter()
        try:
            return self._walk(question) if question.under_way is None else self._rest(question.under_way)
        finally:
            spent = time.perf_counter() - began
            if self._count == 0:
                self.before = spent
            else:
                self.longest = max(self.longest, spent)
            self._count += 1

    def _walk(self, question: Question) -> Solution:
        state = question.state
        position, rotation = self._possible(state)
        course = Course(
            body=self.body,
            ground=self.ground,
            feet=state.feet,
            position=position,
            rotation=rotation,
            goal=self.goal,
            pits=self.pits,
        )
        scene = Scene.of(self.body, self.ground, course.scale)
        footsteps, found, _ = try_walk(course, self.settings, scene)
        self._course, self._scene = course, scene
        if isinstance(found, WalkPlan):
            return Solution(found, True)
        careful = TrajectorySettings.careful()
        for share in (1.0, *_PARTS):
            count = round(share * len(footsteps.steps))
            if count < _FEWEST:
                break
            part = FootstepPlan(footsteps.feet, footsteps.steps[:count], footsteps.cost, footsteps.bound)
            try:
                return Solution(self._trajectory(course, scene, part, careful), share == 1.0)
            except NoPlanError:
                continue
        raise found

    def _possible(self, state: BodyState) -> tuple[Array, Array]:
        """The body's estimated place and rotation, or the nearest with room where noise has it beyond a limit."""
        body = self.body.reserved(Course.reserve)
        try:
            stance_com(body, state.position, state.feet, state.rotation)
            return state.position, state.rotation
        except (StanceError, LegReachError) as error:
            reason = error
        rpy, middle = to_rpy(from_matrix(state.rotation)), state.feet.mean(axis=0)
        for share in _TOWARDS:
            # Over the middle of the feet and a little lower all legs are shorter.
            com = state.com + share * (middle - state.com)
            try:
                pose = com_ik_free(body, com, state.feet, rpy, most=_NEAR)
            except StanceError:
                continue
            return pose.position, pose.rotation
        raise reason

    def _rest(self, under_way: UnderWay) -> Solution:
        if self._course is None or self._scene is None:
            raise NoPlanError("no walk is under way")
        plan = replan(
            self._course,
            under_way.plan,
            under_way.at,
            under_way.feet,
            settings=self.settings.trajectory,
            scene=self._scene,
        )
        return Solution(plan, True)

    def _trajectory(
        self, course: Course, scene: Scene, footsteps: FootstepPlan, settings: TrajectorySettings
    ) -> WalkPlan:
        stances = choose_stances(course, footsteps, self.settings.stances, scene=scene)
        return rehearsed_walk(course, stances, replace(self.settings, trajectory=settings), scene)
