"""Numpy arrays as terrain: .npy, and .npz with heights, and what goes with them."""

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
from andante.terrain.files.found import Raster, square
from andante.terrain.files.limits import MOST_NODES
from andante.terrain.height_map import TerrainError

_HEADERS: Mapping[tuple[int, int], Callable[[IO[bytes]], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npy(content: bytes, place: str, layer: str | None = None) -> Raster:
    """The raster in a .npy array, or in an .npz with ``heights`` and, where it says them, ``origin``, ``spacing`` and
    ``variance``.

    Args:
        content: The file.
        place: The file's name.
        layer: Name of the .npz's array of heights; None: ``heights``.

    Raises:
        TerrainError: Not such a file, or too large when unpacked; arrays of Python objects are refused.
    """
    arrays: dict[str, Array] = {}
    wanted = layer or "heights"
    try:
        if not content.startswith(b"PK"):
            arrays[wanted] = _array(io.BytesIO(content), place)
        else:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                members = {name.removesuffix(".npy"): name for name in archive.namelist()}
                if wanted not in members:
                    raise TerrainError(
                        "the file has no such array of heights", place=place, value=wanted, legal=list(members)[:100]
                    )
                for name in (wanted, "origin", "spacing", "variance"):
                    if name in members:
                        with archive.open(members[name]) as stream:
                            arrays[name] = _array(stream, place)
    except (
        *(ValueError, TypeError, OSError, EOFError, MemoryError, OverflowError, struct.error, SyntaxError),
        *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error),
        RuntimeError,  # zipfile, of a member: encrypted, or (as its subclass) in a compression that it does not know
    ) as error:
        raise TerrainError("is no numpy array of heights", place=place, value=str(error) or None) from error
    heights, origin = arrays[wanted], arrays.get("origin", np.zeros(2))
    if heights.ndim != 2 or origin.shape != (2,):
        raise TerrainError("heights are a grid and their origin two numbers", place=place, value=heights.shape)
    spacing = arrays.get("spacing")
    if spacing is not None and spacing.size != 1:
        raise TerrainError("the spacing is one number", place=place, value=spacing.shape)
    steps = None
    if spacing is not None:
        steps = square(float(spacing.reshape(())))
        if not steps[0, 0] > 0.0:
            raise TerrainError("the spacing of a height map must be above zero", place=place, value=steps[0, 0].item())
    return Raster(heights, steps, (float(origin[0]), float(origin[1])), arrays.get("variance"))


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
