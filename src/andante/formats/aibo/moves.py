"""Poses and lists of moves as text: what a pose file and a motion list of a design tool say, in one readable form.

A *pose* file holds one named pose. A *moves* file holds poses **by value** and motions, each a list of poses with the
time to reach them. A pose may name the pose file that it came from and that file's hash; a lost or changed file is a
remark and breaks nothing. Angles are in degrees, times in milliseconds::

    andante moves 1
    robot ers7
    pose ready file=ready.pose sha256=...
      LFJ1 10
      LFJ2 5
    motion kick
      400 ready

Names are written with ``%xx`` for blanks and other characters that would end them. This is a format of Andante's own;
the files of Sony's tool with the same purpose (PSE, KFM) were never published.
"""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from andante.formats.aibo.files import lines_of
from andante.formats.report import FormatError, ReadReport
from andante.formats.shared.text_file import LineReader

POSE_HEADER = "andante pose 1"
"""First line of a pose file."""
MOVES_HEADER = "andante moves 1"
"""First line of a moves file."""
MAX_LINES = 600_000
"""Most lines that are read; 10,000 keyframes of 26 joints have 0.3 million."""
MAX_STEPS = 100_000
"""Most poses and steps of one file."""
MAX_VALUES = 500_000
"""Most angles of all steps of all motions: a guard against a small file that calls a large pose again and again."""
MAX_NAME = 255
"""Longest name."""

_SAFE = "#:/_-+.,()~!*'&;@$"
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Pose:
    """A pose."""

    angles: dict[str, float] = field(default_factory=dict)
    """Angle per joint [deg]; joints that are not named are left alone."""
    file: str = ""
    """Name of the pose file that it came from; empty: none."""
    digest: str = ""
    """SHA-256 of that pose when it was taken, in hexadecimal."""


@dataclass(frozen=True)
class MovesStep:
    """One step of a motion."""

    time: float
    """Time from the pose before [ms]."""
    pose: str
    """Name of the pose."""


@dataclass(frozen=True)
class MovesFile:
    """A moves file."""

    robot: str
    """Name of the robot."""
    poses: dict[str, Pose] = field(default_factory=dict)
    """Poses by name."""
    motions: dict[str, tuple[MovesStep, ...]] = field(default_factory=dict)
    """Steps by motion."""


def digest_of(pose: Pose) -> str:
    """Hash of a pose's angles, which does not depend on their order."""
    text = "".join(f"{name} {angle!r}\n" for name, angle in sorted(pose.angles.items()))
    return hashlib.sha256(text.encode()).hexdigest()


