"""Recordings of ROS as terrain: grid maps and clouds in MCAP files, in rosbag2's SQLite files and in ROS 1 bags."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from andante.documents.recordings.bag_file import ANY_VERSION as BAG
from andante.documents.recordings.bag_file import bag_messages
from andante.documents.recordings.mcap_file import MAGIC as MCAP
from andante.documents.recordings.mcap_file import mcap_messages
from andante.documents.recordings.messages import DESCRIPTION, DamagedError, Kind, TopicMessage
from andante.documents.recordings.sqlite_file import MAGIC as SQLITE
from andante.documents.recordings.sqlite_file import NoRecordingError, sqlite_messages
from andante.terrain.files.found import Points, Raster
from andante.terrain.files.grid_map import map_of
from andante.terrain.files.packing import suffixes_of
from andante.terrain.files.point_cloud2 import cloud_of
from andante.terrain.height_map import TerrainError

_RESOLUTION = re.compile(r"(float64|double)\s+resolution")
"""As the type is defined in a ROS message and in OMG IDL."""
_WHAT = {".mcap": "the MCAP file", ".db3": "the SQLite file", ".bag": "the ROS 1 bag"}
"""What a file is called in messages, by its ending."""
_GRID_MAP, _CLOUD = ("grid_map_msgs", "GridMap"), ("sensor_msgs", "PointCloud2")
"""Package and name of the types that are read."""


@dataclass
class _Topics:
    """The newest messages by topic, and what else there is."""

    newest: dict[str, TopicMessage] = field(default_factory=dict)
    """By topic: the message with the latest time; of those alike, the last one."""
    counts: dict[str, int] = field(default_factory=dict)
    """How many messages a topic has."""
    others: set[str] = field(default_factory=set)
    """All topics with their types."""
    problem: str = ""
    """Why the recording could not be read to its end; empty: it could."""

    def take(self, message: TopicMessage, count: int) -> None:
        """Count a message, or the last of several, and keep it where it is the newest."""
        self.counts[message.topic] = self.counts.get(message.topic, 0) + count
        before = self.newest.get(message.topic)
        if before is None or message.moment >= before.moment:
            self.newest[message.topic] = message

    def chosen(self, topic: str | None, what: str, place: str) -> tuple[TopicMessage, tuple[str, ...]]:
        """The message that is the map, and what a user should know of the choice.

        Args:
            topic: The topic; None: the only one of grid maps, or, where there are none, of clouds.
            what: What kind of recording it is, for messages.
            place: The file.

        Raises:
            TerrainError: No such message, or several topics and none chosen.
        """
        if not self.newest:
            if self.problem:
                raise TerrainError(f"{what} is damaged", place=place, value=self.problem)
            raise TerrainError(
                "the file has no cloud (sensor_msgs/msg/PointCloud2) and no message of the type "
                "grid_map_msgs/msg/GridMap",
                place=place,
                limit="; ".join(sorted(self.others)[:10])[:600],
            )
        if topic is not None and topic not in self.newest:
            raise TerrainError("the topic has no such messages", place=place, value=topic, legal=sorted(self.newest))
        maps = [name for name, message in self.newest.items() if message.kind == _GRID_MAP] or list(self.newest)
        if topic is None and len(maps) > 1:
            raise TerrainError(
                "several topics have such messages", place=place, value=len(maps), legal=sorted(self.newest),
                remedy="say topic=NAME",
            )  # fmt: skip
        found = self.newest[topic if topic is not None else maps[0]]
        notes = []
        if self.counts[found.topic] > 1:
            notes.append(f"the newest of {self.counts[found.topic]} messages of {found.topic}")
        if self.problem:
            notes.append(f"{what} is not whole: {self.problem}")
        return found, tuple(notes)


def read_recording(
    files: Iterable[tuple[str, bytes]], place: str, layer: str | None = None, topic: str | None = None
) -> Raster | Points:
    """The newest grid map of a recording, or its newest cloud.

    Args:
        files: Names and contents of its files.
        place: The recording.
        layer: Layer of heights of a grid map; None: elevation.
        topic: The topic; None: the only one with grid maps, or, without any, with clouds.

    Raises:
        TerrainError: No such message, topic or layer, or a message that is cut short, contradicts itself or leans.
    """
    found, what = _Topics(), "the recording"
    for name, content in files:
        what = _WHAT.get(suffixes_of(Path(name))[0], what)
        try:
            for message, count in _messages(name, content, found.others):
                found.take(message, count)
        except NoRecordingError as error:
            raise TerrainError(
                "the SQLite file is no recording of rosbag2", place=name, value=error.tables,
                limit="it has the tables topics and messages",
            ) from error  # fmt: skip
        except DamagedError as error:
            found.problem = str(error)
    message, notes = found.chosen(topic, what, place)
    here = f"{place}: {message.topic}"
    if message.encoding not in ("cdr", "ros1"):
        raise TerrainError(
            "the message's encoding is not known", place=here, value=message.encoding, legal=("cdr", "ros1")
        )
    try:
        return _read(message, layer, here, notes)
    except (struct.error, ValueError) as error:
        raise TerrainError(f"the {message.kind[1]} message is damaged", place=here, value=str(error)[:120]) from error


def _maps(kind: Kind) -> bool:
    return kind in (_GRID_MAP, _CLOUD)


def _messages(name: str, content: bytes, others: set[str]) -> Iterator[tuple[TopicMessage, int]]:
    """Messages of a file, with how many of their topic each stands for."""
    suffix = suffixes_of(Path(name))[0]
    if suffix == ".mcap":
        if not content.startswith(MCAP):
            raise TerrainError("is no MCAP file", place=name)
        return ((message, 1) for message in mcap_messages(content, _maps, others))
    if suffix == ".bag":
        if not content.startswith(BAG):
            raise TerrainError("is no ROS 1 bag", place=name)
        return ((message, 1) for message in bag_messages(content, _maps, others))
    if not content.startswith(SQLITE):
        raise TerrainError("is no SQLite file", place=name)
    return sqlite_messages(content, _maps, others, newest=True)


def _read(message: TopicMessage, layer: str | None, place: str, notes: tuple[str, ...]) -> Raster | Points:
    ros1 = message.encoding == "ros1"
    if message.kind == _GRID_MAP:
        if message.definition and not _RESOLUTION.search(message.definition):
            raise TerrainError(
                "grid_map_msgs/GridMap is defined in another way", place=place, limit="float64 resolution"
            )
        return map_of(message.content, ros1, place, layer, notes)
    if layer is not None:
        raise TerrainError("the option layer means nothing to a cloud", place=place, value=layer)
    cloud = cloud_of(message.content, ros1, place)
    return Points(cloud.places, (*notes, *cloud.notes))


def files_of_bag(folder: Path) -> list[Path]:
    """The files of a recording of rosbag2 that is a folder, in the order of their names.

    Raises:
        TerrainError: It is no such folder.
    """
    try:
        files = sorted(path for path in folder.iterdir() if suffixes_of(path)[0] in (".db3", ".mcap"))
    except OSError as error:
        raise TerrainError("the folder cannot be read", place=str(folder), value=error.strerror) from error
    if not (folder / DESCRIPTION).is_file() or not files:
        raise TerrainError(
            "the folder is no recording of rosbag2", place=str(folder), limit=f"{DESCRIPTION} and .db3 or .mcap files"
        )
    return files
