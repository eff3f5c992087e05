"""Trajectories as NPZ: arrays `time` (n,) [s], `position` (n, nj) [rad], `joints` (nj,) and, if any, more.

Also read: `stiffness` (n, nj), `robot`, `motion`, `angle_unit` (rad or deg), `time_unit` (s or ms). A NaN in `position`
leaves a joint alone. Arrays are read by their headers with all sizes checked before anything is taken in; arrays of
Python objects (pickles) are refused.

Motions for trackers have `fps` in place of the time. Isaac Lab's have `dof_positions` (or `joint_pos`, `dof_pos`) with
`dof_names` (or `joint_names`). Those of whole_body_tracking and mjlab have `joint_pos` alone, in the order of bodies by
depth (Isaac Lab) or of the model (mjlab), which the file does not tell: a robot has to be named, and one of both orders
has to break its limits.

Recordings of MuJoCo have `qpos`: the base's place and quaternion, then the joints in the order of the model, which the
robot that is named tells, or `joint_names`; `dt` or `frequency` may stand in place of times.

Sources: Isaac Lab's humanoid_amp/motions/README.md; scripts/csv_to_npz.py of unitreerobotics/unitree_rl_mjlab.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from andante.documents.files import read_bytes
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.numbers import LARGEST, LONGEST, radians, seconds
from andante.formats.shared.single import OneMotionCodec, name_of, one_motion
from andante.formats.shared.text_file import TextFile
from andante.formats.trajectories.affixes import joint_columns
from andante.formats.trajectories.columns import joints_by_limits, robot_asked
from andante.formats.trajectories.retargeted import MAX_RATE
from andante.formats.trajectories.table import MAX_CELLS, TrajectoryTable, library_of, table_of
from andante.motions.keyframe import JointTarget
from andante.motions.library import UNKNOWN_ROBOT, MotionLibrary

MAX_FILE = 20_000_000
"""Largest file that is read [bytes]."""
MAX_ARRAY = 40_000_000
"""Largest array that is read [bytes]."""
ARRAYS = ("time", "position", "joints", "stiffness", "robot", "motion", "angle_unit", "time_unit", "fps", "dt", "qpos")
"""Arrays of a file; only the first three are needed, or `fps` or `dt` in place of the time, or `qpos` in place of the
positions."""
_NAMES = {
    "t": "time",
    "q": "position",
    "positions": "position",
    "joint_names": "joints",
    "dof_names": "joints",
    "dof_positions": "position",
    "dof_pos": "position",
    "joint_pos": "position",
    "frequency": "fps",
}
_AMASS = frozenset(("poses", "betas", "trans"))
"""Arrays of a motion of AMASS."""
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?)([fiuU])(\d{1,4})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,9}, ?)*\d{0,9},?)\), ?\}\s*"
)
_LONGEST_HEADER = 4096
_SHOWN = 300
"""So many letters of names of arrays are told."""
_BASE = 7
"""Numbers of a floating base in `qpos`: its place and its quaternion."""
_LARGEST_CHARACTER = 0x10FFFF
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)


class NpzCodec(OneMotionCodec):
    """Reads and writes NPZ."""

    name = "npz"
    title = "Trajectory (NPZ)"
    suffixes = (".npz",)
    signature = re.compile(rb"\APK\x03\x04[\s\S]{0,192}\.npy")
    sure = 0.9

    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read one file; `DocumentError` where that fails."""
        report.files.append(path)
        arrays, names = _arrays(read_bytes(path, max_bytes=MAX_FILE), path)
        return _Decoder(path, report, arrays, names).library()

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library with one motion."""
        table = table_of(library, losses, notes=False)
        name, _ = one_motion(library)
        for what, text in (("motion", name), *(("joint", joint) for joint in table.joints)):
            if not text or not text.isprintable():
                raise FormatError(f"the {what}'s name cannot stand in the file", value=text)
        count, width = len(table.times), len(table.joints)
        position = np.full((count, width), np.nan)
        for index, row in enumerate(table.rows):
            for at, value in enumerate(row):
                if value == "off":
                    losses.count("", f"off {index}", "joints that are off are written as left alone")
                elif value is not None and not isinstance(value, str):
                    position[index, at] = value
        arrays: dict[str, NDArray[np.generic]] = {
            "time": np.array(table.times, dtype=np.float64),
            "position": position,
            "joints": np.array(list(table.joints) or [" "], dtype=np.str_)[:width],
            "motion": np.array(name),
            "angle_unit": np.array("rad"),
            "time_unit": np.array("s"),
        }
        if library.robot != UNKNOWN_ROBOT:
            arrays["robot"] = np.array(library.robot)
        if table.stiffness:
            stiffness = [[np.nan if value is None else value for value in row] for row in table.stiffness]
            arrays["stiffness"] = np.array(stiffness, dtype=np.float64).reshape(count, width)
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for key, array in arrays.items():
                member = io.BytesIO()
                np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)
                info = zipfile.ZipInfo(f"{key}.npy", _FIRST_DATE)
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, member.getvalue())
        return stream.getvalue()


def _arrays(raw: bytes, path: Path) -> tuple[dict[str, NDArray[np.generic]], list[str]]:
    """The arrays of a file that count, by name, and the names of all."""
    arrays: dict[str, NDArray[np.generic]] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = {info.filename.removesuffix(".npy") for info in archive.infolist()}
            if names >= _AMASS:
                raise FormatError(
                    "this is a person's motion (SMPL, as AMASS has it), not a robot's",
                    file=path,
                    remedy="retarget it to the robot first, and read the file with the robot's joints",
                )
            owners: dict[str, str] = {}
            spare = _spare(names)
            for info in archive.infolist():
                given = info.filename.removesuffix(".npy")
                name = _NAMES.get(given, given)
                # An array that goes by its own name counts, whatever another name of the same may mean in this file.
                if name not in ARRAYS or (given != name and name in names) or given in spare:
                    continue
                if info.file_size > MAX_ARRAY:
                    raise FormatError("the array is too large", file=path, inside=name, limit=f"{MAX_ARRAY} bytes")
                with archive.open(info) as stream:
                    member = stream.read(MAX_ARRAY + 1)
                array = _array(member, path, name)
                if name in arrays and not _same(arrays[name], array):
                    raise FormatError(
                        f"two arrays of the file may be its {name!r}, and differ",
                        file=path,
                        value=f"{owners[name]}, {given}",
                        remedy=f"keep one, or name it {name!r}",
                    )
                arrays[name], owners[name] = array, given
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        zlib.error,
        EOFError,
        RuntimeError,  # zipfile, of a member: encrypted, or (as its subclass) in a compression that it does not know
        ValueError,
        IndexError,
        struct.error,
        OSError,
    ) as error:
        raise FormatError(f"this is no NPZ file: {error}", file=path) from error
    return arrays, sorted(names)


def _spare(names: Collection[str]) -> set[str]:
    """Arrays that say nothing beside others of a file, as the robot's state beside the positions of its joints."""
    known = {_NAMES.get(name, name) for name in names if name != "frequency"}
    timed = {"dt", "frequency"} if known & {"time", "fps"} else set[str]()
    return timed | ({"qpos"} if "position" in known else set())


