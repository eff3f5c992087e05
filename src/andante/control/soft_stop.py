"""SoftStop: what is commanded when no controller can be asked any more."""

from __future__ import annotations

import numpy as np

from andante.robots.records import Command
from andante.robots.robot import Robot


class SoftStop:
    """Holds the posture that was commanded last while feed-forward torque fades; gains stay as they were.

    Joints that were off stay off. The guard brakes what was still moving.

    Args:
        robot: The robot.
        last: What was commanded last; None: nothing, so that all joints are off.
        period: Time between two commands [s].
        time: Time over which torque fades [s].
        reason: Why the robot is stopped.
    """

    def __init__(self, robot: Robot, last: Command | None, period: float, time: float, reason: str) -> None:
        self.reason = reason
        self._posture = robot.command() if last is None else last.copy()
        self._posture.velocity[:] = 0.0
        self._torque = self._posture.torque.copy()
        self._ticks = max(round(time / period), 1)
        self._done = 0

    @property
    def over(self) -> bool:
        """Whether all torque is gone."""
        return self._done >= self._ticks

    def step(self) -> Command:
        """The command for this tick."""
        self._done += 1
        command = self._posture.copy()
        np.multiply(self._torque, max(1.0 - self._done / self._ticks, 0.0), out=command.torque)
        return command
