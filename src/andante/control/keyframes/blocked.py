"""A leg joint that never moves, however far behind it is: no motion stands up with it, and further tries are in vain.

A locked joint shows itself by being stiff, far behind its request (delay taken out), and exactly where it was. Time in
which it is so adds up over tries; any move ends the suspicion, so that a joint that sticks for a while, or runs dry, is
never taken for one.
"""

from __future__ import annotations

import math

import numpy as np

from andante.control.keyframes.blocked_kernels import stood_still
from andante.control.keyframes.differences import JointDifferences
from andante.control.keyframes.energy import limb_mask
from andante.robots.records import Vector
from andante.robots.robot import Robot


class BlockedJoints:
    """Watches the legs of one robot.

    Args:
        robot: The robot; joints of groups with ``leg`` in their name are watched.
        differences: Joint errors with the servo's delay taken out.
        tick: Period [s].
    """

    def __init__(self, robot: Robot, differences: JointDifferences, tick: float) -> None:
        own = robot.leaders == np.arange(len(robot.joints))
        self._legs = np.flatnonzero(limb_mask(robot, "leg") & own)
        self._names, self._differences, self._tick = robot.joint_names, differences, tick
        self.limit = math.inf
        """Time for which a joint must have stood still to count as blocked [s]."""
        self.reset()

    def reset(self) -> None:
        """Suspect nobody."""
        self._place = np.full(len(self._legs), math.nan)
        self._time = np.zeros(len(self._legs))
        self.longest = 0.0
        """Time for which the most suspicious joint should have moved and did not [s]."""

    def update(self, measured: Vector, stiffness: Vector) -> None:
        """Look at one tick of a get-up: measured positions [rad] and stiffness, both (nj,)."""
        self.longest = stood_still.now(
            measured, self._differences.filtered, stiffness, self._legs, self._tick, self._place, self._time
        )

    def why(self, factor: float = 1.0) -> str:
        """Says which joint is blocked, by so many times the time that tells it; empty where none is."""
        if self.longest < factor * self.limit:
            return ""
        return f"{self._names[self._legs[int(np.argmax(self._time))]]} does not move, whatever is asked"
