"""Places the robot at its start: joint angles, base pose, its lowest point on the floor."""

from __future__ import annotations

import math
from fnmatch import fnmatchcase

import mujoco
import numpy as np

from andante.backends.backend import BackendError
from andante.backends.floor import FloorVariation
from andante.backends.incline import Incline
from andante.backends.model_builder import ModelIndex
from andante.backends.world import Lying, Start, WorldConfig
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.rotations import exp, from_matrix, from_rpy, multiply

_ABOVE = 10.0
_FAR = 1000.0
_LYING = {
    "prone": (0.0, math.pi / 2, 0.0),
    "supine": (0.0, -math.pi / 2, 0.0),
    "left": (-math.pi / 2, 0.0, 0.0),
    "right": (math.pi / 2, 0.0, 0.0),
}
_DOWN: dict[Lying, tuple[int, float]] = {"prone": (0, 1.0), "supine": (0, -1.0), "left": (1, 1.0), "right": (1, -1.0)}
"""Axis of the base that points down, and its sign."""
_MOST_DRAWS = 200
_MOST_OVERLAP = 0.003
"""How deep shapes of the robot may be inside each other where noise puts them; deeper ones would lock for good [m]."""
_LYING_NOISE = {"arm": math.radians(30.0), "leg": math.radians(15.0)}


def start_angles(robot: Robot, start: Start, rng: np.random.Generator) -> Vector:
    """Joint angles at the start, (nj,) [rad].

    Raises:
        BackendError: The posture lies outside the joint limits, or noise is given for a joint that does not exist.
        RobotError: Unknown posture or joint.
    """
    if isinstance(start.posture, dict):
        angles: Vector = np.clip(0.0, robot.lower, robot.upper)
        for name, angle in start.posture.items():
            angles[robot.index(name)] = angle
    else:
        usual = ("side", "stand") if start.lying in ("left", "right") else ("stand",)
        found = start.posture or next((each for each in usual if each in robot.postures), None)
        angles = robot.posture(found) if found else np.clip(0.0, robot.lower, robot.upper)
    outside = (angles < robot.lower - 1e-9) | (angles > robot.upper + 1e-9)
    if outside.any():
        i = int(np.argmax(outside))
        raise BackendError(
            "the start posture is outside the joint's limits",
            place=robot.joint_names[i],
            value=float(angles[i]),
            limit=f"{robot.lower[i]:g} to {robot.upper[i]:g} rad",
        )
    noise = posture_noise(robot, start)
    if noise.any():
        angles = np.clip(angles + noise * rng.uniform(-1.0, 1.0, len(angles)), robot.lower, robot.upper)
        angles = angles[robot.leaders]
    return angles


def untangled_angles(
    robot: Robot, start: Start, model: mujoco.MjModel, data: mujoco.MjData, index: ModelIndex, rng: np.random.Generator
) -> Vector:
    """`start_angles`, drawn anew while noise puts parts of the robot into each other.

    Raises:
        BackendError: As `start_angles`, or parts of the robot are inside each other in every draw.
    """
    noisy = posture_noise(robot, start).any()
    for _ in range(_MOST_DRAWS):
        angles = start_angles(robot, start, rng)
        data.qpos[index.qpos] = angles
        if not noisy or overlap(model, data) <= _MOST_OVERLAP:
            return angles
    raise BackendError(
        f"parts of the robot are inside each other in {_MOST_DRAWS} drawn start postures",
        place="start.posture_noise",
        limit=f"{_MOST_OVERLAP:g} m",
        remedy="give another start.posture or less noise",
    )


def posture_noise(robot: Robot, start: Start) -> Vector:
    """Half width of the noise on each joint's start angle, (nj,) [rad].

    Raises:
        BackendError: A name fits no joint and no group.
    """
    noise = np.zeros(len(robot.joints))
    wanted = start.posture_noise
    if wanted is None:
        wanted = {g: a for part, a in _LYING_NOISE.items() for g in robot.groups if part in g} if start.lying else 0.0
    if not isinstance(wanted, dict):
        return noise + wanted * start.noise_scale
    for name, angle in wanted.items():
        joints = robot.groups.get(name) or [joint for joint in robot.joint_names if fnmatchcase(joint, name)]
        if not joints:
            legal = (*robot.groups, *robot.joint_names)
            raise BackendError("posture noise for something that the robot does not have", value=name, legal=legal)
        noise[[robot.index(joint) for joint in joints]] = angle
    return noise * start.noise_scale


