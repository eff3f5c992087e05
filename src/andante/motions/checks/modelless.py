"""Checks of a library whose robot nobody has a model of: what the document says, and its motions of each other."""

from __future__ import annotations

import math
from collections.abc import Iterator

from andante.motions.checks.context import DocumentContext
from andante.motions.checks.contradictions import check_conditions, check_duplicates, check_ranges
from andante.motions.checks.references import check_own_names
from andante.motions.checks.structure import check_empty, check_loops, check_reachability
from andante.motions.checks.targets import check_durations, check_pace, check_turns
from andante.motions.findings import Finding, by_severity
from andante.motions.keyframe import angles_of
from andante.motions.library import MotionLibrary, keyframes_of
from andante.motions.posture_kind import ANY, ends_of

UNCHECKED = "unchecked"
UNKNOWN = "unknown"
"""Robot of a library whose files do not tell theirs."""
ENDS = "ends"
NOT_LOOKED_AT = ("limits", "speed", "self-collision", "balance", "reach")
"""What needs a model of the robot."""
_OFF = math.radians(10.0)
"""Difference of a joint from a posture, as other motions have it, from which it is told [rad]."""


def check_without_model(library: MotionLibrary) -> list[Finding]:
    """Examine a library by all rules that need no model of its robot; the first finding says what was not looked at.

    Returns:
        The findings, errors first.
    """
    context = DocumentContext(library)
    what = ", ".join(NOT_LOOKED_AT)
    why = f"there is no model of robot {library.robot!r}"
    if library.robot == UNKNOWN:
        why = "nothing says which robot the motions are for"
    message = f"{why}, so that {what} are not looked at; give --robot with one"
    found = [Finding(UNCHECKED, "warning", "robot", message, value=library.robot)]
    for check in (
        check_own_names,
        check_durations,
        check_pace,
        check_turns,
        check_duplicates,
        check_conditions,
        check_ranges,
        check_empty,
        check_reachability,
        check_loops,
        check_own_postures,
    ):
        found += check(context)
    return by_severity(found)


def check_own_postures(context: DocumentContext) -> Iterator[Finding]:
    """Ends of motions that declare their postures by name against the same postures of the library's other motions."""
    shown: dict[str, dict[str, list[float]]] = {}
    ends: list[tuple[str, str, str, dict[str, float]]] = []
    library = context.library
    for name in library.motions:
        told = ends_of(library, name)
        keys = keyframes_of(library, name)
        if not told.declared or not keys:
            continue
        last: dict[str, float] = {}
        for key in keys:
            last |= angles_of(key)
        for verb, posture, angles in (("begins", told.start, angles_of(keys[0])), ("ends", told.end, last)):
            if posture is not None and posture != ANY:
                ends.append((name, verb, posture, angles))
                for joint, angle in angles.items():
                    shown.setdefault(posture, {}).setdefault(joint, []).append(angle)
    usual = {
        posture: {joint: sorted(angles)[len(angles) // 2] for joint, angles in joints.items() if len(angles) > 2}
        for posture, joints in shown.items()
    }
    for name, verb, posture, angles in ends:
        for joint, angle in angles.items():
            off = abs(angle - usual[posture].get(joint, angle))
            if off > _OFF:
                message = (
                    f"{verb} with {joint} {math.degrees(off):.1f} deg from posture {posture!r} as most of the library's"
                    f" motions have it; limit: {math.degrees(_OFF):.1f} deg"
                )
                yield Finding(ENDS, "warning", f"motions.{name}", message, joint, None, off, _OFF, name)
