"""The grid of points: the one whose nodes they are or jitter about, else one of cells for points without order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.spatial.arrays import Array, Index
from andante.terrain.files.found import Raster
from andante.terrain.files.limits import MOST_NODES, grid_size
from andante.terrain.height_map import TerrainError

_OFF_GRID = 0.05
"""Share of the spacing by which the points of an exact grid may be off their nodes."""
_LAST_DIGITS = 1e-9
"""Share of a spacing by which rounding of coordinates, and nothing else, makes it differ."""
_ORDER = 0.3
"""Least length of the mean phase, 0 to 1, by which points count as a jittered grid; that of points without order is
near zero, that of a grid with the standard deviation s at the spacing d exp(-2 (pi s / d)^2)."""
_SAMPLE = 4000
"""Points from which density is estimated."""
TOGETHER = 10 * _SAMPLE
"""Most points that are a sample side by side."""
_PHASES = 1500
"""Points from which order is estimated at a time."""
_NEAR = 12.0
"""How far the nearest of them are away, in distances of neighbours."""
_MESH = 100
"""Fewest corners of a mesh by which a grid is looked for."""


@dataclass(frozen=True, eq=False)
class CloudGrid:
    """Cells for the points of a cloud."""

    cell: float
    """Distance of their middles [m]."""
    first: Array
    """The first of these, (2,) [m]."""
    size: tuple[int, int]
    """How many they are along x and y."""
    ordered: bool
    """Whether points jitter about the middles, one each."""

    @property
    def nodes(self) -> int:
        """How many they are."""
        return self.size[0] * self.size[1]

    def numbers(self, places: Array) -> Index:
        """Number of the cell of each place (n, 2) [m]."""
        i, j = np.round((places - self.first) / self.cell).astype(np.int64).T
        return np.asarray(i * self.size[1] + j)

    def told(self, count: int) -> str:
        """How so many points were gridded."""
        how = "points of a jittered grid of" if self.ordered else "points without order, gridded by"
        return f"{count} {how} {1e3 * self.cell:.4g} mm"


def cells_for(
    sample: Array,
    asked: float | None,
    low: Array,
    high: Array,
    place: str,
    usual: tuple[float, float] = (0.0, 0.0),
) -> CloudGrid:
    """Cells for the points of a cloud.

    Args:
        sample: Places that lie side by side, (n, 2) [m]; see `together`.
        asked: Distance of the cells [m]; None: what the points tell.
        low: Least x and y of all points [m].
        high: Largest x and y of all points [m].
        place: The file.
        usual: How wide cells of points without order are at least, and up to which width they are made wider where they
            are too many [m].

    Raises:
        TerrainError: Points on one line, or too large a grid.
    """
    apart = _apart(sample, place)
    order = _order(sample, apart) if asked is None else None
    finest, coarsest = usual
    cell, first = order if order is not None else (asked or max(rounded_up(1.5 * apart), finest), np.zeros(2))
    while order is None and not asked and float(np.prod((high - low) / cell + 1.0)) > MOST_NODES:
        wider = rounded_up(1.1 * cell)
        if wider > coarsest:
            break
        cell = wider
    corner = np.round((low - first) / cell)
    what, remedy = "the points do not fit the spacing", "give another spacing or scale"
    size = grid_size(np.round((high - first) / cell) - corner + 1.0, what, place, high - low, cell, remedy)
    return CloudGrid(cell, first + corner * cell, size, order is not None)


def grid_of(places: Array) -> tuple[float, Array] | None:
    """Spacing and a node (2,) of the grid along x and y whose nodes places (n, 2) are, or jitter about; None: they are
    none, or fewer than half of it."""
    if len(places) < _MESH:
        return None
    exact = _nodes(places, "")
    if exact is not None and exact[0][0] == exact[0][1]:
        return exact[0][0], np.array(exact[1])
    span = np.ptp(places, axis=0)
    found = _order(together(places), math.sqrt(float(span.prod()) / len(places)))
    if found is None or float(np.prod(span / found[0] + 1.0)) > 2.0 * len(places):
        return None
    return found


def exact_grid(points: Array, place: str) -> Raster | None:
    """The grid whose nodes the points are, one each; None: they are none."""
    if _nodes(together(points[:, :2]), place) is None:
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


@dataclass(frozen=True, eq=False)
class AxisGrid:
    """A grid whose nodes points are."""

    steps: tuple[float, float]
    """Distance of nodes along x and y [m]."""
    first: tuple[float, float]
    """Its first node [m]."""
    shape: tuple[int, int]
    """How many nodes along x and y."""

    def nodes(self, places: Array) -> tuple[Index, Index]:
        """Numbers along x and y of the nodes that places (n, 2) [m] are."""
        i, j = (np.round((places[:, k] - self.first[k]) / self.steps[k]).astype(np.int64) for k in (0, 1))
        return i, j


def axis_grid(x: Array, y: Array, count: int, place: str) -> AxisGrid | None:
    """The grid on whose nodes all points lie, by their different x and y; None: there is none, or it is too large.

    Raises:
        TerrainError: The points lie on one line.
    """
    found = _nodes_along(x, y, place)
    if found is None:
        return None
    steps, first, nodes = found
    shape = (int(nodes[0].max()) + 1, int(nodes[1].max()) + 1)
    return None if math.prod(shape) > min(MOST_NODES, 100 * count) else AxisGrid(steps, first, shape)


def _nodes(places: Array, place: str) -> tuple[tuple[float, float], tuple[float, float], tuple[Index, Index]] | None:
    """Spacings, first node and nodes of the grid on whose nodes all places (n, 2) lie; None: there is none."""
    return _nodes_along(places[:, 0], places[:, 1], place)


def _nodes_along(
    x: Array, y: Array, place: str
) -> tuple[tuple[float, float], tuple[float, float], tuple[Index, Index]] | None:
    """The same of x and y that need not belong together."""
    steps, nodes, first = [], [], []
    for values in (x, y):
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
        steps = [_as_written(min(steps), (x, y), first, nodes)] * 2
    return (steps[0], steps[1]), (first[0], first[1]), (nodes[0], nodes[1])


def _as_written(step: float, values: tuple[Array, Array], first: list[float], nodes: list[Index]) -> float:
    """The spacing near ``step`` by which nodes lie at their x and y bit by bit, else ``step``."""
    near = [float(f"{step:.{digits}g}") for digits in range(1, 17)]
    near += [math.nextafter(step, 0.0), step, math.nextafter(step, math.inf)]
    axes = list(zip(first, nodes, values, strict=True))
    for told in dict.fromkeys(each for each in near if abs(each - step) <= _LAST_DIGITS * step):
        # Most of what is wrong is so soon.
        if all(
            (low + told * each[part] == v[part]).all()
            for part in (slice(-100, None), slice(None))
            for low, each, v in axes
        ):
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


def together(places: Array) -> Array:
    """A sample of places (n, 2) that lie side by side, as dense as all are, around the one in the middle of the row."""
    if len(places) <= TOGETHER:
        return places
    away = np.abs(places - places[len(places) // 2]).max(axis=1)
    return np.asarray(places[np.argpartition(away, TOGETHER)[:TOGETHER]])


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
