"""A motion as keys with an angle for every joint, which is all that the AIBO's formats hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from andante.formats.aibo.names import BY_NAME
from andante.formats.report import Losses
from andante.formats.shared.steps import Holds, OutgoingKeyframe, block_of, steps_of
from andante.motions.extras import Extras, Kind
from andante.motions.library import MotionLibrary


@dataclass(frozen=True)
class MotionKey:
    """One pose of a motion and the time to get there."""

    duration: float
    """Time from the pose before; 0 where the motion begins with the pose [s]."""
    angles: tuple[float, ...]
    """Angles of the asked joints [rad]."""
    extras: Extras
    """The keyframe's extras."""
    place: str
    """Place in the library."""
    given: frozenset[str]
    """Joints that the keyframe itself gives an angle."""


def used_joints(library: MotionLibrary, motion: str) -> list[str]:
    """Joints that a motion gives an angle, in the order met.

    Raises:
        FormatError: A block is missing.
    """
    joints: dict[str, None] = {}
    for name in library.motions[motion].blocks:
        for keyframe in block_of(library, motion, name).keyframes:
            joints |= {joint: None for joint, value in keyframe.joints.items() if not isinstance(value, str)}
    return list(joints)


def keys_of(library: MotionLibrary, motion: str, joints: Sequence[str], losses: Losses, kind: Kind) -> list[MotionKey]:
    """Return a motion's keys, every joint with an angle in each.

    A joint keeps the angle of the key before; before its first one it takes that first one's, so that it does not move
    to it; a joint that is never given takes the angle nearest to zero inside its limits.

    Args:
        library: The library.
        motion: Name of the motion.
        joints: Joints in the wanted order.
        losses: Takes what is not held.
        kind: The format's extras, which are held.

    Raises:
        FormatError: A block is missing, or there are absurdly many keys.
    """
    steps = steps_of(library, motion, losses, Holds(kind=kind))
    start = _start(steps, joints, motion, losses)
    for joint in start:
        if joint not in joints:
            losses.count(f"motions.{motion}", f"unheld {joint}", f"joint {joint!r} is not held")
    keys = []
    for step in steps:
        given = frozenset(joint for joint, value in step.keyframe.joints.items() if not isinstance(value, str))
        if len(given) < len(step.keyframe.joints) and "ignore" in step.keyframe.joints.values():
            losses.count(step.place, "ignored", "joints that are ignored are held at the angle before")
        angles = tuple(step.held.get(joint, start[joint]) for joint in joints)
        keys.append(MotionKey(step.duration, angles, step.keyframe.extras, step.place, given))
    return keys


def _start(
    steps: Sequence[OutgoingKeyframe], joints: Sequence[str], motion: str, losses: Losses
) -> Mapping[str, float]:
    """Angles of the joints before they are given one."""
    start: dict[str, float] = {}
    for number, step in enumerate(steps):
        for joint, value in step.keyframe.joints.items():
            if isinstance(value, str) or joint in start:
                continue
            start[joint] = value
            if number and joint in joints:
                losses.add(step.place, f"joint {joint!r} is first given here; it has this angle from the start on")
    missing = [joint for joint in joints if joint not in start]
    for joint in missing:
        known = BY_NAME.get(joint)
        start[joint] = known.rest if known is not None else 0.0
        text = f"joint {joint!r} is not given and becomes {math.degrees(start[joint]):.6g} deg"
        losses.count(f"motions.{motion}", f"missing {joint}", text)
    return start
