"""Hostile recordings of ROS: indexes that lie, files with holes, transforms in a loop and trees of many frames."""

from __future__ import annotations

import io
import sqlite3
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from hostile_case import BOARD, CHECK, Cases, Make, lazy
from hostile_kinds import MAGIC, chunk, record

sys.path.append(str(Path(__file__).parents[1]))

from ros1_bags import MAGIC as BAG
from ros1_bags import record as bag_record

CASES = Cases()
_CLOUD, _TF, _STATE = "sensor_msgs/msg/PointCloud2", "tf2_msgs/msg/TFMessage", "sensor_msgs/msg/JointState"
_HOLE = 5 * 10**9
"""Size of a file that is mostly a hole [bytes]."""


def _text(content: str) -> bytes:
    return struct.pack("<I", len(content)) + content.encode()


def _channels(count: int, kind: str) -> bytes:
    schema = record(3, struct.pack("<H", 1) + _text(kind) + _text("ros2msg") + _text(""))
    each = (struct.pack("<HH", k, 1) + _text(f"/t{k}") + _text("cdr") + _text("") for k in range(count))
    return schema + b"".join(record(4, channel) for channel in each)


def _message(channel: int, content: bytes, moment: int = 0) -> bytes:
    return record(5, struct.pack("<HIQQ", channel, 0, moment, moment) + content)


def _end(begin: int) -> bytes:
    return record(2, struct.pack("<QQI", begin, 0, 0)) + MAGIC


def _indexed(part: bytes, *, chunks: int, channels: int, kind: str) -> Make:
    """An MCAP file with one chunk and then a hole, whose index tells of the chunk many times with all channels."""

    def make(folder: Path, name: str) -> None:
        entries = b"".join(struct.pack("<HQ", each, 0) for each in range(channels))
        told = struct.pack("<QQQQI", 0, 2**62, len(MAGIC), len(part), len(entries)) + entries
        told += struct.pack("<Q", 0) + _text("zstd") + struct.pack("<QQ", 0, 0)
        with (folder / name).open("wb") as file:
            file.write(MAGIC + part)
            file.seek(_HOLE)
            file.write(_channels(channels, kind) + record(8, told) * chunks + _end(_HOLE))

    return make


def _packed(content: bytes) -> bytes:
    from zstandard import ZstdCompressor

    return chunk(0, ZstdCompressor().compress(content))


def _late(kind: str, *, chunks: int, channels: int, content: Callable[[], bytes]) -> Make:
    # Made when it is asked for: what this module holds counts as memory of every command that is measured.
    return lambda folder, name: _indexed(_packed(content()), chunks=chunks, channels=channels, kind=kind)(folder, name)


_EMPTY = _message(60_000, b"")
for ending, kind, command in (("a map", _CLOUD, BOARD), ("a motion", _STATE, CHECK)):
    CASES.add(
        f"{ending} in an index of 45,000 chunks of 50 topics",
        "a.mcap",
        _late(kind, chunks=45_000, channels=50, content=lambda: _EMPTY),
        command,
    )
    CASES.add(
        f"{ending} in chunks that hide 35 MB each",
        "a.mcap",
        _late(kind, chunks=45_000, channels=1, content=lambda: _message(60_000, bytes(35_000_000))),
        command,
    )
    CASES.add(
        f"{ending} in chunks of 245,000 messages each",
        "a.mcap",
        _late(kind, chunks=45_000, channels=1, content=lambda: _EMPTY * 245_000),
        command,
    )
    CASES.add(
        f"{ending} beside millions of messages without chunks",
        "a.mcap",
        lazy(lambda kind=kind: MAGIC + _channels(1, kind) + _EMPTY * 2_500_000),
        command,
    )


def _bag(chunks: int, content: bytes, packing: str, size: int) -> Make:
    """A bag with one chunk and then a hole, whose index tells of the chunk many times."""

    def make(folder: Path, name: str) -> None:
        head = bag_record(
            b" " * 100, op=b"\x03", index_pos=struct.pack("<Q", _HOLE), conn_count=b"\1\0\0\0", chunk_count=b"\1\0\0\0"
        )
        part = bag_record(content, op=b"\x05", compression=packing.encode(), size=struct.pack("<I", size))
        told = bag_record(
            struct.pack("<II", 0, 1), op=b"\x06", ver=b"\1\0\0\0", chunk_pos=struct.pack("<Q", len(BAG) + len(head)),
            start_time=bytes(8), end_time=b"\xff" * 8, count=b"\1\0\0\0",
        )  # fmt: skip
        described = b"".join(
            struct.pack("<I", len(each)) + each for each in (b"topic=/a", b"type=sensor_msgs/PointCloud2", b"md5sum=*")
        )
        with (folder / name).open("wb") as file:
            file.write(BAG + head + part)
            file.seek(_HOLE)
            file.write(bag_record(described, op=b"\x07", conn=bytes(4), topic=b"/a") + told * chunks)

    return make


