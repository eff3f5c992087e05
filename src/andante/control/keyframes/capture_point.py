"""The capture point over the feet, from encoders, orientation and gyro, and the feedback that answers to it.

The centre of mass relative to the soles is a matter of joint angles and of which way is up. Its velocity relative to
feet that stand still has two parts: the joints' measured speeds, and the turning of the whole robot about its feet,
which the gyro measures:

    v = R (J dq + w x c)        c: from the soles to the centre of mass in the torso frame, R: torso to level frame

Neither is filtered: a robot that folds or rises moves both ways at once, and a part that came later than the other
would be a velocity that is not there. Differences of angles from tick to tick came half a tick too late for that.

A foot that rocks stands on an edge, and only that stands still: c is taken from the lowest corners of the soles, so
that an ankle that lifts a heel is no velocity. The more the soles are tilted the less that is trusted. What the servos
are told acts some ticks later; the capture point is that of the moment when it does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.control.keyframes.features import Body
from andante.motions.capture_point import CapturePointBalance
from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot

_GRAVITY = 9.81
_LOWEST = 0.05
"""Heights of the centre of mass below this count as this; the pendulum has no sense there [m]."""
_FLAT, _TILTED = math.cos(math.radians(15.0)), math.cos(math.radians(45.0))
"""A sole tilted by less is trusted wholly, one by more not at all."""
_CARRIES = 0.03
"""A hand that is less far above the lower sole may carry [m]."""


@dataclass(frozen=True, slots=True)
class CaptureRule:
    """A block's balance by the capture point, for one robot."""

    written: CapturePointBalance
    """As the document has it."""
    ahead: tuple[tuple[int, float], ...]
    """Joints that answer to an error ahead, each with its gain in its own sign [rad/m]."""
    side: tuple[tuple[int, float], ...]
    """Joints that answer to an error to the left."""


class CapturePoint:
    """Estimate of the capture point.

    Args:
        robot: The robot.
        body: Its posture, updated before each `update`.
    """

    def __init__(self, robot: Robot, body: Body) -> None:
        self._robot, self._body = robot, body
        self._imu: Vector | None = None
        self.delay = 0.0
        """Time from a measurement to the effect of the command that answers to it [s]."""
        self.reset()

    def reset(self) -> None:
        """Forget all measurements."""
        self._sensors: Sensors | None = None
        self._offset = self._velocity = self._point = (0.0, 0.0)
        self._trust = 0.0

    def update(self, sensors: Sensors) -> None:
        """Take this tick's measurements; the posture is that of the body. Nothing is computed until somebody asks."""
        self._sensors = sensors

    @property
    def offset(self) -> tuple[float, float]:
        """Centre of mass relative to the middle of the soles in the level frame, x forward, y left [m]."""
        self._compute()
        return self._offset

    @property
    def velocity(self) -> tuple[float, float]:
        """Its velocity relative to the soles, so far as it is trusted [m/s]."""
        self._compute()
        return self._velocity

    @property
    def point(self) -> tuple[float, float]:
        """Capture point relative to the middle of the soles when a command acts [m]."""
        self._compute()
        return self._point

    @property
    def trust(self) -> float:
        """How far the velocity is trusted, 0 to 1."""
        self._compute()
        return self._trust

    def _compute(self) -> None:
        """Take the measurements of this tick into account, where that is not done yet."""
        sensors, body = self._sensors, self._body
        if sensors is None:
            return
        self._sensors = None
        if self._imu is None:
            self._imu = np.ascontiguousarray(body.rotation(self._robot.imu_site))
        speeds = np.where(np.isfinite(sensors.velocity), sensors.velocity, 0.0)
        gyro = np.array(sensors.gyro, dtype=np.float64)
        x, y, height, vx, vy, flatness = body.com_over_soles(speeds, self._imu, gyro)
        self._trust = min(max((flatness - _TILTED) / (_FLAT - _TILTED), 0.0), 1.0)
        self._offset, self._velocity = (x, y), (self._trust * vx, self._trust * vy)
        lead = self.delay + math.sqrt(max(height, _LOWEST) / _GRAVITY)
        self._point = (x + self._velocity[0] * lead, y + self._velocity[1] * lead)


class CaptureFeedback:
    """Moves ankles and hips by the error of the capture point.

    Args:
        joints: Number of joints.
        point: The estimate.
        body: The robot's posture.
        tick: Period [s].
    """

    def __init__(self, joints: int, point: CapturePoint, body: Body, tick: float) -> None:
        self._point, self._body, self._tick = point, body, tick
        self.correction: Vector = np.zeros(joints)
        """Change of the output, (nj,) [rad]."""
        self.reset()

    def reset(self) -> None:
        """Out of force."""
        self.correction[:] = 0.0
        self.strength = 0.0
        """Share of the feedback in force."""
        self.error = (0.0, 0.0)
        """Capture point minus its goal, ahead and to the left, cut off [m]."""
        self.rule: CaptureRule | None = None
        """The balance in force; None: none."""
        self._from = self._goal = self._end = (0.0, 0.0)

    def start(self, rule: CaptureRule | None, goal: tuple[float, float]) -> None:
        """A keyframe begins; its goal [m] is approached from the one in force, or holds at once where none is."""
        if rule is None:
            self.reset()
            return
        self._from = goal if self.rule is None else self._goal
        self._end, self.rule = goal, rule

    def update(self, ratio: float) -> None:
        """Compute the change of this tick; ``ratio`` is the share of the keyframe that has passed."""
        self.correction.fill(0.0)
        rule = self.rule
        if rule is None:
            return
        written = rule.written
        carries = written.hands < 1.0 and self._body.hand_height() < _CARRIES
        wanted = written.hands if carries else 1.0
        step = self._tick / written.blend if written.blend > 0.0 else 1.0
        self.strength += min(max(wanted - self.strength, -step), step)
        (ahead, side), (end_ahead, end_side) = self._from, self._end
        goal_ahead, goal_side = ahead + (end_ahead - ahead) * ratio, side + (end_side - side) * ratio
        self._goal, most, (x, y) = (goal_ahead, goal_side), written.max_error, self._point.point
        x, y = min(max(x - goal_ahead, -most), most), min(max(y - goal_side, -most), most)
        self.error = x, y
        strength, largest, correction = self.strength, written.max_correction, self.correction
        for error, joints in ((x, rule.ahead), (y, rule.side)):
            for joint, gain in joints:
                correction[joint] += strength * min(max(gain * error, -largest), largest)
