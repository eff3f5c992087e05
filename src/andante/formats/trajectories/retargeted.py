"""Motions of people retargeted to a robot, as CSV: the base's pose and all joints, one row per frame.

Two dialects, told by their content:

* Without a header: x, y, z [m], quaternion x, y, z, w and the joints [rad], perhaps behind the frame's number. What
  the columns are, the number of joints tells, or the robot that is asked for, whose order of joints it is then. The
  rate is that of the data set, 30 frames/s, unless a line before says another (`# fps: 50`).
* With a header: `Frame`, `root_translateX` to `Z` [cm], `root_rotateX` to `Z` [deg], a column `<joint>_dof` [deg] for
  each joint; 120 frames/s.

A motion moves joints only: where the base was is kept in the keyframes' extras, and nobody sees to it.

Sources: README of the LAFAN1 Retargeting Dataset (Unitree); src/assets/motions and scripts/csv_to_npz.py of
unitreerobotics/unitree_rl_mjlab; ProtoMotions' page on the BONES-SEED data set of NVIDIA.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.numbers import LARGEST, degrees, number_text, radians
from andante.formats.shared.single import OneTextCodec, library_of_one, name_of, one_motion
from andante.formats.shared.steps import MAX_STEPS, Holds, complete, keyframe_of, steps_of
from andante.formats.shared.text_file import TextFile
from andante.formats.trajectories.columns import joints_of_columns
from andante.formats.trajectories.table import MAX_CELLS
from andante.motions.extras import Extras, Kind
from andante.motions.keyframe import Block
from andante.motions.library import MotionLibrary

RATE = 30.0
"""Frames per second of files without a header (LAFAN1 Retargeting Dataset)."""
HEADER_RATE = 120.0
"""Frames per second of files with one (BONES-SEED)."""
MAX_RATE = 10_000.0
_KIND: Kind = "retargeted"
_BASE = 7
"""Columns of the base without a header: place and quaternion."""
_HEADER = (
    "Frame",
    *(f"root_translate{axis}" for axis in "XYZ"),
    *(f"root_rotate{axis}" for axis in "XYZ"),
)
_SUFFIX = "_dof"
UNIT = 0.02
"""How far the length of a quaternion may be from 1."""
_STATED = re.compile(r"#\s*fps\s*[:=]\s*(\S*?)\s*(?:hz|fps|frames/s)?\s*", re.IGNORECASE)
_FEWEST, _MOST = 4, 200
"""Joints that a robot of such a file may have."""


class RetargetedCodec(OneTextCodec):
    """Reads and writes retargeted motions."""

    name = "csv-retargeted"
    title = "Retargeted motion (CSV)"
    suffixes = (".csv",)

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        text = head[:20_000].decode("utf-8", errors="replace")
        line = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
        words = line.split(",")
        if [word.strip() for word in words[: len(_HEADER)]] == list(_HEADER):
            return 0.9
        return 0.85 if _offset(_numbers(words)) is not None else 0.0

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        return _Frames(path, report).library(text)

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library with one motion, whose keyframes know the base's pose."""
        kept = kept_of(library)
        header = bool(kept.get("header"))
        rate, base, angles = frames_of(library, losses, euler=header)
        joints = [str(joint) for joint in kept["joints"]]
        lines = [",".join((*_HEADER, *(f"{joint}{_SUFFIX}" for joint in joints)))] if header else []
        begin, step = _numbering(kept)
        if kept.get("stated"):
            lines.insert(0, f"# fps: {number_text(rate)}")
        for index, (pose, row) in enumerate(zip(base.tolist(), angles.tolist(), strict=True)):
            number = [str(begin + index * step)] if header or kept.get("numbered") else []
            values = [*pose, *(degrees(angle) if header else angle for angle in row)]
            lines.append(",".join((*number, *map(number_text, values))))
        return ("\n".join(lines) + "\n").encode()


