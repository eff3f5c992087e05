"""DriveWatch: finds joints whose drives do not give the torque that they are asked for."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot
from andante.spatial.arrays import Array1, Array2
from andante.spatial.compiled import entry

_NONE = np.zeros(0, dtype=np.int64)
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
        self._rules = np.array([min(robot.tick / memory, 1.0), share])
        speeds = np.array([servo.torque_speed or (np.inf, np.inf) for servo in robot.servos], dtype=np.float64)
        self._drives = np.array([robot.max_effort, *speeds.T, least * robot.max_effort])
        self._delay = robot.delay_ticks + 1
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._commands: deque[Command] = deque(maxlen=self._delay)
        self._means = np.zeros((4, self._drives.shape[1]))

    def commanded(self, command: Command) -> None:
        """Remember what is asked for at this tick."""
        self._commands.append(command)

    def lost(self, sensors: Sensors) -> NDArray[np.int64]:
        """Joints that do not give what they are asked for, in the robot's order."""
        if len(self._commands) < self._delay:
            return _NONE
        asked = self._commands[0].vector.reshape(5, -1)
        means = self._means
        count = _judge(asked, sensors.position, sensors.velocity, sensors.effort, self._drives, self._rules, means)
        return np.flatnonzero(means[3]) if count else _NONE


@entry
def _judge(
    asked: Array2, position: Array1, velocity: Array1, effort: Array1, drives: Array2, rules: Array1, means: Array2
) -> int:
    """Follow the means of one tick; gives how many joints are lost.

    Args:
        asked: Position, velocity, kp, kd and torque of each joint, (5, nj).
        position: Measured angles, (nj,) [rad].
        velocity: Measured speeds, (nj,) [rad/s].
        effort: Measured torques, (nj,) [N m].
        drives: Torque limit, corner and no-load speed (infinite: no slope), and least mean by which one is judged,
            (4, nj).
        rules: Gain of the means, and the share below which a drive is lost, (2,).
        means: Means of the asked and given torques, whether a drive has given it once, and whether it is lost now,
            (4, nj); changed.
    """
    count = 0
    for joint in range(len(position)):
        limit, no_load = drives[0, joint], drives[2, joint]
        torque = asked[2, joint] * (asked[0, joint] - position[joint]) + asked[4, joint]
        torque += asked[3, joint] * (asked[1, joint] - velocity[joint])
        torque = min(max(torque, -limit), limit)
        sign = 1.0 if torque > 0.0 else -1.0 if torque < 0.0 else 0.0
        most = limit
        if math.isfinite(no_load):
            share = (no_load - sign * velocity[joint]) / (no_load - drives[1, joint])
            most *= min(max(share, 0.0), 1.0)
        torque = min(abs(torque), most)
        means[0, joint] += rules[0] * (torque - means[0, joint])
        means[1, joint] += rules[0] * (sign * effort[joint] - means[1, joint])
        judged = means[0, joint] > drives[3, joint]
        if judged and means[1, joint] > _GIVES * means[0, joint]:
            means[2, joint] = 1.0
        lost = judged and means[2, joint] > 0.5 and means[1, joint] < rules[1] * means[0, joint]
        means[3, joint] = 1.0 if lost else 0.0
        count += 1 if lost else 0
    return count
