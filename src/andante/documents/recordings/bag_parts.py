"""Some messages of a ROS 1 bag that is too large to be read as a whole, by the index at its end.

The format: wiki.ros.org/Bags/Format/2.0. The head of the bag tells where its index is. It has every connection, and for
every chunk where it is, the times of its messages and how many it has of each connection.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from andante.documents.budget import took
from andante.documents.files import opened
from andante.documents.recordings.allowance import MOST_PART, MOST_SEEN, Allowance
from andante.documents.recordings.bag_file import MAGIC, BagConnection, bag_fields, bag_part, bag_records
from andante.documents.recordings.messages import (
    ENDS,
    MOST_BYTES,
    DamagedError,
    NoIndexError,
    TopicMessage,
    Wanted,
    few_topics,
)

_CHUNK_INFO = b"\x06"
_MOST_CHUNKS = 50_000
"""Most chunks of a bag."""
_MOST_RECORDS = 200_000
"""Most records that are looked at: each is a head of fields with names, which takes longer than one of MCAP."""
_FEW = 64
"""Most connections of a chunk that are looked up one by one."""
_HEAD = 4096
"""Bytes at the beginning that have the head of the bag; programs fill it with blanks up to this."""
_LENGTH, _PLACE, _MOMENT, _COUNT = struct.Struct("<I"), struct.Struct("<Q"), struct.Struct("<II"), struct.Struct("<II")


@dataclass(frozen=True)
class _Chunk:
    """What the index says of a chunk: where it is, its times [ns], and messages by connection that is wanted."""

    place: int
    since: int
    until: int
    counts: dict[int, int]


class _Bag:
    """A bag that is open, with its index."""

    def __init__(self, file: IO[bytes], wanted: Wanted, topics: set[str]) -> None:
        self._file, self._size, self._room = file, file.seek(0, io.SEEK_END), Allowance(seen=_MOST_RECORDS)
        self.connections: dict[int, BagConnection] = {}
        self.chunks: list[_Chunk] = []
        begin = _index_of(self._read(0, min(self._size, _HEAD)))
        if begin is None or begin >= self._size:
            what = "it is too large to be read as a whole, and has no index"
            raise NoIndexError(what, "rosbag reindex FILE makes one")
        if self._size - begin > MOST_BYTES:
            raise DamagedError("its index is too large")
        index = self._read(begin, self._size - begin)
        for _ in bag_records(index, 0, self.connections, wanted, topics):
            pass
        self.own = {number for number, each in self.connections.items() if each.wanted}
        few_topics({self.connections[number].topic for number in self.own})
        self._take_chunks(index)

    def _take_chunks(self, index: bytes) -> None:
        numbers, kept, at = np.array(sorted(self.own), dtype=np.uint32), 0, 0
        while at < len(index):
            head, at = bag_part(index, at)
            data, at = bag_part(index, at)
            fields = bag_fields(head)
            if fields["op"] != _CHUNK_INFO:
                continue
            since, until = (_moment(fields[name]) for name in ("start_time", "end_time"))
            if len(data) > _FEW * _COUNT.size:
                rows = np.frombuffer(data, "<u4").reshape(-1, 2)
                told = rows[np.isin(rows[:, 0], numbers)].tolist()
            else:
                told = [pair for pair in _COUNT.iter_unpack(data) if pair[0] in self.own]
            self.chunks.append(_Chunk(_PLACE.unpack(fields["chunk_pos"])[0], since, until, dict(told)))
            kept += len(told)
            if len(self.chunks) > _MOST_CHUNKS or kept > MOST_SEEN:
                raise DamagedError(f"more than {_MOST_CHUNKS} chunks, or too much in them")

    def with_any(self) -> list[_Chunk]:
        """Chunks that have messages that are wanted, by their times."""
        return sorted((each for each in self.chunks if each.counts), key=lambda each: each.since)

    def messages(self, chunk: _Chunk, wanted: Wanted) -> Iterator[TopicMessage]:
        """Messages of a chunk that are wanted."""
        at, parts = chunk.place, []
        for _ in range(2):
            length = self._read(at, _LENGTH.size)
            parts += [length, self._read(at + _LENGTH.size, _LENGTH.unpack(length)[0])]
            at += len(parts[-2]) + len(parts[-1])
        fields = bag_fields(memoryview(parts[1]))
        # What is unpacked has to be of this size.
        packing = fields.get("compression", b"").decode("latin-1")
        if _LENGTH.unpack(fields["size"])[0] > MOST_PART:
            raise DamagedError(f"a chunk has more than {MOST_PART} bytes")
        self._room.part(max(len(parts[-1]), _LENGTH.unpack(fields["size"])[0]), packing)
        seen = self._room.record
        yield from bag_records(b"".join(parts), 0, self.connections, wanted, set(), seen=seen)

    def _read(self, at: int, count: int) -> bytes:
        if count > MOST_BYTES or at + count > self._size:
            raise DamagedError("a part is too large, or lies outside of the file")
        self._file.seek(at)
        found = self._file.read(count)
        took(len(found))
        if len(found) != count:
            raise DamagedError("it is cut short")
        return found


@contextmanager
def _indexed(path: Path, wanted: Wanted, topics: set[str]) -> Iterator[_Bag]:
    with opened(path, str(path)) as file:
        try:
            yield _Bag(file, wanted, topics)
        except (struct.error, KeyError, OverflowError) as error:
            raise DamagedError("a record is not as the format has it") from error


def _index_of(head: bytes) -> int | None:
    """Where the index begins, by the first bytes of a bag; None: it has none."""
    if not head.startswith(MAGIC):
        raise DamagedError("it is no ROS 1 bag of version 2.0")
    fields = bag_fields(bag_part(head, len(MAGIC))[0])
    return _PLACE.unpack(fields["index_pos"])[0] or None


def _moment(raw: bytes) -> int:
    seconds, nanoseconds = _MOMENT.unpack(raw)
    return int(1_000_000_000 * seconds + nanoseconds)


def newest_in_bag(path: Path, wanted: Wanted, topics: set[str]) -> Iterator[tuple[TopicMessage, int]]:
    """The newest message of every topic whose type is wanted, and how many it has.

    Args:
        path: The file.
        wanted: Whether messages of a type are wanted.
        topics: Takes all topics with their types.

    Raises:
        DamagedError: It is no bag of version 2.0, or is damaged.
        NoIndexError: It has no index.
    """
    with _indexed(path, wanted, topics) as bag:
        by_topic: dict[str, list[_Chunk]] = {}
        counts: dict[str, int] = {}
        for chunk in sorted(bag.chunks, key=lambda each: each.until, reverse=True):
            for number, count in chunk.counts.items():
                name = bag.connections[number].topic
                counts[name] = counts.get(name, 0) + count
                chunks = by_topic.setdefault(name, [])
                if not chunks or chunks[-1] is not chunk:
                    chunks.append(chunk)
        for name, chunks in sorted(by_topic.items()):
            newest: TopicMessage | None = None
            for chunk in chunks:
                if newest is not None and newest.moment > chunk.until:
                    break
                for each in bag.messages(chunk, wanted):
                    if each.topic == name and (newest is None or each.moment >= newest.moment):
                        newest = each
            if newest is not None:
                yield newest, counts[name]


def bag_between(path: Path, wanted: Wanted, since: int, until: int) -> Iterator[TopicMessage]:
    """Messages whose type is wanted and that were recorded at some time, and those of the first and of the last chunks.

    Args:
        path: The file.
        wanted: Whether messages of a type are wanted.
        since: The first of these times [ns].
        until: The last [ns].

    Raises:
        DamagedError: It is no bag of version 2.0, or is damaged.
        NoIndexError: It has no index.
    """
    with _indexed(path, wanted, set()) as bag:
        chunks = bag.with_any()
        ends = [*range(min(ENDS, len(chunks))), *range(max(ENDS, len(chunks) - ENDS), len(chunks))]
        within = [each for each in chunks[ENDS:-ENDS] if each.since <= until and each.until >= since]
        # Where there is too much of them, the farthest are not looked at.
        middle = (since + until) // 2
        within.sort(key=lambda each: max(each.since - middle, middle - each.until, 0))
        for chunk in (*(chunks[number] for number in ends), *within):
            yield from bag.messages(chunk, wanted)


def all_in_bag(path: Path, wanted: Wanted, topics: set[str]) -> Iterator[TopicMessage]:
    """All messages whose type is wanted, chunk by chunk; only chunks that have some are read.

    Args:
        path: The file.
        wanted: Whether messages of a type are wanted.
        topics: Takes all topics with their types.

    Raises:
        DamagedError: It is no bag of version 2.0, is damaged, or too much would have to be read.
        NoIndexError: It has no index.
    """
    with _indexed(path, wanted, topics) as bag:
        for chunk in bag.with_any():
            yield from bag.messages(chunk, wanted)
