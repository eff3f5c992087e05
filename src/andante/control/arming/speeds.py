"""SpeedCheck: while joints move, their measured speeds are held against the way that they have gone.

A robot at rest reads speeds of 0 whatever their sign, unit and order are. They show as soon as joints move: a limb that
swings or sinks while the robot is measured or its gains rise, the approach to a motion's first posture, the motion
itself. Ways are compared over a tenth of a second, in which neither the noise of an encoder counts nor the delay of a
speed's filter, which makes a share smaller, but never below 0.

Speeds in degrees show where a joint has hardly moved: they add up to ways that it has not gone, whatever the direction.
A late speed adds up to no more than its joint has gone, though a limb that falls and bounces may then look like one
that counts the other way; one wrong reading adds up to no more than `_MOST_EACH`.
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
_LEAP = 0.15
"""No joint that is armed turns so far from one reading to the next: it was misread, and tells nothing [rad]."""
_SHOWN = 0.15
"""Sum of a joint's ways from which its speed is judged [rad]."""
_BACKWARD, _TOO_FAST, _SILENT = -0.3, 2.5, 0.1
"""Shares of the way that speeds add up to: below the first they count the other way, above the second they have
another unit, nearer to 0 than the third they read as nothing."""
_NEAR = 0.2
"""How near a share is to that of degrees."""
_MEMORY = 1.0
"""Time constant of sums that are held against each other where joints hardly move [s]."""
_BEYOND = 0.25
"""By so much more than the joint has turned its speeds may add up to in that time [rad], as by an offset of so many
rad/s."""
_MOST_EACH = 0.12
"""No tenth of a second counts for more of it: a wrong reading, which is one's end and the next one's begin, is none
[rad]."""
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
        self._leapt = np.zeros(count, dtype=bool)
        self._along: Vector = np.zeros(count)
        self._way: Vector = np.zeros(count)
        self._recent: Vector = np.zeros((3, count))
        self.untrue = ""
        """Whose speeds added up to ways that were not gone, in words; empty: nobody's."""

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
            self._leapt[:] = False
            return False
        self._last = sensors
        self._leapt |= np.abs(sensors.position - last.position) > _LEAP
        self._sum = self._sum + 0.5 * passed * (last.velocity + sensors.velocity)
        if sensors.time - first.time < _SPAN - 1e-9:
            return False
        way = sensors.position - first.position
        if np.isfinite(way).all() and np.isfinite(self._sum).all():
            way[self._leapt] = self._sum[self._leapt] = 0.0
            gone = np.where(np.abs(way) >= _LEAST, way, 0.0)
            self._along = self._along + self._sum * np.sign(gone)
            self._way = self._way + np.abs(gone)
            told, went = np.abs(self._sum), np.abs(way)
            fading = math.exp(-(sensors.time - first.time) / _MEMORY)
            self._recent = fading * self._recent + (told, went, np.minimum(told - went, _MOST_EACH))
            self.untrue = self.untrue or self._beyond()
        self._first, self._sum = sensors, np.zeros(len(self._joints))
        self._leapt[:] = False
        return True

    @property
    def amiss(self) -> str:
        """What is wrong with the speeds, in words; empty: nothing, or nothing was shown."""
        share = self._share()
        limits = f"limits {_BACKWARD:g} to {_TOO_FAST:g}"
        wrong = self._told("counts the other way, or is another joint's", share <= _BACKWARD, share, limits)
        return wrong or self._told(_unit(share), share > _TOO_FAST, share, limits)

    def _beyond(self) -> str:
        """Whose speeds add up to far more than the ways that were gone lately, in words; empty: nobody's."""
        told, way, beyond = self._recent
        where = np.flatnonzero((beyond > _BEYOND) & (told > _TOO_FAST * way))
        if not len(where):
            return ""
        worst = int(where[np.argmax(told[where])])
        return (
            f"the measured speed of {self._named([worst, *(each for each in where.tolist() if each != worst)])} is not"
            f" that of its angle: it adds up to {told[worst]:.2f} rad while {self._joints[worst]} turned by"
            f" {way[worst]:.3f} rad, to and fro (limit {_BEYOND:g} more): degrees for radians, another unit, or another"
            " joint's?"
        )

    @property
    def silent(self) -> str:
        """Whose speed reads as nothing while it moves, in words; empty: nobody's."""
        share = self._share()
        return self._told("reads as nothing while it moves", np.abs(share) < _SILENT, share, f"limit {_SILENT:g}")

    def _share(self) -> Vector:
        """What the speeds add up to over the way that was gone, (nj,); 1 where nothing was shown."""
        shown = self._way >= _SHOWN
        return np.where(shown, self._along / np.where(shown, self._way, 1.0), 1.0)

    def _told(self, what: str, wrong: NDArray[np.bool_], share: Vector, limits: str) -> str:
        where = np.flatnonzero(wrong).tolist()
        if not where:
            return ""
        told = float(share[where[0]])
        return (
            f"the measured speed of {self._named(where)} {what}: it adds up to {told:.3g} of the way that was gone"
            f" ({limits})"
        )

    def _named(self, where: Sequence[int]) -> str:
        """Names of joints; not all where they are many."""
        more = f" and {len(where) - _MOST_NAMED} more" if len(where) > _MOST_NAMED else ""
        return ", ".join(self._joints[index] for index in where[:_MOST_NAMED]) + more


def _unit(share: Vector) -> str:
    """What shares that are too large mean."""
    large = share[share > _TOO_FAST]
    degrees = len(large) > 0 and abs(float(np.median(large)) / math.degrees(1.0) - 1.0) < _NEAR
    return "is in degrees" if degrees else "has another unit, or is another joint's"
