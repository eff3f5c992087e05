"""Places on the way to a goal that lies beyond what is known of the ground."""

from __future__ import annotations

import math

import numpy as np

from andante.planning.course import NoPlanError
from andante.spatial.arrays import Array
from andante.terrain.elevation_map import ElevationMap

_INSET = 0.25
"""Distance from the rim of the map, for LittleDog: what lies behind a goal is looked at, too [m]."""
_AROUND = 0.12
"""The ground counts within this distance, where the feet come to stand, for LittleDog [m]."""
_LEAST = 0.10
"""A way that is shorter is none, for LittleDog [m]."""
_TURNS = np.radians([0.0, 15.0, -15.0, 30.0, -30.0, 45.0, -45.0])
"""Directions that are tried, against that of the goal [rad]."""
_SHARE = 0.5
"""Share of the ground around a place that has to be known."""
_MOST = 3


def intermediate_goals(
    known: ElevationMap, position: Array, goal: tuple[float, float], scale: float
) -> list[tuple[float, float]]:
    """Places near the rim of a map in the direction of a goal beyond it, the straightest first [m].

    Args:
        known: The map.
        position: Where the robot is, (2,) [m].
        goal: Where it wants to go [m].
        scale: The robot's size against LittleDog's.

    Raises:
        NoPlanError: The map shows no ground in that direction.
    """
    ahead = math.atan2(goal[1] - position[1], goal[0] - position[0])
    low, high = np.array(known.extent).reshape(2, 2).T
    low, high = low + _INSET * scale, high - _INSET * scale
    x, y = np.meshgrid(known.x, known.y, indexing="ij")
    found: list[tuple[float, float]] = []
    for turn in _TURNS.tolist():
        way = np.array([math.cos(ahead + turn), math.sin(ahead + turn)])
        # How far until the first side of the inner rectangle.
        rims = np.where(way > 0.0, high, low) - position
        far = float(np.min(np.where(np.abs(way) > 1e-9, rims / np.where(np.abs(way) > 1e-9, way, 1.0), np.inf)))
        while far >= _LEAST * scale:
            place = position + far * way
            near = np.hypot(x - place[0], y - place[1]) <= _AROUND * scale
            if known.known[near].mean() >= _SHARE:
                found.append((float(place[0]), float(place[1])))
                break
            far -= _AROUND * scale
        if len(found) == _MOST:
            break
    if not found:
        raise NoPlanError(
            "the map shows no ground on the way to the goal, which lies beyond it",
            place=f"x {position[0]:.2f} m, y {position[1]:.2f} m",
            value=[round(float(value), 3) for value in goal],
            limit=f"known: x {known.extent[0]:.2f} to {known.extent[1]:.2f}, "
            f"y {known.extent[2]:.2f} to {known.extent[3]:.2f} m",
        )
    return found
