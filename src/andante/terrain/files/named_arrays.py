"""Heights among arrays that have names, of numpy's archives and MATLAB's files: which are heights, and what goes with
them, by what programs call them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.array_axes import axes_of
from andante.terrain.files.found import Points, Raster, without
from andante.terrain.files.limits import thinned
from andante.terrain.height_map import TerrainError

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
FEWEST_POINTS = 16
"""Rows of three numbers from which on an array has points; a map is not three nodes wide."""
_MOST_COLUMNS = 16
"""Most numbers of a point: places, colours, normals, intensity, time."""
_LONGER = 200
"""How many times longer than wide an array of more columns is that has points; no map is so narrow."""


class NamedArrays(Protocol):
    """The arrays of a file, read one by one as they are asked for."""

    @property
    def names(self) -> Sequence[str]:
        """What they are called."""
        ...

    def read(self, name: str) -> Array:
        """An array, as float64."""
        ...

    def kept(self, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Its shape and the kind of its numbers in the file, without reading them."""
        ...


def heights_of(
    arrays: NamedArrays, place: str, layer: str | None, nodata: float | None, *, said: bool
) -> Raster | Points:
    """The raster or the points among some arrays.

    Args:
        arrays: The arrays.
        place: The file.
        layer: Name of the array of heights; None: what such arrays are called.
        nodata: Number that says unknown; None: what an array says.
        said: Whether the user says what one in the heights stands for.

    Raises:
        TerrainError: There are no heights, what goes with them contradicts them, or they are in steps of which nothing
            says how long they are.
    """
    lowered, read = {name.lower(): name for name in reversed(arrays.names)}, arrays.read

    def first_of(names: Sequence[str]) -> str | None:
        return next((lowered[name] for name in names if name in lowered), None)

    wanted = layer or first_of(_HEIGHTS)
    if wanted is None:
        wanted = _only_grid(arrays)
    if wanted is None or wanted not in arrays.names:
        raise TerrainError(
            "the file has no such array of heights", place=place, value=layer or _HEIGHTS[0],
            legal=list(arrays.names)[:100], remedy="" if layer else "say layer=NAME",
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
    if wanted.lower() != _HEIGHTS[0] and heights.ndim == 2 and heights.shape[1] >= 3:
        points = points_or_grid(heights, place, f"the array {wanted!r}: ")
        if isinstance(points, Points) or heights.shape[1] == 3:
            return without(points, told)
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
    left = [name for name in arrays.names if name not in used]
    if left:
        notes.append(f"not read: {', '.join(left[:10])}{', ...' if len(left) > 10 else ''}")
    if "mask" in left and read("mask").shape == heights.shape:
        notes.append(f"a mask does not say what is true in it: call it {_VALID[0]} or {_INVALID[0]}")
    if factor is None and not said:
        refuse_steps(heights, arrays.kept(wanted)[1], place)
    return Raster(heights, steps, first, variance, notes=tuple(notes))


def refuse_steps(heights: Array, kind: np.dtype[Any], place: str) -> None:
    """Refuse heights in whole numbers, as simulators keep them, of which nobody says how long one is.

    Raises:
        TerrainError: They are such heights.
    """
    known = heights[np.isfinite(heights)]
    if kind.kind in "iu" and known.size and known.max() > known.min():
        raise TerrainError(
            "the heights are whole numbers, and nothing says how many metres one of them is", place=place,
            value=f"{kind} from {known.min():g} to {known.max():g}",
            remedy="height_scale=LENGTH says it, such as 0.005 (vertical_scale in legged_gym), and spacing=LENGTH how "
            "far nodes are apart (horizontal_scale)",
        )  # fmt: skip


def _only_grid(arrays: NamedArrays) -> str | None:
    """The only array of numbers in two dimensions; None: there are none or several.

    One whose name leads out of the file is nobody's grid.
    """
    grids = []
    for name in arrays.names:
        if ".." in name.split("/") or name.lower() in _BESIDES:
            continue
        shape, kind = arrays.kept(name)
        if len(shape) == 2 and min(shape) >= 2 and kind.kind in "fiu":
            grids.append(name)
    return grids[0] if len(grids) == 1 else None


def points_or_grid(array: Array, place: str, whose: str) -> Raster | Points:
    """Points of an array that is as narrow as they are, else the grid.

    Raises:
        TerrainError: It is neither.
    """
    array = _flat(array)
    if array.ndim != 2:
        raise TerrainError("heights are a grid", place=place, value=array.shape)
    if not is_cloud(array.shape):
        return Raster(array)
    columns = array.shape[1]
    how = "of three numbers are points x, y, z" if columns == 3 else f"of {columns} numbers are points: x, y, z, others"
    stride, fewer = thinned(len(array))
    return Points(array[::stride, :3], (f"{whose}rows {how}", *fewer))


def is_cloud(shape: tuple[int, ...]) -> bool:
    """Whether an array of this shape has points, one in each row, for it is narrower than any map."""
    if len(shape) != 2:
        return False
    rows, columns = shape
    return (columns == 3 and rows >= FEWEST_POINTS) or (3 < columns <= _MOST_COLUMNS and rows >= _LONGER * columns)


def _flat(array: Array) -> Array:
    """The array without indices of one value, as of the only band or channel."""
    return array if array.ndim <= 2 else array.reshape([count for count in array.shape if count != 1])
