"""What a library's entries need of a robot beyond names: joints of a role, feet, pressure cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from andante.motions.capture_point import CapturePointBalance
from andante.motions.conditions import Variable
from andante.motions.library import MotionLibrary, condition_groups
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role

_JOINTS: Mapping[Variable, tuple[str, ...]] = {
    Variable.LEFT_SHOULDER_PITCH: ("left_shoulder_pitch",),
    Variable.RIGHT_SHOULDER_PITCH: ("right_shoulder_pitch",),
    Variable.LEFT_SHOULDER_ROLL: ("left_shoulder_roll",),
    Variable.RIGHT_SHOULDER_ROLL: ("right_shoulder_roll",),
    Variable.KNEE_FLEXION: ("left_knee_pitch", "right_knee_pitch"),
    Variable.HIP_YAW_PITCH_ERROR: ("left_hip_yaw_pitch",),
    Variable.LEFT_WRIST_Y: ("left_wrist_yaw",),
    Variable.RIGHT_WRIST_Y: ("right_wrist_yaw",),
    Variable.LYING_ON_ARMS_FRONT: (
        "left_shoulder_pitch",
        "right_shoulder_pitch",
        "left_wrist_yaw",
        "right_wrist_yaw",
    ),
}
_CAPTURE_POINT = frozenset({Variable.CAPTURE_POINT_X, Variable.CAPTURE_POINT_Y})
_TWO_FEET = _CAPTURE_POINT | {Variable.FOOT_SUPPORT, Variable.COM_OUTSIDE_SUPPORT_X}
_HIP_PITCHES = ("left_hip_pitch", "right_hip_pitch")


@dataclass(frozen=True)
class Lack:
    """Something that a robot has not got."""

    what: str
    """One sentence that names the robot."""
    needs: str = ""
    """The joints that are missing, where it is joints."""


def lack_for(variable: Variable, robot: Robot) -> Lack | None:
    """What the robot lacks for a condition's variable; None where it can be computed."""
    joints = _lacking(robot, _JOINTS.get(variable, ()), "has no joint for this condition's variable")
    if joints is not None:
        return joints
    if variable in _TWO_FEET and len(robot.feet) < 2:
        return Lack(f"robot {robot.name!r} has fewer than two feet")
    if variable is Variable.FOOT_SUPPORT and not all(foot.cells for foot in robot.feet[:2]):
        return Lack(f"robot {robot.name!r} has feet without pressure cells")
    if variable is Variable.COM_HEIGHT and not robot.feet:
        return Lack(f"robot {robot.name!r} has no foot")
    return None


def lack_for_hip_difference(robot: Robot) -> Lack | None:
    """What the robot lacks for compensation of the hip pitch difference."""
    return _lacking(robot, _HIP_PITCHES, "has no hip pitch on both sides")


def lack_for_balance(robot: Robot) -> Lack | None:
    """What the robot lacks for balancing."""
    return Lack(f"robot {robot.name!r} has fewer than two feet to balance on") if len(robot.feet) < 2 else None


def lack_for_capture_point(balance: CapturePointBalance, robot: Robot) -> Lack | None:
    """What the robot lacks for balancing by the capture point: feet, or joints of a gain that is not 0."""
    roles = [f"{side}_{role}" for role, gain in balance.gains.items() if gain for side in ("left", "right")]
    return lack_for_balance(robot) or _lacking(robot, roles, "lacks joints that the capture point is to move")


def uses_capture_point(library: MotionLibrary) -> bool:
    """Whether a block balances by the capture point, or a condition looks at it."""
    if any(block.capture_point is not None for block in library.blocks.values()):
        return True
    groups = (conditions for _, conditions, _ in condition_groups(library))
    return any(condition.variable in _CAPTURE_POINT for conditions in groups for condition in conditions)


def _lacking(robot: Robot, roles: Iterable[str], what: str) -> Lack | None:
    """That the robot lacks joints for some of the roles; None where it has all."""
    missing = [role for role in roles if joint_with_role(robot, role) is None]
    return Lack(f"robot {robot.name!r} {what}", f"needs {', '.join(missing)}") if missing else None
