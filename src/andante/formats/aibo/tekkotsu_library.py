"""Tekkotsu's postures and motion sequences as motions of a library, and back.

A sequence has a track per output, a library whole keyframes: the keyframes stand at the times of all keys, with the
tracks' linear values between. Going back, keys on a straight line are left out again. Lights, weights and keys that
release an output are kept in extras.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from andante.formats.aibo.keys import MotionKey, keys_of, used_joints
from andante.formats.aibo.names import BY_NAME, BY_TEKKOTSU, ROBOT
from andante.formats.aibo.tekkotsu_mot import MAX_TIME, Sequence, Track
from andante.formats.aibo.tekkotsu_pos import PostureFile, Target
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.single import library_of_one
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import MotionLibrary

KIND: Kind = "tekkotsu"
"""Kind of the extras."""
POSTURE_TIME = 1.0
"""Time given to a posture, whose file has none [s]."""
_START_TIME = 0.008
_MAX_EXTRAS = 2000
_STRAIGHT = 1e-12


def _joint_for(output: str) -> str | None:
    """The robot pack's joint of an output without padding; None for lights and unknown ones."""
    joint = BY_TEKKOTSU.get(output)
    return joint.name if joint is not None else None


def library_of_posture(posture: PostureFile, file: Path, report: ReadReport) -> MotionLibrary:
    """Return the library of a posture, whose motion goes by its file's name."""
    joints: dict[str, float | str] = {}
    extras: list[list[Any]] = []
    for output, target in posture.targets.items():
        joint = _joint_for(output)
        if joint is not None and target.weight > 0.0:
            joints[joint] = target.value
        if joint is None or target.weight != 1.0:
            extras.append([output, target.value, target.weight])
    _weights_remark(any(_joint_for(extra[0]) for extra in extras), file, report)
    said: dict[str, Any] = {"targets": extras} if extras else {}
    if posture.sections:
        said["sections"] = {name: list(lines) for name, lines in posture.sections.items()}
    return _library(file, [Keyframe(duration=POSTURE_TIME, joints=joints)], said)


def _library(file: Path, keyframes: list[Keyframe], said: dict[str, Any]) -> MotionLibrary:
    block = Block(keyframes=tuple(keyframes))
    return library_of_one(ROBOT, file.stem or "motion", block, extras={KIND: said} if said else {})


def _weights_remark(holds: bool, file: Path, report: ReadReport) -> None:
    if holds:
        report.warn("weights other than 1 have no effect here; they are kept in extras", file)


def posture_from_motion(library: MotionLibrary, name: str, losses: Losses) -> PostureFile:
    """Return a motion of one keyframe as a posture.

    Raises:
        FormatError: The motion does not have exactly one keyframe.
    """
    joints = _joints(library, name)
    said = library.motions[name].extras.get(KIND, {})
    keys = keys_of(library, name, joints, losses, KIND)
    if len(keys) != 1:
        raise FormatError("a posture file holds one pose", inside=f"motions.{name}", value=len(keys))
    if keys[0].duration != POSTURE_TIME:
        losses.count(keys[0].place, "time", "times are not held", f"{keys[0].duration * 1000:g} ms")
    targets = {BY_NAME[joint].output: Target(angle) for joint, angle in zip(joints, keys[0].angles, strict=True)}
    for row in _rows(said.get("targets"), 3):
        output, value, weight = row
        if isinstance(output, str) and _finite(value) and _finite(weight):
            known = targets.get(output)
            if known is not None or _joint_for(output) is None or weight <= 0.0:
                targets[output] = Target(known.value if known is not None else value, weight)
    sections = said.get("sections")
    rows = sections.items() if isinstance(sections, dict) else ()
    return PostureFile(targets, {str(name): tuple(map(str, lines)) for name, lines in rows if isinstance(lines, list)})


def library_of_sequence(sequence: Sequence, file: Path, report: ReadReport) -> MotionLibrary:
    """Return the library of a motion sequence, whose motion goes by its file's name.

    Raises:
        FormatError: It has no key of a joint.
    """
    extras: list[list[Any]] = []
    tracks: dict[str, Track] = {}
    for output, track in sequence.tracks.items():
        joint = _joint_for(output)
        if joint is not None:
            tracks[joint] = {time: target for time, target in track.items() if target.weight > 0.0}
        extras += [
            [time, output, target.value, target.weight]
            for time, target in track.items()
            if joint is None or target.weight != 1.0
        ]
    if len(extras) > _MAX_EXTRAS:
        report.warn(f"{len(extras) - _MAX_EXTRAS} keys of lights, weights and releases are not kept", file)
    _weights_remark(any(_joint_for(extra[1]) for extra in extras), file, report)
    times = sorted({time for track in tracks.values() for time in track})
    if not times:
        raise FormatError("the motion sequence has no key of a joint", file=file)
    joint_values = {joint: _sampled(track, times) for joint, track in tracks.items() if track}
    for joint, track in tracks.items():
        first = min(track, default=0)
        if any(time < first for time in times):
            report.warn(f"joint {joint!r} waits for the key before its first one, at {first} ms, then moves", file)
    keyframes = []
    last = 0
    for index, time in enumerate(times):
        keyframes.append(
            Keyframe(
                duration=(time - last) / 1000.0 if time else _START_TIME,
                joints={joint: value for joint, values in joint_values.items() if (value := values[index]) is not None},
                extras={KIND: {"start": True}} if time == 0 else {},
            )
        )
        last = time
    if times[0] == 0:
        report.warn(f"the first pose has no time in the file; it gets {_START_TIME * 1000:g} ms", file)
    return _library(file, keyframes, {"keys": extras[:_MAX_EXTRAS]} if extras else {})


