"""Boxes of a robot's trunk that its lower legs can hit, from the shapes in its model that may touch each other."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_table import LeggedBody

Array = NDArray[np.float64]
_ASIDE = 0.046
"""Distance from the trunk, as share of the leg, that one at zero roll has on every robot: room that is enough."""


def shape_box(model: mujoco.MjModel, data: mujoco.MjData, base: int, geom: int) -> Array:
    """Low and high corner (2, 3) of the box around a shape in the frame of the base [m].

    Args:
        model: The robot's model.
        data: Its state, at which the shapes have been placed.
        base: Number of the base's body.
        geom: Number of the shape.
    """
    rotation, position = data.xmat[base].reshape(3, 3), data.xpos[base]
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    signs = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
    world = data.geom_xpos[geom] + (centre + signs * half) @ data.geom_xmat[geom].reshape(3, 3).T
    found = (world - position) @ rotation
    return np.stack([found.min(axis=0), found.max(axis=0)])


def may_touch(model: mujoco.MjModel, one: int, other: int) -> bool:
    """Whether two shapes of different bodies can come into contact in a model."""
    kinds, affine = model.geom_contype, model.geom_conaffinity
    if not (kinds[one] & affine[other] or kinds[other] & affine[one]):
        return False
    # A pair that is left out is kept as one number, the first body's in its upper half.
    bodies = sorted((int(model.geom_bodyid[one]), int(model.geom_bodyid[other])))
    left_out = {tuple(sorted((int(pair) >> 16, int(pair) & 0xFFFF))) for pair in model.exclude_signature}
    return tuple(bodies) not in left_out


def trunk_boxes(
    body: LeggedBody, data: mujoco.MjData, base: int, trunk: list[int], shanks: list[int], radii: Array
) -> Array:
    """Boxes that lower legs keep off, (n, 2, 3) of low and high corners in the base's frame [m].

    A box around a round or bent shape is wider than the shape. Legs at zero roll are clear of every robot's trunk, so
    that boxes are drawn in until they are.

    Args:
        body: The robot.
        data: Its state, at which the shapes have been placed.
        base: Number of the base's body.
        trunk: Shapes of the trunk.
        shanks: Shapes of the lower legs and the feet.
        radii: Radius of each lower link, (nl,) [m].
    """
    model, table = body.robot.model, body.table
    boxes = [
        shape_box(model, data, base, geom) for geom in trunk if any(may_touch(model, geom, shank) for shank in shanks)
    ]
    if not boxes:
        return np.empty((0, 2, 3))
    found = np.array(boxes)
    knees = table.hip[:, 1] + table.offset[:, 1] + table.upper[:, 1]
    feet = knees + table.lower[:, 1]
    keep = radii + _ASIDE * body.leg_length
    left = table.hip[:, 1] > 0.0
    found[:, 1, 1] = np.minimum(found[:, 1, 1], (np.minimum(knees, feet) - keep)[left].min(initial=np.inf))
    found[:, 0, 1] = np.maximum(found[:, 0, 1], (np.maximum(knees, feet) + keep)[~left].max(initial=-np.inf))
    return np.ascontiguousarray(found[found[:, 0, 1] < found[:, 1, 1]])
