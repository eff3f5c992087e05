"""A motion in words: its blocks, keyframes, stiffness and conditions, as lines for people."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator

from andante.motions.capture_point import CapturePointBalance
from andante.motions.conditions import DISPLAY, Condition, ConditionGroup
from andante.motions.errors import block_of, motion_of
from andante.motions.keyframe import Block, Branch, Interpolation, Keyframe
from andante.motions.library import MotionLibrary, keyframes_of, stiff_blocks

_WIDTH = 118
_FRAME = 0.016 + 1e-9


def duration_of(library: MotionLibrary, motion: str) -> float:
    """Time of all keyframes of a motion, without waits and branches [s]; a block that is missing counts nothing.

    Raises:
        MotionError: The library has no such motion.
    """
    motion_of(library, motion)
    durations = [keyframe.duration for keyframe in keyframes_of(library, motion)]
    # An AIBO's motion begins in a first keyframe of one frame, as the checks count it; nothing takes place before.
    at_once = bool(durations) and library.robot.startswith("ers") and durations[0] <= _FRAME
    return sum(durations[at_once:])


def motion_lines(library: MotionLibrary, name: str) -> list[str]:
    """A motion, block by block and keyframe by keyframe, in degrees, milliseconds and millimetres.

    Raises:
        MotionError: The library has no such motion, or lacks one of its blocks.
    """
    motion = motion_of(library, name)
    blocks = [(block, block_of(library, block, f"motions.{name}.blocks")) for block in motion.blocks]
    keyframes = sum(len(block.keyframes) for _, block in blocks)
    lines = [
        f"motion {name}, robot {library.robot}: {_count(len(blocks), 'block')}, {_count(keyframes, 'keyframe')},"
        f" {duration_of(library, name):.2f} s without waits and branches"
    ]
    lines += _wrapped(motion.note, "  ")
    silent = stiff_blocks(library)
    begin = 0.0
    for block_name, block in blocks:
        lines.append(f"  block {block_name}")
        lines += _wrapped(block.note, "    ")
        lines += _wrapped(f"stiffness: {_stiffness(block, block_name in silent)}", "    ")
        if block.capture_point is not None:
            lines += _wrapped(_capture_point(block.capture_point), "    ")
        for number, keyframe in enumerate(block.keyframes):
            end = begin + keyframe.duration
            way = block.interpolation if keyframe.interpolation is Interpolation.DEFAULT else keyframe.interpolation
            phase = "" if keyframe.phase == "unknown" else f", phase {keyframe.phase}"
            lines.append(f"    {number:>3}  {1e3 * begin:.0f} .. {1e3 * end:.0f} ms, {way}{phase}")
            for told in _told(keyframe):
                lines += _wrapped(told, "         ")
            begin = end
    if motion.balance_out:
        lines.append("  balances at the end until the robot is still")
    for follow_up in motion.follow_ups:
        group = ConditionGroup(conditions=follow_up.conditions, all=follow_up.all)
        when = f" if {group_text(group)}" if follow_up.conditions else ""
        others = f" (or {', '.join(follow_up.alternatives)} where it failed)" if follow_up.alternatives else ""
        mirrored = ", left and right exchanged," if follow_up.mirror else ""
        lines += _wrapped(f"followed by motion {follow_up.motion}{mirrored}{others}{when}", "  ")
    return lines


def condition_text(condition: Condition) -> str:
    """A condition in words, such as ``torso_pitch in -10 .. 20 deg``."""
    factor, unit = DISPLAY[condition.variable.dimension]
    inside = "not in" if condition.negate else "in"
    return f"{condition.variable} {inside} {factor * condition.min:.4g} .. {factor * condition.max:.4g}{unit}"


def group_text(group: ConditionGroup) -> str:
    """A group of conditions in words; ``always`` for an empty one."""
    return (" and " if group.all else " or ").join(map(condition_text, group.conditions)) or "always"


def _told(keyframe: Keyframe) -> Iterator[str]:
    """What a keyframe says beside its time, each in words; some may be empty."""
    yield keyframe.note
    yield ", ".join(f"{joint} {_target(value)}" for joint, value in keyframe.joints.items() if value != "ignore")
    for limb, pose in (keyframe.limbs or {}).items():
        yield f"{limb} {_pose(pose.position, 1e3, 'mm')}{_turned(pose.rotation)}"
    if keyframe.stiffness:
        yield "stiffness from here: " + ", ".join(f"{each.joint} {each.stiffness:g}" for each in keyframe.stiffness)
    for rule in keyframe.compensation:
        targets = ", ".join(f"{target.joint} x {target.scale:g}" for target in rule.targets)
        source = "the difference of the hip pitches" if rule.hip_pitch_difference else f"a lag of {rule.joint}"
        low, high = math.degrees(rule.range.min), math.degrees(rule.range.max)
        yield f"{source} of {low:.4g} .. {high:.4g} deg moves {targets}"
    for wait in keyframe.waits:
        # Among several waits each has its second, as in the original engine.
        most = 1e3 * (wait.max_wait if len(keyframe.waits) == 1 else 1.0)
        yield f"waits until {condition_text(wait)}, at most {most:.0f} ms"
    yield from map(_branch, keyframe.branches)


def _branch(branch: Branch) -> str:
    what = f"goes over to motion {branch.motion}" if branch.motion is not None else f"inserts block {branch.block}"
    often = f", at most {_count(branch.most_loops, 'time')}" if branch.most_loops >= 0 else ""
    parts = [f"before it if {group_text(branch.pre)}"] if branch.pre.conditions else []
    parts += [f"at any time if {group_text(branch.early)}"] if branch.early is not None else []
    return f"{what} {' or '.join(parts) or 'never'}{often}"


def _capture_point(balance: CapturePointBalance) -> str:
    gains = ", ".join(f"{role} {gain:g}" for role, gain in balance.gains.items() if gain)
    return f"balances by the capture point: {gains or 'no joint'} (rad/m), in force after {1e3 * balance.blend:.0f} ms"


def _target(value: float | str) -> str:
    return value if isinstance(value, str) else f"{math.degrees(value):.4g}"


def _pose(values: tuple[float, float, float] | None, factor: float, unit: str) -> str:
    return "where it is" if values is None else f"({', '.join(f'{factor * each:.4g}' for each in values)}) {unit}"


def _turned(rotation: tuple[float, float, float] | None) -> str:
    return "" if rotation is None else f", turned by {_pose(rotation, 180.0 / math.pi, 'deg')}"


def _stiffness(block: Block, silent: bool) -> str:
    stated = [f"{group} {value:g}" for group, value in block.base_stiffness.items() if value is not None]
    return ", ".join(stated) or ("full, as the motion states none" if silent else "unchanged")


def _wrapped(text: str, indent: str) -> Iterable[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
