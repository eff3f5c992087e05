"""Binding a library to a robot: the joints that its motions name become the robot's own.

Motion files of some programs do not name their robot and call every robot's joints alike. A robot knows what its joints
are called there (`Robot.aliases`) and which of those it has not (`Robot.absent`); angles stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from andante.errors import AndanteError
from andante.motions.errors import MotionError
from andante.motions.keyframe import Block, JointCompensation, JointScale, JointStiffness, Keyframe
from andante.motions.library import UNKNOWN_ROBOT, MotionLibrary
from andante.robots.likeness import unlike_joints
from andante.robots.loader import read_registered
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot

E = TypeVar("E", JointScale, JointStiffness)
Naming = Callable[[str, str], str]
"""The new name of a joint, by its old one and the place where it stands; empty: it is left out."""


@dataclass(frozen=True)
class Bound:
    """A library bound to a robot."""

    library: MotionLibrary
    """The library with the robot's name and joints."""
    robot: Robot
    """The robot."""
    dropped: tuple[str, ...] = ()
    """Joints of the files that the robot has not, whose targets and rules were left out; in the order found."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The robot's joint by what the files call it, of a library that was for another robot or none."""


def bind(library: MotionLibrary, robot: Robot | str | Path, *, strict: bool = False) -> Bound:
    """The same library for a robot, by the joints that the robot has or goes by.

    A library that is for another robot may call a joint as that robot does, where programs have one name for both.
    In a library that is for this robot a joint that it does not know stays, for `check` to tell, unless ``strict``.
    Dialect, timing and angles stay in any case.

    Args:
        library: The library, for no robot, for another one, or for this one.
        robot: The robot, or its name or file.
        strict: Refuse a joint that the robot does not know in its own library, too.

    Raises:
        MotionError: The library names a joint that the robot neither has nor knows by another name.
        AndanteError: There is no such robot.
    """
    model = robot if isinstance(robot, Robot) else Robot.load(robot)
    own_library = library.robot == model.name and not strict
    if own_library and (model.aliases.keys() | model.absent).isdisjoint(_names(library)):
        return Bound(library, model)
    dropped: dict[str, None] = {}
    named: dict[str, str] = {}
    shared = cache(partial(_shared_names, library.robot, model))

    def own(name: str, place: str) -> str:
        mine = named[name] = chosen(name, place)
        return mine

    def chosen(name: str, place: str) -> str:
        if name in model.joint_index:
            return name
        if name in model.aliases:
            return model.aliases[name]
        if name in model.absent:
            dropped[name] = None
            return ""
        if own_library:
            return name
        if name in shared():
            if not shared()[name]:
                dropped[name] = None
            return shared()[name]
        same = library.robot in (model.name, UNKNOWN_ROBOT)
        raise MotionError(
            f"{'the library' if same else f'a library for robot {library.robot!r}'} names a joint that robot"
            f" {model.name!r} neither has nor goes by",
            place=place,
            value=name,
            legal=(*model.joint_names, *model.aliases),
        )

    bound = _renamed(library, model.name, own, model.joint_names[0])
    if model.absent and not own_library:
        bound = _without_groups(bound, _absent_groups(library.robot, model))
    return Bound(bound, model, tuple(dropped), {name: mine for name, mine in named.items() if mine})


def unlike_note(source: str, bound: Bound) -> str:
    """That angles of another robot's motions mean other postures on the one they are bound to; empty: they do not.

    Args:
        source: Name or file of the robot that the motions were made for.
        bound: The motions, bound.
    """
    try:
        theirs = Robot.load(source)
    except AndanteError:
        # Nothing is known of a robot that is not here.
        return ""
    joints = unlike_joints(theirs, bound.robot, bound.names)
    if not joints:
        return ""
    more = f" and {len(joints) - _TOLD} more" if len(joints) > _TOLD else ""
    which = ", ".join(joints[:_TOLD]) + more
    return f"angles stay as they are and mean other postures: a {bound.robot.name} turns elsewhere about {which}"


_TOLD = 6
"""So many joints are named one by one."""


