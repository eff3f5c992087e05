"""How motions end before their time: at a standstill on request, or in a soft fall after a break-up.

Falling, the body is soft and the head turned away from the ground, then the robot is limp. A library of the 2025 kind
also states a stiffness for hip pitch and elbow roll: falling forward, the hips then give way slowly and bent elbows,
free to turn, meet the ground (docs/sources/keyframe-engine.md, 2.10).
"""

from __future__ import annotations

import math

import numpy as np

from andante.control.keyframes.clock import to_microseconds
from andante.control.keyframes.posture import PosturePlayer
from andante.motions.settings import SafeFall
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role

_ELBOW_ROLL = math.radians(40.0)
"""Bend of the elbows in a fall to the front [rad]."""


class StandstillStop:
    """Lets the commanded speed fall linearly to 0.

    Args:
        robot: The robot and its speed limits.
        tick: Period [us].
    """

    def __init__(self, robot: Robot, tick: int) -> None:
        nj = len(robot.joints)
        self._tick, self._duration = tick, tick
        self._limit = robot.max_velocity
        self._last, self._before = np.zeros(nj), np.zeros(nj)
        self._from, self._speed = np.zeros(nj), np.zeros(nj)
        self._begun = 0

    def reset(self) -> None:
        """Forget all outputs."""
        self._last[:] = 0.0
        self._before[:] = 0.0

    def within(self, duration: int) -> None:
        """Take this time to the standstill [us]."""
        self._duration = max(duration, self._tick)

    def see(self, output: Vector) -> None:
        """Remember this tick's output, (nj,) [rad]."""
        self._before, self._last = self._last, self._before
        self._last[:] = output

    def start(self, now: int) -> None:
        """Begin to slow down; the last output was one tick ago."""
        self._begun = now - self._tick
        self._from[:] = self._last
        speed = (self._last - self._before) / (self._tick * 1e-6)
        np.clip(speed, -self._limit, self._limit, out=self._speed)

    def update(self, now: int, player: PosturePlayer) -> bool:
        """Ask for this tick's posture; True on the tick after the standstill."""
        elapsed = min(now - self._begun, self._duration) * 1e-6
        whole = self._duration * 1e-6
        player.hold(self._from + self._speed * (elapsed - elapsed * elapsed / (2.0 * whole)))
        return now - self._begun > self._duration


class SoftFall:
    """The fall of one break-up.

    Args:
        robot: The robot.
        settings: Stiffness and times.
    """

    def __init__(self, robot: Robot, settings: SafeFall) -> None:
        self._settings = settings
        self._head = [robot.index(name) for name in robot.groups.get("head", ())]
        self._head_pitch = joint_with_role(robot, "head_pitch")
        self._hip_pitch = _both(robot, "hip_pitch")
        self._elbow_roll, self._elbow_yaw = _both(robot, "elbow_roll"), _both(robot, "elbow_yaw")
        self._begun, self._front = 0, False
        self._soft_head_after = to_microseconds(settings.low_head_stiffness_after)
        self._off_after = to_microseconds(settings.off_after)
        self._posture = np.zeros(len(robot.joints))
        self._stiffness = np.zeros(len(robot.joints))

    def start(self, now: int, measured: Vector, pitch: float) -> None:
        """Begin to fall from the measured posture (nj,) [rad]; a positive pitch is a fall to the front."""
        self._begun, self._front = now, pitch >= 0.0
        self._posture[:] = measured
        if self._front and self._settings.elbow_roll_stiffness is not None:
            for joint, side in zip(self._elbow_roll, (-1.0, 1.0), strict=False):
                self._posture[joint] = side * _ELBOW_ROLL
        if self._head_pitch is not None:
            self._posture[self._head_pitch] = -self._settings.head if pitch >= 0.0 else self._settings.head

    def update(self, now: int, player: PosturePlayer) -> bool:
        """Ask for this tick's posture and stiffness; True when the robot is limp."""
        elapsed = now - self._begun
        if elapsed >= self._off_after:
            player.relax()
            return True
        self._stiffness[:] = self._settings.body_stiffness
        if elapsed < self._soft_head_after:
            self._stiffness[self._head] = self._settings.head_stiffness
        if self._front and self._settings.hip_pitch_stiffness is not None:
            self._stiffness[self._hip_pitch] = self._settings.hip_pitch_stiffness
        if self._front and self._settings.elbow_roll_stiffness is not None:
            self._stiffness[self._elbow_roll] = self._settings.elbow_roll_stiffness
            self._stiffness[self._elbow_yaw] = 0.0
        player.set_stiffness(self._stiffness)
        player.hold(self._posture)
        return False


def _both(robot: Robot, role: str) -> list[int]:
    """Left and right joint of a role; empty where one is missing."""
    found = [joint_with_role(robot, f"{side}_{role}") for side in ("left", "right")]
    return [] if None in found else [index for index in found if index is not None]
