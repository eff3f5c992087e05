"""Complementary: where base and feet are and how they move, from motion capture, IMU and joint encoders.

Pose from motion capture, angular velocity from the gyro, joints from the encoders; the velocity is the sum of the
captured place through a low-pass differentiator and of the IMU's acceleration through its complement.

The velocity passes two filters: a place through G(s) s, an acceleration through (1 - G(s)) / s; G is a low pass of
second order, w^2 / (s^2 + 2 z w s + w^2). The two add up to the velocity itself whatever w and z: of a place p with
acceleration p'', s G p + (1 - G) / s p'' = s p. They are kept as their two states and stepped by the trapezoidal rule,
which gives Tustin's coefficients where steps are equal and allows any step.

Source: Quad-SDK's complementary filter (captures at 360 Hz, IMU at 500 Hz, drop-out after 27 ms). Its coefficients are
those of a second-order Butterworth low pass of 35 rad/s, which is all that is stated here; they follow for any rate.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from andante.control.controller import ControlError
from andante.control.estimation.floating_base import Doubt, EstimateHealth, FloatingBase
from andante.control.estimation.state import Feet, imu_mount
from andante.documents.quantities import (
    NonNegative,
    NonNegativeFixedTime,
    Positive,
    PositiveAngularVelocity,
)
from andante.documents.settings import Settings
from andante.kinematics.leg_forward import foot_places
from andante.kinematics.leg_table import LeggedBody
from andante.robots.records import Sensors
from andante.spatial.arrays import Array
from andante.spatial.gravity import GRAVITY
from andante.spatial.rotation_kernels import exp, multiply, to_matrix

_LONGEST = 0.1
_SAME = 1e-9
"""Difference of two steps that rounding makes [s]."""
_DOWN = np.array([0.0, 0.0, -GRAVITY])
_DROPOUT = 0.027
"""Time without a capture after which the accelerometer alone carries the velocity on [s]."""
_CAPTURE_TIMEOUT = 0.3
"""Time without a capture for which the state is trusted [s]."""
_CAPTURE_POSITION = 0.003
"""Noise of a captured position [m]."""
_CAPTURE_ORIENTATION = 0.0087
"""Noise of a captured orientation [rad]."""


class LowPass:
    """The part common to both: states x and x' of x'' = w^2 (u - x) - 2 z w x', for three axes at once.

    Args:
        cutoff: Corner w [rad/s].
        damping: z; sqrt(1/2) gives Butterworth's.
    """

    def __init__(self, cutoff: float, damping: float) -> None:
        self._square, self._twice = cutoff * cutoff, 2.0 * damping * cutoff
        self._step, self._matrix, self._push = math.nan, np.empty((2, 2)), np.empty((2, 1))
        self.begin(np.zeros(3), np.zeros(3), np.zeros(3))

    def begin(self, state: Array, rate: Array, value: Array) -> None:
        """Begin with states x and x' and input u, (3,) each."""
        self._states: Array = np.stack([state, rate])
        self._value: Array = np.array(value)

    def step(self, value: Array, step: float) -> Array:
        """States x and x' (2, 3) after ``step`` [s], in which the input went on a line to ``value`` (3,)."""
        if not abs(step - self._step) < _SAME:
            self._design(step)
        self._states = self._matrix @ self._states + self._push * (self._value + value)
        self._value = np.array(value)
        return self._states

    def _design(self, step: float) -> None:
        half = 0.5 * step
        a, b = half * self._square, half * self._twice
        # (1 - h A)^-1 (1 + h A) with A = [[0, 1], [-w^2, -2 z w]] and h half the step.
        size = 1.0 + b + half * a
        self._matrix = np.array([[1.0 + b - half * a, 2.0 * half], [-2.0 * a, 1.0 - b - half * a]]) / size
        self._push = np.array([[half * a], [a]]) / size
        self._step = step


