"""Recordings of ROS as terrain: grid maps, clouds and octrees in MCAP files, in rosbag2's SQLite files and in ROS 1
bags."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from andante.documents.recordings.allowance import TooMuchError
from andante.documents.recordings.bag_file import ANY_VERSION as BAG
from andante.documents.recordings.bag_file import bag_messages
from andante.documents.recordings.bag_parts import bag_between, newest_in_bag
from andante.documents.recordings.mcap_file import MAGIC as MCAP
from andante.documents.recordings.mcap_file import mcap_messages
from andante.documents.recordings.mcap_parts import mcap_between, newest_in_mcap
from andante.documents.recordings.message_reader import MessageReader
from andante.documents.recordings.messages import (
    DESCRIPTION,
    MOST_BYTES,
    DamagedError,
    Kind,
    NoIndexError,
    TopicMessage,
)
from andante.documents.recordings.sqlite_file import MAGIC as SQLITE
from andante.documents.recordings.sqlite_file import (
    NoRecordingError,
    newest_in_sqlite,
    sqlite_between,
    sqlite_messages,
)
from andante.spatial.arrays import Array
from andante.terrain.files.found import Cells, Points, Raster
from andante.terrain.files.frames import FIXED, Frames
from andante.terrain.files.grid_map import map_of
from andante.terrain.files.octree import octree_of
from andante.terrain.files.options import FileOptions
from andante.terrain.files.packing import suffixes_of
from andante.terrain.files.point_cloud2 import Cloud, cloud_of
from andante.terrain.height_map import TerrainError

_RESOLUTION = re.compile(r"(float64|double)\s+resolution")
"""As the type is defined in a ROS message and in OMG IDL."""
_WHAT = {".mcap": "the MCAP file", ".db3": "the SQLite file", ".bag": "the ROS 1 bag"}
"""What a file is called in messages, by its ending."""
_MAGIC = {".mcap": (MCAP, "is no MCAP file"), ".bag": (BAG, "is no ROS 1 bag")}
"""What files begin with, and what is said of others."""
_GRID_MAP, _CLOUD, _OCTREE = ("grid_map_msgs", "GridMap"), ("sensor_msgs", "PointCloud2"), ("octomap_msgs", "Octomap")
"""Package and name of the types that are read: of several, in this order."""
_TRANSFORMS = (("tf2_msgs", "TFMessage"), ("tf", "tfMessage"))
"""Those of transforms between frames."""
_OTHERS = {
    "/Costmap)": "a costmap says what is dear to cross and not how high it is",
    "/OccupancyGrid)": "an occupancy grid says where walls are and not how high the ground is",
    "/LaserScan)": "a scan in a plane has no heights: laser_assembler and others make a cloud of many of a tilted one",
    "/CustomMsg)": "Livox's own messages become clouds by xfer_format 0 of its driver",
    "/VelodyneScan)": "packets of a scanner become clouds by its driver (velodyne_pointcloud)",
    "/Image)": "an image of depths becomes a cloud by depth_image_proc",
}
"""What is said of other types of messages, by the ends of their names."""
_AROUND = 5_000_000_000
"""How long before and after a cloud transforms count [ns]: some are sent once in a second."""


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
            topic: The topic; None: the only one of grid maps, where there are none of clouds, else of octrees.
            what: What kind of recording it is, for messages.
            place: The file.

        Raises:
            TerrainError: No such message, or several topics and none chosen.
        """
        if not self.newest:
            if self.problem:
                raise TerrainError(f"{what} is damaged", place=place, value=self.problem)
            raise TerrainError(
                "the file has no cloud (sensor_msgs/msg/PointCloud2), no octree (octomap_msgs/msg/Octomap) and no "
                "message of the type grid_map_msgs/msg/GridMap",
                place=place,
                limit="; ".join(sorted(self.others)[:10])[:600],
                remedy=next((told for name, told in _OTHERS.items() if any(name in each for each in self.others)), ""),
            )
        if topic is not None and topic not in self.newest:
            raise TerrainError("the topic has no such messages", place=place, value=topic, legal=sorted(self.newest))
        kinds = {message.kind for message in self.newest.values()}
        best = next(kind for kind in (_GRID_MAP, _CLOUD, _OCTREE) if kind in kinds)
        maps = [name for name, message in self.newest.items() if message.kind == best]
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
    files: Sequence[tuple[str, bytes | Path]], place: str, options: FileOptions | None = None
) -> Raster | Points | Cells:
    """The newest grid map of a recording, its newest cloud, or its newest octree.

    A cloud is moved into the frame that the options name, else into one that is fixed in the world, by the recording's
    transforms at the time of its stamp; see `andante.terrain.files.frames`. Maps and octrees stay in their own.

    Args:
        files: Names and contents of its files; the path of one that is too large to be read as a whole.
        place: The recording.
        options: Topic, layer of heights and frame, where they are chosen.

    Raises:
        TerrainError: No such message, topic, layer or frame, a large file without an index, or a message that is cut
            short, contradicts itself or leans.
    """
    chosen = options or FileOptions()
    found, what = _Topics(), "the recording"
    for name, content in files:
        what = _WHAT.get(suffixes_of(Path(name))[0], what)
        try:
            for message, number in _newest(name, content, found.others):
                found.take(message, number)
        except NoRecordingError as error:
            raise TerrainError(
                "the SQLite file is no recording of rosbag2", place=name, value=error.tables,
                limit="it has the tables topics and messages",
            ) from error  # fmt: skip
        except NoIndexError as error:
            raise TerrainError(
                f"{what} {str(error).removeprefix('it ')}", place=name, limit=f"{MOST_BYTES} bytes", remedy=error.remedy
            ) from error
        except TooMuchError as error:
            if chosen.topic not in found.newest:
                remedy = "keep only the topics of the map and of transforms (ros2 bag convert, mcap filter)"
                raise TerrainError(f"{what} is too large: {error}", place=name, remedy=remedy) from error
        except DamagedError as error:
            found.problem = str(error)
    message, notes = found.chosen(chosen.topic, what, place)
    here = f"{place}: {message.topic}"
    if message.encoding not in ("cdr", "ros1"):
        raise TerrainError(
            "the message's encoding is not known", place=here, value=message.encoding, legal=("cdr", "ros1")
        )
    try:
        if message.kind == _GRID_MAP:
            return _map(message, chosen, here, notes)
        if message.kind == _OCTREE:
            octree = octree_of(message.content, message.encoding == "ros1", here, chosen)
            return replace(octree, notes=(*notes, *octree.notes))
        if chosen.layer is not None:
            raise TerrainError("the option layer means nothing to a cloud", place=here, value=chosen.layer)
        cloud = cloud_of(message.content, message.encoding == "ros1", here)
    except (struct.error, ValueError) as error:
        raise TerrainError(f"the {message.kind[1]} message is damaged", place=here, value=str(error)[:120]) from error
    count, *others = cloud.notes
    frames, lacking = _frames(files, message.moment)
    places, where = _moved(cloud, frames, chosen, here)
    return Points(places, (*notes, f"{count} {where}", *lacking, *others))


