"""Rows of numbers in text: points x, y, z, or heights as a matrix."""

from __future__ import annotations

from typing import Literal

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.column_names import (
    columns_of,
    counted,
    grid_of_counted,
    in_metres,
    refuse_degrees,
    refuse_no_heights,
)
from andante.terrain.files.found import Points, Raster
from andante.terrain.files.limits import MOST_NODES, MOST_ROWS, blocks_of
from andante.terrain.files.row_reader import RowReader
from andante.terrain.height_map import TerrainError

RowKind = Literal["auto", "points", "matrix", "raster"]
"""What rows are; auto: points where there are three columns or x, y and z are named, else a matrix."""

_BRIGHTEST = 255.0
"""Largest part of a colour."""


def read_rows(
    content: bytes,
    place: str,
    kind: RowKind = "auto",
    nodata: float | None = None,
    *,
    scaled: bool = False,
    cloud: bool = False,
) -> Points | Raster:
    """The points, or the matrix of heights, in text.

    Commas, semicolons, tabs or blanks divide; between semicolons, tabs or blanks a comma is a decimal mark. A first row
    of names, what stands above it and lines that start with # are skipped. ``nan`` and an empty place of a matrix are
    unknown. Of columns that are named, those of x, y and z count, else the first three; a unit of length in their
    names, or in the row below, counts.

    Args:
        content: The text.
        place: The file's name.
        kind: What the rows are; auto: points where there are three columns or x, y and z are named, else a matrix.
        nodata: Number that says unknown; None: none.
        scaled: Whether the user says the unit, and those of the names do not count.
        cloud: Whether rows that could be points as well as a matrix are points.

    Raises:
        TerrainError: A row of another form or length, or rows that could be points as well as a matrix.
    """
    reader = RowReader(place, points=kind in ("auto", "points"), most_rows=MOST_ROWS, most_numbers=MOST_NODES)
    for first, block in blocks_of(content, place):
        reader.take(first, block)
    table = reader.end()
    columns = columns_of_points(table, reader, kind, place, cloud=cloud)
    if columns is not None:
        return points_of_rows(table, columns, reader, place, nodata, scaled=scaled)
    nodes = counted(reader.names, reader.width) if kind != "points" else None
    if nodes is not None:
        heights = grid_of_counted(table[:, nodes], place)
        if nodata is not None:
            heights[heights == nodata] = np.nan
        heights *= 1.0 if scaled else reader.units[nodes[2]]
        note = "rows and columns count nodes, rows along x as in a matrix; rows=raster: down as in an image"
        if kind == "raster":
            note = "rows and columns count nodes, rows down as in an image"
        return Raster(heights[::-1].T if kind == "raster" else heights, notes=(note,))
    _no_counts(table, place)
    if nodata is not None:
        table[table == nodata] = np.nan
    edges = _edges(table)
    if edges is not None:
        down = kind == "raster" or (kind == "auto" and reader.corner.startswith("y"))
        return _with_edges(table[1:, 1:], *edges, raster=down)
    if reader.corner:
        raise TerrainError(
            "the first row and the first column have no even coordinates", place=place, value=reader.corner,
            remedy="write rows of x, y, z",
        )  # fmt: skip
    # Rows of a raster run down, y runs up.
    return Raster(table[::-1].T if kind == "raster" else table)


def columns_of_points(table: Array, reader: RowReader, kind: RowKind, place: str, *, cloud: bool) -> list[int] | None:
    """Columns of x, y and z where rows are points; None: they are something else.

    Args:
        table: Some of the rows.
        reader: What read them.
        kind: What the rows are.
        place: The file's name.
        cloud: Whether rows that could be points as well as a matrix are points.

    Raises:
        TerrainError: Rows that could be points as well as a matrix, places in degrees, or no column of heights.
    """
    names, width = reader.names, reader.width
    columns = columns_of(names, width) if kind in ("auto", "points") else None
    if columns is not None:
        return columns
    if kind != "matrix":
        refuse_degrees(names, place)
    if kind != "points" and counted(names, width) is not None:
        return None
    if kind == "auto":
        refuse_no_heights(names, width, place)
    return [0, 1, 2] if _are_points(table, kind, place, cloud=cloud) else None


