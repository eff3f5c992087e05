"""The virtual model: springs and dampers that hold the body where it should be, and carry its weight."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from andante.documents.quantities import NonNegative
from andante.documents.settings import Settings
from andante.spatial.gravity import GRAVITY

Array = NDArray[np.float64]


class VirtualModel(Settings):
    """Stiffness and damping per mass, so that one set serves robots of any size."""

    place: ClassVar[str] = "virtual"

    along: NonNegative = 60.0
    """Stiffness across the ground per mass [1/s^2]."""
    along_damping: NonNegative = 12.0
    """Its damping [1/s]."""
    height: NonNegative = 150.0
    """Stiffness of the height per mass [1/s^2]."""
    height_damping: NonNegative = 20.0
    """Its damping [1/s]."""
    tilt: NonNegative = 250.0
    """Stiffness of the attitude per moment of inertia [1/s^2]."""
    tilt_damping: NonNegative = 25.0
    """Its damping [1/s]."""

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
