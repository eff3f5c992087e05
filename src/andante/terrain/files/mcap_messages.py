"""The newest messages of maps and clouds in an MCAP file, whose container the library mcap reads."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from andante.terrain.files.limits import MOST_BYTES
from andante.terrain.files.recorded_topics import CLOUD, GRID_MAP, RecordedTopics, TopicMessage, kind_of
from andante.terrain.height_map import TerrainError

if TYPE_CHECKING:
    from mcap.records import Channel, Schema

_MAGIC = b"\x89MCAP0\r\n"
_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK = 3, 4, 5, 6
_MOST_RECORDS = 300_000
"""Most records in a chunk, or outside of chunks."""
_HEAD = struct.Struct("<BQ")
_MESSAGE_HEAD = struct.Struct("<HIQQ")


def take_mcap(content: bytes, place: str, found: RecordedTopics) -> None:
    """Take the newest message of each topic of maps and clouds, by log time.

    Raises:
        TerrainError: No MCAP file.
    """
    from mcap.exceptions import McapError
    from mcap.records import Channel, Schema

    if not content.startswith(_MAGIC):
        raise TerrainError("is no MCAP file", place=place)
    schemas: dict[int, Schema] = {}
    channels: dict[int, Channel] = {}
    try:
        for record in _records(content, len(_MAGIC)):
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel):
                channels[record.id] = record
                if record.schema_id in schemas:
                    found.others.add(f"{record.topic} ({schemas[record.schema_id].name})")
            else:
                channel = channels.get(record.channel)
                schema = None if channel is None else schemas.get(channel.schema_id)
                if channel is None or schema is None or kind_of(schema.name) not in (GRID_MAP, CLOUD):
                    continue
                text = schema.data.decode("utf-8", errors="replace")
                kind, encoding = kind_of(schema.name), channel.message_encoding
                found.take(TopicMessage(channel.topic, kind, encoding, text, record.moment, record.content))
    except (
        McapError,
        DamagedError,
        struct.error,
        zlib.error,
        ValueError,
        EOFError,
        OverflowError,
        RuntimeError,
    ) as error:
        found.problem = str(error)[:120] or type(error).__name__


class _Message(NamedTuple):
    """A message: number of its channel, log time [ns], bytes."""

    channel: int
    moment: int
    content: bytes


class DamagedError(Exception):
    """What is not as the format has it."""


def _records(content: bytes, at: int, *, inside: bool = False) -> Iterator[Schema | Channel | _Message]:
    """Schemas, channels and messages from a place on: of a file, those in its chunks among them, or of a chunk."""
    from mcap.data_stream import ReadDataStream
    from mcap.records import Channel, Chunk, Schema

    count = 0
    end = len(content) - (len(_MAGIC) if not inside and content.endswith(_MAGIC) else 0)
    while at < end:
        if end - at < _HEAD.size:
            raise DamagedError("a record is cut short")
        kind, length = _HEAD.unpack_from(content, at)
        at += _HEAD.size
        count += 1
        if length > end - at:
            raise DamagedError("a record is cut short")
        if count > _MOST_RECORDS:
            raise DamagedError(f"more than {_MOST_RECORDS} records in a row")
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
                yield from _records(unpacked(chunk.compression, chunk.data), 0, inside=True)
        at += length


def unpacked(compression: str, packed: bytes) -> bytes:
    """A chunk's bytes, up to as many as a file may have; what it says of its size is not believed."""
    if compression == "":
        return packed
    if compression == "zstd":
        import zstandard

        try:
            with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(packed) as stream:
                found = stream.read(MOST_BYTES + 1)
        except zstandard.ZstdError as error:
            raise DamagedError(str(error)) from error
    elif compression == "lz4":
        import lz4.frame

        found = lz4.frame.LZ4FrameDecompressor().decompress(packed, max_length=MOST_BYTES + 1)
    else:
        raise DamagedError(f"chunks are packed by {compression[:20]!r}, not zstd or lz4")
    if len(found) > MOST_BYTES:
        raise DamagedError(f"a chunk has more than {MOST_BYTES} bytes")
    return found
