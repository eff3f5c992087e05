"""HULKs' older `.motion2` files (JSON), in both dialects: tracks of positions and stiffness, and a list of commands.

`header.joints` gives the order of the numbers, which differs by file; `header.time` says how long the motion is in
milliseconds and disagrees with the poses in many, by a factor of up to 4. Poses count milliseconds, in some files of
both dialects tenths of a second, which only the header shows: the unit is the one whose sum is nearest to the header's
time, and told where that is not the millisecond. Where the sum still is another, HULKs' own converter scales the poses
to the header; so does this reader, unless it is asked to count the poses (`ReadReport.time`).

The stiffness track has times of its own. A keyframe gets the stiffness that is in force at its end; the track itself is
kept in the motion's extras and written again as long as the keyframes agree with it.

Source: docs/sources/motion-formats.md, section 3.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from andante.formats.hulks.names import NUMBERED, ROBOT
from andante.formats.report import Losses, ReadReport, TimeOf
from andante.formats.shared.json_text import dump_json
from andante.formats.shared.numbers import LARGEST, LONGEST, plain
from andante.formats.shared.single import StepsCodec, library_of_one, name_of
from andante.formats.shared.steps import Holds, OutgoingKeyframe, complete, keyframe_of, stiffness_changes
from andante.formats.shared.values import Value
from andante.motions.extras import Kind
from andante.motions.keyframe import Block
from andante.motions.library import UNKNOWN_ROBOT, Motion, MotionLibrary

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
    signature = re.compile(rb'\A\s*\{(?=[\s\S]*"header"\s*:\s*\{)(?=[\s\S]*"(?:position|commands|joints)"\s*:)')
    sure = 0.9
    robots = (ROBOT, UNKNOWN_ROBOT)
    holds = Holds(kind=_KIND, stiffness=True, off=True)

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        return _Decoder(name_of(path), report.time).library(Value.of_text(text, str(path), report))

    def text(self, library: MotionLibrary, name: str, steps: Sequence[OutgoingKeyframe], losses: Losses) -> str:
        """The file of a motion with these steps."""
        return dump_json(_encode(name, library.motions[name], steps, losses))


class _Decoder:
    """One file being read."""

    def __init__(self, name: str, time: TimeOf) -> None:
        self.name = name
        self.time = time
        self.kept: dict[str, Any] = {}

    def library(self, value: Value) -> MotionLibrary:
        root = value.record(("header",), ("position", "stiffness", "commands"))
        header = root["header"].record(("joints",), ("time", "title", "version"))
        joints = self._joints(header["joints"])
        stated = self._header(header)
        if "commands" in root:
            if "position" in root:
                raise value.error("a file has either 'position' or 'commands'", legal=("position", "commands"))
            place = root["commands"]
            poses = self._commands(place, len(joints))
        elif "position" in root:
            place = root["position"]
            poses = _track(place, len(joints))
        else:
            raise value.error("there are no poses", legal=("position", "commands"))
        unit = self._unit(poses, stated, place)
        scale = self._scale(poses, unit, stated, header)
        stiffness: Track = []
        if "stiffness" in root:
            stiffness = _track(root["stiffness"], len(joints), 0.0, 1.0)
            self.kept["stiffness"] = [[time, values] for time, values in stiffness]
            ends = set(_ends(poses))
            if any(end not in ends for end in _ends(stiffness)[:-1]):
                text = "the stiffness changes between keyframes; each gets the one in force at its end"
                root["stiffness"].warn(text)
        state: dict[str, float] = {}
        keyframes = []
        for (time, values), now in zip(poses, stiffness_at_ends(poses, stiffness), strict=True):
            changes = stiffness_changes(state, dict(zip(joints, now, strict=True)) if now else {})
            keyframes.append(keyframe_of(_seconds(time, unit) * scale, dict(zip(joints, values, strict=True)), changes))
        return library_of_one(ROBOT, self.name, Block(keyframes=tuple(keyframes)), extras={_KIND: self.kept})

    def _joints(self, value: Value) -> list[str]:
        numbers: list[int] = []
        for item in value.array():
            number = item.integer(0, len(NUMBERED) - 1)
            if number in numbers:
                raise item.error("the joint stands twice", value=number)
            numbers.append(number)
        self.kept["joints"] = numbers
        return [NUMBERED[number] for number in numbers]

    def _header(self, header: Mapping[str, Value]) -> float | None:
        self.kept |= {name: header[name].plain() for name in ("time", "title", "version") if name in header}
        return header["time"].number(0.0) if "time" in header else None

    def _commands(self, value: Value, count: int) -> Track:
        track: Track = []
        types = []
        for item in value.array():
            command = item.record(("command",), ())["command"].record(("time", "parameters"), ("type",))
            types.append(command["type"].integer(0, 1000) if "type" in command else None)
            track.append(_entry(command, count))
        self.kept["commands"] = types
        return track

    def _unit(self, poses: Track, stated: float | None, place: Value) -> str:
        """The unit of the poses' times: the one whose sum is nearest to the header's time, by factor."""
        total = sum(time for time, _ in poses)
        if not stated:
            if 0.0 < total < _HASTY and len(poses) > 1:
                what = f"the file does not say how long the motion is; {total:g} are taken as milliseconds"
                place.warn(f"{what}, which is hasty")
            return _MS
        if total <= 0.0:
            return _MS
        unit = min(_UNITS, key=lambda name: abs(math.log(total * _UNITS[name] / stated)))
        if unit != _MS:
            self.kept[unit] = True
            text = f"times are taken as {_NAMED[unit]}: their sum is {total:g}, the header's {stated:g} ms"
            place.warn(text, inside="")
        return unit

    def _scale(self, poses: Track, unit: str, stated: float | None, header: Mapping[str, Value]) -> float:
        """By what the poses' times are multiplied so that they take as long as the header says."""
        total = sum(time for time, _ in poses) * _UNITS[unit]
        if stated is None or abs(total - stated) <= 0.5:
            return 1.0
        told = f"the header says {stated:g} ms, the poses take {total:g} ms"
        if self.time == "poses" or stated <= 0.0 or total <= 0.0:
            header["time"].warn(f"{told}, which counts")
            return 1.0
        self.kept["scale"] = stated / total
        header["time"].warn(f"{told}; they are scaled to the header, as HULKs' own converter does (else: --time poses)")
        return stated / total


