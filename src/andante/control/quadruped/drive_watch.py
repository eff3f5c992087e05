"""DriveWatch: finds joints whose drives do not give the torque that they are asked for, however late that shows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.control.quadruped.drive_words import DriveHistory
from andante.kernels import entry
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot
from andante.spatial.arrays import Array1, Array2, Array3, Index1

_NONE = np.zeros(0, dtype=np.int64)
_GIVES = 0.5
"""A drive that has given this share of the asked torque once has a sensor of torque that can be believed."""
_AGAINST = 0.5
"""A drive turns the wrong way whose torque along what is asked is below minus this share of its size."""
_CAP = 0.1
"""Difference of asked and measured torque, as a share of the limit, from which on more says nothing of the lag."""
_ALIKE, _ROUGH = 1.5, 0.005
"""A lag is plausible whose mean difference is below so many times the least and so much more, as shares of limits."""
_ODD = 0.05
"""Mean difference of one joint, as a share of its limit, from which on it is looked at."""
_WARM = 4.0
"""Means are known after so many times their time constant."""
_HISTORY = 0.12
"""Readings that are kept for finding out why no lag fits [s]."""
_SHOWN = 0.5
"""A lag is known by which torques differ by no more than this share of what they would if none were given."""


class DriveWatch:
    """Compares the torques that drives were asked for with those that they measure.

    A dead motor is not told by its angle: the leg may hang or be carried along for most of a step. What it was asked
    for is known, gains and torque-speed limit included, and so is what it gives; the means of both over some hundredths
    of a second differ by a tenth where all is well.

    Which command a reading shows depends on the delay of the drives, the age of the reading and how evenly both come,
    and nobody tells a controller. So the lag is measured: at each reading all commands of the last ``longest`` seconds
    are compared, and those lags are plausible by which the joints' torques fit best, all joints together. A drive is
    lost where no plausible lag explains what it gives, and no other lag explains it either. Where readings come
    unevenly and a torque changes its sign from tick to tick, no one lag explains it; but who gives torque is not dead,
    so a lost drive also gives little whatever its direction, or the opposite of what is asked by every plausible lag.

    Args:
        robot: The robot.
        share: A drive is lost that gives less than this share of what it is asked for; 0: none ever is.
        memory: Time constant of the means [s].
        least: Least mean of the asked torque by which a drive is judged, as a share of its limit.
        longest: Longest lag that is looked at [s].
    """

    def __init__(self, robot: Robot, share: float, memory: float, least: float, longest: float = 0.03) -> None:
        self._period = robot.tick
        self._rules = np.array([min(robot.tick / memory, 1.0), share])
        self._warm = math.ceil(_WARM * memory / robot.tick)
        speeds = np.array([servo.torque_speed or (np.inf, np.inf) for servo in robot.servos], dtype=np.float64)
        self._drives = np.array([robot.max_effort, *speeds.T, least * robot.max_effort])
        self._limits = np.maximum(robot.max_effort, 1e-9)
        usual = robot.delay_ticks + 1
        self._count = max(math.ceil(longest / robot.tick - 1e-9), usual + 1)
        self.longest = self._count * self._period
        """Longest lag that is looked at [s]."""
        self.usual = usual * self._period
        """Lag of readings without age by the robot's own delay, a period in which a command acts included [s]."""
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        count, joints = self._count, self._drives.shape[1]
        kept = count + round(_HISTORY / self._period)
        self._commands, self._readings = np.zeros((kept, 5, joints)), np.zeros((kept, 3, joints))
        self._numbers = np.full(kept, -1, dtype=np.int64)
        self._given = 0
        self._means = np.zeros((count, 3, joints))
        self._joints = np.zeros((3, joints))
        self._fits = np.zeros(count)
        self._time = -math.inf
        self._lost = _NONE

    @property
    def lag(self) -> float:
        """Time after which a command shows in the readings, by the best fit [s]; nan: not known yet, not told apart
        from others, as where the robot stands still, or none fits."""
        if self._given < self._count + self._warm or not self._time > -math.inf:
            return math.nan
        fits = self._fits
        alike = np.flatnonzero(fits <= _ALIKE * fits.min() + _ROUGH)
        if alike[-1] - alike[0] > 2:
            return math.nan
        nothing = np.minimum(self._means[np.argmin(fits), 0] / self._limits, _CAP).mean()
        if fits.min() > _SHOWN * nothing:
            return math.nan
        return float((1 + np.argmin(fits)) * self._period)

    @property
    def odd(self) -> bool:
        """Whether the torques of all joints, or of one, do not fit by the best lag."""
        if self._given < self._count:
            return False
        best = int(np.argmin(self._fits))
        return bool(self._fits[best] > 2.0 * _ROUGH or self._means[best, 2].max() > _ODD)

    def explains(self, count: int) -> bool:
        """Whether some lag fits all joints but so many; where none does, nothing can be said of single drives."""
        allowed = count * _CAP / self._drives.shape[1] + 2.0 * _ROUGH
        return bool(self._fits.min() <= allowed)

    def history(self) -> DriveHistory:
        """The last readings, and the commands that each may show."""
        kept, count = len(self._numbers), self._count
        numbers = np.arange(max(self._given - kept + count, count), self._given + 1)
        numbers = numbers[self._numbers[(numbers - 1) % kept] == numbers]
        lags = np.arange(count)[:, None]
        position, velocity, effort = np.moveaxis(self._readings[(numbers - 1) % kept], 1, 0)
        commands = self._commands[(numbers - 1 - lags) % kept]
        return DriveHistory(position, velocity, effort, commands, self._period, self._drives[:3])

    def commanded(self, command: Command) -> None:
        """Remember what is asked for at this tick."""
        self._commands[self._given % len(self._commands)] = command.vector.reshape(5, -1)
        self._given += 1

    def lost(self, sensors: Sensors) -> NDArray[np.int64]:
        """Joints that do not give what they are asked for, in the robot's order.

        A record of the same time as the last, a reading that came twice, changes nothing.
        """
        time = sensors.time
        if self._given < self._count or time == self._time:
            return self._lost
        self._time = time
        position, velocity, effort = sensors.position, sensors.velocity, sensors.effort
        kept = (self._commands, self._readings, self._numbers, self._given)
        _compare(*kept, position, velocity, effort, self._drives, self._rules, self._means, self._fits)
        if self._rules[1] > 0.0:
            count = _judge(self._drives, self._rules, self._means, self._fits, effort, self._joints)
            self._lost = np.flatnonzero(self._joints[1]) if count else _NONE
        return self._lost


