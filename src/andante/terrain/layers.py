"""What the ground is like around each node of a map, for a robot of a size: the one system of terrain costs.

Layers for a foot: slope, roughness, curvature, distance to an edge, pits, unknown places, deviation, and from all of
these the traversability. Layers for a body: the ground with pits mended, smooth ground, its tilt, relief, and the
distances to pits and to footholds. Each is computed when it is first asked for. Smoothing and mending follow the
filter chain of Quad-SDK's grid maps (`quad_utils/config/filter_chain.yaml`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from andante.documents.quantities import PositiveAngle, PositiveLength
from andante.documents.settings import Settings
from andante.spatial.arrays import Array, Flags
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import HeightMap
from andante.terrain.pits import find_pits, mended
from andante.terrain.planes import disc_mean, disc_planes, plane_fit

_FAR = 1e3
"""Distance to what is nowhere on the map [m]."""


class LayerSettings(Settings):
    """How layers are made, for a robot of LittleDog's size; `scaled` fits them to another."""

    place: ClassVar[str] = "layers"

    radius: PositiveLength = 0.012
    """Half width of the square under a foot that must be even [m]."""
    bridged: PositiveLength = 0.012
    """Places without a height into which no disc of this radius fits are bridged: no foot falls into them [m]."""
    slope: PositiveAngle = math.radians(25.0)
    """Slope at which nothing is left of the traversability [rad]."""
    unevenness: PositiveLength = 0.004
    """Standard deviation from a plane under the foot at which nothing is left [m]."""
    edge: PositiveLength = 0.010
    """A height difference of neighbouring nodes above this, beyond what the largest slope gives, is an edge [m]."""
    clearance: PositiveLength = 0.015
    """Distance from an edge at which a foothold counts as free of it [m]."""
    deviation: PositiveLength = 0.02
    """Standard deviation of a height, the root of the map's variance, at which nothing is left [m]."""
    pit_width: PositiveLength = 0.26
    """What is narrower than this is a pit: about what the longest step crosses [m] ..."""
    pit_depth: PositiveLength = 0.075
    """... where it is deeper than this [m]."""
    mends: bool = False
    """Whether slope, roughness and edges are those of the ground with pits mended: of use to a body that leaps over
    them, while a foot needs the ground as it is."""
    smooth: PositiveLength = 0.09
    """Radius of the mean that gives the smooth ground [m]."""
    tilt: PositiveLength = 0.18
    """Radius of the planes on the smooth ground along which a body tilts [m]."""
    relief: PositiveLength = 0.036
    """Half width of the square whose highest minus lowest ground is the relief [m]."""


