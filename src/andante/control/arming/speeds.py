"""SpeedCheck: while joints move, their measured speeds are held against the way that they have gone.

A robot at rest reads speeds of 0 whatever their sign, unit and order are. The approach to a motion's first posture, or
the motion itself, is the first time that they show. Ways are compared over a tenth of a second, in which neither the
noise of an encoder counts nor the delay of a speed's filter, which makes a share smaller, but never below 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Sensors, Vector

_SPAN = 0.1
"""Ways are compared over so long [s]."""
_LEAST = 0.015
"""Ways below that are an encoder's noise, or a coarse speed that reads 0 [rad]."""
_SHOWN = 0.15
"""Sum of a joint's ways from which its speed is judged [rad]."""
_BACKWARD, _TOO_FAST, _SILENT = -0.3, 2.5, 0.1
"""Shares of the way that speeds add up to: below the first they count the other way, above the second they have
another unit, nearer to 0 than the third they read as nothing."""
_NEAR = 0.2
"""How near a share is to that of degrees."""
_MOST_NAMED = 4


class SpeedCheck:
    """Adds up measured speeds while joints move.

    Args:
        joints: Names of the joints, nj of them.
    """

    def __init__(self, joints: Sequence[str]) -> None:
        self._joints = tuple(joints)
        self.begin()

    def begin(self) -> None:
        """Forget what was seen."""
        count = len(self._joints)
        self._first: Sensors | None = None
        self._last: Sensors | None = None
        self._sum: Vector = np.zeros(count)
        self._along: Vector = np.zeros(count)
        self._way: Vector = np.zeros(count)

    def see(self, sensors: Sensors) -> bool:
        """Take a reading and give whether there is more to judge by; one that is no newer is passed over."""
        first, last = self._first, self._last
        if first is None or last is None:
            self._first = self._last = sensors
            return False
        passed = sensors.time - last.time
        if passed <= 0.0:
            return False
        if passed > _SPAN:
            # What was lost between them is not known.
            self._first, self._last, self._sum = sensors, sensors, np.zeros(len(self._joints))
            return False
        self._last = sensors
        self._sum = self._sum + 0.5 * passed * (last.velocity + sensors.velocity)
        if sensors.time - first.time < _SPAN - 1e-9:
            return False
        way = sensors.position - first.position
        if np.isfinite(way).all() and np.isfinite(self._sum).all():
            gone = np.where(np.abs(way) >= _LEAST, way, 0.0)
            self._along = self._along + self._sum * np.sign(gone)
            self._way = self._way + np.abs(gone)
        self._first, self._sum = sensors, np.zeros(len(self._joints))
        return True

    @property
    def amiss(self) -> str:
        """What is wrong with the speeds, in words; empty: nothing, or nothing was shown."""
        share = self._share()
        wrong = self._told("counts the other way, or is another joint's", share <= _BACKWARD, share)
        return wrong or self._told(_unit(share), share > _TOO_FAST, share)

    @property
    def silent(self) -> str:
        """Whose speed reads as nothing while it moves, in words; empty: nobody's."""
        share = self._share()
        return self._told("reads as nothing while it moves", np.abs(share) < _SILENT, share)

    def _share(self) -> Vector:
        """What the speeds add up to over the way that was gone, (nj,); 1 where nothing was shown."""
        shown = self._way >= _SHOWN
        return np.where(shown, self._along / np.where(shown, self._way, 1.0), 1.0)

    def _told(self, what: str, wrong: NDArray[np.bool_], share: Vector) -> str:
        where = np.flatnonzero(wrong).tolist()
        if not where:
            return ""
        names = ", ".join(self._joints[index] for index in where[:_MOST_NAMED])
        more = f" and {len(where) - _MOST_NAMED} more" if len(where) > _MOST_NAMED else ""
        told = float(share[where[0]])
        return f"the measured speed of {names}{more} {what}: it adds up to {told:.3g} of the way that was gone"


def _unit(share: Vector) -> str:
    """What shares that are too large mean."""
    large = share[share > _TOO_FAST]
    degrees = len(large) > 0 and abs(float(np.median(large)) / math.degrees(1.0) - 1.0) < _NEAR
    return "is in degrees" if degrees else "has another unit, or is another joint's"
