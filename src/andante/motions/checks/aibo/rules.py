"""Thresholds of the design rules. Their sources are in reference ``aibo.md``, section 5."""

from __future__ import annotations

from math import radians
from typing import ClassVar, Self

from pydantic import model_validator

from andante.documents.quantities import (
    AngularVelocity,
    FixedDuration,
    Length,
    NonNegative,
    NonNegativeAngle,
    NonNegativeFixedTime,
    NonNegativeLength,
    Positive,
    PositiveAngle,
    PositiveLength,
)
from andante.documents.settings import Settings
from andante.documents.validation import contradiction
from andante.motions.checks.context import ANGLE_TOLERANCE, Tick


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
    at_once: NonNegativeFixedTime = 0.016
    """A first keyframe of up to this is where the motion begins: one frame of Sony's files, in which nothing can move
    [s]."""
    angle_tolerance: NonNegativeAngle = ANGLE_TOLERANCE
    """Angles that differ by less are the same: files round them [rad]."""
    end_pass: PositiveAngle = radians(5.0)
    """Difference of a joint from the reference up to which an end is good [rad]."""
    end_warn: PositiveAngle = radians(10.0)
    """Difference above which an end is an error [rad]."""
    end_foot: PositiveLength = 0.010
    """Difference of a foot's place from the reference up to which an end is good [m]."""
    duration_pass: FixedDuration = 2.0
    """Duration up to which a motion is good [s]."""
    duration_warn: FixedDuration = 2.5
    """Duration above which a motion is an error [s]."""
    long_motions: tuple[str, ...] = ("celebrate", "celebration", "festejo")
    """Motions that may take longer."""
    exposure: FixedDuration = 0.01
    """Exposure of the head camera [s]."""
    blur: Positive = 2.0
    """Blur up to which a picture is of use [px]."""
    camera_pixels: Positive = 208.0
    """Width of the camera's picture [px]."""
    camera_view: PositiveAngle = radians(56.9)
    """Width of the camera's view [rad]."""
    camera_rate: Positive = 30.0
    """Pictures per second."""
    lost_frames: NonNegative = 30.0
    """Pictures that a motion may lose without a warning; a second's worth, an assumption."""
    coupling_tolerance: NonNegativeAngle = radians(0.6)
    """How far a posture may leave a coupling [rad]."""
    speed_pass: Positive = 1.0
    """Share of a joint's speed limit up to which it is good."""
    speed_warn: Positive = 2.5
    """Share above which it is an error."""
    jump_pass: AngularVelocity = radians(200.0)
    """Change of velocity between two ticks up to which it is good [rad/s]."""
    jump_warn: AngularVelocity = radians(1071.0)
    """Change above which it is an error: the largest in Sony's own motions [rad/s]."""
    acceleration: Positive = radians(6000.0)
    """Peak acceleration of a smooth keyframe, an assumption [rad/s^2]."""
    distance: PositiveAngle = radians(90.0)
    """Way between two poses that is worth a note [rad]."""
    clearance: NonNegativeLength = 0.002
    """Distance of two bodies below which they are too close [m]."""
    overlap: NonNegativeLength = 0.001
    """Overlap of two bodies from which they collide; shapes are approximate [m]."""
    static_margin: Length = 0.010
    """Smallest distance of the centre of mass from the edge of the support polygon [m]."""
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
        for low, high in (
            ("end_pass", "end_warn"),
            ("duration_pass", "duration_warn"),
            ("speed_pass", "speed_warn"),
            ("jump_pass", "jump_warn"),
        ):
            least = getattr(self, low)
            if not 0.0 < least <= getattr(self, high):
                raise contradiction(
                    "a rule's thresholds must rise",
                    field=high,
                    value=getattr(self, high),
                    limit=f"at least {low} = {least:g}, above 0",
                )
        return self
