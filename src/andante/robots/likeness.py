"""What an angle means on two robots: whether joints of one name turn about one axis, and where their zeros are.

Programs call joints of unlike robots alike: a NAO's shoulder roll of 0 holds the arm forward, a Booster's holds it out.
"""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from andante.robots.records import Vector
from andante.robots.robot import Robot

_AXIS = np.cos(np.radians(30.0))
"""Cosine of the angle beyond which two axes are not the same; a change of sign is half a turn."""
_LIMB = np.cos(np.radians(60.0))
"""Cosine of the angle beyond which two limbs hang elsewhere with all joints at 0: shapes differ by less."""
_LEVER = 0.5
"""Share of a lever that has to be across its axis, on both robots, for its direction to tell where 0 is."""


def unlike_joints(theirs: Robot, own: Robot, names: Mapping[str, str]) -> tuple[str, ...]:
    """Joints of a robot at which an angle of another robot means another direction of the limb.

    With all joints at 0 and the bases alike, two joints are unlike that turn about axes more than 30 degrees apart, or
    whose centres of the mass that they move lie, seen along the axis, more than 60 degrees apart.

    Args:
        theirs: The other robot.
        own: The robot.
        names: The robot's joint by the other's joint.

    Returns:
        The robot's joints, in its order.
    """
    there, here = _postures(theirs), _postures(own)
    found = {
        mine for other, mine in names.items() if other in there and mine in here and _unlike(*there[other], *here[mine])
    }
    return tuple(name for name in own.joint_names if name in found)


def _unlike(axis: Vector, lever: Vector, other_axis: Vector, other_lever: Vector) -> bool:
    if axis @ other_axis < _AXIS:
        return True
    across, other_across = lever - axis * (axis @ lever), other_lever - other_axis * (other_axis @ other_lever)
    sizes = np.linalg.norm(across), np.linalg.norm(other_across)
    wide = sizes[0] >= _LEVER * np.linalg.norm(lever) and sizes[1] >= _LEVER * np.linalg.norm(other_lever)
    return bool(wide and min(sizes) > 0.0 and across @ other_across < _LIMB * sizes[0] * sizes[1])


def _postures(robot: Robot) -> dict[str, tuple[Vector, Vector]]:
    """Axis of each joint and the way from it to the centre of what it moves [m], (3,) each, in the base, all at 0."""
    model = robot.model
    data = mujoco.MjData(model)
    for joint in robot.joint_names:
        data.joint(joint).qpos[0] = 0.0
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    base = data.body(robot.base_body).xmat.reshape(3, 3).T
    found = {}
    for name in robot.joint_names:
        joint = model.joint(name).id
        lever = data.subtree_com[model.jnt_bodyid[joint]] - data.xanchor[joint]
        found[name] = base @ data.xaxis[joint], base @ lever
    return found
