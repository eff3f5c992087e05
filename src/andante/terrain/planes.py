"""Planes and means through the ground around each node of a map; beyond its rim the ground goes on as its outermost
nodes."""

from __future__ import annotations

import math

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.height_map import HeightMap


def plane_fit(ground: HeightMap, radius: float) -> tuple[Array, Array, Array]:
    """The plane of least squares through the square of half width ``radius`` [m] around each node.

    Returns:
        Rise along x, rise along y, and standard deviation from the plane [m]; (nx, ny) each.
    """
    from scipy import ndimage

    # Three nodes across are the least that have a slope and a deviation.
    reach = max(1, round(radius / ground.spacing))
    size = 2 * reach + 1
    z = ground.heights
    # Heights relative to the node keep the digits of a small deviation far above zero.
    offsets = np.arange(-reach, reach + 1) * ground.spacing
    flat = np.full(size, 1.0 / size)
    moment = offsets / size
    square = float((offsets**2).mean())

    def along_x(values: Array, weights: Array) -> Array:
        return np.asarray(ndimage.correlate1d(values, weights, axis=0, mode="nearest"))

    def along_y(values: Array, weights: Array) -> Array:
        return np.asarray(ndimage.correlate1d(values, weights, axis=1, mode="nearest"))

    shifted = z - z.mean()
    rise_x = along_y(along_x(shifted, moment), flat) / square
    rows = along_x(shifted, flat)
    mean, rise_y = along_y(rows, flat), along_y(rows, moment) / square
    del rows
    # In place: each array of a map of a million nodes takes 8 MB.
    spread = along_y(along_x(np.multiply(shifted, shifted, out=shifted), flat), flat)
    spread -= np.multiply(mean, mean, out=mean)
    explained = np.multiply(rise_x, rise_x, out=mean)
    explained += np.multiply(rise_y, rise_y, out=shifted)
    explained *= square
    spread -= explained
    return rise_x, rise_y, np.sqrt(np.maximum(spread, 0.0, out=spread), out=spread)


def disc_mean(ground: HeightMap, radius: float) -> Array:
    """Mean height within a radius [m] of each node, (nx, ny) [m]."""
    disc, _ = _disc(radius, ground.spacing)
    level = float(ground.heights.mean())
    return _correlated(ground.heights - level, disc / disc.sum()) + level


def disc_planes(ground: HeightMap, radius: float) -> tuple[Array, Array]:
    """Rise along x and along y of the planes of least squares through the nodes within a radius [m], (nx, ny) each."""
    disc, reach = _disc(radius, ground.spacing)
    steps = np.arange(-reach, reach + 1) * ground.spacing
    along = disc * steps[:, None]
    square = float((along * steps[:, None]).sum())
    shifted = ground.heights - float(ground.heights.mean())
    return _correlated(shifted, along / square), _correlated(shifted, along.T / square)


def _disc(radius: float, spacing: float) -> tuple[Array, int]:
    """Which nodes around one lie within a radius, (2 n + 1, 2 n + 1), and n, at least 1."""
    reach = max(1, math.floor(radius / spacing + 1e-9))
    steps = np.arange(-reach, reach + 1)
    inside = np.add.outer(steps**2, steps**2) <= max(radius / spacing, 1.0) ** 2 + 1e-9
    return inside.astype(np.float64), reach


def _correlated(z: Array, weights: Array) -> Array:
    from scipy import ndimage

    return np.asarray(ndimage.correlate(z, weights, mode="nearest"))
