"""SpeedTrim: by how much another speed is asked of the predictive control, so that the body goes as fast as it shall.

Planned forces come a few milliseconds late and rise slower than planned, joints rub, feet roll: small errors of every
step that all push one way. They add up to some percent of the speed, which weights alone do not take away. Their sum is
learnt here as an integral does, slowly and within bounds.
"""

from __future__ import annotations

import math

import numpy as np

from andante.planning.quadruped.settings import LocalSettings
from andante.spatial.arrays import Array


class SpeedTrim:
    """The integral of the speed's error, ahead and to the left in the body's heading.

    Args:
        settings: How fast and how far it goes, for this robot's size.
    """

    def __init__(self, settings: LocalSettings) -> None:
        self._settings = settings
        self._trim, self._twist = np.zeros(2), np.zeros(3)
        self._time, self._steady, self._ordered = math.inf, math.inf, False

    def asked(self, time: float, twist: Array, state: Array, stepping: bool, caught: bool) -> Array:
        """The twist to ask for, (3,).

        Args:
            time: The time [s]; it does not go back from call to call.
            twist: What the body shall do: forward, lateral [m/s] and yaw rate [rad/s], (3,).
            state: What it does, (12,).
            stepping: Whether it steps. What has been learnt across the way that it went holds until it stands, as its
                last steps err as those before; along it errors go with the speed. Steps that only catch a push teach
                nothing.
            caught: Whether a push is being caught, whose speed is no error of the steps: the trim stays as it is.
        """
        passed, self._time = max(time - self._time, 0.0), time
        if not np.array_equal(twist, self._twist):
            # A body that speeds up lags behind what is asked, which is no error of its steps.
            if not is_order(twist, self._settings):
                self._forget_along(self._twist[:2])
            self._twist, self._steady = twist.copy(), time + self._settings.trim_time
        self._ordered = stepping and (self._ordered or is_order(twist, self._settings))
        if not self._ordered:
            self._trim[:] = 0.0
        elif not caught and time >= self._steady:
            c, s = math.cos(state[5]), math.sin(state[5])
            wrong = np.array([c * state[6] + s * state[7], c * state[7] - s * state[6]]) - twist[:2]
            self._trim -= wrong * (passed / self._settings.trim_time)
            far = math.hypot(*self._trim)
            if far > self._settings.trim:
                self._trim *= self._settings.trim / far
        return np.array([twist[0] + self._trim[0], twist[1] + self._trim[1], twist[2]])

    def _forget_along(self, way: Array) -> None:
        """Take out what was learnt along a way (2,)."""
        far = math.hypot(*way)
        if far > 0.0:
            self._trim -= way * (float(way @ self._trim) / far**2)


def is_order(twist: Array, settings: LocalSettings) -> bool:
    """Whether a twist (3,) is an order to walk."""
    return float(np.abs(twist).max()) > settings.stand_command


def in_world(twist: Array, yaw: float) -> Array:
    """The velocity along x and y, (2,) [m/s], of a twist (3,) in a heading [rad]."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([c * twist[0] - s * twist[1], s * twist[0] + c * twist[1]])