def _sampled(track: Track, times: list[int]) -> list[float | None]:
    """Values of a track at the given times: None before its first and after its last key, else linear between."""
    keys = sorted(track.items())
    values: list[float | None] = []
    at = 0
    for time in times:
        while at + 1 < len(keys) and keys[at + 1][0] <= time:
            at += 1
        before, target = keys[at]
        if time == before:
            values.append(target.value)
        elif time < before or at + 1 == len(keys):
            values.append(None)
        else:
            after, following = keys[at + 1]
            share = (time - before) / (after - before)
            values.append(target.value + share * (following.value - target.value))
    return values


def sequence_from_motion(library: MotionLibrary, name: str, losses: Losses) -> Sequence:
    """Return a motion as a motion sequence.

    Raises:
        FormatError: A joint is not the robot's, or the motion is longer than an hour.
    """
    joints = _joints(library, name)
    said = library.motions[name].extras.get(KIND, {})
    keys = keys_of(library, name, joints, losses, KIND)
    times = _times(keys, losses)
    tracks: dict[str, Track] = {}
    firsts: dict[str, int] = {}
    for index, key in enumerate(keys):
        for joint in key.given:
            firsts.setdefault(joint, index)
    for column, joint in enumerate(joints):
        points = [
            (time, key.angles[column])
            for index, (time, key) in enumerate(zip(times, keys, strict=True))
            if index >= firsts[joint]
        ]
        tracks[BY_NAME[joint].output] = {time: Target(value) for time, value in _without_lines(points)}
    if times and joints and all(times[-1] not in track for track in tracks.values()):
        # A hold at the end needs one key, or the sequence would end too early.
        tracks[BY_NAME[joints[0]].output][times[-1]] = Target(keys[-1].angles[0])
    for row in _rows(said.get("keys"), 4):
        time, output, value, weight = row
        if not (isinstance(time, int) and 0 <= time <= MAX_TIME and isinstance(output, str)):
            continue
        if not (_finite(value) and _finite(weight)):
            continue
        track = tracks.setdefault(output, {})
        if _joint_for(output) is not None and weight > 0.0 and time not in track:
            continue
        held = track[time].value if time in track and weight > 0.0 else value
        track[time] = Target(held, weight)
    return Sequence(
        {output: dict(sorted(track.items())) for output, track in tracks.items()}, times[-1] if times else 0
    )


def _times(keys: list[MotionKey], losses: Losses) -> list[int]:
    """Times of the keys in whole milliseconds, strictly rising."""
    times: list[int] = []
    exact = 0.0
    for index, key in enumerate(keys):
        if index == 0 and (key.extras.get(KIND, {}).get("start") is True or key.duration == 0.0):
            times.append(0)
            continue
        exact += key.duration * 1000.0
        if exact > MAX_TIME:
            raise FormatError("the motion is too long", inside=key.place, value=exact / 1000.0, limit="3600 s")
        time = max(round(exact), times[-1] + 1 if times else 1)
        if abs(time - exact) > 1e-6:
            text = "times become whole milliseconds, each after the one before"
            losses.count(key.place, "time", text, f"{exact:g} ms become {time} ms")
        times.append(time)
    return times


def _without_lines(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """The points without those on the straight line between their neighbours, and without a hold at the end."""
    kept: list[tuple[int, float]] = []
    for index, (time, value) in enumerate(points):
        if kept and index + 1 < len(points):
            before, start = kept[-1]
            after, end = points[index + 1]
            line = start + (time - before) / (after - before) * (end - start)
            if abs(value - line) <= _STRAIGHT * max(1.0, abs(value)):
                continue
        kept.append((time, value))
    while len(kept) > 1 and kept[-1][1] == kept[-2][1]:
        kept.pop()
    return kept


def _joints(library: MotionLibrary, name: str) -> list[str]:
    joints = used_joints(library, name)
    for joint in joints:
        if joint not in BY_NAME:
            raise FormatError("the robot has no such joint", inside=f"motions.{name}", value=joint, legal=BY_NAME)
    return joints


def _rows(rows: object, width: int) -> list[list[Any]]:
    if not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, list) and len(row) == width]


def _finite(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