@entry
def _compare(
    commands: Array3,
    readings: Array3,
    numbers: Index1,
    given: int,
    position: Array1,
    velocity: Array1,
    effort: Array1,
    drives: Array2,
    rules: Array1,
    means: Array3,
    fits: Array1,
) -> None:
    """Follow the means of one reading, by every lag.

    Args:
        commands: Position, velocity, kp, kd and torque of each joint at the last ticks, a ring, (n, 5, nj).
        readings: Angles, speeds and torques that were read after each, (n, 3, nj); gets these.
        numbers: How many commands had been given before each reading, (n,); gets this.
        given: How many have been.
        position: Measured angles, (nj,) [rad].
        velocity: Measured speeds, (nj,) [rad/s].
        effort: Measured torques, (nj,) [N m].
        drives: Torque limit, corner and no-load speed (infinite: no slope), and least mean by which one is judged,
            (4, nj).
        rules: Gain of the means, and the share below which a drive is lost, (2,).
        means: By lag, from the newest command on, means of the asked torque, of the torque given in its direction, and
            of their difference as a share of the limit, cut at a tenth, (nk, 3, nj); changed.
        fits: Gets the mean of these differences over the joints, by lag, (nk,).
    """
    kept, newest = len(commands), (given - 1) % len(commands)
    numbers[newest] = given
    for joint in range(len(position)):
        readings[newest, 0, joint] = position[joint]
        readings[newest, 1, joint] = velocity[joint]
        readings[newest, 2, joint] = effort[joint]
    for lag in range(len(means)):
        asked = commands[(newest - lag) % kept]
        total = 0.0
        for joint in range(len(position)):
            limit, no_load = drives[0, joint], drives[2, joint]
            torque = asked[2, joint] * (asked[0, joint] - position[joint]) + asked[4, joint]
            torque += asked[3, joint] * (asked[1, joint] - velocity[joint])
            torque = min(max(torque, -limit), limit)
            sign = 1.0 if torque > 0.0 else -1.0 if torque < 0.0 else 0.0
            most = limit
            if math.isfinite(no_load):
                share = (no_load - sign * velocity[joint]) / (no_load - drives[1, joint])
                most *= min(max(share, 0.0), 1.0)
            torque = min(abs(torque), most)
            along = sign * effort[joint]
            apart = min(abs(torque - along) / limit, _CAP) if limit > 0.0 else 0.0
            means[lag, 0, joint] += rules[0] * (torque - means[lag, 0, joint])
            means[lag, 1, joint] += rules[0] * (along - means[lag, 1, joint])
            means[lag, 2, joint] += rules[0] * (apart - means[lag, 2, joint])
            total += means[lag, 2, joint]
        fits[lag] = total / len(position)


@entry
def _judge(drives: Array2, rules: Array1, means: Array3, fits: Array1, effort: Array1, joints: Array2) -> int:
    """Which joints no lag explains; gives how many.

    Args:
        drives: As in `_compare`.
        rules: As there.
        means: As there.
        fits: As there.
        effort: As there.
        joints: Whether each joint has given it once, whether it is lost now, and the mean size of its torque [N m],
            (3, nj); changed.
    """
    most = _ALIKE * fits.min() + _ROUGH
    count = 0
    for joint in range(joints.shape[1]):
        joints[2, joint] += rules[0] * (abs(effort[joint]) - joints[2, joint])
        size, lost = joints[2, joint], True
        for lag in range(len(fits)):
            asked, given = means[lag, 0, joint], means[lag, 1, joint]
            judged = asked > drives[3, joint]
            plausible = fits[lag] <= most
            if plausible and judged and given > _GIVES * asked:
                joints[0, joint] = 1.0
            if judged and given >= rules[1] * asked:
                lost = False
            if plausible and not judged:
                lost = False
            if plausible and size >= rules[1] * asked and given > -_AGAINST * size:
                lost = False
        lost = lost and joints[0, joint] > 0.5
        joints[1, joint] = 1.0 if lost else 0.0
        count += 1 if lost else 0
    return count
