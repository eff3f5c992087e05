"""The way of a swinging foot: cubic from hold to hold seen from above, up to an apex and down in halves of the time.

Source: Quad-SDK's swing interpolation (Hermite cubics without velocity at their ends).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.spatial.arrays import Array1
from andante.spatial.compiled import entry, kernel

Array = NDArray[np.float64]


@kernel
def hermite(start: float, end: float, share: float, duration: float) -> tuple[float, float, float]:
    """Place, velocity and acceleration between two places of rest after a share of a duration [s]."""
    way = end - start
    place: float = start + way * share * share * (3.0 - 2.0 * share)
    velocity: float = way * 6.0 * share * (1.0 - share) / duration
    acceleration: float = way * (6.0 - 12.0 * share) / (duration * duration)
    return place, velocity, acceleration


@kernel
def swing_at(swing: Array, time: float, place: Array, velocity: Array, acceleration: Array) -> None:
    """The kernel of `swing_state`."""
    duration = swing[1] - swing[0]
    share = min(max((time - swing[0]) / duration, 0.0), 1.0)
    for axis in range(2):
        place[axis], velocity[axis], acceleration[axis] = hermite(swing[2 + axis], swing[5 + axis], share, duration)
    half = 0.5 * duration
    if share < 0.5:
        place[2], velocity[2], acceleration[2] = hermite(swing[4], swing[8], 2.0 * share, half)
    else:
        place[2], velocity[2], acceleration[2] = hermite(swing[8], swing[7], 2.0 * share - 1.0, half)


@entry
def swing_state(swing: Array1, time: float, place: Array1, velocity: Array1, acceleration: Array1) -> None:
    """Where a swinging foot shall be.

    Args:
        swing: Lift-off and touch-down [s], start (3,), end (3,) and apex [m] of the foot's centre, (9,).
        time: When [s]; before lift-off and after touch-down it rests there.
        place: Gets the place, (3,) [m].
        velocity: Gets the velocity, (3,) [m/s].
        acceleration: Gets the acceleration, (3,) [m/s^2].
    """
    swing_at(swing, time, place, velocity, acceleration)
