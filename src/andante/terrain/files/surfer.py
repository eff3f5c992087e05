"""Grids of Golden Software's Surfer (.grd): text (DSAA), binary of version 6 (DSBB) and of version 7 (DSRB).

The formats: "Surfer Grid File Formats" in Surfer's manual; github.com/OSGeo/gdal documents them as GSAG, GSBG and
GS7BG. Heights stand row by row from the south; nodes are the grid's, its ends those of nodes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.found import Raster, is_nodata
from andante.terrain.files.limits import MOST_NODES, numbers_in
from andante.terrain.height_map import TerrainError

_BLANK = 1.7014e38
"""From here on a height is blank, which is unknown: 1.70141e38, in single precision too."""
_SECTIONS = 100


def read_grd(content: bytes, place: str, nodata: float | None = None) -> Raster:
    """The raster in a grid of Surfer.

    Args:
        content: The file.
        place: The file's name.
        nodata: Number that says unknown besides Surfer's own; None: none.

    Raises:
        TerrainError: Not such a grid, cut short, or too large.
    """
    reader = {b"DSAA": _text, b"DSBB": _version_6, b"DSRB": _version_7}.get(content[:4])
    if content.startswith((b"CDF", b"\x89HDF")):
        raise TerrainError(
            "is no grid of Surfer but one of GMT, in netCDF", place=place,
            remedy="gmt grdconvert FIELD.grd OTHER.grd=sf makes one of Surfer of it, where its nodes are in metres",
        )  # fmt: skip
    if reader is None:
        raise TerrainError(
            "is no grid of Surfer", place=place, value=content[:4].decode("latin-1"), limit="DSAA, DSBB or DSRB"
        )
    try:
        heights, steps, first, blank = reader(content, place)
    except struct.error as error:
        raise TerrainError("the grid is cut short", place=place, value=len(content)) from error
    heights[heights >= blank] = np.nan
    if nodata is not None:
        heights[is_nodata(heights, nodata)] = np.nan
    return Raster(heights.T, np.diag(steps), first)


_Read = tuple[Array, tuple[float, float], tuple[float, float], float]
"""Heights (rows, columns), steps along x and y, place of the first node, and the least number that says unknown."""


def _text(content: bytes, place: str) -> _Read:
    numbers = numbers_in(content[4:].replace(b",", b"."), place, MOST_NODES + 8)
    if len(numbers) < 8:
        raise TerrainError("the grid is cut short", place=place, value=len(numbers), limit="8 numbers at its head")
    columns, rows = _sides(numbers[0], numbers[1], place)
    return _between_ends(numbers[8:], rows, columns, numbers[2:6].tolist(), place)


def _version_6(content: bytes, place: str) -> _Read:
    first, second = struct.unpack_from("<2H", content, 4)
    columns, rows = _sides(first, second, place)
    heights = _doubles(content[56 : 56 + 4 * rows * columns], "<f4")
    return _between_ends(heights, rows, columns, struct.unpack_from("<4d", content, 8), place)


def _version_7(content: bytes, place: str) -> _Read:
    at, grid = 0, None
    for _ in range(_SECTIONS):
        name, size = content[at : at + 4], struct.unpack_from("<i", content, at + 4)[0]
        at += 8
        if size < 0:
            raise TerrainError("a part of the grid has no such size", place=place, value=size)
        if name == b"GRID":
            grid = struct.unpack_from("<2i8d", content, at)
        if name == b"DATA" and grid is not None:
            rows, columns, x, y, wide, high, _, _, turn, blank = grid
            columns, rows = _sides(columns, rows, place)
            if turn != 0.0:
                raise TerrainError("the grid is turned", place=place, value=turn, remedy="save it unturned")
            if not (wide > 0.0 and high > 0.0):
                raise TerrainError("the spacing must be above zero", place=place, value=(wide, high))
            heights = _doubles(content[at : at + min(size, 8 * rows * columns)], "<f8")
            return _grid(heights, rows, columns, place), (wide, high), (x, y), blank
        at += size
    raise TerrainError("the grid has no part of heights", place=place, limit="GRID and DATA")


def _sides(columns: float, rows: float, place: str) -> tuple[int, int]:
    if not (float(columns).is_integer() and float(rows).is_integer() and min(columns, rows) >= 2):
        raise TerrainError("is no size of a grid", place=place, value=(columns, rows), limit="2 x 2 or more")
    if columns * rows > MOST_NODES:
        raise TerrainError("the grid is too large", place=place, value=(columns, rows), limit=f"{MOST_NODES} nodes")
    return int(columns), int(rows)


def _between_ends(heights: Array, rows: int, columns: int, ends: Sequence[float], place: str) -> _Read:
    low_x, high_x, low_y, high_y = ends
    steps = (high_x - low_x) / (columns - 1), (high_y - low_y) / (rows - 1)
    if not (min(steps) > 0.0 and np.isfinite(steps).all()):
        raise TerrainError("the ends of the grid must rise", place=place, value=list(ends))
    return _grid(heights, rows, columns, place), steps, (low_x, low_y), _BLANK


def _doubles(content: bytes, kind: str) -> Array:
    """As many numbers of a kind as stand in bytes that may be cut short."""
    size = np.dtype(kind).itemsize
    return np.frombuffer(content[: len(content) // size * size], kind).astype(np.float64)


def _grid(heights: Array, rows: int, columns: int, place: str) -> Array:
    if len(heights) != rows * columns:
        raise TerrainError(
            "the grid has not as many heights as its head says",
            place=place,
            value=len(heights),
            limit=f"{rows} x {columns}",
        )
    return heights.reshape(rows, columns)
