"""Some messages of an MCAP file that is too large to be read as a whole, by the index at its end.

The format: mcap.dev/spec. The summary at the end tells every channel, how many messages it has, and for every chunk
where it is, the times of its messages and the channels that it has.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from andante.documents.budget import took
from andante.documents.files import opened
from andante.documents.recordings.mcap_file import (
    CHANNEL,
    MAGIC,
    SCHEMA,
    McapMessage,
    damaged,
    mcap_heads,
    mcap_records,
    topic_message,
)
from andante.documents.recordings.messages import (
    ENDS,
    MOST_BYTES,
    MOST_PARTS,
    DamagedError,
    NoIndexError,
    TopicMessage,
    Wanted,
    few_topics,
    kind_of,
)

if TYPE_CHECKING:
    from mcap.records import Channel, ChunkIndex, Schema

_CHUNK_INDEX, _STATISTICS = 8, 11
_MOST_CHUNKS = 100_000
"""Most chunks of a file: of a megabyte each, as programs make them, 100 GB."""
_FOOTER = struct.Struct("<BQQQI")


@dataclass
class _Summary:
    """What stands at the end of a file."""

    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    chunks: list[ChunkIndex] = field(default_factory=list)

    def kind(self, channel: int) -> tuple[str, str]:
        schema = self.schemas.get(self.channels[channel].schema_id)
        return kind_of("" if schema is None else schema.name)

    def chosen(self, wanted: Wanted) -> set[int]:
        """Numbers of the channels whose type is wanted."""
        return {number for number in self.channels if wanted(self.kind(number))}

    def with_any(self, channels: set[int]) -> list[ChunkIndex]:
        """Chunks that may have messages of channels."""
        return [
            each for each in self.chunks if not each.message_index_offsets or channels & set(each.message_index_offsets)
        ]


def newest_in_mcap(path: Path, wanted: Wanted, topics: set[str]) -> Iterator[tuple[TopicMessage, int]]:
    """The newest message of every topic whose type is wanted, and how many it has.

    Args:
        path: The file.
        wanted: Whether messages of a type are wanted.
        topics: Takes all topics with their types.

    Raises:
        DamagedError: It is no MCAP file, or is damaged.
        NoIndexError: It has no index.
    """
    with _file(path) as (file, size), damaged():
        summary = _summary(file, size)
        for number, channel in summary.channels.items():
            topics.add(f"{channel.topic} ({'/'.join(summary.kind(number))})"[:300])
        names = {summary.channels[number].topic for number in summary.chosen(wanted)}
        few_topics(names)
        room = [MOST_PARTS]
        for name in sorted(names):
            own = {number for number in summary.chosen(wanted) if summary.channels[number].topic == name}
            newest: McapMessage | None = None
            for chunk in sorted(summary.with_any(own), key=lambda each: each.message_end_time, reverse=True):
                if newest is not None and newest.moment > chunk.message_end_time:
                    break
                for each in _messages(file, size, chunk, own, room):
                    if newest is None or each.moment >= newest.moment:
                        newest = each
            if newest is not None:
                message = topic_message(newest, summary.channels, summary.schemas, wanted)
                if message is not None:
                    yield message, sum(summary.counts.get(number, 0) for number in own) or 1


def mcap_between(path: Path, wanted: Wanted, since: int, until: int) -> Iterator[TopicMessage]:
    """Messages whose type is wanted and that were recorded at some time, and those of the first and of the last chunks.

    Args:
        path: The file.
        wanted: Whether messages of a type are wanted.
        since: The first of these times [ns].
        until: The last [ns].

    Raises:
        DamagedError: It is no MCAP file, or is damaged.
        NoIndexError: It has no index.
    """
    with _file(path) as (file, size), damaged():
        summary = _summary(file, size)
        own = summary.chosen(wanted)
        chunks = sorted(summary.with_any(own), key=lambda each: each.message_start_time)
        room = [MOST_PARTS]
        for number, chunk in enumerate(chunks):
            within = chunk.message_start_time <= until and chunk.message_end_time >= since
            if within or number < ENDS or number >= len(chunks) - ENDS:
                for each in _messages(file, size, chunk, own, room):
                    message = topic_message(each, summary.channels, summary.schemas, wanted)
                    if message is not None:
                        yield message


@contextmanager
def _file(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    with opened(path, str(path)) as file:
        size = file.seek(0, io.SEEK_END)
        if _read(file, 0, len(MAGIC)) != MAGIC:
            raise DamagedError("it is no MCAP file")
        yield file, size


def _read(file: IO[bytes], at: int, count: int) -> bytes:
    file.seek(at)
    found = file.read(count)
    took(len(found))
    if len(found) != count:
        raise DamagedError("it is cut short")
    return found


def _summary(file: IO[bytes], size: int) -> _Summary:
    from mcap.data_stream import ReadDataStream
    from mcap.records import Channel, ChunkIndex, Schema, Statistics

    none = NoIndexError("it is too large to be read as a whole, and has no index", "mcap recover FILE -o NEW makes one")
    end = size - _FOOTER.size - len(MAGIC)
    if end < len(MAGIC) or _read(file, size - len(MAGIC), len(MAGIC)) != MAGIC:
        raise none
    kind, length, begin, _, _ = _FOOTER.unpack(_read(file, end, _FOOTER.size))
    if (kind, length) != (2, 20) or not len(MAGIC) <= begin < end:
        raise none
    if end - begin > MOST_BYTES:
        raise DamagedError("its index is too large")
    found, content = _Summary(), _read(file, begin, end - begin)
    for kind, at, length in mcap_heads(content, 0):
        stream = ReadDataStream(io.BytesIO(content[at : at + length]))
        if kind == SCHEMA:
            schema = Schema.read(stream)
            found.schemas[schema.id] = schema
        elif kind == CHANNEL:
            channel = Channel.read(stream)
            found.channels[channel.id] = channel
        elif kind == _CHUNK_INDEX:
            found.chunks.append(ChunkIndex.read(stream))
            if len(found.chunks) > _MOST_CHUNKS:
                raise DamagedError(f"more than {_MOST_CHUNKS} chunks")
        elif kind == _STATISTICS:
            found.counts = Statistics.read(stream).channel_message_counts
    if not found.channels or not found.chunks:
        raise none
    return found


def _messages(
    file: IO[bytes], size: int, chunk: ChunkIndex, channels: set[int], room: list[int]
) -> Iterator[McapMessage]:
    """Messages of channels in a chunk.

    Args:
        file: The file.
        size: Its size.
        chunk: What the index says of the chunk.
        channels: Numbers of the channels.
        room: How many bytes may still be unpacked, (1,); less after it.
    """
    if chunk.chunk_length > MOST_BYTES or chunk.chunk_start_offset + chunk.chunk_length > size:
        raise DamagedError("a chunk is too large, or lies outside of the file")
    room[0] -= max(chunk.chunk_length, chunk.uncompressed_size)
    if room[0] < 0:
        raise DamagedError(f"more than {MOST_PARTS} bytes would have to be unpacked to find the newest messages")
    for record in mcap_records(_read(file, chunk.chunk_start_offset, chunk.chunk_length), 0):
        if isinstance(record, McapMessage) and record.channel in channels:
            yield record
