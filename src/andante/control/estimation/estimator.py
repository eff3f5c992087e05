"""BodyEstimator: where body and feet are on the map, from motion capture, IMU, joint encoders and foot switches.

Between two captures the pose is carried on by the gyro and by the feet that stand: a standing foot's centre stays (a
ball rolls on a little), so what it moves by as seen from the base is how the base has moved. Captures correct the pose
that was estimated for the time at which they were taken, so their latency costs accuracy but no lag; while there are
none, only the slow drift of feet and gyro is left.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from andante.control.estimation.state import Feet, Levelled, imu_mount, to_level
from andante.documents.quantities import (
    NonNegative,
    NonNegativeAngle,
    NonNegativeFixedTime,
    NonNegativeLength,
    NonNegativeRate,
)
from andante.documents.settings import Settings
from andante.kinematics.leg_forward import leg_places, rolled
from andante.kinematics.leg_table import LeggedBody
from andante.robots.records import Sensors
from andante.spatial import rotations
from andante.spatial.arrays import Array, Flags
from andante.spatial.gravity import GRAVITY
from andante.spatial.rotation_kernels import conjugate, exp, log, multiply, to_matrix

_GRAVITY = np.array([0.0, 0.0, -GRAVITY])


class EstimatorSettings(Settings):
    """How far each sensor is believed (standard deviations); a robot's size does not change them."""

    place: ClassVar[str] = "estimator"

    capture_position: NonNegativeLength = 0.003
    """Noise of a captured position [m]."""
    capture_orientation: NonNegativeAngle = 0.0087
    """Noise of a captured orientation [rad]."""
    imu_tilt: NonNegativeAngle = 0.006
    """Error of the IMU's own tilt [rad]; it changes slowly, so one reading counts little."""
    stance_drift: NonNegativeLength = 0.00025
    """Error by which standing feet carry the position on in a tick of 10 ms [m]."""
    stance_scale: NonNegative = 0.05
    """The same as a share of the way."""
    flight_drift: NonNegativeLength = 0.002
    """Error of a tick in which no foot stands [m]."""
    gyro_drift: NonNegativeAngle = 0.0006
    """Error by which the gyro carries the orientation on in such a tick [rad]."""
    bias_gain: NonNegativeRate = 0.002
    """Share of an orientation error that is put down to the gyro's offset, per second and tick [1/s]."""
    memory: NonNegativeFixedTime = 0.3
    """Longest latency of a capture that can be made up for [s]."""


@dataclass(frozen=True, eq=False)
class BodyState(Levelled):
    """Body and feet on the map at one tick."""

    time: float
    """Time of the sensors [s]."""
    position: Array
    """Origin of the base, (3,) [m]."""
    orientation: Array
    """Orientation of the base, (4,) wxyz."""
    rotation: Array
    """The same as matrix, (3, 3)."""
    velocity: Array
    """Velocity of the origin, (3,) [m/s]."""
    com: Array
    """Centre of mass, (3,) [m]."""
    feet: Array
    """Centres of the feet, (nl, 3) [m]."""
    contact: Flags
    """Which feet touch, (nl,)."""
    slip: Array
    """How fast each standing foot moves against the others, (nl,) [m/s]; 0 for feet in the air."""
    spread: float
    """Standard deviation of the position, as far as the filter knows it [m]."""
    blind: float
    """Time since the last capture [s]."""
    way: Array = field(default_factory=lambda: np.zeros(2))
    """Way that the base has come, in level frames of each moment, (2,) [m]."""

    @property
    def yaw(self) -> float:
        """Heading of the level frame on the map [rad]."""
        return math.atan2(self.rotation[1, 0], self.rotation[0, 0])