def _shared_names(called: str, robot: Robot) -> dict[str, str]:
    """Joints of a robot by what a registered robot calls its own, where programs have one name for both; empty for one
    that the robot has not."""
    if called == robot.name or called not in ROBOTS:
        return {}
    try:
        theirs = read_registered(called)
    except AndanteError:
        # Of a pack that cannot be read nothing is known but what the library says.
        return {}
    known = dict.fromkeys(robot.absent, "") | dict(robot.aliases) | {name: name for name in robot.joint_names}
    return {joint: known[alias] for alias, joint in theirs.aliases.items() if alias in known}


def _absent_groups(called: str, robot: Robot) -> frozenset[str]:
    """Groups of a registered robot that a robot has not, for it has none of their joints."""
    if called not in ROBOTS:
        return frozenset()
    try:
        theirs = read_registered(called)
    except AndanteError:
        return frozenset()
    absent = robot.absent | {joint for alias, joint in theirs.aliases.items() if alias in robot.absent}
    return frozenset(name for name, joints in theirs.groups.items() if absent.issuperset(joints)) - robot.groups.keys()


def _without_groups(library: MotionLibrary, gone: frozenset[str]) -> MotionLibrary:
    """A library without the base stiffness of some groups."""
    if not gone:
        return library

    def kept(block: Block) -> Block:
        stiffness = {name: value for name, value in block.base_stiffness.items() if name not in gone}
        return block if len(stiffness) == len(block.base_stiffness) else block.but(base_stiffness=stiffness)

    return library.but(blocks={name: kept(block) for name, block in library.blocks.items()})


def by_aliases(library: MotionLibrary, robot: Robot, called: str) -> MotionLibrary:
    """The library of a robot as programs have it that call the robot's joints otherwise; joints without alias stay.

    Args:
        library: The library, for this robot.
        robot: The robot.
        called: What those programs call it.
    """
    names = {joint: alias for alias, joint in robot.aliases.items()}
    first = names.get(robot.joint_names[0], robot.joint_names[0])
    return _renamed(library, called, lambda name, place: names.get(name, name), first)


def _names(library: MotionLibrary) -> Iterator[str]:
    """Names by which a library calls joints, in no order, some of them often."""
    yield from library.settings.broken_joint_thresholds or ()
    for block in library.blocks.values():
        for each in block.keyframes:
            yield from each.joints
            for rule in each.compensation:
                yield rule.joint
                yield from (target.joint for target in rule.targets)
            for entries in (each.balance_pitch, each.balance_roll, each.stiffness):
                yield from (entry.joint for entry in entries)


def _renamed(library: MotionLibrary, robot: str, naming: Naming, usual: str) -> MotionLibrary:
    """A library for a robot of another name and other joint names, one of which is ``usual``."""
    settings = library.settings
    if settings.broken_joint_thresholds is not None:
        thresholds = settings.broken_joint_thresholds.items()
        kept = {joint: threshold for name, threshold in thresholds if (joint := naming(name, "settings"))}
        settings = settings.but(broken_joint_thresholds=kept)
    blocks = {}
    for name, block in library.blocks.items():
        frames = [
            _keyframe(each, naming, f"blocks.{name}.keyframes[{number}]", usual)
            for number, each in enumerate(block.keyframes)
        ]
        blocks[name] = block.but(keyframes=tuple(frames))
    return library.but(robot=robot, settings=settings, blocks=blocks)


def _keyframe(keyframe: Keyframe, naming: Naming, place: str, usual: str) -> Keyframe:
    joints = {joint: target for name, target in keyframe.joints.items() if (joint := naming(name, place))}
    rules = (_rule(rule, naming, place, usual) for rule in keyframe.compensation)
    return keyframe.but(
        joints=joints,
        compensation=tuple(rule for rule in rules if rule is not None),
        balance_pitch=_entries(keyframe.balance_pitch, naming, place),
        balance_roll=_entries(keyframe.balance_roll, naming, place),
        stiffness=_entries(keyframe.stiffness, naming, place),
    )


def _rule(rule: JointCompensation, naming: Naming, place: str, usual: str) -> JointCompensation | None:
    # A rule on the difference of the hips' pitches does not look at its joint, which only has to be one.
    joint = usual if rule.hip_pitch_difference else naming(rule.joint, place)
    if not joint:
        return None
    return rule.but(joint=joint, targets=_entries(rule.targets, naming, place))


def _entries(entries: Iterable[E], naming: Naming, place: str) -> tuple[E, ...]:
    found = ((entry, naming(entry.joint, place)) for entry in entries)
    return tuple(entry.but(joint=joint) for entry, joint in found if joint)
