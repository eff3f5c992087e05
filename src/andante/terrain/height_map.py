"""Grid, heights on a square grid, and HeightMap, the ground as one height per place of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import AndanteError
from andante.spatial.arrays import Array, Flags, Index

MOST_NODES = 50_000_000
"""Largest map [nodes]."""


class TerrainError(AndanteError):
    """A map, a board or a file that makes no terrain."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Heights at the nodes of a square grid along x and y: what the ground and what is known of it share.

    Raises:
        TerrainError: Not a grid of at least 2 x 2 nodes, a spacing that is not above zero, or an origin that is not
            finite.
    """

    heights: Array
    """Height of each node, (nx, ny) [m]; the first index runs along x."""
    origin: tuple[float, float]
    """x and y of the first node [m]."""
    spacing: float
    """Distance of neighbouring nodes [m]."""

    def __post_init__(self) -> None:
        heights = np.array(self.heights, dtype=np.float64)
        if heights.ndim != 2 or min(heights.shape) < 2 or heights.size > MOST_NODES:
            raise TerrainError(
                "a height map is a grid", value=heights.shape, limit=f"2 x 2 to {MOST_NODES} nodes in all"
            )
        if not (math.isfinite(self.spacing) and self.spacing > 0.0):
            raise TerrainError("the spacing of a height map must be above zero", value=self.spacing)
        if not all(math.isfinite(each) for each in self.origin):
            raise TerrainError("the origin of a height map must be finite", value=self.origin)
        heights.flags.writeable = False
        object.__setattr__(self, "heights", heights)

    @property
    def x(self) -> Array:
        """x of the nodes, (nx,) [m]."""
        return np.asarray(self.origin[0] + self.spacing * np.arange(self.heights.shape[0]))

    @property
    def y(self) -> Array:
        """y of the nodes, (ny,) [m]."""
        return np.asarray(self.origin[1] + self.spacing * np.arange(self.heights.shape[1]))

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Least and largest x, least and largest y [m]."""
        (x, y), (nx, ny) = self.origin, self.heights.shape
        return x, x + (nx - 1) * self.spacing, y, y + (ny - 1) * self.spacing

    @property
    def extent_text(self) -> str:
        """Where the map lies, for messages."""
        low_x, high_x, low_y, high_y = self.extent
        return f"x {low_x:.3f} to {high_x:.3f}, y {low_y:.3f} to {high_y:.3f} m"

    def nodes(self, points: ArrayLike) -> tuple[Index, Index]:
        """Rows and columns (...) of the nodes nearest to points (..., 2)."""
        at = np.round((np.asarray(points, dtype=np.float64) - self.origin) / self.spacing).astype(np.int64)
        i, j = np.moveaxis(np.clip(at, 0, np.array(self.heights.shape) - 1), -1, 0)
        return i, j

    def covers(self, points: ArrayLike) -> Flags:
        """Whether points (..., 2) lie on the map; (...)."""
        at = np.asarray(points, dtype=np.float64)
        low_x, high_x, low_y, high_y = self.extent
        return np.asarray(
            (at[..., 0] >= low_x) & (at[..., 0] <= high_x) & (at[..., 1] >= low_y) & (at[..., 1] <= high_y)
        )

    def node(self, i: int, j: int) -> str:
        """A node as messages name it."""
        x, y = self.origin[0] + i * self.spacing, self.origin[1] + j * self.spacing
        return f"node ({i}, {j}) at x {x:.3f} m, y {y:.3f} m"


@dataclass(frozen=True, eq=False)
class HeightMap(Grid):
    """The ground: a height at every node, bilinear between them.

    Raises:
        TerrainError: As `Grid`, and for heights that are not finite, which are named by their place (of what is known
            of some places only, `andante.terrain.elevation_map.ElevationMap` is the record).
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        bad = np.argwhere(~np.isfinite(self.heights))
        if len(bad):
            i, j = bad[0].tolist()
            raise TerrainError(
                f"the height map has {len(bad)} holes of {self.heights.size} nodes "
                "(a height that is missing or not finite)",
                place=self.node(i, j),
                value=float(self.heights[i, j]),
                remedy="mend them with andante.terrain.holes.fill",
            )

    def at(self, points: ArrayLike) -> Array:
        """Heights (...) [m] at points (..., 2) [m].

        Raises:
            TerrainError: A point off the map, or not finite.
        """
        places = np.asarray(points, dtype=np.float64)
        on = self.covers(places)
        if not on.all():
            off = places.reshape(-1, 2)[int(np.argmin(on.ravel()))]
            raise TerrainError("this place is off the map", value=off.tolist(), limit=self.extent_text)
        return self.nearest(places)

    def nearest(self, points: ArrayLike) -> Array:
        """Heights (...) [m] at points (..., 2) [m]; off the map, that of the nearest place on it."""
        grid = (np.asarray(points, dtype=np.float64) - self.origin) / self.spacing
        nx, ny = self.heights.shape
        u, v = np.clip(grid[..., 0], 0.0, nx - 1.0), np.clip(grid[..., 1], 0.0, ny - 1.0)
        i, j = np.minimum(u.astype(np.intp), nx - 2), np.minimum(v.astype(np.intp), ny - 2)
        a, b = u - i, v - j
        z = self.heights
        low = z[i, j] * (1.0 - b) + z[i, j + 1] * b
        high = z[i + 1, j] * (1.0 - b) + z[i + 1, j + 1] * b
        return np.asarray(low * (1.0 - a) + high * a)
