"""Bit-Bots' animations (JSON): keyframes with goals in degrees, a duration and a pause in seconds.

A pause becomes a keyframe of its own with the same goals. Goals may be partial; the other joints are left alone. The
robot's quintic splines are read as sine curves, which differ by up to 4.4 % of the way; torque, gains and
stabilisation functions have no counterpart and are kept in the keyframe's extras. The file does not name its robot: it
is the one asked for, that of a folder `<robot>_animations`, or the team's Wolfgang.

Source: reference ``motion-formats.md``, section 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from andante.formats.bhuman.grammar import Node, under
from andante.formats.report import Losses, ReadReport
from andante.formats.shared.json_text import dump_json, parse_json
from andante.formats.shared.losses import note_losses
from andante.formats.shared.numbers import degrees, plain, radians
from andante.formats.shared.single import StepsCodec, name_of
from andante.formats.shared.steps import Holds, Step, keyframe_of, text_of
from andante.formats.shared.values import Nodes, plain_json
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, Interpolation, Keyframe
from andante.motions.library import Motion, MotionLibrary

DEFAULT_ROBOT = "wolfgang"
_KIND: Kind = "bitbots"
_ABOUT = ("version", "author", "description", "last_edited", "hostname")
_EXTRAS = ("torque", "kp", "kd", "stabilization_functions")
_TELLING = re.compile(rb'"goals"\s*:')
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
        return 0.9 if _TELLING.search(head) else 0.35

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        root, source = parse_json(text, str(path))
        return _Decoder(Nodes(source, report), path).library(root)

    def text(self, library: MotionLibrary, name: str, steps: Sequence[Step], losses: Losses) -> str:
        """The file of a motion with these steps."""
        return dump_json(_encode(name, library.motions[name], steps, losses))


class _Decoder:
    """One file being read."""

    def __init__(self, nodes: Nodes, path: Path) -> None:
        self.nodes = nodes
        self.path = path

    def library(self, node: Node) -> MotionLibrary:
        root = self.nodes.record(node, "", ("keyframes",), ("name", *_ABOUT))
        name = self.nodes.text(root.fields["name"], "name") if "name" in root.fields else ""
        kept = {field: plain_json(root.fields[field], self.nodes, field) for field in _ABOUT if field in root.fields}
        if "name" in root.fields and not name:
            kept["unnamed"] = True
        name = name or name_of(self.path)
        keyframes: list[Keyframe] = []
        for index, item in enumerate(self.nodes.array(root.fields["keyframes"], "keyframes").items):
            keyframes += self._keyframe(item, f"keyframes[{index}]")
        if keyframes:
            self.nodes.warn("the robot's quintic splines are read as sine curves, up to 4.4 % of the way apart", root)
        block = Block(keyframes=tuple(keyframes), interpolation=Interpolation.SINE_MIN_TO_MAX)
        motion = Motion(blocks=(name,), extras={_KIND: kept or {"bare": True}})
        return MotionLibrary(robot=self._robot(root), motions={name: motion}, blocks={name: block})

    def _robot(self, root: Node) -> str:
        if self.nodes.report.robot:
            return self.nodes.report.robot
        for part in reversed(self.path.parts[:-1]):
            match = _FOLDER.fullmatch(part)
            if match:
                return match[1]
        self.nodes.warn(f"the file does not name its robot; {DEFAULT_ROBOT!r} is taken", root)
        return DEFAULT_ROBOT

    def _keyframe(self, node: Node, inside: str) -> list[Keyframe]:
        fields = self.nodes.record(node, inside, (), ("name", "duration", "pause", "goals", *_EXTRAS)).fields
        kept: dict[str, Any] = {}
        for name in _EXTRAS:
            if name in fields:
                kept[name] = plain_json(fields[name], self.nodes, under(inside, name))
                if kept[name]:
                    self.nodes.warn(f"{name!r} has no counterpart; it is kept, not executed", fields[name], inside)
        title = self.nodes.text(fields["name"], under(inside, "name")) if "name" in fields else ""
        goals: dict[str, float] = {}
        if "goals" in fields:
            record = self.nodes.record(fields["goals"], under(inside, "goals"))
            goals = {
                joint: radians(self.nodes.number(value, under(inside, f"goals.{joint}")))
                for joint, value in record.fields.items()
            }
        # The robot's own defaults for what a keyframe leaves out: 1 s, no pause.
        times = {"duration": 1.0, "pause": 0.0}
        for name in times:
            if name in fields:
                times[name] = self.nodes.duration(fields[name], under(inside, name))
            else:
                kept.setdefault("left_out", []).append(name)
        keyframes = [keyframe_of(times["duration"], goals, note=title, extras={_KIND: kept} if kept else {})]
        if times["pause"] > 0.0:
            keyframes.append(keyframe_of(times["pause"], goals, extras={_KIND: {"pause": True}}))
        return keyframes


def _encode(name: str, motion: Motion, steps: Sequence[Step], losses: Losses) -> dict[str, Any]:
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


def _goals(step: Step, losses: Losses) -> dict[str, float | int]:
    goals: dict[str, float | int] = {}
    for joint, value in step.keyframe.joints.items():
        if not isinstance(value, str):
            goals[joint] = plain(degrees(value))
        elif value == "ignore":
            losses.count(step.place, "ignored", "joints that are ignored are left out, which means the same")
    return goals


def _keyframe_data(step: Step, extras: Mapping[str, Any], goals: dict[str, float | int]) -> dict[str, Any]:
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
