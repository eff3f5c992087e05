"""FootstepSettings: how footsteps are chosen."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from andante.documents.quantities import (
    FixedDuration,
    Length,
    NonNegative,
    NonNegativeFixedTime,
    NonNegativeLength,
    Number,
    PositiveCount,
    PositiveLength,
    PositiveSpeed,
)
from andante.documents.settings import Settings
from andante.documents.validation import contradiction
from andante.planning.footsteps.footholds import FootholdLimits, FootholdWeights


class FootstepSettings(Settings):
    """How footsteps are chosen; lengths are for LittleDog's size.

    Ways are compared by their times as LittleDog would need them: speeds grow with the robot as lengths do.
    """

    place: ClassVar[str] = "footsteps"

    order: Annotated[tuple[str, ...], Field(min_length=1)] = ("HR", "FR", "HL", "FL")
    """Names of the feet in the order in which they step; a foot may skip its turn."""
    shortest: Annotated[Length, Field(le=0.0)] = -0.06
    """Farthest step back along the path [m]."""
    longest: PositiveLength = 0.17
    """Longest step along the path [m]."""
    pitch: PositiveLength = 0.03
    """Distance of the places that are looked at along the path [m]."""
    aside: NonNegativeLength = 0.025
    """How far beside its usual place a foot may go [m]."""
    outward: Length = 0.0225
    """Usual distance of a foot from where it hangs straight below its hip, away from the middle [m]."""
    squeeze: Length = 0.05
    """Least distance of a front foot ahead of the hind foot of its side [m]."""
    margin: NonNegativeLength = 0.012
    """Least distance of the centre of mass from the edge of the support triangle [m]."""
    slack: NonNegativeLength = 0.004
    """Least room of a pose [m]."""
    comfort: PositiveLength = 0.009
    """Room from which on more is worth nothing [m]."""
    lift: NonNegativeLength = 0.015
    """Height of a swinging foot over all that lies on its way [m]."""
    tolerance: PositiveLength = 0.02
    """Distance before the goal at which the middle of the feet is there [m]."""
    pause: FixedDuration = 0.14
    """Time of a step besides its way, in which all feet carry and the body moves on [s]."""
    speed: PositiveSpeed = 1.3
    """Speed of a foot over the ground [m/s]."""
    lifting: PositiveSpeed = 1.0
    """Speed of a foot up and down [m/s]."""
    skip: NonNegativeFixedTime = 0.03
    """Cost of a turn that is skipped [s]."""
    heuristic_weight: Annotated[Number, Field(ge=1.0)] = 1.6
    """How many times too much the rest of the way counts; 1 would find the best of these footsteps, in a long time."""
    stretch_penalty: NonNegative = 4.0
    """How much states count as unpromising whose feet of one side are far apart with one of them much higher [s/m]."""
    max_tests: PositiveCount = 2500
    """Steps that are tested for a pose before an attempt is given up and one with other settings is made."""
    max_poses: PositiveCount = 900_000
    """Poses that are looked at in all attempts before the course counts as one without a way, every tested step counted
    as fourteen, or six where the same was tested before: below two seconds."""
    weights: FootholdWeights = FootholdWeights()
    """Weights of the features of a foothold."""
    limits: FootholdLimits = FootholdLimits()
    """Where no foot may stand."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.shortest < -self.longest:
            raise contradiction(
                "no step back is longer than the longest step",
                field="shortest",
                value=self.shortest,
                limit=f"at least {-self.longest:g} m",
            )
        if len(set(self.order)) != len(self.order):
            raise contradiction(
                "a gait names each foot at most once", field="order", value=list(self.order), limit="once"
            )
        return self
