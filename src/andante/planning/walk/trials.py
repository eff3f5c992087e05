"""From a course to a walk by the attempts of a policy: footsteps, stances, trajectory, and what each took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from andante.planning.course import KnownCourse, NoPlanError
from andante.planning.feasibility.scene import Scene
from andante.planning.footsteps.body_path import SearchedCourse
from andante.planning.footsteps.chosen import ChosenStep, chosen_plan, short_of_goal
from andante.planning.footsteps.footholds import walled
from andante.planning.footsteps.search import plan_footsteps
from andante.planning.plans import Footstep, FootstepPlan
from andante.planning.stances.choose import choose_stances
from andante.planning.trajectory.make import PhaseError
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.walk.rehearsal import Rehearsal
from andante.planning.walk.rehearsed import rehearsed_walk
from andante.planning.walk.request import PlanTimes
from andante.planning.walk.settings import PlanSettings, WalkAttempt
from andante.planning.walk_plan import WalkPlan


@dataclass(frozen=True, eq=False)
class CourseWalk:
    """The walk over a course that the attempts of a policy found, or why there is none."""

    plan: WalkPlan | None
    """The walk; None: there is none."""
    attempt: str
    """Name of the attempt that gave it; empty where none did."""
    error: NoPlanError | None
    """Why there is no walk to the goal; None: there is."""
    times: PlanTimes
    """What planning took."""


def plan_course(course: KnownCourse, settings: PlanSettings | None = None, scene: Scene | None = None) -> CourseWalk:
    """The walk to the goal; the same for the same course and settings.

    Args:
        course: Robot, ground, start and goal.
        settings: How it walks, and what is tried; None: the defaults.
        scene: Robot and ground as prepared for kernels.

    Raises:
        PlanningError: A course that no plan can be made for as asked.
    """
    trials, searching = _Trials(course, settings, scene), True
    for attempt in trials.settings.retries.walk:
        if attempt.search:
            searching = searching and trials.search(attempt)
        elif trials.best is None:
            trials.walk_part(attempt)
    return trials.result()


def plan_chosen(
    course: KnownCourse, chosen: Sequence[ChosenStep], settings: PlanSettings | None = None, scene: Scene | None = None
) -> CourseWalk:
    """The walk over footsteps that a person chose; a part of the way where they end before the goal.

    Args:
        course: Robot, ground, start and goal.
        chosen: The footsteps in order.
        settings: How it walks; None: the defaults.
        scene: Robot and ground as prepared for kernels.

    Raises:
        PlanningError: A course that no plan can be made for as asked.
    """
    return _Trials(course, settings, scene).walk_chosen(chosen)


class _Trials:
    """What the attempts have found so far."""

    def __init__(self, course: KnownCourse, settings: PlanSettings | None, scene: Scene | None) -> None:
        self._course, self.settings = course, settings or PlanSettings()
        self._scene = scene or Scene.of(course.body, course.ground, course.scale)
        self.best: tuple[float, WalkPlan, WalkAttempt] | None = None
        """The walk that misses least, what it misses, and who gave it."""
        self._failures: list[tuple[FootstepPlan | None, NoPlanError]] = []
        self._asked, self._avoid = self.settings.footsteps, list[Footstep]()
        self._ground: SearchedCourse | None = None
        self._stage, self._tests = 0, 0
        self._times = PlanTimes()

    def search(self, attempt: WalkAttempt) -> bool:
        """Footsteps to the goal and the walk over them; whether another search may find a better one.

        A step that body and joints cannot follow is avoided by the next search; so is one in which belly or legs would
        hit an edge or the trunk, or a standing leg would give way, whatever is tried.
        """
        course, settings = self._course, self.settings
        try:
            with self._timed("footsteps"):
                self._ground = self._ground or SearchedCourse.of(course, self._asked)
                footsteps = plan_footsteps(
                    course, self._asked, avoid=self._avoid, ground=self._ground, begin=self._stage
                )
        except NoPlanError as error:
            if self.best is None and not self._failures:
                if self._nears_walls():
                    return self.search(attempt)
                self._failures.append((None, error))
            return False
        self._stage, self._tests = footsteps.stage, self._tests + footsteps.tests
        try:
            with self._timed("stances"):
                stances = choose_stances(course, footsteps, settings.stances, scene=self._scene)
        except NoPlanError as error:
            self._failures.append((footsteps, error))
            # Footsteps that ask more of each pose have poses that can be run through.
            self._asked = self._asked.changed(slack=1.5 * self._asked.slack, margin=1.2 * self._asked.margin)
            return True
        try:
            with self._timed("trajectory"):
                plan, rehearsal = rehearsed_walk(course, stances, settings, self._scene)
        except PhaseError as error:
            self._failures.append((footsteps, error))
            self._avoid.append(footsteps.steps[error.step])
            return True
        except NoPlanError as error:
            self._failures.append((footsteps, error))
            return False
        hits = settings.hits * course.scale
        missing = 0.0 if rehearsal is None else rehearsal.missing(hits, settings.strains)
        if self.best is None or missing < self.best[0]:
            self.best = missing, plan, attempt
        wrong = [] if rehearsal is None else _culprits(rehearsal, footsteps, hits, settings.strains)
        self._avoid += [footsteps.steps[step] for step in wrong]
        return bool(wrong) and self._tests < settings.retries.budget

    def _nears_walls(self) -> bool:
        """Let feet stand beside walls from now on, where they may not yet and there are any: better so than no way."""
        limits = self._asked.limits
        if limits.gap == 0.0 or not walled(self._course, limits.scaled(self._course.scale)).any():
            return False
        self._asked = self._asked.changed(limits=limits.changed(gap=0.0))
        self._ground, self._stage = None, 0
        return True

    def walk_part(self, attempt: WalkAttempt) -> None:
        """Walk a share of the first footsteps that were found, carefully."""
        footsteps = self._failures[0][0]
        if footsteps is None:
            return
        count = round(attempt.share * len(footsteps.steps))
        if count < self.settings.retries.fewest:
            return
        part = FootstepPlan(footsteps.feet, footsteps.steps[:count], footsteps.cost, footsteps.bound)
        try:
            plan = self._walk(part, self.settings.changed(trajectory=TrajectorySettings.careful()))
        except NoPlanError:
            return
        self.best = 0.0, plan, attempt

    def walk_chosen(self, chosen: Sequence[ChosenStep]) -> CourseWalk:
        """Walk footsteps that a person chose, or say which of them is not possible."""
        try:
            with self._timed("footsteps"):
                footsteps = chosen_plan(self._course, chosen, self.settings.footsteps)
            plan = self._walk(footsteps, self.settings)
        except NoPlanError as error:
            return CourseWalk(None, "", error, self._times)
        left = short_of_goal(self._course, footsteps, self.settings.footsteps)
        short = NoPlanError(f"the chosen footsteps end {100.0 * left:.1f} cm before the goal") if left > 0.0 else None
        return CourseWalk(plan, "chosen footsteps", short, self._times)

    def _walk(self, footsteps: FootstepPlan, settings: PlanSettings) -> WalkPlan:
        with self._timed("stances"):
            stances = choose_stances(self._course, footsteps, settings.stances, scene=self._scene)
        with self._timed("trajectory"):
            return rehearsed_walk(self._course, stances, settings, self._scene)[0]

    def result(self) -> CourseWalk:
        """What came of all attempts."""
        if self.best is None:
            return CourseWalk(None, "", self._failures[0][1], self._times)
        _, plan, attempt = self.best
        return CourseWalk(plan, attempt.name, None if attempt.share == 1.0 else self._failures[0][1], self._times)

    @contextmanager
    def _timed(self, part: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            spent = getattr(self._times, part) + time.perf_counter() - began
            self._times = replace(self._times, **{part: spent})


def _culprits(rehearsal: Rehearsal, footsteps: FootstepPlan, hits: float, strains: float) -> list[int]:
    """Steps whose places shall be avoided: that hit something, or put a foot where its leg cannot bear the load."""
    wrong = set(rehearsal.hitting(hits))
    for step in rehearsal.too_strained(strains):
        bearer = rehearsal.checks[step].bearer
        before = [number for number in range(step) if footsteps.steps[number].leg == bearer]
        wrong.add(before[-1] if before else step)
    return sorted(wrong)
