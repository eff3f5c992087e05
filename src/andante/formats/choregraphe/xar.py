"""Choregraphe's `.xar` projects: the actuator curves of timelines, at frames, in degrees (hands 0 to 1).

Every timeline with curves becomes a motion, named as its box. Curves are sparse: each joint has keys of its own. They
are kept in the motion's extras and written again as long as its keyframes agree with them. Scripts, behaviour layers
(LEDs, sounds) and diagrams are not motions and not kept.

Source: docs/sources/motion-formats.md, section 3; what `unit` 1 stands for (a share, as for hands) is not published.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from andante.formats.choregraphe.document import (
    CurveKey,
    Document,
    Handle,
    Track,
    curved_steps,
    decode_document,
    kept_document,
    key_of,
    robot_of,
)
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.curves import Curve, curves_of
from andante.formats.shared.numbers import LARGEST, LONGEST, degrees, number_text
from andante.formats.shared.single import OneTextCodec, free_name, name_of
from andante.formats.shared.text_file import TextFile
from andante.formats.shared.xml_text import Element, parse_xml
from andante.motions.extras import Kind
from andante.motions.library import MotionLibrary

NAMESPACE = "http://www.aldebaran-robotics.com/schema/choregraphe/project.xsd"
PACES = (25.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""Frames per second to choose from in writing, the first that fits."""
_KINDS: tuple[Kind, ...] = ("xar", "choregraphe-python")
_LOST = {"script": "scripts", "BehaviorKeyframe": "behaviour keyframes", "Link": "links between boxes"}
_ATTRIBUTE = re.compile(r"[^\W\d][\w.-]*")
_TIMELINE = ("start_frame", "end_frame", "size")
_HANDS = ("LHand", "RHand")
_DIAGRAM = (
    ("Diagram", {"scale": "-1"}),
    ("BehaviorKeyframe", {"name": "motions", "index": "0"}),
    ("BehaviorLayer", {"name": "motions"}),
    ("Timeline", {"fps": "25", "start_frame": "0", "end_frame": "-1", "size": "1"}),
    ("Box", {"name": "root", "id": "0"}),
)
"""What stands around the boxes of several motions, from the inside to the outside."""


