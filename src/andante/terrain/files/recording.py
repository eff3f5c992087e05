"""Recordings of ROS as terrain: grid maps and clouds in MCAP files and in rosbag2's SQLite files."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from pathlib import Path

from andante.documents.recordings.mcap_file import MAGIC as MCAP
from andante.documents.recordings.mcap_file import mcap_messages
from andante.documents.recordings.messages import DESCRIPTION, DamagedError, Kind, TopicMessage
from andante.documents.recordings.sqlite_file import MAGIC as SQLITE
from andante.documents.recordings.sqlite_file import NoRecordingError, sqlite_messages
from andante.terrain.files.found import Points, Raster
from andante.terrain.files.grid_map import map_of
from andante.terrain.files.point_cloud2 import cloud_of
from andante.terrain.files.recorded_topics import CLOUD, GRID_MAP, RecordedTopics
from andante.terrain.height_map import TerrainError

_RESOLUTION = re.compile(r"(float64|double)\s+resolution")
"""As the type is defined in a ROS message and in OMG IDL."""


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
    found, what = RecordedTopics(), "the MCAP file"
    for name, content in files:
        if name.lower().endswith(".mcap"):
            _take_mcap(content, name, found)
        else:
            what = "the SQLite file"
            _take_sqlite(content, name, found)
    message, notes = found.chosen(topic, what, place)
    here = f"{place}: {message.topic}"
    if message.encoding not in ("cdr", "ros1"):
        raise TerrainError(
            "the message's encoding is not known", place=here, value=message.encoding, legal=("cdr", "ros1")
        )
    try:
        return _read(message, layer, here, notes)
    except (struct.error, ValueError, UnicodeDecodeError) as error:
        raise TerrainError(f"the {message.kind[1]} message is damaged", place=here, value=str(error)[:120]) from error


def _maps(kind: Kind) -> bool:
    return kind in (GRID_MAP, CLOUD)


def _take_mcap(content: bytes, place: str, found: RecordedTopics) -> None:
    if not content.startswith(MCAP):
        raise TerrainError("is no MCAP file", place=place)
    try:
        for message in mcap_messages(content, _maps, found.others):
            found.take(message)
    except DamagedError as error:
        found.problem = str(error)


def _take_sqlite(content: bytes, place: str, found: RecordedTopics) -> None:
    if not content.startswith(SQLITE):
        raise TerrainError("is no SQLite file", place=place)
    try:
        for message, count in sqlite_messages(content, _maps, found.others, newest=True):
            found.take(message, count)
    except NoRecordingError as error:
        raise TerrainError(
            "the SQLite file is no recording of rosbag2", place=place, value=error.tables,
            limit="it has the tables topics and messages",
        ) from error  # fmt: skip
    except DamagedError as error:
        found.problem = str(error)


def _read(message: TopicMessage, layer: str | None, place: str, notes: tuple[str, ...]) -> Raster | Points:
    ros1 = message.encoding == "ros1"
    if message.kind == GRID_MAP:
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
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".db3", ".mcap"))
    except OSError as error:
        raise TerrainError("the folder cannot be read", place=str(folder), value=error.strerror) from error
    if not (folder / DESCRIPTION).is_file() or not files:
        raise TerrainError(
            "the folder is no recording of rosbag2", place=str(folder), limit=f"{DESCRIPTION} and .db3 or .mcap files"
        )
    return files
