"""What the library asks of the robot that it cannot do: unknown sensors, missing feet, limb poses out of reach."""

from __future__ import annotations

from collections.abc import Iterator

from andante.motions.checks.context import CheckContext
from andante.motions.checks.contradictions import all_conditions
from andante.motions.errors import MotionError
from andante.motions.findings import Finding
from andante.motions.keyframe import angles_of
from andante.motions.needs import (
    Lack,
    lack_for,
    lack_for_balance,
    lack_for_capture_point,
    lack_for_hip_difference,
)
from andante.motions.sampling import BlockAngles

NEEDS = "robot-lacks"
LIMBS = "limb-pose"


def check_needs(context: CheckContext) -> Iterator[Finding]:
    """Conditions, compensation and balance that the robot has no joints or sensors for."""
    for lack, place, value in _lacks(context):
        if lack is not None:
            message = f"{lack.what}; {lack.needs}" if lack.needs else lack.what
            yield Finding(NEEDS, "error", place, message, value=value, limit=lack.needs or None)


def _lacks(context: CheckContext) -> Iterator[tuple[Lack | None, str, str | None]]:
    """What each entry that needs something finds lacking, its place, and its value where it has one."""
    robot = context.robot
    for place, condition in all_conditions(context):
        yield lack_for(condition.variable, robot), f"{place}.variable", condition.variable.value
    for name, block in context.library.blocks.items():
        if block.capture_point is not None:
            yield lack_for_capture_point(block.capture_point, robot), f"blocks.{name}.capture_point", None
    for place, keyframe in context.keyframes():
        for index, rule in enumerate(keyframe.compensation):
            if rule.hip_pitch_difference:
                yield lack_for_hip_difference(robot), f"{place}.compensation[{index}].hip_pitch_difference", None
        if keyframe.balance_pitch or keyframe.balance_roll:
            field = "balance_pitch" if keyframe.balance_pitch else "balance_roll"
            yield lack_for_balance(robot), f"{place}.{field}", None


def check_limbs(context: CheckContext) -> Iterator[Finding]:
    """Limb poses that no joint angles within the limits reach."""
    robot = context.robot
    asked = BlockAngles(robot)
    for name, block in context.library.blocks.items():
        asked.begin()
        for index, keyframe in enumerate(block.keyframes):
            told = {joint: angle for joint, angle in angles_of(keyframe).items() if joint in robot.joint_index}
            angles = {robot.joint_index[joint]: angle for joint, angle in told.items()}
            try:
                asked.of(keyframe, angles, f"blocks.{name}.keyframes[{index}]")
            except MotionError as error:
                value = None if error.value is None else str(error.value)
                limit = error.limit or None
                message = "; ".join(part for part in (error.what, limit and f"limit: {limit}", error.remedy) if part)
                joint = value if value in robot.joint_index else None
                yield Finding(LIMBS, "error", error.place, message, joint=joint, value=value, limit=limit)
