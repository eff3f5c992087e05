"""CheckSettings: what readings are believed, and for how long a lost one is replaced."""

from __future__ import annotations

from typing import ClassVar

from andante.documents.quantities import Duration, Positive, PositiveAngle
from andante.documents.settings import Settings


class CheckSettings(Settings):
    """What readings are believed, and for how long a lost one is replaced.

    The bounds are far beyond what healthy sensors read: in falls and get-ups of the shipped robots a joint was turned
    at up to 2.3 times its speed limit, and 0.06 rad beyond its stops.
    """

    place: ClassVar[str] = "check"

    ride_through: Duration = 0.25
    """A joint's angle or the IMU may be lost this long; then the robot is stopped [s]."""
    stale_limit: Duration = 1.0
    """Sensor time may stand still this long; then the robot is stopped [s]. The guard holds the posture before."""
    longest_gap: Duration = 1.0
    """A clock that goes ahead by more than this was set, and no time is taken to have passed [s]."""
    beyond_stops: PositiveAngle = 1.0
    """An angle this far beyond a joint's stops is no angle [rad]."""
    speed_share: Positive = 4.0
    """A joint may turn at this multiple of its speed limit, pushed from outside."""
    jump: PositiveAngle = 0.1
    """An angle may be off by this much more, for noise and backlash [rad]."""
    window: Duration = 0.1
    """Readings are compared over this time to find frozen ones; two windows in a row decide [s]."""
    stop_time: Duration = 0.5
    """Time over which torque fades when the robot is stopped [s]."""