class BodyEstimator:
    """Fuses the sensors of one robot on three-joint legs, tick by tick.

    Args:
        body: The robot.
        settings: How far each sensor is believed.
    """

    def __init__(self, body: LeggedBody, settings: EstimatorSettings | None = None) -> None:
        self.body, self.settings = body, settings or EstimatorSettings()
        self._indices = np.array([leg.indices for leg in body.legs])
        self._mount = imu_mount(body.robot)[1]
        self._mounted = to_matrix(self._mount)
        self.reset()

    def reset(self, position: Array | None = None, yaw: float | None = None) -> None:
        """Forget everything; the next capture decides where the robot is."""
        count = len(self.body.legs)
        self._orientation: Array = np.array([1.0, 0.0, 0.0, 0.0])
        self._position: Array = np.zeros(3)
        self._way: Array = np.zeros(2)
        self._velocity: Array = np.zeros(3)
        self._bias: Array = np.zeros(3)
        self._variance, self._turn_variance = 1.0, 1.0
        self._time: float | None = None
        self._captured = -np.inf
        self._angles: Array = np.zeros((count, 3))
        self._seen: Array = np.zeros((count, 3))
        self._touched = np.zeros(count, dtype=np.bool_)
        self._slip: Array = np.zeros(count)
        # Poses less all corrections up to then, so that a correction need not go through all of them.
        self._past: deque[tuple[float, Array, Array]] = deque()
        self._shifted: Array = np.zeros(3)
        self._turned: Array = np.array([1.0, 0.0, 0.0, 0.0])

    def update(self, sensors: Sensors, standing: Feet | None = None) -> BodyState:
        """The state after one more tick; readings that are not finite are left out."""
        angles = sensors.position[self._indices]
        if not np.isfinite(angles).all():
            angles = self._angles
        contact = sensors.contact > 0.5 if standing is None else standing & (sensors.contact > 0.5)
        time = sensors.time
        first = self._time is None
        step = 0.0 if self._time is None else min(max(time - self._time, 0.0), 0.1)
        if first:
            self._begin(sensors)
        before = self._orientation
        feet, com = np.empty_like(angles), np.empty(3)
        leg_places(self.body.table, angles, feet, com)
        if step > 0.0:
            self._turn(sensors, step)
            self._level(sensors)
            self._move(sensors, angles, feet, contact, before, step)
        self._time, self._angles, self._seen, self._touched = time, angles, feet, contact
        self._past.append((time, self._position - self._shifted, multiply(conjugate(self._turned), self._orientation)))
        while self._past[0][0] < time - self.settings.memory:
            self._past.popleft()
        self._capture(sensors)
        rotation = to_matrix(self._orientation)
        return BodyState(
            time=time,
            position=self._position,
            orientation=self._orientation,
            rotation=rotation,
            velocity=self._velocity,
            com=self._position + rotation @ com,
            feet=self._position + feet @ rotation.T,
            contact=contact,
            slip=self._slip.copy(),
            spread=float(np.sqrt(self._variance)),
            blind=float(time - self._captured),
            way=self._way,
        )

    def _begin(self, sensors: Sensors) -> None:
        imu = sensors.orientation
        if np.isfinite(imu).all() and np.linalg.norm(imu) > 0.5:
            self._orientation = rotations.normalise(rotations.multiply(imu, rotations.conjugate(self._mount)))

    def _turn(self, sensors: Sensors, step: float) -> None:
        gyro = sensors.gyro
        if not np.isfinite(gyro).all():
            return
        rate = self._mounted @ gyro - self._bias
        self._orientation = multiply(self._orientation, exp(rate * step))
        self._turn_variance += self.settings.gyro_drift**2 * (step / 0.01)

    def _level(self, sensors: Sensors) -> None:
        """Pull the tilt towards the IMU's, which knows where down is but not where it stands."""
        imu = sensors.orientation
        if not (np.isfinite(imu).all() and np.linalg.norm(imu) > 0.5):
            return
        settings = self.settings
        seen = self._mounted @ to_matrix(imu)[2]
        error = _cross(seen, to_matrix(self._orientation)[2])
        gain = settings.gyro_drift / max(settings.gyro_drift + settings.imu_tilt, 1e-12)
        self._orientation = multiply(self._orientation, exp(gain * error))
        self._bias = self._bias - settings.bias_gain * error

    def _move(self, sensors: Sensors, angles: Array, feet: Array, contact: Flags, before: Array, step: float) -> None:
        settings = self.settings
        rotation, last = to_matrix(self._orientation), to_matrix(before)
        turn = log(multiply(self._orientation, conjugate(before)))
        ways = np.empty_like(feet)
        rolled(self.body.table, angles, angles - self._angles, rotation, turn, ways)
        ways -= feet @ rotation.T - self._seen @ last.T
        standing = contact & self._touched
        rest = sensors.accelerometer
        falling = rotation @ (self._mounted @ rest) + _GRAVITY if np.isfinite(rest).all() else np.zeros(3)
        if standing.any():
            # The median does not follow one foot that slips.
            way = np.median(ways[standing], axis=0)
            drift = settings.stance_drift * step / 0.01 + settings.stance_scale * float(np.linalg.norm(way))
            blend = 0.3
            self._velocity = (1.0 - blend) * (self._velocity + step * falling) + blend * way / step
            slip = np.linalg.norm(ways - way, axis=1) / step
        else:
            self._velocity = self._velocity + step * falling
            way = step * self._velocity
            drift = settings.flight_drift * step / 0.01
            slip = np.zeros(len(feet))
        self._slip = np.where(standing, 0.7 * self._slip + 0.3 * slip, 0.0)
        self._position = self._position + way
        self._way = self._way + (to_level(rotation) @ way)[:2]
        self._variance += drift * drift

    def _capture(self, sensors: Sensors) -> None:
        """Correct the pose of the time at which the newest capture was taken, and all since by as much."""
        # A capture of the future would make those that follow count as old.
        if not (sensors.tracked and sensors.pose_valid and self._captured < sensors.pose_time <= sensors.time):
            return
        position, orientation = sensors.pose_position, sensors.pose_orientation
        if not (np.isfinite(position).all() and np.isfinite(orientation).all()):
            return
        settings = self.settings
        taken = sensors.pose_time
        first = self._captured == -np.inf
        self._captured = taken
        _, place, pose = min(self._past, key=lambda each: abs(each[0] - taken))
        spread = self._variance + settings.capture_position**2
        gain = 1.0 if first else self._variance / spread
        self._variance *= settings.capture_position**2 / spread
        shift = gain * (position - place - self._shifted)
        spread = self._turn_variance + settings.capture_orientation**2
        turn_gain = 1.0 if first else self._turn_variance / spread
        self._turn_variance *= 1.0 - self._turn_variance / spread
        # As a turn in the world it is the same for all moments since, and the feet do not move with it.
        turn = turn_gain * log(multiply(orientation, conjugate(multiply(self._turned, pose))))
        self._shifted = self._shifted + shift
        self._turned = multiply(exp(turn), self._turned)
        self._position = self._position + shift
        self._orientation = multiply(exp(turn), self._orientation)
        self._bias = self._bias - settings.bias_gain * to_matrix(self._orientation).T @ turn


def _cross(a: Array, b: Array) -> Array:
    """The cross product; numpy's own takes many times as long for one pair."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