class XarCodec(OneTextCodec):
    """Reads and writes `.xar`."""

    name = "xar"
    title = "Choregraphe project (.xar)"
    suffixes = (".xar",)
    signature = re.compile(rb"<ChoregrapheProject")
    max_bytes = 4_000_000  # a tree of XML takes 60 times that
    many = True

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        root = parse_xml(text, str(path))
        if root.tag != "ChoregrapheProject":
            raise FormatError("this is no Choregraphe project", file=path, line=root.line, value=root.tag)
        decoder = _Decoder(path, report)
        found = decoder.timelines(root)
        for tag, what in _LOST.items():
            count = sum(1 for _ in root.all(tag))
            if count:
                decoder.warn(f"{count} {what} are not kept")
        if not found:
            decoder.warn("no timeline has actuator curves")
        motions, blocks = {}, {}
        for name, document in found.items():
            motions[name], blocks[name] = decode_document(document, name, _KINDS[0], report)
        return MotionLibrary(robot=robot_of(list(found.values()), report), motions=motions, blocks=blocks)

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library."""
        return _project([_box(name, _document_of(library, name, losses)) for name in library.motions]).encode()


class _Decoder(TextFile):
    """One file being read."""

    def timelines(self, root: Element) -> dict[str, Document]:
        """The curves of all timelines that have some, by motion."""
        found: dict[str, Document] = {}
        for box in root.all("Box"):
            title = box.attributes.get("name", "")
            for child in box.inside("Timeline"):
                tracks = [
                    self._track(curve)
                    for actuators in child.inside("ActuatorList")
                    for curve in actuators.inside("ActuatorCurve")
                ]
                if not any(track.keys for track in tracks):
                    continue
                name = free_name(name_of(self.path) if title in ("", "root") else title, found)
                fps = self._number(child, "fps", 25.0, "Timeline")
                if not 0.0 < fps <= LARGEST:
                    raise self.fault("there must be frames", child, "Timeline.fps", value=fps, limit="above 0")
                twice = {track.actuator for track in tracks}
                if len(twice) != len(tracks):
                    raise self.fault("an actuator has two curves", child, name)
                extras = {key: value for key, value in child.attributes.items() if key in _TIMELINE}
                if title == "root":
                    extras["root"] = "1"
                found[name] = Document(fps=fps, tracks=tuple(tracks), extras=extras)
                self._check_length(found[name], child, name)
        return found

    def _check_length(self, document: Document, element: Element, name: str) -> None:
        last = max((track.keys[-1].at for track in document.tracks if track.keys), default=0.0)
        if last / (document.fps or 1.0) > LONGEST:
            raise self.fault("the timeline is too long", element, name, value=last, limit=f"{LONGEST:g} s")

    def _track(self, element: Element) -> Track:
        joint = element.attributes.get("actuator", "")
        if not joint:
            raise self.fault("the curve does not name its actuator", element, "ActuatorCurve")
        keys: list[CurveKey] = []
        for child in element.inside("Key"):
            key = self._key(child, joint)
            if key.at < 0.0 or (keys and key.at <= keys[-1].at):
                raise self.fault("frames must increase from 0 on", child, joint, value=key.at)
            keys.append(key)
        extras = _named({name: value for name, value in element.attributes.items() if name != "actuator"})
        return Track(actuator=joint, keys=tuple(keys), extras=extras)

    def _key(self, element: Element, joint: str) -> CurveKey:
        handles: dict[str, Handle] = {}
        for child in element.inside("Tangent"):
            side = child.attributes.get("side", child.attributes.get("strSide", ""))
            if side not in ("left", "right") or side in handles:
                raise self.fault(
                    "a key has one tangent on each side", child, joint, value=side, legal=("left", "right")
                )
            kind = child.attributes.get("interpType", "bezier")
            plain = kind if kind in ("linear", "constant") else "bezier"
            time, value = (self._number(child, name, 0.0, joint) for name in ("abscissaParam", "ordinateParam"))
            handles[side] = Handle.model_validate({"kind": plain, "time": time, "value": value})
        extras = _named({name: value for name, value in element.attributes.items() if name not in ("frame", "value")})
        at, value = (self._number(element, name, None, joint) for name in ("frame", "value"))
        return CurveKey(at=at, value=value, left=handles.get("left"), right=handles.get("right"), extras=extras)

    def _number(self, element: Element, name: str, default: float | None, inside: str) -> float:
        text = element.attributes.get(name)
        if text is None:
            if default is None:
                raise self.fault(f"the attribute {name!r} is missing", element, inside)
            return default
        return self.number(text.strip(), element.line, element.column, inside=f"{inside}.{name}")


def _document_of(library: MotionLibrary, name: str, losses: Losses) -> Document:
    """The curves as they were read where they still hold, else straight ones (sines as Bezier curves)."""
    document = kept_document(library, name, _KINDS, losses)
    if document is not None and document.fps is not None:
        return document
    steps = curved_steps(library, name, losses)
    ends = [time for step in steps for time in (step.start, step.end)]
    pace = next((pace for pace in PACES if all(abs(t * pace - round(t * pace)) < 1e-6 for t in ends)), PACES[-1])
    curves = curves_of(steps, losses)
    if any(abs(time * pace - round(time * pace)) >= 1e-6 for time in ends):
        losses.add(f"motions.{name}", "times are written in whole milliseconds")
    last = round(ends[-1] * pace) if ends else 0
    extras = {"start_frame": "0", "end_frame": "-1", "size": str(last + 1)}
    return Document(fps=pace, tracks=tuple(_track_of(curve, pace) for curve in curves), extras=extras)


def _track_of(curve: Curve, pace: float) -> Track:
    hand = curve.joint in _HANDS
    keys: dict[float, CurveKey] = {}
    for knot in curve.knots:
        at = float(round(knot.time * pace))
        keys[at] = key_of(knot, at, pace, float if hand else degrees)
    return Track(actuator=curve.joint, keys=tuple(keys.values()), extras={"unit": "1" if hand else "0"})


def _named(values: Mapping[str, str]) -> dict[str, str]:
    """The attributes whose names can stand in a file without their prefix."""
    return {name: value for name, value in values.items() if _ATTRIBUTE.fullmatch(name)}


def _tag(name: str, values: Mapping[str, str], inside: Iterable[str] | None = None) -> list[str]:
    """The rows of an element; None: it has nothing inside."""
    start = f"<{name}" + "".join(f" {key}={quoteattr(value)}" for key, value in values.items())
    return [f"{start}/>"] if inside is None else [f"{start}>", *(f"  {row}" for row in inside), f"</{name}>"]


def _box(name: str, document: Document) -> list[str]:
    """The rows of a motion's box."""
    extras = {key: value for key, value in document.extras.items() if key in _TIMELINE}
    curves = []
    for track in document.tracks:
        keys = []
        for key in track.keys:
            sides = {"left": key.left, "right": key.right}.items()
            tangents = [row for side, handle in sides if handle for row in _tangent(side, handle)]
            values = {"frame": number_text(key.at), "value": number_text(key.value), **_named(key.extras)}
            keys += _tag("Key", values, tangents or None)
        curves += _tag("ActuatorCurve", {"actuator": track.actuator, **_named(track.extras)}, keys)
    head = {"fps": number_text(document.fps or PACES[0]), **extras}
    timeline = _tag("Timeline", head, _tag("ActuatorList", {}, curves))
    return _tag("Box", {"name": "root" if document.extras.get("root") == "1" else name, "id": "1"}, timeline)


def _tangent(side: str, handle: Handle) -> list[str]:
    where = {"abscissaParam": number_text(handle.time), "ordinateParam": number_text(handle.value)}
    return _tag("Tangent", {"side": side, "interpType": handle.kind, **where})


def _project(boxes: Sequence[Sequence[str]]) -> str:
    """The whole file: the one motion's box, or a diagram with one box for each."""
    rows = [row for box in boxes for row in box]
    for tag, values in _DIAGRAM if len(boxes) != 1 else ():
        rows = _tag(tag, values, rows)
    rows = _tag("ChoregrapheProject", {"xmlns": NAMESPACE, "xar_version": "3"}, rows)
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *rows]) + "\n"
