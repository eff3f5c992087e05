"""Left and right exchanged: postures, keyframes, blocks, motions and whole libraries.

Mirroring twice gives the original. A rule that looks at a signed quantity (a joint's error, a joint's balancing
correction) is turned with it, so that a mirrored robot with mirrored sensors does the mirror image
(docs/sources/keyframe-engine.md, 2.5, 2.7 and 2.10).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from andante.motions.conditions import Condition, ConditionGroup, Variable
from andante.motions.errors import MotionError, block_of, motion_of
from andante.motions.keyframe import (
    Block,
    JointCompensation,
    JointScale,
    JointTarget,
    Keyframe,
    LimbPose,
)
from andante.motions.library import FollowUp, Motion, MotionLibrary
from andante.motions.parts import TorsoWindow, WindowRange
from andante.motions.settings import BalanceParameters, DirectionLengths, DirectionNumbers
from andante.robots.robot import Robot

C = TypeVar("C", bound=Condition)
G = TypeVar("G", ConditionGroup, FollowUp, ConditionGroup | None)

_RIGHT_OF = {left: Variable(left.replace("left_", "right_")) for left in Variable if left.startswith("left_")}
_OTHER_VARIABLE = _RIGHT_OF | {right: left for left, right in _RIGHT_OF.items()}
_SIGNED_VARIABLES = {
    Variable.TORSO_ROLL,
    Variable.LEFT_SHOULDER_ROLL,
    Variable.RIGHT_SHOULDER_ROLL,
    Variable.LEFT_WRIST_Y,
    Variable.RIGHT_WRIST_Y,
    Variable.FOOT_SUPPORT,
    Variable.CAPTURE_POINT_Y,
}
_TURNED_SIGN = {
    "default": "default",
    "only_positive": "only_negative",
    "only_negative": "only_positive",
    "absolute_positive": "absolute_negative",
    "absolute_negative": "absolute_positive",
}
"""Which sign of a change counts, seen in a mirror."""


def mirror_posture(posture: NDArray[np.float64], robot: Robot) -> NDArray[np.float64]:
    """The mirror image of joint positions, (..., nj) [rad].

    Raises:
        MotionError: The last axis is not of the robot's number of joints.
    """
    if posture.shape[-1:] != (len(robot.joints),):
        raise MotionError(
            "the posture does not fit the robot", value=posture.shape, limit=f"(..., {len(robot.joints)})"
        )
    partners = [robot.index(partner_joint(robot, name)) for name in robot.joint_names]
    signs = np.array([sign_of(robot, name) for name in robot.joint_names])
    return np.asarray(posture[..., partners] * signs)


def partner_joint(robot: Robot, joint: str) -> str:
    """The joint on the other side; a joint without one is its own partner."""
    return _partners(robot.mirror.pairs).get(joint, joint)


@lru_cache(maxsize=16)
def _partners(pairs: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """The joint on the other side, by joint."""
    found: dict[str, str] = {}
    for left, right in pairs:
        found.setdefault(left, right)
        found.setdefault(right, left)
    return found


def partner_group(robot: Robot, group: str) -> str:
    """The joint group on the other side; a group without one is its own partner."""
    joints = robot.groups.get(group)
    if joints is None:
        return group
    mirrored = {partner_joint(robot, joint) for joint in joints}
    return next((name for name, members in robot.groups.items() if set(members) == mirrored), group)


def mirror_keyframe(keyframe: Keyframe, robot: Robot) -> Keyframe:
    """The mirror image of a keyframe; names of blocks and motions in its branches stay."""
    x, y = keyframe.com_goal
    limbs = keyframe.limbs
    return keyframe.but(
        joints=_targets(keyframe.joints, robot),
        limbs=None if limbs is None else {partner_group(robot, limb): _limb(pose) for limb, pose in limbs.items()},
        com_goal=(x, -y),
        compensation=tuple(_compensation(rule, robot) for rule in keyframe.compensation),
        waits=tuple(mirror_condition(wait) for wait in keyframe.waits),
        branches=tuple(
            branch.but(pre=_group(branch.pre), early=_group(branch.early), unused_early=_group(branch.unused_early))
            for branch in keyframe.branches
        ),
        balance_pitch=tuple(_scale(entry, robot, 1.0) for entry in keyframe.balance_pitch),
        balance_roll=tuple(_scale(entry, robot, -1.0) for entry in keyframe.balance_roll),
        stiffness=tuple(change.but(joint=partner_joint(robot, change.joint)) for change in keyframe.stiffness),
        window=_window(keyframe.window),
        window_start=None if keyframe.window_start is None else _window(keyframe.window_start),
    )


def mirror_block(block: Block, robot: Robot) -> Block:
    """The mirror image of a block; names of blocks and motions in its branches stay."""
    return block.but(
        base_stiffness={partner_group(robot, group): value for group, value in block.base_stiffness.items()},
        keyframes=tuple(mirror_keyframe(keyframe, robot) for keyframe in block.keyframes),
    )


def mirror_library(library: MotionLibrary, robot: Robot) -> MotionLibrary:
    """The mirror image of everything in a library, under the same names."""
    return library.but(
        blocks={name: mirror_block(block, robot) for name, block in library.blocks.items()},
        motions={name: _motion(motion) for name, motion in library.motions.items()},
        balance={name: mirror_balance(parameters) for name, parameters in library.balance.items()},
    )


def mirror_motion(
    library: MotionLibrary, robot: Robot, motion: str, into: str, *, suffix: str = "Mirrored"
) -> MotionLibrary:
    """A library with the mirror image of one motion added under the name ``into``.

    The motion's blocks, and those that its branches insert, are added as copies with ``suffix`` behind their names.
    Motions that branches and follow-ups name stay the same ones. Balance parameters are per phase name and are shared,
    so parameters that differ between left and right are refused.

    Raises:
        MotionError: An unknown motion or block, a name that is taken, or unsymmetric balance parameters.
    """
    original = motion_of(library, motion)
    names = _blocks_run(library, motion)
    renamed = {name: f"{name}{suffix}" for name in names}
    if into in library.motions:
        raise MotionError("the library already has a motion of that name", place="motions", value=into)
    for name in renamed.values():
        if name in library.blocks:
            raise MotionError("the library already has a block of that name", place="blocks", value=name)
    phases = {keyframe.phase for name in names for keyframe in library.blocks[name].keyframes if keyframe.balance_roll}
    for phase in sorted(phases & set(library.balance)):
        if mirror_balance(library.balance[phase]) != library.balance[phase]:
            raise MotionError(
                "the balance parameters differ between left and right",
                place=f"balance.{phase}",
                remedy="mirror the whole library instead",
            )
    blocks = {renamed[name]: _renamed_branches(mirror_block(library.blocks[name], robot), renamed) for name in names}
    image = _motion(original).but(blocks=tuple(renamed[name] for name in original.blocks))
    return library.but(blocks={**library.blocks, **blocks}, motions={**library.motions, into: image})


def mirror_condition(condition: C) -> C:
    """The mirror image of a condition."""
    low, high = condition.min, condition.max
    if condition.variable in _SIGNED_VARIABLES:
        low, high = -high, -low
    variable = _OTHER_VARIABLE.get(condition.variable, condition.variable)
    return condition.but(variable=variable, min=low, max=high)


def mirror_balance(parameters: BalanceParameters) -> BalanceParameters:
    """Parameters whose sides (min: right, max: left) have changed places."""

    def swapped(ranges: DirectionNumbers | DirectionLengths, turn: float = 1.0) -> DirectionNumbers | DirectionLengths:
        return ranges.but(roll=ranges.roll.but(min=turn * ranges.roll.max, max=turn * ranges.roll.min))

    return parameters.but(
        max_scaling=swapped(parameters.max_scaling),
        exponent=swapped(parameters.exponent),
        com_range=swapped(parameters.com_range, -1.0),
    )


def sign_of(robot: Robot, joint: str) -> float:
    """Factor of a joint's angle in the mirror image, -1 or 1."""
    return -1.0 if joint in robot.mirror.negate else 1.0


