"""Which way the base of a robot on two feet looks: feet are longer in front of the ankle than behind it.

Everything else takes a base's x axis as its front. Some models have it at the back; their base is turned.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from andante.robots.bare.limbs import BodyTree
from andante.robots.bare.shapes import sole
from andante.robots.records import Vector

_LONGER = 1.5
"""How many times as long as the toes a heel must be, for the toes to be the heel."""
_HALF_TURN = (0.0, 0.0, 0.0, 1.0)
"""Half a turn about the vertical axis, as a quaternion."""


def looks_backwards(tree: BodyTree) -> bool:
    """Whether both soles reach much further along -x from their ankles than along x."""
    limbs = tree.feet
    if len(limbs) != 2:
        return False
    x = tree.rotation(tree.base)[:2, 0]
    for limb in limbs:
        flat = sole(tree.model, tree.data, limb.end) if len(limb.joints) > 3 else None
        if flat is None:
            return False
        ahead = (flat[1] - np.array(tree.data.xanchor[limb.joints[-1]])[:2]) @ x
        front, back = max(float(ahead.max()), 0.0), max(float(-ahead.min()), 0.0)
        if back <= _LONGER * front:
            return False
    return True


def turn_base(base: Any) -> None:
    """Turn the frame of a base body by half a turn about its z axis; what is in it stays where it is.

    Args:
        base: The body of an editable specification, without other joints than a free one.
    """
    inside = [*base.bodies, *base.geoms, *base.sites, *base.cameras, *base.lights, *base.frames]
    half = base.add_frame(quat=list(_HALF_TURN))
    for element in inside:
        if element.frame is None:
            element.set_frame(half)
    base.ipos = _turned(base.ipos)
    quat = np.zeros(4)
    mujoco.mju_mulQuat(quat, np.array(_HALF_TURN), np.array(base.iquat, dtype=float))
    base.iquat = quat
    if np.isfinite(np.array(base.fullinertia, dtype=float)).all():
        # Moments stay; products with z change their sign.
        base.fullinertia = np.array(base.fullinertia, dtype=float) * (1.0, 1.0, 1.0, 1.0, -1.0, -1.0)
        base.iquat = (1.0, 0.0, 0.0, 0.0)


def _turned(place: Any) -> Vector:
    found: Vector = np.array(place, dtype=float) * (-1.0, -1.0, 1.0)
    return found
