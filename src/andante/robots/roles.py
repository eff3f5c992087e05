"""Joints by their role in a humanoid, whatever a manufacturer calls them."""

from __future__ import annotations

from andante.robots.robot import Robot
from andante.robots.spelling import canonical_name


def joint_with_role(robot: Robot, role: str) -> int | None:
    """Index of the joint whose canonical name, or that of an alias, equals that of ``role``; None without one."""
    wanted = canonical_name(role)
    names = [*((name, name) for name in robot.joint_names), *robot.aliases.items()]
    found = next((name for known, name in names if canonical_name(known) == wanted), None)
    return None if found is None else robot.index(found)
