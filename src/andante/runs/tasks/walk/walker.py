"""A robot from a bare file, made ready to walk: servos, limits, ball feet and a stand, by mass and leg length.

A file tells where joints are, what they weigh and how far they turn; how strong and stiff its servos are it tells
wrongly or not at all. What is missing is taken from LittleDog at the same size: torques grow with weight times
leg length, times with the root of the leg length. The robot's sources say so.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.robots.ball_feet import on_balls
from andante.robots.parts import RobotError, Servo
from andante.robots.register import MODEL_SUFFIXES
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY

TORQUE, STIFFNESS, FRICTION = 0.5, 3.17, 0.002
"""Torque limit, position gain per radian and dry friction, over weight times leg length."""
SPEED = 12.0
"""Largest declared speed of a joint, at LittleDog's size [rad/s]."""
DAMPING_TIME, DRAG_TIME = 0.029, 0.002
"""Velocity gain over position gain, and viscous friction over weight times leg length, at LittleDog's size [s]."""
INERTIA = 0.005
"""Rotor inertia over mass times leg length squared."""
TICK, DELAY_TICKS = 0.01, 1
"""Period of commands [s] and ticks until they act."""
CROUCH = 0.77
"""Height of the hips over the feet in standing, as a share of upper plus lower link."""


def is_bare(robot: Robot) -> bool:
    """Whether a robot comes from a MJCF, URDF or SDF file without a pack."""
    return robot.path is not None and robot.path.suffix.lower() in MODEL_SUFFIXES


def as_walker(robot: Robot) -> Robot:
    """The robot with the limits and servos that are declared for walking.

    Args:
        robot: A robot on three-joint legs; what its file says of torque and speed holds where it asks for less.

    Raises:
        RobotError: It has no feet.
        AndanteError: Its legs do not roll, pitch and bend.
    """
    if not robot.feet:
        raise RobotError(f"has no feet to walk on: {robot.doubts.get('feet', 'none were found')}", place=robot.name)
    robot = on_balls(robot)
    body = LeggedBody.of(robot)
    length, mass = body.leg_length, body.table.total_mass
    moment, time = mass * GRAVITY * length, math.sqrt(length / REFERENCE_LEG)
    torque, speed = TORQUE * moment, SPEED / time
    kp = STIFFNESS * moment
    joints, servos = [], []
    for joint, servo in zip(robot.joints, robot.servos, strict=True):
        most, fastest = min(joint.max_effort, torque), min(joint.max_velocity, speed)
        joints.append(replace(joint, max_effort=most, max_velocity=fastest, max_acceleration=2.0 * fastest / TICK))
        servos.append(
            Servo(
                kp=kp,
                kd=kp * DAMPING_TIME * time,
                max_torque=most,
                max_velocity=fastest,
                damping=servo.damping or DRAG_TIME * time * moment,
                friction=servo.friction or FRICTION * moment,
                armature=INERTIA * mass * length**2 if "rotors" in robot.sources else servo.armature,
                stiffness_limits_torque=False,
            )
        )
    text = (
        f"declared for walking by mass {mass:.4g} kg and leg length {length:.4g} m: torque up to {torque:.3g} N m,"
        f" speed up to {speed:.3g} rad/s, gain {kp:.4g} N m/rad, {1.0 / TICK:.0f} Hz, delay {DELAY_TICKS} tick"
    )
    return replace(
        robot,
        joints=tuple(joints),
        servos=tuple(servos),
        postures={**robot.postures, "stand": _stand(body)},
        tick=TICK,
        delay_ticks=DELAY_TICKS,
        sources={**robot.sources, "servos": text, "speeds": text, "efforts": text},
    )


def _stand(body: LeggedBody) -> dict[str, float]:
    """Feet straight below the hips, legs bent."""
    angles = []
    for leg in body.legs:
        x, y, z = leg.hip
        angles.append(leg.solve_on_branch((x + leg.offset[0], y + leg.lateral, z - CROUCH * sum(leg.lengths))))
    joints = body.joints(np.array(angles))
    return dict(zip(body.robot.joint_names, joints.tolist(), strict=True))
