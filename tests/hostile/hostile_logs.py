"""Hostile logs and runs: tables, rows and numbers that are missing, of no time, or of another kind."""

from __future__ import annotations

import json
import struct

from hostile_case import Cases, raw
from hostile_kinds import COMPARE, MAGIC, SHOW, record, run_of

CASES = Cases()
REPLAY = ("replay", "{0}")
_LAYOUT = (b"layout", json.dumps([["time", [""], "s"]]).encode())


def _texts(*parts: bytes) -> bytes:
    return b"".join(struct.pack("<I", len(part)) + part for part in parts)


def _table(name: bytes, **texts: str) -> bytes:
    inner = _texts(*(each.encode() for pair in texts.items() for each in pair))
    return record(12, _texts(name) + struct.pack("<I", len(inner)) + inner)


def _sensors(*moments: int) -> bytes:
    """A channel of sensors with a row at each moment [ns]."""
    inner = _texts(*_LAYOUT)
    schema = record(3, struct.pack("<H", 1) + _texts(b"andante", b"ros2msg", b""))
    channel = record(4, struct.pack("<HH", 1, 1) + _texts(b"sensors", b"cdr") + struct.pack("<I", len(inner)) + inner)
    row = b"\0\1\0\0" + bytes(8)
    return schema + channel + b"".join(record(5, struct.pack("<HIQQ", 1, 0, each, each) + row) for each in moments)


def log(*parts: bytes) -> bytes:
    """A log that was closed."""
    end = record(15, struct.pack("<I", 0)) + record(2, struct.pack("<QQI", 0, 0, 0)) + MAGIC
    return MAGIC + record(1, _texts(b"andante", b"andante 1")) + b"".join(parts) + end


_BOX = _table(b"blackbox", reason="x", at="1")
CASES.add("a black box without rows", "a.mcap", raw(log(_BOX, _sensors())), REPLAY)
CASES.add("a black box without a channel", "a.mcap", raw(log(_BOX)), REPLAY)
CASES.add("a black box of no reason", "a.mcap", raw(log(_table(b"blackbox"), _sensors(0))), REPLAY, taken=True)
CASES.add("a black box of a row at 2^63", "a.mcap", raw(log(_BOX, _sensors(2**63))), REPLAY)
CASES.add("a log of a row at 2^64 - 1", "a.mcap", raw(log(_sensors(0, 2**64 - 1))), SHOW, COMPARE, REPLAY, taken=True)
_BACKEND = _table(b"backend", text="{}")
CASES.add("an arming of no run", "a.mcap", raw(log(_BACKEND, _sensors(0))), REPLAY, taken=True)
CASES.add("an arming of an empty run", "a.mcap", raw(log(_BACKEND, _table(b"run"), _sensors(0))), REPLAY, taken=True)
_WRONG = b'{"metrics": {}, "verdict": [1], "reasons": 3}'
CASES.add("a verdict that is a list", "run", run_of(_WRONG, log(_sensors(0))), SHOW, COMPARE)
CASES.add(
    "reasons that are a number", "run", run_of(_WRONG.replace(b"[1]", b'"pass"'), log(_sensors(0))), SHOW, COMPARE
)
CASES.add(
    "reasons of tables", "run", run_of(_WRONG.replace(b"[1]", b'""').replace(b"3", b"[{}]"), log()), SHOW, taken=True
)
