"""A reference posture for robots whose soles are not level with all joints at zero: their ankles turned until they are.

A crouch drawn as the zero of all joints often leaves the feet tilted; which face of a foot is its sole is told by where
the ankle brings the most of it onto one level.
"""

from __future__ import annotations

import mujoco
import numpy as np

from andante.robots.bare.limbs import BodyTree, Limb
from andante.robots.bare.shapes import sole
from andante.spatial.polygons import area

_MOST = 1.2
"""Largest turn of an ankle that is looked at [rad]."""
_STEP = 0.01
"""Between two turns that are looked at [rad]."""
_ALIKE = 0.98
"""Turns with this share of the largest sole are as good; the middle of them is taken."""
_PITCHES = 0.9
"""Share of an axis across the robot from which on it pitches."""


def level_ankles(tree: BodyTree) -> dict[str, float] | None:
    """Angles of two ankles that put both soles level, by joint [rad]; None where they cannot.

    Args:
        tree: The robot with all joints at zero, two legs lowest.
    """
    limbs = tree.feet
    found: dict[str, float] = {}
    for limb in limbs:
        ankle = _ankle(tree, limb)
        turn = None if ankle is None else _level(tree, limb, ankle)
        if ankle is None or turn is None:
            return None
        found[tree.names([ankle])[0]] = turn
    return found if len(limbs) == 2 else None


def _ankle(tree: BodyTree, limb: Limb) -> int | None:
    """The third joint of a leg that pitches, or the last one where there are more."""
    pitching = [joint for joint in limb.joints if abs(float(tree.data.xaxis[joint, 1])) > _PITCHES]
    return pitching[-1] if len(pitching) > 2 and len(limb.joints) > 3 else None


def _level(tree: BodyTree, limb: Limb, ankle: int) -> float | None:
    """Turn of an ankle at which the sole is largest [rad]."""
    model, data = tree.model, mujoco.MjData(tree.model)
    low, high = (float(end) for end in model.jnt_range[ankle]) if model.jnt_limited[ankle] else (-_MOST, _MOST)
    turns = np.arange(max(low, -_MOST), min(high, _MOST) + 0.5 * _STEP, _STEP)
    sizes = []
    for turn in turns:
        data.qpos[:] = tree.data.qpos
        data.qpos[model.jnt_qposadr[ankle]] = turn
        mujoco.mj_kinematics(model, data)
        flat = sole(model, data, limb.end)
        sizes.append(0.0 if flat is None else float(area(flat[1])))
    if not sizes or max(sizes) <= 0.0:
        return None
    best = turns[np.array(sizes) >= _ALIKE * max(sizes)]
    return float(best[np.argmin(np.abs(best - best.mean()))])
