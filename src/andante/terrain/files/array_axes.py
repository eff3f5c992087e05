"""Where the heights of an archive of numpy lie: the arrays that tell spacing and place, by what programs call them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.height_map import TerrainError

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
_MIDDLES = ("center", "centre", "map_center")
"""What the middle of the grid is called."""
_TRANSFORMS = {"transform": (0, 1, 2, 3, 4, 5), "geotransform": (1, 2, 0, 4, 5, 3)}
"""What the six numbers are called by which columns and rows become x and y, and in which order rasterio and GDAL have
them."""
_NODES = (("x", "xs", "x_coords", "x_coordinates"), ("y", "ys", "y_coords", "y_coordinates"))
"""What the place of the first node, and the places of all, are called along x and along y."""
_DEGREES = (("lat", "latitude", "lats", "latitudes"), ("lon", "longitude", "lons", "longitudes", "lng"))
_EXTENTS = {"extent": (0, 1, 2, 3), "bounds": (0, 2, 1, 3), "bbox": (0, 2, 1, 3)}
"""What the ends of a grid are called, and where least x, largest x, least y and largest y stand in them: as in
matplotlib, and as in rasterio."""
_EVEN = 0.05
"""Share of a step by which nodes may be off an even grid."""


def axes_of(
    read: Callable[[str], Array],
    first_of: Callable[[Sequence[str]], str | None],
    shape: tuple[int, ...],
    place: str,
    used: set[str],
    notes: list[str],
) -> tuple[Array | None, tuple[float, float]]:
    """Steps of the grid, None where nothing says them, and place of its first node; tells which arrays it used,
    and what a user should know of it."""
    by_rows = _transformed(read, first_of, place, used, notes)
    if by_rows is not None:
        return by_rows
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
    middle = first_of(_MIDDLES)
    if middle is not None and steps is not None and read(middle).shape in ((2,), (3,)):
        used.add(middle)
        first = read(middle)[:2] - 0.5 * np.diag(steps) * (np.array(shape) - 1.0)
        notes.append(f"the array {middle!r} is the middle of the grid")
        return steps, (float(first[0]), float(first[1]))
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
        degrees = [first_of(each) for each in _DEGREES]
        if steps is None and degrees[0] is not None and degrees[1] is not None:
            raise TerrainError(
                f"the nodes lie at {degrees[0]} and {degrees[1]}, which are degrees", place=place,
                remedy="project it to metres, or save spacing (and origin) with the heights",
            )  # fmt: skip
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


def _transformed(
    read: Callable[[str], Array],
    first_of: Callable[[Sequence[str]], str | None],
    place: str,
    used: set[str],
    notes: list[str],
) -> tuple[Array, tuple[float, float]] | None:
    """Steps and first node of an image by what takes columns and rows to x and y, from the outer corner of its first
    cell on; None: there is none.

    Where rows run up it may as well be meant for the first index along x, and counts for nothing beside a spacing.

    Raises:
        TerrainError: It is such a one, and there is no spacing.
    """
    name = first_of(tuple(_TRANSFORMS))
    if name is None:
        return None
    found = read(name).ravel()
    if (
        found.size not in (6, 9)
        or not np.isfinite(found).all()
        or (found[6:] != (0.0, 0.0, 1.0)[: found.size - 6]).any()
    ):
        return None
    a, b, c, d, e, f = found[list(_TRANSFORMS[name.lower()])].tolist()
    turn = a * e - b * d
    if turn == 0.0:
        return None
    if turn > 0.0:
        if first_of(_SPACINGS) is not None:
            return None
        raise TerrainError(
            f"the array {name!r} does not say which index of heights runs along x", place=place, value=found.tolist(),
            remedy="save spacing and origin in its place, with the first index of heights along x",
        )  # fmt: skip
    used.update(each for each in (name, first_of(_SPACINGS), first_of(("dy",))) if each is not None)
    notes.append(f"the array {name!r} tells where the cells of an image lie, whose rows run down")
    return np.array([[b, a], [e, d]]), (c + 0.5 * (a + b), f + 0.5 * (d + e))


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
