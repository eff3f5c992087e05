"""Settings of the trajectory, for LittleDog's size: lengths grow with the course's scale, times with its root."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from andante.documents.quantities import (
    Duration,
    FixedDuration,
    Length,
    Number,
    PositiveCount,
    PositiveLength,
    PositiveSpeed,
    Seconds,
)
from andante.documents.settings import Settings
from andante.documents.validation import contradicting


class Pace(Settings):
    """How briskly a step is made."""

    place: ClassVar[str] = "pace"

    four_foot_time: Annotated[Seconds, Field(ge=0.0, le=5.0)]
    """Time between two swings in which all feet carry [s]."""
    lift: Annotated[Length, Field(ge=1e-3, le=0.1)]
    """Height of a swinging foot over what lies on its way [m]."""
    ramp: Annotated[Number, Field(ge=0.01, le=0.5)]
    """Share of a swing in which it gets fast, and the same in which it gets slow."""
    use: Annotated[Number, Field(ge=0.05, le=1.0)]
    """Share of the declared speed of a joint that is used."""


SAFE = Pace(four_foot_time=0.06, lift=0.019, ramp=0.20, use=0.90)
"""With room for what goes wrong."""
FAST = Pace(four_foot_time=0.03, lift=0.016, ramp=0.16, use=0.97)
"""Close to what the joints can do."""
STEADY = Pace(four_foot_time=0.07, lift=0.019, ramp=0.22, use=0.72)
"""For feet that go up or down most of what a leg can: who is off by a little at that speed hits an edge hard."""


class TrajectorySettings(Settings):
    """How stances become a walk."""

    place: ClassVar[str] = "trajectory"

    safe: Pace = SAFE
    """Pace of steps with thin margins."""
    fast: Pace = FAST
    """Pace of steps with fat margins."""
    steady: Pace = STEADY
    """Pace of steps that are tall."""
    thin_margin: PositiveLength = 0.006
    """Margin of the centre of mass up to which a step is made at the safe pace [m]."""
    fat_margin: PositiveLength = 0.012
    """Margin from which it is made at the fast pace [m]."""
    least_margin: PositiveLength = 0.012
    """Margin that the zero moment point keeps where the support allows it [m]."""
    start: Duration = 0.28
    """Time in which all feet carry before the first swing [s]."""
    settle: Duration = 0.35
    """Time in which all feet carry after the last [s]."""
    longest_four_foot_time: Duration = 0.5
    """Longest time in which all feet carry between swings, where that keeps the body in reach [s]."""
    near: PositiveLength = 0.026
    """How far the body shifts between two steps in the time that their pace allows [m]."""
    shifting: PositiveSpeed = 0.25
    """Speed with which it shifts what is farther [m/s]."""
    over: PositiveLength = 0.04
    """Height above both places of a foot, less its lift, from which on it goes over a wall: that takes long [m]."""
    steep: PositiveLength = 0.07
    """Height that it climbs up or down from which on that takes as long [m]."""
    calm: Duration = 0.2
    """Time more in which all feet carry before either, so that the body is calm when the foot leaves [s]."""
    level: PositiveLength = 0.012
    """Height that a foot climbs or clears, less its lift, up to which a step may be made at the fast pace [m]."""
    high: PositiveLength = 0.035
    """The same from which it and its neighbours are made at the safe pace [m]."""
    tall: PositiveLength = 0.085
    """The same from which a step is made at the steady pace [m]."""
    shortest: FixedDuration = 0.10
    """Shortest time of a swing, which servos can follow [s]."""
    wide: PositiveLength = 0.005
    """How far before and behind what is highest on its way a foot is above it, for it is not exactly there [m]."""
    wider: PositiveLength = 0.012
    """The same at high edges: it falls and rises fast there, and an edge that it hits tips the robot [m]."""
    back: PositiveLength = 0.025
    """How far a foot keeps back half way up or down a high edge, so that knee and shank pass it [m]."""
    edge: PositiveLength = 0.06
    """Height that a foot climbs or clears from which on it keeps so much wider; from half of it on it begins to [m]."""
    longest: FixedDuration = 3.0
    """Longest time of a swing, or with all feet down where no more was asked for; what needs longer is refused [s]."""
    smoothing: Duration = 0.05
    """Time constant over which height and turn of the body are smoothed [s]."""
    correction: Duration = 0.3
    """Time over which the zero moment point mends the speed with which a plan starts [s]."""
    passes: PositiveCount = 14
    """Most passes of zero moment point, joints and timing."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.high <= self.level:
            raise contradicting(self, "high", "what is high is above what is level", f"above {self.level:g} m")
        if self.fat_margin < self.thin_margin:
            limit = f"at least {self.thin_margin:g} m"
            raise contradicting(self, "fat_margin", "a fat margin is not below a thin one", limit)
        return self

    def timed(self, scale: float) -> TrajectorySettings:
        """The settings with the times of a robot ``scale`` times LittleDog's size, which sways that much slower."""
        paces = {name: getattr(self, name).grown(scale, "time") for name in ("safe", "fast", "steady")}
        return self.grown(scale, "time").model_copy(update=paces)

    @staticmethod
    def careful() -> TrajectorySettings:
        """Every step at the safe pace, tall ones at the steady one."""
        return TrajectorySettings(fast=SAFE)
