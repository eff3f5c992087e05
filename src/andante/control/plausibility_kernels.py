"""Whether a reading of sensors can be true, in one call: every tick asks."""

from __future__ import annotations

from andante.kernels import lazy_entry
from andante.spatial.arrays import Array1


@lazy_entry
def plausible(tested: Array1, before: Array1, low: Array1, high: Array1, angles: int, turn: int) -> bool:
    """Whether all that is tested of a reading lies within its bounds; NaN fails.

    Args:
        tested: The reading, then room for the steps of angles and the square of the quaternion's norm, which it gets.
        before: Angles that were believed last, (nj,) [rad]; gets the new ones where all is well.
        low: Least values of what is tested.
        high: Largest values.
        angles: Where the angles begin in a reading.
        turn: Where the orientation begins.
    """
    nj, last = len(before), len(tested) - 1
    for joint in range(nj):
        tested[last - nj + joint] = tested[angles + joint] - before[joint]
    w, x, y, z = tested[turn], tested[turn + 1], tested[turn + 2], tested[turn + 3]
    tested[last] = w * w + x * x + y * y + z * z
    for place in range(len(tested)):
        if not (low[place] <= tested[place] <= high[place]):
            return False
    for joint in range(nj):
        before[joint] = tested[angles + joint]
    return True
