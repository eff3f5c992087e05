"""FrozenWatch: finds encoders and IMUs that repeat the same bits while what they measure moves."""

from __future__ import annotations

import math

import numpy as np

from andante.robots.records import Command, Vector
from andante.robots.robot import Robot

_LEAST_TICKS = 8
"""A window is no shorter: an IMU that loses single readings repeats some in a row."""
_COMMANDED = 0.05
"""Commands must have moved a joint that is on by this much before still encoders are frozen ones [rad]."""
_MEASURED = 0.1
"""Joints must have moved by this much before a still IMU is a frozen one [rad]."""


class FrozenWatch:
    """Compares readings at the ends of windows of time; one that repeats itself for two windows may be frozen.

    All encoders at once are looked at, as one frozen encoder looks like a joint that is stuck, and the IMU as a whole.
    An IMU that has never changed is none that could freeze: that of a robot which is bolted down.

    Args:
        robot: The robot.
        period: Time between two readings [s].
        window: Least length of a window [s].
    """

    def __init__(self, robot: Robot, period: float, window: float) -> None:
        slices = robot.sensors_layout.slices
        self._angles = slices["position"]
        self._imu = slice(slices["orientation"].start, slices["accelerometer"].stop)
        self._ticks = max(math.ceil(window / period), _LEAST_TICKS)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.encoders = False
        """Whether the encoders are frozen."""
        self.imu = False
        """Whether the IMU is frozen."""
        self.due = 0
        """Tick at which to look again."""
        self.since = 0
        """Tick from which on what froze last has been the same."""
        self._time = math.nan
        self._last: Vector | None = None
        self._asked: Vector | None = None
        self._asked_way = self._measured_way = 0.0
        self._same_angles = self._same_imu = 0
        self._imu_lives = False

    def look(self, vector: Vector, command: Command | None, tick: int) -> bool:
        """Look at the end of a window; whether something froze or thawed."""
        last, asked = self._last, self._asked
        before = self.encoders, self.imu
        self._last, self._asked = vector, None
        if command is not None:
            self._asked = np.where(command.kp > 0.0, command.position, math.nan)
        self.due = tick + self._ticks
        if last is None or vector[0] == last[0]:
            # In windows in which time stands still everything repeats itself.
            self._same_angles = self._same_imu = 0
            return False
        still = last[self._angles].tobytes() == vector[self._angles].tobytes()
        if still:
            self._same_angles += 1
            self._asked_way += _way(self._asked, asked)
        else:
            self._same_angles, self._asked_way = 0, 0.0
        if last[self._imu].tobytes() == vector[self._imu].tobytes():
            self._same_imu += 1
            self._measured_way += _way(vector[self._angles], last[self._angles])
        else:
            self._same_imu, self._measured_way, self._imu_lives = 0, 0.0, True
        self.encoders = self._same_angles >= 2 and self._asked_way > _COMMANDED
        self.imu = self._imu_lives and self._same_imu >= 2 and self._measured_way > _MEASURED
        if self.encoders and not before[0]:
            self.since = tick - self._same_angles * self._ticks
        if self.imu and not before[1]:
            self.since = tick - self._same_imu * self._ticks
        if self.encoders or self.imu:
            # From now on every reading is compared, so that a thaw is seen at once.
            self.due = tick + 1
        return (self.encoders, self.imu) != before


def _way(now: Vector | None, before: Vector | None) -> float:
    """Largest way of a joint between two moments; 0 where nothing is known."""
    if now is None or before is None:
        return 0.0
    ways = np.abs(now - before)
    ways = ways[np.isfinite(ways)]
    return float(ways.max()) if ways.size else 0.0
