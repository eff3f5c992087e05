"""Triangles seen from above, on a grid."""

from __future__ import annotations

import math

from andante.kernels import entry, inlined
from andante.spatial.arrays import Array1, Array2, Array3, Index2

_NO_AREA = 1e-14
"""Twice the area seen from above up to which a triangle is upright [m^2]: it has no surface seen from there."""


@inlined
def _turned_area(triangles: Array3, row: int) -> float:
    """Twice the area of a triangle seen from above, below zero where one sees its back [m^2]."""
    ax, ay, _ = triangles[row, 0]
    bx, by, _ = triangles[row, 1]
    cx, cy, _ = triangles[row, 2]
    double: float = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return double


@inlined
def _nodes(
    triangles: Array3, row: int, x0: float, y0: float, spacing: float, nx: int, ny: int
) -> tuple[int, int, int, int]:
    """The nodes that a triangle may cover: the first along x, the one behind the last, and the same along y."""
    ax, ay, _ = triangles[row, 0]
    bx, by, _ = triangles[row, 1]
    cx, cy, _ = triangles[row, 2]
    first_i = max(0, math.ceil((min(ax, bx, cx) - x0) / spacing - 1e-6))
    last_i = min(nx - 1, math.floor((max(ax, bx, cx) - x0) / spacing + 1e-6))
    first_j = max(0, math.ceil((min(ay, by, cy) - y0) / spacing - 1e-6))
    last_j = min(ny - 1, math.floor((max(ay, by, cy) - y0) / spacing + 1e-6))
    return first_i, last_i + 1, first_j, last_j + 1


@inlined
def _height(triangles: Array3, row: int, double: float, x: float, y: float) -> float:
    """Height of a triangle at a place; NaN beside it [m]."""
    ax, ay, az = triangles[row, 0]
    bx, by, bz = triangles[row, 1]
    cx, cy, cz = triangles[row, 2]
    v = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / double
    w = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / double
    inside = v >= -1e-9 and w >= -1e-9 and v + w <= 1.0 + 1e-9
    height: float = az + v * (bz - az) + w * (cz - az) if inside else math.nan
    return height


@entry
def raise_to(
    triangles: Array3,
    x0: float,
    y0: float,
    spacing: float,
    least: float,
    most: float,
    limits: Array2,
    heights: Array2,
) -> None:
    """Raise each node to the highest triangle above or below it.

    Args:
        triangles: Corners, (n, 3, 3) [m].
        x0: x of the first node [m].
        y0: y of the first node [m].
        spacing: Distance of the nodes [m].
        least: Height below which nothing counts [m].
        most: Height above which nothing counts [m].
        limits: The same of each node, (nx, ny) [m]; (0, 0): no other one.
        heights: Heights to raise, (nx, ny) [m].
    """
    nx, ny = heights.shape
    each = len(limits) > 0
    for row in range(len(triangles)):
        double = _turned_area(triangles, row)
        if abs(double) < _NO_AREA:
            continue
        first_i, end_i, first_j, end_j = _nodes(triangles, row, x0, y0, spacing, nx, ny)
        for i in range(first_i, end_i):
            for j in range(first_j, end_j):
                z = _height(triangles, row, double, x0 + i * spacing, y0 + j * spacing)
                # No comparison holds of a NaN.
                if z > heights[i, j] and least <= z <= most and (not each or z <= limits[i, j]):
                    heights[i, j] = z


@entry
def list_above(
    triangles: Array3, x0: float, y0: float, spacing: float, starts: Index2, heights: Array1, turns: Array1
) -> None:
    """List the triangles above or below each node; what has no room is only counted.

    Args:
        triangles: Corners, (n, 3, 3) [m].
        x0: x of the first node [m].
        y0: y of the first node [m].
        spacing: Distance of the nodes [m].
        starts: Where the list of each node begins, (nx, ny); where it ends, after the call.
        heights: Heights of the triangles, (m,) [m].
        turns: Above zero where one sees their front from above, (m,).
    """
    nx, ny = starts.shape
    for row in range(len(triangles)):
        double = _turned_area(triangles, row)
        if abs(double) < _NO_AREA:
            continue
        first_i, end_i, first_j, end_j = _nodes(triangles, row, x0, y0, spacing, nx, ny)
        for i in range(first_i, end_i):
            for j in range(first_j, end_j):
                z = _height(triangles, row, double, x0 + i * spacing, y0 + j * spacing)
                if math.isnan(z):
                    continue
                at = starts[i, j]
                if at < len(heights):
                    heights[at], turns[at] = z, double
                starts[i, j] = at + 1
