"""A motion as a flat list of steps, which is what most formats hold, and the way back.

A file's pose at time 0 becomes a keyframe with the shortest duration and a word in its extras, so that writing gives
time 0 again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from andante.formats.bhuman.names import HEAD, LIMB_JOINTS
from andante.formats.report import FormatError, Losses
from andante.formats.shared.losses import part_losses
from andante.formats.shared.numbers import AT_ONCE
from andante.motions.extras import Extras, Kind, with_lines, without_lines
from andante.motions.interpolation import effective_interpolation
from andante.motions.keyframe import Block, Interpolation, JointStiffness, JointTarget, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot

ONCE: Kind = "at-once"
"""Extras of a keyframe that stands for a pose at time 0, or for one that takes no time."""
MAX_STEPS = 200_000
"""Most steps of one motion."""
NAO_GROUPS: Mapping[str, tuple[str, ...]] = {"head": HEAD, **LIMB_JOINTS}
"""Joint groups of the pack `nao`."""


@dataclass(frozen=True)
class OutgoingKeyframe:
    """One keyframe on its way into a file."""

    place: str
    """Place in the library."""
    keyframe: Keyframe
    """The keyframe; its extras are without that of time 0."""
    start: float
    """Time from the motion's start [s]."""
    end: float
    """Time at which the target is reached [s]."""
    way: Interpolation
    """The curve in force, not default."""
    held: Mapping[str, float]
    """Angles of all joints that have got one so far, at the step's end [rad]."""
    duration: float
    """Duration, 0 where the file's was [s]."""
    stated: Mapping[str, float]
    """Stiffness of all joints that have got one so far."""
    stiffness: Mapping[str, float]
    """The same, but 0 for joints that are off."""


@dataclass(frozen=True)
class Holds:
    """What a format holds of a motion besides durations and targets."""

    motion: Collection[str] = ()
    """Fields of motions."""
    keyframe: Collection[str] = ()
    """Fields of keyframes."""
    kind: Kind | None = None
    """The extras that it holds."""
    stiffness: bool = False
    """Whether it holds stiffness per joint."""
    off: bool = False
    """Whether it holds joints that are off."""
    ways: Collection[Interpolation] = (Interpolation.LINEAR,)
    """Curves that it holds."""


def keyframe_of(
    duration: float,
    joints: Mapping[str, JointTarget],
    stiffness: tuple[JointStiffness, ...] = (),
    *,
    note: str = "",
    extras: Extras | None = None,
    interpolation: Interpolation = Interpolation.DEFAULT,
) -> Keyframe:
    """A file's keyframe, whose duration may be 0 [s]; it gets the note's lines of extras too."""
    note, more = without_lines(note)
    more |= extras or {}
    if duration <= 0.0:
        duration, more = AT_ONCE, more | {ONCE: {"duration": 0}}
    return Keyframe(
        duration=duration,
        joints=dict(joints),
        stiffness=stiffness,
        interpolation=interpolation,
        note=note,
        extras=more,
    )


def true_duration(keyframe: Keyframe) -> float:
    """The duration in the file [s]: 0 where `keyframe_of` had to make one."""
    return 0.0 if ONCE in keyframe.extras and keyframe.duration == AT_ONCE else keyframe.duration


def text_of(part: Motion | Keyframe, kind: Kind | None = None) -> str:
    """A part's note, with the extras of other formats than ``kind`` as lines, for files that have room for text."""
    return with_lines(part.note, {other: data for other, data in part.extras.items() if other not in (kind, ONCE)})


def stiffness_changes(state: dict[str, float], wanted: Mapping[str, float]) -> tuple[JointStiffness, ...]:
    """Return the changes from a state to the wanted stiffness, and bring the state there."""
    changes = tuple(
        JointStiffness(joint=joint, stiffness=value) for joint, value in wanted.items() if state.get(joint) != value
    )
    state.update(wanted)
    return changes


def groups_of(robot: str) -> Mapping[str, tuple[str, ...]]:
    """Joint groups of a robot that goes by a name; none for others."""
    if robot == "nao":
        return NAO_GROUPS
    return Robot.load(robot).groups if robot in ROBOTS else {}


def with_motions(library: MotionLibrary) -> MotionLibrary:
    """The library, with a motion for each block where it has no motions."""
    if library.motions:
        return library
    return library.model_copy(update={"motions": {name: Motion(blocks=(name,)) for name in library.blocks}})


