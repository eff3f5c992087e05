"""Points gridded: nodes in any order, jittered grids, and clouds without any order."""

from __future__ import annotations

import math

import numpy as np

from andante.spatial.arrays import Array, Flags, Index
from andante.terrain.files.cloud_layers import ROOM, LowestLayers
from andante.terrain.files.found import Raster, square
from andante.terrain.files.limits import MOST_NODES, grid_size
from andante.terrain.height_map import TerrainError

_FARTHEST = 1e7
"""Farthest point from the origin [m]: world coordinates of surveys reach some 1e6."""
_OFF_GRID = 0.05
"""Share of the spacing by which the points of an exact grid may be off their nodes."""
_LAST_DIGITS = 1e-9
"""Share of a spacing by which rounding of coordinates, and nothing else, makes it differ."""
_ORDER = 0.3
"""Least length of the mean phase, 0 to 1, by which points count as a jittered grid; that of points without order is
near zero, that of a grid with the standard deviation s at the spacing d exp(-2 (pi s / d)^2)."""
_SAMPLE = 4000
"""Points from which density is estimated."""
_PHASES = 1500
"""Points from which order is estimated at a time."""
_NEAR = 12.0
"""How far the nearest of them are away, in distances of neighbours."""
_FEWEST = 16
"""Fewest points of a cloud."""
_MESH = 100
"""Fewest corners of a mesh by which a grid is looked for."""
_OUTLIER = 6.0
"""Standard deviations from the median of its cell beyond which a point counts as an outlier."""
_NORMAL = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation."""


def grid_points(
    points: Array, spacing: float | None, resolution: float | None, place: str, room: float = ROOM
) -> Raster:
    """Heights of points (n, 3) [m] at the nodes of a grid along x and y.

    Points on a grid give its nodes as they are. Those of a jittered grid give the grid that they jitter about, those
    without order cells of ``resolution`` or ``spacing``, or 1.5 times as wide as points are apart (1, 2 or 5 times a
    power of ten). The height of a cell is the median of its points, its variance that of the median of n normal values,
    pi / 2 s^2 / n, with s from the median absolute deviation: of the cell from five points on, else of all cells; a
    jittered grid of one point for each node has none. A cell without points is unknown. Of layers one above the other
    (`andante.terrain.files.cloud_layers`) the lowest counts; where less than ``room`` [m] are free above it, the cell
    is unknown.

    Raises:
        TerrainError: Places that are not finite or too far away, points on one line, too few, or too large a grid.
    """
    places = points[:, :2]
    blank = np.isnan(places).all(axis=1)
    notes = []
    if blank.any():
        points, places = points[~blank], places[~blank]
        notes.append(f"{int(blank.sum())} points without a place left out")
    if len(points) < 4:
        raise TerrainError("the file has no grid of points", place=place, value=len(points), limit="at least 4 points")
    if not (np.abs(places) <= _FARTHEST).all():
        raise TerrainError("a point's x and y must be finite", place=place, limit=f"{_FARTHEST:g} m")
    exact = _exact(points, place)
    if exact is not None:
        return Raster(exact.heights, exact.steps, exact.first, metres=True, notes=tuple(notes))
    points = points[np.isfinite(points[:, 2])]
    if len(points) < _FEWEST:
        raise TerrainError(
            "the points lie on no square grid, and they are too few for a cloud",
            place=place,
            value=len(points),
            limit=f"at least {_FEWEST} points",
        )
    sample = _together(points[:, :2])
    apart = _apart(sample, place)
    asked = resolution or spacing
    order = _order(sample, apart) if asked is None else None
    if order is not None:
        cell, first = order
        notes.append(f"{len(points)} points of a jittered grid of {1e3 * cell:.4g} mm")
    else:
        cell = asked or rounded_up(1.5 * apart)
        first = np.zeros(2)
        notes.append(f"{len(points)} points without order, gridded by {1e3 * cell:.4g} mm")
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    corner = np.round((low - first) / cell)
    what, remedy = "the points do not fit the spacing", "give another spacing or scale"
    size = grid_size(np.round((high - first) / cell) - corner + 1.0, what, place, high - low, cell, remedy)
    first = first + corner * cell
    i, j = np.round((points[:, :2] - first) / cell).astype(np.int64).T
    numbers = i * size[1] + j
    counts = np.bincount(numbers, minlength=size[0] * size[1])
    z, layers = points[:, 2], LowestLayers.of(numbers, points[:, 2], counts, room)
    if layers is not None:
        z, numbers = z[layers.kept], numbers[layers.kept]
        counts = np.bincount(numbers, minlength=size[0] * size[1])
    heights, variance, spread, far = _cells(numbers, z, counts, size)
    if layers is not None:
        covered = layers.cells[layers.low]
        heights.ravel()[covered], variance.ravel()[covered] = np.nan, np.nan
        notes.append(
            f"{len(layers.cells)} cells have layers one above the other, the lowest counts; {len(covered)} of these "
            f"are unknown, since less than {room:.2g} m are free above it"
        )
    if far:
        notes.append(f"{far} points ({100.0 * far / len(points):.2g} %) are outliers of their cell")
    if order is None:
        alone = _alone(heights, counts.reshape(size), spread)
        heights[alone], variance[alone] = np.nan, np.nan
        if alone.any():
            notes.append(f"{int(alone.sum())} cells of one or two points far above or below all around are unknown")
    empty = int(np.isnan(heights).sum())
    if empty:
        notes.append(f"{empty} of {heights.size} cells have no points")
    # One point alone tells a height and nothing of how sure it is, as the node of any other grid.
    told = variance if order is None or counts.max() > 2 else None
    return Raster(heights, square(cell), (float(first[0]), float(first[1])), told, True, tuple(notes))


def grid_of(places: Array) -> tuple[float, Array] | None:
    """Spacing and a node (2,) of the grid along x and y whose nodes places (n, 2) are, or jitter about; None: they are
    none, or fewer than half of it."""
    if len(places) < _MESH:
        return None
    exact = _nodes(places, "")
    if exact is not None and exact[0][0] == exact[0][1]:
        return exact[0][0], np.array(exact[1])
    span = np.ptp(places, axis=0)
    found = _order(_together(places), math.sqrt(float(span.prod()) / len(places)))
    if found is None or float(np.prod(span / found[0] + 1.0)) > 2.0 * len(places):
        return None
    return found


def _exact(points: Array, place: str) -> Raster | None:
    """The grid whose nodes the points are, one each; None: they are none."""
    if _nodes(_together(points[:, :2]), place) is None:
        return None
    found = _nodes(points[:, :2], place)
    if found is None:
        return None
    steps, first, nodes = found
    shape = (int(nodes[0].max()) + 1, int(nodes[1].max()) + 1)
    numbers = nodes[0] * shape[1] + nodes[1]
    if math.prod(shape) > min(MOST_NODES, 100 * len(points)) or len(np.unique(numbers)) < len(numbers):
        return None
    heights = np.full(shape, np.nan)
    heights[nodes[0], nodes[1]] = points[:, 2]
    return Raster(heights, np.diag(steps), first)


def _nodes(places: Array, place: str) -> tuple[tuple[float, float], tuple[float, float], tuple[Index, Index]] | None:
    """Spacings, first node and nodes of the grid on whose nodes all places (n, 2) lie; None: there is none."""
    steps, nodes, first = [], [], []
    for axis in (0, 1):
        values = places[:, axis]
        step = _spacing(values, place)
        low = float(values.min())
        grid = (values - low) / step
        if grid.max() > MOST_NODES or np.abs(grid - np.round(grid)).max() > _OFF_GRID:
            return None
        steps.append(step)
        first.append(low)
        nodes.append(np.round(grid).astype(np.int64))
    # Rounding makes steps of one length differ by a little.
    longest = max(float(each.max()) for each in nodes)
    if abs(steps[0] - steps[1]) * longest < _OFF_GRID * min(steps):
        steps = [_as_written(min(steps), places, np.array(first), np.stack(nodes, axis=-1))] * 2
    return (steps[0], steps[1]), (first[0], first[1]), (nodes[0], nodes[1])


def _as_written(step: float, places: Array, first: Array, nodes: Index) -> float:
    """The spacing near ``step`` by which nodes (n, 2) lie at their places (n, 2) bit by bit, else ``step``."""
    near = [float(f"{step:.{digits}g}") for digits in range(1, 17)]
    near += [math.nextafter(step, 0.0), step, math.nextafter(step, math.inf)]
    for told in dict.fromkeys(each for each in near if abs(each - step) <= _LAST_DIGITS * step):
        # Most of what is wrong is so soon.
        if all((first + told * nodes[part] == places[part]).all() for part in (slice(-100, None), slice(None))):
            return told
    return step


def _spacing(values: Array, place: str) -> float:
    """Least distance of coordinates that differ."""
    span = float(np.ptp(values))
    steps = np.diff(np.unique(values))
    # Rounding makes coordinates of one node differ by a little.
    steps = steps[steps > 1e-6 * max(span, 1e-12)]
    if not len(steps):
        raise TerrainError("the points lie on one line", place=place)
    step = float(np.median(steps)) if steps.max() < 1.5 * steps.min() else float(steps.min())
    return span / max(1.0, float(np.round(span / step)))


def _together(places: Array) -> Array:
    """A sample of places (n, 2) that lie side by side, as dense as all are, around the one in the middle of the row."""
    if len(places) <= 10 * _SAMPLE:
        return places
    away = np.abs(places - places[len(places) // 2]).max(axis=1)
    return np.asarray(places[np.argpartition(away, 10 * _SAMPLE)[: 10 * _SAMPLE]])


def _apart(places: Array, place: str) -> float:
    """How far points are apart [m]: the median of the distances to the four nearest that lie elsewhere."""
    from scipy.spatial import KDTree

    different = np.unique(np.round(places, 9), axis=0)
    if len(different) < 5:
        raise TerrainError("the points lie on one line", place=place)
    chosen = different[:: max(1, len(different) // _SAMPLE)]
    return float(np.median(KDTree(different).query(chosen, k=5)[0][:, 1:]))


def _order(places: Array, apart: float) -> tuple[float, Array] | None:
    """Spacing [m] and a node (2,) [m] of the grid along x and y about which points jitter; None: there is none.

    On a grid of the spacing d all points have one phase exp(2 pi i x / d); the spacing is the one near ``apart`` whose
    mean phases are longest.
    """
    middle = places[len(places) // 2]
    rest = places - middle
    away = np.abs(rest).max(axis=1)
    # Points that are near tell the spacing roughly, ones that are farther finely.
    low, high, reach = 0.75 * apart, 1.3 * apart, _NEAR * apart
    while True:
        within = rest[away <= reach]
        within = within[:: -(-len(within) // _PHASES)]
        turns = 2.0 * reach / apart
        steps = np.linspace(low, high, max(9, int(8.0 * turns * (high - low) / apart)))
        lengths = [abs(np.exp(2j * np.pi * within / step).mean(axis=0)).sum() for step in steps]
        spacing = float(steps[int(np.argmax(lengths))])
        if reach >= away.max():
            break
        width = 2.0 * float(steps[1] - steps[0])
        low, high, reach = spacing - width, spacing + width, 4.0 * reach
    phase = np.exp(2j * np.pi * within / spacing).mean(axis=0)
    if min(abs(phase)) < max(_ORDER, 4.0 / math.sqrt(len(within))):
        return None
    # By least squares over all points, each with the number of its node.
    first = np.angle(phase) / (2.0 * np.pi) * spacing
    numbers = np.round((rest - first) / spacing)
    spread = numbers - numbers.mean(axis=0)
    spacing = float((spread * rest).sum() / (spread * spread).sum())
    for digits in (1, 2, 3):
        told = float(f"{spacing:.{digits}g}")
        if abs(told - spacing) * float(np.abs(numbers).max()) < _OFF_GRID * spacing:
            spacing = told
            break
    return spacing, np.asarray(middle + (rest - numbers * spacing).mean(axis=0))


def rounded_up(value: float) -> float:
    """The next of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= value * (1.0 - 1e-9))


