"""Point grids as terrain: rows of x, y, z in text, and numpy arrays."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import IO, Any

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.limits import MOST_NODES, MOST_ROWS, lines_of
from andante.terrain.height_map import TerrainError

_HEADERS: Mapping[tuple[int, int], Callable[[IO[bytes]], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
_FARTHEST = 1e7
"""Farthest point from the origin [m]: world coordinates of surveys reach some 1e6."""
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
    for number, line in enumerate(lines_of(content, place), 1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        try:
            rows.append([float(word) for word in words])
        except ValueError as error:
            if rows:
                raise TerrainError("a point has three numbers", place=f"{place}:{number}", value=line[:200]) from error
            continue
        if len(rows) > MOST_ROWS:
            raise TerrainError("there are too many points", place=place, limit=f"{MOST_ROWS}")
        if len(rows[-1]) != 3:
            raise TerrainError("a point has three numbers", place=f"{place}:{number}", value=line[:200])
    if len(rows) < 4:
        raise TerrainError("the file has no grid of points", place=place, value=len(rows), limit="at least 4 points")
    points = np.array(rows) * scale
    if not (np.abs(points[:, :2]) <= _FARTHEST).all():
        raise TerrainError("a point's x and y must be finite", place=place, limit=f"{_FARTHEST:g} m")
    origin = points[:, :2].min(axis=0)
    spacing = min(_spacing(points[:, axis], place) for axis in (0, 1))
    grid = (points[:, :2] - origin) / spacing
    if grid.max() > MOST_NODES:
        raise TerrainError("the grid of points is too large", place=place, value=(grid.max(axis=0) + 1.0).tolist())
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
        TerrainError: Not such a file, or too large when unpacked; arrays of Python objects are refused.
    """
    origin = np.zeros(2)
    try:
        if not content.startswith(b"PK"):
            heights = _array(io.BytesIO(content), place)
        else:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                members = {name.removesuffix(".npy"): name for name in archive.namelist()}
                if "heights" not in members:
                    raise TerrainError("the file has no heights", place=place, legal=list(members)[:100])
                arrays = {}
                for name in ("heights", "origin", "spacing"):
                    if name in members:
                        with archive.open(members[name]) as stream:
                            arrays[name] = _array(stream, place)
            heights = arrays["heights"]
            origin = arrays.get("origin", origin)
            if "spacing" in arrays:
                if arrays["spacing"].size != 1:
                    raise TerrainError("the spacing is one number", place=place, value=arrays["spacing"].shape)
                spacing = float(arrays["spacing"].reshape(()))
    except (
        *(ValueError, TypeError, OSError, EOFError, MemoryError, OverflowError, struct.error, SyntaxError),
        *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error),
        RuntimeError,  # zipfile, of a member: encrypted, or (as its subclass) in a compression that it does not know
    ) as error:
        raise TerrainError("is no numpy array of heights", place=place, value=str(error) or None) from error
    if heights.ndim != 2 or origin.shape != (2,):
        raise TerrainError("heights are a grid and their origin two numbers", place=place, value=heights.shape)
    return heights, (float(origin[0]), float(origin[1])), spacing


def _array(stream: IO[bytes], place: str) -> Array:
    """An array, read only after its header has said that it is one of numbers and not too large.

    Raises:
        ValueError: And other errors of numpy and zipfile: it is none.
        TerrainError: It is too large.
    """
    version = np.lib.format.read_magic(stream)
    reader = _HEADERS.get(version)
    if reader is None:
        raise ValueError(f"version {version} of numpy's format is not known")
    shape, by_column, kind = reader(stream)
    if kind.kind not in "fiub":
        raise ValueError("an array of numbers is needed")
    count = math.prod(shape)
    if not 0 <= count <= MOST_NODES:
        raise TerrainError("the array is too large", place=place, value=shape, limit=f"{MOST_NODES} nodes")
    raw = stream.read(count * kind.itemsize)
    if len(raw) != count * kind.itemsize:
        raise EOFError("the array is cut short")
    array = np.frombuffer(raw, dtype=kind).astype(np.float64)
    return array.reshape(shape, order="F" if by_column else "C")


def _spacing(values: Array, place: str) -> float:
    """Least distance of coordinates that differ."""
    span = float(np.ptp(values))
    steps = np.diff(np.unique(values))
    # Rounding makes coordinates of one node differ by a little.
    steps = steps[steps > 1e-6 * max(span, 1e-12)]
    if not len(steps):
        raise TerrainError("the points lie on one line", place=place)
    return float(np.median(steps)) if steps.max() < 1.5 * steps.min() else float(steps.min())
