"""A digest of the robot of a run, so that a log tells when the robot's file has changed since."""

from __future__ import annotations

import hashlib

import numpy as np

from andante.robots.robot import Robot

ROBOT_TABLE = "robot"
"""Table of a log's metadata in which it stands, as ``digest``; logs of earlier versions have none."""


def robot_digest(robot: Robot) -> str:
    """SHA-256 of what a robot is: model and its meshes, joints, servos, feet, groups, couplings, postures."""
    made = hashlib.sha256(robot.mjcf.encode())
    for name in sorted(robot.assets):
        made.update(name.encode())
        made.update(hashlib.sha256(robot.assets[name]).digest())
    rest = (robot.joints, robot.servos, robot.base_body, robot.imu_site, robot.feet, robot.buttons, robot.couplings)
    sorted_parts = [sorted((str(key), repr(value)) for key, value in each.items()) for each in (robot.groups,)]
    postures = [(name, sorted(angles.items())) for name, angles in sorted(robot.postures.items())]
    # Sets come in another order in each process.
    mirror = robot.mirror.pairs, sorted(robot.mirror.negate)
    with np.printoptions(threshold=10_000_000, precision=17):
        made.update(repr((rest, sorted_parts, postures, mirror, robot.tick, robot.delay_ticks)).encode())
    return made.hexdigest()
