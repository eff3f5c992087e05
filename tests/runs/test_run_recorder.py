"""Logs: every value comes back, other readers understand them, and nothing that happens makes them unreadable."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from run_fakes import twin

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.records import Field, Layout, Record, axes, scalar
from andante.runs.errors import LogError, RecordingError
from andante.runs.logs.log import Log
from andante.runs.logs.recorder import LogRecorder

LAYOUT = Layout(
    "sensors", (scalar("time", "s"), Field("position", ("a", "b"), "rad"), Field("none", ()), axes("gyro", "rad/s"))
)
ROBOT = twin()
VALUES = np.random.default_rng(1).standard_normal((40, LAYOUT.size))


def record(*values: float) -> Record:
    return Record(LAYOUT, np.array(values))


def write(path: Path, ticks: int = 40, rows: int = 8, output: SmallDisk | None = None) -> np.ndarray:
    """A log with two channels and some events; returns what the sensors channel must hold."""
    metadata = {"run": {"seed": "7"}, "scenario": {"text": "ä: 1\n"}}
    recorder = LogRecorder(path, metadata, rows=rows, interval=1e9, output=output)
    for tick in range(ticks):
        recorder.add("sensors", tick * 1000, record(*VALUES[tick]))
        if tick % 3 == 0:
            recorder.add("command", tick * 1000, ROBOT.command(np.full(10, float(tick))))
        if tick % 10 == 0:
            recorder.event(ControlEvent(tick * 1e-6, EventKind.NOTE, f"tick {tick}", {"tick": tick}))
        recorder.end_tick()
    recorder.close()
    recorder.close()
    return VALUES[:ticks]


class SmallDisk:
    """A file on a disk with room for some bytes; takes a part of a write before it fails, as real disks do."""

    def __init__(self, room: int) -> None:
        self.file = BytesIO()
        self.room = room
        self.closed = False

    def write(self, data: bytes) -> int:
        left = self.room - self.file.tell()
        if left <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.file.write(data[:left])

    def truncate(self, size: int) -> int:
        return self.file.truncate(size)

    def close(self) -> None:
        self.closed = True


def test_every_value_comes_back(tmp_path: Path) -> None:
    values = write(tmp_path / "log")
    log = Log.open(tmp_path / "log")
    assert log.complete
    assert log.rows("sensors").layout == LAYOUT
    assert log.rows("sensors").rows.tobytes() == values.tobytes()
    assert log.rows("sensors").nanoseconds.tolist() == [1000 * tick for tick in range(40)]
    assert log.rows("command")["kp"][:, 1].tolist() == list(range(0, 40, 3))
    assert [event.data["tick"] for event in log.events] == [0, 10, 20, 30]
    assert log.metadata == {"run": {"seed": "7"}, "scenario": {"text": "ä: 1\n"}}
    times, column = log.column("sensors.position.b")
    assert column.tolist() == values[:, 2].tolist()
    assert times[-1] == 39e-6
    assert log.columns[:3] == ("sensors.time", "sensors.position.a", "sensors.position.b")


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, -0.0, 5e-324, 1.7976931348623157e308])
def test_special_numbers_keep_their_bits(tmp_path: Path, special: float) -> None:
    recorder = LogRecorder(tmp_path / "log")
    recorder.add("sensors", 0, record(special, 1, 2, 3, 4, 5))
    recorder.close()
    assert (
        Log.open(tmp_path / "log").rows("sensors").rows[0].tobytes() == record(special, 1, 2, 3, 4, 5).vector.tobytes()
    )


def test_a_record_may_be_reused_by_its_maker(tmp_path: Path) -> None:
    recorder = LogRecorder(tmp_path / "log")
    one = record(0, 0, 0, 0, 0, 0)
    for tick in range(3):
        one.vector[:] = tick
        recorder.add("sensors", tick, one)
    recorder.close()
    assert Log.open(tmp_path / "log").rows("sensors")["time"][:, 0].tolist() == [0, 1, 2]


def test_other_readers_understand_the_log(tmp_path: Path) -> None:
    """Oracle: the reader of the mcap package and the ROS 2 decoder."""
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory

    values = write(tmp_path / "log")
    with open(tmp_path / "log", "rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        assert summary is not None
        assert summary.statistics is not None
        assert summary.statistics.message_count == 40 + 14 + 4
        assert summary.statistics.message_end_time == 39_000
        decoded = [message for *_, message in reader.iter_decoded_messages(topics=["/sensors"])]
        assert len(decoded) == 40
        for message, row in zip(decoded, values, strict=True):
            assert message.time == row[0]
            assert list(message.position) == row[1:3].tolist()
            assert list(message.gyro) == row[3:].tolist()
            assert not hasattr(message, "none")
        part = [m.log_time for _, _, m in reader.iter_messages(["/sensors"], starting_at=10_000, ending_before=20_000)]
        assert part == list(range(10_000, 20_000, 1000))
        assert [m.name for m in reader.iter_metadata()] == ["run", "scenario"]
        assert sum(1 for _ in reader.iter_messages(["/events"])) == 4


def test_records_of_every_size_are_aligned_for_cdr(tmp_path: Path) -> None:
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory

    recorder = LogRecorder(tmp_path / "log")
    for size in range(1, 6):
        layout = Layout(f"c{size}", (Field("x", tuple(f"l{i}" for i in range(size))), scalar("y")))
        recorder.add(f"c{size}", 0, Record(layout, np.arange(size + 1.0)))
    recorder.close()
    with open(tmp_path / "log", "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, channel, _, message in reader.iter_decoded_messages():
            size = int(channel.topic[2:])
            assert np.ravel(message.x).tolist() == list(range(size))
            assert message.y == size


def test_a_log_cut_anywhere_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    values = write(tmp_path / "log")
    whole = (tmp_path / "log").read_bytes()
    counts = []
    for size in [*range(8, len(whole), 61), len(whole) - 1]:
        (tmp_path / "cut").write_bytes(whole[:size])
        log = Log.open(tmp_path / "cut")
        rows = log.channels["sensors"].rows if "sensors" in log.channels else values[:0]
        assert rows.tobytes() == values[: len(rows)].tobytes()
        assert log.complete == (len(rows) == 40 and not log.problem)
        counts.append(len(rows))
    assert counts == sorted(counts)
    assert set(counts) >= {0, 8, 16, 24, 32, 40}
    assert "cut off" in Log.open(tmp_path / "cut").problem or counts[-1] == 40


def test_a_cut_log_says_so(tmp_path: Path) -> None:
    write(tmp_path / "log")
    whole = (tmp_path / "log").read_bytes()
    (tmp_path / "log").write_bytes(whole[: len(whole) // 2])
    problem = Log.open(tmp_path / "log").problem
    assert problem.startswith("cut off or damaged at byte ")
    assert problem.endswith("bytes is incomplete")


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.7, 0.95, 0.999])
def test_a_full_disk_is_told_and_what_was_written_stays_readable(tmp_path: Path, share: float) -> None:
    values = write(tmp_path / "log")
    disk = SmallDisk(int(share * (tmp_path / "log").stat().st_size))
    with pytest.raises(RecordingError) as caught:
        write(tmp_path / "log", output=disk)
    assert str(caught.value).startswith(f"{tmp_path / 'log'}: the log cannot be written: No space left on device")
    assert disk.closed
    (tmp_path / "rest").write_bytes(disk.file.getvalue())
    log = Log.open(tmp_path / "rest") if len(disk.file.getvalue()) >= 8 else None
    rows = log.channels["sensors"].rows if log and "sensors" in log.channels else values[:0]
    assert rows.tobytes() == values[: len(rows)].tobytes()
    assert len(rows) >= int(40 * (share - 0.4))


def test_closing_after_a_full_disk_is_quiet(tmp_path: Path) -> None:
    disk = SmallDisk(900)
    recorder = LogRecorder(tmp_path / "log", output=disk, rows=100)
    for tick in range(50):
        recorder.add("sensors", tick, record(*range(6)))
    with pytest.raises(RecordingError):
        recorder.flush()
    recorder.close()
    assert disk.file.tell() <= 900


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a disk without room, which only Linux has")
def test_a_really_full_device(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"/dev/full: the log cannot be written: No space left on device"):
        LogRecorder(Path("/dev/full"))


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"the log cannot be created; got 'No such file or directory'"):
        LogRecorder(tmp_path / "no" / "log")


@pytest.mark.slow
def test_a_killed_process_leaves_a_readable_log(tmp_path: Path) -> None:
    program = (
        "import sys, time, numpy as np\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from pathlib import Path\n"
        "from test_run_recorder import record\n"
        "from andante.runs.logs.recorder import LogRecorder\n"
        "recorder = LogRecorder(Path(sys.argv[1]), rows=64, interval=0.05)\n"
        "tick = 0\n"
        "while True:\n"
        "    recorder.add('sensors', tick * 10**6, record(tick, 1, 2, 3, 4, 5))\n"
        "    recorder.end_tick()\n"
        "    tick += 1\n"
        "    if tick == 1000: print('running', flush=True)\n"
        "    time.sleep(1e-4)\n"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path / "log"), str(Path(__file__).parent)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    log = Log.open(tmp_path / "log")
    assert not log.complete
    ticks = log.rows("sensors")["time"][:, 0]
    assert len(ticks) >= 1000 - 64
    assert ticks.tolist() == list(range(len(ticks)))


def test_another_layout_on_a_channel_is_refused(tmp_path: Path) -> None:
    recorder = LogRecorder(tmp_path / "log")
    recorder.add("sensors", 0, record(*range(6)))
    with pytest.raises(RecordingError, match=r"another layout came to channel 'sensors'; got 1; limit: 6 values"):
        recorder.add("sensors", 1, Record(Layout("sensors", (scalar("time"),)), np.zeros(1)))


def test_names_that_no_log_can_hold_are_refused(tmp_path: Path) -> None:
    recorder = LogRecorder(tmp_path / "log")
    with pytest.raises(RecordingError, match="whose name cannot stand in a log; got 'a b'"):
        recorder.add("x", 0, Record(Layout("x", (scalar("a b"),)), np.zeros(1)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no log: an MCAP file begins with 89 4d 43 41 50 30; got 'an empty file'"),
        (b"hello world, this is text", "got '68 65 6c 6c 6f 20 77 6f'"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "got '89 50 4e 47"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.mcap").write_bytes(content)
    with pytest.raises(LogError) as caught:
        Log.open(tmp_path / "x.mcap")
    assert str(caught.value).startswith(str(tmp_path / "x.mcap"))
    assert message in str(caught.value)


def test_a_missing_a_huge_and_a_foreign_log_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"none.mcap: does not exist"):
        Log.open(tmp_path / "none.mcap")
    with pytest.raises(LogError, match=r"is no file"):
        Log.open(tmp_path)
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(5 * 2**30)
    with pytest.raises(LogError, match=r"is too large for a log; got 5368709120; limit: 4294967296 bytes"):
        Log.open(tmp_path / "huge")
    from mcap.writer import Writer

    with open(tmp_path / "foreign", "wb") as file:
        writer = Writer(file)
        writer.start()
        schema = writer.register_schema("x", "ros2msg", b"float64 a")
        channel = writer.register_channel("/x", "cdr", schema)
        writer.add_message(channel, 0, b"\0\1\0\0" + bytes(8), 0)
        writer.finish()
    with pytest.raises(
        LogError, match="was not written by Andante: none of its channels has a layout in its metadata; got 'x'"
    ):
        Log.open(tmp_path / "foreign")


def test_unknown_names_are_told_with_the_nearest(tmp_path: Path) -> None:
    write(tmp_path / "log")
    log = Log.open(tmp_path / "log")
    with pytest.raises(LogError, match="did you mean 'sensors'"):
        log.rows("sensor")
    with pytest.raises(LogError, match=r"did you mean 'sensors.gyro.x'"):
        log.column("sensors.giro.x")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1))
def test_a_damaged_log_never_crashes_the_reader(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "whole"
    if not path.exists():
        write(path)
    data = bytearray(path.read_bytes())
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 8)):
        kind, place = chance.random(), chance.randrange(8, len(data))
        if kind < 0.6:
            data[place] = chance.randrange(256)
        elif kind < 0.8:
            del data[place : place + chance.randint(1, 40)]
        else:
            data[place:place] = os.urandom(chance.randint(1, 40))
    (tmp_path / "bad").write_bytes(data)
    try:
        log = Log.open(tmp_path / "bad")
    except LogError:
        return
    for rows in log.channels.values():
        assert rows.rows.shape == (len(rows.nanoseconds), rows.layout.size)


def merged(path: Path, *logs: Path, own_channels: bool) -> Path:
    """Logs as other programs merge them: messages by time, channels of one name made one or kept apart."""
    from mcap.reader import make_reader
    from mcap.writer import Writer

    writer, channels, messages = Writer(str(path)), {}, []
    writer.start()
    for number, log in enumerate(logs):
        with open(log, "rb") as file:
            for _, channel, message in make_reader(file).iter_messages():
                key = (channel.topic, number * own_channels)
                if key not in channels:
                    text = channel.metadata
                    channels[key] = writer.register_channel(channel.topic, channel.message_encoding, 0, text)
                messages.append((message.log_time, channels[key], message.data))
    for moment, number, data in sorted(messages, key=lambda each: each[0]):
        writer.add_message(number, moment, data, moment)
    writer.finish()
    return path


def test_a_second_log_in_the_file_is_told(tmp_path: Path) -> None:
    values = write(tmp_path / "log")
    whole = (tmp_path / "log").read_bytes()
    (tmp_path / "two").write_bytes(whole + whole)
    log = Log.open(tmp_path / "two")
    assert log.rows("sensors").rows.tobytes() == values.tobytes()
    assert f"{len(whole)} bytes stand after its end, at byte {len(whole)}" in log.problem


def test_merged_logs_are_no_run(tmp_path: Path) -> None:
    write(tmp_path / "log")
    logs = (tmp_path / "log", tmp_path / "log")
    assert "row 1 of channel" in Log.open(merged(tmp_path / "one", *logs, own_channels=False)).problem
    with pytest.raises(LogError, match="two of its channels have one name") as refused:
        Log.open(merged(tmp_path / "two", *logs, own_channels=True))
    assert refused.value.value == "sensors"
    assert Log.open(merged(tmp_path / "same", logs[0], own_channels=True)).complete
