"""The virtual model: springs and dampers that hold the body where it should be, and carry its weight."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from andante.control.controller import ControlError
from andante.spatial.gravity import GRAVITY

Array = NDArray[np.float64]


@dataclass(frozen=True)
class VirtualModel:
    """Stiffness and damping per mass, so that one set serves robots of any size.

    Raises:
        ControlError: A value is not finite or below zero.
    """

    along: float = 60.0
    """Stiffness across the ground per mass [1/s^2]."""
    along_damping: float = 12.0
    """Its damping [1/s]."""
    height: float = 150.0
    """Stiffness of the height per mass [1/s^2]."""
    height_damping: float = 20.0
    """Its damping [1/s]."""
    tilt: float = 250.0
    """Stiffness of the attitude per moment of inertia [1/s^2]."""
    tilt_damping: float = 25.0
    """Its damping [1/s]."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ControlError(
                    "a spring or damper is not below zero", place=f"virtual.{each.name}", value=value, limit=">= 0"
                )

    def wrench(self, mass: float, inertia: Array, error: Array, velocity: Array, turn: Array, gyro: Array) -> Array:
        """Force [N] and moment [N m] on the body, (6,), in the level frame: F = Kp (x* - x) - Kd v + m g.

        Args:
            mass: Mass of the robot [kg].
            inertia: Its moments of inertia about x, y, z, (3,) [kg m^2].
            error: Where it should be less where it is, (3,) [m].
            velocity: Its velocity, (3,) [m/s].
            turn: Rotation vector from its attitude to the wanted one, (3,) [rad].
            gyro: Its angular velocity, (3,) [rad/s].
        """
        stiffness = np.array([self.along, self.along, self.height])
        damping = np.array([self.along_damping, self.along_damping, self.height_damping])
        force = mass * (stiffness * error - damping * velocity + (0.0, 0.0, GRAVITY))
        moment = inertia * (self.tilt * turn - self.tilt_damping * gyro)
        return np.concatenate([force, moment])
