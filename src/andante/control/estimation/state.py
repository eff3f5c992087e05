"""Estimator: from sensors to the state of the body, for any controller."""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Sensors

Array = NDArray[np.float64]
Feet = NDArray[np.bool_]
"""A flag for each foot, (nl,)."""
State = TypeVar("State", covariant=True)


class Attitude(Protocol):
    """How the body leans and which feet touch.

    The level frame is the base's, turned about its own axes until z is up: its x axis is the base's seen from above.
    """

    @property
    def time(self) -> float:
        """Time of the sensors [s]."""
        ...

    @property
    def level(self) -> Array:
        """Rotation from the base's to the level frame, (3, 3)."""
        ...

    @property
    def yaw(self) -> float:
        """Heading of the level frame, counter-clockwise [rad]."""
        ...

    @property
    def contact(self) -> Feet:
        """Which feet touch, (nl,)."""
        ...


class Motion(Attitude, Protocol):
    """How the body moves as well."""

    @property
    def level_velocity(self) -> Array:
        """Velocity of the base in the level frame, (3,) [m/s]."""
        ...

    @property
    def way(self) -> Array:
        """Way that the base has come, in level frames of each moment, (2,) [m]."""
        ...


class Estimator(Protocol[State]):
    """Turns the sensors of every tick into a state; keeps what it remembers in itself."""

    def reset(self) -> None:
        """Forget everything; the next update is the first."""
        ...

    def update(self, sensors: Sensors, standing: Feet | None = None) -> State:
        """The state after one more tick.

        Args:
            sensors: What is measured.
            standing: Feet that may stand by the controller's plan, (nl,); None: all.
        """
        ...
