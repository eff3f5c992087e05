"""Where a robot's IMU sits."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.robots.robot import Robot
from andante.spatial import rotations

Array = NDArray[np.float64]


def imu_mount(robot: Robot) -> tuple[Array, Array]:
    """Place (3,) [m] and orientation (4,) wxyz of the IMU in the base's frame."""
    data = mujoco.MjData(robot.model)
    mujoco.mj_kinematics(robot.model, data)
    base, site = data.body(robot.base_body), data.site(robot.imu_site)
    turn = np.empty(4)
    mujoco.mju_mat2Quat(turn, site.xmat)
    place = np.array(base.xmat).reshape(3, 3).T @ (np.array(site.xpos) - base.xpos)
    return place, rotations.normalise(rotations.multiply(rotations.conjugate(np.array(base.xquat)), turn))
