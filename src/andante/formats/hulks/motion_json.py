"""HULKs' motion files in JSON, in both dialects: poses that are positions, and poses {positions, stiffnesses}.

A file is one motion: initial positions and a list of parts, each with its keyframes and conditions. A part becomes a
block; the initial positions become the first block's first keyframe, at time 0. Of the conditions only an exit
condition `StabilizedCondition` has a counterpart, a wait for a still torso; all are kept in the block's extras.

Source: reference ``motion-formats.md``, section 3. The stiffness of the second dialect is interpolated by HULKs' robot
and steps at the keyframe's start here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from andante.formats.bhuman.grammar import Node, Record, under
from andante.formats.hulks.names import GROUPS, JOINTS, ROBOT
from andante.formats.report import Losses, ReadReport
from andante.formats.shared.json_text import dump_json, parse_json
from andante.formats.shared.numbers import plain
from andante.formats.shared.single import UNKNOWN_ROBOT, StepsCodec, name_of
from andante.formats.shared.steps import Holds, Step, complete, keyframe_of, stiffness_changes
from andante.formats.shared.values import Nodes, plain_json
from andante.motions.conditions import Variable, WaitCondition
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, Interpolation, JointStiffness, Keyframe
from andante.motions.library import Motion, MotionLibrary

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
    telling = re.compile(rb'\A\s*\{[\s\S]*"(?:initial_positions|interrupt_conditions|exit_condition)"\s*:')
    robots = (ROBOT, UNKNOWN_ROBOT)
    holds = Holds(("blocks",), ("waits",), _KIND, stiffness=True, off=True, ways=tuple(MODES.values()))

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        root, source = parse_json(text, str(path))
        return _Decoder(Nodes(source, report), name_of(path)).library(root)

    def text(self, library: MotionLibrary, name: str, steps: Sequence[Step], losses: Losses) -> str:
        """The file of a motion with these steps."""
        return dump_json(_encode(library, name, library.motions[name], steps, losses))


class _Decoder:
    """One file being read."""

    def __init__(self, nodes: Nodes, name: str) -> None:
        self.nodes = nodes
        self.name = name
        self.state: dict[str, float] = {}

    def library(self, node: Node) -> MotionLibrary:
        root = self.nodes.record(node, "", ("initial_positions", "motion"), ("interpolation_mode",))
        mode, kept = self._mode(root)
        parts = self.nodes.array(root.fields["motion"], "motion").items
        initial = self._keyframe(root.fields["initial_positions"], 0.0, "initial_positions")
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

    def _mode(self, root: Record) -> tuple[Interpolation, dict[str, Any]]:
        node = root.fields.get("interpolation_mode")
        if node is None:
            return Interpolation.LINEAR, {}
        text = self.nodes.text(node, "interpolation_mode")
        if text not in MODES:
            raise self.nodes.error(
                "the interpolation mode is unknown", node, "interpolation_mode", value=text, legal=tuple(MODES)
            )
        if text.lower().startswith("catmull"):
            self.nodes.warn("a spline through all keyframes is read as straight lines", node, "interpolation_mode")
        return MODES[text], {"interpolation_mode": text}

    def _part(self, node: Node, index: int, mode: Interpolation, first: Keyframe | None) -> tuple[str, Block]:
        inside = f"motion[{index}]"
        part = self.nodes.record(node, inside, ("keyframes",), _PART)
        kept: dict[str, Any] = {}
        name = f"{self.name}_{index + 1}"
        if "name" in part.fields:
            kept["name"] = name = self.nodes.text(part.fields["name"], under(inside, "name"))
        if first is None:
            self.state = {}
        keyframes = [] if first is None else [first]
        for at, item in enumerate(self.nodes.array(part.fields["keyframes"], under(inside, "keyframes")).items):
            place = f"{inside}.keyframes[{at}]"
            record = self.nodes.record(item, place, ("duration", "positions"), ())
            duration = self.nodes.duration(record.fields["duration"], under(place, "duration"))
            keyframes.append(self._keyframe(record.fields["positions"], duration, under(place, "positions")))
        wait = self._conditions(part, inside, kept)
        if wait is not None and keyframes:
            keyframes[-1] = keyframes[-1].model_copy(update={"waits": (wait,)})
        extras = {_KIND: kept} if kept else {}
        return name, Block(keyframes=tuple(keyframes), interpolation=mode, extras=extras)

    def _conditions(self, part: Record, inside: str, kept: dict[str, Any]) -> WaitCondition | None:
        wait = None
        for name in _PART[1:]:
            node = part.fields.get(name)
            if node is None:
                continue
            place = under(inside, name)
            kept[name] = plain_json(node, self.nodes, place)
            many = name == "interrupt_conditions"
            for item in self.nodes.array(node, place).items if many else [node]:
                if kept[name] is None:
                    continue
                found = self._condition(item, place)
                if name == "exit_condition" and found is not None:
                    wait = found
                else:
                    self.nodes.warn("the condition has no counterpart; it is kept, not executed", item, place)
        if wait is not None:
            self.nodes.warn(
                "waiting for a still torso looks at its pitch only, HULKs' at all three axes",
                part.fields["exit_condition"],
                under(inside, "exit_condition"),
            )
        return wait

    def _condition(self, node: Node, inside: str) -> WaitCondition | None:
        record = self.nodes.record(node, inside, (), _CONDITIONS)
        if len(record.fields) != 1:
            raise self.nodes.error("one condition is expected here", node, inside, value=len(record.fields))
        ((name, value),) = record.fields.items()
        place = under(inside, name)
        if name != "StabilizedCondition":
            self.nodes.record(value, place)
            return None
        fields = self.nodes.record(value, place, ("tolerance", "timeout_duration"), ()).fields
        tolerance = self.nodes.number(fields["tolerance"], under(place, "tolerance"), 0.0)
        longest = self.nodes.duration(fields["timeout_duration"], under(place, "timeout_duration"))
        return _wait(tolerance, longest)

    def _keyframe(self, node: Node, duration: float, inside: str) -> Keyframe:
        kept: dict[str, Any] = {_INITIAL: True} if inside == "initial_positions" else {}
        record = self.nodes.record(node, inside)
        changes: tuple[JointStiffness, ...] = ()
        if "positions" in record.fields:
            self.nodes.record(record, inside, ("positions", "stiffnesses"), ())
            place = under(inside, "stiffnesses")
            stiffness = self._pose(record.fields["stiffnesses"], place, kept, high=1.0, low=0.0)
            changes = stiffness_changes(self.state, stiffness)
            record = self.nodes.record(record.fields["positions"], under(inside, "positions"))
        joints = self._pose(record, inside, kept)
        return keyframe_of(duration, joints, changes, extras={_KIND: kept} if kept else {})

    def _pose(
        self, node: Node, inside: str, kept: dict[str, Any], low: float = -1e9, high: float = 1e9
    ) -> dict[str, float]:
        record = self.nodes.record(node, inside, tuple(GROUPS), ("stiffnesses",))
        if "stiffnesses" in record.fields:
            stray = record.fields["stiffnesses"]
            kept["stray"] = plain_json(stray, self.nodes, under(inside, "stiffnesses"))
            self.nodes.warn("stiffnesses beside the joint groups are not read; they are kept", stray, inside)
        values = {}
        for group, names in GROUPS.items():
            place = under(inside, group)
            members = self.nodes.record(record.fields[group], place, tuple(names), ()).fields
            for name, joint in names.items():
                values[joint] = self.nodes.number(members[name], under(place, name), low, high)
        return values


def _wait(tolerance: float, longest: float) -> WaitCondition:
    return WaitCondition(variable=Variable.TORSO_PITCH_FLUCTUATION, min=0.0, max=tolerance, max_wait=longest)


def _encode(library: MotionLibrary, name: str, motion: Motion, steps: Sequence[Step], losses: Losses) -> dict[str, Any]:
    """The file's data."""
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
    return data


def _nothing() -> Step:
    return Step("", "", Keyframe(duration=1.0), 0.0, 0.0, Interpolation.LINEAR, {}, 0.0, {}, {})


def _mode_of(steps: Sequence[Step], kept: Mapping[str, Any], losses: Losses) -> str | None:
    """The file's one interpolation mode; the one that it was read with where that still fits."""
    ways = list(dict.fromkeys(step.way for step in steps if step.way in MODES.values()))
    way = ways[0] if ways else Interpolation.LINEAR
    if len(ways) > 1:
        losses.add("", f"the format has one interpolation for the whole motion; {way.value} is written")
    before = kept.get("interpolation_mode")
    if isinstance(before, str) and MODES.get(before) is way:
        return before
    return None if way is Interpolation.LINEAR else "cosine"


def _pose_data(step: Step, *, second: bool, stray: object, losses: Losses) -> dict[str, Any]:
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
    library: MotionLibrary, name: str, default: str, rows: list[tuple[Step, dict[str, Any]]], losses: Losses
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
