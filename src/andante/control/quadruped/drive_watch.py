"""DriveWatch: finds joints whose drives do not give the torque that they are asked for."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot

Array = NDArray[np.float64]
_GIVES = 0.5
"""A drive that has given this share of the asked torque once has a sensor of torque that can be believed."""


class DriveWatch:
    """Compares the torques that drives were asked for with those that they measure.

    A dead motor is not told by its angle: the leg may hang or be carried along for most of a step. What it was asked
    for is known, gains and torque-speed limit included, and so is what it gives; the means of both over some hundredths
    of a second differ by a tenth where all is well.

    Args:
        robot: The robot.
        share: A drive is lost that gives less than this share of what it is asked for; 0: none ever is.
        memory: Time constant of the means [s].
        least: Least mean of the asked torque by which a drive is judged, as a share of its limit.
    """

    def __init__(self, robot: Robot, share: float, memory: float, least: float) -> None:
        self._share, self._gain = share, min(robot.tick / memory, 1.0)
        self._limits, self._least = robot.max_effort, least * robot.max_effort
        speeds = [servo.torque_speed or (np.inf, np.inf) for servo in robot.servos]
        self._corner, self._no_load = np.array(speeds, dtype=np.float64).T
        self._sloped = np.isfinite(self._no_load)
        self._delay = robot.delay_ticks + 1
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._commands: deque[Command] = deque(maxlen=self._delay)
        self._asked = np.zeros(len(self._limits))
        self._given = np.zeros(len(self._limits))
        self._alive = np.zeros(len(self._limits), dtype=np.bool_)

    def commanded(self, command: Command) -> None:
        """Remember what is asked for at this tick."""
        self._commands.append(command)

    def lost(self, sensors: Sensors) -> NDArray[np.int64]:
        """Joints that do not give what they are asked for, in the robot's order."""
        if len(self._commands) < self._delay:
            return np.zeros(0, dtype=np.int64)
        command = self._commands[0]
        asked = command.kp * (command.position - sensors.position) + command.torque
        asked += command.kd * (command.velocity - sensors.velocity)
        asked = np.clip(asked, -self._limits, self._limits)
        sign = np.sign(asked)
        asked = np.minimum(np.abs(asked), self._drivable(sign * sensors.velocity))
        self._asked += self._gain * (asked - self._asked)
        self._given += self._gain * (sign * sensors.effort - self._given)
        judged = self._asked > self._least
        self._alive |= judged & (self._given > _GIVES * self._asked)
        return np.flatnonzero(judged & self._alive & (self._given < self._share * self._asked))

    def _drivable(self, speed: Array) -> Array:
        """Largest torque at a speed in the torque's own direction, (nj,) [N m]."""
        share = np.ones(len(speed))
        s = self._sloped
        share[s] = np.clip((self._no_load[s] - speed[s]) / (self._no_load[s] - self._corner[s]), 0.0, 1.0)
        most: Array = share * self._limits
        return most
