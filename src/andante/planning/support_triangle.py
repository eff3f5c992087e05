"""The triangle of the three feet that carry: drawn in, and places of the centre of mass in it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.spatial.compiled import inlined

Array = NDArray[np.float64]


@inlined
def inner_triangle(feet: Array, swing: int, margin: float, corners: Array) -> bool:
    """Corners (3, 2) of the triangle of the feet other than ``swing``, drawn in; False where nothing is left."""
    row = 0
    for leg in range(4):
        if leg != swing:
            corners[row, 0], corners[row, 1] = feet[leg, 0], feet[leg, 1]
            row += 1
    a = math.hypot(corners[1, 0] - corners[2, 0], corners[1, 1] - corners[2, 1])
    b = math.hypot(corners[0, 0] - corners[2, 0], corners[0, 1] - corners[2, 1])
    c = math.hypot(corners[0, 0] - corners[1, 0], corners[0, 1] - corners[1, 1])
    twice = abs(
        (corners[1, 0] - corners[0, 0]) * (corners[2, 1] - corners[0, 1])
        - (corners[2, 0] - corners[0, 0]) * (corners[1, 1] - corners[0, 1])
    )
    around = a + b + c
    if around <= 0.0 or twice <= margin * around:
        return False
    # Drawing in is shrinking about the centre of the inscribed circle, whose radius is twice / around.
    share = 1.0 - margin * around / twice
    for axis in range(2):
        centre = (a * corners[0, axis] + b * corners[1, axis] + c * corners[2, axis]) / around
        for n in range(3):
            corners[n, axis] = centre + share * (corners[n, axis] - centre)
    return True


@inlined
def com_points(corners: Array, x: float, y: float, points: Array) -> None:
    """Places (8, 2) in a triangle, nearest to (x, y) first: its nearest point, corners, middles, and inside."""
    best = math.inf
    inside = True
    sense = (corners[1, 0] - corners[0, 0]) * (corners[2, 1] - corners[0, 1]) - (corners[2, 0] - corners[0, 0]) * (
        corners[1, 1] - corners[0, 1]
    )
    for n in range(3):
        p, q = corners[n], corners[(n + 1) % 3]
        ex, ey = q[0] - p[0], q[1] - p[1]
        if (ex * (y - p[1]) - ey * (x - p[0])) * sense < 0.0:
            inside = False
        square = ex * ex + ey * ey
        t = min(max(((x - p[0]) * ex + (y - p[1]) * ey) / square, 0.0), 1.0) if square > 0.0 else 0.0
        px, py = p[0] + t * ex, p[1] + t * ey
        far = math.hypot(px - x, py - y)
        if far < best:
            best = far
            points[0, 0], points[0, 1] = px, py
        points[1 + n, 0], points[1 + n, 1] = p[0], p[1]
        points[4 + n, 0], points[4 + n, 1] = 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])
    if inside:
        points[0, 0], points[0, 1] = x, y
    for axis in range(2):
        points[7, axis] = (corners[0, axis] + corners[1, axis] + corners[2, axis]) / 3.0
    for n in range(2, 8):
        m = n
        while m > 1 and _far(points, m, x, y) < _far(points, m - 1, x, y):
            for axis in range(2):
                points[m, axis], points[m - 1, axis] = points[m - 1, axis], points[m, axis]
            m -= 1


@inlined
def _far(points: Array, n: int, x: float, y: float) -> float:
    square: float = (points[n, 0] - x) ** 2 + (points[n, 1] - y) ** 2
    return square
