"""Which robot a file is for that does not name it: told from its joints' names."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from andante.formats.bhuman.names import JOINTS as NAO_JOINTS
from andante.robots.loader import shipped_robots
from andante.robots.robot import Robot

UNKNOWN_ROBOT = "unknown"
"""Robot of a file that does not tell."""
NOT_TOLD = "the file does not name its robot and no robot shipped has its joints; ask for one"
"""Remark on such a file."""


@cache
def joints_of(robot: str) -> frozenset[str]:
    """Joint names of a shipped robot; the NAO's with those of its hands, which files have and its model lacks."""
    names = frozenset(joint.name for joint in Robot.load(robot).joints)
    return names | frozenset(NAO_JOINTS) if robot == "nao" else names


def robot_with(joints: Collection[str]) -> str:
    """The first shipped robot that has all of the joints, the NAO before others; else unknown."""
    if not joints:
        return UNKNOWN_ROBOT
    known = set(joints)
    for robot in ("nao", *(name for name in shipped_robots() if name != "nao")):
        if robot in shipped_robots() and known <= joints_of(robot):
            return robot
    return UNKNOWN_ROBOT
