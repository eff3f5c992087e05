"""A motion library compiled for a robot: names resolved, postures as arrays, everything immutable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from andante.control.controller import ControlError
from andante.control.keyframes.clock import to_microseconds
from andante.control.keyframes.compiled import (
    BalanceJoint,
    CompensationRule,
    CompiledBlock,
    CompiledBranch,
    CompiledKeyframe,
    CompiledMotion,
    Window,
)
from andante.control.keyframes.conditions import bind_check, bind_group
from andante.motions.block_angles import BlockAngles
from andante.motions.conditions import ConditionGroup
from andante.motions.editing.mirror import TURNED_SIGN
from andante.motions.errors import MotionError
from andante.motions.interpolation import CURVES, PEAK_SPEED, effective_interpolation
from andante.motions.keyframe import Block, Branch, JointCompensation, JointScale, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.needs import lack_for_balance, lack_for_hip_difference
from andante.motions.parts import TorsoWindow
from andante.motions.settings import BalanceParameters
from andante.motions.stiffness import stiff_blocks
from andante.robots.records import Vector
from andante.robots.robot import Robot


class Program:
    """A library compiled for one robot and one side.

    Args:
        library: The motions.
        robot: The robot they run on.
        mirror: Exchange left and right everywhere: with mirrored sensors the robot then moves as the mirror image.

    Raises:
        ControlError: The library is for another robot, or an entry names something that does not exist.
    """

    def __init__(self, library: MotionLibrary, robot: Robot, mirror: bool = False) -> None:
        if library.robot != robot.name:
            raise ControlError(
                f"the library's motions are not for robot {robot.name!r}", place="robot", value=library.robot
            )
        self.library, self.robot, self.mirror = library, robot, mirror
        self._swap = {robot.index(a): robot.index(b) for a, b in robot.mirror.pairs}
        self._swap |= {b: a for a, b in self._swap.items()}
        self._negated = frozenset(robot.index(name) for name in robot.mirror.negate)
        self._angles_of = BlockAngles(robot)
        self._stiff = stiff_blocks(library)
        self.blocks: Mapping[str, CompiledBlock] = {
            name: self._block(name, number, block) for number, (name, block) in enumerate(library.blocks.items())
        }
        """Compiled blocks by name."""
        self.motions: Mapping[str, CompiledMotion] = {
            name: self._motion(name, number, motion) for number, (name, motion) in enumerate(library.motions.items())
        }
        """Compiled motions by name."""

    def motion(self, name: str) -> CompiledMotion:
        """A motion by name.

        Raises:
            ControlError: The library has no such motion.
        """
        found = self.motions.get(name)
        if found is None:
            raise ControlError("the library has no such motion", place="motions", value=name, legal=self.motions)
        return found

    def _joint(self, name: str, place: str) -> int:
        index = self.robot.joint_index.get(name)
        if index is None:
            raise ControlError(
                f"robot {self.robot.name!r} has no such joint", place=place, value=name, legal=self.robot.joint_names
            )
        return index

    def _side(self, joint: int) -> int:
        """The joint in whose place this one moves."""
        return self._swap.get(joint, joint) if self.mirror else joint

    def _sign(self, joint: int) -> float:
        return -1.0 if self.mirror and joint in self._negated else 1.0

    def _known(self, name: str, names: Mapping[str, object], place: str, kind: str) -> str:
        if name not in names:
            raise ControlError(f"the library has no such {kind}", place=place, value=name, legal=names)
        return name

    def _motion(self, name: str, number: int, motion: Motion) -> CompiledMotion:
        place = f"motions.{name}"
        blocks = tuple(
            self._known(block, self.library.blocks, f"{place}.blocks[{index}]", "block")
            for index, block in enumerate(motion.blocks)
        )
        follow_ups = []
        for index, follow_up in enumerate(motion.follow_ups):
            where = f"{place}.follow_ups[{index}]"
            self._known(follow_up.motion, self.library.motions, f"{where}.motion", "motion")
            group = ConditionGroup(conditions=follow_up.conditions, all=follow_up.all)
            follow_ups.append((follow_up.motion, bind_group(group, self.robot, where, self.mirror)))
        return CompiledMotion(name, number, blocks, motion.balance_out, tuple(follow_ups), motion.end_request)

    def _block(self, name: str, number: int, block: Block) -> CompiledBlock:
        place = f"blocks.{name}"
        stiffness = np.full(len(self.robot.joints), 1.0 if name in self._stiff else math.nan)
        for group, value in block.base_stiffness.items():
            joints = self.robot.groups.get(group)
            if joints is None:
                raise ControlError(
                    f"robot {self.robot.name!r} has no such joint group",
                    place=f"{place}.base_stiffness",
                    value=group,
                    legal=self.robot.groups,
                )
            if value is not None:
                for joint in joints:
                    stiffness[self._side(self.robot.index(joint))] = value
        keyframes = []
        self._angles_of.begin()
        for index, keyframe in enumerate(block.keyframes):
            where = f"{place}.keyframes[{index}]"
            asked = self._angles(keyframe, where)
            keyframes.append(self._keyframe(name, block, index, keyframe, asked, where))
        return CompiledBlock(name, number, _fixed(stiffness), tuple(keyframes))

    def _angles(self, keyframe: Keyframe, place: str) -> dict[int, float]:
        """Angles by joint index that the block's next keyframe asks for, unmirrored."""
        angles = {
            self._joint(joint, f"{place}.joints"): float(value)
            for joint, value in keyframe.joints.items()
            if not isinstance(value, str)
        }
        try:
            return self._angles_of.of(keyframe, angles, place)
        except MotionError as error:
            raise ControlError(
                error.what,
                place=error.place,
                value=error.value,
                limit=error.limit,
                legal=error.legal,
                remedy=error.remedy,
            ) from error

    def _keyframe(
        self, name: str, block: Block, index: int, keyframe: Keyframe, angles: Mapping[int, float], place: str
    ) -> CompiledKeyframe:
        nj = len(self.robot.joints)
        target, moves, off = np.zeros(nj), np.zeros(nj, dtype=bool), np.zeros(nj, dtype=bool)
        for joint, angle in angles.items():
            target[self._side(joint)] = angle * self._sign(joint)
            moves[self._side(joint)] = True
        for joint_name, value in keyframe.joints.items():
            joint = self._side(self._joint(joint_name, f"{place}.joints"))
            if value == "off":
                off[joint], moves[joint] = True, False
        interpolation = effective_interpolation(keyframe.interpolation, block.interpolation)
        pitch = self._balance_joints(keyframe.balance_pitch, f"{place}.balance_pitch", 1.0)
        roll = self._balance_joints(keyframe.balance_roll, f"{place}.balance_roll", -1.0 if self.mirror else 1.0)
        lack = lack_for_balance(self.robot) if pitch or roll else None
        if lack is not None:
            raise ControlError(lack.what, place=f"{place}.{'balance_pitch' if pitch else 'balance_roll'}")
        balance = self.library.balance.get(keyframe.phase)
        if (pitch or roll) and balance is None and keyframe.phase != "unknown":
            raise ControlError(
                "the library has no balance parameters of that name",
                place=f"{place}.phase",
                value=keyframe.phase,
                legal=self.library.balance,
            )
        changes = [
            (self._side(self._joint(change.joint, f"{place}.stiffness[{number}]")), change.stiffness)
            for number, change in enumerate(keyframe.stiffness)
        ]
        x, y = keyframe.com_goal
        balanced = np.zeros(nj, dtype=bool)
        balanced[[entry.joint for entry in pitch + roll]] = True
        for mask in (moves, off, balanced):
            mask.flags.writeable = False
        return CompiledKeyframe(
            block=name,
            index=index,
            duration=max(to_microseconds(keyframe.duration), 1),
            target=_fixed(target),
            moves=moves,
            off=off,
            curve=CURVES[interpolation],
            peak=PEAK_SPEED[interpolation],
            stiffness_joints=np.array([joint for joint, _ in changes], dtype=np.intp),
            stiffness=_fixed(np.array([value for _, value in changes], dtype=np.float64)),
            window=self._window(keyframe.window),
            window_start=None if keyframe.window_start is None else self._window(keyframe.window_start),
            waits=tuple(
                bind_check(wait, self.robot, f"{place}.waits[{number}]", self.mirror, wait.max_wait)
                for number, wait in enumerate(keyframe.waits)
            ),
            branches=tuple(
                self._branch(branch, f"{place}.branches[{number}]") for number, branch in enumerate(keyframe.branches)
            ),
            forbid_wait_break=keyframe.forbid_wait_break,
            phase=keyframe.phase,
            balance=_mirrored_balance(balance) if self.mirror and balance is not None else balance,
            com_goal=(x, -y) if self.mirror else (x, y),
            start_from_measured_com=keyframe.start_from_measured_com,
            balance_pitch=pitch,
            balance_roll=roll,
            balance_joints=balanced,
            compensation=tuple(
                self._compensation(rule, f"{place}.compensation[{number}]")
                for number, rule in enumerate(keyframe.compensation)
            ),
            reduce_factor=keyframe.compensation_reduce_factor or 0.0,
        )

    def _balance_joints(self, entries: Iterable[JointScale], place: str, side: float) -> tuple[BalanceJoint, ...]:
        """Joints of a balance list; ``side`` is -1 where the balancer's own output changes its sign (roll)."""
        joints = []
        for number, entry in enumerate(entries):
            joint = self._joint(entry.joint, f"{place}[{number}]")
            sign = self._sign(joint)
            # The sign rule looks at the joint's own change, output times scale, so it turns where the joint does.
            rule = entry.sign if sign > 0.0 else TURNED_SIGN[entry.sign]
            joints.append(BalanceJoint(self._side(joint), entry.scale * sign * side, rule))
        return tuple(joints)

    def _compensation(self, rule: JointCompensation, place: str) -> CompensationRule:
        """A rule; on the other side the error's sign, and with it the range, turns where the joint's sign does."""
        joint = -1 if rule.hip_pitch_difference else self._joint(rule.joint, f"{place}.joint")
        lack = lack_for_hip_difference(self.robot) if joint < 0 else None
        if lack is not None:
            raise ControlError(lack.what, place=f"{place}.hip_pitch_difference", limit=lack.needs)
        turned = self.mirror if rule.hip_pitch_difference else self._sign(joint) < 0.0
        targets = []
        for number, entry in enumerate(rule.targets):
            target = self._joint(entry.joint, f"{place}.targets[{number}]")
            targets.append((self._side(target), entry.scale * rule.range.max * self._sign(target)))
        low, high = rule.range.min, rule.range.max
        return CompensationRule(
            joint=joint if joint < 0 else self._side(joint),
            low=-low if turned else low,
            high=-high if turned else high,
            targets=tuple(targets),
            predict=rule.predict,
        )

    def _branch(self, branch: Branch, place: str) -> CompiledBranch:
        if branch.motion is not None:
            self._known(branch.motion, self.library.motions, f"{place}.motion", "motion")
        elif branch.block is not None:
            self._known(branch.block, self.library.blocks, f"{place}.block", "block")
        else:
            raise ControlError("a branch names neither block nor motion", place=place)
        pre = bind_group(branch.pre, self.robot, f"{place}.pre", self.mirror) if branch.pre.conditions else None
        early = branch.early
        return CompiledBranch(
            block=branch.block if branch.motion is None else None,
            motion=branch.motion,
            init_stiffness=branch.init_stiffness,
            drop_rest=branch.remove_current_block,
            pre=pre,
            early=None if early is None else bind_group(early, self.robot, f"{place}.early", self.mirror),
            max_block_loops=branch.max_block_loops,
            max_motion_loops=branch.max_motion_loops,
        )

    def _window(self, window: TorsoWindow) -> Window:
        pitch_low, pitch_high, roll_low, roll_high = (
            math.nan if bound == "keep" else float(bound)
            for bound in (window.pitch.min, window.pitch.max, window.roll.min, window.roll.max)
        )
        if self.mirror:
            roll_low, roll_high = -roll_high, -roll_low
        return pitch_low, pitch_high, roll_low, roll_high


def _mirrored_balance(balance: BalanceParameters) -> BalanceParameters:
    """Parameters whose two roll sides have changed places."""
    scaling, exponent, lengths = balance.max_scaling, balance.exponent, balance.com_range
    swapped = [
        ranges.model_copy(update={"roll": ranges.roll.model_copy(update={"min": low, "max": high})})
        for ranges, low, high in (
            (scaling, scaling.roll.max, scaling.roll.min),
            (exponent, exponent.roll.max, exponent.roll.min),
            (lengths, -lengths.roll.max, -lengths.roll.min),
        )
    ]
    return balance.model_copy(update=dict(zip(("max_scaling", "exponent", "com_range"), swapped, strict=True)))


def _fixed(array: Vector) -> Vector:
    array.flags.writeable = False
    return array
