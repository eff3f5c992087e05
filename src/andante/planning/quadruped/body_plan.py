"""BodyPlan: where the body of a quadruped shall be when, with the kind of motion at every moment."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from andante.spatial.arrays import Array, Index


class Primitive(IntEnum):
    """Kinds of motion of the body; the numbers are Quad-SDK's."""

    CONNECT = 0
    """On the gait that is asked for."""
    LEAP_STANCE = 1
    """All feet down, pushing off."""
    FLIGHT = 2
    """No foot down."""
    LAND_STANCE = 3
    """All feet down, braking."""


@dataclass(frozen=True, eq=False)
class BodyPlan:
    """States of the body at equal steps of time."""

    step: float
    """Time between two states [s]."""
    states: Array
    """Position of the centre of mass, roll, pitch, yaw (unwrapped), velocity in the world, angular velocity in body
    axes, (n, 12) [m, rad, m/s, rad/s]."""
    forces: Array
    """Sum of the ground reaction forces at each state, in the world, (n, 3) [N]."""
    primitives: Index
    """`Primitive` at each state, (n,)."""
    partial: bool = False
    """Whether it ends before the goal."""

    @property
    def duration(self) -> float:
        """Time from the first to the last state [s]."""
        return self.step * (len(self.states) - 1)

    @property
    def length(self) -> float:
        """Way of the body seen from above [m]."""
        return float(np.hypot(*np.diff(self.states[:, :2], axis=0).T).sum())
