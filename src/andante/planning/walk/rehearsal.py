"""Rehearsal: a walk checked at every sample against the limits of the robot and the ground of its course.

It looks only at what the plan says, joint angles and feet, not at how that was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from andante.documents.quantities import Angle, Length, Number
from andante.documents.settings import Settings
from andante.kernels import entry
from andante.kinematics.com_ik import rpy_matrix
from andante.kinematics.leg_forward import foot_place
from andante.planning.course import KnownCourse, PlanningError
from andante.planning.feasibility.carrying import efforts
from andante.planning.feasibility.clearance import belly_clearance, height_at, leg_clearance, placed
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.trunk import trunk_distance
from andante.planning.trajectory.support_kernels import support_margins
from andante.planning.walk_plan import WalkPlan
from andante.spatial.arrays import Array, Array2, Array3, Index, Index1


class RehearsalLimits(Settings):
    """What a walk must keep, for LittleDog's size."""

    place: ClassVar[str] = "rehearsal"

    rate: Number = 1.0
    """Largest share of a joint's declared speed."""
    slack: Angle = 0.0
    """Least angle to a joint's limit [rad]."""
    margin: Length = 0.0
    """Least distance of the zero moment point from the edge of the support [m]."""
    foot: Length = 0.0
    """Least height of a swinging foot over the ground that its ball would touch [m]."""
    body: Length = -0.002
    """Least height of belly, thighs and shanks over the ground, which is grown sideways by as much as they keep [m]."""
    trunk: Length = 0.004
    """Least distance of the shanks from the trunk [m]."""
    effort: Number = 0.85
    """Largest share of its torque that a joint may need to carry the robot for more than 0.3 of a swing."""
    miss: Length = 1e-4
    """Largest distance of a foot from where its joints put it [m]."""


@dataclass(frozen=True)
class RehearsedStep:
    """The worst of one step, from the touchdown before it to its own; the last has all that comes after, too."""

    step: int
    """Number of the step."""
    rate: float
    """Largest share of a joint's declared speed."""
    slack: float
    """Smallest angle to a joint's limit [rad]."""
    margin: float
    """Smallest distance of the zero moment point from the edge of the support [m]."""
    foot: float
    """Smallest height of the foot over the ground that its ball would touch, ends of the swing left out [m]."""
    body: float
    """Smallest height of belly, thighs and shanks over the ground [m]."""
    trunk: float
    """Smallest distance of a shank from the trunk [m]; infinite where all are far from it."""
    effort: float
    """Share of its torque that the joint which needs most needs at least for 0.3 of the swing."""
    bearer: int
    """Row of the leg with that joint."""
    miss: float
    """Largest distance of a foot from where its joints put it [m]."""
    swings: bool
    """Whether it is the swinging leg that comes nearest to the ground."""


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """What a rehearsal found."""

    checks: tuple[RehearsedStep, ...]
    """One per step."""
    limits: RehearsalLimits
    """What had to be kept, for this robot's size."""
    near: tuple[Index, ...]
    """Samples of each step at which belly, thighs or shanks come too near to the ground."""

    def too_low(self) -> tuple[int, ...]:
        """Steps in which the foot or a leg comes too near to the ground."""
        return self._steps(lambda each, limits: each.foot < limits.foot or each.body < limits.body)

    def reaching_low(self) -> tuple[int, ...]:
        """Steps in which the foot or the leg that swings comes too near to the ground."""
        return self._steps(lambda each, limits: each.foot < limits.foot or (each.body < limits.body and each.swings))

    def too_close(self) -> tuple[int, ...]:
        """Steps in which belly, thighs or shanks come too near to the ground."""
        return self._steps(lambda each, limits: each.body < limits.body)

    def too_folded(self) -> tuple[int, ...]:
        """Steps in which a shank comes too near to the trunk."""
        return self._steps(lambda each, limits: each.trunk < limits.trunk)

    def too_strained(self, much: float = 0.0) -> tuple[int, ...]:
        """Steps in which a joint needs, for a good part of the swing, by over ``much`` of its torque more than allowed
        to carry the robot."""
        return self._steps(lambda each, limits: each.effort > limits.effort + much)

    def too_fast(self) -> tuple[int, ...]:
        """Steps in which a joint's speed or limit, or the support is not kept."""
        return self._steps(
            lambda each, limits: each.rate > limits.rate or each.slack < limits.slack or each.margin < limits.margin
        )

    def hitting(self, deep: float) -> tuple[int, ...]:
        """Steps in which belly, legs or foot are by more than ``deep`` [m] below what they must keep."""
        return self._steps(lambda each, _: self._lacking(each) > deep)

    def missing(self, deep: float, much: float) -> float:
        """Sum over the steps of what is missing: ``deep`` [m] over the ground or beside the trunk, or ``much`` of a
        joint's torque, count 1 each."""
        weak = [max(each.effort - self.limits.effort, 0.0) / much for each in self.checks]
        low = [max(self._lacking(each), 0.0) / deep for each in self.checks]
        return sum((each + more for each, more in zip(low, weak, strict=True)), 0.0)

    def _steps(self, wrong: Callable[[RehearsedStep, RehearsalLimits], bool]) -> tuple[int, ...]:
        return tuple(each.step for each in self.checks if wrong(each, self.limits))

    def _lacking(self, check: RehearsedStep) -> float:
        """What a step lacks most over the ground or beside the trunk [m]; below zero: nothing."""
        limits = self.limits
        return max(limits.foot - check.foot, limits.body - check.body, limits.trunk - check.trunk)

    @property
    def passed(self) -> bool:
        """Whether every limit is kept at every sample."""
        wrong = self.too_low() or self.too_folded() or self.too_strained() or self.too_fast()
        return not (wrong or any(each.miss > self.limits.miss for each in self.checks))


