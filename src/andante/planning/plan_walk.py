"""From a course to a walk: footsteps, stances, trajectory, in this order, and what each took."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from andante.planning.course import Course, NoPlanError, PlanningError
from andante.planning.feasibility_scene import Scene
from andante.planning.footstep import Footstep, FootstepPlan
from andante.planning.footsteps.search import Ground, plan_footsteps
from andante.planning.footsteps.settings import FootstepSettings
from andante.planning.giving_way import giving_way, move_units
from andante.planning.rehearsal import Rehearsal, RehearsalLimits, rehearse
from andante.planning.stance_plan import StancePlan
from andante.planning.stances.choose import choose_stances
from andante.planning.stances.settings import StanceSettings
from andante.planning.trajectory.make import PhaseError, make_walk
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.trajectory.tempo import Tempo
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
    rehearsal: RehearsalLimits = field(default_factory=RehearsalLimits)
    """What the walk must keep."""
    searches: int = 3
    """How often footsteps are searched: again where body and joints cannot follow those that were found."""
    rounds: int = 4
    """How often steps that do not keep it are made slower and higher."""
    slower: float = 1.25
    """By what factor each time."""
    higher: float = 0.004
    """By how much the foot is lifted higher each time, for LittleDog's size [m]."""
    wider: float = 0.012
    """By how much it keeps farther off what it passes each time, for LittleDog's size [m]."""
    hits: float = 0.008
    """How much deeper than allowed a plan may hit something without another search, for LittleDog's size [m]."""
    strains: float = 0.1
    """How much more of its torque than allowed a joint may need without another search."""
    budget: int = 2000
    """Steps tested in all searches after which there is no other one for a walk that hits or strains something."""
    aside: float = 0.01
    """By how much a foot whose leg folds against the trunk swings farther aside each time, for LittleDog's size [m]."""

    def __post_init__(self) -> None:
        for name, low in (
            ("searches", 1),
            ("budget", 0),
            ("rounds", 0),
            ("slower", 1.0),
            ("higher", 0.0),
            ("wider", 0.0),
            ("aside", 0.0),
        ):
            if not getattr(self, name) >= low:
                raise PlanningError(
                    f"the plan setting {name} is out of range", value=getattr(self, name), limit=f">= {low}"
                )
        for name in ("hits", "strains"):
            if not getattr(self, name) > 0.0:
                raise PlanningError(f"the plan setting {name} is out of range", value=getattr(self, name), limit="> 0")


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
    scene = Scene.of(course.body, course.ground, course.scale)
    _, plan, times = try_walk(course, settings, scene)
    if isinstance(plan, NoPlanError):
        raise plan
    return plan, times


def try_walk(
    course: Course, settings: PlanSettings, scene: Scene
) -> tuple[FootstepPlan, WalkPlan | NoPlanError, PlanTimes]:
    """Footsteps to the goal, the walk over them or why there is none, and what it took.

    A step that body and joints cannot follow is avoided in another search, which gives other footsteps; so is one in
    which belly or legs would hit an edge or the trunk, or a standing leg would give way, whatever is tried. The
    walk that misses least is taken then.

    Raises:
        NoPlanError: There are no footsteps to the goal.
    """
    asked, avoid, found = settings.footsteps, list[Footstep](), list[tuple[FootstepPlan, NoPlanError]]()
    best: tuple[float, FootstepPlan, WalkPlan] | None = None
    hits, ground, rung, tests = settings.hits * course.scale, None, 0, 0
    times = PlanTimes(0.0, 0.0, 0.0)
    for _ in range(settings.searches):
        began = time.perf_counter()
        try:
            ground = ground or Ground.of(course, asked)
            footsteps = plan_footsteps(course, asked, avoid=avoid, ground=ground, begin=rung)
        except NoPlanError:
            if best is None and not found:
                raise
            break
        rung, tests = footsteps.rung, tests + footsteps.tests
        times = replace(times, footsteps=times.footsteps + time.perf_counter() - began)
        began = time.perf_counter()
        try:
            stances = choose_stances(course, footsteps, settings.stances, scene=scene)
        except NoPlanError as error:
            found.append((footsteps, error))
            # Footsteps that ask more of each pose have poses that can be run through.
            asked = replace(asked, slack=1.5 * asked.slack, margin=1.2 * asked.margin)
            continue
        finally:
            times = replace(times, stances=times.stances + time.perf_counter() - began)
        began = time.perf_counter()
        try:
            plan, rehearsal = _rehearsed(course, stances, settings, scene)
            missing = 0.0 if rehearsal is None else rehearsal.missing(hits, settings.strains)
            if best is None or missing < best[0]:
                best = missing, footsteps, plan
            wrong = [] if rehearsal is None else _culprits(rehearsal, footsteps, hits, settings.strains)
            if not wrong or tests >= settings.budget:
                break
            avoid += [footsteps.steps[step] for step in wrong]
        except PhaseError as error:
            found.append((footsteps, error))
            avoid.append(footsteps.steps[error.step])
        except NoPlanError as error:
            found.append((footsteps, error))
            break
        finally:
            spent = time.perf_counter() - began
            times = replace(times, trajectory=times.trajectory + spent)
    return (best[1], best[2], times) if best is not None else (*found[0], times)


