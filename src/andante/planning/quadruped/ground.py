"""Ground: what the local planner knows of the terrain, as grids that kernels read."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from andante.kernels import entry, kernel
from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.planning.quadruped.global_plan.layers import body_layers
from andante.spatial.arrays import Array, Array2
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.layers import Layers, LayerSettings
from andante.terrain.lookup import bilinear, nearest

_FAR = 100.0
"""How far a plane without end goes on [m]."""
_CORNERS, _EVEN = np.array([-_FAR, _FAR]), np.ones((2, 2))


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


def mapped_ground(known: ElevationMap, layers: Layers, settings: LayerSettings) -> Ground:
    """The ground of a map: its heights for the feet, smoothed ones without pits for the body.

    A foot can stand on even ground that is not too steep, away from edges; never in a pit, nor where nothing is known.

    Args:
        known: The map.
        layers: Layers over it for the body, of any spacing.
        settings: Layers for this robot's feet.
    """
    fine = Layers.of(known, settings)
    heights, coarse = fine.ground, layers.mended
    x = (heights.x - coarse.origin[0]) / coarse.spacing
    y = (heights.y - coarse.origin[1]) / coarse.spacing

    def fitted(grid: Array) -> Array:
        from scipy import ndimage

        places = np.stack(np.meshgrid(x, y, indexing="ij"))
        return np.ascontiguousarray(ndimage.map_coordinates(grid, places, order=1, mode="nearest"))

    inside = layers.pits | layers.unknown
    stands = (fine.traversability > 0.0) & (fine.edge_distance >= settings.clearance)
    stands &= fitted(inside.astype(np.float64)) < 0.5
    rise_x, rise_y = layers.tilt
    return Ground(
        float(heights.origin[0]),
        float(heights.origin[1]),
        float(heights.spacing),
        # A copy, as a map's heights are read-only, for which kernels would be compiled anew.
        np.array(heights.heights, order="C"),
        fitted(layers.smooth),
        fitted(rise_x),
        fitted(rise_y),
        stands.astype(np.float64),
    )


@lru_cache(maxsize=8)
def ground_of_map(known: ElevationMap, leg_length: float) -> Ground:
    """The ground of a map for a robot with legs of some length [m], stretched."""
    settings = LayerSettings().scaled(leg_length / REFERENCE_LEG)
    return mapped_ground(known, body_layers(known, leg_length), settings)


def support_plane(feet: Array, radius: Array) -> Ground:
    """The plane through feet that stand, without end: what a robot without a map knows of the ground.

    Args:
        feet: Centres of the feet, (n, 3) [m], three or more that do not lie in a line.
        radius: Radius of each foot, (n,) [m].
    """
    middle, ball = np.add.reduce(feet, axis=0) / len(feet), float(np.add.reduce(radius) / len(radius))
    dx, dy, dz = (feet - middle).T
    dz = dz - (radius - ball)
    xx, xy, yy = dx @ dx, dx @ dy, dy @ dy
    determinant = xx * yy - xy * xy
    if determinant > 1e-12:
        xz, yz = dx @ dz, dy @ dz
        rise_x, rise_y = (yy * xz - xy * yz) / determinant, (xx * yz - xy * xz) / determinant
    else:
        rise_x = rise_y = 0.0
    height = middle[2] - ball + rise_x * _CORNERS[:, None] + rise_y * _CORNERS
    x, y = middle[0] - _FAR, middle[1] - _FAR
    return Ground(float(x), float(y), 2.0 * _FAR, height, height, rise_x * _EVEN, rise_y * _EVEN, _EVEN)


@kernel
def at(ground: Ground, grid: Array, x: float, y: float) -> float:
    """A grid's value at a place, bilinear."""
    return bilinear(grid, (x - ground.x) / ground.spacing, (y - ground.y) / ground.spacing)


@kernel
def nearest_to(ground: Ground, grid: Array, x: float, y: float) -> float:
    """A grid's value at the node nearest to a place."""
    return nearest(grid, (x - ground.x) / ground.spacing, (y - ground.y) / ground.spacing)


@entry
def _heights(ground: Ground, grid: Array2, places: Array2) -> Array:
    heights = np.empty(len(places))
    for row in range(len(places)):
        heights[row] = at(ground, grid, places[row, 0], places[row, 1])
    return heights


def smooth_heights(ground: Ground, places: Array) -> Array:
    """Heights over which the body is carried, (n,) [m], at places (n, 2) [m]."""
    return _heights(ground, ground.smooth, np.ascontiguousarray(places, dtype=np.float64))


def ground_heights(ground: Ground, places: Array) -> Array:
    """Heights on which feet stand, (n,) [m], at places (n, 2) [m]."""
    return _heights(ground, ground.height, np.ascontiguousarray(places, dtype=np.float64))


@entry
def ground_height(ground: Ground, x: float, y: float) -> float:
    """Height on which a foot stands at a place [m]."""
    return at(ground, ground.height, x, y)


@entry
def ground_traversability(ground: Ground, x: float, y: float) -> float:
    """How well a foot stands at the node nearest to a place: 0 not at all, to 1."""
    return nearest_to(ground, ground.traversability, x, y)
