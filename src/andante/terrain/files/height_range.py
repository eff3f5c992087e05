"""Between which heights clouds, meshes and octrees count: as the options say, else below a ceiling that is found."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.ceilings import Ceiling, ceiling_of_points
from andante.terrain.files.found import Cells
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

_OCCUPIED = 32
"""What is added to the code of a cell that is occupied; see `andante.terrain.files.found.Cells`."""


@dataclass(frozen=True, eq=False)
class HeightRange:
    """What counts, by its height."""

    low: float = -np.inf
    """Least height [m]."""
    high: float = np.inf
    """Largest height [m]."""
    ceiling: Ceiling | None = None
    """What lies over the ground and does not count."""

    @staticmethod
    def of(options: FileOptions) -> HeightRange:
        """The one that options say."""
        return HeightRange(
            -np.inf if options.min_z is None else options.min_z, np.inf if options.max_z is None else options.max_z
        )

    @property
    def all(self) -> bool:
        """Whether every height counts."""
        return self.low == -np.inf and self.high == np.inf and self.ceiling is None

    def below(self, ceiling: Ceiling) -> HeightRange:
        """The same, below a ceiling."""
        return replace(self, ceiling=ceiling)

    def in_cloud(self, sample: Array) -> HeightRange:
        """The same, below the ceiling of a cloud where it has one and nobody says a largest height.

        Args:
            sample: Some points all over it that count, (n, 3), NaN where nothing was measured [m].
        """
        ceiling = ceiling_of_points(sample) if self.high == np.inf else None
        return self if ceiling is None else self.below(ceiling)

    def taken(self, places: Array) -> tuple[Array, int]:
        """Points (n, 3) with NaN for the heights that do not count, and how many these are."""
        if self.all:
            return places, 0
        with np.errstate(invalid="ignore"):
            out = (places[:, 2] < self.low) | (places[:, 2] > self.high)
        if self.ceiling is not None:
            out |= self.ceiling.over(places)
        count = int(np.count_nonzero(out))
        if count:
            places = places.copy()
            places[out, 2] = np.nan
        return places, count

    def limits(self, x: Array, y: Array) -> Array:
        """Where a ceiling begins at the nodes of a grid with these x and y, (nx, ny) [m]; (0, 0): there is none."""
        return np.zeros((0, 0)) if self.ceiling is None else self.ceiling.on(x, y)

    def cells(self, cells: Cells, axis: int, sign: int, unit: float, place: str) -> Cells:
        """The cells of an octree that are not wholly outside.

        Args:
            cells: The leaves.
            axis: Which axis of the octree z of the map is.
            sign: Its sign.
            unit: Metres of the octree's unit along it.
            place: The file.

        Raises:
            TerrainError: No occupied one is left.
        """
        if self.all:
            return cells
        step = unit * cells.size
        begin = cells.corners[axis].astype(np.float64)
        end = begin + 2.0 ** (cells.codes % _OCCUPIED)
        bottom, top = (step * begin, step * end) if sign > 0 else (-step * end, -step * begin)
        occupied = cells.codes >= _OCCUPIED
        kept = (top > self.low) & (bottom < self.high)
        if not (kept & occupied).any():
            raise self.nothing(float(bottom[occupied].min()), float(top[occupied].max()), place)
        x, y, z = (each[kept] for each in cells.corners)
        told = self.told(int(np.count_nonzero(occupied & ~kept)), "occupied cells")
        return replace(cells, corners=(x, y, z), codes=cells.codes[kept], notes=(*cells.notes, *told))

    def told(self, count: int, what: str) -> tuple[str, ...]:
        """What is said of so many that do not count.

        Args:
            count: How many.
            what: What they are.
        """
        if not count:
            return ()
        if self.ceiling is not None:
            low = f", and those below min_z={self.low:g}" if self.low > -np.inf else ""
            return (self.ceiling.told, f"{count} {what} from the ceiling on are left out{low}")
        ends = [f"min_z={self.low:g}"] * (self.low > -np.inf) + [f"max_z={self.high:g}"] * (self.high < np.inf)
        return (f"{count} {what} are left out by {' and '.join(ends)}",)

    def refuse_none(self, places: Array, counting: Array, place: str) -> None:
        """Refuse a cloud (n, 3) of which no height counts [m], but for one without any.

        Raises:
            TerrainError: It is one.
        """
        heights = places[np.isfinite(places[:, 2]), 2]
        if len(heights) and not np.isfinite(counting[:, 2]).any():
            raise self.nothing(float(heights.min()), float(heights.max()), place)

    def nothing(self, low: float, high: float, place: str) -> TerrainError:
        """What is raised where no height counts of those from ``low`` to ``high`` [m]."""
        return TerrainError(
            "nothing of the file lies between min_z and max_z", place=place, value=(self.low, self.high),
            limit=f"heights from {low:.4g} to {high:.4g} m",
        )  # fmt: skip
