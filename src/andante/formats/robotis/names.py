"""Joints of ROBOTIS's humanoids by the number of their servo (Dynamixel), and angles in the servos' ticks.

The numbers are the same on DARwIn-OP, OP2, OP3 and the Bioloid, whose 18 servos end at the ankles. Angles count in the
direction of the servo, which is that of the joint in ROBOTIS's own URDF of the OP3.

Source: docs/sources/robotis.md, section 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

ROBOT = "robotis-op3"
"""Robot of files that nobody names one for."""
JOINTS: Mapping[int, str] = dict(
    enumerate(
        (
            "r_sho_pitch",
            "l_sho_pitch",
            "r_sho_roll",
            "l_sho_roll",
            "r_el",
            "l_el",
            "r_hip_yaw",
            "l_hip_yaw",
            "r_hip_roll",
            "l_hip_roll",
            "r_hip_pitch",
            "l_hip_pitch",
            "r_knee",
            "l_knee",
            "r_ank_pitch",
            "l_ank_pitch",
            "r_ank_roll",
            "l_ank_roll",
            "head_pan",
            "head_tilt",
        ),
        start=1,
    )
)
"""Joint of each servo."""
SERVOS: Mapping[str, int] = {joint: servo for servo, joint in JOINTS.items()}
"""Servo of each joint."""


@dataclass(frozen=True)
class Ticks:
    """How a servo counts angles."""

    count: int
    """Ticks from the first to beyond the last."""
    centre: int
    """The tick of angle 0."""
    turn: float
    """The angle of ``count`` ticks [rad]."""

    def angle(self, tick: int) -> float:
        """The angle of a tick [rad]."""
        return (tick - self.centre) * self.turn / self.count

    def tick(self, angle: float) -> int:
        """The tick nearest to an angle [rad], beyond the servo's where the angle is."""
        return self.centre + round(angle * self.count / self.turn)


FINE = Ticks(4096, 2048, 2.0 * math.pi)
"""MX and X servos: 4096 ticks a turn."""
COARSE = Ticks(1024, 512, math.radians(300.0))
"""AX and RX servos: 1024 ticks in 300 degrees."""