class _Frames(TextFile):
    """One file being read."""

    def library(self, text: str) -> MotionLibrary:
        rate, stated, first = 0.0, False, 0
        header: list[str] = []
        rows: list[tuple[int, list[str]]] = []
        for number, line in enumerate(text.splitlines(), start=1):
            if line.startswith("#"):
                found = _STATED.fullmatch(line)
                if found:
                    rate, stated = self.number(found[1], number, inside="fps", most=MAX_RATE), True
                    if rate <= 0.0:
                        raise self.error("the rate must be above 0", number, inside="fps", value=found[1])
            elif line.strip():
                words = [word.strip() for word in line.split(",")]
                if not rows and not header and words[0] == _HEADER[0]:
                    header = words
                    continue
                first = first or number
                rows.append((number, words))
                if len(rows) > MAX_STEPS or len(rows) * len(words) > MAX_CELLS:
                    raise self.error("there are too many rows", number, limit=f"{MAX_STEPS} rows, {MAX_CELLS} cells")
        if not rows:
            raise self.error("the file has no rows")
        width = len(header) if header else len(rows[0][1])
        table = [self._row(words, line, width) for line, words in rows]
        skipped, joints = self._columns(header, table, [line for line, _ in rows])
        begin, step = self._numbers_of(table, [line for line, _ in rows]) if skipped else (0, 1)
        if not stated:
            rate = HEADER_RATE if header else RATE
            told = f"the rate is not stated; {rate:g} frames/s are taken, as in the data set of such files"
            self.warn(told + (f", and a row is every {step} frames" if step > 1 else ""), first)
            rate /= step
        self.warn("the base's way is kept, not followed: a motion moves joints only", first)
        ahead = skipped + (6 if header else _BASE)
        base = np.array([values[skipped:ahead] for values in table])
        angles = np.array([[radians(value) if header else value for value in values[ahead:]] for values in table])
        flags = {"header": bool(header), "stated": stated, "numbered": not header and skipped > 0}
        robot = self.robot(joints)
        return library_of_frames(self.path, robot, rate, joints, base, angles, flags, (begin, step))

    def _numbers_of(self, table: Sequence[Sequence[float]], lines: Sequence[int]) -> tuple[int, int]:
        """The first frame's number, and by how much the numbers rise from row to row."""
        numbers = [values[0] for values in table]
        step = numbers[1] - numbers[0] if len(numbers) > 1 else 1.0
        rising = [numbers[0] + index * max(step, 1.0) for index in range(len(numbers))]
        for number, due, line in zip(numbers, rising, lines, strict=True):
            if number != due or number != int(number):
                raise self.error(
                    "the first column has to be the frames' numbers, whole and evenly rising",
                    line,
                    value=number,
                    limit=f"{due:g}",
                    remedy="number the rows, or leave the column out, and state the rate in a first line (# fps: 50)",
                )
        return int(numbers[0]), int(step)

    def _row(self, words: Sequence[str], line: int, width: int) -> list[float]:
        if len(words) != width:
            raise self.error(f"the row has {len(words)} of {width} cells", line)
        values = _numbers(words)
        if len(values) == width and all(-LARGEST <= value <= LARGEST for value in values):
            return values
        return [self.number(word, line, inside=f"column {index}") for index, word in enumerate(words, start=1)]

    def _columns(
        self, header: Sequence[str], table: Sequence[Sequence[float]], lines: Sequence[int]
    ) -> tuple[int, list[str]]:
        """How many columns stand before the base's, and the joints of those behind it."""
        if header:
            joints = [word.removesuffix(_SUFFIX) for word in header[len(_HEADER) :]]
            if tuple(header[: len(_HEADER)]) != _HEADER or not joints or len(set(joints)) < len(joints):
                raise self.error("the columns are not those of such a file", 1, value=header[:8], legal=_HEADER)
            return 1, joints
        offset = next((each for each in (0, 1) if all(_is_base(row, each) for row in table)), None)
        if offset is None:
            first = _offset(table[0])
            wrong = next((at for at, row in enumerate(table) if first is None or not _is_base(row, first)), 0)
            raise self.error(f"the base's quaternion of frame {wrong} has not length 1", lines[wrong])
        count = len(table[0]) - offset - _BASE
        names = joints_of_columns(count, self.report.robot, Path(self.path))
        self.warn(f"the columns are not named; they are taken for {names.of}", lines[0])
        return offset, list(names.joints)