def _targets(joints: Mapping[str, JointTarget], robot: Robot) -> dict[str, JointTarget]:
    return {
        partner_joint(robot, joint): value if isinstance(value, str) else value * sign_of(robot, joint)
        for joint, value in joints.items()
    }


def _limb(pose: LimbPose) -> LimbPose:
    # A mirror image turns polar vectors in y, axial ones (rotations) in x and z.
    position = None if pose.position is None else (pose.position[0], -pose.position[1], pose.position[2])
    rotation = None if pose.rotation is None else (-pose.rotation[0], pose.rotation[1], -pose.rotation[2])
    return LimbPose(position=position, rotation=rotation)


def _compensation(rule: JointCompensation, robot: Robot) -> JointCompensation:
    """The correction is ``share(range, error) * scale * range.max``: where the error turns, range and scale do."""
    turn = -1.0 if rule.hip_pitch_difference else sign_of(robot, rule.joint)
    return rule.but(
        # With the hip pitch difference the joint is a dummy.
        joint=rule.joint if rule.hip_pitch_difference else partner_joint(robot, rule.joint),
        range=rule.range.but(min=turn * rule.range.min, max=turn * rule.range.max),
        targets=tuple(
            entry.but(joint=partner_joint(robot, entry.joint), scale=entry.scale * turn * sign_of(robot, entry.joint))
            for entry in rule.targets
        ),
    )


