"""Matrices of x and y beside one of heights, as MATLAB's meshgrid makes them and Quad-SDK keeps its terrain:
x_data.csv, y_data.csv, z_data.csv."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.terrain.files.found import Raster
from andante.terrain.files.limits import MOST_TEXT, in_utf8
from andante.terrain.files.rows import read_rows
from andante.terrain.height_map import TerrainError

ENDINGS = (".csv", ".txt", ".dat", ".tsv")
"""Files that may have such ones beside them."""
_OFF = 0.02
"""How far a node may be from its place on the grid, as a share of a step: numbers are rounded."""


def coordinates_of(path: Path) -> tuple[Path, Path] | None:
    """The files of x and y beside one of z that is called as they are; None: there are none."""
    if path.suffix.lower() not in ENDINGS or path.name[:1] not in ("z", "Z"):
        return None
    axes = ("x", "y") if path.name[0] == "z" else ("X", "Y")
    x, y = (path.with_name(axis + path.name[1:]) for axis in axes)
    return (x, y) if x.is_file() and y.is_file() else None


def on_coordinates(found: Raster, files: tuple[Path, Path]) -> Raster:
    """The heights of a matrix where two others have its nodes.

    Raises:
        TerrainError: They are no matrices of its shape, or their nodes lie on no grid.
    """
    x, y = (_matrix(path, found.heights.shape) for path in files)
    places = np.stack([x, y], axis=-1)
    first = places[0, 0]
    rows, columns = x.shape
    along = (places[-1, 0] - first) / (rows - 1), (places[0, -1] - first) / (columns - 1)
    grid = first + np.arange(rows)[:, None, None] * along[0] + np.arange(columns)[None, :, None] * along[1]
    off = float(np.abs(places - grid).max())
    step = min(float(np.linalg.norm(each)) for each in along)
    if not off <= _OFF * step:
        raise TerrainError(
            "the places beside the heights are on no grid", place=f"{files[0]}, {files[1].name}", value=off,
            limit=f"{_OFF * step:g}: {100.0 * _OFF:g} % of a step", remedy="save them as rows x, y, z",
        )  # fmt: skip
    told = f"{files[0].name} and {files[1].name} beside it say where its nodes are"
    return replace(
        found, steps=np.stack(along, axis=1), first=(float(first[0]), float(first[1])), notes=(*found.notes, told)
    )


def _matrix(path: Path, shape: tuple[int, ...]) -> np.ndarray:
    try:
        content = read_bytes(path, max_bytes=MOST_TEXT)
    except DocumentError as error:
        raise TerrainError(f"the file {error.what}", place=str(path), value=error.value, limit=error.limit) from error
    read = read_rows(in_utf8(content), str(path), "matrix", None)
    if not isinstance(read, Raster) or read.heights.shape != shape or min(shape) < 2:
        value = read.heights.shape if isinstance(read, Raster) else None
        raise TerrainError(
            "the places beside the heights are no matrix of their shape", place=str(path), value=value, limit=f"{shape}"
        )
    if not np.isfinite(read.heights).all():
        raise TerrainError("a place beside the heights is not finite", place=str(path))
    return read.heights
