"""Ground plane: the plane through heights of the ground, and whether it is an incline on which a robot stands."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.spatial.arrays import Array

_LEVEL = 0.05
"""Inclination up to which ground counts as level [rad]."""
_UNEVEN = 0.1
"""Share of a robot's size by which the ground may leave the plane; where it does more, as at the edge of a gap, it is
no incline."""


@dataclass(frozen=True, eq=False)
class GroundPlane:
    """The plane z = rise_x x + rise_y y + height."""

    rise_x: float
    """Rise along x."""
    rise_y: float
    """Rise along y."""
    height: float
    """Height at the origin of x and y [m]."""
    off: Array
    """How far the ground is above it at each place, (n,) [m]."""

    @staticmethod
    def through(places: Array, heights: Array) -> GroundPlane:
        """The plane with the least squares.

        Args:
            places: Where the heights are, (n, 2) [m].
            heights: Heights, (n,) [m].
        """
        rows = np.column_stack([places, np.ones(len(places))])
        found = np.linalg.lstsq(rows, heights, rcond=None)[0]
        rise_x, rise_y, height = found.tolist()
        return GroundPlane(rise_x, rise_y, height, heights - rows @ found)

    @property
    def rise(self) -> float:
        """Rise along the steepest way."""
        return math.hypot(self.rise_x, self.rise_y)

    def inclined(self, size: float) -> bool:
        """Whether it is an incline under a robot of a size [m]: neither level nor uneven ground."""
        return math.atan(self.rise) > _LEVEL and float(np.abs(self.off).max()) <= _UNEVEN * size