def _track(value: Value, count: int, low: float = -LARGEST, high: float = LARGEST) -> Track:
    return [_entry(item.record(("time", "parameters"), ()), count, low, high) for item in value.array()]


def _entry(
    entry: Mapping[str, Value], count: int, low: float = -LARGEST, high: float = LARGEST
) -> tuple[float, list[float]]:
    time = entry["time"].number(0.0, LONGEST * 1000.0)
    values = entry["parameters"].array()
    if len(values) != count:
        what = f"there are {len(values)} of {count} values"
        raise entry["parameters"].error(what, limit=f"{count}, as header.joints")
    return time, [value.number(low, high) for value in values]


def _seconds(time: float, unit: str) -> float:
    # Divided, not multiplied by a rounded tenth, so that 0.7 s stay 0.7.
    return time / (1000.0 / _UNITS[unit])


def _ends(track: Track) -> list[float]:
    return list(accumulate(time for time, _ in track))


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


def _encode(name: str, motion: Motion, steps: Sequence[OutgoingKeyframe], losses: Losses) -> dict[str, Any]:
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
    scale = kept.get("scale")
    if isinstance(scale, int | float) and math.isfinite(scale) and scale > 0.0:
        unit *= scale
        # Whoever reads it scales to the header again, which therefore says how long the motion is now.
        now = 1000.0 * sum(step.duration for step in steps)
        if isinstance(kept.get("time"), int | float) and abs(now - kept["time"]) > 0.5:
            kept["time"] = plain(round(now, 6))
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


def _file_time(step: OutgoingKeyframe, unit: float) -> float:
    exact = step.duration * (1000.0 / unit)
    whole = round(exact)
    return float(whole) if abs(exact - whole) < 1e-6 else round(exact, 9)


def _entry_data(time: float, values: Sequence[float]) -> dict[str, Any]:
    return {"parameters": [plain(value) for value in values], "time": plain(time)}


def _stiffness(
    kept: Mapping[str, Any], steps: Sequence[OutgoingKeyframe], poses: Track, joints: Sequence[str], losses: Losses
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
