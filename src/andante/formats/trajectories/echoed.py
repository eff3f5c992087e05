"""Joint states as the tools of ROS print them: a row of cells behind commas for each message, which names its joints.

* ``rostopic echo -p /joint_states`` (ROS 1) has a header, once, that is the first message's: ``%time`` [ns],
  ``field.header.seq``, ``field.header.stamp`` [ns], ``field.header.frame_id``, then ``field.name0`` and so on, and as
  many ``position``, ``velocity``, ``effort``. An array that is empty has no cell.
* ``ros2 topic echo --csv /joint_states`` has none: seconds, nanoseconds, the frame, names, positions, speeds, efforts.
  An array that is empty is an empty cell.

Each row names its joints, so that publishers of some joints each may take turns. A keyframe is made for each message,
at the time of its header; angles are rad. Speeds and efforts are not read.

Sources: rostopic in github.com/ros/ros_comm; message_to_csv in github.com/ros2/rosidl_python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import NoReturn

from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.single import OneTextCodec, name_of
from andante.formats.trajectories.joint_rows import SHORTER, JointRows, table_of_rows
from andante.formats.trajectories.table import MAX_CELLS, library_of
from andante.motions.library import MotionLibrary

_HEADER = "%time,"
_COUNTED = re.compile(r"field\.(name|position|velocity|effort)(\d+)")
_STAMP = "field.header.stamp"
_AHEAD = 3
"""Cells before the names without a header: seconds, nanoseconds, frame."""
_ARRAYS = 3
"""Arrays behind the names: positions, speeds, efforts."""
_LOST = ("A message was lost", "\ttotal count", "WARNING: ")
"""How lines begin that the tools print among the rows."""
_WHOLE = "print the whole topic of joint states, without --nostr and without a field of it"
_State = tuple[float, float, dict[str, float]]


class EchoCodec(OneTextCodec):
    """Reads joint states that ROS printed."""

    name = "csv-ros"
    title = "Joint states printed by ROS (rostopic echo -p, ros2 topic echo --csv)"
    suffixes = (".csv",)
    says_robot = False

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        lines = head.decode("utf-8", errors="replace").splitlines()
        first = next((line for line in lines if line.strip() and not line.startswith(_LOST)), "")
        if first.startswith(_HEADER):
            return 0.9
        cells = first.split(",")
        stamped = len(cells) > _AHEAD + 1 and all(re.fullmatch(r"\d{1,12}", cell) for cell in cells[:2])
        return 0.85 if stamped and not _is_number(cells[2]) and _names(cells[_AHEAD:]) else 0.0

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        return _Printed(path, report).library(text)

    def encode_file(self, library: MotionLibrary, losses: Losses) -> NoReturn:
        """What ROS prints is read only."""
        raise FormatError("what ROS prints is not written", remedy="write a trajectory (--to csv or --to npz)")


@dataclass(frozen=True)
class _Layout:
    """What the cells of a row are."""

    ahead: int
    """Cells before the names."""
    stamp: int | None
    """Which of them is the header's time [ns]; None: the first two are, in s and ns."""
    arrays: int | None
    """Arrays behind the names, of which positions are the first; None: three, of which one may be an empty cell."""