def _same(one: NDArray[np.generic], other: NDArray[np.generic]) -> bool:
    """Whether two arrays say the same; gaps (NaN) are equal."""
    if one.shape != other.shape or "U" in (one.dtype.kind, other.dtype.kind):
        return bool(np.array_equal(one, other))
    return bool(np.array_equal(one.astype(np.float64), other.astype(np.float64), equal_nan=True))


def _array(raw: bytes, path: Path, name: str) -> NDArray[np.generic]:
    """One array from the bytes of its `.npy`."""
    if raw[:6] != b"\x93NUMPY" or len(raw) < 12 or raw[6] not in (1, 2, 3):
        raise FormatError("this is no array", file=path, inside=name)
    start, size = (
        (10, int.from_bytes(raw[8:10], "little")) if raw[6] == 1 else (12, int.from_bytes(raw[8:12], "little"))
    )
    match = _HEADER.fullmatch(raw[start : start + size])
    if match is None or size > _LONGEST_HEADER:
        shown = raw[start : start + min(size, 100)].decode("latin-1")
        raise FormatError(
            "the array's header is not one of plain numbers or texts", file=path, inside=name, value=shown
        )
    order, kind, width, fortran, dimensions = (part.decode() for part in match.groups())
    shape = tuple(int(word) for word in dimensions.replace(" ", "").split(",") if word)
    widths = {"f": ("2", "4", "8"), "U": (width,) if int(width) else ()}.get(kind, ("1", "2", "4", "8"))
    if width not in widths:
        raise FormatError("the array's numbers are of an unknown kind", file=path, inside=name, value=f"{kind}{width}")
    dtype = np.dtype(f"{'<' if order in ('', '|', '=') else order}{kind}{width}")
    data = raw[start + size :]
    if math.prod(shape) * dtype.itemsize != len(data) or len(shape) > 2:
        raise FormatError(
            "the array's size does not fit its shape", file=path, inside=name, value=shape, limit=f"{len(data)} bytes"
        )
    if kind == "U":
        codes = np.frombuffer(data, f"{'>' if order == '>' else '<'}u4")
        if (codes > _LARGEST_CHARACTER).any() or ((codes >= 0xD800) & (codes <= 0xDFFF)).any():
            raise FormatError("the array's texts have characters that do not exist", file=path, inside=name)
    return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran == "True" else "C")


