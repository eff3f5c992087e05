"""Couplings: joint angles that exclude each other although each is within its own limits.

Two kinds are published for legged robots: a joint's least angle that depends on another joint (the AIBO's shoulders),
and sets of joints that are safe only in certain ranges together (its head).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from andante.spatial.arrays import Array, Flags


class CouplingBreach(NamedTuple):
    """A coupling that a posture breaks."""

    joint: str
    """The joint that is farthest off."""
    value: float
    """Its angle [rad]."""
    limit: float
    """The nearest angle that it could have [rad]."""
    reason: str
    """What sets the limit, as a clause with angles in degrees."""

    @property
    def excess(self) -> float:
        """How far the joint is off [rad]."""
        return abs(self.value - self.limit)


@dataclass(frozen=True)
class FloorCoupling:
    """A joint's least angle as a table over another joint's angle."""

    joint: str
    """The joint that is limited."""
    driver: str
    """The joint that decides."""
    rows: tuple[tuple[float, float, float], ...]
    """Driver from, driver to, least angle, by rising driver [rad]; between two rows the stricter one counts."""

    def least(self, driver: float) -> float:
        """Least angle of the joint at an angle of the driver [rad]; beyond the table its ends count."""
        found = -math.inf
        for start, end, least in self.rows:
            if start <= driver <= end:
                found = max(found, least)
        if found > -math.inf:
            return found
        below = [row for row in self.rows if row[1] < driver]
        above = [row for row in self.rows if row[0] > driver]
        return max(row[2] for row in (*below[-1:], *above[:1]))

    def breach(self, angles: Mapping[str, float], tolerance: float = 0.0) -> CouplingBreach | None:
        """How a posture breaks the coupling by more than the tolerance [rad]; None where it does not."""
        value, driver = angles[self.joint], angles[self.driver]
        least = self.least(driver)
        if value >= least - tolerance:
            return None
        return CouplingBreach(self.joint, value, least, f"with {self.driver} at {math.degrees(driver):.1f} deg")

    def broken(self, angles: Mapping[str, Array], tolerance: float = 0.0) -> Flags:
        """Which of many postures break the coupling, (n,); angles are (n,) [rad] each."""
        driver = angles[self.driver]
        if float(angles[self.joint].min(initial=np.inf)) >= max(row[2] for row in self.rows) - tolerance:
            return np.zeros(driver.shape, dtype=bool)
        least = np.full(driver.shape, -np.inf)
        for start, end, floor in self.rows:
            least = np.where((start <= driver) & (driver <= end), np.maximum(least, floor), least)
        for index in np.flatnonzero(np.isneginf(least)):
            least[index] = self.least(float(driver[index]))
        return np.asarray(angles[self.joint] < least - tolerance)


@dataclass(frozen=True)
class SafeSets:
    """Ranges of several joints of which one must hold as a whole."""

    name: str
    """What they keep safe."""
    sets: tuple[Mapping[str, tuple[float, float]], ...]
    """Lower and upper angle per joint [rad]."""

    def breach(self, angles: Mapping[str, float], tolerance: float = 0.0) -> CouplingBreach | None:
        """How a posture leaves all sets by more than the tolerance [rad], told for the nearest set; None inside one."""
        nearest: CouplingBreach | None = None
        for number, ranges in enumerate(self.sets):
            worst: CouplingBreach | None = None
            for joint, (low, high) in ranges.items():
                limit = min(max(angles[joint], low), high)
                found = CouplingBreach(
                    joint, angles[joint], limit, f"in set {number + 1} of {len(self.sets)} of {self.name}"
                )
                if found.excess > tolerance and (worst is None or found.excess > worst.excess):
                    worst = found
            if worst is None:
                return None
            if nearest is None or worst.excess < nearest.excess:
                nearest = worst
        return nearest

    def broken(self, angles: Mapping[str, Array], tolerance: float = 0.0) -> Flags:
        """Which of many postures leave all sets, (n,); angles are (n,) [rad] each."""
        left = np.ones(next(iter(angles.values())).shape, dtype=bool)
        for ranges in self.sets:
            outside = np.zeros(left.shape, dtype=bool)
            for joint, (low, high) in ranges.items():
                # As the excess is computed there, so that both agree on the last bit.
                outside |= np.abs(angles[joint] - np.clip(angles[joint], low, high)) > tolerance
            left &= outside
        return left


Coupling = FloorCoupling | SafeSets
"""Any coupling of joints."""
