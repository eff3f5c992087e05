"""HULKs' older `.motion2` files (JSON), in both dialects: tracks of positions and stiffness, and a list of commands.

`header.joints` gives the order of the numbers, which differs by file; `header.time` says how long the motion is in
milliseconds and is wrong in many, by a factor of up to 4. Poses count milliseconds, in some files of both dialects
tenths of a second, which only the header shows: the unit is the one whose sum is nearest to the header's time, and
told where that is not the millisecond.

The stiffness track has times of its own. A keyframe gets the stiffness that is in force at its end; the track itself is
kept in the motion's extras and written again as long as the keyframes agree with it.

Source: reference ``motion-formats.md``, section 3.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from andante.formats.bhuman.grammar import Node, Record, under
from andante.formats.hulks.names import NUMBERED, ROBOT
from andante.formats.report import Losses, ReadReport
from andante.formats.shared.json_text import dump_json, parse_json
from andante.formats.shared.numbers import LARGEST, LONGEST, plain
from andante.formats.shared.single import UNKNOWN_ROBOT, StepsCodec, name_of
from andante.formats.shared.steps import Holds, Step, complete, keyframe_of, stiffness_changes
from andante.formats.shared.values import Nodes, plain_json
from andante.motions.extras import Kind
from andante.motions.keyframe import Block
from andante.motions.library import Motion, MotionLibrary

_KIND: Kind = "hulks-motion2"
_MS = "ms"
_UNITS: Mapping[str, float] = {_MS: 1.0, "tenths": 100.0, "seconds": 1000.0}
"""Units in which poses count time [ms]."""
_NAMED = {"tenths": "tenths of a second", "seconds": "seconds"}
_HASTY = 200.0
"""A motion that takes less by a file that does not say how long it is [ms] is told."""
_JOINT_IDS = TypeAdapter(list[int])
Track = list[tuple[float, list[float]]]
"""Duration [file units] and value per joint of the file's order, one after another."""
_TRACK = TypeAdapter(Track)


class Motion2Codec(StepsCodec):
    """Reads and writes `.motion2`."""

    name = "hulks-motion2"
    title = "HULKs motion 2.0"
    suffixes = (".motion2",)
    telling = re.compile(rb'\A\s*\{(?=[\s\S]*"header"\s*:\s*\{)(?=[\s\S]*"(?:position|commands|joints)"\s*:)')
    sure = 0.9
    robots = (ROBOT, UNKNOWN_ROBOT)
    holds = Holds(kind=_KIND, stiffness=True, off=True)

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        root, source = parse_json(text, str(path))
        return _Decoder(Nodes(source, report), name_of(path)).library(root)

    def text(self, library: MotionLibrary, name: str, steps: Sequence[Step], losses: Losses) -> str:
        """The file of a motion with these steps."""
        return dump_json(_encode(name, library.motions[name], steps, losses))