def _bz2(count: int) -> Make:
    import bz2

    return lambda folder, name: _bag(45_000, bz2.compress(bytes(count)), "bz2", count)(folder, name)


CASES.add("a bag whose index tells of 45,000 chunks", "a.bag", _bag(45_000, b"", "none", 0), BOARD, CHECK)
CASES.add("a bag whose chunks unpack to 35 MB each", "a.bag", _bz2(35_000_000), BOARD, CHECK)


def _database(folder: Path, name: str) -> None:
    """A recording of 60 topics of which none has a message, and a million rows of no topic."""
    base = sqlite3.connect(folder / name)
    base.execute("PRAGMA synchronous = off")
    base.executescript(
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name, type, serialization_format);"
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp, data);"
    )
    base.executemany("INSERT INTO topics VALUES (?, ?, ?, 'cdr')", [(k, f"/t{k}", _CLOUD) for k in range(60)])
    rows = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 1000000)"
    base.execute(f"INSERT INTO messages {rows} SELECT k, 99, k, zeroblob(80) FROM n")
    base.commit()
    base.close()


CASES.add("a database of 60 topics without messages", "a.db3", _database, BOARD, CHECK)


def _transforms(pairs: list[tuple[str, str]]) -> bytes:
    body = bytearray(b"\0\1\0\0" + struct.pack("<I", len(pairs)))
    for parent, child in pairs:
        # The lengths of names are such that numbers of four bytes stay aligned, with the zero at their ends.
        body += struct.pack("<II", 1, 0)
        for each in (parent, child):
            body += struct.pack("<I", 8) + each.ljust(7, "_")[:7].encode() + b"\0"
        body += bytes(-(len(body) - 4) % 8) + struct.pack("<7d", 0, 0, 0, 0, 0, 0, 1)
    return bytes(body)


def _cloud() -> bytes:
    head = b"\0\1\0\0" + struct.pack("<II", 1, 0) + struct.pack("<I", 8) + b"lidar__\0" + struct.pack("<III", 1, 9, 3)
    for k, axis in enumerate("xyz"):
        head += struct.pack("<I", 2) + axis.encode() + b"\0" + bytes(2) + struct.pack("<IB", 4 * k, 7) + bytes(3)
        head += struct.pack("<I", 1)
    points = np.stack([*np.meshgrid([0.0, 0.1, 0.2], [0.0, 0.1, 0.2]), np.zeros((3, 3))], axis=-1).astype("<f4")
    data = points.tobytes()
    return head + b"\0" + bytes(3) + struct.pack("<III", 12, len(data), len(data)) + data + b"\1"


def _framed(pairs: list[tuple[str, str]]) -> bytes:
    stream = io.BytesIO()
    stream.write(MAGIC + _channels(1, _CLOUD))
    stream.write(record(3, struct.pack("<H", 2) + _text(_TF) + _text("ros2msg") + _text("")))
    stream.write(record(4, struct.pack("<HH", 9, 2) + _text("/tf") + _text("cdr") + _text("")))
    for first in range(0, len(pairs), 2000):
        stream.write(_message(9, _transforms(pairs[first : first + 2000]), 10**9))
    stream.write(_message(0, _cloud(), 10**9))
    return stream.getvalue()


_LOOP = [("lidar", "a"), ("a", "b"), ("b", "lidar")]
CASES.add("transforms in a loop", "a.mcap", lazy(lambda: _framed(_LOOP)), BOARD, taken=True)
CASES.add(
    "a tree of 100,000 frames",
    "a.mcap",
    lazy(lambda: _framed([("root", "lidar"), *((f"{k // 2:x}", f"{k:x}") for k in range(1, 100_000))])),
    BOARD,
    taken=True,
)
CASES.add(
    "a chain of 100,000 frames",
    "a.mcap",
    lazy(lambda: _framed([("0", "lidar"), *((f"{k + 1:x}", f"{k:x}") for k in range(100_000))])),
    BOARD,
    taken=True,
)
CASES.add(
    "100,000 frames that are all called odom",
    "a.mcap",
    lazy(
        lambda: _framed(
            [
                ("root", "lidar"),
                *((f"{k:x}/", "odom") for k in range(1000)),
                *((f"q{k % 999:x}/", f"{k:x}") for k in range(99_000)),
            ]
        )
    ),
    BOARD,
    taken=True,
)
