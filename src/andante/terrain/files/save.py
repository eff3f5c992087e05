"""Height maps to files that `andante.terrain.files.load` reads back node by node."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from andante.documents.files import write_bytes
from andante.documents.problems import DocumentError
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.files.limits import MOST_ROWS
from andante.terrain.height_map import HeightMap, TerrainError

SAVED = (".npz", ".xyz", ".csv", ".txt")
"""Endings of the files that hold a map whole: heights, origin and spacing."""


def save_heights(path: Path, ground: HeightMap | ElevationMap) -> None:
    """Write a map: .npz (heights, origin, spacing and, where there is one, variance), or rows of x, y and z (.xyz, .txt
    by blanks, .csv by commas), which keep no variance.

    Heights are read back bit by bit, from text too; what is unknown is NaN.

    Raises:
        TerrainError: Another kind of file, too many nodes for text, or the file cannot be written.
    """
    raw = heights_bytes(path.name, ground)
    try:
        write_bytes(path, raw)
    except DocumentError as error:
        raise TerrainError(f"the board {error.what}", place=str(path), remedy=error.remedy) from error


def heights_bytes(name: str, ground: HeightMap | ElevationMap) -> bytes:
    """What a file of some name holds of a map; see `save_heights`.

    Raises:
        TerrainError: Another kind of file, or too many nodes for text.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in SAVED:
        raise TerrainError("a height map is not written to this kind of file", value=name, legal=SAVED)
    if suffix == ".npz":
        buffer = io.BytesIO()
        arrays = {"heights": ground.heights, "origin": np.array(ground.origin), "spacing": np.array(ground.spacing)}
        if isinstance(ground, ElevationMap) and ground.variance is not None:
            arrays["variance"] = ground.variance
        np.savez_compressed(buffer, allow_pickle=False, **arrays)
        return buffer.getvalue()
    if ground.heights.size > MOST_ROWS:
        raise TerrainError(
            "the map has too many nodes for text", place=name, value=ground.heights.size,
            limit=f"{MOST_ROWS}", remedy="write an .npz",
        )  # fmt: skip
    x, y = np.meshgrid(ground.x, ground.y, indexing="ij")
    mark = "," if suffix == ".csv" else " "
    rows = np.stack([x, y, ground.heights], axis=-1).reshape(-1, 3).tolist()
    head = mark.join("xyz") + "\n" if suffix == ".csv" else ""
    return (head + "".join(f"{a!r}{mark}{b!r}{mark}{c!r}\n" for a, b, c in rows)).encode()
