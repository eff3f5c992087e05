"""Perturbation: a tiny change of the state in which a robot begins, for repeats of a trial in the same world."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from andante.documents.part import Part
from andante.documents.quantities import Angle, Length
from andante.robots.records import Vector
from andante.robots.robot import Robot

_STREAM = 1709
"""Keeps what is drawn here apart from all else that a seed draws."""


class Perturbation(Part):
    """A change of the state at rest, far below what any sensor tells: a trial whose verdict it turns is decided by
    chance. World, noise and everything else that the seed draws stay."""

    number: Annotated[int, Field(ge=1, le=1000)]
    """Which one: for each number another is drawn from the seed."""
    angle: Annotated[Angle, Field(ge=0.0, le=0.1)] = 1e-4
    """Each joint begins up to so far from where it came to rest, uniform [rad]."""
    lift: Annotated[Length, Field(ge=0.0, le=0.1)] = 1e-4
    """The robot begins up to so much higher, uniform [m]."""

    def drawn(self, robot: Robot, seed: int) -> tuple[Vector, float]:
        """Turns of the joints, (nj,) [rad], and the lift [m].

        Args:
            robot: The robot.
            seed: Of the run.
        """
        random = np.random.default_rng([seed, _STREAM, self.number])
        turns: Vector = random.uniform(-self.angle, self.angle, len(robot.joints))[robot.leaders]
        return turns, float(random.uniform(0.0, self.lift))
