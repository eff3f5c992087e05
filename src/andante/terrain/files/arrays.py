"""Numpy arrays as terrain: .npy, and .npz with heights, and what goes with them."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.array_meshes import mesh_of
from andante.terrain.files.found import Points, Raster, Triangles, without
from andante.terrain.files.limits import MOST_BYTES, MOST_NODES, few
from andante.terrain.files.named_arrays import heights_of, is_cloud, points_or_grid, refuse_steps
from andante.terrain.height_map import TerrainError

_HEADERS: Mapping[tuple[int, int], Callable[[IO[bytes]], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}

_MOST_MEMBERS = 1000
_MOST_OF_CLOUD = 4 * MOST_NODES
"""Most numbers of an array of points."""


def read_npy(
    content: bytes, place: str, layer: str | None = None, nodata: float | None = None, *, said: bool = True
) -> Raster | Points | Triangles:
    """The raster in a .npy array, or in an .npz with an array of heights and, where it says them, their variance or
    standard deviation, flags of what is known, spacing and place.

    Programs name these in many ways: see `andante.terrain.files.named_arrays` and `andante.terrain.files.array_axes`.
    An array of three columns that is not called heights has points x, y, z, and so have records with these fields, and
    long bare arrays of up to sixteen columns. Vertices and triangles (or faces) in an .npz are a mesh.

    Args:
        content: The file.
        place: The file's name.
        layer: Name of the .npz's array of heights; None: what such arrays are called.
        nodata: Number that says unknown; None: what the file says.
        said: Whether the user says what one in the heights stands for.

    Raises:
        TerrainError: Not such a file, or too large when unpacked; heights in steps of which nobody says how long they
            are; arrays of Python objects are refused.
    """
    try:
        if not content.startswith(b"PK"):
            found = without(points_or_grid(_array(io.BytesIO(content), place), place, ""), nodata)
            if isinstance(found, Raster) and not said:
                refuse_steps(found.heights, _kept(io.BytesIO(content))[1], place)
            return found
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            arrays = _Archive(archive, place)
            mesh = mesh_of(arrays, place, nodata) if layer is None else None
            return mesh or heights_of(arrays, place, layer, nodata, said=said)
    except (
        *(ValueError, TypeError, OSError, EOFError, MemoryError, OverflowError, struct.error, SyntaxError),
        *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error),
        RuntimeError,  # zipfile, of a member: encrypted, or (as its subclass) in a compression that it does not know
    ) as error:
        raise TerrainError("is no numpy array of heights", place=place, value=str(error) or None) from error


class _Archive:
    """The arrays of an .npz."""

    def __init__(self, archive: zipfile.ZipFile, place: str) -> None:
        self._archive, self._place = archive, place
        self._members = {name.removesuffix(".npy"): name for name in archive.namelist()[:_MOST_MEMBERS]}

    @property
    def names(self) -> Sequence[str]:
        return tuple(self._members)

    def read(self, name: str) -> Array:
        with self._archive.open(self._members[name]) as stream:
            return _array(stream, self._place)

    def kept(self, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
        with self._archive.open(self._members[name]) as stream:
            return _kept(stream)


def _kept(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and kind of numbers of an array, by its head; no shape where that is of a version that is not known."""
    reader = _HEADERS.get(np.lib.format.read_magic(stream))
    if reader is None:
        return (), np.dtype(np.void)
    shape, _, kind = reader(stream)
    return shape, kind


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
    axes = _coordinates(kind)
    if axes is None and kind.kind not in "fiub":
        raise ValueError("an array of numbers is needed")
    count = math.prod(shape)
    most, what = (_MOST_OF_CLOUD, "numbers of points") if is_cloud(shape) else (MOST_NODES, "nodes")
    if not 0 <= count <= most:
        raise TerrainError("the array is too large", place=place, value=shape, limit=f"{most} {what}")
    few(count * kind.itemsize, MOST_BYTES, "bytes in an array", place)
    raw = stream.read(count * kind.itemsize)
    if len(raw) != count * kind.itemsize:
        raise EOFError("the array is cut short")
    if axes is not None:
        table = np.frombuffer(raw, dtype=kind)
        return np.stack([table[axis].astype(np.float64) for axis in axes], axis=-1)
    array = np.frombuffer(raw, dtype=kind).astype(np.float64)
    return array.reshape(shape, order="F" if by_column else "C")


def _coordinates(kind: np.dtype[Any]) -> list[str] | None:
    """The fields x, y and z of records, as clouds are kept in numpy; None: it has none, or they are no numbers."""
    if kind.names is None or kind.hasobject:
        return None
    found = [[name for name in kind.names if name.lower() == axis] for axis in "xyz"]
    if any(len(each) != 1 or kind[each[0]].kind not in "fiu" for each in found):
        return None
    return [each[0] for each in found]
