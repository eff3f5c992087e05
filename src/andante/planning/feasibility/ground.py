"""Where a ball can touch the ground: the height of its centre over every node of a map."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.planning.course import PlanningError
from andante.terrain.height_map import HeightMap

Array = NDArray[np.float64]
_FINE = 2
"""The ground between nodes is looked at in steps of this part of the spacing."""


def ball_ground(ground: HeightMap, radius: float) -> Array:
    """Height of the centre of a ball that touches the ground, over each node, (nx, ny) [m].

    It is the dilation of the map by the ball: beside a wall or an edge the ball rests against it. Off the map the
    ground goes on as its outermost nodes.

    Args:
        ground: The ground.
        radius: Radius of the ball [m]; 0 gives the ground.

    Raises:
        PlanningError: The radius is below zero or not finite.
    """
    if not (math.isfinite(radius) and radius >= 0.0):
        raise PlanningError("the radius of a ball must not be below zero", value=radius)
    step = ground.spacing / _FINE
    reach = math.ceil(radius / step)
    fine = _refined(ground.heights)
    padded = np.pad(fine, reach, mode="edge")
    nx, ny = ground.heights.shape
    best = np.full((nx, ny), -np.inf)
    for i in range(-reach, reach + 1):
        for j in range(-reach, reach + 1):
            left = radius * radius - (i * i + j * j) * step * step
            if left < 0.0:
                continue
            rows = slice(reach + i, reach + i + _FINE * (nx - 1) + 1, _FINE)
            columns = slice(reach + j, reach + j + _FINE * (ny - 1) + 1, _FINE)
            np.maximum(best, padded[rows, columns] + math.sqrt(left), out=best)
    return best


def _refined(heights: Array) -> Array:
    """The bilinear ground at steps of half a spacing."""
    nx, ny = heights.shape
    fine = np.empty((2 * nx - 1, 2 * ny - 1))
    fine[::2, ::2] = heights
    fine[1::2, ::2] = 0.5 * (heights[1:] + heights[:-1])
    fine[:, 1::2] = 0.5 * (fine[:, 2::2] + fine[:, :-1:2])
    return fine