def _maps(kind: Kind) -> bool:
    return kind in (_GRID_MAP, _CLOUD, _OCTREE)


def _transforms(kind: Kind) -> bool:
    return kind in _TRANSFORMS


def _newest(name: str, content: bytes | Path, others: set[str]) -> Iterator[tuple[TopicMessage, int]]:
    """Maps of a file, the newest among them, with how many of their topic each stands for."""
    suffix = suffixes_of(Path(name))[0]
    if isinstance(content, Path):
        newest = {".mcap": newest_in_mcap, ".bag": newest_in_bag}.get(suffix, newest_in_sqlite)
        return newest(content, _maps, others)
    magic, what = _MAGIC.get(suffix, (SQLITE, "is no SQLite file"))
    if not content.startswith(magic):
        raise TerrainError(what, place=name)
    if suffix == ".mcap":
        return ((message, 1) for message in mcap_messages(content, _maps, others))
    if suffix == ".bag":
        return ((message, 1) for message in bag_messages(content, _maps, others))
    return sqlite_messages(content, _maps, others, newest=True)


def _about(name: str, content: bytes | Path, moment: int) -> Iterator[TopicMessage]:
    """Transforms of a file about the time at which something was recorded [ns]; static ones of all times."""
    suffix, span = suffixes_of(Path(name))[0], (max(0, moment - _AROUND), moment + _AROUND)
    if isinstance(content, Path):
        between = {".mcap": mcap_between, ".bag": bag_between}.get(suffix, sqlite_between)
        yield from between(content, _transforms, *span)
        return
    if suffix in (".mcap", ".bag"):
        messages = {".mcap": mcap_messages, ".bag": bag_messages}[suffix](content, _transforms, set())
    else:
        messages = (each for each, _ in sqlite_messages(content, _transforms, set(), newest=False))
    for message in messages:
        if _static(message) or span[0] <= message.moment <= span[1]:
            yield message


