"""From stances to a walk: passes of centre of mass, joints and timing until every limit holds at every sample."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.planning.course import Course, NoPlanError, PlanningError
from andante.planning.feasibility.scene import Scene
from andante.planning.stance_plan import StancePlan
from andante.planning.trajectory.centre import along_knots, centre_path, smooth_path, zmp_heights
from andante.planning.trajectory.limbs import NO_ROOM, move_limbs
from andante.planning.trajectory.passes import draw_laws, draw_paths, node_supports, part_worst
from andante.planning.trajectory.schedule import Schedule
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.trajectory.start_state import EndState, StartState, Timing
from andante.planning.trajectory.support_kernels import support_margins
from andante.planning.trajectory.swing_path import POINTS
from andante.planning.trajectory.tempo import Tempo
from andante.planning.trajectory.warm_start import PlanWarmStart
from andante.planning.walk_plan import Swing, WalkPlan

Array = NDArray[np.float64]
Index = NDArray[np.int64]
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
_GIVE = 0.5
"""Share of the bend that poses reserve in every knee which the body's way between them may use."""
_BENT = "a joint would pass its limit"
_FREE = "slack of at least 0 rad"
_SLOW = "at most 1 of its speed"


class PhaseError(NoPlanError):
    """A step during which a limit cannot be kept as it is timed and drawn."""

    step = 0
    """Its number."""
    bent = False
    """Whether a joint would pass its limit, which more time does not mend."""


def make_walk(
    course: Course,
    stances: StancePlan,
    settings: TrajectorySettings | None = None,
    *,
    tempo: Tempo | None = None,
    start: StartState | None = None,
    scene: Scene | None = None,
    like: WalkPlan | None = None,
) -> WalkPlan:
    """The walk through a plan of stances, as fast as the joints' declared speeds allow.

    Args:
        course: Robot and ground.
        stances: Footsteps, and the body's poses at lift-off and landing of each.
        settings: How brisk, for LittleDog's size.
        tempo: What each step is allowed; None: by the settings and the margins of the stances.
        start: How the robot is at the first sample; None: at rest where the course has it.
        scene: Robot over the course's ground, where it is at hand.
        like: A walk through the same stances at another tempo, from whose timing it takes half as long to make.

    Raises:
        PhaseError: A limit cannot be kept; names the step and the place.
        PlanningError: Plans that do not fit together.
    """
    if like is not None and len(like.swings) != len(stances.footsteps.steps):
        raise PlanningError(
            "a walk is made like one of as many steps",
            value=len(like.swings),
            limit=f"{len(stances.footsteps.steps)} steps",
        )
    timing = None if like is None else Timing.of(like)
    draft = Draft(course, stances, settings or TrajectorySettings(), tempo, start, scene, timing)
    draft.iterate()
    return draft.finished()


