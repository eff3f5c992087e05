"""How much noise a map shows, from the map itself, and the map with less of it.

Noise that is independent from node to node is what second differences are made of: level ground and slopes have none,
and edges are few, so that the median does not see them.
"""

from __future__ import annotations

import math

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.elevation_map import ElevationMap

_NORMAL = 1.4826
"""Standard deviation over median deviation of a normal distribution."""
_REACH, _WIDTH = 2, 1.2
"""Neighbours that are averaged, in nodes either way, and the standard deviation of their weights [nodes]."""
_ALIKE = 4.0
"""Neighbours whose height differs by this many times the noise count exp(-1/2)."""


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
