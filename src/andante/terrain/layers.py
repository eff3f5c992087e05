"""What the ground is like around each node of a map: slope, roughness, curvature, edges, footholds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from andante.documents.quantities import PositiveAngle, PositiveLength
from andante.documents.settings import Settings
from andante.spatial.arrays import Array
from andante.terrain.height_map import HeightMap


class FootholdRules(Settings):
    """When a foot can stand, for a foot and leg of LittleDog's size; `scaled` fits them to another robot."""

    place: ClassVar[str] = "foothold"

    radius: PositiveLength = 0.012
    """Half width of the square under a foot that must be even [m]."""
    slope: PositiveAngle = math.radians(25.0)
    """Largest slope [rad]."""
    unevenness: PositiveLength = 0.004
    """Largest standard deviation from a plane under the foot [m]."""
    edge: PositiveLength = 0.010
    """A height difference of neighbouring nodes above this, beyond what the largest slope gives, is an edge [m]."""
    clearance: PositiveLength = 0.015
    """Distance from an edge at which a foothold counts as free of it [m]."""


@dataclass(frozen=True, eq=False)
class Layers:
    """Layers over a height map; each is (nx, ny) like its heights."""

    map: HeightMap
    """The map."""
    rules: FootholdRules
    """The rules of `traversability` and `edge_distance`."""
    slope_x: Array
    """Rise along x of the plane under a foot."""
    slope_y: Array
    """Rise along y of the plane under a foot."""
    slope: Array
    """Angle of that plane [rad]."""
    roughness: Array
    """Standard deviation from that plane [m]."""
    curvature: Array
    """Laplacian of the map smoothed by a foot's radius [1/m]: above zero in a hollow, below on a bump."""
    edge_distance: Array
    """Distance to the nearest edge [m]; infinite where there is none."""
    traversability: Array
    """0 where a foot cannot stand, else up to 1 for level, even ground away from edges."""

    @staticmethod
    def of(ground: HeightMap, rules: FootholdRules | None = None) -> Layers:
        """Compute all layers of a map."""
        from scipy import ndimage

        rules = rules or FootholdRules()
        z = ground.heights
        rise_x, rise_y, roughness = plane_fit(ground, rules.radius)
        slope = np.arctan(np.hypot(rise_x, rise_y))
        smooth = ndimage.gaussian_filter(z, rules.radius / ground.spacing, mode="nearest")
        curvature = ndimage.laplace(smooth, mode="nearest") / ground.spacing**2
        distance = _edge_distance(ground, rules)
        free = np.minimum(distance / rules.clearance, 1.0)
        even = np.maximum(1.0 - roughness / rules.unevenness, 0.0)
        level = np.maximum(1.0 - slope / rules.slope, 0.0)
        return Layers(ground, rules, rise_x, rise_y, slope, roughness, curvature, distance, free * even * level)


def plane_fit(ground: HeightMap, radius: float) -> tuple[Array, Array, Array]:
    """The plane of least squares through the square of half width ``radius`` [m] around each node.

    At the rim of the map it is continued as its outermost row.

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

    def window(values: Array, along_x: Array, along_y: Array) -> Array:
        once = ndimage.correlate1d(values, along_x, axis=0, mode="nearest")
        return np.asarray(ndimage.correlate1d(once, along_y, axis=1, mode="nearest"))

    shifted = z - z.mean()
    mean = window(shifted, flat, flat)
    rise_x = window(shifted, moment, flat) / square
    rise_y = window(shifted, flat, moment) / square
    spread = window(shifted * shifted, flat, flat) - mean * mean - (rise_x**2 + rise_y**2) * square
    return rise_x, rise_y, np.sqrt(np.maximum(spread, 0.0))


def _edge_distance(ground: HeightMap, rules: FootholdRules) -> Array:
    from scipy import ndimage

    z = ground.heights
    limit = rules.edge + ground.spacing * math.tan(rules.slope)
    edge = np.zeros(z.shape, dtype=np.bool_)
    for axis in (0, 1):
        jump = np.abs(np.diff(z, axis=axis)) > limit
        edge |= np.pad(jump, [(0, 1) if k == axis else (0, 0) for k in (0, 1)])
        edge |= np.pad(jump, [(1, 0) if k == axis else (0, 0) for k in (0, 1)])
    if not edge.any():
        return np.full(z.shape, np.inf)
    return np.asarray(ndimage.distance_transform_edt(~edge) * ground.spacing)
