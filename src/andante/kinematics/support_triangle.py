"""Support triangles seen from above: how far inside a point is, drawn in, and places of the centre of mass in them."""

from __future__ import annotations

import math

from andante.kernels import entry, inlined, inlined_entry
from andante.spatial.arrays import Array, Array2


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


@inlined_entry
def into_triangle(corners: Array2, x: float, y: float) -> tuple[float, float]:
    """The point of a triangle (3, 2) nearest to a place."""
    sense = (corners[1, 0] - corners[0, 0]) * (corners[2, 1] - corners[0, 1]) - (corners[2, 0] - corners[0, 0]) * (
        corners[1, 1] - corners[0, 1]
    )
    best, near_x, near_y = math.inf, x, y
    inside = True
    for n in range(3):
        px, py = corners[n, 0], corners[n, 1]
        ex, ey = corners[(n + 1) % 3, 0] - px, corners[(n + 1) % 3, 1] - py
        if (ex * (y - py) - ey * (x - px)) * sense < 0.0:
            inside = False
        square = ex * ex + ey * ey
        t = min(max(((x - px) * ex + (y - py) * ey) / square, 0.0), 1.0) if square > 0.0 else 0.0
        qx, qy = px + t * ex, py + t * ey
        far = (qx - x) ** 2 + (qy - y) ** 2
        if far < best:
            best, near_x, near_y = far, qx, qy
    return (x, y) if inside else (near_x, near_y)


@inlined_entry
def triangle_margin(feet: Array2, swing: int, x: float, y: float) -> float:
    """Distance of a place from the edge of the triangle of the feet other than ``swing`` [m]; below zero outside."""
    return _margin(feet[(swing + 1) % 4], feet[(swing + 2) % 4], feet[(swing + 3) % 4], x, y)


@entry
def corner_margin(corners: Array2, x: float, y: float) -> float:
    """Distance [m] of a point to the nearest edge line of a triangle (3, 2): above zero inside, below zero outside."""
    return _margin(corners[0], corners[1], corners[2], x, y)


@inlined
def _margin(a: Array, b: Array, c: Array, x: float, y: float) -> float:
    sense = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
    least = min(_across(a, b, x, y, sense), _across(b, c, x, y, sense), _across(c, a, x, y, sense))
    return least


@inlined
def _across(a: Array, b: Array, x: float, y: float, sense: float) -> float:
    """Distance of a point from a line to the side of ``sense``; -inf where the line has no length."""
    ex, ey = b[0] - a[0], b[1] - a[1]
    length = math.hypot(ex, ey)
    if length <= 0.0:
        return -math.inf
    across: float = (ex * (y - a[1]) - ey * (x - a[0])) / length
    return across if sense > 0.0 else -across


@entry
def inset_triangle(corners: Array2, inset: float, most: float, result: Array2) -> float:
    """The triangle's points at least ``inset`` [m] from its edges, as a triangle, into ``result`` (3, 2).

    Where the triangle is small only the share ``most`` of the inscribed circle's radius is taken; returns the inset.
    """
    a = math.hypot(corners[1, 0] - corners[2, 0], corners[1, 1] - corners[2, 1])
    b = math.hypot(corners[2, 0] - corners[0, 0], corners[2, 1] - corners[0, 1])
    c = math.hypot(corners[0, 0] - corners[1, 0], corners[0, 1] - corners[1, 1])
    around = a + b + c
    x = (a * corners[0, 0] + b * corners[1, 0] + c * corners[2, 0]) / around
    y = (a * corners[0, 1] + b * corners[1, 1] + c * corners[2, 1]) / around
    turn = (corners[1, 0] - corners[0, 0]) * (corners[2, 1] - corners[0, 1]) - (corners[1, 1] - corners[0, 1]) * (
        corners[2, 0] - corners[0, 0]
    )
    radius = abs(turn) / around
    taken = min(inset, most * radius)
    left = 1.0 - taken / radius if radius > 1e-9 else 0.0
    for k in range(3):
        result[k, 0] = x + left * (corners[k, 0] - x)
        result[k, 1] = y + left * (corners[k, 1] - y)
    return float(taken)


@entry
def common_nearest(first: Array2, second: Array2, x: float, y: float) -> tuple[float, float]:
    """A point of the first triangle that is also in the second where they meet, else near to it; close to a point.

    Alternating projections: a few are enough for a target that is found anew in every tick.
    """
    for _ in range(4):
        x, y = into_triangle(second, x, y)
        x, y = into_triangle(first, x, y)
    return x, y