@dataclass(frozen=True, eq=False)
class Layers:
    """Layers over a map; each is (nx, ny) like its heights.

    Raises:
        TerrainError: Nothing of the map is known (at the first layer that needs a height).
    """

    map: ElevationMap
    """What is known of the ground."""
    settings: LayerSettings
    """How the layers are made."""

    @staticmethod
    def of(known: ElevationMap, settings: LayerSettings | None = None) -> Layers:
        """Layers of a map; settings of LittleDog's size where none are given."""
        return Layers(known, settings or LayerSettings())

    @cached_property
    def ground(self) -> HeightMap:
        """The heights; a place without one has that of the nearest that has one [m]."""
        return self.map.filled("nearest")

    @cached_property
    def unknown(self) -> Flags:
        """Places without a height, but for those too small for a foot, which are bridged."""
        from scipy import ndimage

        holes = ~self.map.known
        if not holes.any():
            return holes
        reach = max(1, round(self.settings.bridged / self.map.spacing))
        steps = np.arange(-reach, reach + 1)
        disc = np.add.outer(steps**2, steps**2) <= reach**2
        # A hole at the rim of the map goes on beyond it.
        padded = np.pad(holes, reach, mode="edge")
        opened = ndimage.binary_opening(padded, disc)
        return np.asarray(opened[reach:-reach, reach:-reach])

    @cached_property
    def deviation(self) -> Array:
        """Standard deviation of each height [m]; 0 where the map says nothing of it, and where it is unknown."""
        variance = self.map.variance
        return np.zeros(self.map.heights.shape) if variance is None else np.sqrt(np.nan_to_num(variance))

    @property
    def _underfoot(self) -> HeightMap:
        return self.mended if self.settings.mends else self.ground

    @cached_property
    def _plane(self) -> tuple[Array, Array, Array]:
        return plane_fit(self._underfoot, self.settings.radius)

    @property
    def slope_x(self) -> Array:
        """Rise along x of the plane under a foot."""
        return self._plane[0]

    @property
    def slope_y(self) -> Array:
        """Rise along y of the plane under a foot."""
        return self._plane[1]

    @cached_property
    def slope(self) -> Array:
        """Angle of that plane [rad]."""
        return np.asarray(np.arctan(np.hypot(self.slope_x, self.slope_y)))

    @property
    def roughness(self) -> Array:
        """Standard deviation from that plane [m]."""
        return self._plane[2]

    @cached_property
    def curvature(self) -> Array:
        """Laplacian of the map smoothed by a foot's radius [1/m]: above zero in a hollow, below on a bump."""
        from scipy import ndimage

        spacing = self.map.spacing
        smooth = ndimage.gaussian_filter(self.ground.heights, self.settings.radius / spacing, mode="nearest")
        return np.asarray(ndimage.laplace(smooth, mode="nearest") / spacing**2)

    @cached_property
    def edge_distance(self) -> Array:
        """Distance to the nearest edge [m], which the rim of an unknown place is too; infinite where there is none."""
        z, spacing = self._underfoot.heights, self.map.spacing
        limit = self.settings.edge + spacing * math.tan(self.settings.slope)
        edge = np.zeros_like(self.unknown) if self.settings.mends else self.unknown.copy()
        for axis in (0, 1):
            jump = np.abs(np.diff(z, axis=axis)) > limit
            edge |= np.pad(jump, [(0, 1) if k == axis else (0, 0) for k in (0, 1)])
            edge |= np.pad(jump, [(1, 0) if k == axis else (0, 0) for k in (0, 1)])
        return _distance(edge, spacing, np.inf)

    @cached_property
    def pits(self) -> Flags:
        """Nodes on the bottom of a pit; see `andante.terrain.pits`."""
        return find_pits(self.ground, self.settings.pit_width, self.settings.pit_depth)

    @cached_property
    def traversability(self) -> Array:
        """0 where a foot cannot stand, else up to 1 for level, even ground away from edges whose height is certain."""
        settings = self.settings
        found = np.minimum(self.edge_distance / settings.clearance, 1.0)
        # Evenness, level, certainty, one after the other: each array of a map of a million nodes takes 8 MB.
        for value, limit in (
            (self.roughness, settings.unevenness),
            (self.slope, settings.slope),
            (self.deviation, settings.deviation),
        ):
            share = value / limit
            found *= np.maximum(np.subtract(1.0, share, out=share), 0.0, out=share)
        found[self.pits | self.unknown] = 0.0
        return found

    @cached_property
    def mended(self) -> HeightMap:
        """Heights without pits and unknown places: what their rims suggest stands for their inside [m]."""
        return mended(self.ground, self.pits | self.unknown)

    @cached_property
    def smooth(self) -> Array:
        """Smooth ground [m]."""
        return disc_mean(self.mended, self.settings.smooth)

    @cached_property
    def tilt(self) -> tuple[Array, Array]:
        """Rise along x and along y of the planes along which a body tilts."""
        smooth = HeightMap(self.smooth, self.map.origin, self.map.spacing)
        return disc_planes(smooth, self.settings.tilt)

    @cached_property
    def relief(self) -> Array:
        """Highest minus lowest ground around each node, pits mended [m]."""
        from scipy import ndimage

        z, size = self.mended.heights, 2 * max(1, round(self.settings.relief / self.map.spacing)) + 1
        high, low = (each(z, size, mode="nearest") for each in (ndimage.maximum_filter, ndimage.minimum_filter))
        return np.asarray(high - low)

    @cached_property
    def pit_distance(self) -> Array:
        """Distance to the nearest node in a pit or without a known height [m]; 1 km where there is none."""
        return _distance(self.pits | self.unknown, self.map.spacing, _FAR)

    @cached_property
    def foothold_distance(self) -> Array:
        """Distance to the nearest node on which a foot stands [m]; 1 km where there is none."""
        return _distance(self.traversability > 0.0, self.map.spacing, _FAR)


def _distance(places: Flags, spacing: float, nowhere: float) -> Array:
    from scipy import ndimage

    if not places.any():
        return np.full(places.shape, nowhere)
    return np.asarray(ndimage.distance_transform_edt(~places) * spacing)
