"""Terrain: ground to walk on, as the physics has it and as a map, with where to start and where to go.

Files, and the boards that scale with the robot, are their heights and nothing else (`Terrain.of_heights`): a board and
a file of its heights are the same ground, contact by contact. Boards of real size have grids of 1 to 5 cm, too coarse
to stand on; they keep the bodies of which they are built.
"""

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

_LEVEL = 1e-6
"""Height above the floor at which a place is still on it [m]."""


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
    """Bodies of the ground, exact; none where the surface is all of it."""
    surface: HeightMap | None = None
    """Ground that is given by its heights; None: none."""
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

    @classmethod
    def of_heights(
        cls,
        name: str,
        ground: HeightMap,
        *,
        start: tuple[float, float],
        goal: tuple[float, float],
        known: ElevationMap | None = None,
        scale: float = 1.0,
        values: Mapping[str, float] | None = None,
        notes: tuple[str, ...] = (),
    ) -> Terrain:
        """Ground that is nothing but its heights; the floor around it is as low as its lowest place.

        Args:
            name: Name of the board or file.
            ground: The ground.
            start: Where the middle of the robot starts [m].
            goal: Where it should go [m].
            known: What the file says of itself; None: the ground, exactly.
            scale: Size against the terrain for LittleDog.
            values: Parameters of which it was made.
            notes: What a user should know of how its file was read.

        Raises:
            TerrainError: Start or goal is off the ground.
        """
        return cls(
            name=name,
            heights=ground,
            map=ElevationMap.of(ground) if known is None else known,
            surface=ground,
            floor=float(ground.heights.min()),
            start=start,
            goal=goal,
            scale=scale,
            values=values or {},
            notes=notes,
        )

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Least and largest x, least and largest y [m]."""
        return self.heights.extent

    def layers(self) -> Layers:
        """Layers of the true ground, for a robot of this terrain's scale."""
        return Layers.of(ElevationMap.of(self.heights), LayerSettings().scaled(self.scale))

    @property
    def pits(self) -> Flags:
        """Nodes of the true ground on the bottom of a pit, (nx, ny): where it is level, as low as the floor, and the
        floor is below both ends of the way, which are level at zero on boards and anywhere in files.

        For who judges; who walks finds pits in its map (`andante.terrain.pits`).
        """
        from scipy import ndimage

        ends = float(self.heights.at([self.start, self.goal]).min())
        low = (self.heights.heights <= self.floor + _LEVEL) & (self.floor < ends - _LEVEL)
        # The lowest place of waves is a node or a line, of no width.
        return np.asarray(ndimage.binary_opening(low, np.ones((2, 2))))

    def facts(self) -> TerrainFacts:
        """How hard it is."""
        from scipy import ndimage

        z = self.heights.heights
        step = ndimage.maximum_filter(z, 3, mode="nearest")
        step -= ndimage.minimum_filter(z, 3, mode="nearest")
        largest_step = float(step.max())
        del step
        return TerrainFacts(
            largest_step=largest_step,
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
