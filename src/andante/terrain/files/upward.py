"""Which way is up in a file of points or triangles: an axis by its name, or any direction."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from andante.spatial.arrays import Array

AXES: Mapping[str, tuple[tuple[int, int], ...]] = {
    "z": ((0, 1), (1, 1), (2, 1)),
    "-z": ((0, 1), (1, -1), (2, -1)),
    "y": ((0, 1), (2, -1), (1, 1)),
    "-y": ((2, 1), (0, -1), (1, -1)),
    "x": ((1, 1), (2, 1), (0, 1)),
    "-x": ((2, 1), (1, 1), (0, -1)),
}
"""For each axis that is up, which axes of the file x, y and z of the map are, and their signs: all of them are turns.
That of a camera is the one of REP 103 (ros.org/reps/rep-0103.html)."""
_SHORTEST = 1e-6
"""Length of a direction from which on it tells one."""


def direction_of(up: str) -> Array | None:
    """The direction (3,) that three numbers with commas between tell, of length one; None: they tell none."""
    try:
        numbers = np.array([float(each) for each in up.split(",")])
    except ValueError:
        return None
    length = math.hypot(*numbers.tolist()) if len(numbers) == 3 else 0.0
    return numbers / length if _SHORTEST < length < math.inf else None


def upright(places: Array, up: str) -> Array:
    """Points (..., 3) of a file with z up.

    The axis of the file that is nearest to the direction goes the way it goes by its name, and what is left of the turn
    is the shortest one: what a camera sees ahead stays ahead.

    Args:
        places: The points.
        up: A name of `AXES`, or a direction that `direction_of` tells.
    """
    if up in AXES:
        return np.stack([sign * places[..., axis] for axis, sign in AXES[up]], axis=-1)
    return np.asarray(places @ _turn(up).T)


def _turn(up: str) -> Array:
    """The turn (3, 3) that makes a direction z."""
    direction = direction_of(up)
    if direction is None:
        raise ValueError(f"no direction: {up}")
    largest = int(np.argmax(np.abs(direction)))
    name = ("" if direction[largest] > 0.0 else "-") + "xyz"[largest]
    rough = np.zeros((3, 3))
    for row, (axis, sign) in enumerate(AXES[name]):
        rough[row, axis] = sign
    # The shortest turn from a direction that is near z to z (Rodrigues): z has at least 1/sqrt(3) of it.
    x, y, z = (float(each) for each in rough @ direction)
    cross = np.array([[0.0, 0.0, -x], [0.0, 0.0, -y], [x, y, 0.0]])
    return np.asarray((np.eye(3) + cross + cross @ cross / (1.0 + z)) @ rough)
