"""What a foot of a planned crawl remembers of its switch, its swing and its stand, and a tick of its plan."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from andante.control.crawl.timeline import Setpoint, Timeline
from andante.spatial.arrays import Array


@dataclass(frozen=True, eq=False)
class FootTick:
    """What the plan wants in one tick."""

    timeline: Timeline
    """The plan under way."""
    time: float
    """Time of the plan [s]."""
    lead: float
    """How far ahead of it joints are commanded [s]."""
    here: Setpoint
    """The plan at this time."""
    ahead: Setpoint
    """The plan at the commanded time."""

    @staticmethod
    def of(timeline: Timeline, time: float, lead: float) -> FootTick:
        """The plan at a time, with joints commanded ``lead`` ahead [s]."""
        return FootTick(timeline, time, lead, timeline.at(time), timeline.at(time + lead))


@dataclass
class Switch:
    """What is known of a foot's switch."""

    always: int = 0
    """Swings in a row in which it never opened."""
    never: int = 0
    """Landings in a row that it did not feel."""
    felt: bool = False
    """Whether it has ever closed."""


@dataclass
class SwingState:
    """A swing under way."""

    start: Array = field(default_factory=lambda: np.zeros(3))
    """How far from the plan's the foot lifted off, (3,) [m]."""
    lifted: float = 0.0
    """By how much a stumble lifts it now [m]."""
    wanted_lift: float = 0.0
    """By how much it shall be lifted [m]."""
    left: bool = False
    """Whether the switch has opened."""
    floor: float = -math.inf
    """Height below which it does not go now, since it has met something beside its place [m]."""


@dataclass
class StandState:
    """A time on the ground, or that in which it is looked for."""

    searched: float = 0.0
    """How far below its place the foot looks for the ground [m]."""
    lost: int = 0
    """Ticks since it touched."""
    pressed: bool = False
    """Whether it stands on something that its switch does not tell of."""
    arriving: bool = False
    """Whether it has ended its swing and looks for the ground for the first time."""
    reported: bool = False
    """Whether this time's missing ground has been told."""
