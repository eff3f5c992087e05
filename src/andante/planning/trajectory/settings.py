"""Settings of the trajectory, for LittleDog's size: lengths grow with the course's scale, times with its root."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from andante.planning.course import PlanningError


@dataclass(frozen=True)
class Pace:
    """How briskly a step is made."""

    four_foot_time: float
    """Time between two swings in which all feet carry [s]."""
    lift: float
    """Height of a swinging foot over what lies on its way [m]."""
    ramp: float
    """Share of a swing in which it gets fast, and the same in which it gets slow."""
    use: float
    """Share of the declared speed of a joint that is used."""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("four_foot_time", 0.0, 5.0),
            ("lift", 1e-3, 0.1),
            ("ramp", 0.01, 0.5),
            ("use", 0.05, 1.0),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise PlanningError(f"the pace's {name} is out of range", value=value, limit=f"{low:g} to {high:g}")


SAFE = Pace(four_foot_time=0.06, lift=0.019, ramp=0.20, use=0.90)
"""With room for what goes wrong."""
FAST = Pace(four_foot_time=0.03, lift=0.016, ramp=0.16, use=0.97)
"""Close to what the joints can do."""
STEADY = Pace(four_foot_time=0.07, lift=0.019, ramp=0.22, use=0.72)
"""For feet that go up or down most of what a leg can: who is off by a little at that speed hits an edge hard."""


_PACES = ("safe", "fast", "steady")
_TIMES = ("start", "settle", "calm", "longest_four_foot_time", "smoothing", "correction")


@dataclass(frozen=True)
class TrajectorySettings:
    """How stances become a walk."""

    safe: Pace = SAFE
    """Pace of steps with thin margins."""
    fast: Pace = FAST
    """Pace of steps with fat margins."""
    steady: Pace = STEADY
    """Pace of steps that are tall."""
    thin_margin: float = 0.006
    """Margin of the centre of mass up to which a step is made at the safe pace [m]."""
    fat_margin: float = 0.012
    """Margin from which it is made at the fast pace [m]."""
    least_margin: float = 0.008
    """Margin that the zero moment point keeps where the support allows it [m]."""
    least_slack: float = 0.01
    """Angle that every joint keeps from its limits [rad]."""
    start: float = 0.28
    """Time in which all feet carry before the first swing [s]."""
    settle: float = 0.35
    """Time in which all feet carry after the last [s]."""
    longest_four_foot_time: float = 0.5
    """Longest time in which all feet carry between swings, where that keeps the body in reach [s]."""
    near: float = 0.026
    """How far the body shifts between two steps in the time that their pace allows [m]."""
    shifting: float = 0.25
    """Speed with which it shifts what is farther [m/s]."""
    over: float = 0.04
    """Height above both places of a foot, less its lift, from which on it goes over a wall: that takes long [m]."""
    steep: float = 0.07
    """Height that it climbs up or down from which on that takes as long [m]."""
    calm: float = 0.2
    """Time more in which all feet carry before either, so that the body is calm when the foot leaves [s]."""
    level: float = 0.012
    """Height that a foot climbs or clears, less its lift, up to which a step may be made at the fast pace [m]."""
    high: float = 0.035
    """The same from which it and its neighbours are made at the safe pace [m]."""
    tall: float = 0.085
    """The same from which a step is made at the steady pace [m]."""
    shortest: float = 0.10
    """Shortest time of a swing, which servos can follow [s]."""
    wide: float = 0.005
    """How far before and behind what is highest on its way a foot is above it, for it is not exactly there [m]."""
    wider: float = 0.012
    """The same at high edges: it falls and rises fast there, and an edge that it hits tips the robot [m]."""
    back: float = 0.025
    """How far a foot keeps back half way up or down a high edge, so that knee and shank pass it [m]."""
    edge: float = 0.06
    """Height that a foot climbs or clears from which on it keeps so much wider; from half of it on it begins to [m]."""
    longest: float = 3.0
    """Longest time of a swing, or with all feet down where no more was asked for; what needs longer is refused [s]."""
    smoothing: float = 0.05
    """Time constant over which height and turn of the body are smoothed [s]."""
    correction: float = 0.3
    """Time over which the zero moment point mends the speed with which a plan starts [s]."""
    passes: int = 14
    """Most passes of zero moment point, joints and timing."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name not in _PACES and not (math.isfinite(value) and value > 0.0):
                raise PlanningError(f"the trajectory setting {each.name} must be above zero", value=value)
        if self.high <= self.level:
            raise PlanningError("what is high is above what is level", value=self.high, limit=f"above {self.level:g} m")
        if self.fat_margin < self.thin_margin:
            raise PlanningError(
                "a fat margin is not below a thin one", value=self.fat_margin, limit=f"at least {self.thin_margin:g} m"
            )

    def timed(self, scale: float) -> TrajectorySettings:
        """The settings with the times of a robot ``scale`` times LittleDog's size, which sways that much slower."""
        time = math.sqrt(scale)
        times = {name: time * getattr(self, name) for name in _TIMES}
        paces = {
            name: replace(pace, four_foot_time=time * pace.four_foot_time)
            for name in _PACES
            for pace in (getattr(self, name),)
        }
        return replace(self, **paces, **times)

    @staticmethod
    def careful() -> TrajectorySettings:
        """Every step at the safe pace, tall ones at the steady one."""
        return TrajectorySettings(fast=SAFE)
