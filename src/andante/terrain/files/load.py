"""Terrain from files: meshes, images and point grids."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from andante.documents.budget import MODELS, budgeted
from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.spatial.arrays import Array
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.files.grids import read_npy, read_points
from andante.terrain.files.images import read_pgm, read_png
from andante.terrain.files.limits import MOST_BYTES
from andante.terrain.files.meshes import read_obj, read_stl, top_of_mesh
from andante.terrain.height_map import HeightMap, TerrainError
from andante.terrain.holes import fill
from andante.terrain.terrain import Terrain

_END = 0.15


@dataclass(frozen=True)
class FileOptions:
    """How a file becomes a map, where the file does not say it."""

    spacing: float = 0.005
    """Distance of neighbouring nodes [m] for meshes, images and bare arrays."""
    scale: float = 1.0
    """Factor on all coordinates of a mesh or point file (0.001 for millimetres)."""
    low: float = 0.0
    """Height of an image's black [m]."""
    high: float = 0.1
    """Height of an image's white [m]."""
    holes: Literal["refuse", "nearest", "lowest"] = "refuse"
    """What to do with places without a height; see `andante.terrain.holes.fill`."""

    def __post_init__(self) -> None:
        for name in ("spacing", "scale"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0.0):
                raise TerrainError(f"{name} must be above zero", value=getattr(self, name))
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise TerrainError("an image needs low <= high", value=(self.low, self.high))


@budgeted(MODELS, error=TerrainError)
def load_heights(path: Path, options: FileOptions | None = None) -> HeightMap:
    """The height map in a file: .stl or .obj mesh, .png or .pgm image, .npy or .npz array, .xyz, .csv or .txt points.

    Raises:
        TerrainError: Unknown kind of file, unreadable or too large, nothing in it, or holes that are refused.
    """
    chosen = options or FileOptions()
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise TerrainError("there is no reader for this kind of terrain file", value=path.name, legal=_READERS)
    try:
        content = read_bytes(path, max_bytes=MOST_BYTES)
    except DocumentError as error:
        raise TerrainError(f"the file {error.what}", place=str(path), value=error.value, limit=error.limit) from error
    heights, origin, spacing = reader(content, str(path), chosen)
    if chosen.holes != "refuse":
        heights, _ = fill(heights, chosen.holes)
    try:
        return HeightMap(heights, origin, spacing)
    except TerrainError as error:
        raise TerrainError(f"{path}: {error}") from error


def load_terrain(path: Path, options: FileOptions | None = None) -> Terrain:
    """Ground to walk on from a mesh, image or point grid; the way goes from its low end of x to its high end.

    Raises:
        TerrainError: As `load_heights`.
    """
    ground = load_heights(path, options)
    low_x, high_x, low_y, high_y = ground.extent
    end = min(_END, 0.25 * (high_x - low_x))
    middle = 0.5 * (low_y + high_y)
    return Terrain(
        name=path.stem,
        heights=ground,
        map=ElevationMap.of(ground),
        surface=ground,
        floor=float(ground.heights.min()),
        start=(low_x + end, middle),
        goal=(high_x - end, middle),
    )


Found = tuple[Array, tuple[float, float], float]


def _mesh(read: Callable[[bytes, str], Array]) -> Callable[[bytes, str, FileOptions], Found]:
    def reader(content: bytes, place: str, options: FileOptions) -> Found:
        return top_of_mesh(read(content, place) * options.scale, options.spacing, place)

    return reader


def _image(read: Callable[[bytes, str], Array]) -> Callable[[bytes, str, FileOptions], Found]:
    def reader(content: bytes, place: str, options: FileOptions) -> Found:
        shares = read(content, place)
        # Rows of an image run down, y runs up.
        return options.low + (options.high - options.low) * shares[::-1].T, (0.0, 0.0), options.spacing

    return reader


def _array(content: bytes, place: str, options: FileOptions) -> Found:
    return read_npy(content, place, options.spacing)


def _points(content: bytes, place: str, options: FileOptions) -> Found:
    return read_points(content, place, options.scale)


_READERS: Mapping[str, Callable[[bytes, str, FileOptions], Found]] = {
    ".stl": _mesh(read_stl),
    ".obj": _mesh(read_obj),
    ".png": _image(read_png),
    ".pgm": _image(read_pgm),
    ".npy": _array,
    ".npz": _array,
    ".xyz": _points,
    ".csv": _points,
    ".txt": _points,
}
SUFFIXES = frozenset(_READERS)
"""Endings of the files that are read."""
