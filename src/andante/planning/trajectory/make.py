"""From stances to a walk: passes of centre of mass, joints and timing until every limit holds at every sample."""

from __future__ import annotations

import math

import numpy as np

from andante.documents.settings import filled
from andante.planning.course import KnownCourse, NoPlanError, PlanningError
from andante.planning.feasibility.scene import Scene
from andante.planning.plans import StancePlan
from andante.planning.trajectory.limbs import NO_ROOM
from andante.planning.trajectory.motion import WalkMotion
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.trajectory.start_state import Timing
from andante.planning.trajectory.support_kernels import support_margins
from andante.planning.trajectory.tempo import PlanWarmStart, Tempo
from andante.planning.walk_plan import Swing, WalkPlan
from andante.spatial.arrays import Array, Index

_BENT = "a joint would pass its limit"
_SETTLED = 3
"""Passes after which lengths of swings go only half the way, so that they do not swing to and fro."""
_CLOSE = 1.003
"""Share over the wanted joint speed that is let pass."""
_SHORTEST = 4
"""Least length of a swing in samples."""
_FROZEN = 8
"""Passes after which time laws stay, so that longer swings surely are slower ones."""
_RENEWING = 5
"""Most passes where the timing is known from before."""
_AGAIN = 4
"""Pass to begin with where a few steps of a walk are made otherwise."""
_GUESS = 0.25
"""Length of a swing before its first pass [s]."""
_LEAST_SLACK = 0.01
"""Angle that every joint keeps from its limits [rad]."""


class PhaseError(NoPlanError):
    """A step during which a limit cannot be kept as it is timed and drawn."""

    step = 0
    """Its number."""
    bent = False
    """Whether a joint would pass its limit, which more time does not mend."""


def check_joints(motion: WalkMotion) -> None:
    """Refuse a joint beyond its limit.

    Raises:
        PhaseError: One is.
    """
    _refuse(motion, motion.beyond(), _BENT, motion.slack, "slack of at least 0 rad", motion.where)


def check_limits(motion: WalkMotion, margin: Array) -> None:
    """Refuse what does not keep a limit, with margins of the zero moment point (n,) [m].

    Raises:
        PhaseError: A joint passes its limit or is too fast, or the zero moment point is outside.
    """
    rates = motion.rates()
    check_joints(motion)
    what = "a joint would be faster than declared"
    _refuse(motion, rates - 1.0, what, rates, "at most 1 of its speed", motion.hasty())
    _refuse(motion, -margin, "the zero moment point would leave the support", margin, "at least 0 m inside", None)


def phase_error(
    motion: WalkMotion, what: str, sample: int, value: float, limit: str, joints: Index | None
) -> PhaseError:
    """The error of a sample, with its step, its place and the joint (n,) that is named there."""
    step = int(np.searchsorted(motion.schedule.touchdown, sample).clip(0, len(motion.legs) - 1))
    legs = motion.body.legs
    x, y, _ = motion.com[sample]
    place = f"step {step} ({legs[int(motion.legs[step])].name}), body at x {x:.3f} m, y {y:.3f} m"
    if joints is not None:
        leg, joint = divmod(int(joints[sample]), 3)
        place += f", {legs[leg].joints[joint]}"
    shown = "no angle at all" if value <= NO_ROOM else round(value, 4)
    error = PhaseError(what, place=place, value=shown, limit=limit)
    error.step, error.bent = step, what == _BENT
    return error


def _refuse(motion: WalkMotion, wrong: Array, what: str, values: Array, limit: str, joints: Index | None) -> None:
    """Raise the error of the worst sample where something is wrong, that is above 0."""
    sample = int(np.argmax(wrong))
    if wrong[sample] > 0.0:
        raise phase_error(motion, what, sample, float(values[sample]), limit, joints)


def make_walk(
    course: KnownCourse,
    stances: StancePlan,
    settings: TrajectorySettings | None = None,
    *,
    tempo: Tempo | None = None,
    scene: Scene | None = None,
    like: WalkPlan | None = None,
) -> WalkPlan:
    """The walk through a plan of stances from rest, as fast as the joints' declared speeds allow.

    Args:
        course: Robot and ground.
        stances: Footsteps, and the body's poses at lift-off and landing of each.
        settings: How brisk, for LittleDog's size.
        tempo: What each step is allowed; None: by the settings and the margins of the stances.
        scene: Robot over the course's ground, where it is at hand.
        like: A walk through the same stances at another tempo, from whose timing it takes half as long to make.

    Raises:
        PhaseError: A limit cannot be kept; names the step and the place.
        PlanningError: Plans that do not fit together.
    """
    count = len(stances.footsteps.steps)
    if like is not None and len(like.swings) != count:
        raise PlanningError("a walk is made like one of as many steps", value=len(like.swings), limit=f"{count} steps")
    timing = None if like is None else Timing.of(like)
    draft = Draft(WalkMotion(course, stances, settings or TrajectorySettings(), tempo, None, scene), timing)
    draft.iterate()
    return draft.finished()


