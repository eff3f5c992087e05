"""ROS 1 bags straight from the format's description, wiki.ros.org/Bags/Format/2.0."""

from __future__ import annotations

import bz2
import struct
from collections.abc import Sequence

import lz4.frame

MAGIC = b"#ROSBAG V2.0\n"
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


def bag_of(*chunks: Sequence[Message], packing: str = "none", indexed: bool = False) -> bytes:
    """A bag of chunks of messages, each with an index behind it, and its connections again at the end; with ``indexed``
    what there is in each chunk behind them, and in its head where that begins."""
    names = list(dict.fromkeys(topic for chunk in chunks for topic, *_ in chunk))
    body, connections, told_of = b"", {}, []
    begin = len(MAGIC) + len(_bag_head(0, 0, 0))
    for chunk in chunks:
        inside, place = b"", struct.pack("<Q", begin + len(body))
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
        moments = [struct.pack("<II", *divmod(pick(each[1] for each in chunk), 10**9)) for pick in (min, max)]
        counts = [(names.index(name), sum(each[0] == name for each in chunk)) for name in {each[0] for each in chunk}]
        told_of.append(
            record(
                b"".join(struct.pack("<II", *each) for each in counts), op=b"\x06", ver=number(1), chunk_pos=place,
                start_time=moments[0], end_time=moments[1], count=number(len(counts)),
            )
        )  # fmt: skip
    head = _bag_head(begin + len(body) if indexed else 0, len(names), len(chunks))
    index = told_of if indexed else []
    return MAGIC + head + body + b"".join([*connections.values(), *index])


def _bag_head(index: int, connections: int, chunks: int) -> bytes:
    return record(
        b" " * 100, op=b"\x03", index_pos=struct.pack("<Q", index), conn_count=number(connections),
        chunk_count=number(chunks),
    )  # fmt: skip
