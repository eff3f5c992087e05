"""WalkMotion: body, feet and joints of a walk over time, made pass by pass for the timing as it stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.planning.course import KnownCourse, PlanningError
from andante.planning.feasibility.scene import Scene
from andante.planning.plans import StancePlan
from andante.planning.trajectory.centre import along_knots, centre_path, smooth_path, zmp_heights
from andante.planning.trajectory.limbs import move_limbs
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.trajectory.start_state import EndState, StartState
from andante.planning.trajectory.support_kernels import node_supports
from andante.planning.trajectory.swing_path import POINTS, draw_paths
from andante.planning.trajectory.tempo import Tempo
from andante.planning.trajectory.time_law import draw_laws
from andante.spatial.arrays import Array, Index

_GIVE = 0.5
"""Share of the bend that poses reserve in every knee which the body's way between them may use."""


@dataclass(frozen=True, eq=False)
class WalkSamples:
    """Samples of a walk of n steps."""

    lift_off: Index
    """Sample at which each foot leaves its old place, (n,)."""
    touchdown: Index
    """Sample at which it is on its new place, (n,)."""
    count: int
    """Number of samples."""

    @staticmethod
    def of(swings: Index, four_foot_times: Index) -> WalkSamples:
        """From the lengths of the swings (n,) and of the times before, between and after them (n + 1,) in samples."""
        ends = np.cumsum(four_foot_times[:-1] + swings)
        return WalkSamples(ends - swings, ends, int(ends[-1] + four_foot_times[-1]) + 1)

    @property
    def knots(self) -> Index:
        """Start, lift-off and touchdown of each step in turn, end, (2 n + 2,)."""
        inner = np.stack([self.lift_off, self.touchdown], axis=-1).ravel()
        return np.concatenate([[0], inner, [self.count - 1]])

    def moving(self) -> tuple[Index, Array]:
        """Number of the step whose foot is off its old place, -1: none, and the share of its time, (n,) each."""
        step = np.full(self.count, -1, dtype=np.int64)
        share = np.zeros(self.count)
        for number, (begin, end) in enumerate(zip(self.lift_off.tolist(), self.touchdown.tolist(), strict=True)):
            step[begin + 1 : end + 1] = number
            share[begin + 1 : end + 1] = np.arange(1, end - begin + 1) / (end - begin)
        return step, share

    def away(self, legs: Index) -> Index:
        """Row of the foot that does not carry, lift-off and touchdown counted, -1: all carry, (n,)."""
        row = np.full(self.count, -1, dtype=np.int64)
        for leg, begin, end in zip(legs.tolist(), self.lift_off.tolist(), self.touchdown.tolist(), strict=True):
            row[begin : end + 1] = leg
        return row


