"""How far lower links are from the robot's own trunk: a folded leg whose roll is inwards would hit it."""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, inlined
from andante.kinematics.leg_kernels import leg_ik
from andante.kinematics.leg_table import LegTable
from andante.planning.feasibility.clearance import leg_axes
from andante.planning.feasibility.scene import Scene
from andante.spatial.arrays import Array, Array1, Array2, Array3
from andante.spatial.rotation_kernels import Three, seen_from

_HALVINGS = 8
"""Halvings of a link in the search for its nearest point: a link of 0.1 m is looked at to 0.4 mm."""
_FAR = 1.0 / 9.0
"""Distance from the trunk of more than that share of the leg is of no interest."""
_WORTH = 1.75
"""Room that a metre beside the trunk is worth: unlike the ground, the trunk is where the model has it."""
_TRIES = 9
"""Most places that are tried, the first included."""
_GAIN = 2.0
"""How much farther the foot goes than the shank shall: near the hip a shank moves less than its foot."""
_LONGEST = 1.0 / 24.0
"""Longest of the longer ways of a foot from one place tried to the next, as a share of the leg."""


@inlined
def box_distance(box: Array, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Distance of a point from a box, below zero inside, and the vector along which it grows by 1.

    Args:
        box: Low and high corner, (2, 3) [m].
        x: The point [m].
        y: The point [m].
        z: The point [m].
    """
    u = max(box[0, 0] - x, x - box[1, 0])
    v = max(box[0, 1] - y, y - box[1, 1])
    w = max(box[0, 2] - z, z - box[1, 2])
    # Signs of the nearer faces.
    a = 1.0 if 2.0 * x > box[0, 0] + box[1, 0] else -1.0
    b = 1.0 if 2.0 * y > box[0, 1] + box[1, 1] else -1.0
    c = 1.0 if 2.0 * z > box[0, 2] + box[1, 2] else -1.0
    deepest = max(u, v, w)
    if deepest <= 0.0:
        if deepest == u:
            return u, a, 0.0, 0.0
        if deepest == v:
            return v, 0.0, b, 0.0
        return w, 0.0, 0.0, c
    u, v, w = max(u, 0.0), max(v, 0.0), max(w, 0.0)
    far = math.sqrt(u * u + v * v + w * w)
    return far, a * u / far, b * v / far, c * w / far


@inlined
def link_distance(
    box: Array, one: tuple[float, float, float], other: tuple[float, float, float], enough: float
) -> float:
    """Least distance of the line between two points from a box [m], below zero inside.

    The distance from a box is convex along a line, so the sign of its slope tells on which side the least one is.

    Args:
        box: Low and high corner, (2, 3) [m].
        one: An end [m].
        other: The other end [m].
        enough: Distance that is of no more interest [m]: where the least one is above, any above is returned.
    """
    dx, dy, dz = other[0] - one[0], other[1] - one[1], other[2] - one[2]
    low, high = 0.0, 1.0
    least = min(box_distance(box, one[0], one[1], one[2])[0], box_distance(box, other[0], other[1], other[2])[0])
    for _ in range(_HALVINGS):
        t = 0.5 * (low + high)
        far, a, b, c = box_distance(box, one[0] + t * dx, one[1] + t * dy, one[2] + t * dz)
        slope = a * dx + b * dy + c * dz
        least = min(least, far)
        # A convex curve is nowhere below its tangent, on the side where the least value is.
        if far - abs(slope) * (t - low if slope > 0.0 else high - t) > enough:
            break
        if slope > 0.0:
            high = t
        else:
            low = t
    return least


@inlined
def trunk_distance(
    table: LegTable,
    boxes: Array,
    shank: Array,
    leg: int,
    position: Array,
    rotation: Array,
    angles: Three,
    foot: Three,
    beyond: float = math.inf,
) -> float:
    """Distance of a leg's lower link and foot from the trunk [m]; above a ninth of the leg any number above that.

    Args:
        table: The robot's legs.
        boxes: Its trunk, (m, 2, 3) of low and high corners in the base's frame [m].
        shank: Radius of each lower link, (nl,) [m].
        leg: Row of the leg.
        position: Origin of the base, (3,) [m].
        rotation: Rotation of the base, (3, 3).
        angles: The leg's joint angles, (3,) [rad].
        foot: Centre of its foot at these angles in the world, (3,) [m].
        beyond: Distance that is of no more interest, where it is less than that [m].
    """
    least = math.inf
    if len(boxes) == 0:
        return least
    _, knee = leg_axes(table, leg, angles)
    place = seen_from(position, rotation, foot)
    enough = min(_FAR * (table.lengths[leg, 0] + table.lengths[leg, 1]), beyond)
    for n in range(len(boxes)):
        box, apart = boxes[n], -math.inf
        for axis in range(3):
            lowest, highest = min(knee[axis], place[axis]), max(knee[axis], place[axis])
            apart = max(apart, max(box[0, axis] - highest, lowest - box[1, axis]))
        if apart <= enough + shank[leg]:
            least = min(least, link_distance(box, knee, place, enough + shank[leg]) - shank[leg])
        if apart <= enough + table.radius[leg]:
            least = min(least, box_distance(box, place[0], place[1], place[2])[0] - table.radius[leg])
    return least


@inlined
def trunk_room(
    scene: Scene, leg: int, position: Array, rotation: Array, angles: Three, foot: Three, room: float
) -> float:
    """Room of a leg beside the trunk [m], to compare with the ``room`` that a pose has elsewhere; as `trunk_distance`,
    where it is more any number above that."""
    return _WORTH * trunk_distance(
        scene.table, scene.trunk, scene.shank, leg, position, rotation, angles, foot, room / _WORTH
    )


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
    """Move a foot along the base's y axis until the leg keeps off the trunk, or to where it is farthest from it of the
    places tried, as far as its reach allows.

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
    nearest, last, gain = math.inf, math.inf, _GAIN
    for _ in range(_TRIES):
        near = keep - trunk_distance(table, boxes, shank, leg, position, rotation, tried, place)
        if near < nearest:
            angles[:] = tried
            moved, nearest = shift, near
        if near <= 0.0:
            break
        # Where the knee comes nearer at first, longer ways lead past that.
        if near > 0.8 * last:
            gain *= 2.0
        last = near
        shift += max(_GAIN * near, min(gain * near, _LONGEST * (table.lengths[leg, 0] + table.lengths[leg, 1])))
        for axis in range(3):
            place[axis] = foot[axis] + side * shift * rotation[axis, 1]
        if leg_ik(table, leg, position, rotation, place, tried) < least:
            break
    return moved