def _culprits(rehearsal: Rehearsal, footsteps: FootstepPlan, hits: float, strains: float) -> list[int]:
    """Steps whose places shall be avoided: that hit something, or put a foot where its leg cannot bear the load."""
    wrong = set(rehearsal.hitting(hits))
    for step in rehearsal.straining(strains):
        bearer = rehearsal.checks[step].bearer
        before = [number for number in range(step) if footsteps.steps[number].leg == bearer]
        wrong.add(before[-1] if before else step)
    return sorted(wrong)


def rehearsed_walk(
    course: Course, stances: StancePlan, settings: PlanSettings | None = None, scene: Scene | None = None
) -> WalkPlan:
    """The walk through stances that keeps every limit; only steps that do not are made slower and lifted higher.

    Legs that come nearer to the ground than wanted after all rounds are let pass: maps are wrong by as much.

    Args:
        course: Robot and ground.
        stances: Footsteps and poses.
        settings: How it walks; None: the defaults.
        scene: Robot and ground as prepared before.

    Raises:
        NoPlanError: A joint's or the support's limit is not kept; names step and place.
    """
    settings = settings or PlanSettings()
    return _rehearsed(course, stances, settings, scene or Scene.of(course.body, course.ground, course.scale))[0]


def _rehearsed(
    course: Course, stances: StancePlan, settings: PlanSettings, scene: Scene
) -> tuple[WalkPlan, Rehearsal | None]:
    """The walk, and its rehearsal where that misses something."""
    tempo = Tempo.of(stances, settings.trajectory, course.scale)
    best: tuple[WalkPlan, Rehearsal] | None = None
    error: PhaseError | None = None
    plain, stale, mended = set[int](), 0, dict[int, int]()
    plan: WalkPlan | None = None
    for again in range(settings.rounds + 1):
        try:
            plan = make_walk(course, stances, settings.trajectory, tempo=tempo, scene=scene, like=plan)
        except PhaseError as wrong:
            error, step = wrong, wrong.step
            special = tempo.special(step)
            if wrong.bent or special:
                mended[step] = mended.get(step, -1 if special else 1) + 1 if wrong.bent else 0
                remedies = _remedies(tempo, step, settings, course.scale, plan)
                if mended[step] == len(remedies):
                    break
                tempo = remedies[mended[step]]
                plain.update((step, step + 1, step + 2))
                continue
            around = (step - 1, step, step + 1)
            tempo = tempo.slow([k for k in around if 0 <= k < len(stances.com)], settings.slower)
            continue
        rehearsal = rehearse(course, plan, settings.rehearsal, scene=scene)
        low, folded, fast = rehearsal.too_low(), rehearsal.too_folded(), rehearsal.too_fast()
        strained = rehearsal.too_strained()
        if not fast:
            if not (low or folded or strained):
                return plan, None
            units = settings.hits * course.scale, settings.strains
            missing, least = rehearsal.missing(*units), math.inf if best is None else best[1].missing(*units)
            stale = stale + 1 if missing > 0.9 * least else 0
            if missing < least:
                best = plan, rehearsal
            if stale > 1:
                # More of the same does not help.
                break
        reaching = rehearsal.reaching_low()
        tempo = tempo.clearing(reaching, settings.higher * course.scale, settings.wider * course.scale)
        # A foot that is lifted higher folds its leg more: what helps is a leg whose plane is upright.
        tempo = tempo.upright(set(folded) - plain, -settings.aside * course.scale * _rolls(course, plan))
        moves = giving_way(scene, plan, rehearsal, course.scale)
        moves[sorted(plain & set(range(len(moves))))] = 0.0
        tempo = tempo.moving(moves, 3.0 * move_units(course.scale))
        # A slower body has its zero moment point nearer to its centre, and the load more evenly on the feet.
        tempo = tempo.slow((*(reaching if again else ()), *fast, *strained), settings.slower)
    if best is not None:
        return best
    raise error or NoPlanError("the walk does not keep its limits however slow its steps are")


def _remedies(
    tempo: Tempo, step: int, settings: PlanSettings, scale: float, before: WalkPlan | None
) -> tuple[Tempo, ...]:
    """What is tried one after the other where a step lacks the angle of a joint: more time only makes it worse."""
    good = np.zeros_like(tempo.moved) if before is None or before.making is None else before.making.tempo.moved
    return (
        tempo.plain(step, 0.5 * (good + tempo.moved)),
        tempo.plain(step, good),
        tempo.modest(step, 1.25 * settings.higher * scale),
        tempo.raising((step,), 2.0 * settings.higher * scale),
    )


def _rolls(course: Course, plan: WalkPlan) -> NDArray[np.float64]:
    """1 for steps in whose middle the leg rolls outwards, -1 where inwards, (n,)."""
    table, rolls = course.body.table, np.zeros(len(plan.footsteps.steps))
    for swing in plan.swings:
        roll = table.signs[swing.leg, 0] * plan.angles[(swing.lift_off + swing.touchdown) // 2, swing.leg, 0]
        rolls[swing.step] = np.sign(roll * table.hip[swing.leg, 1])
    return rolls
