"""ROS 1 bags straight from the format's description, wiki.ros.org/Bags/Format/2.0."""

from __future__ import annotations

import bz2
import struct
from collections.abc import Sequence

import lz4.frame

PACKINGS = {"none": bytes, "bz2": bz2.compress, "lz4": lz4.frame.compress}
Message = tuple[str, int, str, str, bytes]
"""Topic, time [ns], type, its definition, bytes."""


def _sized(content: bytes) -> bytes:
    return struct.pack("<I", len(content)) + content


def _fields(**fields: bytes) -> bytes:
    return b"".join(_sized(name.encode() + b"=" + value) for name, value in fields.items())


def record(data: bytes = b"", **fields: bytes) -> bytes:
    """A record: its head of fields, and its data."""
    return _sized(_fields(**fields)) + _sized(data)


def number(value: int) -> bytes:
    """A number of four bytes."""
    return struct.pack("<I", value)


def bag_of(*chunks: Sequence[Message], packing: str = "none") -> bytes:
    """A bag of chunks of messages, each with an index behind it, and its connections again at the end."""
    names = list(dict.fromkeys(topic for chunk in chunks for topic, *_ in chunk))
    body, connections = b"", {}
    for chunk in chunks:
        inside = b""
        for topic, moment, kind, definition, content in chunk:
            conn = number(names.index(topic))
            if topic not in connections:
                told = _fields(
                    topic=topic.encode(), type=kind.encode(), md5sum=b"*", message_definition=definition.encode()
                )
                connections[topic] = record(told, op=b"\x07", conn=conn, topic=topic.encode())
                inside += connections[topic]
            inside += record(content, op=b"\x02", conn=conn, time=struct.pack("<II", *divmod(moment, 10**9)))
        size, packed = number(len(inside)), PACKINGS[packing](inside)
        body += record(packed, op=b"\x05", compression=packing.encode(), size=size)
        body += record(b"", op=b"\x04", ver=number(1), conn=number(0), count=number(0))
    head = record(
        b" " * 100, op=b"\x03", index_pos=bytes(8), conn_count=number(len(names)), chunk_count=number(len(chunks))
    )
    return b"#ROSBAG V2.0\n" + head + body + b"".join(connections.values())