def start_orientation(start: Start, floor: Vector, rng: np.random.Generator) -> Vector:
    """Orientation of the base, (4,) wxyz, on a floor of rotation ``floor``, (3, 3); two draws from ``rng``."""
    across, along = rng.uniform(-1.0, 1.0, 2) * start.noise_scale
    turn = from_rpy((start.roll, start.pitch, start.yaw))
    if start.lying is not None:
        turn = multiply(turn, from_rpy(_LYING[start.lying]))
    settle = start.settling
    if settle is not None:
        # Seen from the lying robot: about its long axis and about its level cross axis.
        upright = start.lying is None
        level = (1.0, 0.0, 0.0) if start.lying in ("left", "right") else (0.0, 1.0, 0.0)
        long = (1.0, 0.0, 0.0) if upright else (0.0, 0.0, 1.0)
        turn = multiply(turn, exp(np.multiply(level, across * settle.pitch_noise)))
        turn = multiply(turn, exp(np.multiply(long, along * settle.roll_noise)))
    return multiply(from_matrix(floor), turn)


def overlap(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """How deep the shapes of one body tree are inside each other at ``data.qpos`` [m]; other contacts do not count."""
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    contact = data.contact
    root = model.body_rootid[model.geom_bodyid[contact.geom]]
    own = (root[:, 0] == root[:, 1]) & (root[:, 0] != 0)
    return float(max(-contact.dist[own].min(initial=0.0), 0.0))


def lies(lying: Lying, base: Vector, normal: Vector) -> bool:
    """Whether a robot lies as asked, within 60 degrees.

    Args:
        lying: What was asked for.
        base: Rotation of its base, (3, 3).
        normal: The floor's normal, (3,).
    """
    axis, sign = _DOWN[lying]
    return float(base[:, axis] @ normal) * sign < -0.5


def incline_below(
    robot: Robot,
    config: WorldConfig,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    index: ModelIndex,
    floor: FloorVariation,
) -> Incline | None:
    """Inclined ground below a robot that nobody gave a height; None: it stands as it was told.

    Writes into ``data.qpos``.
    """
    start = config.start
    if config.terrain is None or index.free is None or start.height is not None:
        return None
    still = start.model_copy(update={"noise_scale": 0.0})
    rng = np.random.default_rng(0)
    data.qpos[index.qpos] = start_angles(robot, still, rng)
    orientation = start_orientation(still, floor.rotation, rng)
    data.qpos[index.free : index.free + 7] = (start.x, start.y, 0.0, *orientation)
    mujoco.mj_kinematics(model, data)
    return floor.incline(start.x, start.y, _reach(model, data, index, start))


def _reach(model: mujoco.MjModel, data: mujoco.MjData, index: ModelIndex, start: Start) -> float:
    """How far the robot's bodies are from its start along x and y [m]."""
    own = model.body_rootid == model.body_rootid[index.base]
    return float(np.abs(data.xpos[own, :2] - (start.x, start.y)).max())


def place(
    config: WorldConfig,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    index: ModelIndex,
    floor: FloorVariation,
    angles: Vector,
    orientation: Vector,
    incline: Incline | None = None,
) -> None:
    """Write joint angles and base pose into ``data.qpos`` (for a fixed base into the model's body pose).

    Without a height the lowest point of the robot touches the floor, the ``incline``, or stands over all of a terrain
    that is near it.

    Raises:
        BackendError: Nothing of the robot can touch the floor and no height is given.
    """
    start = config.start
    data.qpos[index.qpos] = angles
    below = floor.height(start.x, start.y)

    def set_base(height: float) -> None:
        position = (start.x, start.y, height)
        if index.free is not None:
            data.qpos[index.free : index.free + 7] = (*position, *orientation)
        elif config.fixed_base:
            model.body_pos[index.base], model.body_quat[index.base] = position, orientation

    set_base(below + (_ABOVE if start.height is None else start.height))
    if start.height is None and (config.fixed_base or index.free is not None):
        mujoco.mj_kinematics(model, data)
        if incline is not None:
            data.geom_xpos[index.floor] = (start.x, start.y, incline.height)
            data.geom_xmat[index.floor] = incline.rotation.ravel()
        distance = _distance_to_floor(model, data, index)
        if distance >= _FAR:
            raise BackendError("nothing of the robot can touch the floor", remedy="give start.height")
        if incline is not None:
            upright = float(incline.rotation[2, 2])
            set_base(below + _ABOVE + incline.above - (distance - start.clearance) / upright)
            return
        distance -= floor.clearance(start.x, start.y, _reach(model, data, index, start))
        set_base(below + _ABOVE - (distance - start.clearance) / float(floor.normal[2]))


def _distance_to_floor(model: mujoco.MjModel, data: mujoco.MjData, index: ModelIndex) -> float:
    collides = (model.geom_contype | model.geom_conaffinity) != 0
    # What else stands in the world (a ball) does not carry the robot.
    own = model.body_rootid[model.geom_bodyid] == model.body_rootid[index.base]
    geoms = np.flatnonzero(collides & own)
    return min((mujoco.mj_geomDistance(model, data, index.floor, int(g), _FAR, None) for g in geoms), default=_FAR)
