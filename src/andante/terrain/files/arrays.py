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
from andante.terrain.files.array_axes import axes_of
from andante.terrain.files.found import Points, Raster, without
from andante.terrain.files.limits import MOST_BYTES, MOST_NODES, few
from andante.terrain.height_map import TerrainError

_HEADERS: Mapping[tuple[int, int], Callable[[IO[bytes]], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}

_HEIGHTS = (
    *("heights", "height", "elevation", "height_map", "heightmap", "elevation_map", "elevations", "dem", "z"),
    *("points", "xyz", "cloud"),
)
"""What arrays of heights, or of points, are called, in whatever letters; the first that there is counts."""
_FACTORS = ("vertical_scale", "z_scale", "height_scale")
"""What the length is called that one in the heights stands for."""
_VARIANCES = ("variance", "elevation_variance", "height_variance", "var")
_DEVIATIONS = ("std", "stddev", "std_dev", "standard_deviation", "sigma", "elevation_std", "height_std")
"""What the variance of heights is called, and its root."""
_VALID = ("valid", "valid_mask", "known", "is_known", "observed")
_INVALID = ("invalid", "invalid_mask", "unknown", "holes")
"""What flags are called that are true where heights are known, and where they are not."""
_BESIDES = frozenset((*_VARIANCES, *_DEVIATIONS, *_VALID, *_INVALID, "mask"))
_NODATA = ("nodata", "no_data", "nodata_value", "fill_value")
"""What the number is called that says unknown."""
_FEWEST_POINTS = 16
"""Rows of three numbers from which on an array has points; a map is not three nodes wide."""
_MOST_MEMBERS = 1000


def read_npy(content: bytes, place: str, layer: str | None = None, nodata: float | None = None) -> Raster | Points:
    """The raster in a .npy array, or in an .npz with an array of heights and, where it says them, their variance or
    standard deviation, flags of what is known, spacing and place.

    Programs name these in many ways: heights as in `_HEIGHTS`, or as the only grid in the file; where they lie as in
    `andante.terrain.files.array_axes`. An array of three columns that is not called heights has points x, y, z, and so
    have records with these fields.

    Args:
        content: The file.
        place: The file's name.
        layer: Name of the .npz's array of heights; None: what such arrays are called.
        nodata: Number that says unknown; None: what the file says.

    Raises:
        TerrainError: Not such a file, or too large when unpacked; arrays of Python objects are refused.
    """
    try:
        if not content.startswith(b"PK"):
            return without(_points_or_grid(_array(io.BytesIO(content), place), place, ""), nodata)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _archived(archive, place, layer, nodata)
    except (
        *(ValueError, TypeError, OSError, EOFError, MemoryError, OverflowError, struct.error, SyntaxError),
        *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error),
        RuntimeError,  # zipfile, of a member: encrypted, or (as its subclass) in a compression that it does not know
    ) as error:
        raise TerrainError("is no numpy array of heights", place=place, value=str(error) or None) from error


