"""A get-up's keyframe stands still while the hip yaw pitch is far behind: without the hip, the next posture falls."""

from __future__ import annotations

import math

from andante.control.keyframes.differences import JointDifferences


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
