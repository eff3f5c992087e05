"""AgreementWatch: finds sensors that contradict each other while the robot moves, as one that was mounted wrongly.

Such a sensor reads what it can read, only not what is: a gyro with another sign, a quaternion in another order, an
accelerometer in g. Nothing of it shows in one reading. So what is told twice is compared: turns by gyro and
orientation, down by accelerometer and orientation, ways of joints by their angles and speeds. A contradiction is told,
and the readings are believed: which of the two is wrong is for people to find out.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from andante.control.agreement_kernels import AGREES, COLUMNS, CONTRADICTS, SILENT, add_block
from andante.control.agreement_words import imu_words, joint_words
from andante.control.sensor_parts import SensorPart
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.arrays import Array2
from andante.spatial.gravity import GRAVITY

_LAG, _LAGS = 0.02, 5
"""Readings so far apart are compared [s], and so many differences make a block."""
_MOST_LAGS = 2.0
"""Differences over so many times their time are left out."""
_MEMORY = 1.5
"""Time constant of what is known [s]."""
_IN_A_ROW = 3
"""So many blocks in a row must contradict before it is told, and as many agree before it is taken back."""
_KEPT = 12
"""Blocks that are kept for finding out how the IMU is wrong."""
_HALF = 0.5
"""The accelerometer is averaged over so long, twice in a row [s]."""
_PUSHED = 4.0
"""A mean that differs from gravity by more is no push: no robot gains so much speed for a second [m/s^2]."""
_GROSS, _ROW = 12.0, 3
"""A difference of more than free fall, in so many blocks in a row, is told at once [m/s^2]."""
_SIZES = (0.3, 3.0)
"""Mean sizes of its readings beyond these shares of gravity are another unit."""
_IN_G = 0.25
"""So small a share of gravity looks like g."""


@dataclass(frozen=True)
class Contradiction:
    """Two sensors of one part that contradict each other, or do so no more."""

    part: SensorPart
    """Which."""
    joints: tuple[str, ...]
    """Names of joints; none of the IMU."""
    begins: bool
    """False: they agree again."""
    text: str
    """In words."""


class AgreementWatch:
    """Compares the sensors of one run.

    Args:
        robot: The robot.
        period: Time between two readings [s].
        absent: Fields of the sensors that the robot does not have.
    """

    def __init__(self, robot: Robot, period: float, absent: frozenset[str] = frozenset()) -> None:
        layout = robot.sensors_layout
        fields = ("position", "velocity", "orientation", "gyro", "accelerometer")
        self._places = np.array([layout.slices[name].start for name in fields], dtype=np.int64)
        self._names, self._size = robot.joint_names, layout.size
        self._lag = max(1, round(_LAG / period))
        self.length = _LAGS * self._lag
        """Readings of a block, after its first."""
        span = self.length * period
        self._longest = _MOST_LAGS * self._lag * period
        self._decay = math.exp(-span / _MEMORY)
        self._halves = max(1, round(_HALF / span))
        self._turns_told = not absent & {"orientation", "gyro"}
        self._force_told = not absent & {"orientation", "accelerometer"}
        self._joints_told = not absent & {"position", "velocity"}
        # The accelerometer, the last one, is judged over a second as it is.
        self._limits = np.array([*[_IN_A_ROW] * (len(self._names) + 3), 1])
        self._imu = np.r_[0, self._places[2] : self._places[2] + 4, self._places[3] : self._places[3] + 3]
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        count = len(self._names)
        self._joint_sums, self._turn_sums = np.zeros((count, COLUMNS)), np.zeros((3, COLUMNS))
        self._said = np.zeros(count + 3, dtype=np.int64)
        self._room = np.zeros((4, max(count + 3, 11)))
        self._against = np.zeros(count + 4, dtype=np.int64)
        self._open = np.zeros(count + 4, dtype=np.bool_)
        self._force, self._forces = np.zeros(4), np.zeros(4)
        self._before: Vector = np.zeros(4)
        self._blocks = 0
        self._kept: deque[Vector] = deque(maxlen=_KEPT)
        self._alert = False
        self._words: dict[int, tuple[SensorPart, str]] = {}
        self._gross = 0
        self._last_off = (0.0, 0.0, 0.0)

    def look(self, rows: list[Vector]) -> list[Contradiction]:
        """What blocks of readings show, beside those before them; nothing mostly.

        Args:
            rows: Their readings, ``length`` each and one more: the last of the block before comes first.
        """
        # Of whatever type the numbers of a backend of others are.
        readings = np.concatenate(rows, dtype=np.float64).reshape(-1, self._size)
        found: list[Contradiction] = []
        for begin in range(0, len(rows) - 1, self.length):
            found += self._add(readings[begin : begin + self.length + 1])
        return found

    def _add(self, block: Array2) -> list[Contradiction]:
        said, count = self._said, len(self._names)
        sums = self._joint_sums, self._turn_sums
        add_block.now(block, self._places, self._lag, self._longest, self._decay, *sums, self._force, said, self._room)
        self._kept.append(block)
        gravity = self._gravity()
        # Searching the bytes for a sign is quicker than numpy on so few numbers.
        if not self._alert and gravity >= 0 and b"\xff" not in said.tobytes():
            return []
        if not self._joints_told:
            said[:count] = SILENT
        if not self._turns_told:
            said[count:] = SILENT
        now, before = np.append(said, gravity), self._against
        more, less = np.maximum(before, 0) + 1, np.minimum(before, 0) - 1
        counted = np.where(now == CONTRADICTS, more, np.where(now == AGREES, less, before))
        self._against = np.clip(counted, -self._limits, self._limits)
        begins = (self._against == self._limits) & ~self._open
        ends = (self._against == -self._limits) & self._open
        was, imu = self._open, slice(count, count + 3)
        self._open = (was | begins) & ~ends
        # The three axes of the gyro are told as one.
        begins[imu] &= not was[imu].any()
        ends[imu] &= not self._open[imu].any()
        self._alert = bool((self._open | (self._against > 0)).any())
        return self._tell(begins, True) + self._tell(ends, False)

    def _gravity(self) -> int:
        """What the accelerometer says beside the orientation, at the end of every half; else nothing."""
        if not self._force_told:
            return SILENT
        # Three numbers: of so few numpy takes several times as long.
        x, y, z, size = self._force.tolist()
        off, (a, b, c) = (x, y, z - GRAVITY), self._last_off
        far = off[0] * off[0] + off[1] * off[1] + off[2] * off[2] > _GROSS**2
        gross = far and off[0] * a + off[1] * b + off[2] * c >= 0.0 and (x, y, z, size) != (0.0, 0.0, 0.0, 0.0)
        self._gross, self._last_off = self._gross + 1 if gross else 0, off
        if self._gross >= _ROW:
            self._before = self._force.copy()
            return CONTRADICTS
        self._blocks += 1
        self._forces += self._force
        if self._blocks % self._halves:
            return SILENT
        mean, self._forces = self._forces / self._halves, np.zeros(4)
        before, self._before = self._before, mean
        if self._blocks < 2 * self._halves or not mean.any() or not before.any():
            return SILENT
        later, earlier = mean[:3] - (0.0, 0.0, GRAVITY), before[:3] - (0.0, 0.0, GRAVITY)
        apart = min(math.sqrt(later @ later), math.sqrt(earlier @ earlier)) > _PUSHED
        return CONTRADICTS if apart and later @ earlier > 0.0 else AGREES

    def _tell(self, which: Vector, begins: bool) -> list[Contradiction]:
        count = len(self._names)
        texts: dict[tuple[SensorPart, str], list[str]] = {}
        for joint in np.flatnonzero(which[:count]).tolist():
            if begins:
                self._words[joint] = joint_words(self._joint_sums[joint])
            part, text = self._words[joint]
            texts.setdefault((part, text if begins else ""), []).append(self._names[joint])
        found = [Contradiction(part, tuple(names), begins, text) for (part, text), names in texts.items()]
        if which[count : count + 3].any():
            text = imu_words(np.stack(self._kept)[:, :, self._imu], self._lag) if begins else ""
            found.append(Contradiction(SensorPart.IMU, (), begins, "gyro and orientation: " + text if begins else ""))
        if which[-1]:
            found.append(Contradiction(SensorPart.IMU, (), begins, self._gravity_words() if begins else ""))
        return found

    def _gravity_words(self) -> str:
        share = float(self._before[3]) / GRAVITY
        if not _SIZES[0] < share < _SIZES[1]:
            unit = ", as it would in g" if share < _IN_G else ""
            return f"accelerometer: it measures {self._before[3]:.2f} m/s^2 on average in place of {GRAVITY:.2f}{unit}"
        size = float(np.linalg.norm(self._before[:3]))
        apart = math.degrees(math.acos(max(-1.0, min(1.0, float(self._before[2]) / max(size, 1e-9)))))
        return f"accelerometer and orientation tell of ups that are {apart:.0f} deg apart"