def _archived(archive: zipfile.ZipFile, place: str, layer: str | None, nodata: float | None) -> Raster | Points:
    members = {name.removesuffix(".npy"): name for name in archive.namelist()[:_MOST_MEMBERS]}
    lowered = {name.lower(): name for name in reversed(members)}

    def read(name: str) -> Array:
        with archive.open(members[name]) as stream:
            return _array(stream, place)

    def first_of(names: Sequence[str]) -> str | None:
        return next((lowered[name] for name in names if name in lowered), None)

    wanted = layer or first_of(_HEIGHTS)
    if wanted is None:
        wanted = _only_grid(archive, members)
    if wanted is None or wanted not in members:
        raise TerrainError(
            "the file has no such array of heights", place=place, value=layer or _HEIGHTS[0],
            legal=list(members)[:100], remedy="" if layer else "say layer=NAME",
        )  # fmt: skip
    used, heights, notes = {wanted}, read(wanted), list[str]()

    def taken(names: Sequence[str], shape: tuple[int, ...], role: str) -> Array | None:
        """What goes with the heights by one of some names, in their shape or as one number."""
        name = first_of([each for each in names if lowered.get(each) != wanted])
        if name is None:
            return None
        found = read(name)
        if found.shape != shape and found.size != 1:
            # Of a variance this is told below; others are not what goes with heights.
            return found if names is _VARIANCES else None
        used.add(name)
        if name != _VARIANCES[0]:
            notes.append(f"the array {name!r} {role}")
        return found.reshape(shape) if found.shape == shape else np.full(shape, found.item())

    missing = taken(_NODATA, (), "is the number that says unknown")
    told = nodata if nodata is not None or missing is None else float(missing)
    if wanted.lower() != _HEIGHTS[0] and heights.ndim == 2 and heights.shape[1] == 3:
        return without(_points_or_grid(heights, place, f"the array {wanted!r}: "), told)
    heights = _flat(heights)
    if heights.ndim != 2:
        raise TerrainError("heights are a grid", place=f"{place}: {wanted}", value=heights.shape)
    if wanted != _HEIGHTS[0]:
        notes.append(f"the array {wanted!r} has the heights")
    heights = without(Raster(heights), told).heights
    steps, first = axes_of(read, first_of, heights.shape, place, used, notes)
    variance = taken(_VARIANCES, heights.shape, "is the variance of heights")
    if variance is None:
        deviation = taken(_DEVIATIONS, heights.shape, "is the standard deviation of heights")
        variance = None if deviation is None else deviation**2
    factor = taken(_FACTORS, (), "is the length that one in the heights stands for")
    if factor is not None:
        heights = heights * float(factor)
    for names, wrong, what in ((_VALID, 0.0, "known"), (_INVALID, 1.0, "unknown")):
        flags = taken(names, heights.shape, f"says which heights are {what}")
        if flags is not None:
            heights = np.where((flags != 0.0) == bool(wrong), np.nan, heights)
    left = [name for name in members if name not in used]
    if left:
        notes.append(f"not read: {', '.join(left[:10])}{', ...' if len(left) > 10 else ''}")
    if "mask" in left and read("mask").shape == heights.shape:
        notes.append(f"a mask does not say what is true in it: call it {_VALID[0]} or {_INVALID[0]}")
    return Raster(heights, steps, first, variance, notes=tuple(notes))


def _only_grid(archive: zipfile.ZipFile, members: Mapping[str, str]) -> str | None:
    """The only array of numbers in two dimensions; None: there are none or several.

    A member whose name leads out of the file is nobody's grid.
    """
    grids = []
    for name, member in members.items():
        if ".." in name.split("/"):
            continue
        with archive.open(member) as stream:
            reader = _HEADERS.get(np.lib.format.read_magic(stream))
            if reader is not None:
                shape, _, kind = reader(stream)
                if len(shape) == 2 and min(shape) >= 2 and kind.kind in "fiu" and name.lower() not in _BESIDES:
                    grids.append(name)
    return grids[0] if len(grids) == 1 else None


def _points_or_grid(array: Array, place: str, whose: str) -> Raster | Points:
    """Points of an array of three columns, else the grid.

    Raises:
        TerrainError: It is neither.
    """
    array = _flat(array)
    if array.ndim != 2:
        raise TerrainError("heights are a grid", place=place, value=array.shape)
    if array.shape[1] == 3 and len(array) >= _FEWEST_POINTS:
        return Points(array, (f"{whose}rows of three numbers are points x, y, z",))
    return Raster(array)


def _flat(array: Array) -> Array:
    """The array without indices of one value, as of the only band or channel."""
    return array if array.ndim <= 2 else array.reshape([count for count in array.shape if count != 1])


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
    if not 0 <= count <= MOST_NODES:
        raise TerrainError("the array is too large", place=place, value=shape, limit=f"{MOST_NODES} nodes")
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
