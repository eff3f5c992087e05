"""Rows of one channel on their way into an MCAP file.

A log has few channels with many rows of equal size, so a whole block of messages is laid out by numpy at once instead
of message by message; the bytes are the ones that the MCAP specification asks for.
"""

from __future__ import annotations

import json
import struct

import numpy as np
from numpy.typing import NDArray

from andante.documents.json_data import parse_json_data
from andante.robots.records import Field, Layout, Vector

CDR_HEADER = b"\x00\x01\x00\x00"
"""Encapsulation header of little-endian CDR; float64 values are aligned right behind it."""
MESSAGE = struct.Struct("<BQHIQQ")
"""Head of a message record: opcode, length, channel, sequence, log time, publish time."""
MESSAGE_OPCODE = 5
MESSAGE_FIELDS = 22
"""Bytes of a message record between its length and its data."""
_INDEX_OPCODE = 7
_CHUNK_OPCODE = 6
_CHUNK = struct.Struct("<BQQQQII4sQ")
"""Head of a chunk: opcode, length, first and last time, size, checksum, name of the compression with its length, size
of what was compressed."""
COMPRESSION = "zstd"
"""How chunks are compressed (RFC 8878); a NAO's log then takes two fifths of its room."""
LEVEL = 3
"""Level of the compression: half a second of a run takes it 0.6 ms; 9 takes four times as long for 2 % less."""


class ChannelBlock:
    """Up to ``capacity`` rows of one channel, kept until they are written as one piece of a chunk.

    Args:
        channel: Number of the channel in the file.
        layout: Layout of the rows.
        capacity: Number of rows.
    """

    __slots__ = ("_kind", "channel", "count", "layout", "rows", "sequence", "times")

    def __init__(self, channel: int, layout: Layout, capacity: int) -> None:
        self.channel = channel
        self.layout = layout
        self.count = 0
        self.sequence = 0
        self.rows: Vector = np.empty((capacity, layout.size))
        self.times: NDArray[np.int64] = np.empty(capacity, np.int64)
        self._kind = np.dtype(
            [
                ("opcode", "u1"),
                ("length", "<u8"),
                ("channel", "<u2"),
                ("sequence", "<u4"),
                ("log_time", "<u8"),
                ("publish_time", "<u8"),
                ("cdr", "V4"),
                ("data", "<f8", (layout.size,)),
            ]
        )

    def add(self, time: int, vector: Vector) -> bool:
        """Copy one row in; True when the block is full afterwards."""
        index = self.count
        self.rows[index] = vector
        self.times[index] = time
        self.count = index = index + 1
        return index == len(self.times)

    def take(self, offset: int) -> tuple[memoryview, bytes]:
        """The block as message records, and the message index of the chunk in which it starts at ``offset``."""
        count = self.count
        records = np.empty(count, self._kind)
        records["opcode"] = MESSAGE_OPCODE
        records["length"] = MESSAGE_FIELDS + len(CDR_HEADER) + 8 * self.layout.size
        records["channel"] = self.channel
        records["sequence"] = np.arange(self.sequence, self.sequence + count)
        records["log_time"] = records["publish_time"] = self.times[:count]
        records["cdr"] = np.void(CDR_HEADER)
        records["data"] = self.rows[:count]
        entries = np.empty((count, 2), "<u8")
        entries[:, 0] = self.times[:count]
        entries[:, 1] = offset + self._kind.itemsize * np.arange(count)
        self.sequence += count
        self.count = 0
        return records.view(np.uint8).data, message_index(self.channel, entries.tobytes())


def message_index(channel: int, entries: bytes) -> bytes:
    """A message index record from pairs of log time and offset, each a little-endian uint64."""
    return struct.pack("<BQHI", _INDEX_OPCODE, 6 + len(entries), channel, len(entries)) + entries


def chunk_head(start: int, end: int, checksum: int, size: int, packed: int) -> bytes:
    """The head of a chunk with messages between two moments [ns].

    Args:
        start: First moment.
        end: Last moment.
        checksum: CRC-32 of the messages.
        size: Bytes of the messages.
        packed: Bytes that they are compressed to.
    """
    name = COMPRESSION.encode()
    return _CHUNK.pack(_CHUNK_OPCODE, _CHUNK.size - 9 + packed, start, end, size, checksum, len(name), name, packed)


def message_definition(layout: Layout) -> str:
    """The layout as a ROS 2 message definition; fields without values are left out."""
    return "".join(
        f"float64{'' if _single(field) else f'[{field.size}]'} {field.name}\n" for field in layout.fields if field.size
    )


def layout_text(layout: Layout) -> str:
    """The layout as JSON, with labels and units, as it stands in the channel's metadata."""
    return json.dumps([[field.name, list(field.labels), field.unit] for field in layout.fields])


def layout_of(name: str, text: str) -> Layout:
    """The layout that `layout_text` wrote.

    Raises:
        DocumentError, ValueError, TypeError: The text is something else.
    """
    fields = []
    for field, labels, unit in parse_json_data(text, name):
        if not (isinstance(field, str) and isinstance(unit, str) and isinstance(labels, list)):
            raise TypeError("a field of a layout is a name, labels and a unit")
        if not all(isinstance(label, str) for label in labels):
            raise TypeError("labels are text")
        fields.append(Field(field, tuple(labels), unit))
    return Layout(name, tuple(fields))


def _single(field: Field) -> bool:
    return field.size == 1 and field.labels[0] in ("", field.name)
