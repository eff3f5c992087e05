"""Point grids as terrain: rows of x, y, z in text, and numpy arrays."""

from __future__ import annotations

import io
import zipfile

import numpy as np
from numpy.typing import NDArray

from andante.terrain.height_map import MOST_NODES, TerrainError

Array = NDArray[np.float64]
_OFF_GRID = 0.05
"""Share of the spacing by which a point may be off its node."""


def read_points(content: bytes, place: str, scale: float = 1.0) -> tuple[Array, tuple[float, float], float]:
    """Heights (nx, ny), origin and spacing of text rows of x, y and z; NaN where a node has no point.

    Commas, semicolons, tabs or blanks divide; a first row of names and lines that start with # are skipped. ``nan`` is
    a hole.

    Raises:
        TerrainError: A row of another form, points that lie on no square grid, or two points at one node.
    """
    rows: list[list[float]] = []
    for number, line in enumerate(content.decode("utf-8", errors="replace").splitlines(), 1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        try:
            rows.append([float(word) for word in words])
        except ValueError as error:
            if rows:
                raise TerrainError("a point has three numbers", place=f"{place}:{number}", value=line) from error
            continue
        if len(rows[-1]) != 3:
            raise TerrainError("a point has three numbers", place=f"{place}:{number}", value=line)
    if len(rows) < 4:
        raise TerrainError("the file has no grid of points", place=place, value=len(rows), limit="at least 4 points")
    points = np.array(rows) * scale
    if not np.isfinite(points[:, :2]).all():
        raise TerrainError("a point's x and y must be finite", place=place)
    origin = points[:, :2].min(axis=0)
    spacing = min(_spacing(points[:, axis], place) for axis in (0, 1))
    grid = (points[:, :2] - origin) / spacing
    nodes = np.round(grid).astype(np.int64)
    worst = int(np.argmax(np.abs(grid - nodes).max(axis=1)))
    if np.abs(grid[worst] - nodes[worst]).max() > _OFF_GRID:
        raise TerrainError(
            "the points lie on no square grid",
            place=place,
            value=points[worst].tolist(),
            limit=f"spacing {spacing:g} m",
        )
    shape = nodes.max(axis=0) + 1
    if float(np.prod(shape.astype(np.float64))) > MOST_NODES:
        raise TerrainError("the grid of points is too large", place=place, value=shape.tolist())
    heights = np.full(tuple(shape.tolist()), np.nan)
    numbers = nodes[:, 0] * shape[1] + nodes[:, 1]
    _, first = np.unique(numbers, return_index=True)
    if len(first) != len(numbers):
        again = int(np.setdiff1d(np.arange(len(numbers)), first)[0])
        raise TerrainError("two points lie at one place", place=place, value=points[again].tolist())
    heights[nodes[:, 0], nodes[:, 1]] = points[:, 2]
    return heights, (float(origin[0]), float(origin[1])), float(spacing)


def read_npy(content: bytes, place: str, spacing: float) -> tuple[Array, tuple[float, float], float]:
    """Heights (nx, ny), origin and spacing of a .npy array, or of an .npz with ``heights``, ``origin``, ``spacing``.

    Raises:
        TerrainError: Not such a file; arrays of Python objects are refused.
    """
    origin = np.zeros(2)
    try:
        loaded = np.load(io.BytesIO(content), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            heights = loaded.astype(np.float64)
        else:
            if "heights" not in loaded:
                raise TerrainError("the file has no heights", place=place, legal=list(loaded))
            heights = loaded["heights"].astype(np.float64)
            origin = np.asarray(loaded["origin"], dtype=np.float64) if "origin" in loaded else origin
            spacing = float(loaded["spacing"]) if "spacing" in loaded else spacing
    except (ValueError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise TerrainError("is no numpy array of heights", place=place) from error
    if heights.ndim != 2 or origin.shape != (2,):
        raise TerrainError("heights are a grid and their origin two numbers", place=place, value=heights.shape)
    return heights, (float(origin[0]), float(origin[1])), spacing


def _spacing(values: Array, place: str) -> float:
    """Least distance of coordinates that differ."""
    span = float(np.ptp(values))
    steps = np.diff(np.unique(values))
    # Rounding makes coordinates of one node differ by a little.
    steps = steps[steps > 1e-6 * max(span, 1e-12)]
    if not len(steps):
        raise TerrainError("the points lie on one line", place=place)
    return float(np.median(steps)) if steps.max() < 1.5 * steps.min() else float(steps.min())
