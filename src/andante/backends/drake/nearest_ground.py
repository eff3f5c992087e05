"""The place of a height field that is nearest to a point of the robot, as a kernel."""

from __future__ import annotations

import math

from andante.kernels import entry, inlined
from andante.spatial.arrays import Array1, Array2


@inlined
def _corner(heights: Array2, spacing: Array1, i: int, j: int, at: int) -> float:
    """Coordinate ``at`` of a node of the field, in the field's frame [m]."""
    if at == 0:
        return float(i * spacing[0])
    return float(j * spacing[1] if at == 1 else heights[i, j])


@inlined
def _on_triangle(a: Array1, b: Array1, c: Array1, p: Array1, out: Array1) -> None:
    """The point of a triangle that is nearest to a point.

    Source: C. Ericson, Real-Time Collision Detection (2005), 5.1.5.
    """
    d1 = d2 = d3 = d4 = d5 = d6 = 0.0
    for k in range(3):
        ab, ac = b[k] - a[k], c[k] - a[k]
        d1 += ab * (p[k] - a[k])
        d2 += ac * (p[k] - a[k])
        d3 += ab * (p[k] - b[k])
        d4 += ac * (p[k] - b[k])
        d5 += ab * (p[k] - c[k])
        d6 += ac * (p[k] - c[k])
    v = w = 0.0
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        pass
    elif d3 >= 0.0 and d4 <= d3:
        v = 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v = d1 / (d1 - d3)
    elif d6 >= 0.0 and d5 <= d6:
        w = 1.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        w = d2 / (d2 - d6)
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v = 1.0 - w
    else:
        total = va + vb + vc
        v, w = vb / total, vc / total
    for k in range(3):
        out[k] = a[k] + v * (b[k] - a[k]) + w * (c[k] - a[k])


@entry
def nearest_ground(heights: Array2, spacing: Array1, points: Array2, reach: Array1, found: Array2) -> None:
    """Where a height field is nearest to points, and which way it faces there.

    Cells are cut into triangles as MuJoCo cuts them, from their first node to the opposite one.

    Args:
        heights: Heights of the nodes, (nx, ny) [m].
        spacing: Distance of neighbouring nodes along x and y, (2,) [m].
        points: The points, counted from the first node, (n, 3) [m].
        reach: How far from each point is looked, (n,) [m].
        found: Where the ground is nearest and its unit vector outwards, (n, 6); all zeros where none is near.
    """
    nx, ny = heights.shape
    a, b, c, near = points[0].copy(), points[0].copy(), points[0].copy(), points[0].copy()
    for n in range(points.shape[0]):
        found[n, :] = 0.0
        p, far = points[n], reach[n]
        i0, i1 = math.floor((p[0] - far) / spacing[0]), math.floor((p[0] + far) / spacing[0])
        j0, j1 = math.floor((p[1] - far) / spacing[1]), math.floor((p[1] + far) / spacing[1])
        i0, i1, j0, j1 = max(i0, 0), min(i1, nx - 2), max(j0, 0), min(j1, ny - 2)
        best, below, steepest = far * far, False, 0.0
        for i in range(i0, i1 + 1):
            for j in range(j0, j1 + 1):
                highest = max(max(heights[i, j], heights[i + 1, j]), max(heights[i, j + 1], heights[i + 1, j + 1]))
                if highest < p[2] - far:
                    continue
                for half in range(2):
                    bi, bj = (i + 1, j) if half == 0 else (i, j + 1)
                    for k in range(3):
                        a[k] = _corner(heights, spacing, i, j, k)
                        b[k] = _corner(heights, spacing, bi, bj, k)
                        c[k] = _corner(heights, spacing, i + 1, j + 1, k)
                    _on_triangle(a, b, c, p, near)
                    away = (p[0] - near[0]) ** 2 + (p[1] - near[1]) ** 2 + (p[2] - near[2]) ** 2
                    # The triangle's own unit vector, upwards.
                    x = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])
                    y = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2])
                    z = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
                    size = math.sqrt(x * x + y * y + z * z) * (1.0 if z > 0.0 else -1.0)
                    x, y, z = x / size, y / size, z / size
                    over = x * (p[0] - near[0]) + y * (p[1] - near[1]) + z * (p[2] - near[2])
                    # Of triangles that share the nearest edge or corner, the one that faces the point most counts.
                    nearer = away < best - 1e-14
                    if nearer or (away < best + 1e-14 and abs(over) > steepest):
                        best, below, steepest = min(best, away), over < 0.0, abs(over)
                        if nearer or found[n, 5] == 0.0:
                            for k in range(3):
                                found[n, k] = near[k]
                        found[n, 3], found[n, 4], found[n, 5] = x, y, z
        distance = math.sqrt(best)
        if distance > 1e-7 and found[n, 3] ** 2 + found[n, 4] ** 2 + found[n, 5] ** 2 > 0.0:
            side = -1.0 if below else 1.0
            for k in range(3):
                found[n, 3 + k] = side * (p[k] - found[n, k]) / distance
