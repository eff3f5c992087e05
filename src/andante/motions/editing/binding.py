"""Binding a library to another robot than the one it was read for, by the joint names that the robot goes by as well.

Motion files of some programs do not name their robot and call every robot's joints alike. A robot knows what its joints
are called there (`Robot.aliases`) and which of those it has not (`Robot.absent`); angles stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from andante.motions.errors import MotionError
from andante.motions.keyframe import JointCompensation, JointScale, JointStiffness, Keyframe
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot

E = TypeVar("E", JointScale, JointStiffness)


@dataclass(frozen=True)
class Bound:
    """A library bound to a robot."""

    library: MotionLibrary
    """The library with the robot's name and joints."""
    dropped: tuple[str, ...]
    """Joints of the files that the robot has not, whose targets and rules were left out; in the order found."""


def bind(library: MotionLibrary, robot: Robot) -> Bound:
    """The same library for another robot.

    Raises:
        MotionError: The library names a joint that the robot neither has nor knows by another name.
    """
    if library.robot == robot.name:
        return Bound(library, ())
    names = _Names(library, robot)
    settings = library.settings
    if settings.broken_joint_thresholds is not None:
        thresholds = settings.broken_joint_thresholds.items()
        kept = {joint: threshold for name, threshold in thresholds if (joint := names.of(name, "settings"))}
        settings = settings.but(broken_joint_thresholds=kept)
    blocks = {}
    for name, block in library.blocks.items():
        frames = [_keyframe(each, names, f"blocks.{name}.keyframes[{n}]") for n, each in enumerate(block.keyframes)]
        blocks[name] = block.but(keyframes=tuple(frames))
    bound = library.but(robot=robot.name, settings=settings, blocks=blocks)
    return Bound(bound, tuple(names.dropped))


class _Names:
    """Own names of a library's joints."""

    def __init__(self, library: MotionLibrary, robot: Robot) -> None:
        self._library, self._robot = library, robot
        self.dropped: dict[str, None] = {}
        self.any = robot.joint_names[0]

    def of(self, name: str, place: str) -> str:
        """The robot's joint; empty where it has none on purpose."""
        if name in self._robot.joint_index:
            return name
        own = self._robot.aliases.get(name)
        if own is not None:
            return own
        if name in self._robot.absent:
            self.dropped[name] = None
            return ""
        raise MotionError(
            f"a library for robot {self._library.robot!r} names a joint that robot {self._robot.name!r} neither has nor"
            " goes by",
            place=place,
            value=name,
            legal=(*self._robot.joint_names, *self._robot.aliases),
        )

    def entries(self, entries: Iterable[E], place: str) -> tuple[E, ...]:
        """The same entries for the robot's joints."""
        found = ((entry, self.of(entry.joint, place)) for entry in entries)
        return tuple(entry.but(joint=joint) for entry, joint in found if joint)


def _keyframe(keyframe: Keyframe, names: _Names, place: str) -> Keyframe:
    joints = {joint: target for name, target in keyframe.joints.items() if (joint := names.of(name, place))}
    rules = (_rule(rule, names, place) for rule in keyframe.compensation)
    return keyframe.but(
        joints=joints,
        compensation=tuple(rule for rule in rules if rule is not None),
        balance_pitch=names.entries(keyframe.balance_pitch, place),
        balance_roll=names.entries(keyframe.balance_roll, place),
        stiffness=names.entries(keyframe.stiffness, place),
    )


def _rule(rule: JointCompensation, names: _Names, place: str) -> JointCompensation | None:
    # A rule on the difference of the hips' pitches does not look at its joint, which only has to be one.
    joint = names.any if rule.hip_pitch_difference else names.of(rule.joint, place)
    if not joint:
        return None
    return rule.but(joint=joint, targets=names.entries(rule.targets, place))