class _Printed(JointRows):
    """One file being read."""

    def library(self, text: str) -> MotionLibrary:
        lines = text.splitlines()
        torn = len(lines) if not text.endswith(("\n", "\r")) else 0
        layout: _Layout | None = None
        states: list[_State] = []
        count = lost = 0
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            if line.startswith(_LOST):
                lost += not line.startswith("\t")
                continue
            if line.startswith(_HEADER):
                layout = self._layout(line.split(","), number)
                continue
            layout = layout or _Layout(_AHEAD, None, None)
            try:
                states.append(self._state(line.split(","), number, layout))
            except FormatError as error:
                if number != torn or not states:
                    raise
                self.warn(f"the last row is not whole and left out: {error.what}", number)
                continue
            count += len(states[-1][2]) + 1
            if count > MAX_CELLS:
                raise self.error("the file has too many angles", number, limit=f"{MAX_CELLS}", remedy=SHORTER)
        if lost:
            self.warn(f"{lost} lines tell of lost messages and the like and are left out")
        if layout is not None and layout.stamp is None:
            # There is no time of recording beside the header's.
            return self.by_headers([(stamp, angles) for stamp, _, angles in states], name_of(self.path))
        if not any(angles for _, _, angles in states):
            raise self.error("no message has an angle")
        rows = self.timed(states, "")
        table = self.filled(table_of_rows(rows, min(time for time, _ in rows)), "")
        return library_of(table, name_of(self.path), self.robot(table.joints))

    def _layout(self, header: Sequence[str], line: int) -> _Layout:
        """What the columns of a header are.

        Raises:
            FormatError: They are no joint states, or name no joints.
        """
        found = [match[1] if (match := _COUNTED.fullmatch(cell.strip())) else "" for cell in header]
        counts = {kind: found.count(kind) for kind in ("name", "position", "velocity", "effort")}
        legal = ("%time", _STAMP, "field.name0", "field.position0")
        if not counts["name"] and any(re.fullmatch(r"field(?:\.position)?\d+", cell.strip()) for cell in header):
            what = "the columns do not name their joints"
            raise self.error(what, line, value=",".join(header[:6])[:200], remedy=_WHOLE)
        if counts["name"] and not counts["position"]:
            what = "the messages have no angles"
            raise self.error(what, line, value=", ".join(kind for kind, each in counts.items() if each))
        others = {kind: each for kind, each in counts.items() if each not in (0, counts["name"])}
        ahead = found.index("name") if counts["name"] else -1
        behind = len(header) - sum(counts.values())
        if others or ahead != behind or _STAMP not in header[:ahead]:
            what = "the columns are not those of joint states"
            raise self.error(what, line, value=",".join(header)[:200], legal=legal)
        arrays = sum(1 for kind in ("position", "velocity", "effort") if counts[kind])
        return _Layout(ahead, header.index(_STAMP), arrays)

    def _state(self, cells: list[str], line: int, layout: _Layout) -> _State:
        """Time of the header, time of recording [s] and angles [rad] of a row.

        Raises:
            FormatError: It is none of joint states.
        """
        if layout.stamp is None and (len(cells) <= _AHEAD or not all(map(str.isdecimal, cells[:2]))):
            what = "the row does not begin with seconds and nanoseconds"
            raise self.error(what, line, value=",".join(cells[:3])[:80])
        names = _names(cells[layout.ahead :])
        at, count = layout.ahead + len(names), len(names)
        if layout.arrays is None and not names and cells[at : at + 1] == [""]:
            at += 1  # No names are an empty cell, too.
        if layout.arrays is None:
            end = at
            for _ in range(_ARRAYS):
                end += 1 if cells[end : end + 1] == [""] else max(count, 1)
        else:
            end = at + layout.arrays * count
        if len(cells) != end:
            what = f"the row has {len(cells)} of {end} cells, as it names {count} joints"
            raise self.error(what, line)
        if layout.stamp is None:
            seconds = self._number(cells[0], line, "sec") + self._number(cells[1], line, "nanosec") / 1e9
            stamp = moment = seconds
        else:
            stamp = self._number(cells[layout.stamp], line, _STAMP) / 1e9
            moment = self._number(cells[0], line, "%time") / 1e9
        values = [] if cells[at : at + 1] == [""] else [self._angle(word, line) for word in cells[at : at + count]]
        return stamp, moment, self.angles([name.strip() for name in names], values, "", line)

    def _number(self, word: str, line: int, inside: str) -> float:
        return self.number(word.strip(), line, inside=inside, most=math.inf)

    def _angle(self, word: str, line: int) -> float:
        if word.strip().lower() in ("nan", "-nan"):
            return math.nan
        return self.number(word.strip(), line, inside="position")


def _names(cells: Sequence[str]) -> list[str]:
    """The cells up to the first number or empty one."""
    return list(takewhile(lambda cell: cell.strip() and not _is_number(cell), cells))


def _is_number(cell: str) -> bool:
    with suppress(ValueError):
        float(cell)
        return True
    return False
