"""From a course to a walk: footsteps, stances, trajectory, in this order, and what each took."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from andante.planning.course import Course
from andante.planning.feasibility_scene import Scene
from andante.planning.footsteps.search import plan_footsteps
from andante.planning.footsteps.settings import FootstepSettings
from andante.planning.stances.choose import choose_stances
from andante.planning.stances.settings import StanceSettings
from andante.planning.trajectory.make import make_walk
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.walk_plan import WalkPlan


@dataclass(frozen=True)
class PlanSettings:
    """Settings of all that makes a walk."""

    footsteps: FootstepSettings = field(default_factory=FootstepSettings)
    """Where the feet go."""
    stances: StanceSettings = field(default_factory=StanceSettings)
    """Where the body is over them."""
    trajectory: TrajectorySettings = field(default_factory=TrajectorySettings)
    """How fast."""


@dataclass(frozen=True)
class PlanTimes:
    """What planning took, on the clock [s]."""

    footsteps: float
    """Search of the footsteps."""
    stances: float
    """Choice of the poses."""
    trajectory: float
    """Body, swings and joints over time."""

    @property
    def whole(self) -> float:
        """All of it [s]."""
        return self.footsteps + self.stances + self.trajectory


def plan_walk(course: Course, settings: PlanSettings | None = None) -> WalkPlan:
    """The walk to the goal; the same for the same course and settings.

    Args:
        course: Robot, ground, start and goal.
        settings: How it walks; None: the defaults.

    Raises:
        NoPlanError: There is no way, or none was found; names reason and place.
        PlanningError: A course that no plan can be made for as asked.
    """
    return plan_walk_timed(course, settings)[0]


def plan_walk_timed(course: Course, settings: PlanSettings | None = None) -> tuple[WalkPlan, PlanTimes]:
    """As `plan_walk`, and what it took."""
    settings = settings or PlanSettings()
    marks = [time.perf_counter()]
    footsteps = plan_footsteps(course, settings.footsteps)
    marks.append(time.perf_counter())
    scene = Scene.of(course.body, course.ground, course.scale)
    stances = choose_stances(course, footsteps, settings.stances, scene=scene)
    marks.append(time.perf_counter())
    plan = make_walk(course, stances, settings.trajectory, scene=scene)
    marks.append(time.perf_counter())
    return plan, PlanTimes(*(after - before for before, after in zip(marks, marks[1:], strict=False)))
