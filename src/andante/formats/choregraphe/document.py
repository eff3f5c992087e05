"""The curves of a Choregraphe file as they stand in it: what a motion's extras keep, to write them again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal

from pydantic import Field, ValidationError

from andante.documents.part import Part
from andante.formats.bhuman.names import JOINTS
from andante.formats.report import Losses, ReadReport, Remark
from andante.formats.shared.curves import Curve, Knot, sample
from andante.formats.shared.losses import extras_losses, note_losses
from andante.formats.shared.numbers import LARGEST, radians
from andante.formats.shared.single import robot_with
from andante.formats.shared.steps import Holds, OutgoingKeyframe, steps_of, true_duration
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, Interpolation, Keyframe
from andante.motions.library import UNKNOWN_ROBOT, Motion, MotionLibrary


class Handle(Part):
    """A handle of a key, in the file's units."""

    kind: Literal["linear", "bezier", "constant"] = "bezier"
    """How the way on this side is travelled."""
    code: int | None = None
    """The number that stands for the kind in Python exports."""
    time: float = Field(ge=-LARGEST, le=LARGEST)
    """Time relative to the key [frames or s]."""
    value: float = Field(ge=-LARGEST, le=LARGEST)
    """Value relative to the key."""


class CurveKey(Part):
    """A key of a curve, in the file's units."""

    at: float = Field(ge=-LARGEST, le=LARGEST)
    """Frame or time [s]."""
    value: float = Field(ge=-LARGEST, le=LARGEST)
    """Angle [deg or rad], or opening of a hand."""
    left: Handle | None = None
    """Handle towards the key before."""
    right: Handle | None = None
    """Handle towards the next key."""
    extras: dict[str, str] = Field(default_factory=dict)
    """Other attributes."""


class Track(Part):
    """A curve."""

    actuator: str
    """Joint name in the file."""
    keys: tuple[CurveKey, ...] = ()
    """The keys."""
    extras: dict[str, str] = Field(default_factory=dict)
    """Other attributes."""


class Document(Part):
    """The curves of one motion."""

    fps: float | None = Field(default=None, gt=0.0, le=LARGEST)
    """Frames per second; None: times are seconds and angles radians."""
    tracks: tuple[Track, ...] = ()
    """The curves."""
    extras: dict[str, str] = Field(default_factory=dict)
    """Other attributes."""


_HOLDS = Holds(("note", "extras"), ways=tuple(Interpolation))
_HANDS = {"LHand", "RHand"}


def curves_of_document(document: Document) -> list[Curve]:
    """The curves in SI units; muted ones are left out."""
    pace = 1.0 if document.fps is None else document.fps
    curves = []
    for track in document.tracks:
        if track.extras.get("mute") in ("1", "true"):
            continue
        degrees = document.fps is not None and track.actuator not in _HANDS and track.extras.get("unit") != "1"
        knots = tuple(
            Knot(
                key.at / pace,
                radians(key.value) if degrees else key.value,
                _handle(key.left, pace, degrees=degrees),
                _handle(key.right, pace, degrees=degrees),
            )
            for key in track.keys
        )
        curves.append(Curve(track.actuator, knots))
    return curves


def _handle(handle: Handle | None, pace: float, *, degrees: bool) -> tuple[float, float] | None:
    if handle is None or handle.kind != "bezier":
        return None
    return handle.time / pace, radians(handle.value) if degrees else handle.value


def key_of(knot: Knot, at: float, pace: float, in_file: Callable[[float], float], code: int | None = None) -> CurveKey:
    """The key of a knot in the file's units.

    Args:
        knot: The knot.
        at: Its frame or time.
        pace: The file's units of time in a second.
        in_file: Turns angles into the file's unit.
        code: The number that stands for its handles in Python exports.
    """
    left, right = (
        None if side is None else Handle(code=code, time=side[0] * pace, value=in_file(side[1]))
        for side in (knot.left, knot.right)
    )
    return CurveKey(at=at, value=in_file(knot.value), left=left, right=right)