def _cells(numbers: Index, z: Array, counts: Index, shape: tuple[int, int]) -> tuple[Array, Array, float, int]:
    """Median and its variance for each cell (nx, ny), the usual deviation, and how many points are outliers."""
    middle = _medians(numbers, z, counts)
    off = np.abs(z - middle[numbers])
    deviation = _NORMAL * _medians(numbers, off, counts)
    many = counts >= 5
    usual = float(np.median(deviation[many])) if many.any() else _roughly(middle.reshape(shape), numbers, off, counts)
    spread = np.where(many, np.maximum(deviation, 0.1 * usual), usual)
    far = int(np.count_nonzero((off > _OUTLIER * spread[numbers]) & many[numbers]))
    with np.errstate(divide="ignore", invalid="ignore"):
        # The median of one or two values is their mean.
        variance = np.where(counts < 3, 1.0, 0.5 * math.pi) * spread**2 / counts
    variance[counts == 0] = np.nan
    return middle.reshape(shape), variance.reshape(shape), usual, far


def _alone(heights: Array, counts: Index, spread: float) -> Flags:
    """Cells of one or two points that are farther beyond the heights around than these are apart, and than noise is."""
    from scipy import ndimage

    around = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=np.bool_)
    empty = np.isnan(heights)
    low = ndimage.minimum_filter(np.where(empty, np.inf, heights), footprint=around, mode="nearest")
    high = ndimage.maximum_filter(np.where(empty, -np.inf, heights), footprint=around, mode="nearest")
    few = ~empty & (counts <= 2) & np.isfinite(low)
    with np.errstate(invalid="ignore"):
        room = np.maximum(high - low, _OUTLIER * spread)
        return np.asarray(few & ((heights > high + room) | (heights < low - room)))


def _medians(numbers: Index, values: Array, counts: Index) -> Array:
    """The median of the values of each number; NaN where there are none."""
    ordered = values[np.lexsort((values, numbers))]
    ends = np.cumsum(counts)
    starts = ends - counts
    found = np.full(len(counts), np.nan)
    some = counts > 0
    low, high = (starts + (counts - 1) // 2)[some], (starts + counts // 2)[some]
    found[some] = 0.5 * (ordered[low] + ordered[high])
    return found


def _roughly(heights: Array, numbers: Index, off: Array, counts: Index) -> float:
    """Standard deviation of heights where cells have few points: of pairs, else of second differences along both axes,
    which are zero on a plane and have the standard deviation sqrt(6) times as large."""
    pairs = counts[numbers] > 1
    if np.count_nonzero(pairs) >= _FEWEST * 4:
        return float(_NORMAL * np.median(off[pairs]) * math.sqrt(2.0))
    found = np.concatenate([np.diff(heights, 2, axis=axis).ravel() for axis in (0, 1)])
    found = np.abs(found[~np.isnan(found)])
    return float(_NORMAL * np.median(found) / math.sqrt(6.0)) if len(found) else 0.0
