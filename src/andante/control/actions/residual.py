"""Residual: a program outside adds to the joint targets of another controller."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.control.actions.acting import Motors
from andante.control.answers import commanded, told_events, told_telemetry, told_yes
from andante.control.controller import ControlError, ControlEvent, Controller, Fallible, Planned, Sparing
from andante.control.sensor_parts import NEEDED, SensorPart
from andante.robots.records import Command, Record, Sensors, Vector
from andante.robots.robot import Robot


class Residual:
    """Another controller whose joint targets an action shifts, (na,) [rad]; joints that are off stay off.

    Use `residual_on`, which keeps a controller that has a planner `Planned`.

    Args:
        inner: The controller.
        robot: The robot.
        reach: Largest sensible shift of a joint [rad].

    Raises:
        ControlError: The reach is not above 0.
    """

    def __init__(self, inner: Controller, robot: Robot, reach: float) -> None:
        if not (math.isfinite(reach) and reach > 0.0):
            raise ControlError("a residual reaches further than nothing", place="reach", value=reach, limit="> 0 rad")
        self.inner = inner
        self._robot = robot
        self._nj, self._motors = len(robot.joints), Motors(robot)
        most = np.full(self._nj, reach)
        self.actions = self._motors.range(-most, most, "rad")
        """One shift per motor."""
        self._shift: Vector | None = None

    def act(self, action: ArrayLike) -> None:
        """Shift the targets by so much from the next step on.

        Raises:
            ControlError: It is no array of so many finite numbers; what was told before stays.
        """
        self._shift = self.actions.checked(action)[self._motors.of_joint]

    @property
    def period(self) -> float:
        """Time between two steps [s]."""
        return self.inner.period

    @property
    def done(self) -> bool:
        """Whether the other controller is done."""
        return told_yes(self.inner, "done")

    @property
    def failed(self) -> bool:
        """Whether the other controller has given up."""
        return isinstance(self.inner, Fallible) and told_yes(self.inner, "failed")

    @property
    def needs(self) -> Collection[SensorPart]:
        """Parts without which the other controller cannot go on."""
        return self.inner.needs if isinstance(self.inner, Sparing) else NEEDED

    @property
    def telemetry(self) -> Record | None:
        """What the other controller tells of itself."""
        return told_telemetry(self.inner)

    def reset(self) -> None:
        """Forget the action, and everything that the other controller forgets."""
        self.inner.reset()
        self._shift = None

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        command = commanded(self.inner, sensors, self._robot)
        if self._shift is None:
            return command
        vector, nj = command.vector.copy(), self._nj
        vector[:nj] += np.where(vector[2 * nj : 3 * nj] > 0.0, self._shift, 0.0)
        return Command(command.layout, vector)

    def take_events(self) -> list[ControlEvent]:
        """What the other controller tells since the last call."""
        return told_events(self.inner)


class PlannedResidual(Residual):
    """The same for a controller that has a planner beside it."""

    inner: Any

    def take_request(self) -> object | None:
        """What the planner shall answer; None: nothing."""
        request: object | None = self.inner.take_request()
        return request

    def accept(self, plan: Any) -> None:
        """Use this plan from the next step on."""
        self.inner.accept(plan)


def residual_on(inner: Controller, robot: Robot, reach: float) -> Residual:
    """A controller whose joint targets actions shift by up to ``reach`` [rad].

    Raises:
        ControlError: The reach is not above 0.
    """
    kind = PlannedResidual if isinstance(inner, Planned) else Residual
    return kind(inner, robot, reach)
