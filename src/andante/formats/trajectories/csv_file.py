"""Trajectories as CSV: a column `time` and one for each joint, angles and units stated.

The units stand in the header's cells (`HeadYaw [deg]`, `time (ms)`) or in a line before it (`# angle: deg, time: ms`);
without either they are radians and seconds, which is told. An empty cell leaves a joint alone, `off` switches it off;
columns `stiffness HeadYaw` and a column `note` may follow. The time may be called as recorders do
(`timestamp_ns`, `stamp`, `__time`). Separators are comma, semicolon or tab. Where they are not
commas, decimals may stand behind one. Times of a clock that began long ago count from the first row on.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from pathlib import Path

from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.numbers import LARGEST, LONGEST, number_text, radians, seconds
from andante.formats.shared.single import OneTextCodec, name_of, one_motion
from andante.formats.shared.text_file import TextFile
from andante.formats.trajectories.affixes import JointColumns, joint_columns, several_topics
from andante.formats.trajectories.csv_header import COUNT, TIME, is_table, seconds_of_date, table_text
from andante.formats.trajectories.joint_rows import without_gaps
from andante.formats.trajectories.table import MAX_CELLS, TrajectoryTable, library_of, table_of
from andante.motions.keyframe import MOST_JOINTS, JointTarget
from andante.motions.library import UNKNOWN_ROBOT, MotionLibrary

MAX_COLUMNS = 10_000
_LONGEST_NAME = 500
_STIFFNESS = "stiffness "
_NOTE = "note"
_OF_PLOTJUGGLER = "__time"
"""What PlotJuggler calls times; its rows have the times of all curves, and cells of those that have none there are
empty."""
_UNITS = {"angle": ("rad", "deg"), "time": ("s", "ms", "us", "ns")}
"""Units of a file; the first is taken where none is stated."""
_ALSO = {
    **dict.fromkeys(("radian", "radians"), "rad"),
    **dict.fromkeys(("degree", "degrees", "°"), "deg"),
    **dict.fromkeys(("sec", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("µs", "μs", "usec", "microsecond", "microseconds"), "us"),
    **dict.fromkeys(("nsec", "nanosecond", "nanoseconds"), "ns"),
}
"""Other ways to write them."""
_PER_SECOND = {"us": 1e6, "ns": 1e9}
_DECIMAL_COMMA = re.compile(r"([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)")
_CELL = re.compile(r"(.*?)\s*(?:[\[(]\s*([^\[\]()]{1,20}?)\s*[\])])?", re.DOTALL)
_STATED = re.compile(r"(robot|motion|angle|time)\s*[:=]\s*([^,;]*[^,;\s])")
_SPACED = re.compile(r'[,;]\s+"')
"""Where cells stand behind a space: their quotes are none of theirs."""
_CELL_NAME = re.compile(r"\s*[\[(][^\[\]()]{1,20}[\])]$")
"""The unit behind a name."""
_WITHOUT = frozenset(("nan", "-nan", "none", "null", "na", "n/a", "nat"))
"""What programs write where they have no number."""


class CsvCodec(OneTextCodec):
    """Reads and writes CSV."""

    name = "csv"
    title = "Trajectory (CSV)"
    suffixes = (".csv",)

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        if is_table(head.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")):
            return 0.8 if path.suffix.lower() in self.suffixes else 0.6
        return 0.0

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        return _Decoder(path, report).library(text)

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library with one motion."""
        table = table_of(library, losses, notes=True)
        name, _ = one_motion(library)
        about = {"motion": name, "angle": "rad", "time": "s"}
        if library.robot != UNKNOWN_ROBOT:
            about["robot"] = library.robot
        for what, value in about.items():
            if re.search(r"[,;\r\n]", value) or value != value.strip() or not value:
                raise FormatError(f"the {what}'s name cannot stand in the file", value=value)
        stream = io.StringIO()
        stream.write("# " + ", ".join(f"{what}: {value}" for what, value in about.items()) + "\n")
        writer = csv.writer(stream, lineterminator="\n")
        stiff = [f"{_STIFFNESS}{joint}" for joint in table.joints] if table.stiffness else []
        for joint in table.joints:
            cell = _CELL.fullmatch(joint) if len(joint) <= _LONGEST_NAME and joint == joint.strip() else None
            if cell is None or cell[2] or joint.lower() in ("time", "t", _NOTE):
                raise FormatError("a joint's name cannot stand in the file", value=joint)
        writer.writerow(["time", *table.joints, *stiff, *([_NOTE] if table.notes else [])])
        for index, (time, row) in enumerate(zip(table.times, table.rows, strict=True)):
            cells = [number_text(time), *(_cell_text(value) for value in row)]
            if table.stiffness:
                cells += [_cell_text(value) for value in table.stiffness[index]]
            if table.notes:
                cells.append(table.notes[index])
            writer.writerow(cells)
        return stream.getvalue().encode()


