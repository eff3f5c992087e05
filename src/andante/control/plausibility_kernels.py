"""Whether a reading of sensors can be true, in one call: every tick asks."""

from __future__ import annotations

from andante.kernels import lazy_entry
from andante.kernels.held import Table, floats1


@lazy_entry
def plausible(table: Table, angles: int, turn: int) -> bool:
    """Whether all that is tested of a reading lies within its bounds; NaN fails.

    Args:
        table: Arrays that stay where they are (`andante.kernels.held`), in this order: what is tested, a reading, then
            room for the steps of angles and the square of the quaternion's norm, which it gets; angles that were
            believed last, (nj,) [rad], which get the new ones where all is well; least and largest values of what is
            tested.
        angles: Where the angles begin in a reading.
        turn: Where the orientation begins.
    """
    tested, before, low, high = floats1(table, 0), floats1(table, 1), floats1(table, 2), floats1(table, 3)
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
