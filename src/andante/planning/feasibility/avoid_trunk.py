"""A swinging leg that would hit its own trunk swings farther aside, towards where its plane is upright.

A leg that hangs hits the trunk when it rolls inwards, one that is folded so far that its knee is above the hip when it
rolls outwards.

Where it is folded against the trunk it is blocked, the switch of its foot takes that for the ground, and the robot
steps on a foot that hangs in the air.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_kernels import leg_ik
from andante.kinematics.leg_table import LegTable
from andante.planning.feasibility.trunk import trunk_distance
from andante.spatial.arrays import Array1, Array2, Array3
from andante.spatial.compiled import entry

Array = NDArray[np.float64]
_TRIES = 8
"""Most places farther aside that are tried."""
_GAIN = 2.0
"""How much farther the foot goes than the shank shall: near the hip a shank moves less than its foot."""


@entry
def avoid_trunk(
    table: LegTable,
    boxes: Array3,
    shank: Array1,
    leg: int,
    position: Array1,
    rotation: Array2,
    foot: Array1,
    keep: float,
    least: float,
    angles: Array1,
) -> float:
    """Move a foot along the base's y axis until the leg keeps off the trunk; as far as its reach allows.

    Args:
        table: The robot.
        boxes: Its trunk, (m, 2, 3) of low and high corners in the base's frame [m].
        shank: Radius of each lower link, (nl,) [m].
        leg: Row of the leg.
        position: Origin of the base, (3,) [m].
        rotation: Rotation of the base, (3, 3).
        foot: Where the centre of its foot shall be, (3,) [m].
        keep: Distance from the trunk that is kept [m].
        least: Angle that stays free to every joint limit [rad].
        angles: The leg's joint angles for that place; get those for the new one, (3,) [rad].

    Returns:
        How far the foot is moved [m].
    """
    side = -1.0 if table.signs[leg, 0] * angles[0] > 0.0 else 1.0
    place, tried = foot.copy(), np.empty(3)
    tried[:] = angles
    shift = moved = 0.0
    for _ in range(_TRIES):
        near = keep - trunk_distance(table, boxes, shank, leg, position, rotation, tried, place)
        if near <= 0.0:
            break
        shift += _GAIN * near
        for axis in range(3):
            place[axis] = foot[axis] + side * shift * rotation[axis, 1]
        if leg_ik(table, leg, position, rotation, place, tried) < least:
            break
        angles[:] = tried
        moved = shift
    return moved
