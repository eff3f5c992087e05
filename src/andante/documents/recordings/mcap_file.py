"""The messages of an MCAP file, whose container the library mcap reads."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from andante.documents.recordings.messages import (
    DamagedError,
    TopicMessage,
    Wanted,
    kind_of,
    unpacked,
    unpacked_message,
)

if TYPE_CHECKING:
    from mcap.records import Channel, Schema

MAGIC = b"\x89MCAP0\r\n"
"""What every such file begins with."""
SCHEMA, CHANNEL = 3, 4
"""Kinds of the records of types and of channels."""
MESSAGE, CHUNK = 5, 6
"""Kinds of messages and of chunks."""
_MOST_RECORDS = 300_000
"""Most records in a chunk, or outside of chunks."""
RECORD_HEAD = struct.Struct("<BQ")
"""Kind of a record and how many bytes it has."""
MESSAGE_HEAD = struct.Struct("<HIQQ")
"""Channel of a message, its number, and when it was recorded and sent [ns]."""
_LENGTH, _NUMBERS = struct.Struct("<I"), struct.Struct("<HH")


def mcap_messages(content: bytes, wanted: Wanted, topics: set[str]) -> Iterator[TopicMessage]:
    """The messages of an MCAP file that are wanted, as they stand in it.

    Args:
        content: The file.
        wanted: Whether messages of a type are wanted.
        topics: Takes all topics with their types.

    Raises:
        DamagedError: It is no MCAP file, or is damaged from here on.
    """
    from mcap.records import Channel, Schema

    if not content.startswith(MAGIC):
        raise DamagedError("it is no MCAP file")
    schemas: dict[int, Schema] = {}
    channels: dict[int, Channel] = {}
    with damaged():
        for record in mcap_records(content, len(MAGIC)):
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel):
                channels[record.id] = record
                if record.schema_id in schemas:
                    topics.add(f"{record.topic} ({schemas[record.schema_id].name})")
            else:
                message = topic_message(record, channels, schemas, wanted)
                if message is not None:
                    yield message


@contextmanager
def damaged() -> Iterator[None]:
    """Tell what a library says of bytes that are not as the format has them as `DamagedError`."""
    from mcap.exceptions import McapError

    try:
        yield
    except (McapError, struct.error, zlib.error, ValueError, EOFError, OverflowError, RuntimeError) as error:
        raise DamagedError(str(error)[:120] or type(error).__name__) from error


class McapMessage(NamedTuple):
    """A message: number of its channel, log time [ns], bytes."""

    channel: int
    moment: int
    content: bytes


def topic_message(
    record: McapMessage, channels: Mapping[int, Channel], schemas: Mapping[int, Schema], wanted: Wanted
) -> TopicMessage | None:
    """The message of a record; None: its channel is not known, or its type not wanted."""
    channel = channels.get(record.channel)
    schema = None if channel is None else schemas.get(channel.schema_id)
    if channel is None or schema is None or not wanted(kind_of(schema.name)):
        return None
    text = schema.data.decode("utf-8", errors="replace")
    kind, encoding = kind_of(schema.name), channel.message_encoding
    whole = unpacked_message(record.content) if encoding == "cdr" else record.content
    return TopicMessage(channel.topic, kind, encoding, text, record.moment, whole)


def mcap_heads(content: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """Kind, begin and length of the records from a place on.

    Raises:
        DamagedError: One is cut short, or there are too many.
    """
    count = 0
    end = len(content) - (len(MAGIC) if content.endswith(MAGIC) else 0)
    while at < end:
        if end - at < RECORD_HEAD.size:
            raise DamagedError("a record is cut short")
        kind, length = RECORD_HEAD.unpack_from(content, at)
        at += RECORD_HEAD.size
        count += 1
        if length > end - at:
            raise DamagedError("a record is cut short")
        if count > _MOST_RECORDS:
            raise DamagedError(f"more than {_MOST_RECORDS} records in a row")
        yield kind, at, length
        at += length


def mcap_records(content: bytes, at: int, *, inside: bool = False) -> Iterator[Schema | Channel | McapMessage]:
    """Schemas, channels and messages from a place on: of a file, those in its chunks among them, or of a chunk."""
    from mcap.data_stream import ReadDataStream
    from mcap.records import Chunk, Schema

    for kind, begin, length in mcap_heads(content, at):
        if kind == MESSAGE:
            number, _, moment, _ = MESSAGE_HEAD.unpack_from(content, begin)
            yield McapMessage(number, moment, content[begin + MESSAGE_HEAD.size : begin + length])
        elif kind in (SCHEMA, CHANNEL, CHUNK):
            stream = ReadDataStream(io.BytesIO(content[begin : begin + length]))
            if kind == SCHEMA:
                yield Schema.read(stream)
            elif kind == CHANNEL:
                yield channel_of(content[begin : begin + length])
            elif not inside:
                chunk = Chunk.read(stream)
                yield from mcap_records(unpacked(chunk.compression, chunk.data), 0, inside=True)


def channel_of(content: bytes) -> Channel:
    """The channel of a record, without what its writer says of it besides, which may have millions of entries."""
    from mcap.records import Channel

    number, schema = _NUMBERS.unpack_from(content)
    texts, at = [], _NUMBERS.size
    for _ in range(2):
        (count,) = _LENGTH.unpack_from(content, at)
        at += _LENGTH.size + count
        if at > len(content):
            raise DamagedError("a channel is cut short")
        texts.append(content[at - count : at].decode("utf-8", errors="replace"))
    return Channel(id=number, schema_id=schema, topic=texts[0], message_encoding=texts[1], metadata={})
