"""HULKs' motion files in JSON, in both dialects: poses that are positions, and poses {positions, stiffnesses}.

A file is one motion: initial positions and a list of parts, each with its keyframes and conditions. A part becomes a
block; the initial positions become the first block's first keyframe, at time 0. Of the conditions only an exit
condition `StabilizedCondition` has a counterpart, a wait for a still torso; all are kept in the block's extras.

Source: docs/sources/motion-formats.md, section 3. The stiffness of the second dialect is interpolated by HULKs' robot
and steps at the keyframe's start here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from andante.formats.hulks.names import GROUPS, JOINTS, ROBOT
from andante.formats.report import Losses, ReadReport
from andante.formats.shared.json_text import dump_json
from andante.formats.shared.numbers import plain
from andante.formats.shared.single import StepsCodec, name_of
from andante.formats.shared.steps import Holds, OutgoingKeyframe, complete, keyframe_of, stiffness_changes
from andante.formats.shared.values import Value
from andante.motions.conditions import Variable, WaitCondition
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, Interpolation, JointStiffness, Keyframe
from andante.motions.library import UNKNOWN_ROBOT, Motion, MotionLibrary

MODES: Mapping[str, Interpolation] = {
    "linear": Interpolation.LINEAR,
    "cosine": Interpolation.SINE_MIN_TO_MAX,
    "catmull_rom": Interpolation.LINEAR,
    "catmull-rom": Interpolation.LINEAR,
    "CatmullRom": Interpolation.LINEAR,
}
"""Curve of each interpolation mode; a spline through all keyframes has no counterpart and is read as lines."""

_KIND: Kind = "hulks-json"
_INITIAL = "initial"
_PART = ("name", "entry_condition", "interrupt_conditions", "exit_condition")
_CONDITIONS = ("StabilizedCondition", "FallenAbort", "NoGroundContactAbort")


class HulksCodec(StepsCodec):
    """Reads and writes HULKs' JSON."""

    name = "hulks"
    title = "HULKs motion (JSON)"
    suffixes = (".json",)
    signature = re.compile(rb'\A\s*\{[\s\S]*"(?:initial_positions|interrupt_conditions|exit_condition)"\s*:')
    robots = (ROBOT, UNKNOWN_ROBOT)
    holds = Holds(("blocks",), ("waits",), _KIND, stiffness=True, off=True, ways=tuple(MODES.values()))

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        return _Decoder(name_of(path)).library(Value.of_text(text, str(path), report))

    def text(self, library: MotionLibrary, name: str, steps: Sequence[OutgoingKeyframe], losses: Losses) -> str:
        """The file of a motion with these steps."""
        motion = library.motions[name]
        kept = motion.extras.get(_KIND, {})
        marks = [step.keyframe.extras.get(_KIND, {}) for step in steps]
        second = any(step.stiffness for step in steps)
        poses = [
            _pose_data(step, second=second, stray=mark.get("stray"), losses=losses)
            for step, mark in zip(steps, marks, strict=True)
        ]
        data: dict[str, Any] = {}
        mode = _mode_of(steps, kept, losses)
        if mode is not None:
            data["interpolation_mode"] = mode
        at = 0
        initial = bool(marks and marks[0].get(_INITIAL) and steps[0].duration == 0.0)
        if initial:
            at = 1
        elif steps:
            losses.add("", "the motion begins in its first keyframe's posture, which is commanded at once")
        else:
            poses = [_pose_data(_nothing(), second=False, stray=None, losses=losses)]
        data["initial_positions"] = poses[0]
        data["motion"] = []
        for block_name in () if kept.get("empty") and len(steps) == 1 else motion.blocks:
            count = len(library.blocks[block_name].keyframes)
            skip = at if not data["motion"] and initial else 0
            rows = range(at, at + count - skip)
            at += count - skip
            default = f"{name}_{len(data['motion']) + 1}"
            data["motion"].append(
                _part_data(library, block_name, default, [(steps[row], poses[row]) for row in rows], losses)
            )
        return dump_json(data)


