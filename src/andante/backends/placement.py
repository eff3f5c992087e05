"""Places the robot at its start: joint angles, base pose, soles on the floor."""

from __future__ import annotations

import mujoco
import numpy as np

from andante.backends.backend import BackendError
from andante.backends.model_builder import ModelIndex
from andante.backends.world import Start, WorldConfig
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.rotations import from_rpy

_ABOVE = 10.0
_FAR = 1000.0


def start_angles(robot: Robot, start: Start, rng: np.random.Generator) -> Vector:
    """Joint angles at the start, (nj,) [rad].

    Raises:
        BackendError: The posture lies outside the joint limits.
        RobotError: Unknown posture or joint.
    """
    if isinstance(start.posture, dict):
        angles = np.zeros(len(robot.joints))
        for name, angle in start.posture.items():
            angles[robot.index(name)] = angle
    elif start.posture is not None:
        angles = robot.posture(start.posture)
    else:
        angles = robot.posture("stand") if "stand" in robot.postures else np.clip(0.0, robot.lower, robot.upper)
    outside = (angles < robot.lower - 1e-9) | (angles > robot.upper + 1e-9)
    if outside.any():
        i = int(np.argmax(outside))
        raise BackendError(
            "the start posture is outside the joint's limits",
            place=robot.joint_names[i],
            value=float(angles[i]),
            limit=f"{robot.lower[i]:g} to {robot.upper[i]:g} rad",
        )
    if start.posture_noise > 0.0:
        angles = angles + rng.uniform(-start.posture_noise, start.posture_noise, len(angles))
        angles = np.clip(angles, robot.lower, robot.upper)
        for i, joint in enumerate(robot.joints):
            if joint.follows is not None:
                angles[i] = angles[robot.index(joint.follows)]
    return angles


def place(
    robot: Robot, config: WorldConfig, model: mujoco.MjModel, data: mujoco.MjData, index: ModelIndex, angles: Vector
) -> None:
    """Write joint angles and base pose into ``data.qpos`` (for a fixed base into the model's body pose).

    Raises:
        BackendError: Nothing of the robot can touch the floor and no height is given.
    """
    start = config.start
    data.qpos[index.qpos] = angles
    height = start.height
    _set_base(config, model, data, index, _ABOVE if height is None else height)
    if height is None and (config.fixed_base or _free_address(model, index) is not None):
        mujoco.mj_kinematics(model, data)
        distance = _distance_to_floor(model, data, index)
        if distance >= _FAR:
            raise BackendError("nothing of the robot can touch the floor", remedy="give start.height")
        _set_base(config, model, data, index, _ABOVE - distance + start.clearance)


def _set_base(
    config: WorldConfig, model: mujoco.MjModel, data: mujoco.MjData, index: ModelIndex, height: float
) -> None:
    start = config.start
    position = (start.x, start.y, height)
    quaternion = from_rpy((start.roll, start.pitch, start.yaw))
    free = _free_address(model, index)
    if free is not None:
        data.qpos[free : free + 3] = position
        data.qpos[free + 3 : free + 7] = quaternion
    elif config.fixed_base:
        model.body_pos[index.base] = position
        model.body_quat[index.base] = quaternion


def _free_address(model: mujoco.MjModel, index: ModelIndex) -> int | None:
    joint = int(model.body_jntadr[index.base])
    if joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
        return int(model.jnt_qposadr[joint])
    return None


def _distance_to_floor(model: mujoco.MjModel, data: mujoco.MjData, index: ModelIndex) -> float:
    collides = (model.geom_contype | model.geom_conaffinity) != 0
    # What else stands in the world (a ball) does not carry the robot.
    own = model.body_rootid[model.geom_bodyid] == model.body_rootid[index.base]
    geoms = np.flatnonzero(collides & own)
    return min((mujoco.mj_geomDistance(model, data, index.floor, int(g), _FAR, None) for g in geoms), default=_FAR)
