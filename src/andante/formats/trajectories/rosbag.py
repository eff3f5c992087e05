"""Recordings of ROS as motions: joint states and joint trajectories in MCAP files, folders of rosbag2 and ROS 1 bags.

A topic of sensor_msgs/JointState or foxglove.JointStates is one motion: a keyframe for each message, at the time of its
header, or, where that is not set, goes back or leaps, at which it was recorded. Joints that a message leaves out, and
NaN, are on the straight way between the messages that have them, so that publishers of some joints each do not make
the others wait. A message of trajectory_msgs/JointTrajectory is one motion, with the times of its points. Angles are
rad; speeds and efforts are not read.

Sources: the definitions of sensor_msgs and trajectory_msgs in github.com/ros2/common_interfaces; what a folder of
rosbag2 is, its metadata.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from andante.documents.files import read_bytes, read_head
from andante.documents.recordings.allowance import TooMuchError
from andante.documents.recordings.bag_file import MAGIC as BAG
from andante.documents.recordings.bag_file import bag_messages
from andante.documents.recordings.bag_parts import all_in_bag
from andante.documents.recordings.joint_states import STATES, EncodingError, joint_states
from andante.documents.recordings.mcap_file import MAGIC as MCAP
from andante.documents.recordings.mcap_file import mcap_messages
from andante.documents.recordings.mcap_parts import all_in_mcap
from andante.documents.recordings.message_reader import MessageReader
from andante.documents.recordings.messages import (
    DESCRIPTION,
    MOST_BYTES,
    ZSTD,
    DamagedError,
    Kind,
    NoIndexError,
    TopicMessage,
    unpacked,
)
from andante.documents.recordings.sqlite_file import MAGIC as SQLITE
from andante.documents.recordings.sqlite_file import all_in_sqlite, sqlite_messages
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.single import MAX_FILES, OneMotionCodec, files_of, free_name, name_of
from andante.formats.trajectories.joint_rows import SHORTER, JointRows, Row, table_of_rows
from andante.formats.trajectories.table import MAX_CELLS, TrajectoryTable, library_of
from andante.motions.keyframe import Block
from andante.motions.library import Motion, MotionLibrary

_TRAJECTORY = ("trajectory_msgs", "JointTrajectory")
_MOST_POINTS = 200_000
_ONLY_JOINTS = "keep only the topics of joints (ros2 bag convert, mcap filter, rosbag filter)"
_OURS = re.compile(rb"\A\x89MCAP0\r\n\x01.{8}.{4}[a-z0-9]{0,20}.{4}andante ", re.DOTALL)
"""How a run's own log begins: it is replayed, not played."""
_PACKED = (".mcap.zstd", ".db3.zstd")
"""Endings of files that rosbag2 packs as a whole (``--compression-mode file``)."""
_LOG, _HEAD = "log.mcap", 200
"""The log in a run's folder, and bytes of it by which it is known."""


class RosbagCodec(OneMotionCodec):
    """Reads recordings of ROS."""

    name = "rosbag"
    title = "Recording of ROS (MCAP, rosbag2, ROS 1 bag)"
    suffixes = (".mcap", ".db3", ".bag")
    says_robot = False
    max_bytes = MOST_BYTES

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        if head.startswith(MCAP):
            return 0.0 if _OURS.match(head) else 0.9
        if head.startswith(BAG):
            return 0.9
        if head.startswith(ZSTD):
            return 0.9 if path.name.lower().endswith(_PACKED) else 0.0
        return 0.9 if head.startswith(SQLITE) and path.suffix.lower() == ".db3" else 0.0

    def sniff_folder(self, path: Path) -> float:
        """How likely a folder is a recording of rosbag2."""
        return 0.9 if (path / DESCRIPTION).is_file() and self.files_in(path) else 0.0

    def files_in(self, folder: Path) -> list[Path]:
        """The folder's recordings, by name, those that rosbag2 has packed as a whole among them."""
        packed = [file for file in files_of(folder) if file.name.lower().endswith(_PACKED)]
        return sorted([*super().files_in(folder), *packed])[:MAX_FILES]

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a file, or a folder of rosbag2, whose files are one recording."""
        if path.is_dir():
            files = self.files_in(path)
            if not files:
                raise FormatError("the folder has no file of this format", file=path, legal=self.suffixes)
            return _Recording(path, report).library((file, _content(file)) for file in files)
        return self.read_file(path, report)

    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read one file; `DocumentError` where that fails."""
        return _Recording(path, report).library([(path, _content(path))])

    def encode_file(self, library: MotionLibrary, losses: Losses) -> NoReturn:
        """Recordings are read only."""
        raise FormatError("recordings of ROS are not written", remedy="write a trajectory (--to csv or --to npz)")


def is_run(path: Path) -> bool:
    """Whether a file is the log of a run of Andante, or a folder has one: it is replayed, not played."""
    file = path / _LOG if path.is_dir() else path
    return file.is_file() and _OURS.match(read_head(file, _HEAD)) is not None


@dataclass
class _Topic:
    """What one topic has."""

    states: list[tuple[float, float, dict[str, float]]] = field(default_factory=list)
    """Joint states: time of the header, time of recording [s], angles."""
    trajectories: list[list[Row]] = field(default_factory=list)
    """Trajectories: time and angles of each point."""