class PlaceToVelocity:
    """s G(s): velocity of a place, without what is faster than the cut-off.

    Args:
        cutoff: Corner [rad/s].
        damping: Of the corner.
    """

    def __init__(self, cutoff: float, damping: float) -> None:
        self._low, self._lag = LowPass(cutoff, damping), 2.0 * damping / cutoff

    def begin(self, place: Array, velocity: Array) -> None:
        """Begin as if the place (3,) had gone at this velocity (3,) for ever."""
        # On a ramp x follows u by the time 2 z / w.
        self._low.begin(place - self._lag * velocity, velocity, place)

    def step(self, place: Array, step: float) -> Array:
        """Velocity (3,) after ``step`` [s] in which the place went to ``place`` (3,)."""
        return np.asarray(self._low.step(place, step)[1])


class ForceToVelocity:
    """(1 - G(s)) / s: the fast part of a velocity, from an acceleration; a constant one gives 2 z / w times itself.

    Args:
        cutoff: Corner [rad/s].
        damping: Of the corner.
    """

    def __init__(self, cutoff: float, damping: float) -> None:
        self._low = LowPass(cutoff, damping)
        self._share, self._lag = 1.0 / (cutoff * cutoff), 2.0 * damping / cutoff

    def begin(self) -> None:
        """Begin at rest."""
        self._low.begin(np.zeros(3), np.zeros(3), np.zeros(3))

    def step(self, acceleration: Array, step: float) -> Array:
        """Fast part of the velocity (3,) after ``step`` [s] in which the acceleration went to ``acceleration`` (3,)."""
        state, rate = self._low.step(acceleration, step)
        # (s + 2 z w) / (s^2 + 2 z w s + w^2), in terms of x = w^2 / (...).
        return np.asarray(self._share * rate + self._lag * state)


class ComplementarySettings(Settings):
    """Where the two sources of the velocity meet, and what happens without captures."""

    place: ClassVar[str] = "estimator"

    cutoff: PositiveAngularVelocity = 35.0
    """Corner below which the velocity comes from motion capture, above from the accelerometer [rad/s]."""
    damping: Positive = 0.70710678
    """Damping of that corner."""
    repeat: NonNegativeFixedTime = 0.03
    """Time for which the IMU may repeat itself, while encoders change, before it counts as frozen [s]."""
    accelerometer_offset: NonNegative = 0.05
    """Offset that the accelerometer may have [m/s^2]."""


