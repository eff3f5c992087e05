"""NmpcSettings: costs and bounds of the predictive control, its horizon and its solver."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from andante.documents.choice import NameIn
from andante.documents.quantities import FixedDuration, NonNegative, Positive, Quantity
from andante.documents.settings import Settings
from andante.planning.nmpc.cost_term import COST_CHOICE, CostTerm
from andante.planning.nmpc.problem import STATE
from andante.planning.nmpc.solvers import SOLVERS

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

    costs: tuple[Annotated[CostTerm, COST_CHOICE], ...] = ()
    """Costs of the states besides the weights, by name."""
    solver: Annotated[str, NameIn(SOLVERS)] = "stages"
    """Name of the solver."""

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
        grown, units = super().scaled(size), state_units(size)
        return grown.changed(
            weights=weights_of_size(self.weights, size),
            lower=tuple(low * unit for low, unit in zip(self.lower, units, strict=True)),
            upper=tuple(high * unit for high, unit in zip(self.upper, units, strict=True)),
            slack_weight=self.slack_weight / size,
            costs=tuple(term.scaled(size) for term in self.costs),
        )


def state_units(size: float) -> tuple[float, ...]:
    """What each state variable grows by where lengths grow by ``size`` and times by its root, (12,)."""
    root = math.sqrt(size)
    return (*(size,) * 3, *(1.0,) * 3, *(root,) * 3, *(1.0 / root,) * 3)


def weights_of_size(weights: tuple[float, ...], size: float) -> tuple[float, ...]:
    """Weights of squared errors for a robot that is ``size`` times as large, (12,)."""
    return tuple(weight / unit**2 for weight, unit in zip(weights, state_units(size), strict=True))
