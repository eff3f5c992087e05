"""Joints by their role in a humanoid, whatever a manufacturer calls them."""

from __future__ import annotations

from andante.robots.robot import Robot
from andante.robots.spelling import canonical_name


def joint_with_role(robot: Robot, role: str) -> int | None:
    """Index of the joint whose canonical name, or that of an alias, equals that of ``role``; None without one."""
    wanted = canonical_name(role)
    for index, name in enumerate(robot.joint_names):
        if canonical_name(name) == wanted:
            return index
    for alias, name in robot.aliases.items():
        if canonical_name(alias) == wanted:
            return robot.index(name)
    return None
