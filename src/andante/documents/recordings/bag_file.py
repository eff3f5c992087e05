"""The messages of a ROS 1 bag of version 2.0, the one that rosbag writes since 2010.

The format: wiki.ros.org/Bags/Format/2.0. A line that names the version, then records: a head of fields ``name=value``
and data, each after its length in four bytes, the lowest first. Connections (a topic and its type) and messages stand
in chunks, which may be packed; what the index at the end says of them is not read, so that a bag that was cut short
gives what is whole.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

from andante.documents.recordings.messages import MOST_BYTES, DamagedError, TopicMessage, Wanted, kind_of, unpacked

MAGIC = b"#ROSBAG V2.0\n"
"""What a bag of this version begins with."""
ANY_VERSION = b"#ROSBAG V"
"""What bags of every version begin with."""
_MESSAGE, _CHUNK, _CONNECTION = b"\x02", b"\x05", b"\x07"
_PACKINGS = {b"none": "", b"bz2": "bz2", b"lz4": "lz4"}
_MOST_RECORDS = 300_000
"""Most records in a chunk, or outside of chunks."""
_MOST_TOPICS = 10_000
_MOST_UNPACKED = 20
"""Most bytes that chunks unpack to for each byte of the bag, beyond those of one chunk."""
_LENGTH = struct.Struct("<I")
_MOMENT = struct.Struct("<II")


class BagConnection(NamedTuple):
    """What a number of a connection stands for."""

    topic: str
    kind: tuple[str, str]
    definition: str
    wanted: bool


def bag_messages(content: bytes, wanted: Wanted, topics: set[str]) -> Iterator[TopicMessage]:
    """The messages of a bag that are wanted, as they stand in it.

    Args:
        content: The file.
        wanted: Whether messages of a type are wanted.
        topics: Takes all topics with their types.

    Raises:
        DamagedError: It is no bag of version 2.0, or is damaged from here on.
    """
    if not content.startswith(MAGIC):
        version = content[len(ANY_VERSION) :].split(b"\n", 1)[0][:10].decode("latin-1")
        older = f"it is a bag of version {version}, not 2.0: rosbag fix makes one of it"
        raise DamagedError(older if content.startswith(ANY_VERSION) else "it is no ROS 1 bag")
    connections: dict[int, BagConnection] = {}
    try:
        yield from bag_records(content, len(MAGIC), connections, wanted, topics)
    except (struct.error, KeyError, OverflowError) as error:
        raise DamagedError("a record is not as the format has it") from error


def bag_records(
    content: bytes,
    at: int,
    connections: dict[int, BagConnection],
    wanted: Wanted,
    topics: set[str],
    *,
    inside: bool = False,
    seen: Callable[[], None] | None = None,
) -> Iterator[TopicMessage]:
    """Messages that are wanted from a place on: of a file, those in its chunks among them, or of a chunk.

    Args:
        content: The bytes.
        at: Where the first record begins.
        connections: Connections by their numbers; takes those that stand there.
        wanted: Whether messages of a type are wanted.
        topics: Takes all topics with their types.
        inside: It is a chunk.
        seen: Called for each record.

    Raises:
        DamagedError: A record is cut short, or there are too many.
    """
    count, room = 0, MOST_BYTES + _MOST_UNPACKED * len(content)
    while at < len(content):
        count += 1
        if count > _MOST_RECORDS:
            raise DamagedError(f"more than {_MOST_RECORDS} records in a row")
        if seen is not None:
            seen()
        head, at = bag_part(content, at)
        data, at = bag_part(content, at)
        fields = bag_fields(head)
        kind = fields["op"]
        if kind == _MESSAGE:
            found = connections.get(_LENGTH.unpack(fields["conn"])[0])
            if found is not None and found.wanted:
                seconds, nanoseconds = _MOMENT.unpack(fields["time"])
                moment = 1_000_000_000 * seconds + nanoseconds
                yield TopicMessage(found.topic, found.kind, "ros1", found.definition, moment, bytes(data))
        elif kind == _CONNECTION:
            number = _LENGTH.unpack(fields["conn"])[0]
            if number not in connections:
                if len(connections) == _MOST_TOPICS:
                    raise DamagedError(f"more than {_MOST_TOPICS} connections")
                connections[number] = _connection(fields["topic"], bag_fields(data), wanted, topics)
        elif kind == _CHUNK and not inside:
            packing = fields["compression"]
            if packing not in _PACKINGS:
                raise DamagedError(f"chunks are packed by {packing[:20].decode('latin-1')!r}, not bz2 or lz4")
            room -= _LENGTH.unpack(fields["size"])[0]
            if room < 0:
                raise DamagedError("its chunks unpack to too many bytes")
            chunk = unpacked(_PACKINGS[packing], bytes(data))
            if len(chunk) != _LENGTH.unpack(fields["size"])[0]:
                raise DamagedError("a chunk is not as large as its head says")
            yield from bag_records(chunk, 0, connections, wanted, topics, inside=True, seen=seen)


def _connection(topic: bytes, told: dict[str, bytes], wanted: Wanted, topics: set[str]) -> BagConnection:
    name, kind = topic.decode("utf-8", errors="replace"), told["type"].decode("utf-8", errors="replace")
    topics.add(f"{name} ({kind})"[:300])
    definition = told.get("message_definition", b"").decode("utf-8", errors="replace")
    return BagConnection(name, kind_of(kind), definition, wanted(kind_of(kind)))


def bag_part(content: bytes, at: int) -> tuple[memoryview, int]:
    """What stands after its length, and where it ends.

    Raises:
        DamagedError: It is cut short.
    """
    if len(content) - at < _LENGTH.size:
        raise DamagedError("a record is cut short")
    begin = at + _LENGTH.size
    end = begin + _LENGTH.unpack_from(content, at)[0]
    if end > len(content):
        raise DamagedError("a record is cut short")
    return memoryview(content)[begin:end], end


def bag_fields(head: memoryview) -> dict[str, bytes]:
    """Fields of a record's head by their names.

    Raises:
        DamagedError: They are not as the format has them.
    """
    raw = bytes(head)
    found, at, size = {}, 0, len(raw)
    while at < size:
        begin = at + _LENGTH.size
        end = begin + _LENGTH.unpack_from(raw, at)[0]
        divider = raw.find(b"=", begin, end)
        if divider < 0 or end > size:
            raise DamagedError("a field is not as the format has it")
        found[raw[begin:divider].decode("latin-1")] = raw[divider + 1 : end]
        at = end
    return found
