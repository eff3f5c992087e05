"""A motion library compiled for a robot: names resolved, postures as arrays, everything immutable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from andante.control.controller import ControlError
from andante.control.keyframes.capture_point import CaptureRule
from andante.control.keyframes.clock import to_microseconds
from andante.control.keyframes.compiled import (
    BalanceJoint,
    CompensationRule,
    CompiledBlock,
    CompiledBranch,
    CompiledFollowUp,
    CompiledKeyframe,
    CompiledMotion,
    Window,
)
from andante.control.keyframes.conditions import bind_check, bind_group
from andante.motions.capture_point import CapturePointBalance
from andante.motions.conditions import ConditionGroup
from andante.motions.editing.mirror import mirror_balance, mirror_keyframe, mirror_posture, partner_joint
from andante.motions.errors import MotionError
from andante.motions.interpolation import CURVES, PEAK_SPEED, effective_interpolation
from andante.motions.keyframe import Block, Branch, JointCompensation, JointScale, Keyframe
from andante.motions.library import Motion, MotionLibrary, stiff_blocks
from andante.motions.needs import lack_for_balance, lack_for_capture_point, lack_for_hip_difference
from andante.motions.parts import TorsoWindow
from andante.motions.sampling import BlockAngles
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role


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
        self._angles_of = BlockAngles(robot)
        self._stiff = stiff_blocks(library)
        self._axes: tuple[Vector, ...] | None = None
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

    def _known(self, name: str, names: Mapping[str, object], place: str, kind: str) -> None:
        if name not in names:
            raise ControlError(f"the library has no such {kind}", place=place, value=name, legal=names)

    def _motion(self, name: str, number: int, motion: Motion) -> CompiledMotion:
        place = f"motions.{name}"
        for index, block in enumerate(motion.blocks):
            self._known(block, self.library.blocks, f"{place}.blocks[{index}]", "block")
        follow_ups = []
        for index, follow_up in enumerate(motion.follow_ups):
            where = f"{place}.follow_ups[{index}]"
            self._known(follow_up.motion, self.library.motions, f"{where}.motion", "motion")
            for number, other in enumerate(follow_up.alternatives):
                self._known(other, self.library.motions, f"{where}.alternatives[{number}]", "motion")
            group = ConditionGroup(conditions=follow_up.conditions, all=follow_up.all)
            conditions = bind_group(group, self.robot, where, self.mirror)
            follow_ups.append(CompiledFollowUp(follow_up.motions, follow_up.mirror, conditions))
        return CompiledMotion(name, number, motion, tuple(follow_ups))

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
                    stiffness[self.robot.index(partner_joint(self.robot, joint) if self.mirror else joint)] = value
        capture = None if block.capture_point is None else self._capture(block.capture_point, f"{place}.capture_point")
        self._angles_of.begin()
        keyframes = tuple(self._keyframe(name, block, index, capture) for index in range(len(block.keyframes)))
        return CompiledBlock(name, number, _fixed(stiffness), keyframes)

    def _angles(self, keyframe: Keyframe, place: str) -> dict[int, float]:
        """Angles by joint index that the block's next keyframe asks for, unmirrored."""
        where = f"{place}.joints"
        angles = {
            self._joint(joint, where): float(value)
            for joint, value in keyframe.joints.items()
            if not isinstance(value, str)
        }
        try:
            return self._angles_of.of(keyframe, angles, place)
        except MotionError as error:
            # Says the same, as one of the errors that an engine has.
            raise ControlError(**vars(error)) from error

    def _keyframe(self, name: str, block: Block, index: int, capture: CaptureRule | None) -> CompiledKeyframe:
        written, place = block.keyframes[index], f"blocks.{name}.keyframes[{index}]"
        angles = self._angles(written, place)
        nj = len(self.robot.joints)
        keyframe, target, off = written, np.full(nj, math.nan), np.zeros(nj, dtype=bool)
        target[list(angles)] = list(angles.values())
        if self.mirror:
            # Limbs are solved and conditions bound as they are written; all else is compiled from the mirror image.
            keyframe, target = mirror_keyframe(written, self.robot), mirror_posture(target, self.robot)
        moves = ~np.isnan(target)
        target[~moves] = 0.0
        for joint, value in keyframe.joints.items():
            if value == "off":
                number = self._joint(joint, f"{place}.joints")
                off[number], moves[number] = True, False
        interpolation = effective_interpolation(keyframe.interpolation, block.interpolation)
        pitch = self._balance_joints(keyframe.balance_pitch, f"{place}.balance_pitch")
        roll = self._balance_joints(keyframe.balance_roll, f"{place}.balance_roll")
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
            (self._joint(change.joint, f"{place}.stiffness[{number}]"), change.stiffness)
            for number, change in enumerate(keyframe.stiffness)
        ]
        balanced = np.zeros(nj, dtype=bool)
        balanced[[joint for joint, _ in pitch + roll]] = True
        if capture is not None:
            balanced[[joint for joint, _ in capture.ahead + capture.side]] = True
        for mask in (moves, off, balanced):
            mask.flags.writeable = False
        return CompiledKeyframe(
            block=name,
            index=index,
            written=keyframe,
            duration=max(to_microseconds(keyframe.duration), 1),
            target=_fixed(target),
            moves=moves,
            off=off,
            curve=CURVES[interpolation],
            peak=PEAK_SPEED[interpolation],
            stiffness_joints=np.array([joint for joint, _ in changes], dtype=np.intp),
            stiffness=_fixed(np.array([value for _, value in changes], dtype=np.float64)),
            window=_window(keyframe.window),
            window_start=None if keyframe.window_start is None else _window(keyframe.window_start),
            waits=tuple(
                bind_check(wait, self.robot, f"{place}.waits[{number}]", self.mirror, wait.max_wait)
                for number, wait in enumerate(written.waits)
            ),
            branches=tuple(
                self._branch(branch, f"{place}.branches[{number}]") for number, branch in enumerate(written.branches)
            ),
            balance=mirror_balance(balance) if self.mirror and balance is not None else balance,
            balance_pitch=pitch,
            balance_roll=roll,
            capture=capture,
            balance_joints=balanced,
            compensation=tuple(
                self._compensation(rule, f"{place}.compensation[{number}]")
                for number, rule in enumerate(keyframe.compensation)
            ),
        )

    def _balance_joints(self, entries: Iterable[JointScale], place: str) -> tuple[BalanceJoint, ...]:
        return tuple((self._joint(entry.joint, f"{place}[{number}]"), entry) for number, entry in enumerate(entries))

    def _capture(self, written: CapturePointBalance, place: str) -> CaptureRule:
        """Balance by the capture point; gains take the sign in which a joint turns about forward or left."""
        lack = lack_for_capture_point(written, self.robot)
        if lack is not None:
            raise ControlError(lack.what, place=place, limit=lack.needs)
        ahead = self._turned("ankle_pitch", written.ankle_pitch, 1) + self._turned("hip_pitch", written.hip_pitch, 1)
        # An error to the left asks for the left edges of the feet: a turn against the forward axis.
        return CaptureRule(written, ahead, self._turned("ankle_roll", -written.ankle_roll, 0))

    def _turned(self, role: str, gain: float, axis: int) -> tuple[tuple[int, float], ...]:
        """Both joints of a role with a gain for turns about the torso's axis in the posture of all zeros."""
        if not gain:
            return ()
        if self._axes is None:
            from andante.kinematics.forward import Kinematics

            kinematics, model = Kinematics(self.robot), self.robot.model
            kinematics.update(np.zeros(len(self.robot.joints)))
            self._axes = tuple(kinematics.data.xaxis[model.joint(name).id].copy() for name in self.robot.joint_names)
        joints = [joint_with_role(self.robot, f"{side}_{role}") for side in ("left", "right")]
        return tuple(
            (joint, math.copysign(gain, gain * self._axes[joint][axis])) for joint in joints if joint is not None
        )

    def _compensation(self, rule: JointCompensation, place: str) -> CompensationRule:
        joint = -1 if rule.hip_pitch_difference else self._joint(rule.joint, f"{place}.joint")
        lack = lack_for_hip_difference(self.robot) if joint < 0 else None
        if lack is not None:
            raise ControlError(lack.what, place=f"{place}.hip_pitch_difference", limit=lack.needs)
        return CompensationRule(
            joint=joint,
            low=rule.range.min,
            high=rule.range.max,
            targets=tuple(
                (self._joint(entry.joint, f"{place}.targets[{number}]"), entry.scale * rule.range.max)
                for number, entry in enumerate(rule.targets)
            ),
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
        bound = None if early is None else bind_group(early, self.robot, f"{place}.early", self.mirror)
        return CompiledBranch(branch, pre, bound)


class Programs(dict[bool, Program]):
    """A library's programs by whether they are mirrored, each compiled when it is first asked for.

    Args:
        library: The motions.
        robot: The robot.
    """

    def __init__(self, library: MotionLibrary, robot: Robot) -> None:
        super().__init__()
        self._library, self._robot = library, robot

    def __missing__(self, mirror: bool) -> Program:
        made = self[mirror] = Program(self._library, self._robot, mirror)
        return made


def _window(window: TorsoWindow) -> Window:
    bounds = window.pitch.min, window.pitch.max, window.roll.min, window.roll.max
    pitch_low, pitch_high, roll_low, roll_high = (math.nan if bound == "keep" else float(bound) for bound in bounds)
    return pitch_low, pitch_high, roll_low, roll_high


def _fixed(array: Vector) -> Vector:
    array.flags.writeable = False
    return array
