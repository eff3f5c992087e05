"""The newest message of one type in an MCAP file, whose container the library mcap reads."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from andante.terrain.files.limits import MOST_BYTES
from andante.terrain.height_map import TerrainError

if TYPE_CHECKING:
    from mcap.records import Channel, Schema

_MAGIC = b"\x89MCAP0\r\n"
_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK = 3, 4, 5, 6
_MOST_RECORDS = 300_000
"""Most records in a chunk, or outside of chunks."""
_HEAD = struct.Struct("<BQ")
_MESSAGE_HEAD = struct.Struct("<HIQQ")


@dataclass(frozen=True, eq=False)
class FoundMessage:
    """A message as it stands in the file."""

    topic: str
    """Its topic."""
    encoding: str
    """How it is encoded, ``cdr`` for ROS 2 and ``ros1`` for ROS 1."""
    definition: str
    """The text that defines its type; empty where the file has none."""
    content: bytes
    """Its bytes."""
    notes: tuple[str, ...]
    """What a user should know: how many there were, whether the file is whole."""


def newest_message(content: bytes, place: str, package: str, name: str, topic: str | None) -> FoundMessage:
    """The message of a type with the latest log time; of those alike, the last one in the file.

    Args:
        content: The file.
        place: The file's name.
        package: The type's package.
        name: The type's name; between both may stand ``msg``.
        topic: Its topic; None: there is only one with this type.

    Raises:
        TerrainError: No MCAP file, no such message, several topics and none chosen, or damaged before a message came.
    """
    from mcap.exceptions import McapError
    from mcap.records import Channel, Schema

    if not content.startswith(_MAGIC):
        raise TerrainError("is no MCAP file", place=place)
    schemas: dict[int, Schema] = {}
    channels: dict[int, Channel] = {}
    newest: dict[str, tuple[int, int, bytes]] = {}
    counts: dict[str, int] = {}
    problem = ""
    try:
        for record in _records(content, len(_MAGIC)):
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel):
                channels[record.id] = record
            else:
                number, moment, body = record.channel, record.moment, record.content
                channel = channels.get(number)
                schema = None if channel is None else schemas.get(channel.schema_id)
                parts = [] if schema is None else schema.name.replace("::", "/").split("/")
                if channel is None or not parts or (parts[0], parts[-1]) != (package, name):
                    continue
                counts[channel.topic] = counts.get(channel.topic, 0) + 1
                if moment >= newest.get(channel.topic, (-1, 0, b""))[0]:
                    newest[channel.topic] = (moment, number, body)
    except (
        McapError,
        _DamagedError,
        struct.error,
        zlib.error,
        ValueError,
        EOFError,
        OverflowError,
        RuntimeError,
    ) as error:
        problem = str(error)[:120] or type(error).__name__
    if not newest:
        if problem:
            raise TerrainError("the MCAP file is damaged", place=place, value=problem)
        held = sorted({f"{channel.topic} ({schemas[channel.schema_id].name})" for channel in channels.values()
                       if channel.schema_id in schemas})  # fmt: skip
        raise TerrainError(
            f"the file has no message of the type {package}/msg/{name}", place=place, limit="; ".join(held[:10])[:600]
        )
    if topic is not None and topic not in newest:
        raise TerrainError("the topic has no such messages", place=place, value=topic, legal=sorted(newest))
    if topic is None and len(newest) > 1:
        raise TerrainError(
            "several topics have such messages",
            place=place,
            value=len(newest),
            legal=sorted(newest),
            remedy="say topic=NAME",
        )
    chosen = topic if topic is not None else next(iter(newest))
    _, number, body = newest[chosen]
    notes = []
    if counts[chosen] > 1:
        notes.append(f"the newest of {counts[chosen]} messages of {chosen}")
    if problem:
        notes.append(f"the MCAP file is not whole: {problem}")
    schema = schemas[channels[number].schema_id]
    text = schema.data.decode("utf-8", errors="replace")
    return FoundMessage(chosen, channels[number].message_encoding, text, body, tuple(notes))


class _Message(NamedTuple):
    """A message: number of its channel, log time [ns], bytes."""

    channel: int
    moment: int
    content: bytes


class _DamagedError(Exception):
    """What is not as the format has it."""


def _records(content: bytes, at: int, *, inside: bool = False) -> Iterator[Schema | Channel | _Message]:
    """Schemas, channels and messages from a place on: of a file, those in its chunks among them, or of a chunk."""
    from mcap.data_stream import ReadDataStream
    from mcap.records import Channel, Chunk, Schema

    count = 0
    end = len(content) - (len(_MAGIC) if not inside and content.endswith(_MAGIC) else 0)
    while at < end:
        if end - at < _HEAD.size:
            raise _DamagedError("a record is cut short")
        kind, length = _HEAD.unpack_from(content, at)
        at += _HEAD.size
        count += 1
        if length > end - at:
            raise _DamagedError("a record is cut short")
        if count > _MOST_RECORDS:
            raise _DamagedError(f"more than {_MOST_RECORDS} records in a row")
        if kind == _MESSAGE:
            number, _, moment, _ = _MESSAGE_HEAD.unpack_from(content, at)
            yield _Message(number, moment, content[at + _MESSAGE_HEAD.size : at + length])
        elif kind in (_SCHEMA, _CHANNEL, _CHUNK):
            stream = ReadDataStream(io.BytesIO(content[at : at + length]))
            if kind == _SCHEMA:
                yield Schema.read(stream)
            elif kind == _CHANNEL:
                yield Channel.read(stream)
            elif not inside:
                chunk = Chunk.read(stream)
                yield from _records(_unpacked(chunk.compression, chunk.data), 0, inside=True)
        at += length


def _unpacked(compression: str, packed: bytes) -> bytes:
    """A chunk's bytes, up to as many as a file may have; what it says of its size is not believed."""
    if compression == "":
        return packed
    if compression == "zstd":
        import zstandard

        try:
            with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(packed) as stream:
                found = stream.read(MOST_BYTES + 1)
        except zstandard.ZstdError as error:
            raise _DamagedError(str(error)) from error
    elif compression == "lz4":
        import lz4.frame

        found = lz4.frame.LZ4FrameDecompressor().decompress(packed, max_length=MOST_BYTES + 1)
    else:
        raise _DamagedError(f"chunks are packed by {compression[:20]!r}, not zstd or lz4")
    if len(found) > MOST_BYTES:
        raise _DamagedError(f"a chunk has more than {MOST_BYTES} bytes")
    return found
