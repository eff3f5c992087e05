"""NmpcProblem: what the predictive control of a single rigid body is asked, and what it answers, apart from how.

State x, (12,): position of the centre of mass [m], roll, pitch, yaw (ZYX) [rad], its velocity in the world [m/s],
angular velocity in body axes [rad/s]. Input u, (4, 3): ground reaction forces in the world [N], feet in the house's
order. The horizon has N states and N - 1 intervals; the force of an interval is constant.

Source: Quad-SDK's NMPC; costs and bounds are data here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar, Protocol, Self

import numpy as np
from pydantic import Field, model_validator

from andante.documents.quantities import FixedDuration, NonNegative, Positive, Quantity
from andante.documents.settings import Settings
from andante.spatial.arrays import Array, Flags, Index

FEET = 4
STATE = 12
FORCE = 3
Twelve = Annotated[tuple[NonNegative, ...], Field(min_length=STATE, max_length=STATE)]
Bound = Annotated[float, Quantity("number", unbounded=True)]
TwelveBounds = Annotated[tuple[Bound, ...], Field(min_length=STATE, max_length=STATE)]
_FREE = (math.inf,) * STATE


class NmpcSettings(Settings):
    """Costs and bounds. Weights are per interval of length ``step``; each is scaled by its interval's length.

    Forces count as shares of the robot's weight, so that robots of one size and any mass move alike. With the lengths
    (`scaled`) an error's weight changes as the square of its unit: of one shape and any size they move alike too.

    Raises:
        SettingsError: As all settings, and where a lower bound is above its upper one.
    """

    place: ClassVar[str] = "nmpc"

    states: Annotated[int, Field(ge=3, le=100)] = 26
    """States in the horizon."""
    step: FixedDuration = 0.03
    """Time between two states [s]: three plans of a computer that plans each 10 ms, for robots of any size. Forces that
    are held for longer than that while plans come as often are turned over from state to state."""
    weights: Twelve = (5.0, 5.0, 100.0, 20.0, 20.0, 10.0, 5.0, 5.0, 1.0, 0.2, 0.2, 0.2)
    """Weights of half the squared errors of the state: position, attitude, velocity, angular velocity."""
    growth: Positive = 2.0
    """How much heavier the last state's weights are than the first's."""
    share_weight: Positive = 1.1127
    """Weight of half the squared difference of a force from an equal share of the weight, both as shares of the
    robot's weight."""
    friction: Positive = 0.6
    """Friction coefficient that is believed; forces stay inside its square pyramid."""
    least_force: NonNegative = 0.05
    """Least vertical force of a standing foot, as a share of the weight."""
    largest_force: Positive = 1.5
    """Largest vertical force of a standing foot, as a share of the weight."""
    lower: TwelveBounds = tuple(-each for each in _FREE)
    """Soft lower bounds of the state; that of the height is counted from the ground (infinite: the ground itself)."""
    upper: TwelveBounds = _FREE
    """Soft upper bounds of the state; that of the height is counted from the ground."""
    slack_weight: Positive = 200.0
    """Cost of leaving a soft bound by one unit; it changes with the size as that of a place does, in 1/m."""

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        if self.least_force > self.largest_force:
            raise ValueError(f"least_force {self.least_force:g} is above largest_force {self.largest_force:g}")
        for number, (low, high) in enumerate(zip(self.lower, self.upper, strict=True)):
            if not low <= high:
                raise ValueError(f"bounds of state variable {number} contradict each other: {low:g} to {high:g}")
        return self

    def scaled(self, size: float) -> Self:
        """The same for a robot that is ``size`` times as large as the one that they are for."""
        units = state_units(size)
        return (
            super()
            .scaled(size)
            .changed(
                weights=weights_of_size(self.weights, size),
                lower=tuple(low * unit for low, unit in zip(self.lower, units, strict=True)),
                upper=tuple(high * unit for high, unit in zip(self.upper, units, strict=True)),
                slack_weight=self.slack_weight / size,
            )
        )


def state_units(size: float) -> tuple[float, ...]:
    """What each state variable grows by where lengths grow by ``size`` and times by its root, (12,)."""
    root = math.sqrt(size)
    return (*(size,) * 3, *(1.0,) * 3, *(root,) * 3, *(1.0 / root,) * 3)


def weights_of_size(weights: tuple[float, ...], size: float) -> tuple[float, ...]:
    """Weights of squared errors for a robot that is ``size`` times as large, (12,)."""
    return tuple(weight / unit**2 for weight, unit in zip(weights, state_units(size), strict=True))


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


class NmpcSolver(Protocol):
    """Solves problems of one body with one horizon."""

    @property
    def settings(self) -> NmpcSettings:
        """Costs and bounds."""
        ...

    def solve(self, problem: NmpcProblem, guess: NmpcSolution | None = None) -> NmpcSolution:
        """The solution of a problem.

        Args:
            problem: What is asked.
            guess: A solution that is near, already shifted to this problem's grid; None: begin at the reference.
        """
        ...