def rehearse(
    course: KnownCourse, plan: WalkPlan, limits: RehearsalLimits | None = None, *, scene: Scene | None = None
) -> Rehearsal:
    """Go through a walk sample by sample.

    Args:
        course: Robot and ground.
        plan: The walk.
        limits: What it must keep, for LittleDog's size.
        scene: Robot and ground as prepared before.

    Raises:
        PlanningError: The plan is for other legs.
    """
    body, scale = course.body, course.scale
    count, legs = plan.angles.shape[:2]
    if legs != len(body.legs):
        raise PlanningError("the plan is for other legs", value=legs, limit=f"{len(body.legs)} legs")
    scene = scene or Scene.of(body, course.ground, scale)
    scaled = (limits or RehearsalLimits()).scaled(scale)
    speeds, low, high = (body.angles(each) for each in (body.robot.max_velocity, body.robot.lower, body.robot.upper))
    rate = np.zeros(count)
    rate[1:] = (np.abs(np.diff(plan.angles, axis=0)) / (speeds * plan.period)).max(axis=(1, 2))
    slack = np.minimum(plan.angles - low, high - plan.angles).min(axis=(1, 2))
    away = np.full(count, -1, dtype=np.int64)
    for swing in plan.swings:
        away[swing.lift_off : swing.touchdown + 1] = swing.leg
    margin = support_margins(plan.feet, plan.zmp, away)
    effort, bearer = efforts(body, plan)
    body_at = plan.position, plan.rpy, plan.angles, plan.feet
    foot, clear, nearest, trunk, miss = _clearances(scene, *body_at, plan.swinging)
    checks, near = [], []
    begin = 0
    for number, swing in enumerate(plan.swings):
        end = swing.touchdown if number + 1 < len(plan.swings) else count - 1
        span = slice(begin, end + 1)
        # Near its ends a foot is as low as the ground by right.
        third = (swing.touchdown - swing.lift_off) // 3
        middle = slice(swing.lift_off + third, swing.touchdown - third + 1)
        flight = slice(swing.lift_off, swing.touchdown)
        strained = _lasting(effort[flight])
        checks.append(
            RehearsedStep(
                swing.step,
                float(rate[begin + 1 : end + 1].max(initial=0.0)),
                float(slack[span].min()),
                float(margin[span].min()),
                float(foot[middle].min()),
                float(clear[span].min()),
                float(trunk[span].min()),
                float(effort[flight][strained]),
                int(bearer[flight][strained]),
                float(miss[span].max()),
                bool(nearest[begin + int(np.argmin(clear[span]))] == swing.leg),
            )
        )
        near.append(begin + np.flatnonzero(clear[span] < scaled.body))
        begin = end
    return Rehearsal(tuple(checks), scaled, tuple(near))


def _lasting(values: Array) -> int:
    """Number of the value that is reached for 0.3 of the time: shorter ones a leg survives."""
    return int(np.argsort(values)[7 * len(values) // 10])


@entry
def _clearances(
    scene: Scene, position: Array2, rpy: Array2, angles: Array3, feet: Array3, swinging: Index1
) -> tuple[Array, Array, Index, Array, Array]:
    """Height of the foot that swings, and of the body, over the ground, the row of the leg that is nearest to it (-1:
    it is the belly), and distances of shanks from the trunk and of feet from where the joints put them, (n,) each."""
    count = len(position)
    foot, clear, nearest = np.full(count, math.inf), np.empty(count), np.full(count, -1)
    trunk, miss = np.full(count, math.inf), np.zeros(count)
    found = np.empty(3)
    for j in range(len(position)):
        rotation = rpy_matrix(rpy[j])
        clear[j] = belly_clearance(scene, position[j], rotation, -math.inf)
        for leg in range(feet.shape[1]):
            place = feet[j, leg]
            height = leg_clearance(scene, leg, position[j], rotation, angles[j, leg], place)
            if height < clear[j]:
                clear[j], nearest[j] = height, leg
            far = trunk_distance(
                scene.table, scene.trunk, scene.shank, leg, position[j], rotation, angles[j, leg], place
            )
            trunk[j] = min(trunk[j], far)
            if leg == swinging[j]:
                foot[j] = place[2] - height_at(scene, scene.foot, place[0], place[1])
            foot_place(scene.table, leg, angles[j, leg], found)
            x, y, z = placed(position[j], rotation, found)
            square = (x - place[0]) ** 2 + (y - place[1]) ** 2 + (z - place[2]) ** 2
            miss[j] = max(miss[j], math.sqrt(square))
    return foot, clear, nearest, trunk, miss
