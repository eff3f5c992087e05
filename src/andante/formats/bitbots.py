"""Bit-Bots' animations (JSON): keyframes with goals in degrees, a duration and a pause in seconds.

A pause becomes a keyframe of its own with the same goals. Goals may be partial; the other joints are left alone. The
robot's quintic splines are read as sine curves, which differ by up to 4.4 % of the way; torque, gains and
stabilisation functions have no counterpart and are kept in the keyframe's extras. The file does not name its robot: it
is the one asked for, that of a folder `<robot>_animations`, or the team's Wolfgang.

Source: docs/sources/motion-formats.md, section 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from andante.formats.report import Losses, ReadReport
from andante.formats.shared.json_text import dump_json
from andante.formats.shared.losses import note_losses
from andante.formats.shared.numbers import degrees, plain, radians
from andante.formats.shared.single import StepsCodec, library_of_one, name_of
from andante.formats.shared.steps import Holds, OutgoingKeyframe, keyframe_of, text_of
from andante.formats.shared.values import Value
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, Interpolation, Keyframe
from andante.motions.library import Motion, MotionLibrary

DEFAULT_ROBOT = "wolfgang"
_KIND: Kind = "bitbots"
_ABOUT = ("version", "author", "description", "last_edited", "hostname")
_EXTRAS = ("torque", "kp", "kd", "stabilization_functions")
_SIGNATURE = re.compile(rb'"goals"\s*:')
_FOLDER = re.compile(r"([A-Za-z0-9]+)_animations")


class BitBotsCodec(StepsCodec):
    """Reads and writes Bit-Bots' JSON."""

    name = "bitbots"
    title = "Bit-Bots animation (JSON)"
    suffixes = (".json",)
    holds = Holds(("note",), ("note", "extras"), _KIND, ways=(Interpolation.SINE_MIN_TO_MAX,))

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        if head.lstrip()[:1] != b"{" or b'"keyframes"' not in head:
            return 0.0
        return 0.9 if _SIGNATURE.search(head) else 0.35

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        root = Value.of_text(text, str(path), report)
        fields = root.record(("keyframes",), ("name", *_ABOUT))
        name = fields["name"].text() if "name" in fields else ""
        kept = {field: fields[field].plain() for field in _ABOUT if field in fields}
        if "name" in fields and not name:
            kept["unnamed"] = True
        name = name or name_of(path)
        keyframes = tuple(each for item in fields["keyframes"].array() for each in _keyframes(item))
        if keyframes:
            root.warn("the robot's quintic splines are read as sine curves, up to 4.4 % of the way apart")
        block = Block(keyframes=keyframes, interpolation=Interpolation.SINE_MIN_TO_MAX)
        return library_of_one(_robot(root, path, report), name, block, extras={_KIND: kept or {"bare": True}})

    def text(self, library: MotionLibrary, name: str, steps: Sequence[OutgoingKeyframe], losses: Losses) -> str:
        """The file of a motion with these steps."""
        return dump_json(_encode(name, library.motions[name], steps, losses))


def _robot(root: Value, path: Path, report: ReadReport) -> str:
    if report.robot:
        return report.robot
    for part in reversed(path.parts[:-1]):
        match = _FOLDER.fullmatch(part)
        if match:
            return match[1]
    root.warn(f"the file does not name its robot; {DEFAULT_ROBOT!r} is taken")
    return DEFAULT_ROBOT


def _keyframes(value: Value) -> list[Keyframe]:
    """An entry's keyframe, and that of its pause."""
    fields = value.record((), ("name", "duration", "pause", "goals", *_EXTRAS))
    kept: dict[str, Any] = {}
    for name in _EXTRAS:
        if name in fields:
            kept[name] = fields[name].plain()
            if kept[name]:
                fields[name].warn(f"{name!r} has no counterpart; it is kept, not executed", value.inside)
    title = fields["name"].text() if "name" in fields else ""
    targets = fields["goals"].record() if "goals" in fields else {}
    goals = {joint: radians(target.number()) for joint, target in targets.items()}
    # The robot's own defaults for what a keyframe leaves out: 1 s, no pause.
    times = {"duration": 1.0, "pause": 0.0}
    for name in times:
        if name in fields:
            times[name] = fields[name].duration()
        else:
            kept.setdefault("left_out", []).append(name)
    keyframes = [keyframe_of(times["duration"], goals, note=title, extras={_KIND: kept} if kept else {})]
    if times["pause"] > 0.0:
        keyframes.append(keyframe_of(times["pause"], goals, extras={_KIND: {"pause": True}}))
    return keyframes


def _encode(name: str, motion: Motion, steps: Sequence[OutgoingKeyframe], losses: Losses) -> dict[str, Any]:
    """The file's data."""
    kept = motion.extras.get(_KIND)
    data: dict[str, Any] = {"name": "" if kept and kept.get("unnamed") is True else name}
    if kept:
        data |= {field: kept[field] for field in _ABOUT if field in kept}
        note_losses(motion.note, f"motions.{name}", losses)
    else:
        data |= {"version": "1.0", "author": "", "description": motion.note}
    keyframes: list[dict[str, Any]] = []
    for step in steps:
        extras = step.keyframe.extras.get(_KIND, {})
        before = keyframes[-1] if keyframes else None
        goals = _goals(step, losses)
        if extras.get("pause") is True and before is not None and before["goals"] == goals and not before["pause"]:
            before["pause"] = plain(step.duration)
            continue
        keyframes.append(_keyframe_data(step, extras, goals))
    data["keyframes"] = [_without(item) for item in keyframes]
    return data


def _goals(step: OutgoingKeyframe, losses: Losses) -> dict[str, float | int]:
    goals: dict[str, float | int] = {}
    for joint, value in step.keyframe.joints.items():
        if not isinstance(value, str):
            goals[joint] = plain(degrees(value))
        elif value == "ignore":
            losses.count(step.place, "ignored", "joints that are ignored are left out, which means the same")
    return goals


def _keyframe_data(step: OutgoingKeyframe, extras: Mapping[str, Any], goals: dict[str, float | int]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": text_of(step.keyframe, _KIND),
        "duration": plain(step.duration),
        "pause": 0,
        "goals": goals,
    }
    data |= {field: extras[field] for field in _EXTRAS if field in extras}
    left_out = extras.get("left_out")
    if isinstance(left_out, list):
        data["left_out"] = left_out
    return data


def _without(item: dict[str, Any]) -> dict[str, Any]:
    """Leave out again what the file had left out, where it still has the default."""
    defaults = {"duration": 1, "pause": 0}
    left_out = item.pop("left_out", [])
    return {name: value for name, value in item.items() if not (name in left_out and value == defaults.get(name))}
