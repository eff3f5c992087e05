"""Recordings of grid maps and clouds, by other libraries: messages by mcap_ros2, files of rosbag2 by sqlite3."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path

import numpy as np
from field_maps import GRID_MAP, LINE
from mcap.reader import make_reader
from mcap_ros2.writer import Writer

CLOUD = f"""std_msgs/Header header
uint32 height
uint32 width
sensor_msgs/PointField[] fields
bool is_bigendian
uint32 point_step
uint32 row_step
uint8[] data
bool is_dense
{LINE}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{LINE}
MSG: sensor_msgs/PointField
string name
uint32 offset
uint8 datatype
uint32 count
"""
TYPES = {
    "grid_map_msgs/msg/GridMap": GRID_MAP,
    "sensor_msgs/msg/PointCloud2": CLOUD,
    "std_msgs/msg/String": "string data",
}
CODES = {"i1": 1, "u1": 2, "i2": 3, "u2": 4, "i4": 5, "u4": 6, "f4": 7, "f8": 8}


def cloud_message(points: np.ndarray, *, kinds=("f4", "f4", "f4"), big=False, height=1, pad=0, rows=0) -> dict:
    """Points (n, 3) with an intensity in front and ``pad`` bytes behind each, ``rows`` bytes behind each row."""
    order = ">" if big else "<"
    kind = np.dtype(
        [("i", "u1"), *((axis, order + each) for axis, each in zip("xyz", kinds, strict=True)), ("p", "u1", (pad,))]
    )
    table = np.zeros(len(points), kind)
    for k, axis in enumerate("xyz"):
        table[axis] = points[:, k]
    width = len(points) // height
    lines = [row.tobytes() + bytes(rows) for row in table.reshape(height, width)]
    names = [("i", "u1"), *zip("xyz", kinds, strict=True)]
    fields = [{"name": n, "offset": kind.fields[n][1], "datatype": CODES[k], "count": 1} for n, k in names]
    return {
        "header": {"stamp": {"sec": 1, "nanosec": 2}, "frame_id": "lidar"}, "height": height, "width": width,
        "fields": fields, "is_bigendian": big, "point_step": kind.itemsize, "row_step": width * kind.itemsize + rows,
        "data": b"".join(lines), "is_dense": False,
    }  # fmt: skip


def mcap_of(messages) -> bytes:
    """An MCAP file of messages (topic, time [ns], type, message)."""
    stream = io.BytesIO()
    writer = Writer(stream)
    known = {name: writer.register_msgdef(name, text) for name, text in TYPES.items()}
    for topic, moment, kind, message in messages:
        writer.write_message(topic, known[kind], message, log_time=moment, publish_time=moment)
    writer.finish()
    return stream.getvalue()


def write_db3(path: Path, messages, *, pack=lambda data: data, journal: str = "delete") -> None:
    """Write a file of rosbag2, as its SQLite storage of Humble does."""
    base = sqlite3.connect(path)
    base.execute(f"PRAGMA journal_mode = {journal}")
    base.executescript(
        "CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);"
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,"
        "serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);"
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,"
        "data BLOB NOT NULL);"
        "CREATE INDEX timestamp_idx ON messages (timestamp ASC);"
    )
    numbers: dict[str, int] = {}
    for schema, channel, message in make_reader(io.BytesIO(mcap_of(messages))).iter_messages(log_time_order=False):
        if channel.topic not in numbers:
            numbers[channel.topic] = len(numbers) + 1
            row = (numbers[channel.topic], channel.topic, schema.name, "cdr", "")
            base.execute("INSERT INTO topics VALUES (?, ?, ?, ?, ?)", row)
        values = (numbers[channel.topic], message.log_time, pack(message.data))
        base.execute("INSERT INTO messages (topic_id, timestamp, data) VALUES (?, ?, ?)", values)
    base.commit()
    base.close()