class Draft:
    """A walk under construction: lengths of its swings and of the times between, until its motion keeps all limits.

    Args:
        motion: Its motion.
        timing: The timing that it begins with where it is like another walk, or a part of one.
    """

    def __init__(self, motion: WalkMotion, timing: Timing | None = None) -> None:
        self.motion = motion
        self.settings, self.tempo, self.period = motion.settings, motion.tempo, motion.period
        count = len(motion.legs)
        self.four_foot_times = np.maximum(np.ceil(self.tempo.four_foot_time / self.period - 1e-9), 1.0).astype(np.int64)
        self._shortest = np.full(count, max(math.ceil(self.settings.shortest / self.period - 1e-9), _SHORTEST))
        if motion.start.swinging:
            # What is left of a swing under way may be short.
            self.four_foot_times[0], self._shortest[0] = 0, _SHORTEST
        self.swings = np.full(count, math.ceil(_GUESS / self.period), dtype=np.int64)
        self._first, self._fixed = 0, 0
        if timing is not None:
            self._first, self._fixed = _FROZEN if timing.joining else _AGAIN, timing.fixed
            self.swings, motion.laws, motion.aims = timing.swings.copy(), timing.laws.copy(), timing.aims.copy()
        self._warm = self._first == _FROZEN
        if timing is not None and self._warm:
            self.four_foot_times = timing.four_foot_times.copy()
        self._tolerance = 1.02 if self._warm else _CLOSE

    def iterate(self) -> None:
        """Passes until the timing stays and every limit holds."""
        motion = self.motion
        needed = np.zeros(len(motion.legs))
        first = self._first
        most = first + _RENEWING if self._warm else self.settings.passes
        for number in range(first, most):
            motion.move(self.swings, self.four_foot_times)
            before = self.swings.copy(), self.four_foot_times.copy()
            ways = np.empty(len(motion.legs))
            part = self._worst(motion.rates())
            fresh = np.full(len(ways), 1.0 if number < 2 else 0.5 if number < _FROZEN else 0.0)
            if fresh.any():
                motion.draw(ways, fresh)
            self.swings = self._swing_times(number, part[1::2], ways, needed if number > first else ways)
            needed = ways
            self._lengthen(number, part)
            self._bound(number)
            if self._fixed:
                self.swings[-self._fixed :] = before[0][-self._fixed :]
                self.four_foot_times[-self._fixed :] = before[1][-self._fixed :]
            kept = (self.swings == before[0]).all() and (self.four_foot_times == before[1]).all()
            if number >= _SETTLED and kept and (self._warm or (part[1::2] <= self.tempo.use * _CLOSE).all()):
                return
        motion.move(self.swings, self.four_foot_times)

    def _swing_times(self, number: int, worst: Array, ways: Array, before: Array) -> Index:
        """Lengths of the swings for the next pass [samples].

        Args:
            number: Number of the pass.
            worst: Largest share of the joints' declared speed in each swing.
            ways: Time that the joints need for each swing at declared speed, from this pass [s].
            before: The same from the pass before [s].
        """
        tempo, now = self.tempo, self.swings
        if self._warm and number == _FROZEN:
            return np.asarray(np.maximum(np.ceil(now * worst / tempo.use - 0.02).astype(np.int64), self._shortest))
        if number >= _FROZEN:
            longer = np.maximum(np.ceil(now * worst / tempo.use - 0.02).astype(np.int64), now + 1)
            return np.where(worst > np.minimum(tempo.use * self._tolerance, 1.0), longer, now)
        level = (1.0 - tempo.ramp) * self.period
        factor = np.ones(len(now))
        if number > 0:
            # How much faster the joints were than their way over the time let expect.
            factor = np.clip(worst * level * now / before, 0.8, 1.3)
        wanted = np.maximum(np.ceil(factor * ways / (tempo.use * level) - 0.02).astype(np.int64), self._shortest)
        if number >= _SETTLED:
            change = wanted - now
            wanted = now + np.sign(change) * ((np.abs(change) + 1) // 2)
        return np.asarray(wanted)

    def _worst(self, values: Array) -> Array:
        """Largest value of each part between knots, the later knot's own counted; -inf for a part without samples."""
        knots = self.motion.schedule.knots
        return np.where(np.diff(knots) > 0, np.maximum.reduceat(np.append(values, -np.inf), knots[:-1] + 1), -np.inf)

    def _lengthen(self, number: int, part: Array) -> None:
        """More time with all feet down where the joints or the reach of the legs ask for it.

        The body cuts the corners of the poses that it shall run through. Where a leg is too short for that, the pose is
        aimed past by what is missing; where that does not do, all feet carry longer.
        """
        motion = self.motion
        use = np.concatenate([self.tempo.use, self.tempo.use[-1:]])
        fast = part[::2] > use
        self.four_foot_times[fast] = np.ceil(self.four_foot_times[fast] * part[::2][fast] / use[fast]).astype(np.int64)
        short = self._worst(motion.beyond()) > -_LEAST_SLACK
        swing = np.stack([short[1::2] | short[:-2:2], short[1::2] | short[2::2]], axis=-1) | self.tempo.exact[:, None]
        samples = np.stack([motion.schedule.lift_off, motion.schedule.touchdown], axis=-1)
        missing = motion.poses - np.concatenate([motion.com[samples], motion.rpy[samples]], axis=-1)
        missing += self.tempo.moved
        most = np.array([0.03 * motion.course.scale] * 3 + [0.3] * 3)
        aimed = np.clip(motion.aims + 0.6 * missing, -most, most)
        motion.aims = np.where(swing[..., None], aimed, motion.aims)
        if number < _SETTLED:
            return
        beside = short[::2].copy()
        beside[:-1] |= short[1::2]
        beside[1:] |= short[1::2]
        longest = math.ceil(self.settings.longest_four_foot_time / self.period)
        longer = np.minimum(np.ceil(1.4 * self.four_foot_times).astype(np.int64), longest)
        longer = np.maximum(longer, self.four_foot_times)
        self.four_foot_times = np.where(beside, longer, self.four_foot_times)

    def _bound(self, number: int) -> None:
        """No part lasts longer than allowed: joints that jump stay as fast, however much time they get.

        Raises:
            PhaseError: A part needs still more where time laws stay.
        """
        motion = self.motion
        parts = np.zeros(2 * len(self.swings) + 1, dtype=np.int64)
        parts[1::2], most = self.swings, np.full_like(parts, math.ceil(self.settings.longest / self.period))
        parts[::2] = self.four_foot_times
        # What was asked for from the start is no growth.
        most[::2] = np.maximum(most[::2], np.ceil(self.tempo.four_foot_time / self.period))
        part = int(np.argmax(parts - most))
        if number >= _FROZEN and parts[part] > most[part]:
            check_joints(motion)
            begin, end = motion.schedule.knots[part : part + 2]
            sample = begin + int(np.argmax(motion.rates()[begin : end + 1]))
            what = "a swing would last too long" if part % 2 else "all feet would carry too long"
            limit = f"at most {most[part] * self.period:g} s"
            raise phase_error(motion, what, sample, float(parts[part] * self.period), limit, motion.hasty())
        self.swings = np.minimum(self.swings, most[1::2])
        self.four_foot_times = np.minimum(self.four_foot_times, most[::2])

    def finished(self) -> WalkPlan:
        """The walk, if every limit holds.

        Raises:
            PhaseError: One does not.
        """
        motion, schedule = self.motion, self.motion.schedule
        margin = support_margins(motion.feet, motion.zmp, schedule.away(motion.legs))
        check_limits(motion, margin)
        inner = motion.step.copy()
        inner[schedule.touchdown] = -1
        flights = zip(motion.legs.tolist(), schedule.lift_off.tolist(), schedule.touchdown.tolist(), strict=True)
        return filled(
            WalkPlan,
            motion,
            footsteps=motion.stances.footsteps,
            swings=tuple(Swing(k, *each) for k, each in enumerate(flights)),
            swinging=np.where(inner >= 0, motion.legs[inner], -1),
            margin=margin,
            warm_start=self.warm_start(),
        )

    def warm_start(self) -> PlanWarmStart:
        """What the walk is made of."""
        motion = self.motion
        rooms = np.stack([motion.stances.slack, motion.stances.margin], axis=-1)
        return PlanWarmStart(motion.poses, motion.aims, rooms, self.tempo, motion.laws)
