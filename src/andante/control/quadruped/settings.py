"""Settings of the dynamic quadruped's controller."""

from __future__ import annotations

from typing import ClassVar

from andante.documents.quantities import (
    FixedDuration,
    FixedTime,
    NonNegative,
    NonNegativeFixedTime,
    NonNegativeLength,
    NonNegativeSpeed,
    Positive,
    PositiveAngle,
    PositiveCount,
    PositiveLength,
    PositiveShare,
    Share,
)
from andante.documents.settings import Settings


class LegSettings(Settings):
    """How legs follow a local plan. Lengths and speeds are for Go2's size and scale with the leg."""

    place: ClassVar[str] = "legs"

    frequency: Positive = 40.0
    """Natural frequency of the swinging leg's errors [rad/s]."""
    damping: Positive = 1.0
    """Damping ratio of the same."""
    stance_kp: NonNegative = 0.1
    """Position gain of a standing leg as a share of a swinging leg's."""
    stance_kd: NonNegative = 0.3
    """The same of the velocity gain."""
    early: PositiveShare = 0.6
    """Share of a swing from which on a touching foot stands."""
    probe: NonNegativeSpeed = 1.0
    """Speed at which a foot that has not found the ground goes on down [m/s]."""
    leap_probe: NonNegativeSpeed = 0.3
    """The same of feet that come down from a leap: so fast they throw the landing body over [m/s]."""
    depth: NonNegativeLength = 0.06
    """How far it does [m]."""
    lost: FixedDuration = 0.02
    """A standing foot that has not touched for so long looks for the ground [s]."""
    stop_share: PositiveShare = 0.5
    """A joint that comes to a stop is braked from when that takes this share of its torque limit."""
    error: PositiveLength = 0.15
    """Largest error of a foot's place that is acted on [m]: how fast a foot follows a foothold that a push moves."""
    plan_error: PositiveLength = 0.05
    """The same where a body plan is followed: legs that are thrown farther turn the body before a landing [m]."""
    slow: Positive = 0.5
    """Speed from which on dry friction of a swinging joint is made up for [rad/s]."""
    ahead: FixedTime = 0.002
    """How far ahead of now the targets of swings are, for the delay of the drives [s]."""
    extend: FixedDuration = 0.06
    """In a flight the legs turn with the body until so long before the landing [s]."""
    acceleration: Positive = 2.0
    """How fast the asked speed is approached [m/s^2]."""
    settle: NonNegativeFixedTime = 0.3
    """A body plan begins so long after the robot stands [s]."""
    rise: FixedDuration = 1.0
    """How long standing up and lying down take [s]."""
    frozen: FixedDuration = 0.04
    """A joint is lost whose reading is the same for so long while those of others change [s]."""
    unsolved: PositiveCount = 9
    """The robot lies down after so many plans in a row without a solution; with the delay of a plan within 0.1 s."""
    fallen: PositiveAngle = 1.1
    """The joints are only braked where the body tilts more [rad]."""
    braking: NonNegative = 0.5
    """Velocity gain of a braked joint as a share of a swinging leg's."""
    powerless: Share = 0.2
    """A drive is given up where it gives less of the torque that it is asked for than this share; 0: never."""
    longest_lag: FixedDuration = 0.03
    """Longest time that a command may take to show in the readings: delay of the drives, age of the readings, and how
    unevenly both come. The drives are watched by the lag that is measured, up to this [s]."""
