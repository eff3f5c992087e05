"""The index at the end of an MCAP file, which tells every channel, every chunk, and how many messages there are.

The format: mcap.dev/spec. It is taken apart here by its bytes: the library takes a hundred times as long for the
entries that nobody asks for.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from andante.documents.budget import took
from andante.documents.recordings.allowance import MOST_SEEN
from andante.documents.recordings.mcap_file import CHANNEL, MAGIC, SCHEMA, channel_of, mcap_heads
from andante.documents.recordings.messages import MOST_BYTES, DamagedError, Kind, Wanted, few_topics, kind_of

if TYPE_CHECKING:
    from mcap.records import Channel, Schema

_CHUNK_INDEX, _STATISTICS = 8, 11
_MOST_CHUNKS = 50_000
"""Most chunks of a file: of a megabyte each, as programs make them, 50 GB."""
_MOST_INDEX = 24_000_000
"""Largest index [bytes]."""
_MOST_TOPICS = 10_000
_FOOTER = struct.Struct("<BQQQI")
_PLACE, _LENGTH = struct.Struct("<QQQQI"), struct.Struct("<I")
_ENTRY = np.dtype([("channel", "<u2"), ("number", "<u8")])
_COUNTS = 42
"""Bytes of the statistics before the messages of each channel."""


class McapChunk(NamedTuple):
    """Where a chunk is, and the times of its messages [ns]."""

    since: int
    until: int
    place: int
    length: int


@dataclass
class McapIndex:
    """What a file tells of itself."""

    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    """Messages by channel."""
    chunks: dict[str, list[McapChunk]] = field(default_factory=dict)
    """Chunks that may have messages of a topic that is wanted, by topic."""
    chunked: bool = False
    """Whether there are any chunks."""

    def kind(self, channel: int) -> Kind:
        """Type of a channel's messages."""
        schema = self.schemas.get(self.channels[channel].schema_id)
        return kind_of("" if schema is None else schema.name)

    def take(self, kind: int, content: bytes) -> int:
        """Take the record of a schema or of a channel; its number.

        Raises:
            DamagedError: There are too many.
        """
        from mcap.data_stream import ReadDataStream
        from mcap.records import Schema

        if kind == SCHEMA:
            schema = Schema.read(ReadDataStream(io.BytesIO(content)))
            self.schemas[schema.id] = schema
            number = schema.id
        else:
            channel = channel_of(content)
            self.channels[channel.id] = channel
            number = channel.id
        if max(len(self.schemas), len(self.channels)) > _MOST_TOPICS:
            raise DamagedError(f"more than {_MOST_TOPICS} channels")
        return int(number)

    def chosen(self, wanted: Wanted) -> dict[str, set[int]]:
        """Numbers of the channels whose type is wanted, by topic."""
        found: dict[str, set[int]] = {}
        for number, channel in self.channels.items():
            if wanted(self.kind(number)):
                found.setdefault(channel.topic, set()).add(number)
        return found

    def names(self) -> Iterable[str]:
        """All topics with their types."""
        for number, channel in self.channels.items():
            yield f"{channel.topic} ({'/'.join(self.kind(number))})"[:300]


def read_index(file: IO[bytes], size: int, wanted: Wanted) -> McapIndex | None:
    """The index of a file; None where it has none.

    Args:
        file: The file.
        size: Its size.
        wanted: Whether messages of a type are wanted.

    Raises:
        DamagedError: It is too large, or has too many chunks, channels or topics that are wanted.
    """
    end = size - _FOOTER.size - len(MAGIC)
    if end < len(MAGIC) or read_part(file, size - len(MAGIC), len(MAGIC)) != MAGIC:
        return None
    kind, length, begin, _, _ = _FOOTER.unpack(read_part(file, end, _FOOTER.size))
    if (kind, length) != (2, 20) or not len(MAGIC) <= begin < end:
        return None
    if end - begin > _MOST_INDEX:
        raise DamagedError("its index is too large")
    found, content, chunks = McapIndex(), read_part(file, begin, end - begin), []
    for kind, at, length in mcap_heads(content, 0):
        if kind in (SCHEMA, CHANNEL):
            found.take(kind, content[at : at + length])
        elif kind == _CHUNK_INDEX:
            chunks.append(at)
            if len(chunks) > _MOST_CHUNKS:
                raise DamagedError(f"more than {_MOST_CHUNKS} chunks")
        elif kind == _STATISTICS and length >= _COUNTS + _LENGTH.size:
            entries = _entries(content, at + _COUNTS)
            told = entries[: 2 * _MOST_TOPICS]
            found.counts = dict(zip(told["channel"].tolist(), told["number"].tolist(), strict=True))
    if not found.channels:
        return None
    _take_chunks(found, content, chunks, wanted)
    return found


def _take_chunks(found: McapIndex, content: bytes, places: list[int], wanted: Wanted) -> None:
    """Sort chunks by the topics that are wanted."""
    chosen = found.chosen(wanted)
    few_topics(chosen)
    topic_of = {number: topic for topic, numbers in chosen.items() for number in numbers}
    asked = np.zeros(2**16, dtype=bool)
    asked[list(topic_of)] = True
    found.chunked, kept = bool(places), 0
    for at in places:
        since, until, place, length, size = _PLACE.unpack_from(content, at)
        chunk = McapChunk(since, until, place, length)
        if size:
            channels = _entries(content, at + _PLACE.size - _LENGTH.size)["channel"]
            topics = {topic_of[number] for number in channels[asked[channels]].tolist()}
        else:
            topics = set(chosen)
        kept += len(topics)
        if kept > MOST_SEEN:
            raise DamagedError("its index is too large")
        for topic in topics:
            found.chunks.setdefault(topic, []).append(chunk)


def _entries(content: bytes, at: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """A map of numbers by channels, whose length in bytes stands before it."""
    size = _LENGTH.unpack_from(content, at)[0]
    if at + _LENGTH.size + size > len(content):
        raise DamagedError("its index is cut short")
    return np.frombuffer(content, _ENTRY, size // _ENTRY.itemsize, at + _LENGTH.size)


def read_part(file: IO[bytes], at: int, count: int) -> bytes:
    """Some bytes of a file.

    Raises:
        DamagedError: It has fewer, or they are too many.
    """
    if count > MOST_BYTES:
        raise DamagedError("a part of it is too large")
    file.seek(at)
    found = file.read(count)
    took(len(found))
    if len(found) != count:
        raise DamagedError("it is cut short")
    return found