class _Decoder:
    """One file being read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.state: dict[str, float] = {}

    def library(self, value: Value) -> MotionLibrary:
        root = value.record(("initial_positions", "motion"), ("interpolation_mode",))
        mode, kept = _mode(root)
        parts = root["motion"].array()
        initial = self._keyframe(root["initial_positions"], 0.0)
        blocks: dict[str, Block] = {}
        for index, part in enumerate(parts):
            name, block = self._part(part, index, mode, first=initial if index == 0 else None)
            while name in blocks:
                name += "_"
            blocks[name] = block
        if not parts:
            blocks[self.name] = Block(keyframes=(initial,), interpolation=mode)
            kept["empty"] = True
        motion = Motion(blocks=tuple(blocks), extras={_KIND: kept} if kept else {})
        return MotionLibrary(robot=ROBOT, motions={self.name: motion}, blocks=blocks)

    def _part(self, value: Value, index: int, mode: Interpolation, first: Keyframe | None) -> tuple[str, Block]:
        part = value.record(("keyframes",), _PART)
        kept: dict[str, Any] = {}
        name = f"{self.name}_{index + 1}"
        if "name" in part:
            kept["name"] = name = part["name"].text()
        if first is None:
            self.state = {}
        keyframes = [] if first is None else [first]
        for item in part["keyframes"].array():
            fields = item.record(("duration", "positions"), ())
            keyframes.append(self._keyframe(fields["positions"], fields["duration"].duration()))
        wait = _conditions(part, kept)
        if wait is not None and keyframes:
            keyframes[-1] = keyframes[-1].model_copy(update={"waits": (wait,)})
        extras = {_KIND: kept} if kept else {}
        return name, Block(keyframes=tuple(keyframes), interpolation=mode, extras=extras)

    def _keyframe(self, value: Value, duration: float) -> Keyframe:
        kept: dict[str, Any] = {_INITIAL: True} if value.inside == "initial_positions" else {}
        changes: tuple[JointStiffness, ...] = ()
        if "positions" in value.record():
            pose = value.record(("positions", "stiffnesses"), ())
            changes = stiffness_changes(self.state, _pose(pose["stiffnesses"], kept, 0.0, 1.0))
            pose["positions"].record()
            value = replace(pose["positions"], inside=value.inside)
        joints = _pose(value, kept)
        return keyframe_of(duration, joints, changes, extras={_KIND: kept} if kept else {})


def _mode(root: Mapping[str, Value]) -> tuple[Interpolation, dict[str, Any]]:
    if "interpolation_mode" not in root:
        return Interpolation.LINEAR, {}
    value = root["interpolation_mode"]
    text = value.text()
    if text not in MODES:
        raise value.error("the interpolation mode is unknown", value=text, legal=tuple(MODES))
    if text.lower().startswith("catmull"):
        value.warn("a spline through all keyframes is read as straight lines")
    return MODES[text], {"interpolation_mode": text}


def _conditions(part: Mapping[str, Value], kept: dict[str, Any]) -> WaitCondition | None:
    """The wait that a part ends with; keeps all its conditions."""
    wait = None
    for name in _PART[1:]:
        if name not in part:
            continue
        value = part[name]
        kept[name] = value.plain()
        for item in value.array() if name == "interrupt_conditions" else [value]:
            if kept[name] is None:
                continue
            item = replace(item, inside=value.inside)
            found = _condition(item)
            if name == "exit_condition" and found is not None:
                wait = found
            else:
                item.warn("the condition has no counterpart; it is kept, not executed")
    if wait is not None:
        part["exit_condition"].warn("waiting for a still torso looks at its pitch only, HULKs' at all three axes")
    return wait


def _condition(value: Value) -> WaitCondition | None:
    fields = value.record((), _CONDITIONS)
    if len(fields) != 1:
        raise value.error("one condition is expected here", value=len(fields))
    ((name, condition),) = fields.items()
    if name != "StabilizedCondition":
        condition.record()
        return None
    limits = condition.record(("tolerance", "timeout_duration"), ())
    return _wait(limits["tolerance"].number(0.0), limits["timeout_duration"].duration())


def _pose(value: Value, kept: dict[str, Any], low: float = -1e9, high: float = 1e9) -> dict[str, float]:
    fields = value.record(tuple(GROUPS), ("stiffnesses",))
    if "stiffnesses" in fields:
        kept["stray"] = fields["stiffnesses"].plain()
        text = "stiffnesses beside the joint groups are not read; they are kept"
        fields["stiffnesses"].warn(text, value.inside)
    values: dict[str, float] = {}
    for group, names in GROUPS.items():
        members = fields[group].record(tuple(names), ())
        values |= {joint: members[name].number(low, high) for name, joint in names.items()}
    return values


def _wait(tolerance: float, longest: float) -> WaitCondition:
    return WaitCondition(variable=Variable.TORSO_PITCH_FLUCTUATION, min=0.0, max=tolerance, max_wait=longest)


def _nothing() -> OutgoingKeyframe:
    return OutgoingKeyframe("", Keyframe(duration=1.0), 0.0, 0.0, Interpolation.LINEAR, {}, 0.0, {}, {})


def _mode_of(steps: Sequence[OutgoingKeyframe], kept: Mapping[str, Any], losses: Losses) -> str | None:
    """The file's one interpolation mode; the one that it was read with where that still fits."""
    ways = list(dict.fromkeys(step.way for step in steps if step.way in MODES.values()))
    way = ways[0] if ways else Interpolation.LINEAR
    if len(ways) > 1:
        losses.add("", f"the format has one interpolation for the whole motion; {way.value} is written")
    before = kept.get("interpolation_mode")
    if isinstance(before, str) and MODES.get(before) is way:
        return before
    return None if way is Interpolation.LINEAR else "cosine"


