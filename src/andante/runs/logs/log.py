"""Log: what a run recorded, read back as arrays.

A log that ends early (a killed process, a full disk) is read as far as it goes; `Log.problem` says what is missing.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.documents.budget import USUAL, budgeted
from andante.documents.files import read_bytes
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError
from andante.robots.records import Layout, Vector
from andante.runs.errors import LogError, refused
from andante.runs.logs.chunks import CDR_HEADER, COMPRESSION, MESSAGE, MESSAGE_OPCODE, layout_of

if TYPE_CHECKING:
    import pandas


MAX_BYTES = 4 * 2**30
"""Size of the largest log that is read [bytes]."""
MAX_CHUNK = 64 * 2**20
"""Size of the largest chunk that is unpacked [bytes]; those of runs have up to a megabyte."""
MAX_UNPACKED, MAX_RATIO = 100_000_000, 40
"""Most bytes that all chunks unpack to: so many, and so many more for each byte of the file; logs of runs have about
two to ten times their bytes."""
_MOST_CHANNELS = 2**16
"""Most schemas and channels of a chunk: their numbers have 16 bits."""
MAX_EVENTS = 200_000
"""Most events of a log; runs have some hundred."""
_LATEST = 2**63 - 1
"""Latest moment of a row [ns]."""
_MAGIC = b"\x89MCAP0\r\n"
_HEAD = struct.Struct("<BQ")
_FOOTER, _SCHEMA, _CHANNEL, _CHUNK, _METADATA, _DATA_END = 2, 3, 4, 6, 12, 15


@dataclass(frozen=True)
class ChannelRows:
    """The rows of one channel."""

    layout: Layout
    """Names, labels and units of the columns."""
    nanoseconds: NDArray[np.int64]
    """Moment of each row since the start, (n,) [ns]."""
    rows: Vector
    """The records' vectors, (n, layout.size), as they were recorded."""

    @property
    def times(self) -> Vector:
        """Moment of each row since the start, (n,) [s]."""
        times: Vector = self.nanoseconds / 1e9
        return times

    def __getitem__(self, field_name: str) -> Vector:
        """One field of all rows, (n, field.size).

        Raises:
            LogError: The channel has no such field.
        """
        if field_name not in self.layout.slices:
            raise LogError("the channel has no such field", value=field_name, legal=self.layout.slices)
        return self.rows[:, self.layout.slices[field_name]]


