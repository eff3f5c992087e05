"""How the OPEN-R player sends, and what it is given: commands at times, and the seed's fixed timing."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from andante.control.openr.frames import MAX_FRAMES
from andante.documents.quantities import Count, Duration, NonNegativeTime, PositiveAngle, PositiveShare
from andante.documents.settings import Settings
from andante.documents.validation import contradiction


class PlayerSettings(Settings):
    """How the player sends."""

    place: ClassVar[str] = "openr"

    frames: Annotated[int, Field(ge=1, le=MAX_FRAMES)] = 4
    """Frames per command vector, 1 to 16."""
    buffers: Annotated[int, Field(ge=2, le=64)] = 2
    """Buffers of the sender, at least 2."""
    queue: Annotated[int, Field(ge=0, le=1000)] = 1
    """Motions that may wait while one runs; 0 rejects commands while busy."""
    stop_time: Duration = 0.064
    """Time in which a stop brings all joints to rest [s]."""
    resync: PositiveAngle = math.radians(15.0)
    """Difference between the last frame and a measured joint above which a motion starts from the measured posture
    [rad]."""
    stiffness: PositiveShare = 1.0
    """Share of the servos' gains."""
    retime: bool = True
    """Stretch keyframes in which a joint would be faster than its limit."""


class TimedCommand(Settings):
    """A command id given at a time of the run."""

    place: ClassVar[str] = "command"

    time: NonNegativeTime
    """When [s]."""
    command: Count
    """Its id."""


class FixedTiming(Settings):
    """The timing of the Eagle Knights' motions: a call counter at whose values the next pose is set.

    Every call sends one vector. The call that sets a pose interpolates to it within that vector alone; all others hold.
    """

    place: ClassVar[str] = "timing"

    switches: Annotated[tuple[int, ...], Field(min_length=1)]
    """Calls at which the motion's poses are set, rising from 1."""
    finish: int
    """Call at which the motion is over."""

    @model_validator(mode="after")
    def _rises(self) -> Self:
        calls = (0, *self.switches, self.finish)
        if any(after <= before for before, after in pairwise(calls)):
            raise contradiction(
                "counted calls must rise from 1", field="switches", value=calls[1:], limit="1 <= c1 < c2 < finish"
            )
        return self