class _Reader(LineReader):
    def __init__(self, file: str) -> None:
        super().__init__(file, ReadReport())
        self.robot = ""
        self.poses: dict[str, Pose] = {}
        self.motions: dict[str, list[MovesStep]] = {}
        self.target: Pose | list[MovesStep] | None = None
        self.count = 0
        self.values = 0

    def read(self, text: str, header: str) -> None:
        lines = lines_of(text)
        if " ".join(lines[0].split()) != header:
            raise self.error("the first line is not the format's", value=lines[0], limit=header)
        for self.line, whole in enumerate(lines[1:], 2):
            words = whole.split()
            if not words or words[0].startswith("#"):
                continue
            self.count += 1
            if self.count > MAX_LINES:
                raise self.error("there are too many lines", limit=str(MAX_LINES))
            if whole[0] in " \t":
                self._row(words)
            else:
                self._entry(words)
        if not self.robot:
            raise self.error("the robot is not named", limit="robot NAME")

    def _entry(self, words: list[str]) -> None:
        kind = words[0]
        if kind not in ("robot", "pose", "motion") or len(words) < 2:
            raise self.error(
                "the line is not understood", value=" ".join(words), limit="robot NAME, pose NAME or motion NAME"
            )
        name = self._name(words[1])
        if kind != "pose" and len(words) > 2:
            raise self.error("there is more than a name", inside=kind, value=words[2])
        if kind == "robot":
            if self.robot:
                raise self.error("the robot is named twice", value=name)
            self.robot, self.target = name, None
        elif kind == "pose":
            if name in self.poses:
                raise self.error("there are two poses of this name", value=name)
            self.target = self.poses[name] = self._pose(words[2:])
        else:
            if name in self.motions:
                raise self.error("there are two motions of this name", value=name)
            self.target = self.motions[name] = []

    def _name(self, word: str) -> str:
        name = unquote(word, errors="replace")
        if not name or len(name) > MAX_NAME:
            raise self.error("the name is empty or too long", value=word, limit=f"1..{MAX_NAME} characters")
        return name

    def _pose(self, words: list[str]) -> Pose:
        said: dict[str, str] = {}
        for word in words:
            key, _, value = word.partition("=")
            if key not in ("file", "sha256") or not value or key in said:
                raise self.error("the line is not understood", value=word, limit="file=NAME sha256=DIGITS")
            said[key] = value
        digest = said.get("sha256", "")
        if digest and _HASH.fullmatch(digest) is None:
            raise self.error("the hash is not 64 hexadecimal digits", value=digest)
        return Pose({}, self._name(said["file"]) if "file" in said else "", digest)

    def _row(self, words: list[str]) -> None:
        if self.target is None:
            raise self.error("an indented line needs a pose or motion before it", value=" ".join(words))
        if len(words) != 2:
            form = "JOINT DEGREES" if isinstance(self.target, Pose) else "MILLISECONDS POSE"
            raise self.error("the line needs two words", value=" ".join(words), limit=form)
        if isinstance(self.target, Pose):
            joint = self._name(words[0])
            if joint in self.target.angles:
                raise self.error("the joint stands twice in the pose", value=joint)
            self.target.angles[joint] = self._number(words[1], joint)
            return
        time, name = self._number(words[0], "time"), self._name(words[1])
        if time <= 0.0:
            raise self.error("the time is not above zero", value=words[0])
        if name not in self.poses:
            raise self.error("there is no such pose before this line", value=name, legal=list(self.poses))
        self.values += len(self.poses[name].angles)
        if self.values > MAX_VALUES:
            raise self.error("the motions have too many angles", value=self.values, limit=str(MAX_VALUES))
        self.target.append(MovesStep(time, name))

    def _number(self, word: str, inside: str) -> float:
        try:
            value = float(word) if "_" not in word else math.nan
        except ValueError:
            raise self.error("this is no number", inside=inside, value=word) from None
        if not math.isfinite(value) or abs(value) > 1e12:
            raise self.error("the number is not finite or absurdly large", inside=inside, value=word)
        return value


def parse_moves(text: str, file: str = "") -> MovesFile:
    """Parse a moves file.

    Raises:
        FormatError: It breaks the format; the message names the line.
    """
    reader = _Reader(file)
    reader.read(text, MOVES_HEADER)
    return MovesFile(reader.robot, reader.poses, {name: tuple(steps) for name, steps in reader.motions.items()})


def parse_pose(text: str, file: str = "") -> tuple[str, str, Pose]:
    """Parse a pose file; return robot, name and pose.

    Raises:
        FormatError: It breaks the format or does not hold exactly one pose; the message names the line.
    """
    reader = _Reader(file)
    reader.read(text, POSE_HEADER)
    if len(reader.poses) != 1 or reader.motions:
        raise FormatError("a pose file holds one pose and no motion", file=file, value=len(reader.poses))
    name, pose = next(iter(reader.poses.items()))
    return reader.robot, name, pose


def pose_text(robot: str, name: str, pose: Pose) -> str:
    """Return a pose file."""
    return "".join(f"{line}\n" for line in [POSE_HEADER, f"robot {_word(robot)}", *_pose_lines(name, pose)])


def moves_text(moves: MovesFile) -> str:
    """Return a moves file."""
    lines = [MOVES_HEADER, f"robot {_word(moves.robot)}"]
    for name, pose in moves.poses.items():
        lines += _pose_lines(name, pose)
    for name, steps in moves.motions.items():
        lines += [f"motion {_word(name)}", *(f"  {step.time!r} {_word(step.pose)}" for step in steps)]
    return "".join(f"{line}\n" for line in lines)


def _pose_lines(name: str, pose: Pose) -> list[str]:
    source = f" file={_word(pose.file)}" if pose.file else ""
    digest = f" sha256={pose.digest}" if pose.digest else ""
    rows = [f"  {_word(joint)} {angle!r}" for joint, angle in pose.angles.items()]
    return [f"pose {_word(name)}{source}{digest}", *rows]


def _word(name: str) -> str:
    if not name or len(name) > MAX_NAME:
        raise FormatError("the name is empty or too long", value=name, limit=f"1..{MAX_NAME} characters")
    word = quote(name, safe=_SAFE, errors="replace")
    return f"%23{word[1:]}" if word.startswith("#") else word
