"""Messages of a rosbag2 recording in SQLite (.db3), by the standard library.

Its tables are those of rosbag2_storage_sqlite3 in github.com/ros2/rosbag2: ``topics`` (id, name, type,
serialization_format) and ``messages`` (id, topic_id, timestamp, data).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from andante.documents.files import opened
from andante.documents.recordings.messages import (
    MOST_BYTES,
    DamagedError,
    TopicMessage,
    Wanted,
    kind_of,
    unpacked_message,
)

MAGIC = b"SQLite format 3\0"
"""What every such file begins with."""
_MOST_TOPICS = 10_000
_STEPS, _MOST_STOPS = 10_000, 3_000
"""Steps of SQLite's machine between two looks at how many there were, and most looks: a second's work."""
_STORED = re.compile(r"CREATE TABLE\b(?!.*\bAS\b)", re.IGNORECASE | re.DOTALL)
"""A table all of whose columns are stored: a computed one may be a program, and SQLite asks nobody about it."""
_READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
_NEWEST = (
    "SELECT timestamp, data FROM messages WHERE id = "
    "(SELECT id FROM messages WHERE topic_id = ? ORDER BY timestamp DESC, id DESC LIMIT 1)"
)
_ALL = "SELECT timestamp, data FROM messages WHERE topic_id = ? ORDER BY timestamp, id"
_WRITTEN = "SELECT timestamp, data FROM messages WHERE topic_id = ? ORDER BY id"
"""Sorted by times, all that is found would have to be kept."""
_BETWEEN = (
    "SELECT timestamp, data FROM messages WHERE timestamp BETWEEN ? AND ? AND topic_id = ? ORDER BY timestamp, id"
)
_END = "SELECT timestamp, data FROM messages WHERE topic_id = ? ORDER BY timestamp {}, id {} LIMIT 100"
"""The first or the last messages of a topic."""


class NoRecordingError(DamagedError):
    """It is a database of something else."""

    def __init__(self, tables: list[str]) -> None:
        super().__init__("the SQLite file is no recording of rosbag2: it has no tables topics and messages")
        self.tables = tables
        """What it has."""


def sqlite_messages(
    content: bytes, wanted: Wanted, topics: set[str], *, newest: bool
) -> Iterator[tuple[TopicMessage, int]]:
    """The messages of a recording in SQLite that are wanted, topic by topic.

    Args:
        content: The file.
        wanted: Whether messages of a type are wanted.
        topics: Takes all topics with their types.
        newest: Only the newest of each topic.

    Yields:
        A message, and how many it stands for: with ``newest`` all of its topic.

    Raises:
        DamagedError: It is no SQLite file, is damaged from here on, or would do more than be read.
        NoRecordingError: It is no recording.
    """
    with _database(content) as base:
        yield from _messages(base, wanted, topics, newest)


def newest_in_sqlite(path: Path, wanted: Wanted, topics: set[str]) -> Iterator[tuple[TopicMessage, int]]:
    """The newest message of every topic whose type is wanted, and how many it has; only parts of the file are read.

    Args:
        path: The file.
        wanted: Whether messages of a type are wanted.
        topics: Takes all topics with their types.

    Raises:
        DamagedError: As `sqlite_messages`.
        NoRecordingError: As `sqlite_messages`.
    """
    with _database(path) as base:
        yield from _messages(base, wanted, topics, True)


def sqlite_between(path: Path, wanted: Wanted, since: int, until: int) -> Iterator[TopicMessage]:
    """Messages whose type is wanted and that were recorded at some time, and the first and the last ones of a topic.

    Args:
        path: The file.
        wanted: Whether messages of a type are wanted.
        since: The first of these times [ns].
        until: The last [ns].

    Raises:
        DamagedError: As `sqlite_messages`.
        NoRecordingError: As `sqlite_messages`.
    """
    with _database(path) as base:
        for topic in _topics(base):
            number, _, kind, _ = topic
            if not wanted(kind_of(str(kind))):
                continue
            asked: list[tuple[str, tuple[int, ...]]] = [(_BETWEEN, (since, until, number))]
            asked += [(_END.format(way, way), (number,)) for way in ("ASC", "DESC")]
            for text, values in asked:
                yield from _taken(topic, base.execute(text, values))


def all_in_sqlite(path: Path, wanted: Wanted, topics: set[str]) -> Iterator[TopicMessage]:
    """All messages whose type is wanted, in the order in which they were written; only parts of the file are read.

    Args:
        path: The file.
        wanted: Whether messages of a type are wanted.
        topics: Takes all topics with their types.

    Raises:
        DamagedError: As `sqlite_messages`.
        NoRecordingError: As `sqlite_messages`.
    """
    with _database(path) as base:
        for topic in _topics(base):
            number, name, kind, _ = topic
            topics.add(f"{name} ({kind})"[:300])
            if wanted(kind_of(str(kind))):
                yield from _taken(topic, base.execute(_WRITTEN, (number,)))


@contextmanager
def _database(source: bytes | Path) -> Iterator[sqlite3.Connection]:
    """A file that is open and may only be read."""
    base = sqlite3.connect(":memory:") if isinstance(source, bytes) else _connected(source)
    try:
        if isinstance(source, bytes):
            base.deserialize(_in_memory(source))
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
        _guard(base)
        yield base
    except (sqlite3.Error, OverflowError) as error:
        raise DamagedError(str(error)[:120] or type(error).__name__) from error
    finally:
        base.close()


def _connected(path: Path) -> sqlite3.Connection:
    with opened(path, str(path)) as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise DamagedError("it is no SQLite file")
    # Nobody may write it meanwhile, so that neither locks nor a log beside it are looked for.
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


def _in_memory(content: bytes) -> bytes:
    if not content.startswith(MAGIC):
        raise DamagedError("it is no SQLite file")
    # A file of the write-ahead kind has a log beside it, which bytes in memory have not (sqlite.org/fileformat.html).
    if content[18:20] == b"\x02\x02":
        content = content[:18] + b"\x01\x01" + content[20:]
    return content


def _guard(base: sqlite3.Connection) -> None:
    """Let a file do no more than be read, for about a second: what it calls tables may be programs."""
    stops = count(1)

    def allowed(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        plain = action in _READS or (action == sqlite3.SQLITE_FUNCTION and second == "count")
        return sqlite3.SQLITE_OK if plain else sqlite3.SQLITE_DENY

    base.set_progress_handler(lambda: next(stops) > _MOST_STOPS, _STEPS)
    base.set_authorizer(allowed)


def _messages(
    base: sqlite3.Connection, wanted: Wanted, others: set[str], newest: bool
) -> Iterator[tuple[TopicMessage, int]]:
    for topic in _topics(base):
        number, name, kind, _ = topic
        others.add(f"{name} ({kind})"[:300])
        if not wanted(kind_of(str(kind))):
            continue
        found = base.execute("SELECT count(*) FROM messages WHERE topic_id = ?", (number,)).fetchone()[0]
        for message in _taken(topic, base.execute(_NEWEST if newest else _ALL, (number,))):
            yield message, found if newest else 1


def _taken(topic: tuple[int, str, str, str], rows: Iterable[tuple[object, object]]) -> Iterator[TopicMessage]:
    """Messages of a topic in rows of times and bytes; a column of SQLite may hold anything, and what is neither is left
    out."""
    _, name, kind, encoding = topic
    for moment, data in rows:
        if isinstance(moment, int) and isinstance(data, bytes):
            yield TopicMessage(str(name), kind_of(str(kind)), str(encoding), "", moment, unpacked_message(data))


def _topics(base: sqlite3.Connection) -> list[tuple[int, str, str, str]]:
    """Number, name, type and encoding of each topic."""
    tables = {
        str(name)
        for name, how in base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' LIMIT 1000")
        if isinstance(how, str) and _STORED.match(how)
    }
    if not {"topics", "messages"} <= tables:
        raise NoRecordingError(sorted(tables)[:20])
    return base.execute(f"SELECT id, name, type, serialization_format FROM topics LIMIT {_MOST_TOPICS}").fetchall()
