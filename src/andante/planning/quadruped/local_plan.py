"""LocalRequest and LocalPlan: what the local planner is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution
from andante.planning.quadruped.body_plan import BodyPlan
from andante.planning.quadruped.gait import GAITS, Gait
from andante.spatial.arrays import Array, Flags, Index


class Mode(IntEnum):
    """Whether the feet stay where they are."""

    STAND = 0
    STEP = 1


@dataclass(frozen=True, eq=False)
class LocalRequest:
    """The state of the robot and what is asked of it."""

    time: float
    """When this is measured [s]."""
    state: Array
    """Position of the centre of mass, roll, pitch, yaw (unwrapped), velocity in the world, angular velocity in body
    axes, (12,)."""
    feet: Array
    """Centres of the feet in the world, (4, 3) [m]."""
    contact: Flags
    """Which feet touch, (4,)."""
    twist: Array = field(default_factory=lambda: np.zeros(3))
    """Forward, lateral [m/s] and yaw rate [rad/s] in the body's heading, (3,)."""
    gait: Gait = GAITS["trot"]
    """The gait; another one than before begins where the feet of the old one change."""
    plan: BodyPlan | None = None
    """A body plan to be followed in place of the twist."""
    plan_start: float = 0.0
    """When the body plan begins [s]."""


@dataclass(frozen=True, eq=False)
class LocalPlan:
    """Body, forces and feet over the horizon."""

    time: float
    """When the state was measured that it begins from [s]."""
    index: int
    """Interval of the grid in which it begins."""
    mode: Mode
    """Whether it steps."""
    times: Array
    """Times of the states, (N,) [s]."""
    contact: Flags
    """Which feet stand in each interval, (N - 1, 4)."""
    swings: Array
    """Swings of each leg in order, (4, MOST_SWINGS, SWING): lift-off, touch-down [s], start (3,), end (3,), apex
    [m]."""
    swing_counts: Index
    """How many of each leg's swings are there, (4,)."""
    unsafe: Flags
    """Legs whose next foothold is where no foot can stand, (4,)."""
    primitives: Index
    """`Primitive` of each row of the reference, (N,)."""
    problem: NmpcProblem
    """What the predictive control was asked."""
    solution: NmpcSolution
    """What it answered; where it did not solve it, forces are the fallback's and states the reference's."""
    fallback: bool = False
    """Whether the solve failed and the forces are the defined fallback's."""
    why: str = ""
    """Why it steps though nothing is asked, or stands though something is; empty: as asked, or soon."""

    @property
    def states(self) -> Array:
        """Planned states, (N, 12)."""
        return self.solution.states

    @property
    def forces(self) -> Array:
        """Planned forces, (N - 1, 4, 3) [N]."""
        return self.solution.forces
