"""EchoWatch: finds readings that are those of some time before, bit for bit: a recording, or a buffer that goes round.

Such readings have new stamps, move, and fit each other: nothing but their bits tells that they are old. No sensor
measures a quarter of a second twice. What stands still, or hardly moves, may well repeat itself. So may a robot in
simulation that does the same again and again: its readings come nearer to those of before until the last bit is the
same, while a recording begins with a leap.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import lazy_entry
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.arrays import Array1, Array2, Index1, Index2

_SPAN, _LEAST = 0.25, 20
"""So long, and at so many readings at least, all bits must repeat themselves [s]."""
_REACH = 10.0
"""Readings that are up to so old are known again [s]."""
_TOGETHER = 60
"""So many readings are looked at together at least: each call costs as much as ten of them."""
_NEAREST = 8
"""Fewer readings that go round may be a sensor that is read anew too seldom, or the last digit of one at rest."""
_MOVING = np.array([6, 3], dtype=np.int64)
"""So many numbers of the joints, and of the IMU, must change from one reading to another."""
_LEAP = 1e-5
"""Weighted sums of what is read differ by more where readings begin to be old ones [rad, rad/s, m/s^2]."""
_SEED = 0x9E3779B97F4A7C15
_HIGH, _LOW = 2**35 - 1, 2**63 - 1
"""Of a number shifted by 29 bits those that are its own; of a sum those that remain however it overflows."""


class EchoWatch:
    """Compares the readings of joints, and of the IMU, with those of the last seconds.

    Args:
        robot: The robot.
        period: Time between two readings [s].
        held: Whether the robot is held by its base: one in simulation may then repeat its way to the last bit.
    """

    def __init__(self, robot: Robot, period: float, held: bool = False) -> None:
        slices = robot.sensors_layout.slices
        self._columns = np.array(
            [
                [slices["position"].start, slices["velocity"].stop],
                [slices["orientation"].start, slices["accelerometer"].stop],
            ],
            dtype=np.int64,
        )
        self._period, self._held = period, held
        self._window = max(math.ceil(_SPAN / period), _LEAST)
        self._room = self._window + math.ceil(_REACH / period)
        # Odd factors: sums of products of 63 bits differ where any bit does, but for one case in 2^63.
        random, size = np.random.default_rng(_SEED), robot.sensors_layout.size
        self._odd = random.integers(0, 2**62, size) * 2 + 1
        self._weights = random.uniform(0.5, 1.5, size)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._rows: list[Vector] = []
        self._marks, self._sums = np.zeros((2, self._room), dtype=np.int64), np.zeros((2, self._room))
        self._count = 0
        self._found = np.zeros((2, 2), dtype=np.int64)
        self.joints = self.imu = 0.0
        """How old the readings of the joints, and of the IMU, are [s]; 0: they are new."""
        self.since = 0
        """For how many readings those that were found last had been old."""

    def look(self, rows: list[Vector]) -> bool:
        """Take readings, the last one of those before first; whether something began or ended.

        They are looked at as soon as there are enough of them.
        """
        self._rows += rows if not self._rows else rows[1:]
        if self._held or len(self._rows) <= _TOGETHER:
            return False
        block = np.concatenate(self._rows, dtype=np.float64).reshape(-1, len(self._odd))
        self._rows = []
        before = self.joints, self.imu
        bits, rings = block.view(np.int64), (self._marks, self._sums, self._count, self._window, self._found)
        self._count += len(block) - 1
        if not find_echo.now(block, bits, self._columns, self._odd, self._weights, *rings) and before == (0.0, 0.0):
            return False
        (joints, since), (imu, imu_since) = self._found.tolist()
        self.joints, self.imu = joints * self._period, imu * self._period
        self.since = max(since, imu_since)
        return (self.joints > 0.0, self.imu > 0.0) != (before[0] > 0.0, before[1] > 0.0)


@lazy_entry
def find_echo(
    rows: Array2,
    raw: Index2,
    columns: Index2,
    odd: Index1,
    weights: Array1,
    marks: Index2,
    sums: Array2,
    count: int,
    window: int,
    found: Index2,
) -> bool:
    """Note a block of readings, and find out how many readings ago the last ones were read before.

    Args:
        rows: The readings, (1 + n, size); the first is the last of the block before.
        raw: The same as bits.
        columns: Where those of each group begin and end, (2, 2).
        odd: An odd number for each column, (size,).
        weights: A weight for each column, (size,).
        marks: For each group and each of the last readings a number for its bits, (2, room); gets those of this block.
        sums: The same of its weighted sums, (2, room).
        count: How many were noted before.
        window: So many in a row must be the same.
        found: Gets for each group how many readings ago, and how many in a row are the same; 0: they are new, (2, 2).

    Returns:
        Whether some are old.
    """
    room, last = sums.shape[1], len(rows) - 1
    for group in range(2):
        begin, end = columns[group, 0], columns[group, 1]
        for row in range(1, last + 1):
            mark, total_sum = 0, 0.0
            for column in range(begin, end):
                total_sum += weights[column] * rows[row, column]
                bits = raw[row, column]
                mark += (bits ^ ((bits >> 29) & _HIGH)) * odd[column]
            marks[group, (count + row - 1) % room] = mark & _LOW
            sums[group, (count + row - 1) % room] = total_sum
        before = found[group, 0]
        found[group, 0], found[group, 1] = 0, 0
        total = count + last
        moving = 0
        for column in range(begin, end):
            new = raw[last, column]
            moving += new != raw[last - 3, column] or new != raw[last - 7, column]
        if total < 2 * window or moving < _MOVING[group]:
            continue
        changes, newest = 0, total - 1
        for back in range(window - 1):
            changes += marks[group, (newest - back) % room] != marks[group, (newest - back - 1) % room]
        if 2 * changes < window:
            continue
        mark = marks[group, newest % room]
        for ago in range(_NEAREST, min(total, room) - window + 1):
            if marks[group, (newest - ago) % room] != mark:
                continue
            length, most = 1, min(total, room) - ago
            while (
                length < most and marks[group, (newest - length) % room] == marks[group, (newest - ago - length) % room]
            ):
                length += 1
            if length < window:
                continue
            # What has been found is that until it ends; else it must have begun with a leap, or with the run.
            leap = abs(sums[group, (newest - length) % room] - sums[group, (newest - ago - length) % room])
            if before > 0 or (length == most and total < room) or (length < most and leap > _LEAP):
                found[group, 0], found[group, 1] = ago, length
            break
    return bool(found[0, 0] > 0 or found[1, 0] > 0)
