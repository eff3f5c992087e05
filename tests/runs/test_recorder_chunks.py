"""What the recorder writes and when: chunks, their indexes, the summary, ticks, and outputs that take little."""

from __future__ import annotations

import contextlib
import errno
import os
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from run_fakes import TELEMETRY, TRUTH, twin

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.records import Layout, Record, scalar
from andante.runs.errors import RecordingError
from andante.runs.logs.log import Log
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop.tick import Tick

LAYOUT = Layout("sensors", (scalar("time", "s"), scalar("angle", "rad")))
ROBOT = twin()


def row(value: float) -> Record:
    return Record(LAYOUT, np.array([value, -value]))


class Memory(BytesIO):
    """An output that keeps its bytes when it is closed, and takes only so many at a time."""

    def __init__(self, most: int | None = None, limit: int | None = None) -> None:
        super().__init__()
        self.most, self.limit, self.left_alone = most, limit, False

    def write(self, data: memoryview) -> int | None:
        if self.limit is not None and self.tell() >= self.limit:
            return None
        return super().write(data[: self.most])

    def close(self) -> None:
        self.left_alone = True


def records(raw: bytes) -> list[tuple[int, object]]:
    """Offset and record of all that stands in a file outside its chunks, by the reader of the mcap package."""
    from mcap.exceptions import EndOfFile
    from mcap.stream_reader import StreamReader

    file = BytesIO(raw)
    found = []
    reader = StreamReader(file, emit_chunks=True).records
    offset = 8
    # A log that is still being written has no end.
    with contextlib.suppress(EndOfFile):
        for record in reader:
            found.append((offset, record))
            offset = file.tell()
    return found


def of_kind(raw: bytes, kind: str) -> list[tuple[int, object]]:
    return [(offset, record) for offset, record in records(raw) if type(record).__name__ == kind]


def note(time: float) -> ControlEvent:
    return ControlEvent(time, EventKind.NOTE, "here", {})


def chunks_while(moments: list[int], **settings: float) -> list[int]:
    """How many chunks there are after each tick with one row of these moments [ns]."""
    output = Memory()
    recorder = LogRecorder(Path("log"), output=output, **settings)
    counts = []
    for moment in moments:
        recorder.add("sensors", moment, row(1.0))
        recorder.end_tick()
        counts.append(len(of_kind(output.getvalue(), "Chunk")))
    return counts


def test_half_a_second_of_the_run_is_a_chunk() -> None:
    assert chunks_while([0, 499_999_999, 500_000_000, 500_000_001, 999_999_999, 1_000_000_000]) == [0, 0, 1, 1, 1, 2]
    assert chunks_while([1_999_999_999, 2_000_000_000], interval=2.0) == [0, 1]
    assert chunks_while([2_000_000_000], interval=2.000000001) == [0]


def test_a_full_block_is_a_chunk() -> None:
    counts = chunks_while([0] * 513)
    assert (counts[254], counts[255], counts[256], counts[510], counts[511]) == (0, 1, 1, 1, 2)
    assert chunks_while([0] * 5, rows=2) == [0, 1, 1, 2, 2]


def test_a_chunk_tells_the_moments_and_the_place_of_its_messages() -> None:
    output = Memory()
    recorder = LogRecorder(Path("log"), {"run": {"seed": "7"}}, output=output)
    moments = {1: ([20, 30, 40], []), 2: ([50, 60], [7e-8, 4.5e-8]), 3: ([], [8e-8]), 4: ([90], [])}
    for ticks, events in moments.values():
        for moment in ticks:
            recorder.add("sensors", moment, row(moment))
            recorder.add("command", moment + 1, ROBOT.command(np.zeros(10)))
        for time in events:
            recorder.event(note(time))
        recorder.flush()
        recorder.flush()
    recorder.close()
    raw = output.getvalue()
    chunks = of_kind(raw, "Chunk")
    assert [(c.message_start_time, c.message_end_time) for _, c in chunks] == [(20, 41), (45, 70), (80, 80), (90, 91)]
    indexes = dict(of_kind(raw, "MessageIndex"))
    told = [record for _, record in of_kind(raw, "ChunkIndex")]
    everything = [offset for offset, _ in records(raw)]
    for (offset, chunk), index in zip(chunks, told, strict=True):
        assert (index.message_start_time, index.message_end_time) == (chunk.message_start_time, chunk.message_end_time)
        assert index.chunk_start_offset == offset
        assert offset + index.chunk_length == everything[everything.index(offset) + 1]
        assert index.compressed_size == len(chunk.data)
        assert index.uncompressed_size == chunk.uncompressed_size
        for channel, place in index.message_index_offsets.items():
            assert indexes[place].channel_id == channel
        after = max(index.message_index_offsets.values())
        end = everything[everything.index(after) + 1]
        assert index.message_index_length == end - offset - index.chunk_length
    assert sum(len(index.message_index_offsets) for index in told) == len(indexes)
    check_messages(chunks, list(indexes.items()))


