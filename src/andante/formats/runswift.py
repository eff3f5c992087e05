"""rUNSWift's `.pos` files: `!` and 25 angles in degrees with a duration in milliseconds, `$` and 25 stiffnesses.

A `$` line counts for the next `!` line only; without one the stiffness is 1. Every other line is text (`#$` too). A
line of column names gives the order, else it is that of the V6; there is one column for the two hip yaw pitches. Text
before a keyframe becomes its note, text before the column names or behind the last keyframe the motion's.

Source: docs/sources/motion-formats.md, section 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from andante.formats.bhuman.names import HEAD, JOINTS, LIMB_JOINTS
from andante.formats.report import Losses, ReadReport
from andante.formats.shared.numbers import LONGEST, degrees, number_text, radians, seconds
from andante.formats.shared.single import StepsCodec, library_of_one, name_of
from andante.formats.shared.steps import (
    NAO_GROUPS,
    Holds,
    OutgoingKeyframe,
    complete,
    keyframe_of,
    stiffness_changes,
    text_of,
)
from andante.formats.shared.text_file import TextFile
from andante.motions.extras import Kind, without_lines
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import UNKNOWN_ROBOT, MotionLibrary

ROBOT = "nao"
_SHORT = {
    "Head": "H",
    "Shoulder": "S",
    "Elbow": "E",
    "Wrist": "W",
    "HipYaw": "HY",
    "Hip": "H",
    "Knee": "K",
    "Ankle": "A",
    "Yaw": "Y",
    "Pitch": "P",
    "Roll": "R",
}


def _column(joint: str) -> str:
    return re.sub("|".join(_SHORT), lambda match: _SHORT[match.group()], joint).replace("Hand", "H")


COLUMNS: Mapping[str, str] = {_column(joint): joint for joint in JOINTS if joint != "RHipYawPitch"}
"""Joint of each column."""
ORDER = [
    *map(_column, (*HEAD, *LIMB_JOINTS["left_arm"][:-1], *LIMB_JOINTS["left_leg"], *LIMB_JOINTS["right_leg"][1:])),
    *map(_column, (*LIMB_JOINTS["right_arm"][:-1], "LHand", "RHand")),
]
"""Columns of the V6 in their order."""
TIME = "DUR"

_KIND: Kind = "runswift"
_SIGNATURE = re.compile(rb"^!(?:[ \t]+-?[\d.]+){3,}", re.MULTILINE)
_NAMES = re.compile(rb"^[ \t]*HY[ \t]+HP[ \t]", re.MULTILINE)


class RunswiftCodec(StepsCodec):
    """Reads and writes `.pos`."""

    name = "runswift"
    title = "rUNSWift motion (.pos)"
    suffixes = (".pos",)
    robots = (ROBOT, UNKNOWN_ROBOT)
    holds = Holds(("note", "extras"), ("note", "extras"), stiffness=True, off=True)

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        if head.lstrip()[:4].upper() == b"#POS":
            return 0.0  # Tekkotsu's.
        if _SIGNATURE.search(head):
            return 0.9
        if _NAMES.search(head):
            return 0.6
        return 0.35 if path.suffix.lower() in self.suffixes and not head.strip() else 0.0

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        return _Decoder(path, report).library(text)

    def text(self, library: MotionLibrary, name: str, steps: Sequence[OutgoingKeyframe], losses: Losses) -> str:
        """The file of a motion with these steps."""
        motion = library.motions[name]
        kept: Any = motion.extras.get(_KIND, {}).get("order")
        order: list[str] = kept if isinstance(kept, list) and sorted(map(str, kept)) == sorted(ORDER) else ORDER
        rows = [*_text_lines(text_of(motion, _KIND), f"motions.{name}.note", losses), _row("  ", [*order, TIME])]
        for step in steps:
            for joint in step.keyframe.joints:
                if joint == "RHipYawPitch":
                    if step.held.get(joint) != step.held.get("LHipYawPitch"):
                        losses.count(step.place, "yaw", "RHipYawPitch has no column; LHipYawPitch is written")
                elif joint not in COLUMNS.values():
                    losses.count(step.place, f"joint {joint}", f"joint {joint!r} has no column")
            angles = complete(step, COLUMNS.values(), losses, "the format")
            rows += ["", *_text_lines(text_of(step.keyframe, _KIND), f"{step.place}.note", losses)]
            stiffness = [step.stiffness.get(COLUMNS[column], 1.0) for column in order]
            if any(value != 1.0 for value in stiffness):
                rows.append(_row("$ ", [number_text(value) for value in stiffness]))
            words = [number_text(degrees(angles[COLUMNS[column]])) for column in order]
            rows.append(_row("! ", [*words, number_text(round(step.duration * 1000.0, 6))]))
        return "\n".join(rows) + "\n"


class _Decoder(TextFile):
    """One file being read."""

    def __init__(self, path: Path, report: ReadReport) -> None:
        super().__init__(path, report)
        self.order: Sequence[str] = ORDER
        self.text: list[str] = []
        self.title: list[str] = []
        self.next_stiffness: dict[str, float] | None = None
        self.state = dict.fromkeys(COLUMNS.values(), 1.0)
        self.keyframes: list[Keyframe] = []
        self.named = False

    def library(self, text: str) -> MotionLibrary:
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.split()
            if line.startswith("!"):
                self._angles(line, number)
            elif line.startswith("$"):
                if self.next_stiffness is not None:
                    self.warn("this line replaces the one of stiffnesses before", line=number)
                self.next_stiffness = self._stiffness(line, number)
            elif not self.named and not self.keyframes and len(words) > 2 and words[:2] == ["HY", "HP"]:
                self._names(words, number)
            elif words and (words[0][0] in "!$" or words[:2] == ["HY", "HP"]):
                sign = words[0][0] in "!$"
                first = "the sign is not the line's first character: this is text"
                self.warn(first if sign else "the names of the columns stand above; this line is taken as text", number)
                self.text.append(f"# {line.strip()}")
            elif line.strip():
                self.text.append(line.strip())
        if self.next_stiffness is not None:
            self.warn("stiffnesses at the end belong to no angles and are not kept")
        if not self.keyframes:
            self.warn("the file has no keyframes")
        note, extras = without_lines("\n".join(self.title + self.text))
        if list(self.order) != ORDER:
            extras[_KIND] = {"order": list(self.order)}
        block = Block(base_stiffness=dict.fromkeys(NAO_GROUPS, 1.0), keyframes=tuple(self.keyframes))
        return library_of_one(ROBOT, name_of(self.path), block, note=note, extras=extras)

    def _names(self, words: list[str], line: int) -> None:
        order = words[:-1] if words[-1] == TIME else words
        for word in order:
            if word not in COLUMNS:
                raise self.error("the column is unknown", line, value=word, legal=COLUMNS)
        if len(set(order)) != len(order) or len(order) != len(COLUMNS):
            missing = " ".join(name for name in COLUMNS if name not in order) or "none"
            raise self.error("every joint needs one column", line, value=len(order), limit=f"missing: {missing}")
        self.order = order
        self.named = True
        self.title, self.text = self.text, []

    def _values(self, line: str, number: int, what: str, names: Sequence[str]) -> list[float]:
        words = [(match.group(), match.start() + 2) for match in re.finditer(r"\S+", line[1:])]
        if len(words) != len(names):
            missing = f"missing: {' '.join(names[len(words) :])}" if len(words) < len(names) else "too many"
            raise self.error(f"the line has {len(words)} of {len(names)} {what}", number, limit=missing)
        return [
            self.number(word, number, column, inside=name) for (word, column), name in zip(words, names, strict=True)
        ]

    def _stiffness(self, line: str, number: int) -> dict[str, float]:
        values = self._values(line, number, "stiffnesses", self.order)
        for value, name in zip(values, self.order, strict=True):
            if not 0.0 <= value <= 1.0:
                raise self.error("the stiffness is out of range", number, inside=name, value=value, limit="0 to 1")
        return {COLUMNS[name]: value for name, value in zip(self.order, values, strict=True)}

    def _angles(self, line: str, number: int) -> None:
        *angles, time = self._values(line, number, "values", (*self.order, TIME))
        if not 0.0 <= time <= LONGEST * 1000.0:
            raise self.error("the duration is out of range", number, inside=TIME, value=time, limit="0 or more")
        wanted = self.next_stiffness or dict.fromkeys(COLUMNS.values(), 1.0)
        self.next_stiffness = None
        joints = {COLUMNS[name]: radians(value) for name, value in zip(self.order, angles, strict=True)}
        changes = stiffness_changes(self.state, wanted)
        self.keyframes.append(keyframe_of(seconds(time), joints, changes, note="\n".join(self.text)))
        self.text = []


def _row(start: str, words: Sequence[str]) -> str:
    return (start + " ".join(f"{word:<5}" for word in words)).rstrip()


def _text_lines(note: str, place: str, losses: Losses) -> list[str]:
    """Lines of text that are read as such."""
    lines = [line.strip() for line in note.splitlines() if line.strip()]
    held = [f"# {line}" if line[0] in "!$" or line.split()[:2] == ["HY", "HP"] else line for line in lines]
    if held != note.split("\n") and note:
        losses.count(place, "text", "the text's layout is not kept")
    return held
