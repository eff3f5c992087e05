"""A motion as a bare list of keys (duration and angles), and what gets lost on the way there.

All AIBO formats hold no more than that: poses and times. What a keyframe says besides is listed as a loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from andante.formats.aibo.names import BY_NAME
from andante.formats.errors import FormatError
from andante.motions.interpolation import effective_interpolation
from andante.motions.keyframe import Block, Interpolation, Keyframe
from andante.motions.library import Motion, MotionLibrary

_MAX_KEYS = 1_000_000
_MAX_LOSSES = 200


class Losses:
    """Sentences in the order met, each once, and not more than people read."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}
        self._more = 0

    def add(self, inside: str, text: str) -> None:
        """Put down a loss at a place of the library."""
        sentence = f"{inside}: {text}" if inside else text
        if sentence in self._texts:
            return
        if len(self._texts) < _MAX_LOSSES:
            self._texts[sentence] = None
        else:
            self._more += 1

    @property
    def texts(self) -> list[str]:
        """The sentences."""
        return [*self._texts, *([f"and {self._more} more losses"] if self._more else [])]


@dataclass(frozen=True)
class Key:
    """One pose of a motion and the time to get there."""

    duration: float
    """Time from the pose before [s]."""
    angles: tuple[float, ...]
    """Angles of the asked joints [rad]."""
    note: str
    """The keyframe's note."""
    place: str
    """Place in the library."""
    given: frozenset[str]
    """Joints that the keyframe itself gives an angle."""


def library_losses(library: MotionLibrary, losses: Losses) -> None:
    """Put down what no pose list holds of the library as a whole."""
    for field in ("settings", "balance", "dialect"):
        if getattr(library, field) != MotionLibrary.model_fields[field].get_default(call_default_factory=True):
            losses.add(field, "is not held")
    used = {name for motion in library.motions.values() for name in motion.blocks}
    for name in library.blocks:
        if name not in used:
            losses.add(f"blocks.{name}", "belongs to no motion and is not held")


def used_joints(library: MotionLibrary, motion: str) -> list[str]:
    """Joints that a motion gives an angle, in the order met."""
    joints: dict[str, None] = {}
    for block, _ in _blocks(library, motion):
        for keyframe in block.keyframes:
            joints |= {name: None for name, value in keyframe.joints.items() if not isinstance(value, str)}
    return list(joints)


def flatten(
    library: MotionLibrary,
    motion: str,
    joints: Sequence[str],
    losses: Losses,
    defaults: Mapping[str, float] | None = None,
) -> list[Key]:
    """Return a motion's keys, every joint with an angle in each.

    A joint keeps the angle of the key before; before its first one it takes that first one's, so that it does not move
    to it; a joint that is never given takes its default.

    Args:
        library: The library.
        motion: Name of the motion.
        joints: Joints in the wanted order.
        losses: Takes what is not held.
        defaults: Angles of joints that the motion never gives [rad]; else nearest to zero inside the limits.

    Raises:
        FormatError: A block is missing, or there are absurdly many keys.
    """
    entry = library.motions[motion]
    _motion_losses(entry, motion, losses)
    keyframes = []
    for block, place in _blocks(library, motion):
        _block_losses(block, place, losses)
        for index, keyframe in enumerate(block.keyframes):
            where = f"{place}.keyframes[{index}]"
            _keyframe_losses(keyframe, block, where, losses)
            keyframes.append((keyframe, where))
            if len(keyframes) > _MAX_KEYS:
                raise FormatError("the motion has too many keyframes", inside=motion, limit=f"{_MAX_KEYS}")
    posture = _start(keyframes, joints, motion, losses, defaults or {})
    wanted = set(joints)
    keys = []
    for keyframe, where in keyframes:
        for joint, value in keyframe.joints.items():
            if isinstance(value, str):
                losses.add(f"{where}.joints.{joint}", f"'{value}' is not held, the joint keeps its angle")
            elif joint in wanted:
                posture[joint] = value
            else:
                losses.add(f"motions.{motion}", f"joint {joint!r} is not held")
        given = frozenset(joint for joint, value in keyframe.joints.items() if not isinstance(value, str))
        angles = tuple(posture[joint] for joint in joints)
        keys.append(Key(keyframe.duration, angles, keyframe.note, where, given))
    return keys


def _start(
    keyframes: Iterable[tuple[Keyframe, str]],
    joints: Sequence[str],
    motion: str,
    losses: Losses,
    defaults: Mapping[str, float],
) -> dict[str, float]:
    start: dict[str, float] = {}
    late: dict[str, str] = {}
    for number, (keyframe, where) in enumerate(keyframes):
        for joint, value in keyframe.joints.items():
            if not isinstance(value, str) and joint not in start:
                start[joint] = value
                if number:
                    late[joint] = where
    for joint in joints:
        if joint in start:
            if joint in late:
                losses.add(late[joint], f"joint {joint!r} is first given here; it has this angle from the start on")
            continue
        known = BY_NAME.get(joint)
        start[joint] = defaults.get(joint, known.rest if known is not None else 0.0)
        losses.add(f"motions.{motion}", f"joint {joint!r} is not given and becomes {start[joint]:.6g} rad")
    return start


def _blocks(library: MotionLibrary, motion: str) -> list[tuple[Block, str]]:
    blocks = []
    for name in library.motions[motion].blocks:
        if name not in library.blocks:
            raise FormatError(
                "the library has no such block", inside=f"motions.{motion}.blocks", value=name, legal=library.blocks
            )
        blocks.append((library.blocks[name], f"blocks.{name}"))
    return blocks


def _motion_losses(entry: Motion, name: str, losses: Losses) -> None:
    for field, info in Motion.model_fields.items():
        if field not in ("blocks", "note") and getattr(entry, field) != info.get_default(call_default_factory=True):
            losses.add(f"motions.{name}.{field}", "is not held")
    if entry.blocks and entry.blocks != (name,):
        losses.add(f"motions.{name}.blocks", "become one list of poses")


def _block_losses(block: Block, place: str, losses: Losses) -> None:
    if block.base_stiffness:
        losses.add(f"{place}.base_stiffness", "is not held")
    if block.note:
        losses.add(f"{place}.note", "is not held")


_HELD = {"duration", "joints", "interpolation", "note"}


def _keyframe_losses(keyframe: Keyframe, block: Block, place: str, losses: Losses) -> None:
    for field in sorted(keyframe.model_fields_set - _HELD):
        if getattr(keyframe, field) != Keyframe.model_fields[field].get_default(call_default_factory=True):
            losses.add(f"{place}.{field}", "is not held")
    way = effective_interpolation(keyframe.interpolation, block.interpolation)
    if way is not Interpolation.LINEAR:
        losses.add(f"{place}.interpolation", f"'{way}' becomes linear")
