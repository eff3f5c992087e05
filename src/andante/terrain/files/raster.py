"""Triangles seen from above, on a grid."""

from __future__ import annotations

import math

from andante.kernels import entry
from andante.spatial.arrays import Array2, Array3


@entry
def raise_to(triangles: Array3, x0: float, y0: float, spacing: float, heights: Array2) -> None:
    """Raise each node to the highest triangle above or below it.

    Args:
        triangles: Corners, (n, 3, 3) [m].
        x0: x of the first node [m].
        y0: y of the first node [m].
        spacing: Distance of the nodes [m].
        heights: Heights to raise, (nx, ny) [m].
    """
    nx, ny = heights.shape
    for row in range(len(triangles)):
        ax, ay, az = triangles[row, 0]
        bx, by, bz = triangles[row, 1]
        cx, cy, cz = triangles[row, 2]
        double = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        # An upright triangle has no surface seen from above.
        if abs(double) < 1e-14:
            continue
        first_i = max(0, math.ceil((min(ax, bx, cx) - x0) / spacing - 1e-6))
        last_i = min(nx - 1, math.floor((max(ax, bx, cx) - x0) / spacing + 1e-6))
        first_j = max(0, math.ceil((min(ay, by, cy) - y0) / spacing - 1e-6))
        last_j = min(ny - 1, math.floor((max(ay, by, cy) - y0) / spacing + 1e-6))
        for i in range(first_i, last_i + 1):
            x = x0 + i * spacing
            for j in range(first_j, last_j + 1):
                y = y0 + j * spacing
                v = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / double
                w = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / double
                if v >= -1e-9 and w >= -1e-9 and v + w <= 1.0 + 1e-9:
                    z = az + v * (bz - az) + w * (cz - az)
                    if z > heights[i, j]:
                        heights[i, j] = z