class _Recording(JointRows):
    """One recording being read."""

    def library(self, files: Iterable[tuple[Path, bytes | Path]]) -> MotionLibrary:
        """The library of files with these contents; the path of one that is too large to be read as a whole."""
        topics: dict[str, _Topic] = {}
        others: set[str] = set()
        count = 0
        for file, raw in files:
            self.report.files.append(file)
            try:
                for message in _messages(raw, file, others):
                    count += self._take(message, topics.setdefault(message.topic, _Topic()))
                    if count > MAX_CELLS:
                        raise self.error("the recording has too many angles", limit=f"{MAX_CELLS}", remedy=SHORTER)
            except NoIndexError as error:
                what = f"the recording {str(error).removeprefix('it ')}"
                raise FormatError(what, file=file, limit=f"{MOST_BYTES} bytes", remedy=error.remedy) from error
            except TooMuchError as error:
                raise FormatError(f"the recording is too large: {error}", file=file, remedy=_ONLY_JOINTS) from error
            except DamagedError as error:
                if not topics:
                    raise FormatError(f"the recording cannot be read: {error}", file=file) from error
                self.report.warn(f"the recording is not whole, and was read until there: {error}", file)
        if not topics:
            raise self.error(
                "the recording has no joint states (sensor_msgs/msg/JointState, foxglove.JointStates) and no"
                " trajectories (trajectory_msgs/msg/JointTrajectory)",
                value="; ".join(sorted(others)[:10])[:600] or "no topics",
            )
        return self._joined(self._tables(topics))

    def _joined(self, tables: list[tuple[str, TrajectoryTable]]) -> MotionLibrary:
        motions: dict[str, Motion] = {}
        blocks: dict[str, Block] = {}
        joints = dict.fromkeys(joint for _, table in tables for joint in table.joints)
        robot = self.robot(joints)
        for topic, table in tables:
            if not table.joints:
                self.warn(f"{topic} moves no joint and is left out")
                continue
            name = free_name(name_of(self.path) if len(tables) == 1 else topic.strip("/").replace("/", "_"), motions)
            library = library_of(table, name, robot)
            motions |= library.motions
            blocks |= library.blocks
        if not motions:
            raise self.error("no message has an angle")
        return MotionLibrary(robot=robot, motions=motions, blocks=blocks)

    def _tables(self, topics: Mapping[str, _Topic]) -> list[tuple[str, TrajectoryTable]]:
        """A table for each motion, by topic."""
        tables = []
        for name, topic in topics.items():
            if topic.states:
                rows = self.timed(topic.states, name)
                tables.append((name, self.filled(table_of_rows(rows, min(time for time, _ in rows)), name)))
            tables += [(name, self.named(table_of_rows(rows, 0.0), name)) for rows in topic.trajectories]
        return tables

    def _take(self, message: TopicMessage, topic: _Topic) -> int:
        """Take a message; the number of its angles."""
        try:
            if message.kind in STATES:
                said = joint_states(message)
                angles = self.angles(said.names, said.angles, message.topic)
                topic.states.append((said.stamp, message.moment / 1e9, angles))
                return len(angles) + 1
            points = self._points(message)
        except EncodingError as error:
            what = "the message's encoding is not known"
            raise self.error(what, inside=message.topic, value=error.value, legal=error.legal) from error
        except ValueError as error:
            raise self.error("the message is damaged", inside=message.topic, value=str(error)[:120]) from error
        topic.trajectories.append(points)
        return sum(len(angles) + 1 for _, angles in points)

    def _points(self, message: TopicMessage) -> list[Row]:
        """Times and angles of a trajectory."""
        legal = ("cdr", "ros1")
        if message.encoding not in legal:
            raise EncodingError(message.encoding, legal)
        reader = MessageReader(message.content, message.encoding == "ros1")
        reader.header()
        names = reader.texts()
        return [self._point(names, reader, message.topic) for _ in range(reader.size(_MOST_POINTS))]

    def _point(self, names: list[str], reader: MessageReader, topic: str) -> Row:
        angles = self.angles(names, reader.doubles(_MOST_POINTS), topic)
        for _ in ("velocities", "accelerations", "effort"):
            reader.doubles(_MOST_POINTS)
        sec, nanosec = reader.number("i4"), reader.number("u4")
        return sec + nanosec / 1e9, angles


def _content(file: Path) -> bytes | Path:
    """A file's bytes; its path where it is too large to be read as a whole."""
    try:
        large = file.stat().st_size > MOST_BYTES
    except OSError:
        # Who reads it says why.
        large = False
    if large:
        return file
    raw = read_bytes(file, max_bytes=MOST_BYTES)
    if not raw.startswith(ZSTD):
        return raw
    try:
        return unpacked("zstd", raw)
    except DamagedError as error:
        remedy = f"unpack it first: zstd -d {file.name}"
        raise FormatError(f"the recording cannot be unpacked: {error}", file=file, remedy=remedy) from error


def _messages(raw: bytes | Path, file: Path, others: set[str]) -> Iterator[TopicMessage]:
    head = raw[: len(SQLITE)] if isinstance(raw, bytes) else read_head(raw, len(SQLITE))
    if isinstance(raw, Path):
        every = all_in_sqlite if head.startswith(SQLITE) else all_in_bag if head.startswith(BAG) else all_in_mcap
        yield from every(raw, _wanted, others)
    elif head.startswith(SQLITE):
        yield from (message for message, _ in sqlite_messages(raw, _wanted, others, newest=False))
    elif head.startswith(BAG):
        yield from bag_messages(raw, _wanted, others)
    else:
        yield from mcap_messages(raw, _wanted, others)


def _wanted(kind: Kind) -> bool:
    return kind in STATES or kind == _TRAJECTORY
