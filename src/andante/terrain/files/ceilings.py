"""Ceilings of closed rooms: what covers most of a cloud or a mesh, and leaves so much room that one walks below it.

A scan of a room has a floor and a ceiling, and holes in the floor below furniture, where it has a ceiling alone. So the
ceiling is looked for in columns that are wide enough to have both, and holds around those, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.spatial.arrays import Array, Flags, Index
from andante.terrain.files.cell_order import by_cells

FREE = 1.0
"""Least free height below a ceiling [m]; what leaves less over the ground is furniture."""
ENOUGH = 0.4
"""Least share of the columns that a ceiling covers: along the walls of a room no column has a free height."""
_BELOW = 0.25
"""Share of the free height below the ceiling from which on nothing counts: lamps, pipes and a slope of the ceiling."""
_REACH = 2.0
"""How far beyond a column with floor and ceiling the ceiling holds [m]."""
_FINEST, _WIDEST = 0.25, 1.2
"""Width of the columns of a cloud [m]."""
_TALL = 2.0
"""Least free height in a column of a cloud over its width: in a wider one a slope has gaps of its own."""
_POINTS = 20
"""Points of a column that are enough to tell what is above what."""
_SHARE = 0.1
"""Least share of a column's points that ground and ceiling have each; reflections below a floor are fewer."""
_MOST = 4_000_000
"""Most columns."""


@dataclass(frozen=True, eq=False)
class Ceiling:
    """Heights from which on nothing counts, by columns."""

    first: Array
    """x and y of the corner of the first column, (2,) [m]."""
    width: float
    """Of the columns [m]."""
    limits: Array
    """The heights, (nx, ny), infinite where there is no ceiling [m]."""
    free: float
    """Height between ground and ceiling, in the middle of all columns [m]."""

    def over(self, places: Array) -> Flags:
        """Which points (n, 3) are the ceiling's [m]; those without a place or a height are not."""
        found = np.zeros(len(places), dtype=np.bool_)
        with np.errstate(invalid="ignore"):
            at = np.floor((places[:, :2] - self.first) / self.width)
            within = ((at >= 0.0) & (at < self.limits.shape)).all(axis=1)
            i, j = at[within].astype(np.int64).T
            found[within] = places[within, 2] > self.limits[i, j]
        return found

    def on(self, x: Array, y: Array) -> Array:
        """The heights at the nodes of a grid with these x and y, (nx, ny) [m]."""
        found = np.full((len(x), len(y)), np.inf)
        i, j = (np.floor((axis - self.first[k]) / self.width).astype(np.int64) for k, axis in enumerate((x, y)))
        some = [(each >= 0) & (each < count) for each, count in zip((i, j), self.limits.shape, strict=True)]
        found[np.ix_(*some)] = self.limits[np.ix_(i[some[0]], j[some[1]])]
        return found

    @property
    def told(self) -> str:
        """What is said of it."""
        return (
            f"a ceiling lies {self.free:.2g} m over the ground and does not count, nor what hangs from it; "
            "max_z=HEIGHT says where to cut instead"
        )

    @staticmethod
    def of_columns(columns: Index, ground: Array, above: Array, first: Array, width: float) -> Ceiling | None:
        """The ceiling of columns that have both.

        Args:
            columns: Numbers of the columns along x and y, (n, 2).
            ground: Height up to which they are filled, (n,) [m].
            above: Height from which on they are filled again, (n,) [m].
            first: x and y of the corner of the column (0, 0), (2,) [m].
            width: Of the columns [m].

        Returns:
            None: They lie so far apart that they are too many.
        """
        from scipy import ndimage

        beside = math.ceil(_REACH / width)
        low = columns.min(axis=0) - beside
        size = columns.max(axis=0) + 1 + beside - low
        if float(np.prod(size.astype(float))) > _MOST:
            return None
        limits = np.full(tuple(size.tolist()), np.nan)
        limits[tuple((columns - low).T)] = above - _BELOW * (above - ground)
        away, nearest = ndimage.distance_transform_edt(np.isnan(limits), return_indices=True)
        limits = np.where(away * width <= _REACH, limits[tuple(nearest)], np.inf)
        return Ceiling(first + low * width, width, limits, float(np.median(above - ground)))


def ceiling_of_points(sample: Array) -> Ceiling | None:
    """The ceiling of a cloud; None: there is none.

    Args:
        sample: Some points all over it, (n, 3), NaN where nothing was measured [m].
    """
    known = sample[np.isfinite(sample).all(axis=1)]
    if len(known) < _POINTS or float(np.ptp(known[:, 2])) <= FREE:
        return None
    width = _FINEST
    while (found := _columns(known, width)) is not None and len(known) < _POINTS * len(found[0]):
        width *= 1.25
        if width > _WIDEST:
            return None
    if found is None:
        return None
    columns, numbers = found
    order = by_cells(numbers, known[:, 2])
    column, z = numbers[order], known[order, 2]
    counts = np.bincount(column, minlength=len(columns))
    starts = np.cumsum(counts) - counts
    gap = np.flatnonzero((np.diff(column) == 0) & (np.diff(z) >= max(FREE, _TALL * width)))
    below = gap + 1 - starts[column[gap]]
    beyond = counts[column[gap]] - below
    gap = gap[np.minimum(below, beyond) >= np.maximum(2.0, _SHARE * counts[column[gap]])]
    # The lowest of each column.
    which, lowest = np.unique(column[gap], return_index=True)
    if len(which) < max(1.0, ENOUGH * len(columns)):
        return None
    gap = gap[lowest]
    return Ceiling.of_columns(columns[which], z[gap], z[gap + 1], np.zeros(2), width)


def _columns(places: Array, width: float) -> tuple[Index, Index] | None:
    """Columns with points, (m, 2), and which of them each point (n, 3) is in; None: one is too far away."""
    at = np.floor(places[:, :2] / width)
    if not (np.abs(at) < 2**31).all():
        return None
    columns, numbers = np.unique(at.astype(np.int64), axis=0, return_inverse=True)
    return columns, numbers.reshape(-1)
