"""DriveMode: what the leg control does with its plans, and how it comes to rest when it can no longer walk."""

from __future__ import annotations

from enum import IntEnum

from andante.spatial.arrays import Array


class DriveMode(IntEnum):
    """What the legs do."""

    WAIT = 0
    """Hold the posture that was measured first."""
    STAND_UP = 1
    """Go from the measured posture to standing, by joint angles."""
    READY = 2
    """Follow local plans."""
    LIE_DOWN = 3
    """Go from the measured posture to sitting, by joint angles."""
    DAMPED = 4
    """Joints are only braked: the robot has fallen, or nothing is known any more."""


class Blend:
    """Joint angles from one posture to another, at rest at both ends.

    Args:
        start: Angles at the begin, (nj,) [rad].
        end: Angles at the end, (nj,) [rad].
        begin: Time of the begin [s].
        duration: How long it takes [s].
    """

    def __init__(self, start: Array, end: Array, begin: float, duration: float) -> None:
        self._start, self._way = start.copy(), end - start
        self._begin, self._duration = begin, duration

    def at(self, time: float) -> tuple[Array, Array, bool]:
        """Angles and speeds at a time, (nj,) each, and whether the end is reached.

        A minimum-jerk profile (10 s^3 - 15 s^4 + 6 s^5).
        """
        s = min(max((time - self._begin) / self._duration, 0.0), 1.0)
        share = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
        rate = 30.0 * s * s * (1.0 - s) ** 2 / self._duration
        return self._start + share * self._way, rate * self._way, s >= 1.0
