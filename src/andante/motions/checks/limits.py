"""Joint limits of targets, and joints that one motor moves."""

from __future__ import annotations

import math
from collections.abc import Iterator

from andante.motions.checks.context import Context
from andante.motions.findings import Finding

LIMITS = "joint-limit"
COUPLING = "coupling"


def check_limits(context: Context) -> Iterator[Finding]:
    """Targets beyond a joint's limits: a warning, since asking for more than can be reached is a way to push."""
    robot = context.robot
    for place, keyframe in context.keyframes():
        for name, value in keyframe.joints.items():
            index = robot.joint_index.get(name)
            if index is None or isinstance(value, str):
                continue
            joint = robot.joints[index]
            bound = joint.lower if value < joint.lower else joint.upper
            excess = max(joint.lower - value, value - joint.upper)
            if excess > context.settings.angle_tolerance:
                yield Finding(
                    LIMITS,
                    "warning",
                    f"{place}.joints.{name}",
                    f"target {math.degrees(value):.2f} deg is {math.degrees(excess):.2f} deg beyond the joint's limit"
                    f" of {math.degrees(bound):.2f} deg",
                    joint=name,
                    value=value,
                    limit=bound,
                )


def check_couplings(context: Context) -> Iterator[Finding]:
    """Different targets for two joints that one motor moves."""
    coupled = [(joint.name, joint.follows) for joint in context.robot.joints if joint.follows is not None]
    for place, keyframe in context.keyframes():
        for follower, leader in coupled:
            if follower not in keyframe.joints or leader not in keyframe.joints:
                continue
            mine, other = keyframe.joints[follower], keyframe.joints[leader]
            if isinstance(mine, str) or isinstance(other, str):
                differ = mine != other
            else:
                differ = abs(mine - other) > context.settings.angle_tolerance
            if differ:
                yield Finding(
                    COUPLING,
                    "warning",
                    f"{place}.joints.{follower}",
                    f"one motor moves {leader} and {follower}, but their targets differ"
                    f" ({_shown(other)} and {_shown(mine)}); {leader} decides",
                    joint=follower,
                    value=mine,
                    limit=other,
                )


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{math.degrees(value):.2f} deg"
