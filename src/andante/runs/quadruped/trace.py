"""QuadrupedTrace: what a dynamic quadruped did tick by tick, and what its controller wanted, as arrays.

It is made of a log, or of what a watch has seen of a run that nobody recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Layout, Vector
from andante.runs.errors import RunError
from andante.runs.log import Log
from andante.spatial.rotations import to_rpy

FEET = 4
_GAP = 1e-7
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
