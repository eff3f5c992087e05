"""Messages of a rosbag2 recording in SQLite (.db3), by the standard library.

Its tables are those of rosbag2_storage_sqlite3 in github.com/ros2/rosbag2: ``topics`` (id, name, type,
serialization_format) and ``messages`` (id, topic_id, timestamp, data).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from itertools import count

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
    if not content.startswith(MAGIC):
        raise DamagedError("it is no SQLite file")
    # A file of the write-ahead kind has a log beside it, which bytes in memory have not (sqlite.org/fileformat.html).
    if content[18:20] == b"\x02\x02":
        content = content[:18] + b"\x01\x01" + content[20:]
    base = sqlite3.connect(":memory:")
    try:
        base.deserialize(content)
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
        _guard(base)
        yield from _messages(base, wanted, topics, newest)
    except (sqlite3.Error, OverflowError) as error:
        raise DamagedError(str(error)[:120] or type(error).__name__) from error
    finally:
        base.close()


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
    tables = {
        str(name)
        for name, how in base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' LIMIT 1000")
        if isinstance(how, str) and _STORED.match(how)
    }
    if not {"topics", "messages"} <= tables:
        raise NoRecordingError(sorted(tables)[:20])
    topics = base.execute(f"SELECT id, name, type, serialization_format FROM topics LIMIT {_MOST_TOPICS}").fetchall()
    for number, name, kind, encoding in topics:
        others.add(f"{name} ({kind})"[:300])
        if not wanted(kind_of(str(kind))):
            continue
        found = base.execute("SELECT count(*) FROM messages WHERE topic_id = ?", (number,)).fetchone()[0]
        for moment, data in base.execute(_NEWEST if newest else _ALL, (number,)):
            if not (isinstance(moment, int) and isinstance(data, bytes)):
                continue
            whole = unpacked_message(data)
            message = TopicMessage(str(name), kind_of(str(kind)), str(encoding), "", moment, whole)
            yield message, found if newest else 1