def points_of_rows(
    table: Array, columns: list[int], reader: RowReader, place: str, nodata: float | None, *, scaled: bool
) -> Points:
    """The points of rows (n, width): the columns of x, y and z, in metres where their names tell a unit.

    Raises:
        TerrainError: The rows are too short.
    """
    if max(columns) >= table.shape[1]:
        raise TerrainError("a point has three numbers", place=place, value=table.shape[1])
    found = table[:, columns]
    if nodata is not None:
        found[found[:, 2] == nodata, 2] = np.nan
    notes = () if reader.above < 2 else (f"{reader.above - 1} of the first lines are left out",)
    return in_metres(found, reader.names, columns, reader.units if not scaled else [], notes)


def _edges(table: Array) -> tuple[Array, Array] | None:
    """Coordinates in the first column and in the first row, as pivot tables have them; None: there are none.

    They go on evenly in both, which heights do not, and the corner is empty.
    """
    if min(table.shape) < 4 or not np.isnan(table[0, 0]):
        return None
    edges = table[1:, 0], table[0, 1:]
    for edge in edges:
        steps = np.diff(edge)
        mean = float(steps.mean())
        if not (np.isfinite(steps).all() and mean != 0.0 and np.abs(steps - mean).max() <= 0.05 * abs(mean)):
            return None
    return edges


def _with_edges(heights: Array, down: Array, across: Array, *, raster: bool) -> Raster:
    """A matrix whose rows lie at ``down`` and columns at ``across``: along x and y, of a raster along y and x."""
    steps = np.diag([float(np.diff(each).mean()) for each in (down, across)])
    first = np.array([down[0], across[0]])
    note = f"the first column has {'y' if raster else 'x'} and the first row {'x' if raster else 'y'} of the nodes"
    if raster:
        steps, first = steps[::-1], first[::-1]
    return Raster(heights, steps, (float(first[0]), float(first[1])), notes=(note,))


def _no_counts(table: Array, place: str) -> None:
    """Refuse a matrix whose first row and first column only count the others, as tables of pandas are written.

    Raises:
        TerrainError: They count.
    """
    rows, columns = table.shape
    if rows < 3 or columns < 3 or not np.isnan(table[0, 0]):
        return
    if all((np.diff(edge) == 1.0).all() and edge[0] in (0.0, 1.0) for edge in (table[0, 1:], table[1:, 0])):
        raise TerrainError(
            "the first row and the first column count the others, they are no heights", place=place,
            value=table[0, :4].tolist(), remedy="write the table without its index and head",
        )  # fmt: skip


def _are_points(table: Array, kind: str, place: str, *, cloud: bool) -> bool:
    if kind != "auto":
        return kind == "points"
    rows, columns = table.shape
    if columns == 3:
        return True
    if 3 < columns <= 12 and rows >= 20 * columns:
        if cloud or _coloured(table):
            return True
        raise TerrainError(
            "these rows may be points or a matrix",
            place=place,
            value=f"{rows} rows of {columns}",
            remedy="say rows=points (x, y, z first), rows=matrix or rows=raster",
        )
    return False


def _coloured(table: Array) -> bool:
    """Whether rows are points with colours, as CloudCompare writes them: of six or seven numbers three in a row behind
    the place are whole and at most 255, and the places are not."""
    if table.shape[1] not in (6, 7) or not np.isfinite(table).all() or (table[:, :2] == np.floor(table[:, :2])).all():
        return False
    return any(
        bool(((part == np.floor(part)) & (part >= 0.0) & (part <= _BRIGHTEST)).all() and part.max() > 1.0)
        for part in (table[:, 3:6], table[:, -3:])
    )
