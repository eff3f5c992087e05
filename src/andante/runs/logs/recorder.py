"""The recorder: every tick of a run into an MCAP log that stays readable whatever happens.

Channels with records (``/sensors``, ``/command``, ...) hold binary CDR messages of a ``ros2msg`` schema: a message is
the four-byte CDR header and the record's float64 vector as it stands in memory, so nothing is rounded. ``/events``
holds JSON. Labels and units stand in the metadata of each channel; the scenario, the seed and the versions in the
metadata records at the file's beginning.

Rows are collected in memory and written as one compressed chunk when a block is full or half a second of the run has
gone by, so that the same run gives the same bytes. A killed process loses at most that; a full disk raises
`RecordingError` and cuts the file back to the last whole chunk.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import zlib
from collections.abc import Mapping
from io import FileIO, RawIOBase
from pathlib import Path

from andante.control.controller import ControlEvent
from andante.robots.records import Record
from andante.runs.errors import RecordingError, refused
from andante.runs.logs.chunks import (
    COMPRESSION,
    LEVEL,
    MESSAGE,
    MESSAGE_FIELDS,
    MESSAGE_OPCODE,
    ChannelBlock,
    chunk_head,
    layout_text,
    message_definition,
    message_index,
)
from andante.runs.loop.tick import Tick
from andante.version import __version__

_MAGIC = b"\x89MCAP0\r\n"
_EVENTS = "events"
EVENT_SCHEMA = json.dumps(
    {
        "title": "Event",
        "type": "object",
        "required": ["time", "kind", "text"],
        "properties": {
            "time": {"type": "number"},
            "kind": {"type": "string"},
            "text": {"type": "string"},
            "data": {"type": "object"},
        },
    }
)
"""JSON Schema of an event."""


class LogRecorder:
    """Writes one MCAP file.

    Args:
        path: The file; overwritten where it exists.
        metadata: Metadata records by name, each a table of text.
        rows: Rows per channel in a chunk.
        interval: Longest time of the run between two writes [s].
        output: Where the bytes go instead of a new file at ``path``.

    Raises:
        RecordingError: The file cannot be created or written.
    """

    def __init__(
        self,
        path: Path,
        metadata: Mapping[str, Mapping[str, str]] | None = None,
        *,
        rows: int = 256,
        interval: float = 0.5,
        output: RawIOBase | None = None,
    ) -> None:
        from mcap.data_stream import RecordBuilder
        from mcap.records import Channel, ChunkIndex, Header, Metadata, MetadataIndex, Schema

        self.path = path
        self._rows = rows
        self._interval = round(interval * 1e9)
        self._builder = RecordBuilder
        self._schemas: list[Schema] = []
        self._channels: list[Channel] = []
        self._indexes: list[ChunkIndex] = []
        self._metadata: list[MetadataIndex] = []
        self._blocks: dict[str, ChannelBlock] = {}
        self._events: list[tuple[int, bytes]] = []
        self._event_count = 0
        self._position = 0
        self._closed = False
        self._full = False
        self._moment = self._flushed = 0
        with refused(RecordingError, "the log cannot be created", path):
            self._output: RawIOBase = output if output is not None else FileIO(path, "w", opener=_open_itself)
        self._write(_MAGIC + self._encode(Header("ros2", f"andante {__version__}")))
        for name, table in (metadata or {}).items():
            text = self._encode(Metadata(name=name, metadata=dict(table)))
            self._metadata.append(MetadataIndex(self._position, len(text), name))
            self._write(text)
        self._event_channel = self._open_channel(_EVENTS, "json", "jsonschema", EVENT_SCHEMA, {})

    def add(self, channel: str, moment: int, record: Record) -> None:
        """Keep a copy of a record of this moment [ns].

        Raises:
            RecordingError: The record's layout is not the channel's, or a field's name cannot stand in a log.
        """
        block = self._blocks.get(channel)
        if block is None:
            block = self._open_block(channel, record)
        if record.layout is not block.layout and record.layout != block.layout:
            raise RecordingError(
                f"a record of another layout came to channel {channel!r}",
                place=str(self.path),
                value=record.layout.size,
                limit=f"{block.layout.size} values",
            )
        self._moment = moment
        if block.add(moment, record.vector):
            self._full = True

    def event(self, event: ControlEvent) -> None:
        """Keep an event."""
        text = json.dumps({"time": event.time, "kind": event.kind, "text": event.text, "data": event.data})
        self._events.append((max(round(event.time * 1e9), 0), text.encode()))

    def end_tick(self) -> None:
        """Write a chunk where a block is full or the last one is half a second old."""
        if self._full or self._moment - self._flushed >= self._interval:
            self.flush()

    def tick(self, tick: Tick) -> None:
        """Keep sensors, command, telemetry, ground truth and events of a tick.

        Raises:
            RecordingError: A record does not fit its channel, or the log cannot be written.
        """
        moment, request, command = tick.moment, tick.request, tick.command
        self.add("sensors", moment, tick.sensors)
        # What the controller saw is worth a row only where something was wrong with what was read.
        if tick.checked is not tick.sensors:
            self.add("checked", moment, tick.checked)
        self.add("command", moment, command)
        # A request is worth a row only where the guard changed it.
        if request is not command and request.vector.tobytes() != command.vector.tobytes():
            self.add("request", moment, request)
        if tick.telemetry is not None:
            self.add("telemetry", moment, tick.telemetry)
        truth = tick.truth
        if truth is not None:
            self.add("truth", moment, truth)
        for event in tick.events:
            self.event(event)
        self.end_tick()

    def after_restore(self) -> None:
        """Cut off what was written after a restored snapshot; a log that was closed meanwhile goes on."""
        with refused(RecordingError, "the log cannot go on", self.path):
            if isinstance(self._output, FileIO) and self._output.closed:
                self._output = FileIO(self.path, "r+")
            self._output.truncate(self._position)
            self._output.seek(self._position)

    def flush(self) -> None:
        """Write everything added so far.

        Raises:
            RecordingError: The disk is full or gone; the file ends with the last whole chunk.
        """
        from mcap.records import ChunkIndex
        from zstandard import compress

        self._full = False
        self._flushed = self._moment
        parts: list[memoryview | bytes] = []
        indexes: list[tuple[int, bytes]] = []
        moments: list[int] = []
        size = 0
        for block in self._blocks.values():
            if block.count:
                moments += (int(block.times[0]), int(block.times[block.count - 1]))
                messages, index = block.take(size)
                parts.append(messages)
                indexes.append((block.channel, index))
                size += len(messages)
        if self._events:
            moments += (moment for moment, _ in self._events)
            text, index = self._take_events(size)
            parts.append(text)
            indexes.append((self._event_channel, index))
            size += len(text)
        if not parts:
            return
        start, end = min(moments), max(moments)
        content = b"".join(parts)
        packed = compress(content, LEVEL)
        head = chunk_head(start, end, zlib.crc32(content), size, len(packed))
        offsets, position = {}, self._position + len(head) + len(packed)
        for channel, index in indexes:
            offsets[channel] = position
            position += len(index)
        begin, length = self._position, len(head) + len(packed)
        self._write(b"".join([head, packed, *(index for _, index in indexes)]))
        self._indexes.append(
            ChunkIndex(
                chunk_length=length,
                chunk_start_offset=begin,
                compression=COMPRESSION,
                compressed_size=len(packed),
                message_end_time=end,
                message_index_length=position - begin - length,
                message_index_offsets=offsets,
                message_start_time=start,
                uncompressed_size=size,
            )
        )

    def close(self) -> None:
        """Write what is left, the summary and the end mark; a second call does nothing.

        Raises:
            RecordingError: The disk is full or gone.
        """
        if self._closed:
            return
        try:
            self.flush()
            self._write(self._summary())
        finally:
            self._closed = True
            self._output.close()

    def _open_block(self, channel: str, record: Record) -> ChannelBlock:
        layout = record.layout
        for field in layout.fields:
            if not (field.name.isidentifier() and field.name.isascii()):
                raise RecordingError(
                    f"channel {channel!r} has a field whose name cannot stand in a log", value=field.name
                )
        metadata = {"layout": layout_text(layout)}
        number = self._open_channel(channel, "cdr", "ros2msg", message_definition(layout), metadata)
        block = self._blocks[channel] = ChannelBlock(number, layout, self._rows)
        return block

    def _open_channel(self, name: str, message: str, schema: str, definition: str, metadata: dict[str, str]) -> int:
        """Register a channel and its schema at once, outside the chunks, so that any later row can be read."""
        from mcap.records import Channel, Schema

        number = len(self._channels) + 1
        record = Schema(data=definition.encode(), encoding=schema, id=number, name=f"andante/msg/{name.title()}")
        channel = Channel(number, f"/{name}", message, metadata, number)
        self._write(self._encode(record) + self._encode(channel))
        self._schemas.append(record)
        self._channels.append(channel)
        return number

    def _take_events(self, offset: int) -> tuple[bytes, bytes]:
        messages, entries = [], []
        for moment, text in self._events:
            entries.append(moment.to_bytes(8, "little") + offset.to_bytes(8, "little"))
            head = MESSAGE.pack(
                MESSAGE_OPCODE, MESSAGE_FIELDS + len(text), self._event_channel, self._event_count, moment, moment
            )
            messages.append(head + text)
            offset += len(messages[-1])
            self._event_count += 1
        self._events.clear()
        return b"".join(messages), message_index(self._event_channel, b"".join(entries))

    def _summary(self) -> bytes:
        from mcap.opcode import Opcode
        from mcap.records import DataEnd, Footer, Statistics, SummaryOffset

        counts = {block.channel: block.sequence for block in self._blocks.values() if block.sequence}
        if self._event_count:
            counts[self._event_channel] = self._event_count
        statistics = Statistics(
            attachment_count=0,
            channel_count=len(self._channels),
            channel_message_counts=counts,
            chunk_count=len(self._indexes),
            message_count=sum(counts.values()),
            message_end_time=max((index.message_end_time for index in self._indexes), default=0),
            message_start_time=min((index.message_start_time for index in self._indexes), default=0),
            metadata_count=len(self._metadata),
            schema_count=len(self._schemas),
        )
        data_end = self._encode(DataEnd(0))
        start = position = self._position + len(data_end)
        groups, offsets = [], []
        for opcode, records in (
            (Opcode.SCHEMA, self._schemas),
            (Opcode.CHANNEL, self._channels),
            (Opcode.STATISTICS, [statistics]),
            (Opcode.CHUNK_INDEX, self._indexes),
            (Opcode.METADATA_INDEX, self._metadata),
        ):
            group = b"".join(self._encode(record) for record in records)
            if group:
                groups.append(group)
                offsets.append(self._encode(SummaryOffset(opcode, position, len(group))))
                position += len(group)
        # A summary checksum of zero means "not given".
        footer = self._encode(Footer(start, position, 0))
        return data_end + b"".join(groups) + b"".join(offsets) + footer + _MAGIC

    def _encode(self, record: object) -> bytes:
        builder = self._builder()
        record.write(builder)  # type: ignore[attr-defined]
        return bytes(builder.end())

    def _write(self, data: bytes) -> None:
        try:
            view = memoryview(data)
            while view:
                done = self._output.write(view)
                if not done:
                    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
                view = view[done:]
        except OSError as error:
            self._give_up()
            raise RecordingError(
                f"the log cannot be written: {os.strerror(error.errno) if error.errno else error}",
                place=str(self.path),
                remedy=f"the first {self._position} bytes are whole and can be read",
            ) from None
        self._position += len(data)

    def _give_up(self) -> None:
        """Cut off a half-written piece, so that the file ends with a whole record; then leave it alone."""
        self._closed = True
        with contextlib.suppress(OSError):
            self._output.truncate(self._position)
            self._output.close()


def _open_itself(path: str, flags: int) -> int:
    # A log replaces what is at its place; what a link leads to is somebody else's.
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
