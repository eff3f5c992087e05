"""The way of a swinging foot: cubic from hold to hold seen from above, cubic up to an apex and down again.

Source: Quad-SDK's swing interpolation (Hermite cubics without velocity at their ends). There the apex is in the middle
and the foot moves ahead all the time; here both can wait, see `swing_timing`.
"""

from __future__ import annotations

from andante.kernels import entry, kernel
from andante.spatial.arrays import Array, Array1

SWING = 12
"""Numbers of a swing: lift-off, touch-down [s], start (3,), end (3,), apex [m], all of the foot's centre; and as shares
of its time when it is at the apex, and when it begins and ends to move as seen from above."""


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
    peak, first, last = swing[9], swing[10], swing[11]
    along = min(max((share - first) / (last - first), 0.0), 1.0)
    for axis in range(2):
        place[axis], velocity[axis], acceleration[axis] = hermite(
            swing[2 + axis], swing[5 + axis], along, (last - first) * duration
        )
        if share < first or share > last:
            acceleration[axis] = 0.0
    if share < peak:
        place[2], velocity[2], acceleration[2] = hermite(swing[4], swing[8], share / peak, peak * duration)
    else:
        rest = 1.0 - peak
        place[2], velocity[2], acceleration[2] = hermite(swing[8], swing[7], (share - peak) / rest, rest * duration)


@entry
def swing_state(swing: Array1, time: float, place: Array1, velocity: Array1, acceleration: Array1) -> None:
    """Where a swinging foot shall be.

    Args:
        swing: The numbers of the swing, (`SWING`,).
        time: When [s]; before lift-off and after touch-down it rests there.
        place: Gets the place, (3,) [m].
        velocity: Gets the velocity, (3,) [m/s].
        acceleration: Gets the acceleration, (3,) [m/s^2].
    """
    swing_at(swing, time, place, velocity, acceleration)
