"""GlobalSettings: what may be changed in the global plan of a dynamic quadruped."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from andante.documents.quantities import (
    FixedDuration,
    NonNegative,
    NonNegativeLength,
    Positive,
    PositiveCount,
    PositiveLength,
    PositiveSpeed,
    Share,
)
from andante.documents.settings import Settings

LEG = 0.412
"""Leg length of the robot that these settings are for, Quad-SDK's Spirit [m]."""
Steps = Annotated[int, Field(ge=2, le=40)]
Feet = Annotated[float, Field(gt=0.0, le=0.99)]


class GlobalSettings(Settings):
    """The global plan, for legs of 41 cm; `scaled` fits it to another robot."""

    place: ClassVar[str] = "global_plan"

    step: FixedDuration = 0.03
    """Time between two states of the plan, and between two that are tested [s]."""
    nominal_speed: PositiveSpeed = 0.75
    """Largest speed of a motion from rest to rest over level ground [m/s]."""
    largest_speed: PositiveSpeed = 2.0
    """Speed that no plan exceeds [m/s]."""
    climbing_speed: PositiveSpeed = 0.35
    """Largest vertical speed of a walking body; it makes plans slow where they climb steps [m/s]."""
    friction: Positive = 0.25
    """Horizontal force that motions may use, as a share of the vertical one."""
    climb: Share = 0.5
    """Highest step that is walked over, as a share of the leg's length."""
    foot_search: NonNegativeLength = 0.1
    """How far from below its hip a foot may find a place to stand [m]."""
    hole_margin: NonNegativeLength = 0.04
    """Distance of feet from nodes of the map inside a hole [m]."""
    least_connect: PositiveCount = 7
    """A connecting motion takes more steps than this."""
    resting: Share = 0.3
    """Share of the sampled states that are at rest; the others walk."""
    backup: Share = 0.5
    """Share of the motion before an obstacle that is given back when it is cut off there."""
    push: tuple[Steps, Steps] = (4, 6)
    """Fewest and most steps of a stance before or after a flight."""
    flight: tuple[Steps, Steps] = (5, 13)
    """Fewest and most steps of a flight."""
    ample: tuple[Steps, Steps] = (5, 11)
    """Steps of a stance and of a flight from which on a leap is none too short. It is lower than its plan, since the
    legs end their push where they are stretched; a short one leaves no time to bring the feet forward."""
    sideways: PositiveSpeed = 0.5
    """Largest change of the horizontal velocity that is tried in a stance of a leap [m/s]."""
    crouch: Share = 0.25
    """How far below standing height a body may go before and after a leap, as a share of that height."""
    largest_push: Positive = 3.7
    """Largest sum of ground reaction forces, as a multiple of the weight."""
    leap_samples: PositiveCount = 10
    """Leaps that are tried where walking does not go on."""
    leap_cost: NonNegative = 1.0
    """What a leap costs beside its time [s]: so much for each multiple of the weight at its hardest push, for each time
    that the square of the flight's speed holds that of the nominal speed, for each tenth of the standing height
    by which the body goes below it, and for each step by which stances or flight are less than ample."""
    budget: PositiveCount = 2_500_000
    """States that may be tested in all; it decides when to give up, whatever the machine."""
    horizon: PositiveCount = 20_000
    """States that the first pair of trees may test before the search begins anew."""
    growth: Annotated[Positive, Field(ge=1.0)] = 1.5
    """How much more each next pair of trees may test."""
    nodes: Annotated[int, Field(ge=16, le=200_000)] = 20_000
    """Most nodes of a tree."""
    solutions: PositiveCount = 4
    """Ways to the goal that are found before the best is taken, if the others take no longer than the first."""
    shortcuts: Annotated[int, Field(ge=0)] = 1000
    """Shortcuts that are tried on each of them."""
    arrived: PositiveLength = 0.1
    """A goal this near to the start needs no plan [m]."""
    yaw_window: PositiveCount = 25
    """States over which the yaw is meaned."""
    yaw_memory: Share = 0.98
    """Share of the difference between the robot's and the plan's yaw that is left after a step."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        for name in ("push", "flight"):
            low, high = getattr(self, name)
            if low > high:
                raise ValueError(f"{name}: the fewest steps {low} are more than the most {high}")
        if self.nominal_speed > self.largest_speed:
            raise ValueError("nominal_speed is above largest_speed")
        return self
