"""How far lower links are from the robot's own trunk: a folded leg whose roll is inwards would hit it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_table import LegTable
from andante.planning.feasibility_scene import Scene
from andante.spatial.compiled import kernel

Array = NDArray[np.float64]
_HALVINGS = 8
"""Halvings of a link in the search for its nearest point: a link of 0.1 m is looked at to 0.4 mm."""
_WORTH = 1.75
"""Room that a metre beside the trunk is worth: unlike the ground, the trunk is where the model has it."""


@kernel
def box_distance(box: Array, x: float, y: float, z: float, way: Array) -> float:
    """Distance of a point from a box (2, 3) of low and high corner, below zero inside; ``way`` (3,) gets how it grows.

    Args:
        box: Corners [m].
        x: The point [m].
        y: The point [m].
        z: The point [m].
        way: Gets the unit vector along which the distance grows most.
    """
    square, deepest, face = 0.0, -math.inf, 0
    for axis in range(3):
        at = x if axis == 0 else (y if axis == 1 else z)
        below, above = box[0, axis] - at, at - box[1, axis]
        out = max(below, above)
        way[axis] = 0.0
        if out > deepest:
            deepest, face = out, axis
        if out > 0.0:
            way[axis] = -out if below > above else out
            square += out * out
    if square > 0.0:
        far = math.sqrt(square)
        for axis in range(3):
            way[axis] /= far
        return far
    at = x if face == 0 else (y if face == 1 else z)
    way[face] = 1.0 if at - box[1, face] > box[0, face] - at else -1.0
    return deepest


@kernel
def link_distance(box: Array, one: Array, other: Array, way: Array) -> float:
    """Least distance of the line between two points (3,) from a box [m], below zero inside.

    The distance from a box is convex along a line, so the sign of its slope tells on which side the least one is.
    """
    low, high = 0.0, 1.0
    least = math.inf
    for _ in range(_HALVINGS):
        t = 0.5 * (low + high)
        far = box_distance(
            box,
            one[0] + t * (other[0] - one[0]),
            one[1] + t * (other[1] - one[1]),
            one[2] + t * (other[2] - one[2]),
            way,
        )
        least = min(least, far)
        slope = 0.0
        for axis in range(3):
            slope += way[axis] * (other[axis] - one[axis])
        if slope > 0.0:
            high = t
        else:
            low = t
    least = min(least, box_distance(box, one[0], one[1], one[2], way))
    return min(least, box_distance(box, other[0], other[1], other[2], way))


@kernel
def trunk_distance(
    table: LegTable,
    boxes: Array,
    shank: Array,
    leg: int,
    position: Array,
    rotation: Array,
    angles: Array,
    foot: Array,
) -> float:
    """Distance of a leg's lower link and foot from the trunk [m]; infinite where it is plainly far or cannot touch it.

    Args:
        table: The robot's legs.
        boxes: Its trunk, (m, 2, 3) of low and high corners in the base's frame [m].
        shank: Radius of each lower link, (nl,) [m].
        leg: Row of the leg.
        position: Origin of the base, (3,) [m].
        rotation: Rotation of the base, (3, 3).
        angles: The leg's joint angles, (3,) [rad].
        foot: Centre of its foot at these angles in the world, (3,) [m].
    """
    least = math.inf
    if len(boxes) == 0:
        return least
    one, other, way = np.empty(3), np.empty(3), np.empty(3)
    _knee(table, leg, angles, one)
    for axis in range(3):
        other[axis] = 0.0
        for row in range(3):
            other[axis] += rotation[row, axis] * (foot[row] - position[row])
    far = 0.1 * (table.lengths[leg, 0] + table.lengths[leg, 1])
    thick, ball = shank[leg], table.radius[leg]
    for n in range(len(boxes)):
        box = boxes[n]
        apart = -math.inf
        for axis in range(3):
            lowest, highest = min(one[axis], other[axis]), max(one[axis], other[axis])
            apart = max(apart, max(box[0, axis] - highest, lowest - box[1, axis]))
        if apart > far + ball:
            continue
        least = min(least, link_distance(box, one, other, way) - thick)
        least = min(least, box_distance(box, other[0], other[1], other[2], way) - ball)
    return least


@kernel
def trunk_room(scene: Scene, leg: int, position: Array, rotation: Array, angles: Array, foot: Array) -> float:
    """Room of a leg beside the trunk [m], to compare with the room that a pose has elsewhere; as `trunk_distance`."""
    return _WORTH * trunk_distance(scene.table, scene.trunk, scene.shank, leg, position, rotation, angles, foot)


@kernel
def _knee(table: LegTable, leg: int, angles: Array, knee: Array) -> None:
    """Where a knee's axis is in the base's frame, (3,) [m]."""
    roll, pitch = table.signs[leg, 0] * angles[0], table.signs[leg, 1] * angles[1]
    c1, s1, c2, s2 = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    o, u = table.offset[leg], table.upper[leg]
    x, y, z = o[0] + c2 * u[0] + s2 * u[2], o[1] + u[1], o[2] + c2 * u[2] - s2 * u[0]
    knee[0] = table.hip[leg, 0] + x
    knee[1] = table.hip[leg, 1] + c1 * y - s1 * z
    knee[2] = table.hip[leg, 2] + s1 * y + c1 * z
