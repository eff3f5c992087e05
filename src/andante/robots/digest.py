"""A digest of a robot: whether it is the one that a motion was judged on, or a log recorded."""

from __future__ import annotations

import hashlib

from andante.robots.robot import Robot


def robot_digest(robot: Robot) -> str:
    """Digest of what a robot's physics is made from: its model, meshes, joints, servos and times."""
    total = hashlib.sha256(robot.mjcf.encode())
    for name, data in sorted(robot.assets.items()):
        total.update(name.encode() + b"\0" + data)
    total.update(repr((robot.joints, robot.servos, robot.tick, robot.delay_ticks)).encode())
    return total.hexdigest()