class _Decoder:
    """One file being read."""

    def __init__(self, nodes: Nodes, name: str) -> None:
        self.nodes = nodes
        self.name = name
        self.kept: dict[str, Any] = {}

    def library(self, node: Node) -> MotionLibrary:
        root = self.nodes.record(node, "", ("header",), ("position", "stiffness", "commands"))
        header = self.nodes.record(root.fields["header"], "header", ("joints",), ("time", "title", "version"))
        joints = self._joints(header.fields["joints"])
        stated = self._header(header)
        if "commands" in root.fields:
            if "position" in root.fields:
                raise self.nodes.error(
                    "a file has either 'position' or 'commands'", root, "", legal=("position", "commands")
                )
            place = "commands"
            poses = self._commands(root.fields[place], len(joints))
        elif "position" in root.fields:
            place = "position"
            poses = self._track(root.fields[place], place, len(joints))
        else:
            raise self.nodes.error("there are no poses", root, "", legal=("position", "commands"))
        unit = self._unit(poses, stated, root.fields[place], place)
        self._check_time(poses, unit, stated, header)
        stiffness: Track = []
        if "stiffness" in root.fields:
            stiffness = self._track(root.fields["stiffness"], "stiffness", len(joints), 0.0, 1.0)
            self.kept["stiffness"] = [[time, values] for time, values in stiffness]
            self._check_stiffness(poses, stiffness, root.fields["stiffness"])
        state: dict[str, float] = {}
        keyframes = []
        for (time, values), now in zip(poses, stiffness_at_ends(poses, stiffness), strict=True):
            changes = stiffness_changes(state, dict(zip(joints, now, strict=True)) if now else {})
            keyframes.append(keyframe_of(_seconds(time, unit), dict(zip(joints, values, strict=True)), changes))
        motion = Motion(blocks=(self.name,), extras={_KIND: self.kept})
        return MotionLibrary(
            robot=ROBOT, motions={self.name: motion}, blocks={self.name: Block(keyframes=tuple(keyframes))}
        )

    def _joints(self, node: Node) -> list[str]:
        numbers = []
        for index, item in enumerate(self.nodes.array(node, "header.joints").items):
            inside = f"header.joints[{index}]"
            number = self.nodes.integer(item, inside, 0, len(NUMBERED) - 1)
            if number in numbers:
                raise self.nodes.error("the joint stands twice", item, inside, value=number)
            numbers.append(number)
        self.kept["joints"] = numbers
        return [NUMBERED[number] for number in numbers]

    def _header(self, header: Record) -> float | None:
        for name in ("time", "title", "version"):
            if name in header.fields:
                self.kept[name] = plain_json(header.fields[name], self.nodes, f"header.{name}")
        if "time" not in header.fields:
            return None
        return self.nodes.number(header.fields["time"], "header.time", 0.0)

    def _track(self, node: Node, inside: str, count: int, low: float = -LARGEST, high: float = LARGEST) -> Track:
        track = []
        for index, item in enumerate(self.nodes.array(node, inside).items):
            place = f"{inside}[{index}]"
            entry = self.nodes.record(item, place, ("time", "parameters"), ())
            track.append(self._entry(entry, place, count, low, high))
        return track

    def _entry(
        self, entry: Record, place: str, count: int, low: float = -LARGEST, high: float = LARGEST
    ) -> tuple[float, list[float]]:
        time = self.nodes.number(entry.fields["time"], under(place, "time"), 0.0, LONGEST * 1000.0)
        inside = under(place, "parameters")
        values = self.nodes.array(entry.fields["parameters"], inside)
        if len(values.items) != count:
            raise self.nodes.error(
                f"there are {len(values.items)} of {count} values", values, inside, limit=f"{count}, as header.joints"
            )
        return time, [
            self.nodes.number(item, f"{inside}[{index}]", low, high) for index, item in enumerate(values.items)
        ]

    def _commands(self, node: Node, count: int) -> Track:
        track: Track = []
        types = []
        for index, item in enumerate(self.nodes.array(node, "commands").items):
            place = f"commands[{index}]"
            wrapped = self.nodes.record(item, place, ("command",), ())
            place = under(place, "command")
            entry = self.nodes.record(wrapped.fields["command"], place, ("time", "parameters"), ("type",))
            type_node = entry.fields.get("type")
            types.append(None if type_node is None else self.nodes.integer(type_node, under(place, "type"), 0, 1000))
            track.append(self._entry(entry, place, count))
        self.kept["commands"] = types
        return track

    def _unit(self, poses: Track, stated: float | None, node: Node, inside: str) -> str:
        """The unit of the poses' times: the one whose sum is nearest to the header's time, by factor."""
        total = sum(time for time, _ in poses)
        if not stated:
            if 0.0 < total < _HASTY and len(poses) > 1:
                what = f"the file does not say how long the motion is; {total:g} are taken as milliseconds"
                self.nodes.warn(f"{what}, which is hasty", node, inside)
            return _MS
        if total <= 0.0:
            return _MS
        unit = min(_UNITS, key=lambda name: abs(math.log(total * _UNITS[name] / stated)))
        if unit != _MS:
            self.kept[unit] = True
            self.nodes.warn(
                f"times are taken as {_NAMED[unit]}: their sum is {total:g}, the header's {stated:g} ms", node
            )
        return unit

    def _check_time(self, poses: Track, unit: str, stated: float | None, header: Record) -> None:
        total = sum(time for time, _ in poses) * _UNITS[unit]
        if stated is not None and abs(total - stated) > 0.5:
            self.nodes.warn(
                f"the header says {stated:g} ms, the poses take {total:g} ms, which counts",
                header.fields["time"],
                "header.time",
            )

    def _check_stiffness(self, poses: Track, stiffness: Track, node: Node) -> None:
        ends = set(_ends(poses))
        if any(end not in ends for end in _ends(stiffness)[:-1]):
            self.nodes.warn(
                "the stiffness changes between keyframes; each gets the one in force at its end", node, "stiffness"
            )


