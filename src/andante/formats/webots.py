"""Webots' `.motion` files: a line of joint names, then rows `mm:ss:ms,pose name,angles in radians`; `*` is not driven.

The names' case differs between files; names of the NAO in any case become those of the pack, and the file's spelling is
kept in the motion's extras. Files of other robots keep their names. Rows need not be evenly spaced; a row at time 0 is
the posture in which the motion begins.

Source: docs/sources/motion-formats.md, section 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from andante.formats.bhuman.names import JOINTS
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.numbers import number_text
from andante.formats.shared.single import StepsCodec, library_of_one, name_of
from andante.formats.shared.steps import Holds, OutgoingKeyframe, keyframe_of
from andante.formats.shared.text_file import TextFile
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, JointTarget, Keyframe
from andante.motions.library import MotionLibrary

MAX_JOINTS = 1000
_HEADER = "#WEBOTS_MOTION"
_VERSION = "V1.0"
_KIND: Kind = "webots"
_NAO = {joint.casefold(): joint for joint in JOINTS}
_TIME = re.compile(r"(\d{1,4}):(\d{1,2}):(\d{1,3})", re.ASCII)


class WebotsCodec(StepsCodec):
    """Reads and writes `.motion`."""

    name = "webots"
    title = "Webots motion"
    suffixes = (".motion",)
    holds = Holds(keyframe=("note",), kind=_KIND)
    signature = re.compile(rb"\A[\xef\xbb\xbf \t\r\n]*#WEBOTS_MOTION")
    sure = 1.0

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        return _Decoder(path, report).library(text)

    def text(self, library: MotionLibrary, name: str, steps: Sequence[OutgoingKeyframe], losses: Losses) -> str:
        """The file of a motion with these steps."""
        columns = _columns(library.motions[name].extras.get(_KIND, {}), steps)
        spelled = list(columns.values())
        for word in spelled:
            if re.search(r"[,\r\n]", word) or word != word.strip():
                raise FormatError("a joint's name cannot stand in the file", inside=f"motions.{name}", value=word)
        if not spelled:
            raise FormatError("the motion moves no joint", inside=f"motions.{name}")
        rows = [",".join((_HEADER, _VERSION, *spelled))]
        for index, step in enumerate(steps):
            exact = step.end * 1000.0
            time = round(exact)
            if abs(exact - time) > 1e-6:
                losses.count(step.place, "time", "times are written in whole milliseconds")
            title = step.keyframe.note
            clean = re.sub(r"[,\s]+", " ", title).strip()
            if clean != title:
                losses.count(f"{step.place}.note", "title", "pose names are one line without commas")
            words = [_word(step.keyframe.joints.get(joint)) for joint in columns]
            stamp = f"{time // 60_000:02d}:{time // 1000 % 60:02d}:{time % 1000:03d}"
            rows.append(",".join((stamp, clean or f"Pose{index + 1}", *words)))
        return "\n".join(rows) + "\n"


class _Decoder(TextFile):
    """One file being read."""

    def library(self, text: str) -> MotionLibrary:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
        if not lines:
            raise FormatError("the file is empty", file=self.path)
        names = self._names(*lines[0])
        robot, joints = self._robot(names)
        keyframes: list[Keyframe] = []
        before = 0
        for number, line in lines[1:]:
            time, title, words = self._row(number, line, len(names))
            if time < before:
                raise self.error("the time goes back", number, value=time, limit=f"{before} ms or later")
            targets: dict[str, JointTarget] = {
                joint: self.number(word, number, inside=joint, what="this is not a number or *")
                for joint, word in zip(joints, words, strict=True)
                if word != "*"
            }
            title = title or f"Pose{len(keyframes) + 1}"
            keyframes.append(keyframe_of((time - before) / 1000.0, targets, note=title))
            before = time
        if not keyframes:
            self.warn("the file has no poses")
        block = Block(keyframes=tuple(keyframes))
        return library_of_one(robot, name_of(self.path), block, extras={_KIND: {"joints": names}})

    def _names(self, number: int, line: str) -> list[str]:
        start, *rest = [word.strip() for word in line.split(",")]
        if start != _HEADER or not rest or rest[0] != _VERSION:
            raise self.error("the first line must begin so", number, value=line[:40], legal=(f"{_HEADER},{_VERSION}",))
        names = rest[1:]
        if not names or not all(names):
            raise self.error("the first line must name the joints", number, value=line[:80])
        if len(names) > MAX_JOINTS:
            raise self.error("there are too many joints", number, value=len(names), limit=f"{MAX_JOINTS}")
        folded = [name.casefold() for name in names]
        for index, name in enumerate(folded):
            if name in folded[:index]:
                raise self.error("the joint stands twice", number, value=names[index])
        return names

    def _robot(self, names: Sequence[str]) -> tuple[str, list[str]]:
        """The robot and the joints by its names."""
        known = [name for name in names if name.casefold() in _NAO]
        robot = self.robot(names, "nao" if known else "")
        if robot != "nao":
            return robot, list(names)
        strange = [name for name in names if name not in known]
        if strange:
            self.warn(f"the robot 'nao' has no such joints: {', '.join(strange[:20])}", line=1)
        return robot, [_NAO.get(name.casefold(), name) for name in names]

    def _row(self, number: int, line: str, count: int) -> tuple[int, str, list[str]]:
        words = [word.strip() for word in line.split(",")]
        time = _TIME.fullmatch(words[0])
        if time is None:
            raise self.error("the row must begin with a time", number, value=words[0][:40], limit="mm:ss:ms")
        milliseconds = (int(time[1]) * 60 + int(time[2])) * 1000 + int(time[3])
        if len(words) == count + 1:
            return milliseconds, "", words[1:]
        if len(words) != count + 2:
            raise self.error(f"the row has {len(words) - 2} of {count} values", number, inside=words[0])
        return milliseconds, words[1], words[2:]


def _columns(kept: Mapping[str, object], steps: Sequence[OutgoingKeyframe]) -> dict[str, str]:
    """Spelling in the file by joint: as it was read, then the others."""
    before = kept.get("joints")
    spelled = [name for name in before if isinstance(name, str)] if isinstance(before, list) else []
    columns = {}
    used = {joint: joint for step in steps for joint in step.keyframe.joints}
    for name in spelled:
        nao = _NAO.get(name.casefold(), name)
        columns[nao if nao in used or name not in used else name] = name
    for joint in used:
        columns.setdefault(joint, joint)
    return columns


def _word(value: JointTarget | None) -> str:
    return "*" if value is None or isinstance(value, str) else number_text(value)