def _static(message: TopicMessage) -> bool:
    return message.topic.endswith("tf_static")


def _frames(files: Sequence[tuple[str, bytes | Path]], moment: int) -> tuple[Frames, tuple[str, ...]]:
    """What the recording's transforms say about the time at which something was recorded [ns], and which do not count.

    Those before something damaged count.
    """
    frames, lacking = Frames(), ""
    for name, content in files:
        try:
            for message in _about(name, content, moment):
                if message.encoding in ("cdr", "ros1"):
                    try:
                        frames.take(message.content, message.encoding == "ros1", static=_static(message))
                    except (ValueError, struct.error) as error:
                        lacking = str(error)
        except DamagedError as error:
            lacking = str(error)
    return frames, (f"not all of its transforms count: {lacking}",) if lacking else ()


def _moved(cloud: Cloud, frames: Frames, options: FileOptions, place: str) -> tuple[Array, str]:
    """The points of a cloud in the frame that is the map's, and what a user should know of it."""
    own, target = cloud.frame.removeprefix("/"), options.frame
    if target is None and options.up != "z":
        return cloud.places, f"in its own frame {own!r}, in which up={options.up} counts"
    if target is not None and target.removeprefix("/") == own:
        return cloud.places, f"in its own frame {own!r}"
    found = frames.placed(own, cloud.moment, target)
    if found is not None:
        late = f", {found.away / 1e6:.0f} ms from the nearest of them" if found.away else ""
        told = f"moved from the frame {own!r} into {found.frame!r} by the recording's transforms{late}"
        return found.pose.moved(cloud.places), told
    if target is not None:
        raise TerrainError(
            f"no transform of the recording leads from {own!r} to this frame at the time of the cloud", place=place,
            value=target, legal=sorted({own, *frames.names})[:20],
        )  # fmt: skip
    if own.rpartition("/")[2] in FIXED:
        return cloud.places, f"in its own frame {own!r}"
    return cloud.places, (
        f"in its own frame {own!r}: the recording has no transform of it at that time, so x, y and z are taken as "
        "forward, left and up"
    )


def _map(message: TopicMessage, options: FileOptions, place: str, notes: tuple[str, ...]) -> Raster:
    if message.definition and not _RESOLUTION.search(message.definition):
        raise TerrainError("grid_map_msgs/GridMap is defined in another way", place=place, limit="float64 resolution")
    ros1 = message.encoding == "ros1"
    *_, frame = MessageReader(message.content, ros1).header()
    own = frame.removeprefix("/")
    if options.frame is not None and options.frame.removeprefix("/") != own:
        what = "a grid map is read in its own frame"
        raise TerrainError(what, place=place, value=options.frame, legal=(own,))
    if own.rpartition("/")[2] not in FIXED:
        # The window of a robot's own map goes along with it, and turns, where this is its body.
        notes = (*notes, f"in its own frame {own!r}, which may move in the world")
    return map_of(message.content, ros1, place, options.layer, notes)


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
        heights = next((path for path in (folder / "z_data.csv", folder / "zData.csv") if path.is_file()), None)
        raise TerrainError(
            "the folder is no recording of rosbag2", place=str(folder), limit=f"{DESCRIPTION} and .db3 or .mcap files",
            remedy="" if heights is None else f"name the heights in it: {heights}",
        )  # fmt: skip
    return files
