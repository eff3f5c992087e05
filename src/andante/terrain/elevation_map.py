"""ElevationMap: what is known of the ground, from a survey, a sensor or a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from andante.spatial.arrays import Array, Flags
from andante.terrain.height_map import Grid, HeightMap, TerrainError
from andante.terrain.holes import Filling, fill


@dataclass(frozen=True, eq=False)
class ElevationMap(Grid):
    """Heights where they are known: NaN is unknown, and a height that is not finite becomes NaN.

    Raises:
        TerrainError: As `Grid`, and for a variance of another shape, or one that is below zero or not finite where the
            height is known; its cell is named.
    """

    variance: Array | None = None
    """Variance of each height, (nx, ny) [m^2], NaN where the height is unknown; None: exact where known."""

    def __post_init__(self) -> None:
        super().__post_init__()
        heights = np.where(np.isfinite(self.heights), self.heights, np.nan)
        heights.flags.writeable = False
        object.__setattr__(self, "heights", heights)
        if self.variance is None:
            return
        variance = np.array(self.variance, dtype=np.float64)
        if variance.shape != heights.shape:
            raise TerrainError(
                "the variance of a map has the shape of its heights", value=variance.shape, limit=str(heights.shape)
            )
        known = self.known
        bad = np.argwhere(known & ~((variance >= 0.0) & np.isfinite(variance)))
        if len(bad):
            i, j = bad[0].tolist()
            raise TerrainError(
                f"the variance of a height must be finite and not below zero ({len(bad)} are not)",
                place=self.node(i, j),
                value=float(variance[i, j]),
            )
        variance[~known] = np.nan
        variance.flags.writeable = False
        object.__setattr__(self, "variance", variance)

    @classmethod
    def of(cls, ground: HeightMap) -> ElevationMap:
        """Everything known of a ground, exactly."""
        return cls(ground.heights, ground.origin, ground.spacing)

    @property
    def known(self) -> Flags:
        """Nodes whose height is known, (nx, ny)."""
        return np.asarray(~np.isnan(self.heights))

    @property
    def text(self) -> str:
        """Where the map lies, its heights and spacing, and how much of it is unknown, for people."""
        known, low, high = self.known, math.nan, math.nan
        if known.any():
            low, high = float(np.nanmin(self.heights)), float(np.nanmax(self.heights))
        unknown = "" if known.all() else f", {1.0 - known.mean():.0%} unknown"
        return (
            f"{self.extent_text}, heights {low:.3f} to {high:.3f} m, nodes {1e3 * self.spacing:.4g} mm apart{unknown}"
        )

    def place_text(self, place: tuple[float, float]) -> str:
        """A place and the height that the map has there, for people."""
        x, y = place
        if not bool(self.covers(place)):
            return f"x {x:.3f}, y {y:.3f} m (off the map)"
        height = float(self.heights[self.nodes(place)])
        told = f"height {height:.3f} m" if math.isfinite(height) else "unknown"
        return f"x {x:.3f}, y {y:.3f} m ({told})"

    def way_lines(self, places: Array | Sequence[tuple[float, float]]) -> tuple[str, str]:
        """What the map is like, and where a way over it begins and ends, for people: a map that is mirrored or in other
        units shows here.

        Args:
            places: Start, places on the way, goal, (n, 2) [m].
        """
        told = [self.place_text((x, y)) for x, y in np.asarray(places).tolist()]
        return f"map: {self.text}", f"way: from {' to '.join(told)}"

    def thinned(self, spacing: float) -> ElevationMap:
        """Every so many nodes of the map, about ``spacing`` [m] apart; a coarser map as it is."""
        stride = round(spacing / self.spacing)
        shape = self.heights.shape
        if stride <= 1 or min(shape) <= stride:
            return self
        picked = slice(None, None, stride), slice(None, None, stride)
        variance = None if self.variance is None else self.variance[picked]
        return ElevationMap(self.heights[picked], self.origin, self.spacing * stride, variance)

    def nearest_known(self, place: tuple[float, float]) -> str:
        """Where the nearest known node is, as messages name it.

        Raises:
            TerrainError: Nothing is known.
        """
        nodes = np.argwhere(self.known)
        if not len(nodes):
            raise TerrainError("nothing of the map is known", value=self.heights.shape)
        away = np.hypot(*(self.origin + nodes * self.spacing - place).T)
        i, j = nodes[int(np.argmin(away))].tolist()
        return f"the nearest known is {self.node(i, j)}, {away.min():.3f} m away"

    def filled(self, way: Filling) -> HeightMap:
        """A ground that agrees with the map where it is known; see `andante.terrain.holes.fill`.

        Raises:
            TerrainError: Nothing is known.
        """
        return HeightMap(fill(self.heights, way)[0], self.origin, self.spacing)
