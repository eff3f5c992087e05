"""What readers find in files: points, triangles, cells, or a raster of heights, in the file's own units and axes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar, final

import numpy as np

from andante.spatial.arrays import Array, Codes1, Counts1, Flags, Shorts1
from andante.terrain.height_map import TerrainError


@final
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


@final
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


@final
@dataclass(frozen=True, eq=False)
class Cells:
    """Cubes of a grid in space that are occupied or free; those of one column along any axis stand in its order."""

    corners: tuple[Shorts1, Shorts1, Shorts1]
    """Least cell of each cube along x, y and z, (n,) each; cell 0 begins at the origin."""
    codes: Codes1
    """log2 of how many cells wide each cube is, and 32 more where it is occupied, (n,)."""
    box: Counts1
    """Least x, y and z of occupied cells, and those behind the largest, (6,)."""
    size: float
    """Of a cell."""
    notes: tuple[str, ...] = ()
    """What a user should know of the reading."""


Found = Points | Triangles | Raster | Cells
_Heights = TypeVar("_Heights", Points, Raster, Points | Raster, Points | Raster | Cells)
_ENDLESS = 1e30
"""Heights from here on are no ground but what programs write where there is none: 1e30, 1.70141e38, the largest and the
lowest number of a float."""


def is_nodata(heights: Array, number: float) -> Flags:
    """Where heights are the number that says unknown. Many programs keep heights in single precision, and write the
    same number with fewer digits in one of both places."""
    if not np.isfinite(number):
        return ~np.isfinite(heights)
    return np.asarray(np.abs(heights - number) <= np.finfo(np.float32).eps * abs(number))


def without(found: _Heights, nodata: float | None) -> _Heights:
    """What was found, with NaN for the heights that are the number that says unknown; None: there is none. Cells have
    no such number."""
    if nodata is None or isinstance(found, Cells):
        return found
    if isinstance(found, Points):
        places = np.array(found.places, dtype=np.float64)
        places[is_nodata(places[:, 2], nodata), 2] = np.nan
        return Points(places, found.notes)
    return replace(found, heights=np.where(is_nodata(found.heights, nodata), np.nan, found.heights))


def without_endless(found: _Heights) -> _Heights:
    """What was found, with NaN for heights that no ground has in any unit."""
    if isinstance(found, Cells):
        return found
    endless = endless_heights(found.places[:, 2] if isinstance(found, Points) else found.heights)
    told: tuple[str, ...] = told_endless(int(endless.sum()))
    if not told:
        return found
    notes = (*found.notes, *told)
    if isinstance(found, Points):
        places = np.array(found.places, dtype=np.float64)
        places[endless, 2] = np.nan
        return Points(places, notes)
    return replace(found, heights=np.where(endless, np.nan, found.heights), notes=notes)


def endless_heights(heights: Array) -> Flags:
    """Where heights are finite and such that no ground has them in any unit."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.isfinite(heights) & (np.abs(heights) >= _ENDLESS))


def told_endless(count: int) -> tuple[str, ...]:
    """What is said of so many heights that no ground has."""
    return (f"{count} heights of {_ENDLESS:g} or more, above or below zero, are unknown",) if count else ()


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
    endless = np.isinf(places)
    if endless.any():
        places = places.copy()
        places[endless.any(axis=-1)] = np.nan
    return places
