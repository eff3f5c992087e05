"""What a dynamic quadruped did and what its controller wanted, tick by tick and plan by plan, for numbers and pictures.

A trace is made of a log, or of what a watch has seen of a run that nobody recorded. What local plans were like is kept
while a run goes on, because the log holds only their first interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.backends.backend import Backend
from andante.control.quadruped.controller import QuadrupedController
from andante.planning.quadruped.local_plan import LocalPlan, Mode
from andante.robots.records import Layout, Vector
from andante.runs.errors import RunError
from andante.runs.evaluation.falls import runs_of
from andante.runs.logs.log import Log
from andante.runs.loop.tick import Observer, Tick
from andante.spatial.rotations import to_rpy
from andante.terrain.elevation_map import ElevationMap

FEET = 4
_GAP = 1e-7
_EARLY = 1e-9
_LEAST_STANCE = 0.02
"""A touch that is shorter is no footfall [s]."""
_TOLD = ("drive", "mode", "estimate", "asked", "planned_contact", "force", "foothold", "reference", "iterations")


class TraceError(RunError):
    """A run is none of a dynamic quadruped, or too short."""


@dataclass(frozen=True, eq=False)
class QuadrupedTrace:
    """Rows at the same moments; positions and forces in the world's axes."""

    times: Vector
    """Moments, (n,) [s]."""
    com: Vector
    """True centre of mass, (n, 3) [m]."""
    rpy: Vector
    """True roll, pitch and yaw (ZYX, yaw without jumps), (n, 3) [rad]."""
    joint_speed: Vector
    """True speeds of the joints, (n, 12), in the motors' order [rad/s]."""
    torque: Vector
    """Torques of the motors, (n, 12) [N m]."""
    foot_force: Vector
    """True force on each foot, (n, 4, 3) [N]."""
    drive: NDArray[np.int64]
    """`andante.control.quadruped.drive_mode.DriveMode`, (n,)."""
    mode: NDArray[np.int64]
    """`andante.planning.quadruped.local_plan.Mode`, (n,)."""
    estimate: Vector
    """Estimated position of the centre of mass, roll, pitch, yaw, velocity in the world, angular velocity in body
    axes, (n, 12)."""
    asked: Vector
    """Asked forward and lateral speed [m/s] and yaw rate [rad/s] in the body's heading, (n, 3)."""
    planned_contact: NDArray[np.bool_]
    """Which feet stand by the plan, (n, 4)."""
    planned_force: Vector
    """Planned force of each foot, (n, 4, 3) [N]."""
    foothold: Vector
    """Planned end of each foot's swing along x and y, (n, 4, 2) [m]; zero where none is planned."""
    reference: Vector
    """Position of the centre of mass and attitude that the plan shall come to, (n, 6)."""
    iterations: Vector
    """Iterations of the solver for the plan in force, (n,)."""
    fallback: NDArray[np.bool_]
    """Whether the plan in force is the fallback after a solve that failed, (n,)."""

    @staticmethod
    def of(times: Vector, truth: tuple[Layout, Vector], telemetry: tuple[Layout, Vector]) -> QuadrupedTrace:
        """A trace of ground truth and telemetry.

        Args:
            times: Moments of the rows of both, (n,) [s].
            truth: Layout and rows (n, size) of the ground truth.
            telemetry: Layout and rows (n, size) of `QuadrupedController`'s telemetry.

        Raises:
            TraceError: Another controller's telemetry, another robot, or less than two rows.
        """
        (seen, rows), (told, said) = truth, telemetry
        missing = [name for name in _TOLD if name not in told.slices]
        if missing:
            raise TraceError("is no run of a dynamic quadruped: its controller does not tell", value=missing[0])
        if len(times) < 2:
            raise TraceError("a trace has two rows at least", value=len(times))

        def true(name: str) -> Vector:
            return rows[:, seen.slices[name]]

        def tell(name: str) -> Vector:
            return said[:, told.slices[name]]

        force = true("foot_force")
        if force.shape[1] != 3 * FEET:
            raise TraceError("a quadruped has four feet", value=force.shape[1] // 3)
        rpy = np.array(to_rpy(true("qpos")[:, _quaternion(seen)]))
        rpy[:, 2] = np.unwrap(rpy[:, 2])
        labels = list(_labels(seen, "qvel"))
        joints = [labels.index(motor) for motor in _labels(seen, "motor_torque")]
        n = len(times)
        return QuadrupedTrace(
            times,
            true("com"),
            rpy,
            true("qvel")[:, joints],
            true("motor_torque"),
            force.reshape(n, FEET, 3),
            tell("drive")[:, 0].astype(np.int64),
            tell("mode")[:, 0].astype(np.int64),
            tell("estimate"),
            tell("asked"),
            tell("planned_contact") > 0.5,
            tell("force").reshape(n, FEET, 3),
            tell("foothold").reshape(n, FEET, 2),
            tell("reference"),
            tell("iterations")[:, 0],
            tell("fallback")[:, 0] > 0.5,
        )

    @property
    def velocity(self) -> Vector:
        """True velocity of the centre of mass, (n, 3) [m/s]: central differences."""
        velocity: Vector = np.gradient(self.com, self.times, axis=0)
        return velocity

    @property
    def twist(self) -> Vector:
        """True forward and lateral speed in the body's heading [m/s] and yaw rate [rad/s], (n, 3)."""
        twist = np.empty((len(self.times), 3))
        twist[:, :2] = in_heading(self.velocity, self.rpy[:, 2])
        twist[:, 2] = np.gradient(self.rpy[:, 2], self.times)
        return twist

    @property
    def estimated_twist(self) -> Vector:
        """The same of the estimate, (n, 3); the yaw rate is the gyro's about the vertical."""
        estimate = self.estimate
        twist = np.empty((len(self.times), 3))
        twist[:, :2] = in_heading(estimate[:, 6:9], estimate[:, 5])
        roll, pitch = estimate[:, 3], estimate[:, 4]
        # Yaw rate of ZYX angles from body rates.
        twist[:, 2] = (np.sin(roll) * estimate[:, 10] + np.cos(roll) * estimate[:, 11]) / np.cos(pitch)
        return twist

    def touching(self, threshold: float = 1.0) -> NDArray[np.bool_]:
        """Which feet touch, (n, 4), by a force above a threshold [N]."""
        touching: NDArray[np.bool_] = np.linalg.norm(self.foot_force, axis=2) > threshold
        return touching

    def rows(self, begin: float, end: float) -> slice:
        """The rows from one moment to another [s], both ends included."""
        first, last = np.searchsorted(self.times, (begin - _GAP, end + _GAP))
        return slice(int(first), int(last))


def trace_of_log(log: Log) -> QuadrupedTrace:
    """The trace of a recorded run.

    Raises:
        TraceError: It is none of a dynamic quadruped.
        LogError: It has no telemetry or no ground truth.
    """
    truth, telemetry = log.rows("truth"), log.rows("telemetry")
    both, mine, theirs = np.intersect1d(truth.nanoseconds, telemetry.nanoseconds, return_indices=True)
    return QuadrupedTrace.of(both / 1e9, (truth.layout, truth.rows[mine]), (telemetry.layout, telemetry.rows[theirs]))


def in_heading(vectors: Vector, yaw: Vector) -> Vector:
    """Forward and lateral parts (n, 2) of vectors (n, >= 2) of the world in a heading (n,) [rad]."""
    c, s = np.cos(yaw), np.sin(yaw)
    turned: Vector = np.stack([c * vectors[:, 0] + s * vectors[:, 1], c * vectors[:, 1] - s * vectors[:, 0]], axis=1)
    return turned


def _labels(layout: Layout, name: str) -> Sequence[str]:
    return next(field.labels for field in layout.fields if field.name == name)


def _quaternion(layout: Layout) -> list[int]:
    """Columns of the base's quaternion in ``qpos``."""
    labels = _labels(layout, "qpos")
    first = next((index for index, label in enumerate(labels) if label.endswith(".qw")), None)
    if first is None:
        raise TraceError("the base of a dynamic quadruped is free", value="no quaternion in qpos")
    return [first, first + 1, first + 2, first + 3]


@dataclass(frozen=True)
class PlanFigures:
    """What one local plan was like."""

    time: float
    """When its state was measured [s]."""
    solved: bool
    """Whether its forces are a solver's."""
    iterations: int
    """Iterations of the solver."""
    wall: float
    """Time that the solve took by the clock on the wall [s]."""
    excess: float
    """How far a planned force leaves friction pyramid or bounds, the largest over horizon and feet [N]."""


class PlanKeeper(Observer):
    """Keeps figures of every plan that was used, and some plans whole.

    Args:
        controller: The controller of the run.
        friction: Friction coefficient of the plans.
        bounds: Least and largest vertical force of a standing foot [N].
        every: Time between two plans that are kept whole [s]; None: none is.
    """

    def __init__(
        self, controller: QuadrupedController, friction: float, bounds: tuple[float, float], every: float | None = None
    ) -> None:
        self._controller, self._friction, self._bounds, self._every = controller, friction, bounds, every
        self._forget()

    def _forget(self) -> None:
        self._plan: LocalPlan | None = None
        self.figures: list[PlanFigures] = []
        """Figures of every plan, in order."""
        self.plans: list[LocalPlan] = []
        """The plans that were kept."""

    def begin(self, backend: Backend) -> None:
        """Forget everything."""
        self._forget()

    def see(self, tick: Tick) -> None:
        """Look whether there is another plan."""
        plan = self._controller.plan
        if plan is None or plan is self._plan:
            return
        self._plan = plan
        solution = plan.solution
        excess = force_excess(plan, self._friction, self._bounds)
        self.figures.append(PlanFigures(plan.time, not plan.fallback, solution.iterations, solution.time, excess))
        if self._every is not None and (not self.plans or plan.time >= self.plans[-1].time + self._every - _EARLY):
            self.plans.append(plan)


def force_excess(plan: LocalPlan, friction: float, bounds: tuple[float, float]) -> float:
    """How far the farthest planned force leaves the friction pyramid or its bounds, or pulls on a foot in the air [N].

    Args:
        plan: The plan.
        friction: Friction coefficient of the pyramid.
        bounds: Least and largest vertical force of a standing foot [N].
    """
    low, high = bounds
    fx, fy, fz = (plan.forces[:, :, axis] for axis in range(3))
    over = np.maximum(np.maximum(np.abs(fx), np.abs(fy)) - friction * fz, np.maximum(low - fz, fz - high))
    return float(np.where(plan.contact, over, np.abs(plan.forces).max(axis=2)).max(initial=0.0))


@dataclass(frozen=True)
class TracedFootfall:
    """Where a foot came down."""

    leg: int
    """Row of the foot."""
    time: float
    """When [s]."""
    place: tuple[float, float]
    """Where its centre was [m]."""
    planned: tuple[float, float] | None
    """Where it should have come down by the last plan of its swing, as the estimator saw the world [m]."""


@dataclass(frozen=True, eq=False)
class QuadrupedViews:
    """One run."""

    title: str
    """What it is."""
    trace: QuadrupedTrace
    """What it did."""
    feet: Vector
    """Centres of the feet, (n, 4, 3) [m]."""
    names: tuple[str, ...]
    """Names of the feet."""
    radius: float
    """Radius of a foot [m]."""
    friction: float
    """Friction coefficient of the ground."""
    believed: float
    """Friction coefficient of the plans."""
    weight: float
    """Weight of the robot as its model has it [N]."""
    figures: Sequence[PlanFigures] = ()
    """Figures of every plan."""
    plans: Sequence[LocalPlan] = ()
    """Plans that were kept whole."""
    ground: ElevationMap | None = None
    """The world's ground; None: a floor."""
    start: tuple[float, float] = (0.0, 0.0)
    """Where the robot started [m]."""
    goal: tuple[float, float] | None = None
    """Where it was to go [m]; None: it was steered."""
    end: float | None = None
    """When it fell or gave up [s]; None: it did not."""
    push: float | None = None
    """When it was pushed first [s]; None: it was not."""

    def excerpt(self, seconds: float) -> tuple[float, float]:
        """Begin and end of a part that shows the most [s].

        Before the end of a run that failed, else from shortly before a push, else the middle of the longest stepping.
        """
        times = self.trace.times
        low, high = float(times[0]), float(times[-1])
        if self.end is not None:
            end = min(high, self.end + 0.15 * seconds)
        elif self.push is not None:
            end = min(high, self.push + 0.75 * seconds)
        else:
            walks = runs_of(self.trace.mode == Mode.STEP)
            first, last = max(walks, key=lambda walk: walk[1] - walk[0], default=(0, len(times) - 1))
            end = float(times[first] + times[last] + seconds) / 2.0
        begin = max(low, end - seconds)
        return begin, min(high, begin + seconds)

    def footfalls(self, threshold: float = 1.0) -> list[TracedFootfall]:
        """Where feet came down while the robot stepped."""
        trace, found = self.trace, []
        touching = trace.touching(threshold)
        period = float(np.median(np.diff(trace.times)))
        for leg in range(touching.shape[1]):
            for first, last in runs_of(touching[:, leg]):
                if first == 0 or (last - first + 1) * period < _LEAST_STANCE:
                    continue
                planned = trace.foothold[first - 1, leg]
                aimed = (float(planned[0]), float(planned[1])) if planned.any() else None
                # The foot is where it comes down when its first touch has ended its fall.
                x, y = self.feet[min(first + round(0.01 / period), last), leg, :2].tolist()
                found.append(TracedFootfall(leg, float(trace.times[first]), (x, y), aimed))
        return sorted(found, key=lambda fall: fall.time)

    @property
    def shift(self) -> Vector:
        """True minus estimated place of the centre of mass, (n, 2) [m]: puts what is planned into the true world."""
        shift: Vector = self.trace.com[:, :2] - self.trace.estimate[:, :2]
        return shift

    def margins(self, force: Vector, friction: float) -> Vector:
        """Distance of forces (n, 4, 3) from the edge of the friction cone, (n, 4) [N]; nan without load."""
        along = np.hypot(force[..., 0], force[..., 1])
        margin: Vector = np.where(force[..., 2] > 1.0, friction * force[..., 2] - along, np.nan)
        return margin
