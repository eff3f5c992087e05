"""How the robot falls after a motion broke up: soft body, head turned away from the ground, then limp."""

from __future__ import annotations

import numpy as np

from andante.control.keyframes.clock import to_microseconds
from andante.control.keyframes.posture import PosturePlayer
from andante.control.keyframes.roles import joint_with_role
from andante.motions.settings import SafeFall
from andante.robots.records import Vector
from andante.robots.robot import Robot


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
        self._begun = 0
        self._soft_head_after = to_microseconds(settings.low_head_stiffness_after)
        self._off_after = to_microseconds(settings.off_after)
        self._posture = np.zeros(len(robot.joints))
        self._stiffness = np.zeros(len(robot.joints))

    def start(self, now: int, measured: Vector, pitch: float) -> None:
        """Begin to fall from the measured posture (nj,) [rad]; a positive pitch is a fall to the front."""
        self._begun = now
        self._posture[:] = measured
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
        player.set_stiffness(self._stiffness)
        player.hold(self._posture)
        return False
