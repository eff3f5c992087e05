"""Chains that a file closes, such as the rods of an ankle: how far a posture leaves them open."""

from __future__ import annotations

import mujoco
import numpy as np

from andante.robots.records import Vector

_EQ = mujoco.mjtEq
_SITE = mujoco.mjtObj.mjOBJ_SITE


def closing_ties(model: mujoco.MjModel) -> list[int]:
    """Ties that connect two points of a robot, or keep them at a distance, as numbers of equalities."""
    return [
        tie
        for tie in range(model.neq)
        if model.eq_active0[tie]
        and (
            model.eq_type[tie] == _EQ.mjEQ_CONNECT
            or (model.eq_type[tie] == _EQ.mjEQ_TENDON and model.eq_obj2id[tie] < 0)
        )
    ]


def gaps(model: mujoco.MjModel, data: mujoco.MjData, closing: list[int]) -> Vector:
    """How far ties are open, three numbers of two points and one of a length, (n,) [m].

    Args:
        model: The robot.
        data: Its posture, with kinematics and places of centres of mass.
        closing: As of `closing_ties`.
    """
    mujoco.mj_tendon(model, data)
    found: list[Vector] = []
    for tie in closing:
        one, other = int(model.eq_obj1id[tie]), int(model.eq_obj2id[tie])
        own = np.array(model.eq_data[tie])
        if model.eq_type[tie] == _EQ.mjEQ_TENDON:
            found.append(np.array([data.ten_length[one] - model.tendon_length0[one] - own[0]]))
        elif model.eq_objtype[tie] == _SITE:
            found.append(np.array(data.site_xpos[one] - data.site_xpos[other]))
        else:
            ends = zip((one, other), (own[:3], own[3:6]), strict=True)
            first, second = (data.xpos[body] + data.xmat[body].reshape(3, 3) @ place for body, place in ends)
            found.append(np.asarray(first - second))
    return np.concatenate(found) if found else np.zeros(0)
