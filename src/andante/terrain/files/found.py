"""What readers find in files: points, triangles, or a raster of heights, in the file's own units and axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.height_map import TerrainError


@dataclass(frozen=True, eq=False)
class Points:
    """A cloud of points or the nodes of a grid in any order."""

    places: Array
    """x, y and z, (n, 3)."""
    notes: tuple[str, ...] = ()
    """What a user should know of the reading."""


@dataclass(frozen=True, eq=False)
class Triangles:
    """A mesh, whose upper surface is the ground."""

    places: Array
    """x, y and z of the corners, (n, 3, 3)."""
    notes: tuple[str, ...] = ()
    """What a user should know of the reading."""


@dataclass(frozen=True, eq=False)
class Raster:
    """Heights at places that two steps span."""

    heights: Array
    """Heights, (n, m), NaN where unknown."""
    steps: Array | None = None
    """From a node to the next one of the first and of the second index, by columns, (2, 2); None: along x and y, as far
    as the options say."""
    first: tuple[float, float] = (0.0, 0.0)
    """x and y of the node (0, 0)."""
    variance: Array | None = None
    """Variance of each height, (n, m)."""
    metres: bool = False
    """Whether all is in metres whatever the options' scale."""
    notes: tuple[str, ...] = ()
    """What a user should know of the reading."""


Found = Points | Triangles | Raster


def square(spacing: float) -> Array:
    """Steps of a grid along x and y."""
    return np.diag([spacing, spacing])


def finite(triangles: Array, place: str) -> Array:
    """The triangles (n, 3, 3) of a file.

    Raises:
        TerrainError: A number of a corner is not finite.
    """
    if not np.isfinite(triangles).all():
        bad = int(np.argmin(np.isfinite(triangles).all(axis=(1, 2))))
        raise TerrainError("a vertex is not finite", place=f"{place}: triangle {bad}", value=triangles[bad].tolist())
    return triangles


def coordinates(kinds: list[str], offsets: list[int], size: int) -> np.dtype[np.void]:
    """x, y and z within the bytes of a point, by their kinds and offsets and the point's size [bytes]."""
    return np.dtype({"names": list("xyz"), "formats": kinds, "offsets": offsets, "itemsize": size})


def measured(places: Array) -> Array:
    """Points (n, 3) of a sensor: one of which a coordinate is infinite was not measured either, and is NaN."""
    endless = np.isinf(places).any(axis=-1)
    if endless.any():
        places = places.copy()
        places[endless] = np.nan
    return places
