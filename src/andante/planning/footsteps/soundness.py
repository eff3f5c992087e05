"""Unsoundness of the ground under a foot as a field without thresholds: where heights change by little, so does it.

`Features.allowed` says yes or no; where a map is noisy the answer of one node is chance. Here each limit of a foothold
is a ramp, and an edge weakens the more the farther away it is.
"""

from __future__ import annotations

import math

import numpy as np

from andante.planning.course import KnownCourse
from andante.planning.footsteps.footholds import FootholdLimits, propped
from andante.spatial.arrays import Array

_EDGE = (0.2, 0.75)
_SLOPE = (0.85, 1.05)
_ROUGHNESS = (0.6, 1.0)
_PROPPED = (0.5, 1.0)
_DOUBT = (0.7, 1.0)
"""Shares of each limit at which it begins to count and at which the ground is unsound."""
_ALONG = 1.0
"""Standard deviation of the mean of height differences along an edge [nodes]."""


def unsoundness(course: KnownCourse, limits: FootholdLimits) -> Array:
    """0 where a foot stands well, 1 where it cannot, (nx, ny).

    Args:
        course: The course.
        limits: Where no foot may stand, for LittleDog's size.
    """
    from scipy import ndimage

    layers, ground, most = course.layers, course.ground, limits.scaled(course.scale)

    def ramp(values: Array, limit: float, shares: tuple[float, float]) -> Array:
        smooth = ndimage.gaussian_filter(values, 1.0, mode="nearest")
        return _ramp(smooth, limit, shares)

    found: Array = np.maximum.reduce(
        [
            _edges(course, most.edge + ground.spacing),
            ramp(layers.slope, most.slope, _SLOPE),
            ramp(layers.roughness, most.roughness, _ROUGHNESS),
            ramp(propped(course), most.propped, _PROPPED),
            _ramp(layers.deviation, most.doubt, _DOUBT),
            layers.pits.astype(np.float64),
        ]
    )
    return found


def _ramp(values: Array, limit: float, shares: tuple[float, float]) -> Array:
    low, high = shares
    return np.asarray(np.clip((values / limit - low) / (high - low), 0.0, 1.0))


def _edges(course: KnownCourse, reach: float) -> Array:
    """How near to how high an edge each node is; the rim of what is unknown is one."""
    from scipy import ndimage

    layers, ground = course.layers, course.ground
    z, spacing = ground.heights, ground.spacing
    # The height from which the layers count a difference as an edge.
    limit = layers.settings.edge + spacing * math.tan(layers.settings.slope)
    edge = layers.unknown.astype(np.float64)
    for axis in (0, 1):
        # The mean along the edge: denoising leaves the noise of what differs from its neighbours.
        steps = ndimage.gaussian_filter1d(np.diff(z, axis=axis), _ALONG, axis=1 - axis, mode="nearest")
        jump = _ramp(np.abs(steps), limit, _EDGE)
        for sides in ((0, 1), (1, 0)):
            np.maximum(edge, np.pad(jump, [sides if k == axis else (0, 0) for k in (0, 1)]), out=edge)
    count = math.ceil(reach / spacing)
    padded, found = np.pad(edge, count, mode="edge"), np.zeros(z.shape)
    for i in range(-count, count + 1):
        for j in range(-count, count + 1):
            near = padded[count + i : count + i + z.shape[0], count + j : count + j + z.shape[1]]
            np.maximum(found, near - spacing * math.hypot(i, j) / reach, out=found)
    return found
