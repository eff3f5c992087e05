"""Values of a grid at places, as kernels: bilinear or of the nearest node; off the grid that of its rim."""

from __future__ import annotations

import math

from andante.kernels import inlined
from andante.spatial.arrays import Array2


@inlined
def bilinear(grid: Array2, u: float, v: float) -> float:
    """Value of a grid (nx, ny) at row ``u`` and column ``v``, in nodes from the first."""
    nx, ny = grid.shape
    u, v = min(max(u, 0.0), nx - 1.0), min(max(v, 0.0), ny - 1.0)
    i, j = min(int(u), nx - 2), min(int(v), ny - 2)
    a, b = u - i, v - j
    low = grid[i, j] * (1.0 - b) + grid[i, j + 1] * b
    high = grid[i + 1, j] * (1.0 - b) + grid[i + 1, j + 1] * b
    return float(low * (1.0 - a) + high * a)


@inlined
def nearest(grid: Array2, u: float, v: float) -> float:
    """Value of the node nearest to row ``u`` and column ``v``, in nodes from the first."""
    nx, ny = grid.shape
    i, j = math.floor(u + 0.5), math.floor(v + 0.5)
    return float(grid[min(max(i, 0), nx - 1), min(max(j, 0), ny - 1)])
