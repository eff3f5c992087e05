"""WalkPlanner: walks to a goal by a map, for whoever asks: a command, a robot that stands, one that walks.

A goal may have places by whose way it is reached: a walk then leads to the next of them, and is planned on from there.
Where the map grows as the robot goes on, the goal may lie beyond it: then the walk leads to a place within the map, on
the way to the goal, and is planned on from there.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from andante.kinematics.com_ik import com_ik_free, stance_com
from andante.kinematics.forward import KinematicsError
from andante.kinematics.leg_table import LeggedBody, StanceError
from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.kinematics.three_joint_leg import LegReachError
from andante.planning.course import KnownCourse, NoPlanError, PlanningError
from andante.planning.feasibility.scene import Scene
from andante.planning.footsteps.body_path import coarse_cells
from andante.planning.footsteps.chosen import ChosenStep
from andante.planning.walk.replan import replan
from andante.planning.walk.request import FIRST, PlanTimes, WalkAnswer, WalkRequest, WalkUnderWay
from andante.planning.walk.settings import PlanSettings
from andante.planning.walk.trials import plan_chosen, plan_course
from andante.spatial.arrays import Array
from andante.spatial.rotations import from_matrix, to_rpy
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import TerrainError
from andante.terrain.map_source import MapSource

_NEAR = (0.15, 0.2, 0.1)
"""How far from the estimated roll, pitch and yaw a body that seems beyond a joint's limit is looked for [rad]."""
_TOWARDS = (0.0, 0.15, 0.3)
"""Shares of the way to the middle of the feet by which its centre of mass is moved then."""
_INSET = 0.25
"""Distance from the rim of the map, for LittleDog: what lies behind a goal is looked at, too [m]."""
_AROUND = 0.12
"""The ground counts within this distance, where the feet come to stand, for LittleDog [m]."""
_LEAST = 0.10
"""A way that is shorter is none, for LittleDog [m]."""
_TURNS = np.radians([0.0, 15.0, -15.0, 30.0, -30.0, 45.0, -45.0])
"""Directions that are tried, against that of the goal [rad]."""
_AT_PLACE, _AT_END = 0.08, 0.04
"""A place on the way is passed at this distance, or so near to the end of the walk to it, for LittleDog [m]."""
_SHARE = 0.5
"""Share of the ground around a place that has to be known."""
_MOST = 3


