"""Conditions of a motion, bound to a robot and looked at during the run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from andante.control.controller import ControlError
from andante.control.keyframes.capture_point import CapturePoint
from andante.control.keyframes.features import Body, TorsoAngles
from andante.motions.conditions import Condition, ConditionGroup, Variable
from andante.motions.editing.mirror import mirror_condition
from andante.motions.needs import lack_for
from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role

_ANGLES = (
    *(f"{side}_{role}" for side in ("left", "right") for role in ("shoulder_pitch", "shoulder_roll", "knee_pitch")),
    "left_hip_yaw_pitch",
)
"""Joints whose angles conditions look at."""
_WRIST_INWARD = 0.09
"""A wrist nearer to the middle is under the trunk (docs/sources/keyframe-engine.md, 1.3, LyingOnArmsFront) [m]."""
_CARRIED, _GRAVITY = 0.3, 9.81
"""Share of the weight from which the feet carry the robot; gravity [m/s^2]."""
_KNEE_FOLLOWS, _UP, _NEARLY_UP = math.radians(10.0), math.radians(70.0), math.radians(80.0)
_SWING = math.radians(100.0)
"""Bounds of `Variable.ANOTHER_FRONT_HACK`: error of a knee, pitch of the torso [rad], speed of the pitch [rad/s]
(B-Human code release 2025, KeyframePhaseConditionsImpl)."""


@dataclass(frozen=True, slots=True)
class Check:
    """One condition: a variable inside a circular range, or outside where negated."""

    variable: Variable
    """What is looked at."""
    low: float
    """Lower end, SI unit of the variable."""
    high: float
    """Upper end; below ``low`` the range wraps."""
    negate: bool
    """True: holds outside the range."""
    max_wait: int = 1_000_000
    """Longest wait for it [us] (wait conditions)."""

    def holds(self, value: float) -> bool:
        """Whether the condition holds for a value."""
        above, below = value >= self.low, value <= self.high
        inside = (above and below) if self.low <= self.high else (above or below)
        return inside is not self.negate

    def distance(self, value: float) -> float:
        """Distance from a value to the nearest one that holds; 0 where it holds."""
        return 0.0 if self.holds(value) else min(abs(value - self.low), abs(value - self.high))


@dataclass(frozen=True, slots=True)
class JoinedConditions:
    """Several checks joined by and / or; an empty group holds."""

    checks: tuple[Check, ...]
    """The checks."""
    all: bool
    """True: all must hold; False: one is enough."""

    def holds(self, value: Callable[[Variable], float]) -> bool:
        """Whether the group holds; ``value`` gives a variable's value."""
        joined = all if self.all else any
        return not self.checks or joined(check.holds(value(check.variable)) for check in self.checks)


def bind_check(condition: Condition, robot: Robot, place: str, mirror: bool, max_wait: float = 1.0) -> Check:
    """Bind a condition to a robot.

    Raises:
        ControlError: The robot lacks the joints or feet that the variable needs.
    """
    variable = condition.variable
    lack = lack_for(variable, robot)
    if lack is not None:
        raise ControlError(lack.what, place=f"{place}.variable", value=variable.value, limit=lack.needs)
    seen = mirror_condition(condition) if mirror else condition
    return Check(seen.variable, seen.min, seen.max, seen.negate, round(max_wait * 1e6))


def bind_group(group: ConditionGroup, robot: Robot, place: str, mirror: bool) -> JoinedConditions:
    """Bind a group of conditions to a robot.

    Raises:
        ControlError: As `bind_check`.
    """
    return JoinedConditions(
        tuple(
            bind_check(condition, robot, f"{place}.conditions[{index}]", mirror)
            for index, condition in enumerate(group.conditions)
        ),
        group.all,
    )


