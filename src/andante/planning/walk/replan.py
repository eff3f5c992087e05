"""Planning the rest of a walk anew from where its feet are: asked for where one missed its place.

The next steps are made again from their poses and time laws; after them nothing of what was measured is left in the
motion, and the old walk goes on. That takes milliseconds where the whole walk takes hundreds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from andante.planning.course import KnownCourse, NoPlanError, PlanningError
from andante.planning.feasibility.clearance import height_at
from andante.planning.feasibility.scene import Scene
from andante.planning.plans import Footstep, FootstepPlan
from andante.planning.trajectory.make import Draft, PhaseError
from andante.planning.trajectory.motion import WalkMotion
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.trajectory.start_state import EndState, StartState, Timing
from andante.planning.trajectory.tempo import PlanWarmStart
from andante.planning.trajectory.time_law import law_share
from andante.planning.walk.settings import REST_ATTEMPTS, RestAttempt
from andante.planning.walk_plan import Swing, WalkPlan
from andante.spatial.arrays import Array

_JOIN = 3
"""Steps over which the new motion goes over into the old one."""


def replan(
    course: KnownCourse,
    plan: WalkPlan,
    at_sample: int,
    feet: Array,
    *,
    window: int = 6,
    settings: TrajectorySettings | None = None,
    scene: Scene | None = None,
    attempts: Sequence[RestAttempt] = REST_ATTEMPTS,
) -> tuple[WalkPlan, RestAttempt]:
    """The rest of a walk from a sample on, whose sample 0 is that sample, and the attempt that gave it.

    Args:
        course: Robot and ground.
        plan: The walk under way.
        at_sample: Sample of it from which on it may change.
        feet: Centres of the feet then, (nl, 3) [m].
        window: Steps that are made anew before the old walk is joined.
        settings: Settings that the plan was made with.
        scene: Robot and ground as prepared before; preparing takes some 10 ms.
        attempts: What is tried, in this order.

    Raises:
        NoPlanError: The next steps are not possible from there; names step and place.
        PlanningError: No such sample, or a plan that does not know what it was made of.
    """
    last = len(plan.com) - 1
    if not 0 <= at_sample < last:
        raise PlanningError("the walk has no such sample to go on from", value=at_sample, limit=f"0 to {last - 1}")
    made = plan.warm_start
    if made is None:
        raise PlanningError("the plan does not know what it was made of")
    if window < 1:
        raise PlanningError("at least one step is made anew", value=window)
    first = next((k for k, swing in enumerate(plan.swings) if swing.touchdown > at_sample), len(plan.swings))
    start = _start(plan, at_sample, np.asarray(feet, dtype=np.float64), first)
    if first == len(plan.swings):
        raise NoPlanError("no step is left to plan anew", place=f"sample {at_sample}")
    scene = scene or Scene.of(course.body, course.ground, course.scale)
    settings = settings or TrajectorySettings()
    steps = list(plan.footsteps.steps)
    error: PhaseError | None = None
    for attempt in attempts:
        if error is not None and error.step >= window and window < len(steps):
            # Steps that were to stay as they are cannot: the rest is made anew as a whole.
            window = len(steps)
        elif error is not None:
            steps = list(plan.footsteps.steps)
            row = first + error.step
            steps[row] = _moved(course, scene, plan, row, attempt.aside * course.scale)
        try:
            return _renewed(course, plan, made, at_sample, start, steps, first, window, settings, scene), attempt
        except PhaseError as wrong:
            error = wrong
    raise error or NoPlanError("the next steps are not possible")


def _renewed(
    course: KnownCourse,
    plan: WalkPlan,
    made: PlanWarmStart,
    at: int,
    start: StartState,
    steps: list[Footstep],
    first: int,
    window: int,
    settings: TrajectorySettings,
    scene: Scene,
) -> WalkPlan:
    stop = max(first + window, _all_moved(plan, first)) + _JOIN
    joined = stop < len(plan.swings)
    stop = min(stop, len(plan.swings))
    # The old walk is joined as the step after lifts off.
    join = plan.swings[stop].lift_off if joined else len(plan.com) - 1
    warm_start = made.part(first, stop)
    some = FootstepPlan(start.feet, tuple(steps[first:stop]))
    end = None
    if joined:
        blend = slice(plan.swings[stop - _JOIN].lift_off, join + 1)
        end = EndState(plan.com[blend], plan.rpy[blend], plan.zmp[blend])
    stances = warm_start.stances(some, 0, stop - first)
    motion = WalkMotion(course, stances, settings, warm_start.tempo, start, scene, end)
    draft = Draft(motion, _timing(plan, at, first, stop, join, warm_start, _JOIN if joined else 0))
    draft.iterate()
    fresh = draft.finished()
    if not joined:
        return fresh
    rest = replace(draft.warm_start(), tempo=warm_start.tempo).then(made.part(stop))
    return _joined(fresh, plan, FootstepPlan(start.feet, tuple(steps[first:])), stop, join, rest)


def _all_moved(plan: WalkPlan, first: int) -> int:
    """Number of the step after which every foot has been put down anew, on its planned place."""
    waiting = set(range(plan.feet.shape[1]))
    for row in range(first, len(plan.swings)):
        waiting.discard(plan.swings[row].leg)
        if not waiting:
            return row + 1
    return len(plan.swings)


def _timing(plan: WalkPlan, at: int, first: int, stop: int, join: int, warm_start: PlanWarmStart, fixed: int) -> Timing:
    lifts, lands = np.array([(swing.lift_off, swing.touchdown) for swing in plan.swings[first:stop]]).T
    laws = warm_start.laws.copy()
    if lifts[0] < at:
        laws[0] = _law_left(laws[0], (at - lifts[0]) / (lands[0] - lifts[0]))
        lifts[0] = at
    four_foot_times = np.append(lifts, join) - np.concatenate([[at], lands])
    return Timing(lands - lifts, four_foot_times, laws, warm_start.aims, fixed)


def _law_left(law: Array, time: float) -> Array:
    """The time law of what is left of a path at a share of its time."""
    points = np.linspace(0.0, 1.0, len(law))
    done = law_share(law, time)
    left = np.interp(done + points * (1.0 - done), points, law)
    return np.asarray((left - left[0]) / (left[-1] - left[0]))


def _start(plan: WalkPlan, at: int, feet: Array, first: int) -> StartState:
    before, after = max(at - 1, 0), min(at + 1, len(plan.com) - 1)
    rates = [(each[after] - each[before]) / ((after - before) * plan.period) for each in (plan.com, plan.rpy)]
    swinging = first < len(plan.swings) and plan.swings[first].lift_off < at
    return StartState(plan.com[at], rates[0], plan.rpy[at], rates[1], feet, plan.position[at], plan.zmp[at], swinging)


def _joined(
    fresh: WalkPlan, plan: WalkPlan, footsteps: FootstepPlan, stop: int, join: int, warm_start: PlanWarmStart
) -> WalkPlan:
    """The new steps and then the old walk."""
    later, made = len(fresh.com) - 1 - join, len(fresh.swings)
    swings = tuple(
        Swing(made + k, swing.leg, swing.lift_off + later, swing.touchdown + later)
        for k, swing in enumerate(plan.swings[stop:])
    )
    return WalkPlan(
        footsteps=footsteps,
        period=plan.period,
        swings=fresh.swings + swings,
        warm_start=warm_start,
        **fresh.joined_samples(None, plan, join + 1),
    )


def _moved(course: KnownCourse, scene: Scene, plan: WalkPlan, row: int, away: float) -> Footstep:
    """Another foothold for a step, shorter first: the safest place at a distance [m] from the old one.

    Raises:
        NoPlanError: There is no safe place there.
    """
    step = plan.footsteps.steps[row]
    old = plan.footsteps.stances()[row][step.leg]
    way = step.place[:2] - old[:2]
    length = float(np.hypot(*way))
    ahead = way / length if length > 1e-6 else np.array([1.0, 0.0])
    ground, layers = course.ground, course.layers
    best, place = 0.0, None
    for angle in np.linspace(-np.pi, np.pi, 16, endpoint=False).tolist():
        c, s = np.cos(angle), np.sin(angle)
        spot = step.place[:2] + away * np.array([c * ahead[0] - s * ahead[1], s * ahead[0] + c * ahead[1]])
        i, j = np.rint((spot - ground.origin) / ground.spacing).astype(np.int64)
        if not (0 <= i < ground.heights.shape[0] and 0 <= j < ground.heights.shape[1]):
            continue
        # Backwards is where a leg that is too short reaches.
        worth = float(layers.traversability[i, j]) * (1.5 - c)
        if worth > best:
            best, place = worth, np.array([*spot, height_at(scene, scene.foot, float(spot[0]), float(spot[1]))])
    if place is None:
        x, y, _ = step.place.tolist()
        raise NoPlanError("a foothold is out of reach and there is no other nearby", place=f"x {x:.3f}, y {y:.3f} m")
    return replace(step, place=place, apex=max(step.apex, step.apex + float(place[2] - step.place[2])))
