"""Terrain: ground to walk on, as the physics has it and as a map, with where to start and where to go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from andante.spatial.arrays import Flags
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import HeightMap, TerrainError
from andante.terrain.layers import Layers, LayerSettings
from andante.terrain.planes import plane_fit
from andante.terrain.solids import Solid


@dataclass(frozen=True)
class TerrainFacts:
    """How hard a terrain is, measured on its map."""

    largest_step: float
    """Largest height difference between nodes at most one apart [m]."""
    steppable: float
    """Share of the map where a foot can stand; the bottom of pits does not count."""
    roughness_small: float
    """Mean standard deviation from a plane within 2 cm of LittleDog's scale [m]."""
    roughness_large: float
    """Mean standard deviation from a plane within 6 cm of LittleDog's scale [m]."""
    lowest: float
    """Lowest height [m]."""
    highest: float
    """Highest height [m]."""


@dataclass(frozen=True, eq=False)
class Terrain:
    """Ground to walk on; x runs from the start to the goal."""

    name: str
    """Name of the board or file."""
    heights: HeightMap
    """The true ground: everything below, seen from above."""
    map: ElevationMap
    """What the file or board says of itself: the heights, without those that are unknown, and their variance."""
    solids: tuple[Solid, ...] = ()
    """Bodies of the ground, exact."""
    surface: HeightMap | None = None
    """Smooth ground; None: none."""
    floor: float = 0.0
    """Height of the level floor beneath and around [m]."""
    start: tuple[float, float] = (0.0, 0.0)
    """Where the middle of the robot starts [m]."""
    goal: tuple[float, float] = (0.0, 0.0)
    """Where it should go [m]."""
    scale: float = 1.0
    """Size against the terrain for LittleDog."""
    friction: float = 1.0
    """Factor on the world's friction."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Parameters of which it was made."""
    notes: tuple[str, ...] = ()
    """What a user should know of how its file was read."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))
        for name in ("start", "goal"):
            place = getattr(self, name)
            if not self.heights.covers(place):
                raise TerrainError(f"the {name} is off the terrain {self.name!r}", value=place, limit=str(self.extent))
        if not (np.isfinite(self.floor) and self.floor <= self.heights.heights.min() + 1e-9):
            raise TerrainError("the floor must not be above the ground", value=self.floor)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Least and largest x, least and largest y [m]."""
        return self.heights.extent

    def layers(self) -> Layers:
        """Layers of the true ground, for a robot of this terrain's scale."""
        return Layers.of(ElevationMap.of(self.heights), LayerSettings().scaled(self.scale))

    @property
    def pits(self) -> Flags:
        """Nodes of the true ground on the bottom of a pit, (nx, ny): the floor between bodies whose tops are level.

        For who judges; who walks finds pits in its map (`andante.terrain.pits`).
        """
        if self.surface is not None or self.floor >= 0.0:
            return np.zeros(self.heights.heights.shape, dtype=np.bool_)
        return np.asarray(self.heights.heights <= self.floor + 1e-6)

    def facts(self) -> TerrainFacts:
        """How hard it is."""
        from scipy import ndimage

        z = self.heights.heights
        step = ndimage.maximum_filter(z, 3, mode="nearest") - ndimage.minimum_filter(z, 3, mode="nearest")
        return TerrainFacts(
            largest_step=float(step.max()),
            steppable=float(np.mean((self.layers().traversability > 0.0) & ~self.pits)),
            roughness_small=float(plane_fit(self.heights, 0.02 * self.scale)[2].mean()),
            roughness_large=float(plane_fit(self.heights, 0.06 * self.scale)[2].mean()),
            lowest=float(z.min()),
            highest=float(z.max()),
        )


def rasterise(solids: tuple[Solid, ...], base: HeightMap) -> HeightMap:
    """The map of solids that lie on (or rise from) a base map: the higher of both at each node."""
    heights = base.heights.copy()
    x, y = base.x, base.y
    for solid in solids:
        low_x, high_x, low_y, high_y = solid.bounds
        i, k = np.searchsorted(x, (low_x - 1e-9, high_x + 1e-9))
        j, m = np.searchsorted(y, (low_y - 1e-9, high_y + 1e-9))
        if i < k and j < m:
            spot_x, spot_y = np.meshgrid(x[i:k], y[j:m], indexing="ij")
            heights[i:k, j:m] = np.maximum(heights[i:k, j:m], solid.tops(spot_x, spot_y))
    return HeightMap(heights, base.origin, base.spacing)