class Complementary:
    """The source's estimator for one robot on three-joint legs with motion capture around it.

    Args:
        body: The robot.
        settings: Where the two sources meet.

    Raises:
        ControlError: No motion capture measures the robot.
    """

    def __init__(self, body: LeggedBody, settings: ComplementarySettings | None = None) -> None:
        if not body.robot.motion_capture:
            raise ControlError(
                "the complementary filter needs motion capture",
                value=body.robot.name,
                remedy="give the robot's pack motion_capture, or use the contact-aided filter",
            )
        self.body, self.settings = body, settings or ComplementarySettings()
        self._lever, mount = imu_mount(body.robot)
        self._mount = to_matrix(mount)
        x, y, z = self._lever
        # Angular velocity to the IMU's velocity about the base: w x r.
        self._swing = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        self._rows = np.array([leg.indices for leg in body.legs])
        self._names = tuple(leg.name for leg in body.legs)
        corner = self.settings.cutoff, self.settings.damping
        self._slow, self._fast = PlaceToVelocity(*corner), ForceToVelocity(*corner)
        self.reset()

    def reset(self, position: Array | None = None, yaw: float | None = None) -> None:
        """Forget everything; the base is there until the first capture decides where it is.

        Args:
            position: Origin of the base in the world, (3,) [m]; None: the world's origin.
            yaw: Its heading [rad]; None: 0.
        """
        half = 0.5 * (yaw or 0.0)
        self._time: float | None = None
        self._captured = -math.inf
        self._seen: tuple[float, Array] | None = None
        self._position: Array = np.zeros(3) if position is None else np.array(position)
        self._quaternion: Array = np.array([math.cos(half), 0.0, 0.0, math.sin(half)])
        self._velocity: Array = np.zeros(3)
        self._low: Array = np.zeros(3)
        self._rate: Array = np.zeros(3)
        self._force: Array = np.zeros(3)
        self._raw: Array = np.full(6, math.nan)
        self._repeated = 0.0
        self._angles: Array = np.zeros((len(self.body.legs), 3))
        self._noise, self._yaw, self._way = 0.0, yaw or 0.0, np.zeros(2)
        self._alone = False
        self._state: FloatingBase | None = None
        self._fast.begin()

    def update(self, sensors: Sensors, standing: Feet | None = None) -> FloatingBase:
        """The state after one more tick; readings that are not finite are left out and named in its health.

        Args:
            sensors: What is measured; a record of the same time as the last changes nothing.
            standing: Feet that may stand by plan, (nl,); only they count as touching.
        """
        time, step = sensors.time, 0.0
        if not math.isfinite(time):
            if self._state is not None:
                return self._state
            time = 0.0
        if self._time is not None:
            step = min(time - self._time, _LONGEST)
            if not step > 0.0 and self._state is not None:
                return self._state
        before = self._position
        doubts, legs = self._read(sensors)
        self._quaternion = multiply(self._quaternion, exp(step * self._rate))
        new = self._take(sensors)
        rotation = to_matrix(self._quaternion)
        self._time = time
        age = time - self._captured
        self._move(rotation, step, age, new)
        swing = rotation @ (self._swing @ self._rate)
        velocity = self._velocity - swing
        if self._seen is not None:
            # A capture is old by its latency; a lost one by more.
            taken, place = self._seen
            fresh = age <= _DROPOUT
            self._position = place + velocity * (time - taken) if fresh else self._position + step * velocity
        if not np.isfinite([*(self._position - before), *self._quaternion, *velocity]).all():
            self._begin_anew(time)
            doubts |= Doubt.RESTARTED
            rotation, velocity, before, age = to_matrix(self._quaternion), self._velocity, self._position, math.inf
        yaw = math.atan2(rotation[1, 0], rotation[0, 0])
        turned = yaw - self._yaw
        self._yaw += turned - 2.0 * math.pi * math.floor(turned / (2.0 * math.pi) + 0.5)
        if step > 0.0:
            dx, dy = (self._position - before)[:2]
            c, s = math.cos(yaw), math.sin(yaw)
            self._way = self._way + np.array([c * dx + s * dy, c * dy - s * dx])
        if age > _DROPOUT:
            doubts |= Doubt.CAPTURE
        contact = sensors.contact > 0.5 if standing is None else (sensors.contact > 0.5) & standing
        health = EstimateHealth(age <= _CAPTURE_TIMEOUT, doubts, legs, self._names)
        self._state = self._told(time, contact, rotation, velocity, age, health)
        return self._state

    def _read(self, sensors: Sensors) -> tuple[Doubt, tuple[Doubt, ...]]:
        """Take over what is finite; what is doubted, in all and of each leg."""
        doubts = Doubt(0)
        angles = sensors.position[self._rows]
        rate, force = self._mount @ sensors.gyro, self._mount @ sensors.accelerometer
        raw = np.concatenate([rate, force])
        if not np.array_equal(raw, self._raw):
            self._repeated = 0.0
        elif not np.array_equal(angles, self._angles) and self._time is not None:
            self._repeated += sensors.time - self._time
        self._raw = raw
        # An IMU that repeats itself beside living encoders is frozen.
        frozen = self._repeated > self.settings.repeat
        if not frozen and np.isfinite(rate).all():
            self._rate = rate
        else:
            doubts |= Doubt.GYRO
            self._rate = np.zeros(3)
        if not frozen and np.isfinite(force).all():
            self._force = force
        else:
            doubts |= Doubt.ACCELEROMETER
            self._force = np.full(3, math.nan)
        finite = np.isfinite(angles).all(axis=1)
        self._angles = np.where(finite[:, None], angles, self._angles)
        if finite.all():
            return doubts, (Doubt(0),) * len(finite)
        return doubts | Doubt.ENCODER, tuple(Doubt(0) if each else Doubt.ENCODER for each in finite)

    def _begin_anew(self, time: float) -> None:
        """Begin where the state was last a number: readings may be numbers and yet too large to go on with."""
        good = self._state
        if good is None:
            self.reset()
        else:
            self.reset(good.position, good.yaw)
            self._way, self._state = good.way, good
        self._time = time

    def _take(self, sensors: Sensors) -> bool:
        """Whether there is a new capture; its pose is carried to now by the gyro."""
        taken = sensors.pose_time
        # One of the future would make those that follow count as old.
        if not (sensors.pose_valid and self._captured < taken <= sensors.time):
            return False
        place, quaternion = np.array(sensors.pose_position), np.array(sensors.pose_orientation)
        size = float(quaternion @ quaternion)
        if not (np.isfinite(place).all() and 0.25 < size < 4.0):
            return False
        pose = quaternion / math.sqrt(size)
        at_imu = place + to_matrix(pose) @ self._lever
        self._quaternion = multiply(pose, exp(max(sensors.time - taken, 0.0) * self._rate))
        if self._captured == -math.inf:
            self._slow.begin(at_imu, np.zeros(3))
            self._yaw = 2.0 * math.atan2(pose[3], pose[0])
        elif self._alone:
            # What was carried on alone goes on: no step of the velocity where captures come back.
            self._slow.begin(at_imu, self._velocity)
            self._low = self._velocity
            self._fast.begin()
        else:
            gap = taken - self._captured
            self._low = self._slow.step(at_imu, gap)
            settings = self.settings
            gain = math.sqrt(gap * settings.cutoff**3 / (4.0 * settings.damping))
            self._noise = _CAPTURE_POSITION * gain
        self._captured, self._seen = taken, (taken, place)
        return True

    def _move(self, rotation: Array, step: float, age: float, new: bool) -> None:
        """Velocity of the IMU: both branches' sum at a capture, carried on by the accelerometer until the next."""
        known = np.isfinite(self._force).all()
        push = rotation @ self._force + _DOWN if known else np.zeros(3)
        if self._captured == -math.inf:
            return
        fast = self._fast.step(push, step) if step > 0.0 else np.zeros(3)
        self._alone = age > _DROPOUT
        self._velocity = self._low + fast if new else self._velocity + step * push

    def _told(
        self, time: float, contact: Feet, rotation: Array, velocity: Array, age: float, health: EstimateHealth
    ) -> FloatingBase:
        feet = np.empty_like(self._angles)
        foot_places(self.body.table, np.ascontiguousarray(self._angles), feet)
        blind = max(age - _DROPOUT, 0.0) if math.isfinite(age) else math.inf
        # Alone, the accelerometer's offset turns into velocity and way; an hour of it is as good as for ever.
        blind = min(blind, 3600.0)
        lost = self.settings.accelerometer_offset * blind
        deviation = np.empty(9)
        deviation[:3] = _CAPTURE_POSITION + 0.5 * lost * blind
        deviation[3:6] = _CAPTURE_ORIENTATION
        deviation[6:] = math.hypot(self._noise, lost)
        pitch = -math.asin(min(max(rotation[2, 0], -1.0), 1.0))
        return FloatingBase(
            time=time,
            position=self._position.copy(),
            rotation=rotation,
            rpy=np.array([math.atan2(rotation[2, 1], rotation[2, 2]), pitch, self._yaw]),
            velocity=velocity,
            angular_velocity=self._rate.copy(),
            feet=self._position + feet @ rotation.T,
            contact=contact,
            confidence=contact.astype(np.float64),
            deviation=deviation,
            way=self._way,
            health=health,
        )
