"""Tekkotsu's motion sequence ``.mot``: a track of keys per output, linear between them.

At time 0 every output stands where the robot is, with weight 0, unless the file gives it a key there. After its last
key an output holds. ``degrees`` and ``radians`` switch the unit from their line on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from andante.formats.aibo.files import lines_of
from andante.formats.aibo.names import BY_NAME
from andante.formats.aibo.tekkotsu_pos import (
    END,
    HEADER,
    MODEL,
    OutputReader,
    PostureFile,
    Target,
    parse_pos,
    target_line,
)
from andante.formats.report import FormatError, ReadReport

MOT_HEADER = "#MSq"
"""First line."""
FIRST_TIME = 1
"""Time before any time command, as Tekkotsu has it: time 0 is where the robot stands [ms]."""
MAX_TIME = 3_600_000
"""Latest time that is read [ms]."""
MAX_KEYS = 200_000
"""Most keys of one file with all that it loads."""
MAX_OUTPUTS = 1_000
"""Most outputs with keys, known or not; a robot has some fifty."""
MAX_COMMANDS = 400_000
"""Most commands of one file: each key may have its time."""
MAX_DEPTH = 4
"""How deep files may load others."""

Track = dict[int, Target]
"""Targets by time [ms]."""


@dataclass(frozen=True)
class Sequence:
    """A motion sequence."""

    tracks: dict[str, Track] = field(default_factory=dict)
    """Tracks by output name without padding."""
    end: int = 0
    """Time of the last key [ms]."""


Loader = Callable[[str, int], tuple[str, str]]
"""Gives text and name of a file that is loaded in a line."""


class _Reader(OutputReader):
    def __init__(self, file: str, report: ReadReport, load: Loader, depth: int) -> None:
        super().__init__(file, report)
        self.load = load
        self.depth = depth
        self.time = FIRST_TIME
        self.unit = 1.0
        self.keys = 0
        self.tracks: dict[str, Track] = {}

    def read(self, lines: list[str]) -> None:
        if not lines[0].startswith(MOT_HEADER):
            raise self.error(f"a motion sequence begins with {MOT_HEADER}", value=lines[0][:40])
        left = MAX_COMMANDS
        for self.line, whole in enumerate(lines[1:], 2):
            if whole.startswith(END) and whole.rstrip() == END:
                return
            words = whole.split("#", 1)[0].split()
            if words:
                left -= 1
                if left < 0:
                    raise self.error("there are too many commands", limit=str(MAX_COMMANDS))
                self._line(words)
        self.warn(f"{END} is missing")

    def _line(self, words: list[str]) -> None:
        command = words[0].lower()
        if command in ("delay", "advancetime"):
            self._set_time(self.time + self._milliseconds(words))
        elif command == "settime":
            self._set_time(self._milliseconds(words))
        elif command in ("degrees", "radians"):
            self.unit = math.pi / 180.0 if command == "degrees" else 1.0
        elif command in ("load", "overlay", "loadexplicit"):
            self._load(words, explicit=command == "loadexplicit")
        else:
            self._output(words)

    def _milliseconds(self, words: list[str]) -> int:
        if len(words) < 2:
            raise self.error("the time is missing", inside=words[0])
        value = self.number(words[1], "time", words[0])
        if value != int(value):
            raise self.error("the time is no whole number of milliseconds", inside=words[0], value=words[1])
        return int(value)

    def _set_time(self, time: int) -> None:
        if not 0 <= time <= MAX_TIME:
            raise self.error("the time is out of range", value=time, limit=f"0..{MAX_TIME} ms")
        self.time = time

    def _output(self, words: list[str]) -> None:
        name, known, target = self.output(words)
        if not known:
            self.warn(f"{name!r} is no joint of the {MODEL}")
        for output in known or (name.rstrip("~"),):
            self._key(output, Target(target.value * self.unit, target.weight), self.time)

    def _key(self, output: str, target: Target, time: int) -> None:
        track = self.tracks.setdefault(output, {})
        if len(self.tracks) > MAX_OUTPUTS:
            raise self.error("there are too many outputs", value=output, limit=str(MAX_OUTPUTS))
        self.keys += time not in track
        if self.keys > MAX_KEYS:
            raise self.error("there are too many keys", limit=str(MAX_KEYS))
        track[time] = target

    def _load(self, words: list[str], *, explicit: bool) -> None:
        if len(words) < 2:
            raise self.error("the file to load is missing", inside=words[0])
        if self.depth >= MAX_DEPTH:
            raise self.error("files load each other too deep", value=words[1], limit=f"{MAX_DEPTH} levels")
        text, name = self.load(words[1], self.line)
        if text.startswith(HEADER):
            self._pose(parse_pos(text, name, self.report), explicit=explicit)
            return
        if explicit:
            raise self.error("'loadExplicit' takes posture files only", value=words[1])
        inner = _Reader(name, self.report, self.load, self.depth + 1)
        inner.read(lines_of(text))
        start, end = self.time, 0
        for output, track in inner.tracks.items():
            for time, target in track.items():
                end = max(end, time)
                if target.weight > 0.0:
                    self._key(output, target, min(start + time, MAX_TIME))
        self._set_time(start + end)

    def _pose(self, posture: PostureFile, *, explicit: bool) -> None:
        for output, target in posture.targets.items():
            if explicit or target.weight > 0.0:
                self._key(output, target, self.time)
        if explicit:
            for joint in BY_NAME.values():
                if joint.output not in posture.targets:
                    self._key(joint.output, Target(0.0, 0.0), self.time)


def parse_mot(text: str, file: str = "", report: ReadReport | None = None, load: Loader | None = None) -> Sequence:
    """Parse a motion sequence.

    Args:
        text: The file's text.
        file: Its name, for messages.
        report: Takes remarks.
        load: Gives the files that it loads; None: a file that loads others is refused.

    Raises:
        FormatError: It breaks the format; the message names the line.
    """
    reader = _Reader(file, report or ReadReport(), load or _no_files(file), 0)
    reader.read(lines_of(text))
    end = max((time for track in reader.tracks.values() for time in track), default=0)
    return Sequence({output: dict(sorted(track.items())) for output, track in reader.tracks.items()}, end)


def _no_files(file: str) -> Loader:
    def refuse(name: str, line: int) -> tuple[str, str]:
        raise FormatError("other files cannot be loaded here", file=file, line=line, value=name)

    return refuse


def mot_text(sequence: Sequence) -> str:
    """Return a motion sequence as text, in radians.

    Raises:
        FormatError: An output's name cannot be written.
    """
    by_time: dict[int, list[str]] = {}
    for output, track in sequence.tracks.items():
        for time, target in track.items():
            by_time.setdefault(time, []).append(target_line(output, target, " \t\r\n#"))
    lines, now = [MOT_HEADER, "radians"], -1
    for time in sorted(by_time):
        lines.append(f"setTime\t{time}" if now < 0 else f"advanceTime\t{time - now}")
        now = time
        lines += by_time[time]
    return "".join(f"{line}\n" for line in [*lines, END])
