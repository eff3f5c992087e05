"""The scene of the kick exercise, the same in both worlds: a ball that falls beside a leg, over a short ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from andante.backends.backend import Backend, BackendError
from andante.kinematics.planar_chain import PlanarChain
from andante.robots.records import Vector
from andante.spatial.gravity import GRAVITY


@dataclass(frozen=True)
class KickScene:
    """Numbers of the exercise; x to the right, z up, SI units."""

    width: float = 3.0
    """The world's width: x from 0 to this [m]."""
    height: float = 1.588
    """The world's height: z from 0 to this [m]."""
    ground: float = 0.1
    """Height of the ground, which ends where the world ends [m]."""
    ball_radius: float = 0.1
    """Radius of the ball [m]."""
    ball_mass: float = 0.1
    """Mass of the ball, a disc [kg]."""
    ball_start: tuple[float, float] = (0.8, 1.0)
    """Where the ball begins to fall [m]."""
    elasticity: float = 0.93
    """Of every shape; a bounce keeps the product of two."""
    friction: float = 0.5
    """Of every shape; a contact has the product of two."""
    gravity: float = GRAVITY
    """Gravity [m/s^2]."""
    damping: float = 0.9
    """Share of all velocity that is left after a second in the exercise's physics."""

    def check_target(self, target: tuple[float, float], place: str = "target") -> None:
        """Refuse a target outside the world.

        Raises:
            BackendError: It is outside, or not a number.
        """
        for axis, value, most in zip("xz", target, (self.width, self.height), strict=True):
            if not 0.0 <= value <= most:
                raise BackendError(
                    "the target is outside the world", place=f"{place}.{axis}", value=value, limit=f"0 to {most:g} m"
                )


SCENE = KickScene()
"""The exercise's scene."""
LOST = -0.2
"""Height of the ball below which it has left the ground for good [m]."""
PICTURE = 0.02
"""Time between two recorded postures of the leg [s]."""


class KickWorld(Backend, Protocol):
    """A Backend with a leg and a ball in the plane."""

    chain: PlanarChain
    """The leg's geometry."""
    frame: float
    """Shortest time for which a keyframe can last [s]."""

    @property
    def ball_path(self) -> Vector:
        """Times and places of the ball's centre so far, (n, 3): time [s], x, z [m]; the start included."""

    @property
    def lost(self) -> bool:
        """Whether the ball has fallen below the ground, from where it cannot come back."""

    @property
    def postures(self) -> Vector:
        """The leg so far, every `PICTURE` or tick, whichever is longer, (m, 4): time [s], true joint angles [rad]."""

    def angles(self) -> Vector:
        """True joint angles, (3,) [rad]."""
