"""Mending maps that were measured: places without a height."""

from __future__ import annotations

from typing import Literal

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.height_map import TerrainError

Filling = Literal["nearest", "lowest"]
"""How a height that is not known is chosen."""


def fill(heights: Array, how: Filling = "nearest") -> tuple[Array, int]:
    """Heights (nx, ny) [m] without holes (NaN or infinite entries), and how many there were.

    Args:
        heights: The heights.
        how: A hole gets the height of the nearest node that has one, or the lowest of the map. The lowest is the safe
            choice where a hole may be a pit that no camera saw the bottom of.

    Raises:
        TerrainError: There is nothing but holes.
    """
    from scipy import ndimage

    values = np.array(heights, dtype=np.float64)
    holes = ~np.isfinite(values)
    count = int(holes.sum())
    if count == values.size:
        raise TerrainError("a map of holes only cannot be mended", value=values.shape)
    if how == "lowest":
        values[holes] = values[~holes].min()
    elif count:
        _, (i, j) = ndimage.distance_transform_edt(holes, return_indices=True)
        values = values[i, j]
    return values, count
