"""What is done about a hip yaw pitch that lags: a get-up's keyframe stands still, or the ankles shake it free.

Without the hip, the next posture falls. The shaking is that of dialect 2025 (docs/sources/keyframe-engine.md, 2.7).
"""

from __future__ import annotations

import math

from andante.control.keyframes.clock import to_microseconds
from andante.control.keyframes.differences import JointDifferences
from andante.motions.settings import Oscillation
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role


class LagPause:
    """Decides tick by tick whether the running keyframe's clock stands.

    Args:
        differences: Joint errors with the servo's delay taken out.
        joint: Index of the joint that is waited for; None: nothing is waited for.
        limit: Error above which the clock stands [rad].
        longest: Time for which one keyframe may stand in all [us].
    """

    def __init__(
        self, differences: JointDifferences, joint: int | None, limit: float = math.inf, longest: int = 0
    ) -> None:
        self._differences, self._joint = differences, joint
        self.limit, self.longest = limit, longest
        self.used = 0
        """Time for which the running keyframe has stood [us]."""

    def start(self) -> None:
        """A keyframe begins."""
        self.used = 0

    def stands(self, tick: int) -> bool:
        """Whether the clock stands in this tick of ``tick`` [us], which is then counted."""
        if self._joint is None or self.used + tick > self.longest:
            return False
        if abs(float(self._differences.filtered[self._joint])) <= self.limit:
            return False
        self.used += tick
        return True


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