def check_messages(chunks: list, indexes: list) -> None:
    """Each entry of a chunk's indexes is the moment of the message at its offset, and all messages have one."""
    from mcap.data_stream import ReadDataStream
    from mcap.records import Message
    from zstandard import decompress

    counts: dict[int, list[int]] = {}
    ends = [offset for offset, _ in chunks[1:]] + [2**62]
    for (begin, chunk), end in zip(chunks, ends, strict=True):
        content = decompress(chunk.data, chunk.uncompressed_size)
        entries = 0
        for place, index in indexes:
            if not begin < place < end:
                continue
            for moment, offset in index.records:
                stream = ReadDataStream(BytesIO(content[offset:]))
                assert stream.read1() == 5
                length = stream.read8()
                message = Message.read(stream, length)
                assert message.channel_id == index.channel_id
                assert (message.log_time, message.publish_time) == (moment, moment)
                counts.setdefault(message.channel_id, []).append(message.sequence)
                entries += 9 + length
        assert entries == len(content)
    assert counts == {1: [0, 1, 2], 2: list(range(6)), 3: list(range(6))}


def test_the_summary_counts_what_is_there_and_says_where() -> None:
    output = Memory()
    recorder = LogRecorder(Path("log"), {"run": {"seed": "7"}, "scenario": {"text": "x"}}, output=output)
    for moment in (5, 17):
        recorder.add("sensors", moment, row(moment))
        recorder.event(note(1e-8))
        recorder.flush()
    recorder.close()
    raw = output.getvalue()
    assert (raw[:8], raw[-8:]) == (b"\x89MCAP0\r\n", b"\x89MCAP0\r\n")
    ((_, told),) = of_kind(raw, "Statistics")
    assert vars(told) == {
        "attachment_count": 0,
        "channel_count": 2,
        "channel_message_counts": {1: 2, 2: 2},
        "chunk_count": 2,
        "message_count": 4,
        "message_end_time": 17,
        "message_start_time": 5,
        "metadata_count": 2,
        "schema_count": 2,
    }
    ((end, data_end),) = of_kind(raw, "DataEnd")
    assert data_end.data_section_crc == 0
    ((_, footer),) = of_kind(raw, "Footer")
    everything = [offset for offset, _ in records(raw)]
    summary = everything[everything.index(end) + 1]
    offsets = of_kind(raw, "SummaryOffset")
    assert (footer.summary_start, footer.summary_offset_start, footer.summary_crc) == (summary, offsets[0][0], 0)
    expected = summary
    for _, group in offsets:
        assert group.group_start == expected
        assert raw[expected] == group.group_opcode
        expected += group.group_length
    assert expected == offsets[0][0]
    assert [group.group_opcode for _, group in offsets] == [3, 4, 11, 8, 13]
    for (offset, record), (_, index) in zip(of_kind(raw, "Metadata"), of_kind(raw, "MetadataIndex"), strict=True):
        assert (index.offset, index.name) == (offset, record.name)
        assert offset + index.length == everything[everything.index(offset) + 1]


def test_a_log_of_nothing_is_whole(tmp_path: Path) -> None:
    LogRecorder(tmp_path / "log").close()
    log = Log.open(tmp_path / "log")
    assert log.complete
    assert not log.channels
    assert not log.events
    raw = (tmp_path / "log").read_bytes()
    ((_, told),) = of_kind(raw, "Statistics")
    assert (told.message_start_time, told.message_end_time, told.message_count, told.chunk_count) == (0, 0, 0, 0)
    assert told.channel_message_counts == {}
    assert [group.group_opcode for _, group in of_kind(raw, "SummaryOffset")] == [3, 4, 11]


def test_a_chunk_of_the_first_moment_begins_and_ends_there() -> None:
    output = Memory()
    recorder = LogRecorder(Path("log"), output=output)
    recorder.add("sensors", 0, row(1.0))
    recorder.close()
    ((_, chunk),) = of_kind(output.getvalue(), "Chunk")
    assert (chunk.message_start_time, chunk.message_end_time) == (0, 0)


def test_events_stand_at_their_nanosecond_and_none_before_the_start(tmp_path: Path) -> None:
    from mcap.reader import make_reader

    recorder = LogRecorder(tmp_path / "log")
    for time in (-0.5, 0.0, 12.5):
        recorder.event(note(time))
    recorder.close()
    with open(tmp_path / "log", "rb") as file:
        assert [m.log_time for _, _, m in make_reader(file).iter_messages()] == [0, 0, 12_500_000_000]
    assert [event.time for event in Log.open(tmp_path / "log").events] == [-0.5, 0.0, 12.5]


