"""Settings of the trot. Lengths, times and speeds are for LittleDog and scale with the leg."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from andante.control.controller import ControlError


@dataclass(frozen=True)
class TrotSettings:
    """How the trot stands and steps.

    Raises:
        ControlError: A value is not finite or below zero.
    """

    height: float = 0.72
    """Hip axis to foot, as a share of the stretched leg."""
    stance_length: float = 0.9
    """Front to hind feet, as a share of the distance of the hips."""
    stance_spread: float = 0.03
    """How much farther left and right feet stand apart than legs that hang straight down [m]."""
    half: float = 0.14
    """Time of one diagonal pair's swing and of the other's stance [s]."""
    swing: float = 1.0
    """Share of that time in which the feet swing; the rest all four are down."""
    lift: float = 0.022
    """How high feet are lifted [m]."""
    capture: float = 0.6
    """Share of the step that would catch a wrong velocity at once."""
    longest_capture: float = 0.05
    """Longest way by which a foot steps aside to catch a wrong velocity [m]."""
    attitude_rate: float = 8.0
    """Share of a tilt that the stance legs mend per second [1/s]."""
    attitude_damping: float = 0.15
    """Share of a turning speed that the stance legs take away."""
    height_rate: float = 3.0
    """Share of an error of the height that is mended per second [1/s]."""
    heading_rate: float = 1.5
    """Share of an error of the heading that is mended per second [1/s]."""
    acceleration: float = 0.5
    """How fast the speed is raised and lowered: 75 cm/s in 1.5 s [m/s^2]."""
    probe: float = 0.02
    """How far below its expected place a foot looks for the ground [m]."""
    probe_speed: float = 0.25
    """Speed at which it does [m/s]."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not (math.isfinite(value) and value >= 0.0) or (value == 0.0 and each.name in _ABOVE_ZERO):
                raise ControlError(
                    "a setting of the trot must be above zero", place=f"trot.{each.name}", value=value, limit="> 0"
                )
        if not 0.3 <= self.height <= 0.97:
            raise ControlError(
                "the leg stands neither folded nor stretched",
                place="trot.height",
                value=self.height,
                limit="0.3 to 0.97",
            )
        if self.swing > 1.0:
            raise ControlError("a swing is a share of its time", place="trot.swing", value=self.swing, limit="0 to 1")

    def scaled(self, scale: float) -> TrotSettings:
        """The same for a robot of another size: lengths by the scale, times by its root, as weight wants it."""
        root = math.sqrt(scale)
        factors = dict.fromkeys(("stance_spread", "lift", "longest_capture", "probe"), scale)
        factors |= dict.fromkeys(("half", "probe_speed"), root)
        factors |= dict.fromkeys(("attitude_rate", "height_rate", "heading_rate"), 1.0 / root)
        return TrotSettings(
            **{each.name: getattr(self, each.name) * factors.get(each.name, 1.0) for each in fields(self)}
        )


_ABOVE_ZERO = ("height", "stance_length", "half", "swing", "lift", "acceleration", "probe_speed")
