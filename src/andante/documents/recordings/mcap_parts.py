"""Some messages of an MCAP file that is too large to be read as a whole.

The format: mcap.dev/spec. The index at the end tells in which chunks a channel's messages are. A file without chunks,
as rosbag2's preset ``fastwrite`` makes them, has no such index: there one goes from record to record, and reads of
each only its head.
"""

from __future__ import annotations

import io
import struct
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

from andante.documents.files import opened
from andante.documents.recordings.allowance import MOST_PART, Allowance
from andante.documents.recordings.mcap_file import (
    CHANNEL,
    CHUNK,
    MAGIC,
    MESSAGE,
    MESSAGE_HEAD,
    RECORD_HEAD,
    SCHEMA,
    McapMessage,
    damaged,
    topic_message,
)
from andante.documents.recordings.mcap_index import McapChunk, McapIndex, read_index, read_part
from andante.documents.recordings.messages import (
    ENDS,
    MOST_BYTES,
    DamagedError,
    NoIndexError,
    TopicMessage,
    Wanted,
    few_topics,
    unpacked,
)

_NUMBER = struct.Struct("<H")
_ENDING = (2, 15)
"""Kinds of the records behind the last message."""
_CHUNK_HEAD, _LENGTH, _SIZE = struct.Struct("<QQQI"), struct.Struct("<I"), struct.Struct("<Q")
_LONGEST_PACKING = 100
_FEW = 100
"""Messages of a channel at either end of a file without chunks that stand for those of all times."""


class _Found(NamedTuple):
    """A message that was found: its channel, its time [ns], where it is in a file or in a part of one, its length."""

    channel: int
    moment: int
    file: IO[bytes]
    place: int
    length: int


@dataclass(frozen=True)
class _Mcap:
    """A file that is open."""

    file: IO[bytes]
    size: int
    wanted: Wanted
    index: McapIndex
    room: Allowance

    def message(self, found: _Found) -> TopicMessage | None:
        """The message as it stands there."""
        content = read_part(found.file, found.place, found.length)
        record = McapMessage(found.channel, found.moment, content)
        return topic_message(record, self.index.channels, self.index.schemas, self.wanted)

    def in_chunk(self, chunk: McapChunk, channels: set[int]) -> Iterator[_Found]:
        """Messages of channels in a chunk; one that is not packed is not read as a whole."""
        if chunk.place + chunk.length > self.size:
            raise DamagedError("a chunk lies outside of the file")
        kind, length = RECORD_HEAD.unpack(read_part(self.file, chunk.place, RECORD_HEAD.size))
        begin = chunk.place + RECORD_HEAD.size
        end = begin + length
        if kind != CHUNK or end > self.size:
            raise DamagedError("a chunk is not where the index says")
        begin += _CHUNK_HEAD.size
        count = _LENGTH.unpack(read_part(self.file, begin, _LENGTH.size))[0]
        if count > _LONGEST_PACKING:
            raise DamagedError("a chunk is not as the format has it")
        packing = read_part(self.file, begin + _LENGTH.size, count).decode("utf-8", errors="replace")
        begin += _LENGTH.size + count + _SIZE.size
        self.room.part(0)
        file: IO[bytes] = self.file
        if packing:
            content = unpacked(packing, read_part(self.file, begin, end - begin), MOST_PART)
            self.room.part(len(content), packing)
            file, begin, end = io.BytesIO(content), 0, len(content)
        for kind, place, length, head in _records(file, begin, end, self.room):
            if kind == MESSAGE and _NUMBER.unpack_from(head, RECORD_HEAD.size)[0] in channels:
                yield _found(file, place, length, head)

    def in_file(self) -> Iterator[_Found]:
        """Messages of a file without chunks that are wanted; schemas and channels are taken on the way."""
        own: set[int] = set()
        names: set[str] = set()
        for kind, place, length, head in _records(self.file, len(MAGIC), self.size, self.room):
            if kind == MESSAGE:
                if _NUMBER.unpack_from(head, RECORD_HEAD.size)[0] in own:
                    yield _found(self.file, place, length, head)
            elif kind in (SCHEMA, CHANNEL):
                number = self.index.take(kind, read_part(self.file, place, length))
                if kind == CHANNEL and self.wanted(self.index.kind(number)):
                    own.add(number)
                    names.add(self.index.channels[number].topic)
                    few_topics(names)
            elif kind == CHUNK:
                raise NoIndexError(
                    "it is too large to be read as a whole, and has no index", "mcap recover FILE -o NEW makes one"
                )
            elif kind in _ENDING:
                return


def newest_in_mcap(path: Path, wanted: Wanted, topics: set[str]) -> Iterator[tuple[TopicMessage, int]]:
    """The newest message of every topic whose type is wanted, and how many it has.

    Args:
        path: The file.
        wanted: Whether messages of a type are wanted.
        topics: Takes all topics with their types.

    Raises:
        DamagedError: It is no MCAP file, or is damaged.
        NoIndexError: It has chunks and no index.
    """
    with _opened(path, wanted) as mcap:
        topics.update(mcap.index.names())
        if not mcap.index.chunked:
            yield from _newest_by_heads(mcap, topics)
            return
        for topic, own in sorted(mcap.index.chosen(wanted).items()):
            newest: tuple[int, TopicMessage] | None = None
            for chunk in sorted(mcap.index.chunks.get(topic, ()), key=lambda each: each.until, reverse=True):
                if newest is not None and newest[0] > chunk.until:
                    break
                last = None
                for each in mcap.in_chunk(chunk, own):
                    if last is None or each.moment >= last.moment:
                        last = each
                if last is not None and (newest is None or last.moment >= newest[0]):
                    message = mcap.message(last)
                    newest = newest if message is None else (last.moment, message)
            if newest is not None:
                yield newest[1], sum(mcap.index.counts.get(number, 0) for number in own) or 1