class Draft:
    """A walk under construction; arguments as `make_walk`, and timing and end where it is a part of a longer one."""

    def __init__(
        self,
        course: Course,
        stances: StancePlan,
        settings: TrajectorySettings,
        tempo: Tempo | None,
        start: StartState | None,
        scene: Scene | None,
        timing: Timing | None = None,
        end: EndState | None = None,
    ) -> None:
        steps = stances.footsteps.steps
        count, legs = len(steps), len(course.body.legs)
        if legs != 4:
            raise PlanningError("walks are planned for four legs", value=legs)
        if count == 0 or stances.com.shape != (count, 2, 3) or stances.rpy.shape != (count, 2, 3):
            raise PlanningError(
                "a walk needs a pose for both ends of each step",
                value=stances.com.shape,
                limit=f"({count}, 2, 3), at least one step",
            )
        self.course, self.stances, self.settings = course, stances, settings.timed(course.scale)
        self.body, self.table = course.body, course.body.table
        self.scene = scene or Scene.of(course.body, course.ground, course.scale)
        self.tempo = tempo or Tempo.of(stances, settings, course.scale)
        self.start = start or StartState.resting(course)
        robot = course.body.robot
        self.period = robot.tick
        self.speeds = np.array([[robot.joints[k].max_velocity for k in leg.indices] for leg in course.body.legs])
        self.legs = np.array([step.leg for step in steps], dtype=np.int64)
        self.places = np.array([step.place for step in steps])
        self.normals = self._normals()
        yaw, side = stances.rpy[:, 0, 2], np.sign(self.table.hip[self.legs, 1])
        self._outwards = side[:, None] * np.stack([-np.sin(yaw), np.cos(yaw)], axis=-1)
        self.four_foot_times = np.maximum(np.ceil(self.tempo.four_foot_time / self.period - 1e-9), 1.0).astype(np.int64)
        if self.start.swinging:
            self.four_foot_times[0] = 0
        self._shortest = np.full(count, max(math.ceil(settings.shortest / self.period - 1e-9), _SHORTEST))
        if self.start.swinging:
            # What is left of a swing under way may be short.
            self._shortest[0] = _SHORTEST
        self.swings = np.full(count, math.ceil(_GUESS / self.period), dtype=np.int64)
        self.laws = np.tile(np.linspace(0.0, 1.0, POINTS), (count, 1))
        self.paths = np.empty((count, POINTS, 3))
        self.end, self._fixed = end, 0
        self._first = 0 if timing is None else _FROZEN if timing.joining else _AGAIN
        self._warm = self._first == _FROZEN
        self._tolerance = 1.02 if self._warm else _CLOSE
        if timing is not None:
            self.swings, self.four_foot_times = (
                timing.swings.copy(),
                timing.four_foot_times.copy() if self._warm else self.four_foot_times,
            )
            self.laws, self._fixed = timing.laws.copy(), timing.fixed
        self._poses = np.concatenate([stances.com, stances.rpy], axis=-1)
        self.aims = np.zeros_like(self._poses) if timing is None else timing.aims.copy()
        # Before the first pass nothing has rolled.
        self._feet = stances.footsteps.stances()
        self._feet[0] = self.start.feet
        self._at = np.stack([np.arange(count), np.arange(1, count + 1)], axis=-1)

    def iterate(self) -> None:
        """Passes until the timing stays and every limit holds."""
        needed = np.zeros(len(self.legs))
        first = self._first
        most = first + _RENEWING if self._warm else self.settings.passes
        for number in range(first, most):
            self._move()
            before = self.swings.copy(), self.four_foot_times.copy()
            ways = np.empty(len(self.legs))
            part = self._worst(self.rates())
            fresh = np.full(len(ways), 1.0 if number < 2 else 0.5 if number < _FROZEN else 0.0)
            if fresh.any():
                self._draw(ways, fresh)
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
        self._move()

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

    def rates(self) -> Array:
        """Largest share of a joint's declared speed on the way to each sample, (n,); 0 at the first."""
        moved = np.abs(np.diff(self.angles, axis=0)) / (self.speeds * self.period)
        return np.concatenate([[0.0], moved.max(axis=(1, 2))])

    def _worst(self, values: Array) -> Array:
        worst = np.empty(2 * len(self.legs) + 1)
        part_worst(values, self.schedule.knots, worst)
        return worst

    def _lengthen(self, number: int, part: Array) -> None:
        """More time with all feet down where the joints or the reach of the legs ask for it.

        The body cuts the corners of the poses that it shall run through. Where a leg is too short for that, the pose is
        aimed past by what is missing; where that does not do, all feet carry longer.
        """
        use = np.concatenate([self.tempo.use, self.tempo.use[-1:]])
        fast = part[::2] > use
        self.four_foot_times[fast] = np.ceil(self.four_foot_times[fast] * part[::2][fast] / use[fast]).astype(np.int64)
        short = self._worst(self._beyond()) > -self.settings.least_slack
        swing = np.stack([short[1::2] | short[:-2:2], short[1::2] | short[2::2]], axis=-1) | self.tempo.exact[:, None]
        samples = np.stack([self.schedule.lift_off, self.schedule.touchdown], axis=-1)
        missing = self._poses - np.concatenate([self.com[samples], self.rpy[samples]], axis=-1)
        missing += self.tempo.moved
        most = np.array([0.03 * self.course.scale] * 3 + [0.3] * 3)
        self.aims = np.where(swing[..., None], np.clip(self.aims + 0.6 * missing, -most, most), self.aims)
        if number < _SETTLED:
            return
        beside = short[::2].copy()
        beside[:-1] |= short[1::2]
        beside[1:] |= short[1::2]
        longest = math.ceil(self.settings.longest_four_foot_time / self.period)
        longer = np.maximum(
            np.minimum(np.ceil(1.4 * self.four_foot_times).astype(np.int64), longest), self.four_foot_times
        )
        self.four_foot_times = np.where(beside, longer, self.four_foot_times)

    def _bound(self, number: int) -> None:
        """No part lasts longer than allowed: joints that jump stay as fast, however much time they get.

        Raises:
            PhaseError: A part needs still more where time laws stay.
        """
        parts = np.zeros(2 * len(self.swings) + 1, dtype=np.int64)
        parts[1::2], most = self.swings, np.full_like(parts, math.ceil(self.settings.longest / self.period))
        parts[::2] = self.four_foot_times
        # What was asked for from the start is no growth.
        most[::2] = np.maximum(most[::2], np.ceil(self.tempo.four_foot_time / self.period))
        part = int(np.argmax(parts - most))
        if number >= _FROZEN and parts[part] > most[part]:
            self._refuse(self._beyond(), _BENT, self.slack, _FREE, self.where)
            begin, end = self.schedule.knots[part : part + 2]
            sample = begin + int(np.argmax(self.rates()[begin : end + 1]))
            what = "a swing would last too long" if part % 2 else "all feet would carry too long"
            limit = f"at most {most[part] * self.period:g} s"
            raise self._error(what, sample, float(parts[part] * self.period), limit, self._hasty())
        self.swings, self.four_foot_times = (
            np.minimum(self.swings, most[1::2]),
            np.minimum(self.four_foot_times, most[::2]),
        )

    def _draw(self, ways: Array, fresh: Array) -> None:
        """New time laws, of which a share is taken over: body and laws depend on each other and else take turns."""
        laws = self.laws.copy()
        samples = np.stack([self.schedule.lift_off, self.schedule.touchdown], axis=-1)
        draw_laws(
            self.table,
            self.speeds,
            self.legs,
            self.paths,
            self.position,
            self.rpy,
            samples,
            self.tempo.ramp,
            self.start.swinging,
            laws,
            ways,
        )
        self.laws += fresh[:, None] * (laws - self.laws)

    def _move(self) -> None:
        """One pass: centre of mass and turn of the body, then feet and joints."""
        start, settings, scale = self.start, self.settings, self.course.scale
        self.schedule = schedule = Schedule.of(self.swings, self.four_foot_times)
        count = len(self.legs)
        tempo = self.tempo
        draw_paths(
            self.scene,
            self._feet[self._at[:, 0], self.legs],
            self.places,
            tempo.lift,
            tempo.wide,
            tempo.back,
            tempo.aside[:, None] * self._outwards,
            self.paths,
        )
        poses = self._poses + self.aims + tempo.moved
        nodes = poses[..., :2].copy()
        support = np.empty((count, 2))
        node_supports(self._feet, self._at, self.legs, settings.least_margin * scale, nodes, support)
        knots = schedule.knots
        wanted = np.empty((len(knots), 7))
        wanted[1:-1] = np.concatenate([nodes, support[..., None], poses[..., 2:]], axis=-1).reshape(-1, 7)
        wanted[0] = [*start.zmp, support[0, 0], start.com[2], *start.rpy]
        wanted[-1] = wanted[-2]
        last = wanted[-1, :2].copy()
        if self.end is not None:
            wanted[-1] = [*self.end.zmp[-1], support[-1, 1], self.end.com[-1, 2], *self.end.rpy[-1]]
            last = self.end.com[-1, :2].copy()
        if knots[1] == 0:
            # The first foot is in the air: its lift-off is past.
            wanted, knots = np.delete(wanted, 1, axis=0), np.delete(knots, 1)
        path = along_knots(knots, wanted)
        body = np.ascontiguousarray(path[:, 3:])
        smooth_path(body, np.array([start.velocity[2], *start.turning]), self.period, settings.smoothing)
        height = np.empty(schedule.count)
        zmp_heights(body[:, 0].copy(), path[:, 2].copy(), self.period, height)
        self.zmp = np.ascontiguousarray(path[:, :2])
        flat = np.empty((schedule.count, 2))
        mend = max(int(settings.correction / self.period), 3)
        centre_path(self.zmp, height, self.period, start.com[:2], start.velocity[:2], last, mend, flat)
        self.com = np.column_stack([flat, body[:, 0]])
        self.rpy = np.ascontiguousarray(body[:, 1:])
        if self.end is not None:
            self._blend(self.end)
        self._limbs()
        self._feet, self._at = self.feet, np.stack([schedule.lift_off, schedule.touchdown], axis=-1)

    def _blend(self, end: EndState) -> None:
        """Go over into the walk that follows, in place and speed; by then the two are all but the same."""
        count = len(end.com)
        share = np.linspace(0.0, 1.0, count)
        share = (share**3 * (10.0 - 15.0 * share + 6.0 * share**2))[:, None]
        for mine, other in ((self.com, end.com), (self.rpy, end.rpy), (self.zmp, end.zmp)):
            mine[-count:] += share * (other - mine[-count:])

    def _limbs(self) -> None:
        count = self.schedule.count
        self.step, share = self.schedule.moving()
        self.feet = np.empty((count, len(self.speeds), 3))
        self.feet[0] = self.start.feet
        self.position = np.empty((count, 3))
        self.position[0] = self.start.position
        self.angles = np.empty((count, len(self.speeds), 3))
        self.slack, self.where = np.empty(count), np.empty(count, dtype=np.int64)
        move_limbs(
            self.table,
            self.com,
            self.rpy,
            self.step,
            share,
            self.paths,
            self.laws,
            self.legs,
            self.normals,
            self.feet,
            self.position,
            self.angles,
            self.slack,
            self.where,
        )

    def _normals(self) -> Array:
        """Normals of the ground under the feet and the footholds, (nl + n, 3)."""
        places = np.concatenate([self.start.feet, self.places])[:, :2]
        ground, layers = self.course.ground, self.course.layers
        spot = np.rint((places - ground.origin) / ground.spacing).astype(np.int64)
        spot = np.clip(spot, 0, np.array(ground.heights.shape) - 1)
        i, j = spot.T
        normal = np.stack([-layers.slope_x[i, j], -layers.slope_y[i, j], np.ones(len(spot))], axis=-1)
        return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))

    def finished(self) -> WalkPlan:
        """The walk, if every limit holds.

        Raises:
            PhaseError: One does not.
        """
        margin = np.empty(self.schedule.count)
        away = self.schedule.away(self.legs)
        support_margins(self.feet, self.zmp, away, margin)
        self._check(margin)
        inner = self.step.copy()
        inner[self.schedule.touchdown] = -1
        steps = range(len(self.legs))
        return WalkPlan(
            footsteps=self.stances.footsteps,
            period=self.period,
            swings=tuple(
                Swing(k, int(self.legs[k]), int(self.schedule.lift_off[k]), int(self.schedule.touchdown[k]))
                for k in steps
            ),
            com=self.com,
            zmp=self.zmp,
            position=self.position,
            rpy=self.rpy,
            feet=self.feet,
            angles=self.angles,
            swinging=np.where(inner >= 0, self.legs[inner], -1),
            margin=margin,
            slack=self.slack,
            warm_start=self.warm_start(),
        )

    def warm_start(self) -> PlanWarmStart:
        """What the walk is made of."""
        rooms = np.stack([self.stances.slack, self.stances.margin], axis=-1)
        return PlanWarmStart(self._poses, self.aims, rooms, self.tempo, self.laws)

    def _hasty(self) -> Index:
        """Row of the joint that is fastest on the way to each sample, legs' joints in a row, (n,); 0 at the first."""
        moved = np.abs(np.diff(self.angles, axis=0)) / self.speeds
        return np.concatenate([[0], moved.reshape(len(moved), -1).argmax(axis=1)])

    def _beyond(self) -> Array:
        """How far each sample is beyond a limit [rad]; between poses knees may use a part of what poses reserve."""
        return np.asarray(-self.slack - np.where(self.where % 3 == 2, _GIVE * self.course.reserve, 0.0))

    def _check(self, margin: Array) -> None:
        rates = self.rates()
        self._refuse(self._beyond(), _BENT, self.slack, _FREE, self.where)
        self._refuse(rates - 1.0, "a joint would be faster than declared", rates, _SLOW, self._hasty())
        self._refuse(-margin, "the zero moment point would leave the support", margin, "at least 0 m inside", None)

    def _refuse(self, wrong: Array, what: str, values: Array, limit: str, joints: Index | None) -> None:
        """Raise the error of the worst sample where something is wrong, that is above 0."""
        sample = int(np.argmax(wrong))
        if wrong[sample] > 0.0:
            raise self._error(what, sample, float(values[sample]), limit, joints)

    def _error(self, what: str, sample: int, value: float, limit: str, joints: Index | None) -> PhaseError:
        step = int(np.searchsorted(self.schedule.touchdown, sample).clip(0, len(self.legs) - 1))
        legs = self.body.legs
        x, y, _ = self.com[sample]
        place = f"step {step} ({legs[int(self.legs[step])].name}), body at x {x:.3f} m, y {y:.3f} m"
        if joints is not None:
            leg, joint = divmod(int(joints[sample]), 3)
            place += f", {legs[leg].joints[joint]}"
        shown = "no angle at all" if value <= NO_ROOM else round(value, 4)
        error = PhaseError(what, place=place, value=shown, limit=limit)
        error.step, error.bent = step, what == _BENT
        return error
