"""A robot of twelve joints made ready for control by torque: its cycle, its drives, a stand and a way to sit.

Limits of torque, speed and torque at speed are the model's, or what was assumed where it says nothing; the robot's
sources say which.
"""

from __future__ import annotations

import math
from dataclasses import replace

import mujoco
import numpy as np

from andante.planning.quadruped.body import STANDING, QuadrupedBody
from andante.robots.ball_feet import all_balls, on_balls
from andante.robots.robot import Robot
from andante.runs.tasks.walk.walker import is_bare

TICK, DELAY_TICKS = 0.002, 1
"""Period of commands [s] and ticks until they act."""
SITTING = 0.35
"""Height of the hips over the feet in sitting, as a share of the stretched leg."""
READY, SIT = "ready", "sit"
"""Postures that such a robot has."""
ASSUMED = (
    *("base", "held", "size", "masses", "inertias", "shapes", "feet", "imu", "position limits", "wide limits"),
    *("placeholders of efforts", "efforts", "weak legs", "placeholders of speeds", "speeds", "torque-speed limits"),
    *("joint friction", "rotors", "servos", "control"),
)
"""Topics of a bare robot's sources of which a run by torque depends on a guess or an assumption."""


def torque_driven(robot: Robot, standing: float = STANDING) -> Robot:
    """The robot with a motion cycle of 500 Hz and the drives that control by torque needs, and no motion capture.

    Args:
        robot: A robot of twelve joints on four legs.
        standing: Height of the hips in standing as a share of the stretched leg.

    Raises:
        QuadrupedError: It is no such robot.
    """
    if is_bare(robot) and (not all_balls(robot) or _touches_itself(robot, standing)):
        robot = on_balls(robot)
    body = QuadrupedBody.of(robot, standing)
    sitting = QuadrupedBody.of(robot, SITTING)
    sources = dict(robot.sources)
    sources["control"] = (
        f"assumption: torques at {1.0 / TICK:.0f} Hz, delay {max(robot.delay_ticks, DELAY_TICKS)} tick; gains of the"
        " servos for standing up and lying down only"
    )
    joints, servos = [], []
    for joint, servo in zip(robot.joints, robot.servos, strict=True):
        # Torque limits bound how fast a joint quickens; its target follows the errors of the foot, and may turn round.
        joints.append(replace(joint, max_acceleration=2.0 * joint.max_velocity / TICK))
        servos.append(replace(servo, max_velocity=math.inf, stiffness_limits_torque=False))
    postures = {name: dict(angles) for name, angles in robot.postures.items()}
    for name, each in ((READY, body), (SIT, sitting)):
        angles = each.legs.joints(each.posture)
        postures[name] = dict(zip(robot.joint_names, np.asarray(angles).tolist(), strict=True))
    return replace(
        robot,
        joints=tuple(joints),
        servos=tuple(servos),
        postures=postures,
        tick=TICK,
        motion_capture=False,
        delay_ticks=max(robot.delay_ticks, DELAY_TICKS),
        sources=sources,
    )


def _touches_itself(robot: Robot, standing: float) -> bool:
    """Whether shapes of the robot lie in each other while it stands, as hulls of neighbouring meshes do."""
    body = QuadrupedBody.of(robot, standing)
    data = mujoco.MjData(robot.model)
    for name, angle in zip(robot.joint_names, body.legs.joints(body.posture), strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_kinematics(robot.model, data)
    mujoco.mj_collision(robot.model, data)
    return bool(data.ncon)