class WalkPlanner:
    """Plans walks by one policy of retries (`RetryPolicy`), and the rest of a walk under way by the same.

    Args:
        body: The robot.
        maps: Where it gets its map of the ground.
        goal: Where the middle of the robot shall go [m].
        settings: How it plans; None: the defaults.
        latency: Time after which an answer may be used [s].
        chosen: Footsteps that are walked in place of a search when a walk is asked for first; at their end, and where
            that walk was broken off, the planner searches as ever.
        via: Places on the way to the goal, one after the other [m].

    Raises:
        PlanningError: The latency is below zero or not finite.
    """

    def __init__(
        self,
        body: LeggedBody,
        maps: MapSource,
        goal: tuple[float, float],
        settings: PlanSettings | None = None,
        latency: float = 0.0,
        chosen: Sequence[ChosenStep] = (),
        via: Sequence[tuple[float, float]] = (),
    ) -> None:
        if not (math.isfinite(latency) and latency >= 0.0):
            raise PlanningError("a planner's latency is not below zero", place="latency", value=latency, limit=">= 0 s")
        self.body, self.maps, self._stops = body, maps, (*via, goal)
        self.settings, self.chosen = settings or PlanSettings(), tuple(chosen)
        self.latency = latency
        """Time from a request to the arrival of its answer [s]."""
        self.reset()

    def reset(self) -> None:
        """Forget the course of the last walk; no rest of it can be planned any more."""
        self._course: KnownCourse | None = None
        self._scene: Scene | None = None
        self._passed = 0
        self._end: tuple[float, float] | None = None

    @property
    def goal(self) -> tuple[float, float]:
        """Where the walk leads that is planned next: the goal, or a place on the way there [m]."""
        return self._stops[self._passed]

    @property
    def stops(self) -> tuple[tuple[float, float], ...]:
        """Places on the way, and the goal [m]."""
        return self._stops

    @property
    def passed(self) -> int:
        """How many of the stops are behind the walk that is planned next."""
        return self._passed

    def there(self, position: Array) -> bool:
        """Whether the robot's middle (>= 2,) [m] is at the place to which the walk leads that was planned last, or at
        the end of that walk."""
        scale = self.body.leg_length / REFERENCE_LEG
        ends = self._end is not None and math.dist(position[:2], self._end) <= _AT_END * scale
        return ends or math.dist(position[:2], self.goal) <= _AT_PLACE * scale

    def plan(self, request: WalkRequest) -> WalkAnswer:
        """The walk to the goal, as much of it as can be walked, or why there is none."""
        try:
            if request.under_way is not None:
                return self._rest(request, request.under_way)
            return self._walk(request)
        except (PlanningError, KinematicsError, TerrainError) as error:
            return WalkAnswer(request, reason=str(error))

    def course(self, request: WalkRequest) -> KnownCourse:
        """What is known of the way from where the robot stands, to the goal or to the first of the places before it.

        Raises:
            PlanningError: Start or goal is off the map, or nothing is known under the feet.
            KinematicsError: The robot stands as it cannot.
            TerrainError: There is no map where the robot is.
        """
        position, rotation = self._possible(request)
        known = self.maps.around(float(position[0]), float(position[1]))
        return KnownCourse(self.body, known, request.feet, position, rotation, self._goals(known, position)[0])

    def _goals(self, known: ElevationMap, position: Array) -> list[tuple[float, float]]:
        """The goal, or what is tried before it where it lies beyond a map that grows."""
        if not self.maps.grows or known.covers(self.goal):
            return [self.goal]
        return intermediate_goals(known, position[:2], self.goal, self.body.leg_length / REFERENCE_LEG)

    def _walk(self, request: WalkRequest) -> WalkAnswer:
        position, rotation = self._possible(request)
        if request.serial == FIRST:
            self._passed, self._end = 0, None
        while self._passed < len(self._stops) - 1 and self.there(position):
            self._passed, self._end = self._passed + 1, None
        known = self.maps.around(float(position[0]), float(position[1]))
        first, *others = self._goals(known, position)
        answer = self._walk_to(request, KnownCourse(self.body, known, request.feet, position, rotation, first))
        for goal in others:
            if answer.plan is not None:
                break
            other = self._walk_to(request, KnownCourse(self.body, known, request.feet, position, rotation, goal))
            # Where none leads on, what is in the way straight ahead is told.
            answer = answer if other.plan is None else other
        return answer

    def _walk_to(self, request: WalkRequest, course: KnownCourse) -> WalkAnswer:
        if course.goal == self.goal and not self.maps.grows:
            course.check_goal()
        if request.serial == FIRST:
            course.check_heights()
        chosen = bool(self.chosen) and request.serial == FIRST
        if not chosen:
            # Told before grids of such a size are made.
            coarse_cells(course)
        # Between footholds, where what is planned can be mended, poses may use what the course reserves of the knees.
        scene = Scene.of(self.body, course.ground, course.scale)
        if chosen:
            walk = plan_chosen(course, self.chosen, self.settings, scene)
        else:
            walk = plan_course(course, self.settings, scene)
        self._course, self._scene = course, scene
        reason = "" if walk.error is None else str(walk.error)
        if not reason and course.goal != self.goal:
            reason = "the goal lies beyond what is known of the ground"
        if walk.plan is not None and not reason:
            x, y = walk.plan.position[-1, :2].tolist()
            self._end = x, y
        left = len(self._stops) - 1 - self._passed
        if not reason and left:
            x, y = self.goal
            reason = f"it leads to x {x:.3f}, y {y:.3f} m; {left} more {'place' if left == 1 else 'places'} after it"
        return WalkAnswer(request, walk.plan, not reason, walk.attempt, reason, walk.times, course.map)

    def _rest(self, request: WalkRequest, under_way: WalkUnderWay) -> WalkAnswer:
        if self._course is None or self._scene is None:
            raise NoPlanError("no walk is under way")
        began = time.perf_counter()
        plan, attempt = replan(
            self._course,
            under_way.plan,
            under_way.at,
            under_way.feet,
            settings=self.settings.trajectory,
            scene=self._scene,
            attempts=self.settings.retries.rest,
        )
        times = PlanTimes(trajectory=time.perf_counter() - began)
        return WalkAnswer(request, plan, True, attempt.name, times=times, known=self._course.map)

    def _possible(self, request: WalkRequest) -> tuple[Array, Array]:
        """The body's estimated place and rotation, or the nearest with room where noise has it beyond a limit."""
        body = self.body.reserved(KnownCourse.reserve)
        try:
            stance_com(body, request.position, request.feet, request.rotation)
            return request.position, request.rotation
        except (StanceError, LegReachError) as error:
            reason = error
        rpy, middle = to_rpy(from_matrix(request.rotation)), request.feet.mean(axis=0)
        for share in _TOWARDS:
            # Over the middle of the feet and a little lower all legs are shorter.
            com = request.com + share * (middle - request.com)
            try:
                pose = com_ik_free(body, com, request.feet, rpy, most=_NEAR)
            except StanceError:
                continue
            return pose.position, pose.rotation
        raise reason


