"""Joint states as the tools of ROS print them to be read by people: a piece of YAML for each message, behind ``---``.

``ros2 topic echo /joint_states > taught.yaml`` and ``rostopic echo /joint_states > taught.yaml`` are what a team has at
hand first. Each message names its joints, so that publishers of some joints each may take turns. A keyframe is made for
each, at the time of its header; angles are rad. Speeds and efforts are not read. The pieces are taken apart here, since
a reader of all YAML takes half a second for ten seconds of a humanoid.

Sources: rostopic in github.com/ros/ros_comm; message_to_yaml in github.com/ros2/rosidl_python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.single import OneTextCodec, name_of
from andante.formats.trajectories.joint_rows import SHORTER, JointRows, Row
from andante.formats.trajectories.table import MAX_CELLS
from andante.motions.library import MotionLibrary

_BETWEEN = re.compile(r"^---[ \t]*+(?:\n|\Z)", re.MULTILINE)
_LOST = re.compile(r"^(?:A message was lost.*|\ttotal count.*|WARNING: .*)(?:\n|\Z)", re.MULTILINE)
"""Lines that the tools print among the messages."""
_STAMP = re.compile(r"\bstamp:\s*+(?:\{\s*+)?secs?:\s*+(\d{1,12})\b\s*+(?:,\s*+)?n(?:ano)?secs?:\s*+(\d{1,10})\b")
"""A header's time. Possessive: a mile of blanks is looked through once."""
_ITEM = r"\n[ \t]*+-(?: [^\n]*+)?(?=\n|\Z)"
_LIST = {
    key: re.compile(rf"(?:^|[{{,] ?){key}:[ \t]*+(?:\[(?P<row>[^\][{{}}]*+)\]|(?P<lines>(?:{_ITEM})+))", re.MULTILINE)
    for key in ("name", "position")
}
"""Lists within a message, in brackets or a line for each item."""
_LAST_KEY = "effort:"
"""What stands last in a message: one that was cut off before it may have half a number."""
_HEAD = re.compile(r"(?:\A|\n)\{?header:[\s{]")
_TRUNCATED = "..."
"""What ``ros2 topic echo`` prints in place of the end of a long array."""
_ENDLESS = {".nan": "nan", "-.nan": "nan", ".inf": "inf", "-.inf": "-inf"}
_WHOLE = "print the whole topic of joint states: ros2 topic echo /joint_states, or rostopic echo /joint_states"


class EchoYamlCodec(OneTextCodec):
    """Reads joint states that ROS printed for people."""

    name = "yaml-ros"
    title = "Joint states printed by ROS (ros2 topic echo, rostopic echo)"
    suffixes = (".yaml", ".yml", ".txt")
    by_ending = False
    says_robot = False

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        text = _LOST.sub("", head.decode("utf-8", errors="replace").replace("\r\n", "\n")).lstrip()
        message = _BETWEEN.split(text, 1)[0]
        found = (
            _HEAD.match(message) and _STAMP.search(message) and all(key in message for key in ("name:", "position:"))
        )
        return 0.95 if found else 0.0

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        return _Printed(path, report).library(text.replace("\r\n", "\n"))

    def encode_file(self, library: MotionLibrary, losses: Losses) -> NoReturn:
        """What ROS prints is read only."""
        raise FormatError("what ROS prints is not written", remedy="write a trajectory (--to csv or --to npz)")


class _Printed(JointRows):
    """One file being read."""

    def library(self, text: str) -> MotionLibrary:
        rows: list[Row] = []
        count = lost = 0
        for piece, line, ended in _pieces(text):
            message, lines = _LOST.subn("", piece)
            lost += lines
            if not message.strip():
                continue
            if not ended and _LAST_KEY not in message and rows:
                self.warn("the last message is not whole and left out", line)
                continue
            rows.append(self._message(message, line))
            count += len(rows[-1][1]) + 1
            if count > MAX_CELLS:
                raise self.error("the file has too many angles", line, limit=f"{MAX_CELLS}", remedy=SHORTER)
        if lost:
            self.warn(f"{lost} lines tell of lost messages and the like and are left out")
        return self.by_headers(rows, name_of(self.path))

    def _message(self, message: str, line: int) -> Row:
        """Time of the header [s] and angles [rad] of a message.

        Raises:
            FormatError: It is none of joint states, or not whole.
        """
        stamp, lists = _STAMP.search(message), {key: each.search(message) for key, each in _LIST.items()}
        missing = [key for key, found in (("header", stamp), *lists.items()) if found is None]
        if stamp is None or missing:
            what, begin = "this is no message of joint states", " ".join(message.split())[:60]
            raise self.error(what, line, value=begin, limit=f"it has no {', no '.join(missing)}", remedy=_WHOLE)
        names, values = (self._items(found, line) for found in lists.values() if found is not None)
        angles = [self._angle(word, line) for word in values]
        return int(stamp[1]) + int(stamp[2]) / 1e9, self.angles([_bare(name) for name in names], angles, "", line)

    def _items(self, found: re.Match[str], line: int) -> list[str]:
        """The items of a list.

        Raises:
            FormatError: The tool has left out its end.
        """
        row = found["row"]
        words = row.split(",") if row is not None else [each.lstrip()[1:] for each in found["lines"].split("\n")[1:]]
        items = [word.strip() for word in words]
        if items == [""]:
            return []
        if any(_bare(item) == _TRUNCATED for item in items):
            what = "the end of a list was not printed"
            raise self.error(what, line, value=_TRUNCATED, remedy="ros2 topic echo --full-length prints it")
        return items

    def _angle(self, word: str, line: int) -> float:
        plain = _ENDLESS.get(word.lower(), word)
        if plain.lstrip("-").lower() == "nan":
            return math.nan
        return self.number(plain, line, inside="position")


def _pieces(text: str) -> Iterator[tuple[str, int, bool]]:
    """What stands between lines of dashes, with the line where it begins and whether such a line ends it."""
    start, line = 0, 1
    for mark in _BETWEEN.finditer(text):
        yield text[start : mark.start()], line, True
        line += text.count("\n", start, mark.end())
        start = mark.end()
    yield text[start:], line, False


def _bare(word: str) -> str:
    """A text without the quotes that YAML may put around it."""
    return word[1:-1] if len(word) >= 2 and word[0] == word[-1] and word[0] in "'\"" else word