class WalkMotion:
    """Motion through the poses of some stances; `move` makes it anew for the lengths of its parts.

    Args:
        course: Robot and ground.
        stances: Footsteps, and the body's poses at lift-off and landing of each.
        settings: How brisk, for LittleDog's size.
        tempo: What each step is allowed; None: by the settings and the margins of the stances.
        start: How the robot is at the first sample; None: at rest where the course has it.
        scene: Robot over the course's ground; None: prepared here.
        end: The walk that follows, into which it blends; None: it ends at rest.

    Raises:
        PlanningError: Plans that do not fit together.
    """

    def __init__(
        self,
        course: KnownCourse,
        stances: StancePlan,
        settings: TrajectorySettings,
        tempo: Tempo | None,
        start: StartState | None,
        scene: Scene | None,
        end: EndState | None = None,
    ) -> None:
        count = _checked(course, stances)
        steps = stances.footsteps.steps
        self.course, self.stances, self.settings = course, stances, settings.timed(course.scale)
        self.body, self.table = course.body, course.body.table
        self.scene = scene or Scene.of(course.body, course.ground, course.scale)
        self.tempo = tempo or Tempo.of(stances, settings, course.scale)
        self.start, self.end = start or StartState.resting(course), end
        robot = course.body.robot
        self.period = robot.tick
        self.speeds = course.body.angles(robot.max_velocity)
        self.legs = np.array([step.leg for step in steps], dtype=np.int64)
        self.places = np.array([step.place for step in steps])
        self._normals = _normals(course, np.concatenate([self.start.feet, self.places]))
        yaw, side = stances.rpy[:, 0, 2], np.sign(self.table.hip[self.legs, 1])
        self._outwards = side[:, None] * np.stack([-np.sin(yaw), np.cos(yaw)], axis=-1)
        self.laws = np.tile(np.linspace(0.0, 1.0, POINTS), (count, 1))
        self.paths = np.empty((count, POINTS, 3))
        self.poses = np.concatenate([stances.com, stances.rpy], axis=-1)
        self.aims = np.zeros_like(self.poses)
        # Before the first pass nothing has rolled.
        self._feet = stances.footsteps.stances()
        self._feet[0] = self.start.feet
        self._at = np.stack([np.arange(count), np.arange(1, count + 1)], axis=-1)

    def move(self, swings: Index, four_foot_times: Index) -> None:
        """One pass for these lengths [samples]: centre of mass and turn of the body, then feet and joints."""
        start, settings, scale = self.start, self.settings, self.course.scale
        self.schedule = schedule = WalkSamples.of(swings, four_foot_times)
        count = len(self.legs)
        tempo = self.tempo
        begin = self._feet[self._at[:, 0], self.legs]
        shape = tempo.lift, tempo.wide, tempo.back, tempo.aside[:, None] * self._outwards
        draw_paths(self.scene, begin, self.places, *shape, self.paths)
        poses = self.poses + self.aims + tempo.moved
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

    def draw(self, ways: Array, fresh: Array) -> None:
        """New time laws, of which a share is taken over: body and laws depend on each other and else take turns."""
        laws = self.laws.copy()
        samples = np.stack([self.schedule.lift_off, self.schedule.touchdown], axis=-1)
        body, ramp, air = (self.position, self.rpy, samples), self.tempo.ramp, self.start.swinging
        draw_laws(self.table, self.speeds, self.legs, self.paths, *body, ramp, air, laws, ways)
        self.laws += fresh[:, None] * (laws - self.laws)

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
        swings = self.step, share, self.paths, self.laws, self.legs
        found = self.feet, self.position, self.angles, self.slack, self.where
        move_limbs(self.table, self.com, self.rpy, *swings, self._normals, *found)

    def rates(self) -> Array:
        """Largest share of a joint's declared speed on the way to each sample, (n,); 0 at the first."""
        moved = np.abs(np.diff(self.angles, axis=0)) / (self.speeds * self.period)
        return np.concatenate([[0.0], moved.max(axis=(1, 2))])

    def hasty(self) -> Index:
        """Row of the joint that is fastest on the way to each sample, legs' joints in a row, (n,); 0 at the first."""
        moved = np.abs(np.diff(self.angles, axis=0)) / self.speeds
        return np.concatenate([[0], moved.reshape(len(moved), -1).argmax(axis=1)])

    def beyond(self) -> Array:
        """How far each sample is beyond a limit [rad]; between poses knees may use a part of what poses reserve."""
        return np.asarray(-self.slack - np.where(self.where % 3 == 2, _GIVE * self.course.reserve, 0.0))


def _checked(course: KnownCourse, stances: StancePlan) -> int:
    """Number of the steps."""
    count, legs = len(stances.footsteps.steps), len(course.body.legs)
    if legs != 4:
        raise PlanningError("walks are planned for four legs", value=legs)
    if count == 0 or stances.com.shape != (count, 2, 3) or stances.rpy.shape != (count, 2, 3):
        raise PlanningError(
            "a walk needs a pose for both ends of each step",
            value=stances.com.shape,
            limit=f"({count}, 2, 3), at least one step",
        )
    return count


def _normals(course: KnownCourse, places: Array) -> Array:
    """Normals of the ground under places (n, 3) [m], (n, 3)."""
    spots, layers = course.ground.nodes(places[:, :2]), course.layers
    normal = np.stack([-layers.slope_x[spots], -layers.slope_y[spots], np.ones(len(places))], axis=-1)
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))
