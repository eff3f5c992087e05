"""How much noise a map shows, from the map itself, the map with less of it, and with small holes filled.

Noise that is independent from node to node is what second differences are made of: level ground and slopes have none,
and edges are few, so that the median does not see them.
"""

from __future__ import annotations

import math

import numpy as np

from andante.spatial.arrays import Array, Flags
from andante.terrain.elevation_map import ElevationMap

_NORMAL = 1.4826
"""Standard deviation over median deviation of a normal distribution."""
_REACH, _WIDTH = 2, 1.2
"""Neighbours that are averaged, in nodes either way, and the standard deviation of their weights [nodes]."""
_ALIKE = 4.0
"""Neighbours whose height differs by this many times the noise count exp(-1/2)."""

_LINES = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Directions in which a hole is crossed, in nodes."""
_ACROSS = 4
"""Nodes that are looked at on either side of an unknown one."""
_EDGE = 4.0
"""Both ends of a line across a hole that differ by this many times `_ALIKE` times the noise are ends of an edge."""

_RIM, _EVEN = 1, 2.5
"""Nodes around a hole that count as its rim, and how many times the noise they may deviate from a plane."""


def height_noise(known: ElevationMap) -> float:
    """Standard deviation of the noise that a map shows, independent from node to node [m]; 0 where too little is known.

    It is the median of the second differences along both axes, whose variance is six times that of a height.
    """
    z = known.heights
    bends = [np.abs(np.diff(z, n=2, axis=axis)).ravel() for axis in (0, 1) if z.shape[axis] > 2]
    found = np.concatenate([*bends, np.empty(0)])
    found = found[np.isfinite(found)]
    return float(_NORMAL * np.median(found) / math.sqrt(6.0)) if found.size else 0.0


def denoised(known: ElevationMap, noise: float) -> ElevationMap:
    """A map with less noise: each height is the mean of neighbours of about its height (a bilateral filter).

    Weights fall off slowly, so that the result changes little where the noise is another. Edges higher than some
    eight times the noise stay, smaller ones are blurred over two nodes. What is unknown stays unknown.

    Filter: Tomasi and Manduchi, "Bilateral filtering for gray and color images" (ICCV 1998).

    Args:
        known: The map.
        noise: Standard deviation of its noise, above zero [m].
    """
    z = known.heights
    padded = np.pad(z, _REACH, constant_values=np.nan)
    total, weights = np.zeros(z.shape), np.zeros(z.shape)
    for i in range(-_REACH, _REACH + 1):
        for j in range(-_REACH, _REACH + 1):
            near: Array = padded[_REACH + i : _REACH + i + z.shape[0], _REACH + j : _REACH + j + z.shape[1]]
            off = (near - z) / (_ALIKE * noise)
            weight = math.exp(-(i * i + j * j) / (2.0 * _WIDTH**2)) * np.exp(-0.5 * off * off)
            weight = np.nan_to_num(weight)
            total += weight * np.nan_to_num(near)
            weights += weight
    heights = np.where(known.known, total / np.maximum(weights, 1e-12), np.nan)
    return ElevationMap(heights, known.origin, known.spacing, known.variance)


def filled_across(known: ElevationMap, holes: Flags, noise: float) -> ElevationMap:
    """A map with some unknown nodes filled from what is known on both sides of them.

    Along each of four directions the nearest known nodes on both sides give a height in between. Directions count the
    less the more the two differ: an edge goes on straight through a hole, and a plane goes on as a plane. What has no
    known node on both sides, or an edge between them in every direction, stays unknown.

    Args:
        known: The map.
        holes: Nodes that may be filled, (nx, ny); too few across for a foot to fall into them.
        noise: Standard deviation of the map's noise, above zero [m].
    """
    z, heights = known.heights, known.heights.copy()
    variance = None if known.variance is None else known.variance.copy()
    for i, j in np.argwhere(holes & ~known.known).tolist():
        total = weights = doubt = 0.0
        for line in _LINES:
            one, other = (_nearest_along(z, i, j, sign * line[0], sign * line[1]) for sign in (1, -1))
            if one is None or other is None:
                continue
            off = abs(z[one] - z[other]) / (_ALIKE * noise)
            if off >= _EDGE:
                continue
            near, far = (math.dist((i, j), end) for end in (one, other))
            weight = math.exp(-0.5 * off * off) / (near + far)
            total += weight * (far * z[one] + near * z[other]) / (near + far)
            weights += weight
            if known.variance is not None:
                doubt += weight * max(known.variance[one], known.variance[other])
        if weights > 0.0:
            heights[i, j] = total / weights
            if variance is not None:
                variance[i, j] = doubt / weights
    return ElevationMap(heights, known.origin, known.spacing, variance)


def even_holes(known: ElevationMap, wide: Flags, noise: float) -> Flags:
    """Unknown nodes of holes that are not wide and whose rims lie in a plane, but for the noise, (nx, ny).

    Args:
        known: The map.
        wide: Nodes of places too wide to tell from their rims, (nx, ny); holes with any of them are left out.
        noise: Standard deviation of the map's noise [m].
    """
    from scipy import ndimage

    every = np.ones((3, 3), dtype=np.bool_)
    names, count = ndimage.label(~known.known, every)
    found = np.zeros(wide.shape, dtype=np.bool_)
    shape = np.array(wide.shape)
    for number, (rows, columns) in enumerate(ndimage.find_objects(names, count), start=1):
        low = np.array([rows.start, columns.start]) - _RIM
        high = np.array([rows.stop, columns.stop]) + _RIM
        # Beyond the rim of the map nothing is known.
        if (low < 0).any() or (high > shape).any():
            continue
        part = slice(low[0], high[0]), slice(low[1], high[1])
        hole = names[part] == number
        around = ndimage.binary_dilation(hole, every, iterations=_RIM) & known.known[part]
        if (wide[part] & hole).any() or around.sum() < 2 * _RIM:
            continue
        places = np.argwhere(around)
        plane = np.column_stack([places, np.ones(len(places))])
        heights = known.heights[part][around]
        off = heights - plane @ np.linalg.lstsq(plane, heights, rcond=None)[0]
        if float(off.std()) <= _EVEN * noise:
            found[part] |= hole
    return found


def _nearest_along(z: Array, i: int, j: int, di: int, dj: int) -> tuple[int, int] | None:
    """The first known node from one on in a direction."""
    for n in range(1, _ACROSS + 1):
        row, column = i + n * di, j + n * dj
        if not (0 <= row < z.shape[0] and 0 <= column < z.shape[1]):
            return None
        if not math.isnan(z[row, column]):
            return row, column
    return None
