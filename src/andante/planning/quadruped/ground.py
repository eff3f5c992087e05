"""Ground: what the local planner knows of the terrain, as grids that kernels read."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from andante.spatial.arrays import Array2
from andante.spatial.compiled import entry, kernel

Array = NDArray[np.float64]
_FAR = 100.0
"""How far a plane without end goes on [m]."""


class Ground(NamedTuple):
    """Grids of one spacing; beyond them the outermost nodes go on."""

    x: float
    """x of the first node [m]."""
    y: float
    """y of the first node [m]."""
    spacing: float
    """Distance of neighbouring nodes [m]."""
    height: Array2
    """Height on which a foot stands, (nx, ny) [m]."""
    smooth: Array2
    """Height over which the body is carried, (nx, ny) [m]."""
    slope_x: Array2
    """Rise of that along x, (nx, ny)."""
    slope_y: Array2
    """Rise of that along y, (nx, ny)."""
    traversability: Array2
    """0 where no foot can stand, to 1, (nx, ny)."""


def level_ground(height: float = 0.0) -> Ground:
    """Level ground without end."""
    level, zero = np.full((2, 2), height), np.zeros((2, 2))
    return Ground(0.0, 0.0, 1.0, level, level.copy(), zero, zero.copy(), np.ones((2, 2)))


def support_plane(feet: Array, radius: Array) -> Ground:
    """The plane through feet that stand, without end: what a robot without a map knows of the ground.

    Args:
        feet: Centres of the feet, (n, 3) [m], three or more that do not lie in a line.
        radius: Radius of each foot, (n,) [m].
    """
    middle = feet.mean(axis=0)
    dx, dy, dz = (feet - middle).T
    dz = dz - (radius - radius.mean())
    xx, xy, yy = dx @ dx, dx @ dy, dy @ dy
    determinant = xx * yy - xy * xy
    if determinant > 1e-12:
        rise_x, rise_y = (
            (yy * (dx @ dz) - xy * (dy @ dz)) / determinant,
            (xx * (dy @ dz) - xy * (dx @ dz)) / determinant,
        )
    else:
        rise_x = rise_y = 0.0
    corner = np.array([-_FAR, _FAR])
    height = middle[2] - radius.mean() + rise_x * corner[:, None] + rise_y * corner[None, :]
    ones = np.ones((2, 2))
    x, y = middle[0] - _FAR, middle[1] - _FAR
    return Ground(float(x), float(y), 2.0 * _FAR, height, height.copy(), rise_x * ones, rise_y * ones, ones)


@kernel
def at(ground: Ground, grid: Array, x: float, y: float) -> float:
    """A grid's value at a place, bilinear."""
    nx, ny = grid.shape
    u = min(max((x - ground.x) / ground.spacing, 0.0), nx - 1.0)
    v = min(max((y - ground.y) / ground.spacing, 0.0), ny - 1.0)
    i, j = min(int(u), nx - 2), min(int(v), ny - 2)
    a, b = u - i, v - j
    low: float = (1.0 - a) * grid[i, j] + a * grid[i + 1, j]
    high: float = (1.0 - a) * grid[i, j + 1] + a * grid[i + 1, j + 1]
    value: float = (1.0 - b) * low + b * high
    return value


@kernel
def nearest(ground: Ground, grid: Array, x: float, y: float) -> float:
    """A grid's value at the node nearest to a place."""
    nx, ny = grid.shape
    i = min(max(math.floor((x - ground.x) / ground.spacing + 0.5), 0), nx - 1)
    j = min(max(math.floor((y - ground.y) / ground.spacing + 0.5), 0), ny - 1)
    value: float = grid[i, j]
    return value


@entry
def ground_height(ground: Ground, x: float, y: float) -> float:
    """Height on which a foot stands at a place [m]."""
    return at(ground, ground.height, x, y)
