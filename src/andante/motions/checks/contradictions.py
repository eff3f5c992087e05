"""Entries that stand twice, cancel each other, or can never hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from andante.motions.checks.context import DocumentContext
from andante.motions.conditions import DISPLAY, Condition, Variable, WaitCondition
from andante.motions.findings import Finding
from andante.motions.keyframe import JointCompensation, JointScale, Keyframe
from andante.motions.library import condition_groups
from andante.motions.parts import AngleRange, TorsoWindow

DUPLICATE = "duplicate"
CONTRADICTION = "contradiction"
INVERTED = "inverted-range"
_FACTORS = 4
"""So many factors of a joint are named."""


def check_duplicates(context: DocumentContext) -> Iterator[Finding]:
    """Joints and rules that are listed twice, with equal, adding or cancelling effect."""
    for place, keyframe in context.keyframes():
        rules: dict[JointCompensation, int] = {}
        for index, rule in enumerate(keyframe.compensation):
            yield from _scales(rule.targets, f"{place}.compensation[{index}].targets")
            if (first := rules.setdefault(rule, index)) != index:
                message = f"the same rule stands before (compensation[{first}])"
                yield Finding(DUPLICATE, "warning", f"{place}.compensation[{index}]", message, joint=rule.joint)
        yield from _scales(keyframe.balance_pitch, f"{place}.balance_pitch")
        yield from _scales(keyframe.balance_roll, f"{place}.balance_roll")
        yield from _stiffness(place, keyframe)
        waits: dict[WaitCondition, int] = {}
        for index, wait in enumerate(keyframe.waits):
            if waits.setdefault(wait, index) != index:
                yield Finding(DUPLICATE, "warning", f"{place}.waits[{index}]", "the same condition stands before")


def check_conditions(context: DocumentContext) -> Iterator[Finding]:
    """Conditions on one variable that cannot hold together, and entries that never get their turn."""
    for place, conditions, together in condition_groups(context.library):
        if together:
            yield from _impossible(conditions, place)
    for name, motion in context.library.motions.items():
        certain = [index for index, follow_up in enumerate(motion.follow_ups) if not follow_up.conditions]
        for index in range(certain[0] + 1 if certain else len(motion.follow_ups), len(motion.follow_ups)):
            message = f"never chosen, as follow_ups[{certain[0]}] has no conditions and always is"
            yield Finding(CONTRADICTION, "warning", f"motions.{name}.follow_ups[{index}]", message)
    for place, keyframe in context.keyframes():
        for index, branch in enumerate(keyframe.branches):
            if branch.motion is not None and branch.block is not None:
                message = f"has no effect, as the branch names the motion {branch.motion!r}"
                yield Finding(CONTRADICTION, "info", f"{place}.branches[{index}].block", message, value=branch.block)


def check_ranges(context: DocumentContext) -> Iterator[Finding]:
    """Ranges whose lower end is above the upper one, and compensation ranges without width."""
    for place, condition in all_conditions(context):
        if not _plain(condition):
            message = f"{_shown(condition)} has its lower end above its upper one: it holds outside of that gap"
            yield Finding(INVERTED, "warning", place, message, value=condition.min, limit=condition.max)
    for place, keyframe in context.keyframes():
        for index, rule in enumerate(keyframe.compensation):
            yield from _compensation_range(rule.range, f"{place}.compensation[{index}].range")
        yield from _window(keyframe.window, f"{place}.window")
        if keyframe.window_start is not None:
            yield from _window(keyframe.window_start, f"{place}.window_start")


def all_conditions(context: DocumentContext) -> Iterator[tuple[str, Condition]]:
    """Every condition of the library with its place."""
    for place, conditions, _ in condition_groups(context.library):
        for index, condition in enumerate(conditions):
            yield f"{place}[{index}]", condition


def _scales(entries: Sequence[JointScale], place: str) -> Iterator[Finding]:
    """A joint that is listed twice among the joints that share one correction."""
    by_joint: dict[str, list[tuple[int, JointScale]]] = {}
    for index, entry in enumerate(entries):
        by_joint.setdefault(entry.joint, []).append((index, entry))
    for joint, listed in by_joint.items():
        # The same joint with different signs is how one writes a correction that differs by side.
        if len(listed) < 2 or len({entry.sign for _, entry in listed}) == len(listed):
            continue
        total = sum(entry.scale for _, entry in listed)
        factors = " and ".join(f"{entry.scale:g}" for _, entry in listed[:_FACTORS])
        factors += f" and {len(listed) - _FACTORS} more" * (len(listed) > _FACTORS)
        where = f"{place}[{listed[-1][0]}]"
        if abs(total) < 1e-9:
            message = f"{joint} is listed {len(listed)} times with factors {factors}, which cancel each other"
            yield Finding(CONTRADICTION, "warning", where, message, joint=joint, value=total)
        else:
            message = f"{joint} is listed {len(listed)} times with factors {factors}; together they act as {total:g}"
            yield Finding(DUPLICATE, "warning", where, message, joint=joint, value=total)


def _stiffness(place: str, keyframe: Keyframe) -> Iterator[Finding]:
    seen: dict[str, float] = {}
    for index, change in enumerate(keyframe.stiffness):
        where = f"{place}.stiffness[{index}]"
        before = seen.get(change.joint)
        if before is not None and before == change.stiffness:
            yield Finding(DUPLICATE, "info", where, f"{change.joint} is listed twice", joint=change.joint)
        elif before is not None:
            message = f"{change.joint} gets stiffness {change.stiffness:g} after {before:g} in the same keyframe"
            yield Finding(CONTRADICTION, "warning", where, message, joint=change.joint, value=change.stiffness)
        seen[change.joint] = change.stiffness


def _impossible(conditions: Sequence[Condition], place: str) -> Iterator[Finding]:
    """Plain ranges of one variable that have no common value with one before; each is told once."""
    highest: dict[Variable, Condition] = {}
    lowest: dict[Variable, Condition] = {}
    ranges: dict[tuple[Variable, float, float, bool], Condition] = {}
    for index, condition in enumerate(conditions):
        if not _plain(condition):
            continue
        variable, low, high, negate = condition.variable, condition.min, condition.max, condition.negate
        other = ranges.get((variable, low, high, not negate))
        ranges.setdefault((variable, low, high, negate), condition)
        if not negate:
            # Of those before, these two leave the least room above and below.
            above, below = highest.setdefault(variable, condition), lowest.setdefault(variable, condition)
            other = other or (above if high < above.min else below if below.max < low else None)
            highest[variable] = max(above, condition, key=lambda each: each.min)
            lowest[variable] = min(below, condition, key=lambda each: each.max)
        if other is not None:
            message = f"{_shown(condition)} and {_shown(other)} can never hold together"
            yield Finding(CONTRADICTION, "warning", f"{place}[{index}]", message, value=variable.value)


def _plain(condition: Condition) -> bool:
    return condition.min <= condition.max


def _compensation_range(range_: AngleRange, place: str) -> Iterator[Finding]:
    low, high = range_.min, range_.max
    text = f"{math.degrees(low):g} to {math.degrees(high):g} deg"
    if low == high:
        message = f"the range {text} has no width, so that the correction is not defined"
        yield Finding(INVERTED, "error", place, message, value=low, limit=high)
    elif low * high > 0.0 and abs(low) > abs(high):
        message = f"the range {text} begins with the larger error, so that large errors are not corrected"
        yield Finding(INVERTED, "warning", place, message, value=low, limit=high)


def _window(window: TorsoWindow, place: str) -> Iterator[Finding]:
    for field, bounds in (("pitch", window.pitch), ("roll", window.roll)):
        low, high = bounds.min, bounds.max
        if low == "keep" or high == "keep" or low <= high:
            continue
        message = f"no angle lies between {math.degrees(low):g} and {math.degrees(high):g} deg: breaks up at once"
        yield Finding(INVERTED, "error", f"{place}.{field}", message, value=low, limit=high)


def _shown(condition: Condition) -> str:
    factor, unit = DISPLAY[condition.variable.dimension]
    negated = "not " if condition.negate else ""
    return f"{negated}{condition.variable.value} {condition.min * factor:g}..{condition.max * factor:g}{unit}"