class _Decoder(TextFile):
    """One file being read."""

    def __init__(
        self, path: Path, report: ReadReport, arrays: dict[str, NDArray[np.generic]], names: Sequence[str]
    ) -> None:
        super().__init__(path, report)
        self.arrays, self._names = arrays, names

    def library(self) -> MotionLibrary:
        if "fps" not in self.arrays and "dt" in self.arrays:
            self.arrays["fps"] = self._rate()
        if "position" not in self.arrays and "qpos" in self.arrays:
            self._of_mujoco()
        of_frames = "time" not in self.arrays and "fps" in self.arrays
        for name in ("position",) if of_frames else ARRAYS[:3]:
            if name not in self.arrays:
                what, legal = "the array is missing", (*ARRAYS[:3], "fps, dt or frequency in place of the time")
                raise self.error(what, inside=name, value=", ".join(self._names)[:_SHOWN], legal=legal)
        if of_frames:
            self.arrays = self._of_frames(self.arrays)
        joints = [str(word) for word in np.atleast_1d(self.arrays["joints"]).ravel()]
        if self.arrays["joints"].dtype.kind != "U" or len(set(joints)) != len(joints) or not all(joints):
            raise self.error("each joint needs a name of its own", inside="joints", value=joints[:10])
        for joint in joints:
            if not joint.isprintable():
                raise self.error("the joint's name cannot be shown", inside="joints", value=joint)
        found = joint_columns(joints, self.report.robot, self._word("robot"))
        position = self._numbers("position", LARGEST)
        if found is not None and not found.others:
            self.warn(found.told, inside="joints")
            joints = [found.joints[name] for name in joints]
            if found.degrees and "angle_unit" not in self.arrays:
                self.arrays["angle_unit"] = np.array("deg")
        time = self._numbers("time", LONGEST * 1000.0)
        if time.ndim != 1:
            raise self.error("one time for each row is needed", inside="time", value=time.shape, limit="(rows,)")
        shape = (len(time), len(joints))
        if position.shape != shape:
            raise self.error(
                "the array does not fit time and joints", inside="position", value=position.shape, limit=f"{shape}"
            )
        if position.size > MAX_CELLS:
            raise self.error("the table has too many cells", inside="position", limit=f"{MAX_CELLS}")
        degrees = self._unit("angle_unit", ("rad", "deg")) == "deg"
        milliseconds = self._unit("time_unit", ("s", "ms")) == "ms"
        times = [seconds(value) if milliseconds else value for value in time.tolist()]
        self._check_times(times)
        rows = [[_target(value, degrees=degrees) for value in row] for row in position.tolist()]
        stiffness: list[list[float | None]] = []
        if "stiffness" in self.arrays:
            array = self._numbers("stiffness", 1.0)
            if array.shape != shape or (array < 0.0).any():
                raise self.error("the array does not fit, or is not from 0 to 1", inside="stiffness", value=array.shape)
            stiffness = [[None if math.isnan(value) else value for value in row] for row in array.tolist()]
        robot = self.robot(joints, self._word("robot"))
        return library_of(
            TrajectoryTable(times, joints, rows, stiffness), self._word("motion") or name_of(self.path), robot
        )

    def _rate(self) -> NDArray[np.float64]:
        step = self._numbers("dt", LONGEST).ravel()
        if len(step) != 1 or not step[0] > 0.0:
            raise self.error("one time above 0 is needed", inside="dt", value=step.tolist()[:3])
        return 1.0 / step

    def _of_mujoco(self) -> None:
        """Take positions from ``qpos``, without the base, and names from the robot where the file has none."""
        qpos = self._numbers("qpos", LARGEST)
        if qpos.ndim != 2:
            raise self.error("a row for each time is needed", inside="qpos", value=qpos.shape)
        names = self.arrays.get("joints")
        joints: Sequence[str] | None = None if names is None else [str(word) for word in np.atleast_1d(names).ravel()]
        robot = robot_asked(self.report.robot)
        if joints is None and robot is not None and qpos.shape[1] == robot.model.nq:
            joints = robot.joint_names
            places = [int(robot.model.jnt_qposadr[robot.model.joint(name).id]) for name in joints]
        else:
            if joints is not None and qpos.shape[1] == len(joints) - 1 + _BASE:
                # The free joint has a name, too.
                joints = joints[1:]
            bare = 0 if joints is None else qpos.shape[1] - len(joints)
            if joints is None or bare not in (0, _BASE):
                raise self.error(
                    "nobody tells which joints these columns are",
                    inside="qpos",
                    value=f"{qpos.shape[1]} columns" + ("" if joints is None else f", {len(joints)} names"),
                    limit="" if robot is None else f"{robot.model.nq} ({robot.name!r}, its base included)",
                    remedy="name the robot whose model they are of (--robot FILE), or add joint_names",
                )
            places = list(range(bare, qpos.shape[1]))
        self.arrays |= {"position": qpos[:, places], "joints": np.array(list(joints), dtype=np.str_)}
        self.warn("the joints are those of qpos; the base's way is not held: a motion moves joints only", inside="qpos")

    def _of_frames(self, arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, NDArray[np.generic]]:
        """The arrays of a tracker's motion with times, and with joints where it names none."""
        rate = self._numbers("fps", MAX_RATE).ravel()
        if len(rate) != 1 or not rate[0] > 0.0:
            raise self.error("one rate above 0 is needed", inside="fps", value=rate.tolist()[:3])
        position = self._numbers("position", LARGEST)
        if position.ndim != 2:
            raise self.error("a row of joints for each frame is needed", inside="position", value=position.shape)
        times = np.round(np.arange(len(position)) / rate[0], 9)
        found: dict[str, NDArray[np.generic]] = {
            "angle_unit": np.array("rad"),
            **arrays,
            "time": times,
            "time_unit": np.array("s"),
        }
        if "joints" not in arrays:
            in_degrees = "angle_unit" in arrays and self._word("angle_unit") == "deg"
            angles = np.radians(position) if in_degrees else position
            names = joints_by_limits(angles, self.report.robot, self.path)
            self.warn(f"the file names no joints; they are taken for {names.of}", inside="position")
            found["joints"] = np.array(names.joints, dtype=np.str_)
        if "qpos" not in arrays:
            self.warn("the base's way is not held: a motion moves joints only")
        return found

    def _check_times(self, times: list[float]) -> None:
        for index, (before, time) in enumerate(pairwise((0.0, *times))):
            if not before <= time <= LONGEST:
                raise self.error("times must not fall and begin at 0 or later", inside=f"time[{index}]", value=time)

    def _numbers(self, name: str, high: float) -> NDArray[np.float64]:
        array = self.arrays[name]
        if array.dtype.kind not in "fiu":
            raise self.error("an array of numbers is needed", inside=name, value=str(array.dtype))
        numbers = array.astype(np.float64)
        if (np.abs(numbers) > high).any() or (name == "time" and np.isnan(numbers).any()):
            raise self.error("a number is out of range", inside=name, limit=f"{high:g}")
        return numbers

    def _word(self, name: str) -> str:
        array = self.arrays.get(name)
        if array is None:
            return ""
        word = str(array.ravel()[0]) if array.dtype.kind == "U" and array.size == 1 else ""
        if not word or not word.isprintable():
            raise self.error("one text is needed", inside=name)
        return word

    def _unit(self, name: str, legal: tuple[str, ...]) -> str:
        if name not in self.arrays:
            self.warn(f"{name!r} is not stated; {legal[0]} is taken")
            return legal[0]
        word = self._word(name)
        if word not in legal:
            raise self.error("the unit is unknown", inside=name, value=word, legal=legal)
        return word


def _target(value: float, *, degrees: bool) -> JointTarget | None:
    if math.isnan(value):
        return None
    return radians(value) if degrees else value