def _seconds(time: float, unit: str) -> float:
    # Divided, not multiplied by a rounded tenth, so that 0.7 s stay 0.7.
    return time / (1000.0 / _UNITS[unit])


def _ends(track: Track) -> list[float]:
    ends: list[float] = []
    for time, _ in track:
        ends.append((ends[-1] if ends else 0.0) + time)
    return ends


def stiffness_at_ends(poses: Track, stiffness: Track) -> list[list[float]]:
    """Values of the stiffness track at each pose's end; empty lists where there is no track. The last one holds on."""
    found: list[list[float]] = []
    ends = _ends(stiffness)
    at = 0
    for end in _ends(poses):
        while at + 1 < len(ends) and ends[at] < end:
            at += 1
        found.append(stiffness[at][1] if stiffness else [])
    return found


def _encode(name: str, motion: Motion, steps: Sequence[Step], losses: Losses) -> dict[str, Any]:
    """The file's data."""
    kept: dict[str, Any] = dict(motion.extras.get(_KIND, {}))
    numbers = _kept_joints(kept)
    used = {joint for step in steps for joint in (*step.held, *step.stiffness)}
    numbers += [number for number, joint in enumerate(NUMBERED) if number not in numbers and joint in used]
    if not kept:
        numbers = list(range(len(NUMBERED)))
    joints = [NUMBERED[number] for number in numbers]
    for joint in sorted(used - set(NUMBERED)):
        losses.add(f"motions.{name}", f"joint {joint!r} has no number in the format")
    unit = _UNITS[next((name for name in _NAMED if kept.get(name)), _MS)]
    poses: Track = []
    for step in steps:
        angles = complete(step, joints, losses, "the format")
        poses.append((_file_time(step, unit), [angles[joint] for joint in joints]))
    own = {"time": plain(sum(time for time, _ in poses)), "title": name, "version": "2.0"}
    header = {"joints": numbers} | ({field: kept[field] for field in own if field in kept} if kept else own)
    stiffness = _stiffness(kept, steps, poses, joints, losses)
    if isinstance(kept.get("commands"), list) and len(kept["commands"]) == len(steps):
        if stiffness:
            losses.add(f"motions.{name}", "a file of commands has no stiffness")
        commands = [
            {"command": ({} if kind is None else {"type": kind}) | _entry_data(time, values)}
            for kind, (time, values) in zip(kept["commands"], poses, strict=True)
        ]
        return {"header": header, "commands": commands}
    data = {"header": header, "position": [_entry_data(time, values) for time, values in poses]}
    if stiffness:
        data["stiffness"] = [_entry_data(time, values) for time, values in stiffness]
    return data


def _kept_joints(kept: Mapping[str, Any]) -> list[int]:
    try:
        numbers = _JOINT_IDS.validate_python(kept.get("joints", []), strict=True)
    except ValidationError:
        return []
    return list(dict.fromkeys(number for number in numbers if 0 <= number < len(NUMBERED)))


def _file_time(step: Step, unit: float) -> float:
    exact = step.duration * (1000.0 / unit)
    whole = round(exact)
    return float(whole) if abs(exact - whole) < 1e-6 else round(exact, 9)


def _entry_data(time: float, values: Sequence[float]) -> dict[str, Any]:
    return {"parameters": [plain(value) for value in values], "time": plain(time)}


def _stiffness(
    kept: Mapping[str, Any], steps: Sequence[Step], poses: Track, joints: Sequence[str], losses: Losses
) -> Track:
    """The kept track where the keyframes agree with it, else one entry for each keyframe."""
    if not any(step.stiffness for step in steps):
        return []
    wanted = [[step.stiffness.get(joint, 1.0) for joint in joints] for step in steps]
    try:
        track = _TRACK.validate_python(kept.get("stiffness", []))
    except ValidationError:
        track = []
    if track and all(len(values) == len(joints) for _, values in track) and stiffness_at_ends(poses, track) == wanted:
        return track
    for step in steps:
        if any(joint not in step.stiffness for joint in joints):
            losses.count(step.place, "stiff", "joints without a stiffness are written with 1")
    return [(time, values) for (time, _), values in zip(poses, wanted, strict=True)]
