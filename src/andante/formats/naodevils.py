"""Nao Devils' `.kfm` files: one motion in the same text as B-Human's configuration files.

Every keyframe has angles of head, arms and legs (a suffix `deg`, else radians; 20000 leaves a joint alone, 10000
switches it off), 26 stiffnesses in per cent, a duration in ms and a curve. The other attributes differ between
the team's releases and have no counterpart: they are kept as they are in extras. Comments behind an opening brace
are kept too, others are not. Sony's editor for the AIBO used the same ending: the content decides.

Source: docs/sources/motion-formats.md, section 3.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from andante.errors import nearest_name, shorten
from andante.formats.bhuman.grammar import Array, AttributeRecord, GrammarReader, Literal, Node, parse, told
from andante.formats.bhuman.layout import layout
from andante.formats.bhuman.names import HEAD, JOINTS, LIMB_JOINTS
from andante.formats.bhuman.scalars import AngleValue, Integer, Name, Range
from andante.formats.bhuman.shapes import ListOf
from andante.formats.report import Losses, ReadReport
from andante.formats.shared.numbers import LARGEST, LONGEST, degrees, number_text, radians
from andante.formats.shared.single import StepsCodec, library_of_one, name_of
from andante.formats.shared.steps import Holds, OutgoingKeyframe, keyframe_of, stiffness_changes, text_of
from andante.motions.extras import Extras, Kind, without_lines
from andante.motions.keyframe import Block, Interpolation, JointStiffness, JointTarget, Keyframe
from andante.motions.library import UNKNOWN_ROBOT, Motion, MotionLibrary

ROBOT = "nao"
ARMS = (*LIMB_JOINTS["left_arm"], *LIMB_JOINTS["right_arm"])
LEGS = (*LIMB_JOINTS["left_leg"], *LIMB_JOINTS["right_leg"])
PARTS: Mapping[str, tuple[str, ...]] = {"headAngles": HEAD, "armsAngles": ARMS, "legsAngles": LEGS}
"""Joints of each list of angles, in order."""
OFF, IGNORE = 10_000.0, 20_000.0

_KIND: Kind = "naodevils"
_WAYS = {"linear": Interpolation.LINEAR.value, "sine": Interpolation.SINE_MIN_TO_MAX.value}
_ANGLES = AngleValue({OFF: "off", IGNORE: "ignore"})
_STIFFNESS = ListOf(Integer(Range(0, 100), percent=True), 26)
_DURATION = Integer(Range(0, LONGEST * 1000.0), dimension="time")
_WAY = Name("an interpolation", _WAYS)
_TOP = (
    *("initialKeyFrame", "nextKeyFrameID", "nextMotionConditions", "nextKeyFrameMotionIDs"),
    *("stabilizationP", "stabilizationI", "stabilizationD"),
    *("YstabilizationP", "YstabilizationI", "YstabilizationD"),
    *("XstabilizationP", "XstabilizationI", "XstabilizationD"),
    *("errorMultiplier", "reductionRate", "maxCompensation", "compensationThreshold"),
    *("hipYawCorrectionFactors", "hipCorrectionFactors", "kneeCorrectionFactors", "ankleCorrectionFactors"),
    "localArmAngleReachedThreshold",
)
_FRAME = (
    *("angleAtKeyFrameTarget", "angleAtKeyFrameError", "angleAtKeyFrameErrorFront", "angleAtKeyFrameErrorBack"),
    *("useAngleAtKeyFrameTarget", "activateFallDownProtection", "stabilize", "waitForStable", "waitForTorsoTime"),
    *("leavingPossible", "useArmProblemDetection", "armAngleReached", "holdFrame", "nextKeyFrameConditions"),
    *("nextKeyFrameIDs", "fallDownProtection", "holdFallDownProtection", "hipYawErrorCompensation"),
)
_READ = (*PARTS, "stiffnesses", "duration", "intType")
_DONE = {"stabilize": "true", "waitForStable": "true"}
"""Attributes that would change the execution, and with which value."""


class NaoDevilsCodec(StepsCodec):
    """Reads and writes `.kfm`."""

    name = "naodevils"
    title = "Nao Devils keyframe motion (.kfm)"
    suffixes = (".kfm",)
    signature = re.compile(rb"\bkeyFrames\s*=\s*\[|^[ \t]*keyFrameID\s*=", re.MULTILINE)
    robots = (ROBOT, UNKNOWN_ROBOT)
    ways = (Interpolation.LINEAR, Interpolation.SINE_MIN_TO_MAX)
    holds = Holds(("note", "extras"), ("note", "extras"), stiffness=True, off=True, ways=ways)

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        tree = parse(text, str(path))
        return _Decoder(told(tree, report), name_of(path)).library(tree.root)

    def text(self, library: MotionLibrary, name: str, steps: Sequence[OutgoingKeyframe], losses: Losses) -> str:
        """The file of a motion with these steps."""
        motion = library.motions[name]
        note = _comment(text_of(motion, _KIND), f"motions.{name}.note", losses)
        fields: dict[str, Node] = {"keyFrameID": Literal(name)} | _more(motion)
        fields["keyFrames"] = Array([_keyframe(step, losses) for step in steps])
        return layout(AttributeRecord(fields, note=note))


class _Decoder:
    """One file being read."""

    def __init__(self, reading: GrammarReader, name: str) -> None:
        self.reading = reading
        self.name = name
        self.state: dict[str, float] = {}

    def library(self, root: AttributeRecord) -> MotionLibrary:
        kept = self._others(root, ("keyFrameID", "keyFrames"), _TOP, "")
        named = root.fields.get("keyFrameID", Literal(self.name))
        if not isinstance(named, Literal):
            raise self.reading.error("a name is expected here", named, "keyFrameID")
        if "keyFrameID" not in root.fields:
            self.reading.warn("the attribute 'keyFrameID' is missing; the file's name is taken", root)
        frames = root.fields.get("keyFrames")
        if not isinstance(frames, Array):
            raise self.reading.error("a list of keyframes is needed", root if frames is None else frames, "keyFrames")
        keyframes = tuple(self._keyframe(item, f"keyFrames[{at}]") for at, item in enumerate(frames.items))
        note, extras = without_lines(root.note)
        return library_of_one(ROBOT, named.text, Block(keyframes=keyframes), note=note, extras=extras | kept)

    def _others(self, record: AttributeRecord, read: Collection[str], known: Collection[str], inside: str) -> Extras:
        """The attributes that have no counterpart, as plain data."""
        kept: dict[str, Any] = {}
        for name, node in record.fields.items():
            if name in read:
                continue
            if name not in known:
                nearest = nearest_name(name, [word for word in (*read, *known) if word not in record.fields])
                hint = f"; did you mean {nearest!r}?" if nearest else ""
                shown = shorten(repr(name), 60)
                self.reading.warn(f"{shown} is none of the format's; it is kept{hint}", record.names[name], inside)
            elif isinstance(node, Literal) and _DONE.get(name) == node.text:
                self.reading.warn(f"{name!r} has no counterpart; it is kept, not executed", record.names[name], inside)
            kept[name] = _plain(node)
        return {_KIND: {"more": kept}} if kept else {}

    def _keyframe(self, node: Node, inside: str) -> Keyframe:
        if not isinstance(node, AttributeRecord):
            raise self.reading.error("a record {...} is expected here", node, inside)
        for name in (*PARTS, "duration"):
            if name not in node.fields:
                raise self.reading.error(f"the attribute {name!r} is missing", node, inside, legal=_READ)
        joints: dict[str, JointTarget] = {}
        for part, members in PARTS.items():
            place = f"{inside}.{part}"
            values = ListOf(_ANGLES, len(members)).read(node.fields[part], self.reading, place)
            for joint, value in zip(members, values, strict=True):
                if not isinstance(value, str) and abs(value) > LARGEST:
                    raise self.reading.error("the angle is too large", node.fields[part], place, value=value)
                joints[joint] = value
        changes: tuple[JointStiffness, ...] = ()
        if "stiffnesses" in node.fields:
            values = _STIFFNESS.read(node.fields["stiffnesses"], self.reading, f"{inside}.stiffnesses")
            changes = stiffness_changes(self.state, dict(zip(JOINTS, values, strict=True)))
        else:
            self.reading.warn("the attribute 'stiffnesses' is missing; the stiffness stays", node, inside)
        way = Interpolation.LINEAR
        if "intType" in node.fields:
            way = Interpolation(_WAY.read(node.fields["intType"], self.reading, f"{inside}.intType"))
        time = _DURATION.read(node.fields["duration"], self.reading, f"{inside}.duration")
        kept = self._others(node, _READ, _FRAME, inside)
        return keyframe_of(float(time or 0.0), joints, changes, note=node.note, extras=kept, interpolation=way)


def _plain(node: Node) -> Any:
    if isinstance(node, AttributeRecord):
        return {name: _plain(value) for name, value in node.fields.items()}
    if isinstance(node, Array):
        return [_plain(item) for item in node.items]
    return node.text


def _tree(value: Any) -> Node:
    if isinstance(value, dict):
        return AttributeRecord({str(name): _tree(item) for name, item in value.items()})
    if isinstance(value, list):
        return Array([_tree(item) for item in value])
    return Literal(str(value))


def _more(part: Motion | Keyframe) -> dict[str, Node]:
    more = part.extras.get(_KIND, {}).get("more")
    return {str(name): _tree(value) for name, value in more.items()} if isinstance(more, dict) else {}


def _keyframe(step: OutgoingKeyframe, losses: Losses) -> AttributeRecord:
    note = _comment(text_of(step.keyframe, _KIND), f"{step.place}.note", losses)
    targets = step.keyframe.joints
    for joint in targets:
        if joint not in JOINTS:
            losses.count(step.place, f"joint {joint}", f"joint {joint!r} has no place in the format")
    fields: dict[str, Node] = {
        part: Array([Literal(_angle_text(targets.get(joint, "ignore"))) for joint in members])
        for part, members in PARTS.items()
    }
    if step.stated:
        words = [Literal(_percent(step.stated.get(joint, 1.0), step.place, losses)) for joint in JOINTS]
        fields["stiffnesses"] = Array(list(words))
        if any(joint not in step.stated for joint in JOINTS):
            losses.count(step.place, "stiff", "joints without a stiffness are written with 100 %")
    else:
        losses.count(step.place, "no stiffness", "no stiffness is in force; none is written")
    exact = step.duration * 1000.0
    if abs(exact - round(exact)) > 1e-6:
        losses.count(step.place, "time", "durations are written in whole milliseconds")
    fields["duration"] = Literal(str(round(exact)))
    fields["intType"] = Literal("sine" if step.way is Interpolation.SINE_MIN_TO_MAX else "linear")
    return AttributeRecord(fields | _more(step.keyframe), note=note)


def _comment(note: str, place: str, losses: Losses) -> str:
    """A note as comments can hold it."""
    held = "\n".join(line.strip() for line in note.splitlines()).strip("\n")
    if held != note:
        losses.count(place, "blanks", "blanks and empty lines around the note's text are not kept")
    return held


def _percent(value: float, place: str, losses: Losses) -> str:
    if abs(value * 100.0 - round(value * 100.0)) > 1e-9:
        losses.count(place, "percent", "stiffness is written in whole per cent")
    return str(round(value * 100.0))


def _angle_text(value: JointTarget) -> str:
    if isinstance(value, str):
        return number_text(OFF if value == "off" else IGNORE)
    in_degrees = degrees(value)
    # Some angles that a file gives in radians have no number of degrees that is exactly the same.
    return f"{number_text(in_degrees)}deg" if radians(in_degrees) == value else f"{number_text(value)}rad"
