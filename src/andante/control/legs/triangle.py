"""Support triangles seen from above: how far inside a point is, and where inside it should rather be."""

from __future__ import annotations

import math

from andante.spatial.arrays import Array2
from andante.spatial.compiled import entry


@entry
def margin(corners: Array2, x: float, y: float) -> float:
    """Distance [m] of a point to the nearest edge line of a triangle (3, 2): above zero inside, below zero outside."""
    turn = (corners[1, 0] - corners[0, 0]) * (corners[2, 1] - corners[0, 1]) - (corners[1, 1] - corners[0, 1]) * (
        corners[2, 0] - corners[0, 0]
    )
    sense = 1.0 if turn > 0.0 else -1.0
    least = math.inf
    for k in range(3):
        ax, ay = corners[k, 0], corners[k, 1]
        dx, dy = corners[(k + 1) % 3, 0] - ax, corners[(k + 1) % 3, 1] - ay
        length = math.hypot(dx, dy)
        if length < 1e-9:
            return -math.inf
        least = min(least, sense * (dx * (y - ay) - dy * (x - ax)) / length)
    return least


@entry
def inner(corners: Array2, inset: float, most: float, result: Array2) -> float:
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
def nearest(corners: Array2, x: float, y: float) -> tuple[float, float]:
    """The point of a triangle (3, 2) nearest to a point."""
    if margin(corners, x, y) >= 0.0:
        return x, y
    best, found_x, found_y = math.inf, x, y
    for k in range(3):
        ax, ay = corners[k, 0], corners[k, 1]
        dx, dy = corners[(k + 1) % 3, 0] - ax, corners[(k + 1) % 3, 1] - ay
        length2 = dx * dx + dy * dy
        share = 0.0
        if length2 > 0.0:
            share = min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / length2))
        px, py = ax + share * dx, ay + share * dy
        distance = (x - px) ** 2 + (y - py) ** 2
        if distance < best:
            best, found_x, found_y = distance, px, py
    return found_x, found_y


@entry
def common_nearest(first: Array2, second: Array2, x: float, y: float) -> tuple[float, float]:
    """A point of the first triangle that is also in the second where they meet, else near to it; close to a point.

    Alternating projections: a few are enough for a target that is found anew in every tick.
    """
    for _ in range(4):
        x, y = nearest(second, x, y)
        x, y = nearest(first, x, y)
    return x, y
