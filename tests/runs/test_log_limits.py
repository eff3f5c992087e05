"""Logs whose chunks hold what no run writes: damage that is named, and ended before it costs much."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.runs.logs import log as logs
from andante.runs.logs.log import Log
from andante.runs.logs.recorder import LogRecorder

MAGIC = b"\x89MCAP0\r\n"


def record(opcode: int, content: bytes = b"") -> bytes:
    return struct.pack("<BQ", opcode, len(content)) + content


def chunk(content: bytes) -> bytes:
    """A chunk that is not compressed, without a checksum."""
    head = struct.pack("<QQQII", 0, 0, len(content), 0, 0)
    return record(6, head + struct.pack("<Q", len(content)) + content)


def problem(folder: Path, content: bytes) -> str:
    path = folder / "a.mcap"
    path.write_bytes(MAGIC + content)
    return Log.open(path).problem


def test_zeros_are_no_records(tmp_path: Path) -> None:
    end = "a record is of the kind 0, which is none"
    assert problem(tmp_path, bytes(4096)) == f"cut off or damaged at byte 8 of 4104: {end}"
    assert problem(tmp_path, chunk(bytes(9000))).endswith(end)


def test_a_chunk_holds_messages_schemas_and_channels_alone(tmp_path: Path) -> None:
    told = problem(tmp_path, chunk(record(15)))
    assert told.endswith("a chunk has a record of the kind 15, and holds messages and channels")
    # Beside chunks a reader passes over what it does not know.
    assert problem(tmp_path, record(16) + record(15, bytes(4))) == ""


def test_a_chunk_has_no_more_schemas_than_numbers_for_them(tmp_path: Path) -> None:
    assert problem(tmp_path, chunk(record(3) * 2**16) + record(15, bytes(4))) == ""
    told = problem(tmp_path, chunk(record(3) * (2**16 + 1)) + record(15, bytes(4)))
    assert told.endswith("a chunk has more than 65536 schemas and channels")


def test_more_events_than_runs_have_are_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "events.mcap"
    recorder = LogRecorder(path)
    for number in range(4):
        recorder.event(ControlEvent(number / 1000, EventKind.NOTE, "told"))
    recorder.close()
    monkeypatch.setattr(logs, "MAX_EVENTS", 4)
    assert Log.open(path).problem == ""
    monkeypatch.setattr(logs, "MAX_EVENTS", 3)
    cut = Log.open(path)
    assert cut.problem.endswith("there are more than 3 events")
    assert [event.time for event in cut.events] == [0.0, 0.001, 0.002]
