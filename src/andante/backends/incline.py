"""Incline: inclined ground of a terrain under a robot, which is set down along it as on an inclined floor."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.robots.records import Vector
from andante.spatial.rotations import exp, to_matrix
from andante.terrain.ground_plane import GroundPlane
from andante.terrain.height_map import HeightMap

_STEEPEST = 1.0
"""Rise from which on nothing stands, and a robot is set down level."""
_ACROSS = 9
"""Places along each side at which one looks for that."""


@dataclass(frozen=True, eq=False)
class Incline:
    """The plane through inclined ground."""

    rotation: Vector
    """Its rotation against the horizontal, (3, 3)."""
    height: float
    """Its height below the middle of the robot [m]."""
    above: float
    """How far the ground stands out of it at most, upwards [m]."""

    @staticmethod
    def under(ground: HeightMap, x: float, y: float, reach: float) -> Incline | None:
        """The incline within ``reach`` [m] of a place along x and y; None: it is level, uneven, a wall, or the rim."""
        along = np.linspace(-reach, reach, _ACROSS)
        spots = np.stack(np.meshgrid(along, along, indexing="ij"), axis=-1).reshape(-1, 2)
        places = spots + np.array([x, y])
        if not ground.covers(places).all():
            return None
        plane = GroundPlane.through(spots, ground.nearest(places))
        rise = plane.rise
        if not plane.inclined(reach) or rise > _STEEPEST:
            return None
        angle = math.atan(rise)
        rotation = to_matrix(exp((angle * plane.rise_y / rise, -angle * plane.rise_x / rise, 0.0)))
        return Incline(rotation, plane.height, float(plane.off.max()))