def _newest_by_heads(mcap: _Mcap, topics: set[str]) -> Iterator[tuple[TopicMessage, int]]:
    newest: dict[str, _Found] = {}
    counts: dict[str, int] = {}
    problem: DamagedError | None = None
    try:
        for each in mcap.in_file():
            topic = mcap.index.channels[each.channel].topic
            counts[topic] = counts.get(topic, 0) + 1
            if topic not in newest or each.moment >= newest[topic].moment:
                newest[topic] = each
    except NoIndexError:
        raise
    except DamagedError as error:
        problem = error
    topics.update(mcap.index.names())
    for topic, found in sorted(newest.items()):
        message = mcap.message(found)
        if message is not None:
            yield message, counts[topic]
    if problem is not None:
        raise problem


def mcap_between(path: Path, wanted: Wanted, since: int, until: int) -> Iterator[TopicMessage]:
    """Messages whose type is wanted and that were recorded at some time, and some of the beginning and of the end.

    Args:
        path: The file.
        wanted: Whether messages of a type are wanted.
        since: The first of these times [ns].
        until: The last [ns].

    Raises:
        DamagedError: It is no MCAP file, or is damaged.
        NoIndexError: It has chunks and no index.
    """
    with _opened(path, wanted) as mcap:
        found = _between_in_chunks(mcap, since, until) if mcap.index.chunked else _between_by_heads(mcap, since, until)
        for each in found:
            message = mcap.message(each)
            if message is not None:
                yield message


def _between_in_chunks(mcap: _Mcap, since: int, until: int) -> Iterator[_Found]:
    own, chunks = _all_chunks(mcap)
    ends = {*chunks[:ENDS], *chunks[-ENDS:]}
    within = [each for each in chunks if each.since <= until and each.until >= since and each not in ends]
    # Where there is too much of them, the farthest are not looked at.
    middle = (since + until) // 2
    within.sort(key=lambda each: max(each.since - middle, middle - each.until, 0))
    for chunk in (*sorted(ends), *within):
        yield from mcap.in_chunk(chunk, own)


def _between_by_heads(mcap: _Mcap, since: int, until: int) -> Iterator[_Found]:
    counts: dict[int, int] = {}
    last: dict[int, deque[_Found]] = {}
    for each in mcap.in_file():
        counts[each.channel] = counts.get(each.channel, 0) + 1
        if since <= each.moment <= until or counts[each.channel] <= _FEW:
            yield each
        else:
            last.setdefault(each.channel, deque(maxlen=_FEW)).append(each)
    for some in last.values():
        yield from some


def all_in_mcap(path: Path, wanted: Wanted, topics: set[str]) -> Iterator[TopicMessage]:
    """All messages whose type is wanted, chunk by chunk; only chunks that have some are read.

    Args:
        path: The file.
        wanted: Whether messages of a type are wanted.
        topics: Takes all topics with their types.

    Raises:
        DamagedError: It is no MCAP file, is damaged, or too much would have to be read.
        NoIndexError: It has chunks and no index.
    """
    with _opened(path, wanted) as mcap:
        topics.update(mcap.index.names())
        if mcap.index.chunked:
            own, chunks = _all_chunks(mcap)
            found: Iterator[_Found] = (each for chunk in chunks for each in mcap.in_chunk(chunk, own))
        else:
            found = mcap.in_file()
        for each in found:
            message = mcap.message(each)
            if message is not None:
                yield message
        topics.update(mcap.index.names())


def _all_chunks(mcap: _Mcap) -> tuple[set[int], list[McapChunk]]:
    """Channels that are wanted, and the chunks that may have messages of theirs, by their times."""
    own = {number for numbers in mcap.index.chosen(mcap.wanted).values() for number in numbers}
    return own, sorted({chunk for some in mcap.index.chunks.values() for chunk in some})


@contextmanager
def _opened(path: Path, wanted: Wanted) -> Iterator[_Mcap]:
    with opened(path, str(path)) as file, damaged():
        size = file.seek(0, io.SEEK_END)
        if read_part(file, 0, len(MAGIC)) != MAGIC:
            raise DamagedError("it is no MCAP file")
        index = read_index(file, size, wanted)
        yield _Mcap(file, size, wanted, McapIndex() if index is None else index, Allowance())


def _records(file: IO[bytes], at: int, end: int, room: Allowance) -> Iterator[tuple[int, int, int, bytes]]:
    """Kind, begin and length of the records between two places, and what is read of each: its own head, and so many
    bytes as a message's head has."""
    count = RECORD_HEAD.size + MESSAGE_HEAD.size
    while at < end:
        file.seek(at)
        head = file.read(count)
        if len(head) < RECORD_HEAD.size:
            raise DamagedError("a record is cut short")
        kind, length = RECORD_HEAD.unpack_from(head)
        at += RECORD_HEAD.size
        if not kind or length > end - at:
            raise DamagedError("a record is cut short")
        room.record()
        yield kind, at, length, head
        at += length


def _found(file: IO[bytes], place: int, length: int, head: bytes) -> _Found:
    number, _, moment, _ = MESSAGE_HEAD.unpack_from(head, RECORD_HEAD.size)
    if not MESSAGE_HEAD.size <= length <= MOST_BYTES:
        raise DamagedError("a message is too large, or cut short")
    return _Found(number, moment, file, place + MESSAGE_HEAD.size, length - MESSAGE_HEAD.size)
