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
from andante.terrain.files.found import Points, Raster, without
from andante.terrain.files.limits import MOST_NODES
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
_SPACINGS = (
    "spacing",
    "resolution",
    "cell_size",
    "cellsize",
    "res",
    "pixel_size",
    "grid_size",
    "horizontal_scale",
    "dx",
)
"""What the distance of neighbouring nodes is called."""
_FIRSTS = (("x0", "xmin", "x_min", "min_x"), ("y0", "ymin", "y_min", "min_y"))
_NODES = (("x", "xs", "x_coords", "x_coordinates"), ("y", "ys", "y_coords", "y_coordinates"))
"""What the place of the first node, and the places of all, are called along x and along y."""
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
_EXTENTS = {"extent": (0, 1, 2, 3), "bounds": (0, 2, 1, 3), "bbox": (0, 2, 1, 3)}
"""What the ends of a grid are called, and where least x, largest x, least y and largest y stand in them: as in
matplotlib, and as in rasterio."""
_EVEN = 0.05
"""Share of a step by which nodes may be off an even grid."""
_FEWEST_POINTS = 16
"""Rows of three numbers from which on an array has points; a map is not three nodes wide."""
_MOST_MEMBERS = 1000


def read_npy(content: bytes, place: str, layer: str | None = None, nodata: float | None = None) -> Raster | Points:
    """The raster in a .npy array, or in an .npz with an array of heights and, where it says them, their variance or
    standard deviation, flags of what is known, spacing and place.

    Programs name these in many ways: heights as in `_HEIGHTS`, or as the only grid in the file; their spacing as in
    `_SPACINGS`, along y ``dy`` where it is ``dx``; the place of the first node by ``origin`` or as in `_FIRSTS`, or the
    ends of the grid as in `_EXTENTS`, or x and y of all nodes as in `_NODES`. An array of three columns that is not
    called heights has points x, y, z.

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
    if heights.ndim != 2:
        raise TerrainError("heights are a grid", place=f"{place}: {wanted}", value=heights.shape)
    if wanted != _HEIGHTS[0]:
        notes.append(f"the array {wanted!r} has the heights")
    heights = without(Raster(heights), told).heights
    steps, first = _axes(read, first_of, heights.shape, place, used, notes)
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


def _axes(
    read: Callable[[str], Array],
    first_of: Callable[[Sequence[str]], str | None],
    shape: tuple[int, ...],
    place: str,
    used: set[str],
    notes: list[str],
) -> tuple[Array | None, tuple[float, float]]:
    """Steps of the grid, None where nothing says them, and place of its first node; tells which arrays it used,
    and what a user should know of it."""
    steps, named = None, first_of(_SPACINGS)
    if named is not None:
        used.add(named)
        spacing = read(named).ravel()
        other = first_of(("dy",)) if named.lower() == "dx" else None
        if other is not None:
            used.add(other)
            spacing = np.concatenate([spacing, read(other).ravel()])
        if spacing.size not in (1, 2):
            raise TerrainError("the spacing is one number", place=place, value=spacing.shape)
        if not (spacing > 0.0).all():
            raise TerrainError(
                "the spacing of a height map must be above zero", place=place, value=float(spacing.min())
            )
        steps = np.diag([float(spacing[0]), float(spacing[-1])])
    origin = first_of(("origin",))
    if origin is not None:
        used.add(origin)
        told = read(origin)
        # Some programs give the origin a height, which heights do not count from.
        if told.shape not in ((2,), (3,)):
            raise TerrainError("the origin is two numbers", place=f"{place}: {origin}", value=told.shape)
        return steps, (float(told[0]), float(told[1]))
    ends = [first_of(names) for names in _FIRSTS]
    if ends[0] is not None and ends[1] is not None:
        used.update((ends[0], ends[1]))
        values = [float(read(end).ravel()[0]) for end in ends if end is not None]
        return steps, (values[0], values[1])
    around = first_of(tuple(_EXTENTS))
    if around is not None and read(around).shape == (4,):
        used.add(around)
        return _within(read(around)[list(_EXTENTS[around.lower()])], steps, shape, f"{place}: {around}", notes)
    names = [first_of(each) for each in _NODES]
    if names[0] is None or names[1] is None:
        return steps, (0.0, 0.0)
    x, y = read(names[0]), read(names[1])
    if x.shape == shape and y.shape == shape and min(shape) >= 2:
        corner = np.array([x[0, 0], y[0, 0]])
        spans = [np.array([x[at], y[at]]) - corner for at in ((-1, 0), (0, -1))]
        steps = np.stack([span / (count - 1) for span, count in zip(spans, shape, strict=True)], axis=-1)
        i, j = np.meshgrid(*(np.arange(count) for count in shape), indexing="ij")
        off = np.hypot(
            x - corner[0] - steps[0, 0] * i - steps[0, 1] * j, y - corner[1] - steps[1, 0] * i - steps[1, 1] * j
        )
    elif x.ndim == y.ndim == 1 and x.size >= 2 and y.size >= 2 and set(shape) == {x.size, y.size}:
        along = [(each[-1] - each[0]) / (each.size - 1) for each in (x, y)]
        corner = np.array([x[0], y[0]])
        off = np.concatenate(
            [each - each[0] - step * np.arange(each.size) for each, step in zip((x, y), along, strict=True)]
        )
        # Grids of numpy.meshgrid have a row for each y, those of indexing="ij" one for each x.
        by_row = shape == (y.size, x.size) and shape != (x.size, y.size)
        steps = np.array([[0.0, along[0]], [along[1], 0.0]]) if by_row else np.diag(along)
    else:
        return steps, (0.0, 0.0)
    used.update((names[0], names[1]))
    if not np.abs(off).max() <= _EVEN * np.abs(steps).max():
        raise TerrainError("x and y of the nodes are not evenly spaced", place=place, limit="a grid, or points x, y, z")
    return steps, (float(corner[0]), float(corner[1]))


def _within(
    ends: Array, steps: Array | None, shape: tuple[int, ...], place: str, notes: list[str]
) -> tuple[Array, tuple[float, float]]:
    """Steps and place of the first node of a grid by its ends: those of its nodes or of its cells, as makes cells
    square and of the spacing that is told.

    Args:
        ends: Least x, largest x, least y and largest y.
        steps: The steps, where they are told.
        shape: The nodes, along x and y.
        place: The file and the array's name.
        notes: What a user should know of it is added to these.

    Raises:
        TerrainError: Neither fits.
    """
    low, span = ends[[0, 2]], ends[[1, 3]] - ends[[0, 2]]
    fits = []
    for rim in (0.0, 0.5):
        found = span / (np.array(shape) - 1.0 + 2.0 * rim)
        told = found.mean() if steps is None else np.diag(steps)
        off = float((np.abs(found - told) * shape).max())
        if found.min() > 0.0 and off < _EVEN * found.min():
            fits.append((off / float(found.min()), rim, found))
    if fits:
        # Of a grid of as many nodes along both axes both fit.
        _, rim, found = min(fits, key=lambda each: (round(each[0], 6), each[1]))
        if len(fits) == 2:
            notes.append(f"{place}: read as the ends of {'cells' if rim else 'nodes'}; half a cell lies between both")
        first = low + rim * found
        return np.diag(found) if steps is None else steps, (float(first[0]), float(first[1]))
    raise TerrainError(
        "the ends of the grid do not fit its nodes", place=place, value=ends.tolist(),
        limit=f"{shape[0]} nodes along x (the first index) and {shape[1]} along y, as far apart along both",
        remedy="say the spacing, x and y in arrays of these names",
    )  # fmt: skip


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
    if array.ndim != 2:
        raise TerrainError("heights are a grid", place=place, value=array.shape)
    if array.shape[1] == 3 and len(array) >= _FEWEST_POINTS:
        return Points(array, (f"{whose}rows of three numbers are points x, y, z",))
    return Raster(array)


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
