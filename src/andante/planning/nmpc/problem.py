"""NmpcProblem: what the predictive control of a single rigid body is asked, and what it answers, apart from how.

State x, (12,): position of the centre of mass [m], roll, pitch, yaw (ZYX) [rad], its velocity in the world [m/s],
angular velocity in body axes [rad/s]. Input u, (4, 3): ground reaction forces in the world [N], feet in the house's
order. The horizon has N states and N - 1 intervals; the force of an interval is constant.

Source: Quad-SDK's NMPC; costs and bounds are data here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from andante.spatial.arrays import Array, Flags, Index

FEET = 4
STATE = 12
FORCE = 3


@dataclass(frozen=True)
class RigidBody:
    """The robot as one rigid body."""

    mass: float
    """Mass [kg]."""
    inertia: Array
    """Inertia about the centre of mass in body axes, (3, 3) [kg m^2]."""


@dataclass(frozen=True, eq=False)
class NmpcProblem:
    """One solve; everything that the answer depends on besides settings and body."""

    start: Array
    """Measured state, (12,)."""
    reference: Array
    """Wanted states, (N, 12); row 0 belongs to the start. Yaw is near the start's, without jumps."""
    durations: Array
    """Length of each interval, (N - 1,) [s]; the first ends at the next point of the plan's grid."""
    contact: Flags
    """Which feet stand in each interval, (N - 1, 4)."""
    feet: Array
    """Where each foot's force acts in each interval, in the world, (N - 1, 4, 3) [m]."""
    ground: Array
    """Height of the ground below each reference state, (N,) [m]; soft lower bound of the height."""

    def copy(self) -> NmpcProblem:
        """The same in arrays of its own."""
        return NmpcProblem(
            self.start.copy(),
            self.reference.copy(),
            self.durations.copy(),
            self.contact.copy(),
            self.feet.copy(),
            self.ground.copy(),
        )

    def shares(self, weight: float) -> Array:
        """An equal share of a weight [N] on every foot that stands, (n, 4, 3) [N]."""
        forces = np.zeros((*self.contact.shape, 3))
        standing = np.maximum(self.contact.sum(axis=1, keepdims=True), 1)
        forces[:, :, 2] = np.where(self.contact, weight / standing, 0.0)
        return forces


class NmpcStatus(StrEnum):
    """How a solve ended."""

    SOLVED = "solved"
    INFEASIBLE = "infeasible"
    LIMIT = "limit"
    NOT_FINITE = "not-finite"
    FALLBACK = "fallback"
    """No solve's answer: equal shares of the weight, made by `answer.fallback` after a failure."""


@dataclass(frozen=True, eq=False)
class NmpcSolution:
    """The answer to a problem."""

    status: NmpcStatus
    """How the solve ended; states and forces are to be used only where it is ``SOLVED``."""
    states: Array
    """Planned states, (N, 12); row 0 is the start."""
    forces: Array
    """Planned forces, (N - 1, 4, 3) [N]; zero for feet that swing."""
    cost: float
    """Cost, with the slacks'."""
    iterations: int
    """Iterations of the solver."""
    time: float
    """Wall time that it took [s]; for tables only, never a reason of a decision."""
    reason: str = ""
    """Why there is no solution: which interval, foot or bound; empty where there is one."""
    held: Index | None = None
    """Where forces were held, (n, 4): bit k of a foot in an interval is face k of its pyramid (`qp.Face`). A hint for
    the solver that begins from this solution, which forces that were followed do not give; None: there is none."""

    @property
    def solved(self) -> bool:
        """Whether states and forces may be used."""
        return self.status is NmpcStatus.SOLVED
