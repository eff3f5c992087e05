"""A robot of twelve joints made ready for control by torque: its cycle, its drives, a stand and a way to sit.

What a file does not say of its motors is assumed, and the robot's sources say so: all motors of a robot are of one kind
behind different gears, so that torque times speed is the same at every joint; the joint with the fastest gear turns at
six times sqrt(g / leg length), which is 28 rad/s for Go2 (published: 30.1 rad/s at the hip, 15.7 at the knee).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.planning.quadruped.body import STANDING, QuadrupedBody
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY

TICK, DELAY_TICKS = 0.002, 1
"""Period of commands [s] and ticks until they act."""
HIP_SPEED = 6.0
"""Assumed speed limit of the joint with the fastest gear, times sqrt(g / leg length)."""
CORNER, NO_LOAD = 0.9, 1.1
"""Full torque up to the one share of a joint's speed limit, none from the other on."""
SITTING = 0.35
"""Height of the hips over the feet in sitting, as a share of the stretched leg."""
READY, SIT = "ready", "sit"
"""Postures that such a robot has."""


def torque_driven(robot: Robot, standing: float = STANDING) -> Robot:
    """The robot with a motion cycle of 500 Hz and the drives that control by torque needs.

    Args:
        robot: A robot of twelve joints on four legs.
        standing: Height of the hips in standing as a share of the stretched leg.

    Raises:
        QuadrupedError: It is no such robot.
    """
    body = QuadrupedBody.of(robot, standing)
    sitting = QuadrupedBody.of(robot, SITTING)
    speeds = robot.max_velocity.copy()
    sources = dict(robot.sources)
    if sources.get("speeds", "").startswith("assumption"):
        fastest = HIP_SPEED * math.sqrt(GRAVITY / body.legs.leg_length)
        speeds = fastest * robot.max_effort.min() / robot.max_effort
        sources["speeds"] = (
            f"assumption: motors of one kind, so that torque times speed is the same everywhere; {fastest:.3g} rad/s at"
            " the fastest joint, 6 sqrt(g / leg length)"
        )
    joints, servos = [], []
    for joint, servo, speed in zip(robot.joints, robot.servos, speeds, strict=True):
        joints.append(replace(joint, max_velocity=float(speed), max_acceleration=float(speed) / TICK))
        curve = servo.torque_speed or (CORNER * float(speed), NO_LOAD * float(speed))
        servos.append(replace(servo, max_velocity=math.inf, torque_speed=curve, stiffness_limits_torque=False))
    sources["drives"] = f"torque-controlled at {1.0 / TICK:.0f} Hz, {DELAY_TICKS} tick of delay"
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
        delay_ticks=max(robot.delay_ticks, DELAY_TICKS),
        sources=sources,
    )
