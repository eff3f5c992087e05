"""What only a row of readings shows: a clock that was set, bits that repeat themselves, a foot switch that is stuck."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from andante.control.sensor_parts import Failure
from andante.robots.records import Command, Vector
from andante.robots.robot import Robot

_LOST = 2.5
"""A step of the clock from so many periods on is told."""
_BEGIN = 0.0
"""Time at which a run begins [s]."""
_GAPS, _ROW = 25, 40
"""A clock that loses ticks at so many of so many readings, which were not good, tells no time."""
_LEAST_TICKS = 8
"""A window is no shorter: an IMU that loses single readings repeats some in a row."""
_COMMANDED = 0.05
"""Commands must have moved a joint that is on by this much before still encoders are frozen ones [rad]."""
_MEASURED = 0.1
"""Joints must have moved by this much before a still IMU is a frozen one [rad]."""
_FROM_THE_START = 0.5
"""The same where the IMU has not changed since the first reading [rad]."""
_CHANGES = 6
"""So often each other switch must have changed meanwhile: three steps."""
_APART = 0.1
"""Changes of a switch closer together than this are one: a foot that comes down bounces [s]."""
_LEAST_FEET = 3
"""With fewer feet a stance leg and a leg that plays with the ball look like a stuck switch and a good one."""


class SensorClock:
    """Follows the sensors' time for controllers, to whom it never goes back and never leaps.

    A clock that was set, back or far ahead, is believed when it goes on from there at the next tick: until then time
    stands still, afterwards it goes on from where it stood. A single wrong reading is passed over. A run begins at time
    0, so a first reading far from it is a clock that was set. One that is set again and again is no clock (`wild`).

    Args:
        period: Time between two readings [s].
        longest_gap: Largest step that is believed to be time [s].
    """

    def __init__(self, period: float, longest_gap: float) -> None:
        self._period, self._longest = period, longest_gap
        self.reset()

    def reset(self) -> None:
        """Forget everything; time begins at 0."""
        self.read = math.nan
        """The last reading that was believed [s]."""
        self.lost = 0.0
        """Time that went on by several ticks at once, in all [s]."""
        self._back = 0.0
        self._gaps: deque[int] = deque(maxlen=_GAPS)
        self._count = 0
        self.offset = 0.0
        """What is added to a reading [s]."""
        self.stale = 0.0
        """How long time has stood still, counted in periods [s]."""
        self._doubted = math.nan

    def take(self, reading: float) -> tuple[float, Failure | None, float]:
        """Time, what is wrong with its reading, and by how much time went on or back [s]."""
        self._count += 1
        first = math.isnan(self.read)
        step = reading - (_BEGIN if first else self.read)
        if abs(step) < _LOST * self._period if first else 0.0 < step <= self._longest:
            lost = step >= _LOST * self._period
            if lost:
                self.lost += step
                self._gaps.append(self._count)
            return self._believe(reading), Failure.GAP if lost else None, step
        self.stale += self._period
        if step == 0.0:
            return self._now, Failure.STALE, 0.0
        if 0.0 < reading - self._doubted <= self._longest:
            # The reading goes on from the doubted one: that one was where time stood.
            self.offset = self._now - self._doubted
            if abs(step) <= self._longest:
                self._back += abs(step)
            return self._believe(reading), None, 0.0
        if not math.isfinite(reading):
            return self._now, Failure.NOT_FINITE, 0.0
        self._doubted = reading
        return self._now, Failure.BACK if step < 0.0 else Failure.AHEAD, step

    def pass_on(self, reading: float) -> None:
        """Take a reading that is known to be good."""
        self.read, self.stale = reading, 0.0
        self._count += 1

    @property
    def wild(self) -> Failure | None:
        """What is wrong with a clock by which nothing can be timed; None where there is none such.

        It has gone back by small steps, more than its longest gap in all; or most ticks of a row were lost.
        """
        if self._back > self._longest:
            return Failure.BACK
        full = len(self._gaps) == _GAPS and self._count - self._gaps[0] < _ROW
        return Failure.GAP if full else None

    @property
    def _now(self) -> float:
        return (_BEGIN if math.isnan(self.read) else self.read) + self.offset

    def _believe(self, reading: float) -> float:
        self.read, self.stale, self._doubted = reading, 0.0, math.nan
        return self._now


class FrozenWatch:
    """Finds encoders and IMUs that repeat the same bits for two windows of time while what they measure moves.

    All encoders at once are looked at, as one frozen encoder looks like a joint that is stuck, and the IMU as a whole.
    An IMU that has never changed may be that of a robot which is bolted down: it counts as frozen where its gyro does
    not rest at exactly zero, or a foot has touched the ground, and joints have moved by more. One of a robot that is
    held by its base may touch the ground as it likes.

    It also finds an accelerometer that has measured something, and then reads exactly zero on all axes for two windows:
    no robot falls freely for so long without its joints moving it.

    Args:
        robot: The robot.
        period: Time between two readings [s].
        window: Least length of a window [s].
        held: Whether the robot is held by its base.
    """

    def __init__(self, robot: Robot, period: float, window: float, held: bool = False) -> None:
        slices = robot.sensors_layout.slices
        self._angles = slices["position"]
        self._imu = slice(slices["orientation"].start, slices["accelerometer"].stop)
        self._gyro, self._contact = slices["gyro"], slices["contact"]
        self._accelerometer, self._held = slices["accelerometer"], held
        self._ticks = max(math.ceil(window / period), _LEAST_TICKS)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.encoders = False
        """Whether the encoders are frozen."""
        self.imu = False
        """Whether the IMU is frozen."""
        self.weightless = False
        """Whether the accelerometer reads zero, and did not before."""
        self.due = 0
        """Tick at which to look again."""
        self.since = 0
        """Tick from which on what froze last has been the same."""
        self._last: Vector | None = None
        self._asked: Command | None = None
        self._asked_way = self._measured_way = 0.0
        self._same_angles = self._same_imu = self._zeros = 0
        self._imu_lives = self._free = self._weighs = False

    def look(self, vector: Vector, command: Command | None, tick: int) -> bool:
        """Look at the end of a window; whether something froze or thawed."""
        last, asked = self._last, self._asked
        before = self.encoders, self.imu, self.weightless
        self._last, self._asked = vector, None if command is None else command.copy()
        self.due = tick + self._ticks
        if last is None or vector[0] == last[0]:
            # In windows in which time stands still everything repeats itself.
            self._same_angles = self._same_imu = self._zeros = 0
            return False
        if last[self._angles].tobytes() == vector[self._angles].tobytes():
            self._same_angles += 1
            self._asked_way += _way(_asked(command), _asked(asked))
        else:
            self._same_angles, self._asked_way = 0, 0.0
        if last[self._imu].tobytes() == vector[self._imu].tobytes():
            self._same_imu += 1
            self._measured_way += _way(vector[self._angles], last[self._angles])
        else:
            self._same_imu, self._measured_way, self._imu_lives = 0, 0.0, True
        self.encoders = self._same_angles >= 2 and self._asked_way > _COMMANDED
        if not self._free:
            self._free = bool(np.any(vector[self._gyro]))
            self._free = self._free or (not self._held and bool(np.any(vector[self._contact] > 0.0)))
        way = _MEASURED if self._imu_lives else _FROM_THE_START
        self.imu = (self._imu_lives or self._free) and self._same_imu >= 2 and self._measured_way > way
        # Of three numbers numpy takes ten times as long; NaN counts as something.
        weights = vector[self._accelerometer].tolist()
        if any(weights):
            self._weighs, self._zeros = self._weighs or all(map(math.isfinite, weights)), 0
        else:
            self._zeros += not any(last[self._accelerometer].tolist())
        self.weightless = self._weighs and self._zeros >= 2
        if self.encoders and not before[0]:
            self.since = tick - self._same_angles * self._ticks
        if self.imu and not before[1]:
            self.since = tick - self._same_imu * self._ticks
        if self.weightless and not before[2]:
            self.since = tick - self._zeros * self._ticks
        if self.encoders or self.imu or self.weightless:
            # From now on every reading is compared, so that a thaw is seen at once.
            self.due = tick + 1
        return (self.encoders, self.imu, self.weightless) != before


class SwitchWatch:
    """Finds a foot switch that never changes while those of all other feet do.

    Args:
        feet: Names of the feet.
        columns: Where their contacts lie in the sensors' vector.
        period: Time between two readings [s].
    """

    def __init__(self, feet: tuple[str, ...], columns: slice, period: float) -> None:
        self._feet, self._columns, self._period = feet, columns, period
        self._watching = len(feet) >= _LEAST_FEET
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        count = len(self._feet)
        self._bytes = b""
        self._tick = 0
        # Lists: of so few feet numpy takes five times as long.
        self._state, self._stuck = [False] * count, [False] * count
        self._last, self._changes = [-(10**9)] * count, [0] * count
        self._marks = [[0] * count for _ in range(count)]
        # No switch is stuck before so many more changes were counted: each counts for one foot.
        self._before_stuck = _CHANGES * (count - 1)
        self._news: list[tuple[str, bool]] = []

    def changed(self, vector: Vector) -> bool:
        """Take a reading; whether there is something to tell."""
        if not self._watching:
            return False
        self._tick += 1
        contact = vector[self._columns]
        raw = contact.tobytes()
        if raw == self._bytes:
            return False
        first, self._bytes = not self._bytes, raw
        state, changed = self._state, []
        for foot, value in enumerate(contact.tolist()):
            if (value > 0.5) is not state[foot]:
                state[foot] = not state[foot]
                changed.append(foot)
        if changed and not first:
            self._count(changed)
        return bool(self._news)

    def take(self) -> list[tuple[str, bool]]:
        """Feet whose switch was found to be stuck (True) or to change again (False)."""
        news, self._news = self._news, []
        return news

    def _count(self, changed: list[int]) -> None:
        counted = 0
        for foot in changed:
            if (self._tick - self._last[foot]) * self._period >= _APART:
                self._changes[foot] += 1
                counted += 1
            self._last[foot] = self._tick
            if self._stuck[foot]:
                self._stuck[foot] = False
                self._news.append((self._feet[foot], False))
        for foot in changed:
            self._marks[foot] = self._changes.copy()
        self._before_stuck -= counted
        if counted and self._before_stuck <= 0:
            self._look_for_stuck()

    def _look_for_stuck(self) -> None:
        """Find feet since whose last change each other one has changed often enough."""
        nearest = _CHANGES * (len(self._feet) - 1)
        for foot, marks in enumerate(self._marks):
            if self._stuck[foot]:
                continue
            meanwhile = [now - then for now, then in zip(self._changes, marks, strict=True)]
            del meanwhile[foot]
            lacking = sum(max(_CHANGES - changes, 0) for changes in meanwhile)
            if not lacking:
                self._stuck[foot] = True
                self._news.append((self._feet[foot], True))
            else:
                nearest = min(nearest, lacking)
        self._before_stuck = nearest


def _asked(command: Command | None) -> Vector | None:
    """Angles that joints which are on were told, NaN for others, (nj,) [rad]; None: nothing was commanded."""
    return None if command is None else np.where(command.kp > 0.0, command.position, math.nan)


def _way(now: Vector | None, before: Vector | None) -> float:
    """Largest way of a joint between two moments; 0 where nothing is known."""
    if now is None or before is None:
        return 0.0
    ways = np.abs(now - before)
    ways = ways[np.isfinite(ways)]
    return float(ways.max()) if ways.size else 0.0