@dataclass(frozen=True)
class Log:
    """A recorded run."""

    channels: Mapping[str, ChannelRows]
    """Rows by channel name (sensors, command, request, telemetry, truth)."""
    events: tuple[ControlEvent, ...] = ()
    """Events in the order of recording."""
    metadata: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Metadata tables by name (run, scenario)."""
    path: Path | None = None
    """The file."""
    problem: str = ""
    """Why the log is not complete; empty for a complete one."""

    def __repr__(self) -> str:
        rows = ", ".join(
            f"{name} {len(channel.rows)} x {channel.rows.shape[1]}" for name, channel in self.channels.items()
        )
        problem = f"; not complete: {self.problem}" if self.problem else ""
        return f"<Log {self._place or 'in memory'}: {rows or 'empty'}; {len(self.events)} events{problem}>"

    @property
    def complete(self) -> bool:
        """True when the run closed its log."""
        return not self.problem

    @staticmethod
    @budgeted(USUAL, error=LogError)
    def open(path: Path | str, *, max_bytes: int = MAX_BYTES) -> Log:
        """Read a log, complete or cut off anywhere.

        Raises:
            LogError: The file cannot be read, is too large, is no MCAP file or was not written by Andante.
        """
        path = Path(path)
        return _Reader(path, _bytes(path, max_bytes)).log()

    def rows(self, channel: str) -> ChannelRows:
        """The rows of a channel.

        Raises:
            LogError: The log has no such channel.
        """
        found = self.channels.get(channel)
        if found is None:
            raise LogError("the log has no such channel", place=self._place, value=channel, legal=self.channels)
        return found

    def channel(self, name: str) -> tuple[Vector, Vector]:
        """Times (n,) [s] and rows (n, size) of a channel.

        Raises:
            LogError: The log has no such channel.
        """
        rows = self.rows(name)
        return rows.times, rows.rows

    @property
    def columns(self) -> tuple[str, ...]:
        """All recorded variables, ``channel.field.label``."""
        return tuple(f"{name}.{column}" for name, rows in self.channels.items() for column in rows.layout.columns)

    def column(self, name: str) -> tuple[Vector, Vector]:
        """Times (n,) [s] and values (n,) of one variable by its name in `columns`.

        Raises:
            LogError: The log has no such variable.
        """
        channel, _, column = name.partition(".")
        rows = self.channels.get(channel)
        if rows is None or column not in rows.layout.columns:
            raise LogError("the log has no such variable", place=self._place, value=name, legal=self.columns)
        return rows.times, rows.rows[:, rows.layout.columns.index(column)]

    def frame(self, name: str) -> pandas.DataFrame:
        """A channel, or one field of it, as a table with a column for each variable and the time [s] as index.

        Args:
            name: ``CHANNEL`` (sensors, command, truth, ...) or ``CHANNEL.FIELD`` (``sensors.position``).

        Raises:
            LogError: There is no such channel or field, or pandas is not installed.
        """
        channel, _, part = name.partition(".")
        rows = self.rows(channel)
        columns = rows.layout.columns
        if not part:
            keep = [place for place, column in enumerate(columns) if column != "time"]
            return timed_frame(rows.times, rows.rows[:, keep], [columns[place] for place in keep])
        found = next((each for each in rows.layout.fields if each.name == part), None)
        if found is None:
            legal = [f"{channel}.{each.name}" for each in rows.layout.fields]
            raise LogError("the channel has no such field", place=self._place, value=name, legal=legal)
        return timed_frame(rows.times, rows[part], [label or part for label in found.labels])

    def event_frame(self) -> pandas.DataFrame:
        """The events as a table: time [s], kind, text.

        Raises:
            LogError: pandas is not installed.
        """
        return event_frame(self.events)

    @property
    def _place(self) -> str:
        return str(self.path) if self.path else ""


class _DamageError(Exception):
    """From here on the file cannot be read."""


class _Reader:
    """Collects what the records of one file say."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path = path
        self._data = data
        self._left = MAX_UNPACKED + MAX_RATIO * len(data)
        self._layouts: dict[int, tuple[str, Layout | None]] = {}
        self._messages: dict[int, tuple[list[int], list[memoryview]]] = {}
        self._events: list[ControlEvent] = []
        self._metadata: dict[str, dict[str, str]] = {}

    def log(self) -> Log:
        if not self._data.startswith(_MAGIC):
            raise LogError(
                "is no log: an MCAP file begins with 89 4d 43 41 50 30",
                place=str(self._path),
                value=self._data[:8].hex(" ") or "an empty file",
            )
        problem = self._read()
        if self._layouts and not any(layout or name == "events" for name, layout in self._layouts.values()):
            raise LogError(
                "was not written by Andante: none of its channels has a layout in its metadata",
                place=str(self._path),
                value=", ".join(name for name, _ in self._layouts.values())[:200],
            )
        channels: dict[str, ChannelRows] = {}
        for number, (name, layout) in self._layouts.items():
            if layout is None:
                continue
            moments, rows = self._messages[number]
            if name in channels and len(channels[name].rows):
                if not rows:
                    continue
                raise LogError(
                    "holds the rows of two runs: two of its channels have one name",
                    place=str(self._path),
                    value=name,
                    remedy="take the logs apart again; one log is one run",
                )
            array = np.frombuffer(b"".join(rows), "<f8").reshape(len(rows), layout.size)
            channels[name] = ChannelRows(layout, np.array(moments, np.int64), array)
        problem = problem or next(filter(None, map(_disorder, channels, channels.values())), "")
        return Log(channels, tuple(self._events), self._metadata, self._path, problem)

    def _read(self) -> str:
        """Read records up to the end of the data; returns the problem met, if any."""
        from mcap.exceptions import McapError

        data = memoryview(self._data)
        position = len(_MAGIC)
        try:
            for opcode, start, end in _records(data, position):
                position = end
                if opcode == _DATA_END:
                    return _joined(data, position)
                self._take(opcode, data, start, end)
        except _DamageError as damage:
            return f"cut off or damaged at byte {position} of {len(data)}: {damage}"
        except (McapError, struct.error, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            return f"cut off or damaged before byte {position} of {len(data)} ({error or type(error).__name__})"
        return f"cut off at byte {position}: the end mark is missing"

    def _take(self, opcode: int, data: memoryview, start: int, end: int) -> None:
        if opcode == _CHANNEL:
            self._take_channel(data[start:end])
        elif opcode == _METADATA:
            self._take_metadata(data[start:end])
        elif opcode == _CHUNK:
            self._take_chunk(data[start:end])
        elif opcode == MESSAGE_OPCODE:
            self._take_message(data[start - _HEAD.size :], _HEAD.size + end - start)

    def _take_channel(self, content: memoryview) -> None:
        from mcap.records import Channel

        channel = _parsed(Channel, content)
        name = channel.topic.lstrip("/")
        if channel.id in self._layouts:
            return
        layout = None
        if channel.message_encoding == "cdr":
            # Channels of others, as of a recording of ROS that was merged with the log, have none and are passed over.
            text = channel.metadata.get("layout")
            try:
                layout = None if text is None else layout_of(name, text)
            except DocumentError as error:
                raise _DamageError(str(error)) from None
        self._layouts[channel.id] = (name, layout)
        self._messages[channel.id] = ([], [])

    def _take_metadata(self, content: memoryview) -> None:
        from mcap.records import Metadata

        table = _parsed(Metadata, content)
        self._metadata[table.name] = table.metadata

    def _take_chunk(self, content: memoryview) -> None:
        from mcap.exceptions import McapError
        from mcap.records import Chunk
        from mcap.stream_reader import CRCValidationError, get_chunk_data_stream
        from zstandard import ZstdError

        chunk = _parsed(Chunk, content)
        data = chunk.data
        if chunk.compression:
            self._left -= _checked_size(chunk.compression, data, chunk.uncompressed_size)
            if self._left < 0:
                raise _DamageError(f"the chunks unpack to more than {MAX_RATIO} times the file")
            try:
                stream, length = get_chunk_data_stream(chunk)
                data = stream.read(length)
            except (McapError, CRCValidationError, RuntimeError, ZstdError) as error:
                raise _DamageError(str(error)) from None
        if chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
            raise _DamageError("the checksum of a chunk is wrong")
        view, others = memoryview(data), 0
        for opcode, start, end in _records(view, 0):
            if opcode != MESSAGE_OPCODE:
                if opcode not in (_SCHEMA, _CHANNEL):
                    raise _DamageError(f"a chunk has a record of the kind {opcode}, and holds messages and channels")
                others += 1
                if others > _MOST_CHANNELS:
                    raise _DamageError(f"a chunk has more than {_MOST_CHANNELS} schemas and channels")
            self._take(opcode, view, start, end)

    def _take_message(self, record: memoryview, length: int) -> None:
        _, _, number, _, moment, _ = MESSAGE.unpack_from(record)
        known = self._layouts.get(number)
        if known is None:
            raise _DamageError(f"a message belongs to the unknown channel {number}")
        name, layout = known
        if moment > _LATEST:
            raise _DamageError(f"a message of channel {name!r} is of no time: {moment} ns")
        content = record[MESSAGE.size : length]
        if layout is None:
            if name == "events":
                self._take_event(bytes(content))
        elif len(content) != len(CDR_HEADER) + 8 * layout.size or content[:4] != CDR_HEADER:
            raise _DamageError(f"a message of channel {name!r} has {len(content)} bytes")
        else:
            moments, rows = self._messages[number]
            rows.append(content[4:])
            moments.append(moment)

    def _take_event(self, text: bytes) -> None:
        if len(self._events) >= MAX_EVENTS:
            raise _DamageError(f"there are more than {MAX_EVENTS} events")
        try:
            event: dict[str, Any] = parse_json_data(text, "an event", finite=False)
        except DocumentError as error:
            raise _DamageError(str(error)) from None
        if not (isinstance(event, dict) and isinstance(event.get("time"), (int, float))):
            raise _DamageError("an event is no table with a time")
        named, told, data = event.get("kind"), str(event.get("text", "")), event.get("data")
        if not isinstance(named, str):
            raise _DamageError(f"an event is of the kind {named!r}, which is no name")
        kind = _kind(named)
        if kind is None:
            # Another version of Andante knows more kinds; what it tells is still to be read.
            kind, told = EventKind.NOTE, f"{named}: {told}"
        self._events.append(ControlEvent(float(event["time"]), kind, told, data if isinstance(data, dict) else None))


def _joined(data: memoryview, position: int) -> str:
    """What is wrong after the end mark of the data: more than a summary; one that is cut off lacks nothing.

    Files that were joined by their bytes have all of a second run there.
    """
    try:
        for opcode, _, end in _records(data, position):
            if opcode == _FOOTER:
                position = end + len(_MAGIC)
                break
        else:
            return ""
    except _DamageError:
        return ""
    left = len(data) - position
    return (
        f"{left} bytes stand after its end, at byte {position}, and were not read: one log is one run"
        if left > 0
        else ""
    )


def _disorder(name: str, rows: ChannelRows) -> str:
    """Where a channel goes back in time, as those of merged logs do; empty: nowhere."""
    back = np.flatnonzero(np.diff(rows.nanoseconds) <= 0)
    if not len(back):
        return ""
    row = int(back[0]) + 1
    where = f"row {row} of channel {name!r}, at {rows.times[row]:.3f} s"
    return f"{where}, is no later than the one before: one log is one run"


def _checked_size(compression: str, data: bytes, size: int) -> int:
    """The size that a chunk unpacks to [bytes]; one that claims, or has, more than `MAX_CHUNK` is refused."""
    from zstandard import ZstdError, get_frame_parameters

    if compression == COMPRESSION:
        try:
            size = max(size, get_frame_parameters(data).content_size)
        except ZstdError as error:
            raise _DamageError(str(error)) from None
    if size > MAX_CHUNK:
        raise _DamageError(f"a chunk of {size} bytes is larger than {MAX_CHUNK}")
    return size


def _kind(name: str) -> EventKind | None:
    """The kind of a name; None: there is none."""
    try:
        return EventKind(name)
    except ValueError:
        return None


def _records(data: memoryview, position: int) -> Iterator[tuple[int, int, int]]:
    """Opcode, start and end of the content of each record."""
    size = len(data)
    while position < size:
        if position + _HEAD.size > size:
            raise _DamageError("a record's head is incomplete")
        opcode, length = _HEAD.unpack_from(data, position)
        if not opcode:
            # What a computer that lost its power has not written is zeros.
            raise _DamageError("a record is of the kind 0, which is none")
        start = position + _HEAD.size
        position = start + length
        if position > size:
            raise _DamageError(f"a record of {length} bytes is incomplete")
        yield opcode, start, position


def _parsed(kind: type[Any], content: memoryview) -> Any:
    from io import BytesIO

    from mcap.data_stream import ReadDataStream

    return kind.read(ReadDataStream(BytesIO(content)))


def _bytes(path: Path, max_bytes: int) -> bytes:
    with refused(LogError, "cannot be read", path):
        if not path.is_file():
            raise LogError("is no file" if path.exists() else "does not exist", place=str(path))
        size = path.stat().st_size
        if size > max_bytes:
            raise LogError("is too large for a log", place=str(path), value=size, limit=f"{max_bytes} bytes")
    try:
        return read_bytes(path, max_bytes=max_bytes)
    except DocumentError as error:
        raise LogError(error.what, place=str(path), value=error.value, limit=error.limit) from None


def timed_frame(times: Vector, values: Vector, names: Sequence[str]) -> pandas.DataFrame:
    """Columns (n, len(names)) over times (n,) [s].

    Raises:
        LogError: pandas is not installed.
    """
    library = pandas_of()
    return library.DataFrame(values.copy(), library.Index(times, name="time"), list(names))


def event_frame(events: Iterable[ControlEvent]) -> pandas.DataFrame:
    """Events: time [s], kind, text.

    Raises:
        LogError: pandas is not installed.
    """
    rows = [(event.time, str(event.kind), event.text) for event in events]
    return pandas_of().DataFrame(rows, columns=["time", "kind", "text"])


def pandas_of() -> ModuleType:
    """The module pandas.

    Raises:
        LogError: It is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise LogError(
            "tables need pandas, which is not installed", remedy="install it: pip install 'andante[notebook]'"
        ) from None
    module: ModuleType = pandas
    return module
