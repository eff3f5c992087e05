"""Least motion of the centre of mass through the support triangles of a walk.

The sum of squared distances, each over its time, is convex and so are the triangles: going round the nodes and putting
each to the point of its triangle nearest to where its neighbours pull it ends at the one best path. Common triangles
of successive steps need no rule of their own: where two overlap, the least motion is to stay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.support_triangle import inner_triangle, into_triangle
from andante.planning.stances.chain import Chain
from andante.spatial.arrays import Array2
from andante.spatial.compiled import entry

Array = NDArray[np.float64]
_ROUNDS = 150
_PULL = 0.05
"""How much the middle of the feet pulls, against the motion over a swing's time."""


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
