"""Settings of the trot. Lengths, times and speeds are for LittleDog and scale with the leg."""

from __future__ import annotations

from typing import ClassVar

from andante.control.legs.leg_share import LegShare
from andante.documents.quantities import (
    Duration,
    NonNegative,
    NonNegativeLength,
    NonNegativeRate,
    Positive,
    PositiveLength,
    PositiveShare,
    PositiveSpeed,
)
from andante.documents.settings import Settings


class TrotSettings(Settings):
    """How the trot stands and steps."""

    place: ClassVar[str] = "trot"

    height: LegShare = 0.72
    """Hip axis to foot, as a share of the stretched leg; it stands neither folded nor stretched."""
    stance_spread: NonNegativeLength = 0.03
    """How much farther left and right feet stand apart than legs that hang straight down [m]."""
    half: Duration = 0.14
    """Time of one diagonal pair's swing and of the other's stance [s]."""
    swing: PositiveShare = 1.0
    """Share of that time in which the feet swing; the rest all four are down."""
    lift: PositiveLength = 0.022
    """How high feet are lifted [m]."""
    capture: NonNegative = 0.6
    """Share of the step that would catch a wrong velocity at once."""
    longest_capture: NonNegativeLength = 0.05
    """Longest way by which a foot steps aside to catch a wrong velocity [m]."""
    attitude_rate: NonNegativeRate = 8.0
    """Share of a tilt that the stance legs mend per second [1/s]."""
    attitude_damping: NonNegative = 0.15
    """Share of a turning speed that the stance legs take away."""
    height_rate: NonNegativeRate = 3.0
    """Share of an error of the height that is mended per second [1/s]."""
    heading_rate: NonNegativeRate = 1.5
    """Share of an error of the heading that is mended per second [1/s]."""
    acceleration: Positive = 0.5
    """How fast the speed is raised and lowered: 75 cm/s in 1.5 s [m/s^2]."""
    probe: NonNegativeLength = 0.02
    """How far below its expected place a foot looks for the ground [m]."""
    probe_speed: PositiveSpeed = 0.25
    """Speed at which it does [m/s]."""
