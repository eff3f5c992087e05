"""Walks that are rehearsed: steps that do not keep a limit are made anew, slower, higher or with the body elsewhere."""

from __future__ import annotations

import math

import numpy as np

from andante.planning.course import KnownCourse, NoPlanError
from andante.planning.feasibility.scene import Scene
from andante.planning.plans import StancePlan
from andante.planning.trajectory.make import PhaseError, make_walk
from andante.planning.trajectory.tempo import Tempo
from andante.planning.walk.body_adjustment import body_adjustment, move_units
from andante.planning.walk.rehearsal import Rehearsal, rehearse
from andante.planning.walk.settings import PlanSettings
from andante.planning.walk_plan import WalkPlan
from andante.spatial.arrays import Array


def rehearsed_walk(
    course: KnownCourse, stances: StancePlan, settings: PlanSettings, scene: Scene
) -> tuple[WalkPlan, Rehearsal | None]:
    """The walk through stances that keeps every limit, and its rehearsal where it misses something.

    Only steps that do not keep a limit are made slower and lifted higher. Legs that come nearer to the ground than
    wanted after all rounds are let pass: maps are wrong by as much.

    Args:
        course: Robot and ground.
        stances: Footsteps and poses.
        settings: How it walks.
        scene: Robot and ground as prepared for kernels.

    Raises:
        NoPlanError: A joint's or the support's limit is not kept; names step and place.
    """
    mending = _Mending(course, stances, settings, scene)
    plan: WalkPlan | None = None
    for again in range(settings.rounds + 1):
        try:
            plan = make_walk(course, stances, settings.trajectory, tempo=mending.tempo, scene=scene, like=plan)
        except PhaseError as error:
            if not mending.after_error(error, plan):
                break
            continue
        rehearsal = rehearse(course, plan, settings.rehearsal, scene=scene)
        if not (rehearsal.too_fast() or rehearsal.too_low() or rehearsal.too_folded() or rehearsal.too_strained()):
            return plan, None
        if not mending.better(plan, rehearsal):
            break
        mending.after_rehearsal(plan, rehearsal, again > 0)
    if mending.best is not None:
        return mending.best
    raise mending.error or NoPlanError("the walk does not keep its limits however slow its steps are")


class _Mending:
    """What the rounds have found so far, and the tempo of the next one."""

    def __init__(self, course: KnownCourse, stances: StancePlan, settings: PlanSettings, scene: Scene) -> None:
        self.course, self.stances, self.scene = course, stances, scene
        self.settings = settings.scaled(course.scale)
        self.tempo = Tempo.of(stances, settings.trajectory, course.scale)
        self.best: tuple[WalkPlan, Rehearsal] | None = None
        self.error: PhaseError | None = None
        self._stale = 0
        # Steps that lacked an angle: what was tried for each, and which are left as they are from then on.
        self._mended: dict[int, int] = {}
        self._plain: set[int] = set()

    def after_error(self, error: PhaseError, before: WalkPlan | None) -> bool:
        """Change the step that cannot be; False where nothing is left to try."""
        self.error, step, tempo = error, error.step, self.tempo
        special = tempo.special(step)
        if not (error.bent or special):
            around = (step - 1, step, step + 1)
            self.tempo = tempo.slow([k for k in around if 0 <= k < len(self.stances.com)], self.settings.slower)
            return True
        self._mended[step] = self._mended.get(step, -1 if special else 1) + 1 if error.bent else 0
        remedies = self._remedies(step, before)
        if self._mended[step] == len(remedies):
            return False
        self.tempo = remedies[self._mended[step]]
        self._plain.update((step, step + 1, step + 2))
        return True

    def better(self, plan: WalkPlan, rehearsal: Rehearsal) -> bool:
        """Keep the walk that misses least; False where more of the same does not help."""
        if rehearsal.too_fast():
            return True
        units = self.settings.hits, self.settings.strains
        missing, least = rehearsal.missing(*units), math.inf if self.best is None else self.best[1].missing(*units)
        self._stale = self._stale + 1 if missing > 0.9 * least else 0
        if missing < least:
            self.best = plan, rehearsal
        return self._stale <= 1

    def after_rehearsal(self, plan: WalkPlan, rehearsal: Rehearsal, again: bool) -> None:
        """Change the steps that miss something; those that reach too low are slowed only where it happens ``again``."""
        settings, scale = self.settings, self.course.scale
        reaching = rehearsal.reaching_low()
        tempo = self.tempo.clearing(reaching, settings.higher, settings.wider)
        # A foot that is lifted higher folds its leg more: what helps is a leg whose plane is upright.
        folded = set(rehearsal.too_folded()) - self._plain
        tempo = tempo.upright(folded, -settings.aside * _rolls(self.course, plan))
        moves = body_adjustment(self.scene, plan, rehearsal, scale)
        moves[sorted(self._plain & set(range(len(moves))))] = 0.0
        tempo = tempo.moving(moves, 3.0 * move_units(scale))
        # A slower body has its zero moment point nearer to its centre, and the load more evenly on the feet.
        slow = (*(reaching if again else ()), *rehearsal.too_fast(), *rehearsal.too_strained())
        self.tempo = tempo.slow(slow, settings.slower)

    def _remedies(self, step: int, before: WalkPlan | None) -> tuple[Tempo, ...]:
        """What is tried one after the other where a step lacks the angle of a joint: more time only makes it worse."""
        tempo, higher = self.tempo, self.settings.higher
        known = None if before is None else before.warm_start
        good = np.zeros_like(tempo.moved) if known is None else known.tempo.moved
        return (
            tempo.plain(step, 0.5 * (good + tempo.moved)),
            tempo.plain(step, good),
            tempo.modest(step, 1.25 * higher),
            tempo.raising((step,), 2.0 * higher),
        )


def _rolls(course: KnownCourse, plan: WalkPlan) -> Array:
    """1 for steps in whose middle the leg rolls outwards, -1 where inwards, (n,)."""
    table, rolls = course.body.table, np.zeros(len(plan.footsteps.steps))
    for swing in plan.swings:
        roll = table.signs[swing.leg, 0] * plan.angles[(swing.lift_off + swing.touchdown) // 2, swing.leg, 0]
        rolls[swing.step] = np.sign(roll * table.hip[swing.leg, 1])
    return rolls
