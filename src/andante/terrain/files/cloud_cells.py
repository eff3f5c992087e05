"""Heights of the cells of a cloud, and how sure they are; the points of some cells may come after those of others."""

from __future__ import annotations

import math
import tempfile

import numpy as np

from andante.spatial.arrays import Array, Flags, Index
from andante.terrain.files.cell_order import by_cells
from andante.terrain.files.cloud_grids import CloudGrid
from andante.terrain.files.cloud_layers import LowestLayers
from andante.terrain.files.found import Raster, square

_OUTLIER = 6.0
"""Standard deviations from the median of its cell beyond which a point counts as an outlier."""
_NORMAL = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation."""
_PAIRS = 64
"""Fewest points of cells of several by which these tell how far points scatter."""
_MANY = 5
"""Points of a cell from which on they tell how far they scatter."""
_SHARE = 0.1
"""Least scatter of a cell, as a share of the usual one."""
_HELD = 16_000_000
"""Bytes from which on what may be outliers is kept on the disk."""
_BLOCK = 8_000_000


class CellHeights:
    """The height of a cell is the median of its points, of the lowest layer where there are several; its variance that
    of the median of n normal values, pi / 2 s^2 / n."""

    def __init__(self, grid: CloudGrid, counts: Index, room: float) -> None:
        """Begin without points.

        Args:
            grid: The cells.
            counts: How many points each of them has, (nx ny,).
            room: Height that has to be free over the ground [m].
        """
        self._grid, self._counts, self._room = grid, counts.copy(), room
        self._usual = float(np.median(counts[counts > 0]))
        self._points = int(counts.sum())
        self._middle, self._deviation = np.full(len(counts), np.nan), np.full(len(counts), np.nan)
        self._layered, self._covered = 0, [np.zeros(0, np.int64)]
        # Only where no cell has many points is it told by those of several.
        self._pairs: list[Array] | None = []
        self._beyond = _Beyond()

    def take(self, begin: int, numbers: Index, z: Array, end: int) -> None:
        """All points of the cells from ``begin`` to before ``end``: numbers of their cells less ``begin``, heights."""
        here = slice(begin, end)
        counts = self._counts[here]
        layers = LowestLayers.of(numbers, z, counts, self._room, self._usual)
        if layers is not None:
            z, numbers = z[layers.kept], numbers[layers.kept]
            counts = self._counts[here] = np.bincount(numbers, minlength=end - begin)
            self._layered += len(layers.cells)
            self._covered.append(begin + layers.cells[layers.low])
        middle = _medians(numbers, z, counts)
        off = np.abs(z - middle[numbers])
        deviation = _NORMAL * _medians(numbers, off, counts)
        many = counts >= _MANY
        self._middle[here], self._deviation[here] = middle, deviation
        if many.any():
            self._pairs = None
        elif self._pairs is not None:
            self._pairs.append(off[counts[numbers] > 1])
        self._beyond.add(off[many[numbers] & (off > _OUTLIER * deviation[numbers])])

    def raster(self, notes: list[str]) -> Raster:
        """The cells as a grid of heights, with notes before its own."""
        counts, size, covered = self._counts, self._grid.size, np.concatenate(self._covered)
        many = counts >= _MANY
        heights = self._middle.reshape(size)
        usual = float(np.median(self._deviation[many])) if self._pairs is None else _roughly(heights, self._pairs)
        spread = np.where(many, np.maximum(self._deviation, _SHARE * usual), usual)
        far = self._beyond.more_than(_OUTLIER * (_SHARE * usual))
        with np.errstate(divide="ignore", invalid="ignore"):
            # The median of one or two values is their mean.
            variance = (np.where(counts < 3, 1.0, 0.5 * math.pi) * spread**2 / counts).reshape(size)
        variance[counts.reshape(size) == 0] = np.nan
        if self._layered:
            heights.ravel()[covered], variance.ravel()[covered] = np.nan, np.nan
            notes.append(
                f"{self._layered} cells have layers one above the other, the lowest counts; {len(covered)} of these "
                f"are unknown, since less than {self._room:.2g} m are free above it"
            )
        if far:
            notes.append(f"{far} points ({100.0 * far / self._points:.2g} %) are outliers of their cell")
        if not self._grid.ordered:
            alone = _alone(heights, counts.reshape(size), usual)
            heights[alone], variance[alone] = np.nan, np.nan
            if alone.any():
                notes.append(f"{int(alone.sum())} cells of one or two points far above or below all around are unknown")
        empty = int(np.isnan(heights).sum())
        if empty:
            notes.append(f"{empty} of {heights.size} cells have no points")
        # One point alone tells a height and nothing of how sure it is, as the node of any other grid.
        told = variance if not self._grid.ordered or counts.max() > 2 else None
        first = (float(self._grid.first[0]), float(self._grid.first[1]))
        return Raster(heights, square(self._grid.cell), first, told, True, tuple(notes))


class _Beyond:
    """How far points that may be outliers are off; many of them lie on the disk."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_HELD)  # noqa: SIM115

    def add(self, off: Array) -> None:
        self._file.write(off.tobytes())

    def more_than(self, least: float) -> int:
        """How many are farther off."""
        self._file.seek(0)
        found = 0
        while block := self._file.read(_BLOCK):
            found += int(np.count_nonzero(np.frombuffer(block) > least))
        self._file.close()
        return found


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
    ordered = values[by_cells(numbers, values)]
    ends = np.cumsum(counts)
    starts = ends - counts
    found = np.full(len(counts), np.nan)
    some = counts > 0
    low, high = (starts + (counts - 1) // 2)[some], (starts + counts // 2)[some]
    found[some] = 0.5 * (ordered[low] + ordered[high])
    return found


def _roughly(heights: Array, pairs: list[Array]) -> float:
    """Standard deviation of heights where cells have few points: by how far those of cells of several are off, else by
    second differences along both axes, which are zero on a plane and have the standard deviation sqrt(6) times as
    large."""
    off = np.concatenate(pairs)
    if len(off) >= _PAIRS:
        return float(_NORMAL * np.median(off) * math.sqrt(2.0))
    found = np.concatenate([np.diff(heights, 2, axis=axis).ravel() for axis in (0, 1)])
    found = np.abs(found[~np.isnan(found)])
    return float(_NORMAL * np.median(found) / math.sqrt(6.0)) if len(found) else 0.0
