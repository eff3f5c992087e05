"""One joint that is turned the wrong way where everything else is a mirror image: the sign that somebody forgot.

Looked for are keyframes in which all pairs of joints but one are mirror images of each other and that one has the
wrong sign, and motions that are called left and right and are mirror images but for a few joints.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from andante.motions.checks.context import CheckContext
from andante.motions.editing.mirror import partner_joint, sign_of
from andante.motions.findings import Finding
from andante.motions.keyframe import Keyframe, angles_of
from andante.motions.library import MotionLibrary

MIRROR = "mirror"
_EQUAL = math.radians(0.5)
"""Angles that differ by less are the same [rad]."""
_TURNED = math.radians(3.0)
"""A smaller angle has no sign worth looking at [rad]."""
_OFF = math.radians(5.0)
"""A joint of a mirrored motion that differs by more is told [rad]."""
_FEW, _ALIKE = 3, 0.8
"""So many other pairs have to be mirror images; so large a share of a motion's angles."""
_SIDE = re.compile(r"(left|right)", re.IGNORECASE)


def check_mirror(context: CheckContext) -> Iterator[Finding]:
    """Joints whose sign contradicts the mirror image that everything around them is."""
    signs = {name: sign_of(context.robot, name) for name in context.robot.joint_names}
    pairs = [(left, right) for left, right in context.robot.mirror.pairs if left in signs and right in signs]
    if not pairs:
        return
    for place, keyframe in context.keyframes():
        yield from _in_keyframe(place, keyframe, pairs, signs)
    yield from _between_motions(context, signs)


def _in_keyframe(
    place: str, keyframe: Keyframe, pairs: list[tuple[str, str]], signs: dict[str, float]
) -> Iterator[Finding]:
    wrong: list[tuple[str, float, float]] = []
    alike, angles = 0, angles_of(keyframe)
    for left, right in pairs:
        if left not in angles or right not in angles:
            continue
        mine, other = angles[left], angles[right]
        wanted = signs[right] * mine
        if abs(other - wanted) <= _EQUAL:
            alike += abs(mine) > _TURNED
        elif abs(other + wanted) <= _EQUAL and abs(mine) > _TURNED:
            wrong.append((right, other, wanted))
        else:
            return
    if len(wrong) == 1 and alike >= _FEW:
        joint, value, wanted = wrong[0]
        message = (
            f"{joint} is {math.degrees(value):.2f} deg where the mirror image of the other side, which all other joints"
            f" are, has {math.degrees(wanted):.2f} deg; is the sign wrong?"
        )
        yield Finding(MIRROR, "warning", f"{place}.joints.{joint}", message, joint, None, value, wanted)


def _between_motions(context: CheckContext, signs: dict[str, float]) -> Iterator[Finding]:
    library = context.library
    for name in library.motions:
        other = _SIDE.sub(_other_side, name)
        if other == name or other not in library.motions or "right" not in name.lower():
            continue
        mine, theirs = _angles(library, name), _angles(library, other)
        if len(mine) != len(theirs):
            continue
        off: list[tuple[str, str, float, float]] = []
        alike = 0
        for (place, angles), (_, source) in zip(mine, theirs, strict=True):
            for joint, value in source.items():
                partner = partner_joint(context.robot, joint)
                if joint not in signs or partner not in angles:
                    continue
                found, wanted = angles[partner], signs[joint] * value
                if abs(found - wanted) > _OFF:
                    off.append((f"{place}.joints.{partner}", partner, found, wanted))
                elif abs(found - wanted) <= _EQUAL:
                    alike += 1
        if off and alike >= _ALIKE * (alike + len(off)):
            for place, joint, value, wanted in off:
                message = (
                    f"{joint} is {math.degrees(value):.2f} deg where the mirror image of motion {other!r}, which the"
                    f" rest is, has {math.degrees(wanted):.2f} deg"
                )
                yield Finding(MIRROR, "warning", place, message, joint, None, value, wanted, name)


def _angles(library: MotionLibrary, motion: str) -> list[tuple[str, dict[str, float]]]:
    """The angles of a motion's keyframes with their places."""
    return [
        (f"blocks.{block}.keyframes[{index}]", angles_of(keyframe))
        for block in library.motions[motion].blocks
        if block in library.blocks
        for index, keyframe in enumerate(library.blocks[block].keyframes)
    ]


def _other_side(found: re.Match[str]) -> str:
    word = found[1]
    other = "right" if word.lower() == "left" else "left"
    return other.capitalize() if word[0].isupper() else other
