"""Messages of a rosbag2 recording in SQLite (.db3), by the standard library.

Its tables are those of rosbag2_storage_sqlite3 in github.com/ros2/rosbag2: ``topics`` (id, name, type,
serialization_format) and ``messages`` (id, topic_id, timestamp, data).
"""

from __future__ import annotations

import re
import sqlite3

from andante.terrain.files.limits import MOST_BYTES
from andante.terrain.files.mcap_messages import DamagedError, unpacked
from andante.terrain.files.recorded_topics import CLOUD, GRID_MAP, RecordedTopics, TopicMessage, kind_of
from andante.terrain.height_map import TerrainError

MAGIC = b"SQLite format 3\0"
"""What every such file begins with."""
_MOST_TOPICS = 10_000
_STEPS, _MOST_STOPS = 10_000, 3_000
"""Steps of SQLite's machine between two looks at how many there were, and most looks: a second's work."""
_ZSTD = b"\x28\xb5\x2f\xfd"
"""What a message begins with that rosbag2 packed by itself."""
_STORED = re.compile(r"CREATE TABLE\b(?!.*\bAS\b)", re.IGNORECASE | re.DOTALL)
"""A table all of whose columns are stored: a computed one may be a program, and SQLite asks nobody about it."""
_READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
_NEWEST = (
    "SELECT timestamp, data FROM messages WHERE id = "
    "(SELECT id FROM messages WHERE topic_id = ? ORDER BY timestamp DESC, id DESC LIMIT 1)"
)


def take_sqlite(content: bytes, place: str, found: RecordedTopics) -> None:
    """Take the newest message of each topic of maps and clouds.

    Raises:
        TerrainError: Not such a file, or it is no recording.
    """
    if not content.startswith(MAGIC):
        raise TerrainError("is no SQLite file", place=place)
    # A file of the write-ahead kind has a log beside it, which bytes in memory have not (sqlite.org/fileformat.html).
    if content[18:20] == b"\x02\x02":
        content = content[:18] + b"\x01\x01" + content[20:]
    base = sqlite3.connect(":memory:")
    try:
        base.deserialize(content)
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
        _guard(base)
        _take(base, place, found)
    except (sqlite3.Error, DamagedError, OverflowError) as error:
        found.problem = str(error)[:120] or type(error).__name__
    finally:
        base.close()


def _guard(base: sqlite3.Connection) -> None:
    """Let a file do no more than be read, for about a second: what it calls tables may be programs."""
    stops = 0

    def over() -> bool:
        nonlocal stops
        stops += 1
        return stops > _MOST_STOPS

    def allowed(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        plain = action in _READS or (action == sqlite3.SQLITE_FUNCTION and second == "count")
        return sqlite3.SQLITE_OK if plain else sqlite3.SQLITE_DENY

    base.set_progress_handler(over, _STEPS)
    base.set_authorizer(allowed)


def _take(base: sqlite3.Connection, place: str, found: RecordedTopics) -> None:
    tables = {
        str(name)
        for name, how in base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' LIMIT 1000")
        if isinstance(how, str) and _STORED.match(how)
    }
    if not {"topics", "messages"} <= tables:
        raise TerrainError(
            "the SQLite file is no recording of rosbag2", place=place, value=sorted(tables)[:20],
            limit="it has the tables topics and messages",
        )  # fmt: skip
    topics = base.execute(f"SELECT id, name, type, serialization_format FROM topics LIMIT {_MOST_TOPICS}").fetchall()
    for number, name, kind, encoding in topics:
        found.others.add(f"{name} ({kind})"[:300])
        if kind_of(str(kind)) not in (GRID_MAP, CLOUD):
            continue
        count = base.execute("SELECT count(*) FROM messages WHERE topic_id = ?", (number,)).fetchone()[0]
        row = base.execute(_NEWEST, (number,)).fetchone()
        if row is None or not (isinstance(row[0], int) and isinstance(row[1], bytes)):
            continue
        data = unpacked("zstd", row[1]) if row[1].startswith(_ZSTD) else row[1]
        found.take(TopicMessage(str(name), kind_of(str(kind)), str(encoding), "", row[0], data), count)