def test_an_equal_layout_fits_its_channel_and_a_letter_of_another_alphabet_no_field(tmp_path: Path) -> None:
    recorder = LogRecorder(tmp_path / "log")
    recorder.add("sensors", 0, row(1.0))
    twin_layout = Layout("sensors", (scalar("time", "s"), scalar("angle", "rad")))
    assert twin_layout is not LAYOUT
    recorder.add("sensors", 1, Record(twin_layout, np.array([2.0, -2.0])))
    with pytest.raises(RecordingError, match="whose name cannot stand in a log; got 'größe'"):
        recorder.add("x", 0, Record(Layout("x", (scalar("größe"),)), np.zeros(1)))
    recorder.close()
    assert Log.open(tmp_path / "log").rows("sensors")["time"][:, 0].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("request_is", ["the command", "equal", "another"])
@pytest.mark.parametrize("more", [False, True])
def test_a_tick_is_kept_with_what_is_worth_a_row(tmp_path: Path, checked: bool, request_is: str, more: bool) -> None:
    sensors, seen = ROBOT.sensors(), ROBOT.sensors()
    command = ROBOT.command(np.arange(10.0))
    other = ROBOT.command(np.arange(10.0) + (request_is == "another"))
    tick = Tick(
        3,
        2_000_000_000,
        sensors,
        seen if checked else sensors,
        command if request_is == "the command" else other,
        command,
        [note(2.0)],
        Record(TELEMETRY, np.array([4.0])) if more else None,
        lambda: Record(TRUTH, np.array([2.0, 0.3])) if more else None,
    )
    output = Memory()
    recorder = LogRecorder(Path("log"), output=output)
    recorder.tick(tick)
    assert len(of_kind(output.getvalue(), "Chunk")) == 1
    recorder.close()
    (tmp_path / "log").write_bytes(output.getvalue())
    log = Log.open(tmp_path / "log")
    worth = {"checked": checked, "request": request_is == "another", "telemetry": more, "truth": more}
    assert set(log.channels) == {"sensors", "command"} | {name for name, kept in worth.items() if kept}
    assert all(rows.nanoseconds.tolist() == [2_000_000_000] for rows in log.channels.values())
    assert log.rows("command").rows.tobytes() == command.vector.tobytes()
    if request_is == "another":
        assert log.rows("request").rows.tobytes() == other.vector.tobytes()
    assert [event.text for event in log.events] == ["here"]


def some(output: Memory | None, path: Path = Path("log")) -> LogRecorder:
    recorder = LogRecorder(path, output=output)
    for moment in range(20):
        recorder.add("sensors", moment, row(moment))
    return recorder


def test_an_output_that_takes_little_at_a_time_gets_the_same_bytes() -> None:
    whole, little = Memory(), Memory(most=7)
    some(whole).close()
    some(little).close()
    assert little.getvalue() == whole.getvalue()
    assert whole.left_alone


def test_an_output_that_takes_nothing_is_told_and_ends_with_a_whole_record() -> None:
    output = Memory(most=50)
    recorder = some(output)
    recorder.flush()
    whole = len(output.getvalue())
    output.limit = whole + 100
    recorder.add("sensors", 100, row(0.5))
    with pytest.raises(RecordingError) as caught:
        recorder.flush()
    assert os.strerror(errno.EAGAIN) in str(caught.value)
    assert f"the first {whole} bytes are whole" in str(caught.value)
    assert len(output.getvalue()) == whole
    assert output.left_alone
    recorder.close()
    assert len(output.getvalue()) == whole


def test_a_log_takes_the_place_and_the_usual_rights_of_a_file_and_follows_no_link(tmp_path: Path) -> None:
    path = tmp_path / "log"
    old = os.umask(0)
    try:
        some(None, path).close()
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o666
    size = path.stat().st_size
    path.write_bytes(path.read_bytes() * 3)
    some(None, path).close()
    assert path.stat().st_size == size
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(RecordingError, match="the log cannot be created"):
        LogRecorder(tmp_path / "link")
    assert path.stat().st_size == size


@pytest.mark.parametrize("closed", [False, True])
def test_a_restored_log_goes_on_behind_what_it_had(tmp_path: Path, closed: bool) -> None:
    path = tmp_path / "log"
    recorder = some(None, path)
    recorder.flush()
    kept = dict(vars(recorder))
    kept["_blocks"] = dict(recorder._blocks)
    lists = {name: list(value) for name, value in kept.items() if isinstance(value, list)}
    sequence = recorder._blocks["sensors"].sequence
    for moment in range(20, 900):
        recorder.add("sensors", moment, row(moment**0.5))
        recorder.end_tick()
    if closed:
        recorder.close()
    else:
        recorder.flush()
    vars(recorder).update(kept | lists)
    recorder._blocks["sensors"].sequence = sequence
    recorder.after_restore()
    assert path.stat().st_size == recorder._position
    recorder.add("sensors", 20, row(99.0))
    recorder.close()
    log = Log.open(path)
    assert log.complete
    assert log.rows("sensors")["time"][:, 0].tolist() == [*range(20), 99.0]
