"""Foresight: where a controller means to put the feet and to lead the body, for who looks on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from andante.robots.records import Vector


@dataclass(frozen=True, eq=False)
class Foresight:
    """What comes next by a controller's plan, in the frame in which the controller counts."""

    feet: tuple[str, ...]
    """Names of the feet that have a planned foothold; a foot may come more than once, the next foothold first."""
    footholds: Vector
    """Their places, (n, 3) [m]."""
    way: Vector
    """Way of the centre of mass from now on, (m, 3) [m]."""
    com: Vector
    """Where the controller takes the centre of mass to be now, (3,) [m]."""
    yaw: float
    """Which way it takes the robot to look [rad]."""


@runtime_checkable
class Foreseeing(Protocol):
    """A controller that plans ahead and tells it."""

    @property
    def foresight(self) -> Foresight | None:
        """What comes next; None: nothing is planned now."""
