"""Settings of the reactive crawl. Lengths and speeds are for LittleDog and scale with the leg."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import model_validator

from andante.control.legs.leg_share import LegShare
from andante.documents.quantities import (
    Duration,
    NonNegativeLength,
    Positive,
    PositiveCount,
    PositiveLength,
    PositiveRate,
    PositiveSpeed,
)
from andante.documents.settings import Settings
from andante.documents.validation import contradiction


class ReactiveCrawlSettings(Settings):
    """How the reactive crawl stands, shifts and steps."""

    place: ClassVar[str] = "crawl"

    height: LegShare = 0.72
    """Hip axis to foot in standing, as a share of the stretched leg; it stands neither folded nor stretched."""
    stance_spread: PositiveLength = 0.04
    """How much farther left and right feet stand apart than legs that hang straight down [m]."""
    step_height: PositiveLength = 0.03
    """How far a foot is lifted before it goes across [m]."""
    longest_step: PositiveLength = 0.11
    """Longest way of a foot in one swing [m]."""
    probe: PositiveLength = 0.03
    """How far below its place of lift-off a foot looks for the ground [m]."""
    swing_speed: PositiveSpeed = 0.9
    """Speed of a foot up and across, where its joints allow it [m/s]."""
    down_speed: PositiveSpeed = 0.25
    """Speed of a foot on its last way down [m/s]."""
    shift_speed: PositiveSpeed = 0.25
    """Largest speed of the centre of mass [m/s]."""
    shift_acceleration: Positive = 2.0
    """Largest acceleration of the centre of mass [m/s^2]."""
    margin: PositiveLength = 0.018
    """Distance from the edges of the support triangle at which the centre of mass is wanted [m]."""
    guard: NonNegativeLength = 0.009
    """Distance from the edges that the centre of mass, with its momentum, needs before a foot lifts [m]."""
    height_rate: PositiveRate = 1.0
    """Share of an error of the stance's height, and of the body's attitude over the feet, that is mended per second
    [1/s]."""
    press: NonNegativeLength = 0.003
    """How far a foot on the ground is pushed down while its switch is open, at most, beyond its place [m]."""
    shift_timeout: Duration = 2.0
    """Time that a shift may take before the body goes to the middle of its feet and tries again [s]."""

    stuck_window: PositiveCount = 32
    """Swings that are looked at to tell whether it gets on."""
    stuck_swings: PositiveCount = 18
    """So many of them that met something on the way, and it gives up."""

    @model_validator(mode="after")
    def _lifts(self) -> Self:
        if self.guard > self.margin:
            raise contradiction(
                "a foot would never lift: the guard asks for more than the shift gives",
                field="guard",
                value=self.guard,
                limit=f"at most margin = {self.margin:g} m",
            )
        if self.stuck_swings > self.stuck_window:
            raise contradiction(
                "it would never give up: more swings are asked for than are looked at",
                field="stuck_swings",
                value=self.stuck_swings,
                limit=f"at most stuck_window = {self.stuck_window}",
            )
        return self