def block_of(library: MotionLibrary, motion: str, name: str) -> Block:
    """A motion's block.

    Raises:
        FormatError: The library does not have it.
    """
    block = library.blocks.get(name)
    if block is None:
        raise FormatError(
            "the library has no such block", inside=f"motions.{motion}.blocks", value=name, legal=library.blocks
        )
    return block


def steps_of(library: MotionLibrary, motion: str, losses: Losses, holds: Holds) -> list[OutgoingKeyframe]:
    """Return a motion's steps and put down what gets lost.

    Args:
        library: The library.
        motion: Name of the motion.
        losses: Takes what the format does not hold.
        holds: What the format holds.

    Raises:
        FormatError: A block is missing, or there are too many steps.
    """
    entry = library.motions[motion]
    part_losses(entry, f"motions.{motion}", losses, holds.motion, holds.kind)
    if "blocks" not in holds.motion and len(entry.blocks) > 1:
        losses.count(f"motions.{motion}.blocks", "blocks", "become one list of keyframes")
    steps: list[OutgoingKeyframe] = []
    held: dict[str, float] = {}
    base: dict[str, float] = {}
    time = 0.0
    for name in entry.blocks:
        block = block_of(library, motion, name)
        place = f"blocks.{name}"
        part_losses(block, place, losses, kind=holds.kind)
        _enter(block, library.robot, base, place, losses, told=not holds.stiffness)
        stiff = dict(base)
        for index, keyframe in enumerate(block.keyframes):
            if len(steps) >= MAX_STEPS:
                raise FormatError("the motion has too many keyframes", inside=motion, limit=f"{MAX_STEPS}")
            where = f"{place}.keyframes[{index}]"
            duration = true_duration(keyframe)
            extras = {other: data for other, data in keyframe.extras.items() if other != ONCE}
            bare = keyframe.model_copy(update={"extras": extras})
            part_losses(bare, where, losses, holds.keyframe, holds.kind)
            if keyframe.stiffness and not holds.stiffness:
                losses.count(f"{where}.stiffness", "stiffness", "is not held")
            stiff = {**stiff, **{change.joint: change.stiffness for change in keyframe.stiffness}}
            held, dark = _targets(bare, held, where, losses, off=holds.off)
            way = effective_interpolation(keyframe.interpolation, block.interpolation)
            if way not in holds.ways:
                losses.count(f"{where}.interpolation", f"way {way}", f"{way.value} becomes {ways_text(holds.ways)}")
            now = {**stiff, **dict.fromkeys(dark, 0.0)}
            steps.append(OutgoingKeyframe(where, bare, time, time + duration, way, held, duration, stiff, now))
            time += duration
    return steps


def ways_text(ways: Collection[Interpolation]) -> str:
    """What curves that are not held become."""
    return "a straight line between the keyframes" if Interpolation.LINEAR in ways else next(iter(ways)).value


def _enter(block: Block, robot: str, stiff: dict[str, float], place: str, losses: Losses, *, told: bool) -> None:
    """Apply a block's base stiffness."""
    if any(value is not None for value in block.base_stiffness.values()):
        if told:
            losses.count(f"{place}.base_stiffness", "base stiffness", "is not held")
            return
        groups = groups_of(robot)
        for group, value in block.base_stiffness.items():
            if group not in groups:
                losses.add(f"{place}.base_stiffness", f"joint group {group!r} is unknown and not held")
            elif value is not None:
                stiff.update(dict.fromkeys(groups[group], value))


def _targets(
    keyframe: Keyframe, held: dict[str, float], where: str, losses: Losses, *, off: bool
) -> tuple[dict[str, float], list[str]]:
    """Angles held after a keyframe and the joints that are off in it."""
    new: dict[str, JointTarget] = dict(keyframe.joints)
    dark = [joint for joint, value in new.items() if value == "off"]
    if dark and not off:
        losses.count(f"{where}.joints", "off", "joints that are off are not held; they keep their angle")
    numbers = {joint: value for joint, value in new.items() if not isinstance(value, str)}
    return ({**held, **numbers} if numbers else held), dark


def complete(step: OutgoingKeyframe, joints: Collection[str], losses: Losses, place: str) -> dict[str, float]:
    """Angles of all given joints, for formats where every pose has them all."""
    for joint in joints:
        if joint not in step.held:
            losses.count(step.place, f"unset {joint}", f"{place} needs all joints; {joint} is written as 0")
        elif isinstance(step.keyframe.joints.get(joint, "ignore"), str):
            losses.count(step.place, "kept", "joints without an angle are written with the one before")
    return {joint: step.held.get(joint, 0.0) for joint in joints}
