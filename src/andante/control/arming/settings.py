"""SafetySettings: the numbers of the safety sequence, each with its source."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

from pydantic import Field

from andante.documents.quantities import Angle, AngularVelocity, Duration, Number, Positive, PositiveAngle, Share
from andante.documents.settings import Settings


class SafetySettings(Settings):
    """Numbers of the safety sequence. Those that a vendor publishes are named; all others are Andante's assumptions."""

    place: ClassVar[str] = "safety"

    measure: Duration = 1.0
    """Time for which the robot is only measured, all joints off [s]."""
    rate_error: Share = 0.05
    """The robot's rate of states may be off by this share."""
    beyond_stops: PositiveAngle = 0.05
    """A joint may be measured so far beyond its stops [rad]."""
    gravity: Positive = 9.81
    """Norm of what an accelerometer at rest measures [m/s^2]."""
    gravity_error: Positive = 1.0
    """By which that may be off [m/s^2]."""
    gravity_angle: PositiveAngle = math.radians(15.0)
    """Angle that may be between the accelerometer's vertical and the orientation's [rad]."""
    rest: PositiveAngle = 0.05
    """A joint may move by no more in the last quarter of measuring [rad]."""
    still: AngularVelocity = 0.1
    """The gyro of a robot at rest reads no more [rad/s]."""
    hottest: Number = 75.0
    """No motor may be hotter; NAO's own limit of full torque is 75 deg C [deg C]."""
    battery: Share = 0.2
    """The battery must have so much of its charge, where the robot tells."""
    hot: Number | None = None
    """A motor that gets hotter during a run ends it: the robot is let go of slowly. None: that of the
    backend, by its vendor's published limit; where none is known, no temperature ends a run [deg C]."""
    warned: Annotated[Number, Field(ge=0.0)] = 5.0
    """So far below that limit it is warned [deg C]."""
    empty: Share = 0.1
    """A battery with less charge ends a run, where the robot tells; it is warned at twice as much."""
    posture: str = ""
    """Posture in which the robot must be found, by name; empty: any."""
    posture_error: PositiveAngle = 0.35
    """Distance of each joint from that posture that is let pass [rad]."""
    rise: Duration = 2.0
    """Time in which gains rise from 0 to full while the measured posture is held [s]."""
    held: PositiveAngle = 0.15
    """A joint that leaves the held posture by so much ends arming [rad]."""
    approach: Annotated[AngularVelocity, Field(gt=0.0)] = 0.5
    """Largest speed of the approach to the motion's first posture; Unitree's and Booster's examples take 0.5 to 1 s
    for theirs [rad/s]."""
    settle: Duration = 0.5
    """Time for which the first posture is held before the motion begins [s]."""
    tilt: Annotated[Angle, Field(gt=0.0)] | None = math.radians(60.0)
    """Tilt of the torso that damps all joints; published policies stop at a vertical component of gravity above -0.5,
    which is 60 deg. None: not looked at, as for get-ups [rad]."""
    hold_after: Annotated[int, Field(ge=1, le=100)] = 3
    """After so many periods without a new state the posture is held."""
    damp_after: Duration = 0.1
    """After so long without one all joints are damped [s]."""
    off_after: Duration = 0.5
    """After so long without one all joints go off [s]."""
    sit: str = "sit"
    """Posture in which the robot is let go of, by name, where it has one; empty: where it is."""
    fade: Duration = 2.0
    """Time in which gains fall to 0 [s]."""
    damping: Share = 0.5
    """Velocity gain of a damped joint as a share of its servo's, at least ``least_damping``."""
    least_damping: Annotated[Number, Field(ge=0.0)] = 0.0
    """Least velocity gain of a damped joint; vendors' examples take 2 to 5 for leg joints [N m s/rad]."""
    damp: Duration = 3.0
    """Time for which joints are damped before they go off [s]."""
    zeros: Annotated[int, Field(ge=1, le=100)] = 3
    """Commands of nothing at the end."""
    longest: Duration = 60.0
    """Arming and release together take no longer [s]."""