def _pose_data(step: OutgoingKeyframe, *, second: bool, stray: object, losses: Losses) -> dict[str, Any]:
    angles = complete(step, JOINTS, losses, "the format")
    positions: dict[str, Any] = _grouped(angles)
    for joint in step.keyframe.joints:
        if joint not in JOINTS:
            losses.count(step.place, f"joint {joint}", f"joint {joint!r} has no place in the format")
    if stray is not None:
        positions["stiffnesses"] = stray
    if not second:
        return positions
    for joint in JOINTS:
        if joint not in step.stiffness:
            losses.count(step.place, "stiff", "joints without a stiffness are written with 1")
    return {
        "positions": positions,
        "stiffnesses": _grouped({joint: step.stiffness.get(joint, 1.0) for joint in JOINTS}),
    }


def _grouped(values: Mapping[str, float]) -> dict[str, Any]:
    return {group: {name: plain(values[joint]) for name, joint in names.items()} for group, names in GROUPS.items()}


def _part_data(
    library: MotionLibrary, name: str, default: str, rows: list[tuple[OutgoingKeyframe, dict[str, Any]]], losses: Losses
) -> dict[str, Any]:
    block = library.blocks[name]
    kept = block.extras.get(_KIND, {})
    part: dict[str, Any] = {field: kept[field] for field in _PART if field in kept}
    if str(kept.get("name", default)).rstrip("_") != name.rstrip("_"):
        part["name"] = name
    part["keyframes"] = [{"duration": plain(step.duration), "positions": pose} for step, pose in rows]
    _put_exit(part, block, f"blocks.{name}", losses)
    return part


def _put_exit(part: dict[str, Any], block: Block, place: str, losses: Losses) -> None:
    """Write the last keyframe's wait as the exit condition; tell of waits that are none."""
    *others, last = [keyframe.waits for keyframe in block.keyframes] or [()]
    if any(others):
        losses.add(place, "waits of other keyframes than the last are not held")
    written = None
    if len(last) == 1 and last[0] == _wait(last[0].max, last[0].max_wait) and last[0].max >= 0.0:
        written = {"tolerance": plain(last[0].max), "timeout_duration": plain(last[0].max_wait)}
    elif last:
        losses.add(place, "only waits for a still torso (torso_pitch_fluctuation from 0) are held")
    before = part.get("exit_condition")
    if written is None:
        if block.keyframes and isinstance(before, dict) and "StabilizedCondition" in before:
            del part["exit_condition"]
    elif not _same_wait(before, written):
        part["exit_condition"] = {"StabilizedCondition": written}


def _same_wait(before: object, written: Mapping[str, float]) -> bool:
    """Whether a kept condition says what is to be written (but for the last digits, which documents may lose)."""
    values = before.get("StabilizedCondition") if isinstance(before, dict) else None
    if not isinstance(values, dict) or values.keys() != written.keys():
        return False
    return all(
        isinstance(values[name], (int, float)) and math.isclose(values[name], written[name], rel_tol=1e-9)
        for name in written
    )
