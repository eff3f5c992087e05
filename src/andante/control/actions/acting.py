"""Acting: a controller that is told at every tick what to do; ActionRange: what it may be told."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.control.controller import ControlError
from andante.robots.records import Vector
from andante.robots.robot import Robot

_FLOAT = np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class ActionRange:
    """Names, unit and bounds of the numbers of an action, (na,).

    Numbers beyond the bounds are legal: the guard limits what comes of them.
    """

    labels: tuple[str, ...]
    """What each number is for: a joint, a speed."""
    units: tuple[str, ...]
    """Unit of each number."""
    low: Vector
    """Least sensible values, (na,)."""
    high: Vector
    """Largest sensible values, (na,)."""

    @cached_property
    def size(self) -> int:
        """How many numbers an action has."""
        return len(self.labels)

    @cached_property
    def shape(self) -> tuple[int]:
        """Shape of an action."""
        return (self.size,)

    def checked(self, action: ArrayLike) -> Vector:
        """The action as an array of its own, (na,).

        Raises:
            ControlError: It is no array of so many finite numbers.
        """
        vector = action.copy() if type(action) is np.ndarray and action.dtype is _FLOAT else self._read(action)
        if vector.shape != self.shape:
            raise ControlError(
                "an action has another shape",
                place="action",
                value=vector.shape,
                limit=f"({self.size},): {', '.join(self.labels)}",
            )
        if not math.isfinite(vector.dot(vector)) and not np.isfinite(vector).all():
            number = int(np.argmin(np.isfinite(vector)))
            place = f"action[{number}], {self.labels[number]}"
            raise ControlError("an action must be finite", place=place, value=float(vector[number]))
        return vector

    def _read(self, action: ArrayLike) -> Vector:
        """What is no array of float64 as one."""
        try:
            if np.iscomplexobj(action):
                raise TypeError
            return np.array(action, dtype=np.float64)
        except (TypeError, ValueError):
            raise ControlError(
                "an action is an array of numbers", place="action", value=action, limit=f"({self.size},)"
            ) from None


@runtime_checkable
class Acting(Protocol):
    """A controller that is told what to do before its steps; until it is told anew the last action holds."""

    @property
    def actions(self) -> ActionRange:
        """What it may be told."""

    def act(self, action: ArrayLike) -> None:
        """Do this from the next step on.

        Raises:
            ControlError: It is no array of so many finite numbers; what was told before stays.
        """


class Motors:
    """The joints of a robot that have a motor of their own, and which of them moves each joint.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: Robot) -> None:
        own = np.flatnonzero(robot.leaders == np.arange(len(robot.joints)))
        self.joints: NDArray[np.intp] = own
        """Positions of those joints in joint arrays, (na,)."""
        self.names = tuple(robot.joint_names[joint] for joint in own)
        """Their names."""
        self.of_joint: NDArray[np.intp] = np.searchsorted(own, robot.leaders)
        """Which of them moves each joint, (nj,)."""

    def range(self, low: Vector, high: Vector, unit: str) -> ActionRange:
        """One number per motor between limits of all joints, (nj,) each."""
        return ActionRange(self.names, (unit,) * len(self.names), low[self.joints], high[self.joints])