def robot_of(documents: Sequence[Document], report: ReadReport) -> str:
    """The robot: the one asked for, the one that has all joints, else NAO (Pepper's joints are told)."""
    names = {track.actuator for document in documents for track in document.tracks}
    other = robot_with(names)
    if other != UNKNOWN_ROBOT and not report.robot:
        return other
    strange = sorted(names - set(JOINTS))
    if strange and not report.robot:
        text = f"the robot 'nao' has no such joints: {', '.join(strange[:20])}"
        report.warnings.append(Remark(text, str(report.files[-1]) if report.files else ""))
    return report.robot or "nao"


def decode_document(document: Document, name: str, kind: Kind, report: ReadReport) -> tuple[Motion, Block]:
    """A motion and its block; the document is kept in the motion's extras."""
    file = str(report.files[-1]) if report.files else ""
    sampled = sample(curves_of_document(document))
    if sampled.error > 0.0:
        keys = len({key.at for track in document.tracks for key in track.keys})
        text = (
            f"Bezier curves become straight lines between {len(sampled.keyframes)} keyframes ({keys} times have keys), "
            f"at most {math.degrees(sampled.error):.3f} deg apart ({sampled.joint} at {sampled.time:.2f} s)"
        )
        report.warnings.append(Remark(text, file, inside=name))
    if sampled.late:
        text = f"these joints are left alone until their first key's keyframe: {', '.join(sampled.late[:30])}"
        report.warnings.append(Remark(text, file, inside=name))
    kept = document.model_dump(mode="json", exclude_defaults=True)
    return Motion(blocks=(name,), extras={kind: kept or {"tracks": []}}), Block(keyframes=sampled.keyframes)


def kept_document(library: MotionLibrary, name: str, kinds: Sequence[Kind], losses: Losses) -> Document | None:
    """The document that a motion was read from, where its keyframes still are those; others' extras are told lost."""
    motion = library.motions[name]
    note_losses(motion.note, f"motions.{name}", losses)
    extras_losses(motion.extras, f"motions.{name}", losses, kinds)
    for kind in kinds:
        data = motion.extras.get(kind)
        if not data:
            continue
        try:
            document = Document.model_validate(data)
        except ValidationError:
            continue
        if not _in_order(document):
            continue
        blocks = [library.blocks[block] for block in motion.blocks if block in library.blocks]
        if len(blocks) == 1 and _same(sample(curves_of_document(document)).keyframes, blocks[0]):
            return document
        losses.add(f"motions.{name}", "the keyframes were edited; straight lines between them are written, no handles")
    return None


def curved_steps(library: MotionLibrary, name: str, losses: Losses) -> list[OutgoingKeyframe]:
    """The steps of a motion whose keyframes are to become curves."""
    steps = steps_of(library, name, losses, _HOLDS)
    if any(step.way is not Interpolation.LINEAR for step in steps):
        losses.add(f"motions.{name}", "sine curves become the nearest Bezier curves, up to 0.5 % of the way apart")
    return steps


def _in_order(document: Document) -> bool:
    """Whether every curve's times rise from 0 on, as in a document that was read."""
    return all(
        track.keys[0].at >= 0.0 and all(a.at < b.at for a, b in pairwise(track.keys))
        for track in document.tracks
        if track.keys
    )


def _same(keyframes: Sequence[Keyframe], block: Block) -> bool:
    """Whether a block says no more and no less than keyframes (but for the last bits, which YAML's degrees lose)."""
    if len(keyframes) != len(block.keyframes) or block != Block(keyframes=block.keyframes):
        return False
    for mine, other in zip(keyframes, block.keyframes, strict=True):
        bare = {"joints": {}, "duration": 1.0}
        if mine.model_copy(update=bare) != other.model_copy(update=bare) or mine.joints.keys() != other.joints.keys():
            return False
        if not math.isclose(true_duration(mine), true_duration(other), abs_tol=1e-9):
            return False
        for joint, value in mine.joints.items():
            held = other.joints[joint]
            if isinstance(held, str) or not math.isclose(float(value), held, abs_tol=1e-9):
                return False
    return True
