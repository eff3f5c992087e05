"""RepeatWatch: finds joints whose readings stand still while those of the others go on."""

from __future__ import annotations

import numpy as np

from andante.kernels import entry
from andante.robots.records import Sensors
from andante.robots.robot import Robot
from andante.spatial.arrays import Array1, Array2, Index1


class RepeatWatch:
    """Counts how often each joint gave the same angle and speed, bit by bit.

    Args:
        robot: The robot.
        frozen_after: A joint is frozen that repeats itself for so long [s].
    """

    def __init__(self, robot: Robot, frozen_after: float) -> None:
        self._period, self._frozen_after = robot.tick, frozen_after
        self._read = np.empty((2, len(robot.joints)))
        self._repeats = np.empty(len(robot.joints), dtype=np.int64)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._read[:] = np.nan
        self._repeats[:] = 0

    @property
    def all_still(self) -> bool:
        """Whether the readings of more than half of all joints are frozen, or only repeated for want of new ones."""
        return 2 * int(np.count_nonzero(self._repeats * self._period >= self._frozen_after)) > len(self._repeats)

    def frozen(self, sensors: Sensors) -> int:
        """The first joint that is frozen, in the robot's order; -1: none is, or more than half of all are."""
        return _first(sensors.position, sensors.velocity, self._read, self._repeats, self._period, self._frozen_after)


@entry
def _first(
    position: Array1, velocity: Array1, read: Array2, repeats: Index1, period: float, frozen_after: float
) -> int:
    """Count one more tick; see `RepeatWatch.frozen`."""
    first, count = -1, 0
    for joint in range(len(position)):
        same = position[joint] == read[0, joint] and velocity[joint] == read[1, joint]
        repeats[joint] = repeats[joint] + 1 if same else 0
        read[0, joint], read[1, joint] = position[joint], velocity[joint]
        if repeats[joint] * period >= frozen_after:
            first = joint if first < 0 else first
            count += 1
    return first if 2 * count <= len(position) else -1
