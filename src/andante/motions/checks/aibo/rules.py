"""Thresholds of the design rules. Their sources are in docs/sources/aibo.md, section 5."""

from __future__ import annotations

from math import radians
from typing import ClassVar, Self

from pydantic import model_validator

from andante.documents.quantities import (
    FixedDuration,
    NonNegative,
    NonNegativeLength,
    Positive,
    PositiveAngle,
)
from andante.documents.settings import Settings
from andante.documents.validation import contradiction
from andante.motions.checks.context import Tick


class AiboRules(Settings):
    """What a motion must keep to.

    Raises:
        SettingsError: As `Settings`; also thresholds of a warning above those of an error.
    """

    place: ClassVar[str] = "rules"

    reference: str = "walk"
    """Posture in which motions begin and end, unless their name declares others (``a_stand#sit_x``)."""
    tick: Tick = 0.008
    """Period at which a motion is looked at [s]."""
    end_pass: PositiveAngle = radians(5.0)
    """Difference of a joint from the reference up to which an end is good [rad]."""
    end_warn: PositiveAngle = radians(10.0)
    """Difference above which an end is an error [rad]."""
    duration_pass: FixedDuration = 2.0
    """Duration up to which a motion is good [s]."""
    duration_warn: FixedDuration = 2.5
    """Duration above which a motion is an error [s]."""
    lost_frames: NonNegative = 30.0
    """Pictures that a motion may lose without a warning; a second's worth, an assumption."""
    acceleration: Positive = radians(6000.0)
    """Peak acceleration of a smooth keyframe, an assumption [rad/s^2]."""
    distance: PositiveAngle = radians(90.0)
    """Way between two poses that is worth a note [rad]."""
    clearance: NonNegativeLength = 0.002
    """Distance of two bodies below which they are too close [m]."""
    overlap: NonNegativeLength = 0.001
    """Overlap of two bodies from which they collide; shapes are approximate [m]."""
    supported: tuple[tuple[str, float, float], ...] = ()
    """Motion, from, to: times in which something else than feet carries the robot or it jumps; not judged [s]."""
    file_period: FixedDuration = 0.008
    """Durations are whole multiples of this on the robot (16 ms in its motion files) [s]."""
    complete: tuple[str, ...] = ("head", "left_front_leg", "left_rear_leg", "right_front_leg", "right_rear_leg")
    """Joint groups of which a motion must name every joint but the optional ones."""
    optional: tuple[str, ...] = ("LeftEar", "RightEar")
    """Joints that need not be named."""

    @model_validator(mode="after")
    def _thresholds_rise(self) -> Self:
        for low, high in (("end_pass", "end_warn"), ("duration_pass", "duration_warn")):
            least = getattr(self, low)
            if not 0.0 < least <= getattr(self, high):
                raise contradiction(
                    "a rule's thresholds must rise",
                    field=high,
                    value=getattr(self, high),
                    limit=f"at least {low} = {least:g}, above 0",
                )
        return self
