"""Points gridded: nodes in any order, jittered grids, and clouds without any order."""

from __future__ import annotations

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.cloud_cells import CellHeights
from andante.terrain.files.cloud_grids import cells_for, exact_grid, together
from andante.terrain.files.cloud_layers import ROOM
from andante.terrain.files.found import Raster
from andante.terrain.height_map import TerrainError

_FARTHEST = 1e7
"""Farthest point from the origin [m]: world coordinates of surveys reach some 1e6."""
_FEWEST_NODES, _FEWEST = 4, 16
"""Fewest points of a grid, and of a cloud."""


def grid_points(
    points: Array, spacing: float | None, resolution: float | None, place: str, room: float = ROOM
) -> Raster:
    """Heights of points (n, 3) [m] at the nodes of a grid along x and y.

    Points on a grid give its nodes as they are. Those of a jittered grid give the grid that they jitter about, those
    without order cells of ``resolution`` or ``spacing``, or 1.5 times as wide as points are apart (1, 2 or 5 times a
    power of ten). The height of a cell is the median of its points, its variance that of the median of n normal values,
    pi / 2 s^2 / n, with s from the median absolute deviation: of the cell from five points on, else of all cells; a
    jittered grid of one point for each node has none. A cell without points is unknown. Of layers one above the other
    (`andante.terrain.files.cloud_layers`) the lowest counts; where less than ``room`` [m] are free above it, the cell
    is unknown.

    Raises:
        TerrainError: Places that are not finite or too far away, points on one line, too few, or too large a grid.
    """
    places = points[:, :2]
    blank = np.isnan(places).all(axis=1)
    notes = []
    if blank.any():
        points, places = points[~blank], places[~blank]
        notes.append(without_place(int(blank.sum())))
    enough_nodes(len(points), place)
    refuse_far(places, place)
    exact = exact_grid(points, place)
    if exact is not None:
        return Raster(exact.heights, exact.steps, exact.first, metres=True, notes=tuple(notes))
    points = points[np.isfinite(points[:, 2])]
    enough_points(len(points), place)
    places = points[:, :2]
    grid = cells_for(together(places), resolution or spacing, places.min(axis=0), places.max(axis=0), place)
    notes.append(grid.told(len(points)))
    numbers = grid.numbers(places)
    cells = CellHeights(grid, np.bincount(numbers, minlength=grid.nodes), room)
    cells.take(0, numbers, points[:, 2], grid.nodes)
    return cells.raster(notes)


def without_place(count: int) -> str:
    """What is said of points without x and y."""
    return f"{count} points without a place left out"


def enough_nodes(count: int, place: str) -> None:
    """Refuse fewer points than a grid has.

    Raises:
        TerrainError: There are fewer.
    """
    if count < _FEWEST_NODES:
        raise TerrainError(
            "the file has no grid of points", place=place, value=count, limit=f"at least {_FEWEST_NODES} points"
        )


def enough_points(count: int, place: str) -> None:
    """Refuse fewer points with heights than a cloud has.

    Raises:
        TerrainError: There are fewer.
    """
    if count < _FEWEST:
        raise TerrainError(
            "the points lie on no square grid, and they are too few for a cloud",
            place=place,
            value=count,
            limit=f"at least {_FEWEST} points",
        )


def refuse_far(places: Array, place: str) -> None:
    """Refuse places (n, 2) [m] that are not finite or farther than any survey's.

    Raises:
        TerrainError: One of them is.
    """
    if not np.isfinite(places).all():
        raise TerrainError("a point's x and y must be finite", place=place)
    if len(places) and (farthest := float(np.abs(places).max())) > _FARTHEST:
        raise TerrainError(
            "a point is farther from the origin than coordinates of any survey", place=place,
            value=f"{farthest:.6g} m", limit=f"{_FARTHEST:g} m", remedy="scale=0.001 if the file is in mm, 0.01 in cm",
        )  # fmt: skip
