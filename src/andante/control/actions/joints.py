"""TargetControl and TorqueControl: a program outside gives the angle or the torque of every motor at every tick."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from andante.control.actions.acting import Motors
from andante.control.controller import ControlError, ControllerBase
from andante.robots.records import Command, Sensors, Vector
from andante.robots.robot import Robot


class _JointControl(ControllerBase):
    """Keeps the action of a robot's motors."""

    done = False
    """Never: there may always be another action."""

    def __init__(self, robot: Robot, period: float | None, low: Vector, high: Vector, unit: str) -> None:
        super().__init__(_period_of(robot, period))
        self._layout, self._nj = robot.command_layout, len(robot.joints)
        self._motors = Motors(robot)
        self._alone = len(self._motors.names) == self._nj
        """Whether each joint has a motor of its own."""
        self.actions = self._motors.range(low, high, unit)
        """One number per motor."""
        self._action: Vector | None = None

    def act(self, action: ArrayLike) -> None:
        """Do this from the next step on.

        Raises:
            ControlError: It is no array of so many finite numbers; what was told before stays.
        """
        self._action = self.actions.checked(action)

    def reset(self) -> None:
        """Forget the action."""
        super().reset()
        self._action = None


class TargetControl(_JointControl):
    """Servos go to the angles of an action, (na,) [rad], with their own gains; before one they hold what they measure.

    Args:
        robot: The robot.
        period: Time between two steps; None: the robot's motion cycle [s].

    Raises:
        ControlError: The period is not above 0.
    """

    def __init__(self, robot: Robot, period: float | None = None) -> None:
        low, high = robot.shared(robot.lower, np.maximum), robot.shared(robot.upper, np.minimum)
        super().__init__(robot, period, low, high, "rad")
        self._held: Vector = robot.held(np.zeros(self._nj)).vector

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        if self._action is None:
            self._action = sensors.position[self._motors.joints]
        vector = self._held.copy()
        vector[: self._nj] = self._action if self._alone else self._action[self._motors.of_joint]
        return Command(self._layout, vector)


class TorqueControl(_JointControl):
    """Motors exert the torques of an action, (na,) [N m], without any spring; before one they are off.

    Args:
        robot: The robot.
        period: Time between two steps; None: the robot's motion cycle [s].

    Raises:
        ControlError: The period is not above 0.
    """

    def __init__(self, robot: Robot, period: float | None = None) -> None:
        effort = robot.shared(robot.max_effort, np.minimum)
        super().__init__(robot, period, -effort, effort, "N m")

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        vector = np.zeros(5 * self._nj)
        vector[: self._nj] = sensors.position
        if self._action is not None:
            vector[4 * self._nj :] = self._action[self._motors.of_joint]
        return Command(self._layout, vector)


def _period_of(robot: Robot, period: float | None) -> float:
    if period is None:
        return robot.tick
    if not (math.isfinite(period) and period > 0.0):
        raise ControlError("actions come at a period above zero", place="period", value=period, limit="> 0 s")
    return period