def library_of_frames(
    path: str | Path,
    robot: str,
    rate: float,
    joints: Sequence[str],
    base: NDArray[np.float64],
    angles: NDArray[np.float64],
    flags: Mapping[str, bool],
    numbers: tuple[int, int] = (0, 1),
) -> MotionLibrary:
    """A library of one motion, a keyframe per frame.

    Args:
        path: The file, for the motion's name.
        robot: The robot's name.
        rate: Frames per second.
        joints: Names of the joints.
        base: The base's pose, (n, 7) or (n, 6), kept as the file has it.
        angles: Angles, (n, nj) [rad].
        flags: What else the file's writer has to know.
        numbers: The first frame's number in the file, and by how much numbers rise.
    """
    keyframes = []
    for index, (pose, row) in enumerate(zip(base.tolist(), angles.tolist(), strict=True)):
        duration = round(index / rate, 9) - round((index - 1) / rate, 9) if index else 0.0
        extras: Extras = {_KIND: {"base": pose}}
        keyframes.append(keyframe_of(round(duration, 9), dict(zip(joints, row, strict=True)), extras=extras))
    kept: dict[str, Any] = {"fps": rate, "joints": list(joints)}
    if numbers != (0, 1):
        kept["numbers"] = list(numbers)
    said: dict[Kind, Any] = {_KIND: kept | {flag: True for flag, on in flags.items() if on}}
    return library_of_one(robot, name_of(Path(path)), Block(keyframes=tuple(keyframes)), extras=said)


def frames_of(
    library: MotionLibrary, losses: Losses, *, euler: bool = False
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Rate, poses of the base (n, 7), or (n, 6) where `euler`, and angles (n, nj) [rad] of a library's one motion.

    Raises:
        FormatError: Its keyframes do not know the base's pose, or are not evenly spaced.
    """
    name, _ = one_motion(library)
    kept = kept_of(library)
    rate, names = float(kept["fps"]), [str(joint) for joint in kept["joints"]]
    poses, rows, width = [], [], _BASE - 1 if euler else _BASE
    for index, step in enumerate(steps_of(library, name, losses, Holds((), ("extras",), _KIND))):
        base = step.keyframe.extras.get(_KIND, {}).get("base")
        numbers = [float(value) for value in base if isinstance(value, (int, float))] if isinstance(base, list) else []
        if len(numbers) != width:
            limit = f"{width} numbers, {'place and angles' if euler else 'place and quaternion'}"
            raise FormatError(
                "the keyframe does not know the base's pose", inside=step.place, value=len(numbers), limit=limit
            )
        if abs(step.end - index / rate) > 0.01 / rate:
            raise FormatError(
                "the keyframes are not evenly spaced", inside=step.place, value=step.end, limit=f"{index / rate:g}"
            )
        poses.append(numbers)
        rows.append([*complete(step, names, losses, "a row").values()])
    return rate, np.array(poses).reshape(len(poses), width), np.array(rows).reshape(len(rows), len(names))


def kept_of(library: MotionLibrary) -> Mapping[str, Any]:
    """What a library's one motion knows of the file that it was read from: rate, joints, and what its writer said.

    Raises:
        FormatError: It was read from no such file.
    """
    name, motion = one_motion(library)
    kept = motion.extras.get(_KIND, {})
    rate, joints = kept.get("fps"), kept.get("joints")
    if not isinstance(rate, (int, float)) or not isinstance(joints, list) or not 0.0 < rate <= MAX_RATE:
        raise FormatError(
            "the format holds the pose of the base in each row, which only motions read from such files have",
            value=name,
            remedy="write a trajectory (--to csv or --to npz)",
        )
    return kept


def _numbering(kept: Mapping[str, Any]) -> tuple[int, int]:
    """The first frame's number, and by how much numbers rise."""
    match kept.get("numbers"):
        case [int(begin), int(step)]:
            return begin, step
    return 0, 1


def _numbers(words: Sequence[str]) -> list[float]:
    """The numbers of a row; those before the first that is none."""
    values = []
    for word in words:
        try:
            value = float(word)
        except ValueError:
            break
        if not math.isfinite(value) or "_" in word:
            break
        values.append(value)
    return values


def _offset(values: Sequence[float]) -> int | None:
    """Columns before the base's: none, or that of the frame's number; None: this is no row of base and joints."""
    return next((offset for offset in (0, 1) if _is_base(values, offset)), None)


def _is_base(values: Sequence[float], offset: int) -> bool:
    """Whether base and joints stand behind so many columns."""
    joints = len(values) - offset - _BASE
    return _FEWEST <= joints <= _MOST and abs(math.hypot(*values[offset + 3 : offset + _BASE]) - 1.0) < UNIT
