"""A small shaking of the ankles that frees a stuck hip yaw pitch (reference section 2.7, dialect 2025)."""

from __future__ import annotations

import math

from andante.control.keyframes.clock import to_microseconds
from andante.motions.settings import Oscillation
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role


class AnkleOscillation:
    """Opposite sines on the two ankle rolls, the larger the farther the hip yaw pitch lags behind.

    Args:
        robot: The robot; without ankle rolls or hip yaw pitch nothing oscillates.
        settings: Period, amplitude and errors; None: nothing oscillates.
    """

    def __init__(self, robot: Robot, settings: Oscillation | None) -> None:
        left, right, hip = (
            joint_with_role(robot, role) for role in ("left_ankle_roll", "right_ankle_roll", "left_hip_yaw_pitch")
        )
        self.joints: tuple[tuple[int, float], ...] = ()
        """Joints with the sign of their share; empty where nothing oscillates."""
        self.hip = hip if hip is not None else -1
        """The joint whose error is looked at."""
        self._settings = settings
        self._period = 1
        if settings is not None and left is not None and right is not None and hip is not None:
            self.joints = ((left, 1.0), (right, -1.0))
            self._period = max(to_microseconds(settings.period), 1)

    def offset(self, now: int, error: float) -> float:
        """Change of the left ankle roll [rad] at a time [us] for a hip yaw pitch error [rad]."""
        settings = self._settings
        if settings is None:
            return 0.0
        low, high = settings.error_range.min, settings.error_range.max
        size = abs(error)
        share = max(0.0, min(1.0, (size - low) / (high - low))) if high > low else float(size >= low)
        phase = now % self._period / self._period
        return settings.amplitude * share * math.sin(math.tau * phase)