def intermediate_goals(
    known: ElevationMap, position: Array, goal: tuple[float, float], scale: float
) -> list[tuple[float, float]]:
    """Places near the rim of a map in the direction of a goal beyond it, the straightest first [m].

    Args:
        known: The map.
        position: Where the robot is, (2,) [m].
        goal: Where it wants to go [m].
        scale: The robot's size against LittleDog's.

    Raises:
        NoPlanError: The map shows no ground in that direction.
    """
    ahead = math.atan2(goal[1] - position[1], goal[0] - position[0])
    low, high = np.array(known.extent).reshape(2, 2).T
    low, high = low + _INSET * scale, high - _INSET * scale
    x, y = np.meshgrid(known.x, known.y, indexing="ij")
    found: list[tuple[float, float]] = []
    for turn in _TURNS.tolist():
        way = np.array([math.cos(ahead + turn), math.sin(ahead + turn)])
        # How far until the first side of the inner rectangle.
        rims = np.where(way > 0.0, high, low) - position
        far = float(np.min(np.where(np.abs(way) > 1e-9, rims / np.where(np.abs(way) > 1e-9, way, 1.0), np.inf)))
        while far >= _LEAST * scale:
            place = position + far * way
            near = np.hypot(x - place[0], y - place[1]) <= _AROUND * scale
            if known.known[near].mean() >= _SHARE:
                found.append((float(place[0]), float(place[1])))
                break
            far -= _AROUND * scale
        if len(found) == _MOST:
            break
    if not found:
        least = (_INSET + _LEAST) * scale
        ends = np.array(known.extent).reshape(2, 2)
        seen = float(np.abs(ends - position[:, None]).max())
        raise NoPlanError(
            "the map shows no ground on the way to the goal, which lies beyond it",
            place=f"x {position[0]:.2f} m, y {position[1]:.2f} m",
            value=[round(float(value), 3) for value in goal],
            limit=f"known: x {known.extent[0]:.2f} to {known.extent[1]:.2f}, "
            f"y {known.extent[2]:.2f} to {known.extent[3]:.2f} m",
            remedy=f"a window of the map has to be {2.0 * least:.2g} m wide for this robot" if seen < least else "",
        )
    return found
