"""Least motion of the centre of mass through the support triangles of a walk.

The sum of squared distances, each over its time, is convex and so are the triangles: going round the nodes and putting
each to the point of its triangle nearest to where its neighbours pull it ends at the one best path. Common triangles
of successive steps need no rule of their own: where two overlap, the least motion is to stay.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.planning.stances.chain import Chain
from andante.planning.support_triangle import inner_triangle
from andante.spatial.arrays import Array2
from andante.spatial.compiled import entry, inlined, inlined_entry

Array = NDArray[np.float64]
_ROUNDS = 150
_PULL = 0.05
"""How much the middle of the feet pulls, against the motion over a swing's time."""


@inlined
def into_triangle(corners: Array, x: float, y: float) -> tuple[float, float]:
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
    first, second, third = (swing + 1) % 4, (swing + 2) % 4, (swing + 3) % 4
    sense = (feet[second, 0] - feet[first, 0]) * (feet[third, 1] - feet[first, 1]) - (
        feet[third, 0] - feet[first, 0]
    ) * (feet[second, 1] - feet[first, 1])
    least = math.inf
    for n in range(3):
        a, b = (swing + 1 + n) % 4, (swing + 1 + (n + 1) % 3) % 4
        ex, ey = feet[b, 0] - feet[a, 0], feet[b, 1] - feet[a, 1]
        length = math.hypot(ex, ey)
        if length <= 0.0:
            return -math.inf
        across = (ex * (y - feet[a, 1]) - ey * (x - feet[a, 0])) / length
        least = min(least, across if sense > 0.0 else -across)
    return least


@entry
def com_path(chain: Chain, margin: float, ladder: Array2, path: Array2) -> int:
    """Centre of mass at the nodes of a chain, into ``path`` (n, 2) [m]; its ends are given.

    Returns:
        The first node whose feet make no triangle even for the thinnest margin of the ladder; -1: none.
    """
    count = len(path)
    corners = np.empty((count, 3, 2))
    for k in range(1, count - 1):
        rung = 0
        while rung < len(ladder) and not inner_triangle(
            chain.feet[k], chain.swing[k], margin * ladder[rung, 0], corners[k]
        ):
            rung += 1
        if rung == len(ladder):
            return k
        path[k, 0], path[k, 1] = into_triangle(corners[k], chain.reference[k, 0], chain.reference[k, 1])
    for turn in range(_ROUNDS):
        largest = 0.0
        for n in range(1, count - 1):
            k = n if turn % 2 == 0 else count - 1 - n
            before, after = chain.stiffness[k - 1], chain.stiffness[k]
            total = before + after + _PULL
            x = (before * path[k - 1, 0] + after * path[k + 1, 0] + _PULL * chain.reference[k, 0]) / total
            y = (before * path[k - 1, 1] + after * path[k + 1, 1] + _PULL * chain.reference[k, 1]) / total
            x, y = into_triangle(corners[k], x, y)
            largest = max(largest, abs(x - path[k, 0]), abs(y - path[k, 1]))
            path[k, 0], path[k, 1] = x, y
        if largest < 1e-6:
            break
    return -1
