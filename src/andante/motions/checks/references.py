"""Names that nothing answers to: robot, joints, groups, phases, blocks, motions."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from andante.errors import nearest_name
from andante.motions.checks.context import CheckContext, DocumentContext
from andante.motions.findings import Finding, Severity
from andante.motions.keyframe import Keyframe
from andante.motions.library import MotionLibrary

RULE = "unknown-reference"
_COMPANION = "the file keyframeMotionParameters.cfg, which lists them,"
_MOST_COMPARED, _FEWEST = 60_000, 300
"""So many names are compared with wrong ones, each time with all that are legal; a comparison with fewer than the
second counts as one with so many."""


def check_references(context: CheckContext) -> Iterator[Finding]:
    """Findings for every name that the library or the robot does not know."""
    known = _Known()
    library, robot = context.library, context.robot
    if library.robot != robot.name:
        message = f"the library is for robot {library.robot!r}, not for {robot.name!r}"
        yield Finding(RULE, "error", "robot", message, value=library.robot, limit=robot.name)
    yield from _motions(library, known)
    for name, entry in library.blocks.items():
        for group in entry.base_stiffness:
            place = f"blocks.{name}.base_stiffness.{group}"
            yield from known(group, robot.groups, place, f"robot {robot.name!r}", "joint group")
    for place, keyframe in context.keyframes():
        for where, joint in _joints(keyframe):
            yield from known(joint, robot.joint_names, f"{place}.{where}", f"robot {robot.name!r}", "joint")
        yield from _branches(context, place, keyframe, known)
        yield from _phase(context, place, keyframe, known)


def check_own_names(context: DocumentContext) -> Iterator[Finding]:
    """Findings for every name that the library itself does not know, whatever its robot."""
    known = _Known()
    yield from _motions(context.library, known)
    for place, keyframe in context.keyframes():
        yield from _branches(context, place, keyframe, known)
        yield from _phase(context, place, keyframe, known)


def _motions(library: MotionLibrary, known: _Known) -> Iterator[Finding]:
    for name, motion in library.motions.items():
        for index, block in enumerate(motion.blocks):
            # A long motion names thousands, nearly all of them known.
            if block not in library.blocks:
                yield from known(block, library.blocks, f"motions.{name}.blocks[{index}]", "the library", "block")
        for index, follow_up in enumerate(motion.follow_ups):
            place = f"motions.{name}.follow_ups[{index}]"
            yield from known(follow_up.motion, library.motions, f"{place}.motion", "the library", "motion")
            for number, other in enumerate(follow_up.alternatives):
                yield from known(other, library.motions, f"{place}.alternatives[{number}]", "the library", "motion")


def _joints(keyframe: Keyframe) -> Iterator[tuple[str, str]]:
    """Every joint that a keyframe names, with the field."""
    for joint in keyframe.joints:
        yield f"joints.{joint}", joint
    for index, rule in enumerate(keyframe.compensation):
        if not rule.hip_pitch_difference:
            yield f"compensation[{index}].joint", rule.joint
        for number, target in enumerate(rule.targets):
            yield f"compensation[{index}].targets[{number}].joint", target.joint
    for field, entries in (("balance_pitch", keyframe.balance_pitch), ("balance_roll", keyframe.balance_roll)):
        for index, entry in enumerate(entries):
            yield f"{field}[{index}].joint", entry.joint
    for index, change in enumerate(keyframe.stiffness):
        yield f"stiffness[{index}].joint", change.joint


def _branches(context: DocumentContext, place: str, keyframe: Keyframe, known: _Known) -> Iterator[Finding]:
    library = context.library
    for index, branch in enumerate(keyframe.branches):
        where = f"{place}.branches[{index}]"
        if branch.motion is not None:
            yield from known(branch.motion, library.motions, f"{where}.motion", "the library", "motion")
        elif branch.block is not None:
            yield from known(branch.block, library.blocks, f"{where}.block", "the library", "block")
        else:
            yield Finding(RULE, "error", where, "the branch names neither a block nor a motion")


def _phase(context: DocumentContext, place: str, keyframe: Keyframe, known: _Known) -> Iterator[Finding]:
    phases = context.library.balance
    if keyframe.phase == "unknown" or keyframe.phase in phases:
        return
    balanced = keyframe.balance_pitch or keyframe.balance_roll
    if balanced and not phases and context.library.dialect != "andante":
        message = f"the library has no balance phase {keyframe.phase!r}, as it has none: {_COMPANION} is missing"
        yield Finding(RULE, "error", f"{place}.phase", message, value=keyframe.phase)
    elif balanced:
        yield from known(keyframe.phase, phases, f"{place}.phase", "the library", "balance phase")
    elif phases:
        yield from known(keyframe.phase, phases, f"{place}.phase", "the library", "balance phase", "warning")


class _Known:
    """Tells of names that are not known; of the first ones also which known name is near, which takes time."""

    def __init__(self) -> None:
        self._compared = 0

    def __call__(
        self, name: str, legal: Collection[str], place: str, owner: str, kind: str, severity: Severity = "error"
    ) -> Iterator[Finding]:
        if name in legal:
            return
        self._compared += max(len(legal), _FEWEST)
        nearest = nearest_name(name, legal) if self._compared <= _MOST_COMPARED else None
        hint = f"; did you mean {nearest!r}?" if nearest is not None else ""
        yield Finding(RULE, severity, place, f"{owner} has no {kind} {name!r}{hint}", value=name, limit=nearest)
