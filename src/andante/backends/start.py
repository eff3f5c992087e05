"""Start: where and how the robot begins, standing, hanging or lying."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field

from andante.documents.part import Part
from andante.documents.quantities import Angle, Duration, Length, NonNegative, Seconds, Stiffness

Lying = Literal["prone", "supine", "left", "right"]
"""On the front, on the back, on the left side, on the right side."""
NoiseAngle = Annotated[Angle, Field(ge=0.0)]
"""Half width of a uniform distribution [rad]."""


class Settle(Part):
    """How a robot is dropped and comes to rest before time 0 (defaults: reference/nao-physics.md, 1)."""

    duration: Duration = 1.5
    """Time from the drop to time 0 of the run [s]; rounded to physics steps."""
    held: Annotated[Seconds, Field(ge=0.0)] = 0.5
    """The servos hold the start posture this long; then they are off until the first command takes effect [s]."""
    stiffness: Stiffness = 0.1
    """Stiffness with which they hold it."""
    pitch_noise: NoiseAngle = math.radians(8.0)
    """The robot is dropped tilted up to this far, head or feet first [rad]."""
    roll_noise: NoiseAngle = math.radians(12.0)
    """The robot is dropped turned up to this far about its long axis [rad]."""


class Start(Part):
    """Where and how the robot begins; on a slope, angles are relative to the floor."""

    posture: str | dict[str, Angle] | None = None
    """Posture by name or joint angles [rad], joints not named are 0; None: ``side`` for a robot that lies on its side,
    else ``stand``, where it has one, else zeros."""
    x: Length = 0.0
    """Base position along x [m]."""
    y: Length = 0.0
    """Base position along y [m]."""
    height: Length | None = None
    """Base height [m]; None: the lowest point of the robot touches the floor."""
    clearance: Annotated[Length, Field(ge=0.0)] = 0.0
    """Distance of the lowest point from the floor when ``height`` is not given [m]."""
    lying: Lying | None = None
    """Lie on the floor; roll and pitch then turn the robot from there. A robot that rolls over while it comes to rest
    is dropped once more with new noise."""
    settle: Settle | None = None
    """Come to rest before time 0; None: only if ``lying``, with the defaults of `Settle`."""
    roll: Angle = 0.0
    """Base roll about x [rad]."""
    pitch: Angle = 0.0
    """Base pitch about y [rad]; +pi/2 lies on the front, -pi/2 on the back."""
    yaw: Angle = 0.0
    """Base yaw about z [rad]; applied as R = Rz(yaw) Ry(pitch) Rx(roll)."""
    posture_noise: NoiseAngle | dict[str, NoiseAngle] | None = None
    """Each joint starts up to this far from its angle, uniform, seeded, inside its limits; one angle for all joints, or
    angles by joint, group or pattern (``*Shoulder*``), the last that fits counts. None: for ``lying`` 30 deg in groups
    called arm and 15 deg in groups called leg, else nothing [rad]."""
    noise_scale: NonNegative = 1.0
    """Factor on the noise of posture and drop."""
    stiffness: Stiffness = 1.0
    """Stiffness with which the servos hold the start posture until the first command takes effect; without ``settle``
    only."""

    @property
    def settling(self) -> Settle | None:
        """How the robot comes to rest before time 0; None where it does not."""
        return Settle() if self.settle is None and self.lying is not None else self.settle
