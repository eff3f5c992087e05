"""Where balls rest on the ground, node by node: on a map of a millimetre thousands of places lie under each of them."""

from __future__ import annotations

import math

from andante.kernels import entry
from andante.spatial.arrays import Array1, Array2, Index2


@entry
def rest_balls(fine: Array2, highest: Array2, places: Index2, lifts: Array1, step: int, rests: Array2) -> None:
    """Raise the centre of a ball over each node to the highest one at which it touches the ground.

    Where the highest ground around could not raise it further, the places farther out are not looked at: over level
    ground that is at once, beside an edge it never is.

    Args:
        fine: The ground at parts of the spacing, with a rim as wide as the ball [m].
        highest: Highest ground under the whole ball, for each node, (nx, ny) [m].
        places: Where the ground is looked at, from the corner of the square around a ball on, (n, 2).
        lifts: How much higher than the ground there the centre is, falling, (n,) [m].
        step: Parts of a spacing.
        rests: Heights of the centres, (nx, ny) [m]; they are written.
    """
    for i in range(rests.shape[0]):
        for j in range(rests.shape[1]):
            best, top = -math.inf, highest[i, j]
            for k in range(len(lifts)):
                if top + lifts[k] <= best:
                    break
                best = max(best, fine[step * i + places[k, 0], step * j + places[k, 1]] + lifts[k])
            rests[i, j] = best
