"""Thresholds of the design rules. Their sources are in reference ``aibo.md``, section 5."""

from __future__ import annotations

import math
from dataclasses import dataclass

from andante.motions.errors import MotionError


def _deg(value: float) -> float:
    return math.radians(value)


@dataclass(frozen=True)
class AiboRules:
    """What a motion must keep to; angles in radians, times in seconds."""

    reference: str = "walk"
    """Posture in which motions begin and end, unless their name declares others (``a_stand#sit_x``)."""
    tick: float = 0.008
    """Period at which a motion is looked at [s]."""
    end_pass: float = _deg(5.0)
    """Difference of a joint from the reference up to which an end is good."""
    end_warn: float = _deg(10.0)
    """Difference above which an end is an error."""
    end_foot: float = 0.010
    """Difference of a foot's place from the reference up to which an end is good [m]."""
    duration_pass: float = 2.0
    """Duration up to which a motion is good [s]."""
    duration_warn: float = 2.5
    """Duration above which a motion is an error [s]."""
    long_motions: frozenset[str] = frozenset({"celebrate", "celebration", "festejo"})
    """Motions that may take longer."""
    exposure: float = 0.01
    """Exposure of the head camera [s]."""
    blur: float = 2.0
    """Blur up to which a picture is of use [px]."""
    camera_pixels: float = 208.0
    """Width of the camera's picture [px]."""
    camera_view: float = _deg(56.9)
    """Width of the camera's view."""
    camera_rate: float = 30.0
    """Pictures per second."""
    lost_frames: float = 30.0
    """Pictures that a motion may lose without a warning; a second's worth, an assumption."""
    coupling_tolerance: float = _deg(0.6)
    """How far a posture may leave a coupling."""
    speed_pass: float = 1.0
    """Share of a joint's speed limit up to which it is good."""
    speed_warn: float = 2.5
    """Share above which it is an error."""
    jump_pass: float = _deg(200.0)
    """Change of velocity between two ticks up to which it is good [rad/s]."""
    jump_warn: float = _deg(1071.0)
    """Change above which it is an error: the largest in Sony's own motions [rad/s]."""
    acceleration: float = _deg(6000.0)
    """Peak acceleration of a smooth keyframe, an assumption [rad/s^2]."""
    distance: float = _deg(90.0)
    """Way between two poses that is worth a note."""
    clearance: float = 0.002
    """Distance of two bodies below which they are too close [m]."""
    overlap: float = 0.001
    """Overlap of two bodies from which they collide; shapes are approximate [m]."""
    static_margin: float = 0.010
    """Smallest distance of the centre of mass from the edge of the support polygon [m]."""
    supported: tuple[tuple[str, float, float], ...] = ()
    """Motion, from, to: times in which something else than feet carries the robot or it jumps; not judged [s]."""
    file_period: float = 0.008
    """Durations are whole multiples of this on the robot (16 ms in its motion files) [s]."""
    complete: tuple[str, ...] = ("head", "left_front_leg", "left_rear_leg", "right_front_leg", "right_rear_leg")
    """Joint groups of which a motion must name every joint but the ears."""
    optional: frozenset[str] = frozenset({"LeftEar", "RightEar"})
    """Joints that need not be named."""

    def __post_init__(self) -> None:
        for low, high in (
            ("end_pass", "end_warn"),
            ("duration_pass", "duration_warn"),
            ("speed_pass", "speed_warn"),
            ("jump_pass", "jump_warn"),
        ):
            if not 0.0 < getattr(self, low) <= getattr(self, high):
                raise MotionError(
                    "a rule's thresholds must rise",
                    place=f"rules.{high}",
                    value=getattr(self, high),
                    limit=f">= {low} = {getattr(self, low):g} > 0",
                )