def _cell_text(value: JointTarget | None) -> str:
    return "" if value is None else value if isinstance(value, str) else number_text(value)


class _Decoder(TextFile):
    """One file being read."""

    def __init__(self, path: Path, report: ReadReport) -> None:
        super().__init__(path, report)
        self._commas = False
        """Whether decimals may stand behind commas, which part no cells."""
        self._left: tuple[str, ...] = ()
        """Columns that are no joints' angles."""
        self._written: dict[str, tuple[str, int]] = {}
        """The first number with a comma, and the first with a point, with their lines."""
        self._ahead = 0
        """Columns before the times."""
        self._torn = 0
        """The last line where nothing ends it, as of a log that was cut; 0: it is ended."""
        self._empty: list[tuple[str, int, str]] = []
        """What stands in place of numbers, with its line and its joint."""

    def library(self, text: str) -> MotionLibrary:
        if "\n" not in text:  # as old programs end their lines
            text = text.replace("\r", "\n")
        found = table_text(text)
        text, skipped, separator = found.text, found.skipped, found.separator
        stated = {what: word for comment in found.comments for what, word in _STATED.findall(comment)}
        for what, legal in _UNITS.items():
            if what in stated:
                stated[what] = _unit(stated[what])
            if what in stated and stated[what] not in legal:
                raise self.error(f"the unit of {what} is unknown", skipped, value=stated[what], legal=legal)
        spaced = _SPACED.search(text.partition("\n")[0]) is not None
        self._commas = separator != ","
        self._torn = skipped + text.count("\n") + 1 if not text.endswith("\n") else 0
        rows = csv.reader(io.StringIO(text), delimiter=separator, strict=True, skipinitialspace=spaced)
        try:
            header = next(rows, None)
            if header is None:
                raise self.error("the header is missing", skipped + 1)
            self._count(header, skipped + 1)
            columns = self._columns(header[self._ahead :], stated, skipped + 1)
            table = self._table(rows, columns, skipped)
            if columns[0][0] == _OF_PLOTJUGGLER and not table.stiffness and not table.notes:
                table = self._joined(table)
        except csv.Error as error:
            raise self.error(f"this is no CSV: {error}", skipped + rows.line_num) from error
        if self._empty:
            word, line, joint = self._empty[0]
            self.warn(f"{len(self._empty)} cells hold no number ({word!r} of {joint}) and count as empty", line)
        robot = self.robot(table.joints, stated.get("robot", ""))
        return library_of(table, stated.get("motion") or name_of(self.path), robot)

    def _joined(self, table: TrajectoryTable) -> TrajectoryTable:
        """A table without the gaps that other topics' rows leave in a joint's."""
        whole, count = without_gaps(table)
        if count:
            self.warn(f"{count} empty cells between angles are on the straight way between these")
        return whole

    def _count(self, header: Sequence[str], line: int) -> None:
        """See whether a column before the times counts rows, which is told."""
        names = [cell.strip().lower() for cell in header[:2]]
        times = [re.fullmatch(TIME, _CELL_NAME.sub("", name), re.IGNORECASE) for name in names]
        if len(names) == 2 and times[0] is None and times[1] is not None and re.fullmatch(COUNT, names[0]):
            self._ahead = 1
            self.warn(f"the first column, {header[0]!r}, counts rows and is left out", line=line)

    def _columns(self, header: Sequence[str], stated: dict[str, str], line: int) -> list[tuple[str, str]]:
        """Name and unit of each column."""
        if len(header) > MAX_COLUMNS:
            raise self.error("there are too many columns", line, value=len(header), limit=f"{MAX_COLUMNS}")
        columns: list[tuple[str, str]] = []
        seen: set[str] = set()
        assumed = set()
        cells = [self._cell(cell, line) for cell in header]
        joints = self._joints([name for name, _ in cells[1:]], stated, line)
        others = frozenset(joints.others if joints is not None else ())
        for index, (cell, (name, unit)) in enumerate(zip(header, cells, strict=True)):
            kind = "time" if index == 0 else "angle"
            if index == 0 and not unit and (called := re.fullmatch(TIME, name, re.IGNORECASE)) is not None:
                unit = _unit(called[1] or "")
            if joints is not None and name in others:
                columns.append((name, ""))
                seen.add(name)
                continue
            if index and joints is not None and name in joints.joints:
                name = joints.joints[name]
                unit = unit or ("deg" if joints.degrees else "")
            of_joint = name != _NOTE and not name.startswith(_STIFFNESS)
            if of_joint and unit.isdecimal():
                what, remedy = "columns are counted and do not name their joints", "name each by its joint"
                raise self.error(what, line, inside=name, value=cell, remedy=remedy)
            if of_joint and unit and unit not in _UNITS[kind]:
                raise self.error("the unit is unknown", line, inside=name, value=unit, legal=_UNITS[kind])
            if not name or name in seen:
                raise self.error("each column needs a name of its own", line, inside=f"column {index + 1}", value=cell)
            seen.add(name)
            if not of_joint:
                columns.append((name, ""))
                continue
            if not unit and kind not in stated:
                assumed.add(kind)
            columns.append((name, unit or stated.get(kind, _UNITS[kind][0])))
        if not columns or re.fullmatch(TIME, columns[0][0], re.IGNORECASE) is None:
            legal = ("time", "t", "timestamp", "stamp", "__time")
            raise self.error("the first column must be the time", line, value=header[:1], legal=legal)
        for kind in sorted(assumed):
            self.warn(f"the unit of {kind} is not stated; {_UNITS[kind][0]} is taken", line=line)
        return columns

    def _cell(self, cell: str, line: int) -> tuple[str, str]:
        """Name and unit in a cell of the header."""
        if len(cell) > _LONGEST_NAME:
            raise self.error("a column's name is too long", line, value=cell[:40], limit=f"{_LONGEST_NAME}")
        match = _CELL.fullmatch(cell.strip())
        return (match[1], _unit(match[2] or "")) if match else (cell.strip(), "")

    def _joints(self, names: Sequence[str], stated: dict[str, str], line: int) -> JointColumns | None:
        """Joints in the names of columns that have more than those; what is taken off is told."""
        of_joints = [name for name in names if name and name != _NOTE and not name.startswith(_STIFFNESS)]
        found = joint_columns(of_joints, self.report.robot, stated.get("robot", ""))
        if found is not None:
            self.warn(found.told, line=line)
            self._left = found.others
        elif told := several_topics(of_joints, self.report.robot, stated.get("robot", "")):
            raise self.error(f"columns of two topics: {told}", line, remedy="leave those of one topic out")
        return found

    def _table(self, rows: object, columns: Sequence[tuple[str, str]], skipped: int) -> TrajectoryTable:
        none = frozenset((_NOTE, *self._left))
        joints = [name for name, _ in columns[1:] if name not in none and not name.startswith(_STIFFNESS)]
        if len(joints) > MOST_JOINTS:
            what, remedy = "there are too many columns of joints", "leave out those of no joint's angle"
            raise self.error(what, skipped + 1, value=len(joints), limit=f"{MOST_JOINTS}", remedy=remedy)
        place = {name: index for index, (name, _) in enumerate(columns)}
        for name, _ in columns:
            if name.startswith(_STIFFNESS) and name.removeprefix(_STIFFNESS) not in joints:
                raise self.error("the stiffness is that of no joint", skipped + 1, value=name, legal=joints)
        stiff = any(name.startswith(_STIFFNESS) for name, _ in columns)
        times: list[float] = []
        begin = 0.0
        targets: list[list[JointTarget | None]] = []
        stiffness: list[list[float | None]] = []
        notes: list[str] = []
        for cells in rows:  # type: ignore[attr-defined]
            line = skipped + rows.line_num  # type: ignore[attr-defined]
            if not cells or (len(cells) == 1 and not cells[0].strip()):
                continue
            if len(cells) < len(columns) + self._ahead and line == self._torn and times:
                self.warn(f"the last row is not whole and left out: {len(cells)} of {len(columns)} cells", line=line)
                break
            cells = cells[self._ahead :]
            if len(cells) != len(columns):
                raise self.error(f"the row has {len(cells)} of {len(columns)} cells", line)
            if (len(times) + 1) * len(joints) > MAX_CELLS:
                raise self.error("the table has too many cells", line, limit=f"{MAX_CELLS}")
            time = self._time(cells[0].strip(), line, columns[0][1])
            if not times and time > LONGEST:
                begin = time
                self.warn(f"times begin at {time:.10g} s, which is no motion's; they count from there", line=line)
            time = round(time - begin, 9) if begin else time
            if time > LONGEST:
                limit, remedy = f"{LONGEST:g} s", "count times from the motion's begin on"
                raise self.error("the time is too late", line, value=f"{time:.10g} s", limit=limit, remedy=remedy)
            if time < 0.0 or (times and time < times[-1]):
                raise self.error("times must not fall and begin at 0 or later", line, value=time)
            times.append(time)
            targets.append([self._target(cells[place[name]], line, name, columns[place[name]][1]) for name in joints])
            if stiff:
                stiffness.append([self._stiffness(cells, place, name, line) for name in joints])
            if _NOTE in place:
                notes.append(cells[place[_NOTE]])
        if not times:
            self.warn("the table has no rows, so the motion is empty", line=skipped + 1)
        return TrajectoryTable(times, joints, targets, stiffness, notes)

    def _time(self, word: str, line: int, unit: str) -> float:
        """A time [s], which may be a date."""
        date = seconds_of_date(word)
        return _seconds(self._number(word, line, inside="time", most=math.inf), unit) if date is None else date

    def _number(self, word: str, line: int, *, inside: str, most: float = LARGEST) -> float:
        """A number, behind whose comma decimals stand where no comma parts cells.

        Raises:
            FormatError: It is none, or other numbers of the file have points: then a comma may part thousands.
        """
        comma = _DECIMAL_COMMA.fullmatch(word) if self._commas else None
        mark = "comma" if comma else "point" if "." in word else ""
        if mark:
            self._written.setdefault(mark, (word, line))
        if len(self._written) == 2:
            (point, there), (first, here) = self._written["point"], self._written["comma"]
            what = "decimals stand behind points and behind commas"
            value = f"{point!r} in line {there}, {first!r} in line {here}"
            raise self.error(what, line, inside=inside, value=value, remedy="write all of them in one way")
        return self.number(f"{comma[1]}.{comma[2]}" if comma else word, line, inside=inside, most=most)

    def _target(self, word: str, line: int, joint: str, unit: str) -> JointTarget | None:
        if not word.strip():
            return None
        if word.strip() == "off":
            return "off"
        if word.strip().lower() in _WITHOUT:
            self._empty.append((word.strip(), line, joint))
            return None
        value = self._number(word.strip(), line, inside=joint)
        return radians(value) if unit == "deg" else value

    def _stiffness(self, cells: Sequence[str], place: dict[str, int], joint: str, line: int) -> float | None:
        at = place.get(f"{_STIFFNESS}{joint}")
        if at is None or not cells[at].strip():
            return None
        value = self._number(cells[at].strip(), line, inside=f"{_STIFFNESS}{joint}")
        if not 0.0 <= value <= 1.0:
            raise self.error("the stiffness is out of range", line, inside=joint, value=value, limit="0 to 1")
        return value


def _unit(word: str) -> str:
    """A unit as it is written here."""
    return _ALSO.get(word.lower(), word)


def _seconds(time: float, unit: str) -> float:
    """A time of a file [s]."""
    return seconds(time) if unit == "ms" else time / _PER_SECOND.get(unit, 1.0)