def _scale(entry: JointScale, robot: Robot, turn: float) -> JointScale:
    """A balancing joint; ``turn`` is the sign of the balancer's output in the mirror image (-1 sideways)."""
    sign = sign_of(robot, entry.joint)
    return entry.but(
        joint=partner_joint(robot, entry.joint),
        scale=entry.scale * turn * sign,
        # The sign rule looks at the joint's own change, output times scale, so it turns where the joint does.
        sign=_TURNED_SIGN[entry.sign] if sign < 0.0 else entry.sign,
    )


def _window(window: TorsoWindow) -> TorsoWindow:
    low, high = window.roll.min, window.roll.max
    roll = WindowRange(min="keep" if high == "keep" else -high, max="keep" if low == "keep" else -low)
    return window.but(roll=roll)


def _group(group: G) -> G:
    """What holds by its conditions, and they mirrored; nothing stays nothing."""
    return group and group.but(conditions=tuple(mirror_condition(entry) for entry in group.conditions))


def _motion(motion: Motion) -> Motion:
    return motion.but(follow_ups=tuple(_group(follow_up) for follow_up in motion.follow_ups))


def _blocks_run(library: MotionLibrary, motion: str) -> list[str]:
    """A motion's blocks and all that their branches insert, each once, in order of appearance."""
    places = dict.fromkeys(library.motions[motion].blocks, f"motions.{motion}.blocks")
    waiting = list(places)
    for name in waiting:
        for index, keyframe in enumerate(block_of(library, name, places[name]).keyframes):
            for branch in keyframe.branches:
                if branch.block is not None and branch.motion is None and branch.block not in places:
                    places[branch.block] = f"blocks.{name}.keyframes[{index}].branches"
                    waiting.append(branch.block)
    return waiting


def _renamed_branches(block: Block, names: Mapping[str, str]) -> Block:
    keyframes = []
    for keyframe in block.keyframes:
        branches = tuple(branch.but(block=names.get(branch.block or "", branch.block)) for branch in keyframe.branches)
        keyframes.append(keyframe.but(branches=branches))
    return block.but(keyframes=tuple(keyframes))