class Situation:
    """All condition variables, each computed when asked for.

    Args:
        robot: The robot.
        body: Centre of mass, soles and wrists.
        torso: Torso angles.
        tick: Period of the engine [s].
    """

    def __init__(self, robot: Robot, body: Body, torso: TorsoAngles, tick: float) -> None:
        self._body, self._torso, self._tick = body, torso, tick
        self.capture = CapturePoint(robot, body)
        """Estimate of the capture point; whoever makes the situation updates it where something looks at it."""
        self._index = {role: joint_with_role(robot, role) for role in _ANGLES}
        ends = np.cumsum([len(foot.cells) for foot in robot.feet]).tolist()
        self._left_cells = slice(0, ends[0]) if ends else slice(0, 0)
        self._right_cells = slice(ends[0], ends[1]) if len(ends) > 1 else slice(0, 0)
        self._carried = _CARRIED * float(robot.model.body_mass.sum()) * _GRAVITY
        nj = len(robot.joints)
        self.measured: Vector = np.zeros(nj)
        """Measured joint positions, (nj,) [rad]."""
        self.requested: Vector = np.zeros(nj)
        """Joint positions of the last output, (nj,) [rad]."""
        self.sensors: Sensors = robot.sensors()
        """Sensors of this tick."""
        self.wait_time = 0.0
        """Time since the current wait began; 0 while not waiting [s]."""
        self.tries = 0
        """Tries so far."""
        self.outside_window = False
        """The torso is outside the break-up window."""
        self.front_hack = 0.0
        """1 from the third try of a get-up on, else 0: the original then suspects that the arms cannot move."""

    def reset(self) -> None:
        """Forget the run."""
        self.measured[:] = 0.0
        self.wait_time, self.tries, self.outside_window = 0.0, 0, False
        self.front_hack = 0.0
        self.capture.reset()

    def value(self, variable: Variable) -> float:
        """A variable's value in its SI unit."""
        return _SOURCES[variable](self)

    def _joint(self, role: str) -> float:
        index = self._index[role]
        return float(self.measured[index]) if index is not None else 0.0

    def _behind(self, role: str) -> float:
        """How far a joint is behind what was asked of it [rad]; 0 without the joint."""
        index = self._index[role]
        return float(self.requested[index] - self.measured[index]) if index is not None else 0.0

    def _swings_back(self) -> float:
        """1 where a get-up from the front needs no more push: the trunk has come up far enough, or it is low enough and
        swings back fast while both knees follow (rule of the 2025 release)."""
        pitch = self._torso.pitch
        if pitch < _UP:
            return 1.0
        rate = float(self.sensors.gyro[1])
        follow = all(self._behind(f"{side}_knee_pitch") < _KNEE_FOLLOWS for side in ("left", "right"))
        return float(follow and pitch < _NEARLY_UP and rate < -_SWING)

    def _loads(self) -> tuple[float, float]:
        """Load of the left and the right foot [N]; 0 without pressure cells."""
        force = self.sensors.force
        return float(force[self._left_cells].sum()), float(force[self._right_cells].sum())

    def feet_carry(self) -> bool:
        """Whether the feet's pressure cells feel a good part of the robot's weight."""
        total = sum(self._loads())
        return math.isfinite(total) and total > self._carried

    def _foot_support(self) -> float:
        left, right = self._loads()
        total = left + right
        return (left - right) / total if math.isfinite(total) and total > 0.0 else 0.0

    def _lying_on_arms(self) -> float:
        left = self._joint("left_shoulder_pitch") > 0.0 and self._body.wrist_y(0) < _WRIST_INWARD
        return float(left or (self._joint("right_shoulder_pitch") > 0.0 and self._body.wrist_y(1) > -_WRIST_INWARD))


_SOURCES: dict[Variable, Callable[[Situation], float]] = {
    Variable.TORSO_PITCH: lambda now: now._torso.pitch,
    Variable.TORSO_ROLL_MAGNITUDE: lambda now: abs(now._torso.roll),
    Variable.TORSO_ROLL: lambda now: now._torso.roll,
    Variable.TORSO_PITCH_FLUCTUATION: lambda now: now._torso.fluctuation / now._tick,
    Variable.LEFT_SHOULDER_PITCH: lambda now: now._joint("left_shoulder_pitch"),
    Variable.RIGHT_SHOULDER_PITCH: lambda now: now._joint("right_shoulder_pitch"),
    Variable.LEFT_SHOULDER_ROLL: lambda now: now._joint("left_shoulder_roll"),
    Variable.RIGHT_SHOULDER_ROLL: lambda now: now._joint("right_shoulder_roll"),
    Variable.LEFT_WRIST_Y: lambda now: now._body.wrist_y(0),
    Variable.RIGHT_WRIST_Y: lambda now: now._body.wrist_y(1),
    Variable.WAIT_TIME: lambda now: now.wait_time,
    Variable.FRONT_HACK: lambda now: now.front_hack,
    Variable.ANOTHER_FRONT_HACK: Situation._swings_back,
    Variable.KNEE_FLEXION: lambda now: min(now._joint("left_knee_pitch"), now._joint("right_knee_pitch")),
    Variable.COM_HEIGHT: lambda now: now._body.com_height(),
    Variable.HIP_YAW_PITCH_ERROR: lambda now: abs(now._behind("left_hip_yaw_pitch")),
    Variable.FOOT_SUPPORT: Situation._foot_support,
    Variable.BREAK_UP: lambda now: float(now.outside_window),
    Variable.COM_OUTSIDE_SUPPORT_X: lambda now: now._body.com_outside_support_x(),
    Variable.CAPTURE_POINT_X: lambda now: now.capture.point[0],
    Variable.CAPTURE_POINT_Y: lambda now: now.capture.point[1],
    Variable.LYING_ON_ARMS_FRONT: Situation._lying_on_arms,
    Variable.TRY_COUNT: lambda now: float(now.tries),
}
