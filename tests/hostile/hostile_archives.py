"""Hostile files of AIBO's programs: archives, motions, Tekkotsu and EKMoves."""

from __future__ import annotations

import gzip
import json
import struct

from hostile_case import EXTRACT, LIST, ON_MOTION, Cases, lazy, raw, text
from hostile_containers import oda

CASES = Cases()


def _bomb_inside() -> bytes:
    bomb = gzip.compress(b"OMTN" + bytes(100_000_000), 1)
    return oda([(b"OMTN", b"bomb", 64 + 144, len(bomb))], bomb)


def _overlaps() -> bytes:
    start = 64 + 144 * 5000
    rows = [(b"OMTN", f"k{number}".encode(), start + number, 200_000) for number in range(5000)]
    return oda(rows, bytes(300_000))


def _mtn(keys: int) -> bytes:
    head = b"OMTN" + struct.pack("<IIIHHHHI", 0, 24, 4, 1, 2, keys, 16, 0)
    return (
        head
        + struct.pack("<II", 1, 12)
        + b"\x01a\x00\x00"
        + struct.pack("<IIH", 2, 13, 1)
        + b"\x02bc"
        + json.dumps([]).encode()
    )


CASES.add(
    "an archive of 4e9 entries",
    "a.oda",
    raw(b"ODAR" + struct.pack("<III", 0x30000, 2**32 - 1, 144) + bytes(48)),
    *ON_MOTION,
    LIST,
    EXTRACT,
)
CASES.add(
    "an archive that is a bomb",
    "a.oda",
    lazy(lambda: gzip.compress(oda([], bytes(200_000_000)), 1)),
    *ON_MOTION,
    LIST,
    EXTRACT,
)
CASES.add("a bomb in an archive", "a.oda", lazy(_bomb_inside), *ON_MOTION, LIST, EXTRACT, taken=True)
CASES.add(
    "an archive whose names go up",
    "a.oda",
    raw(oda([(b"WAVE", b"../../evil", 64 + 144, 4)], b"RIFF")),
    LIST,
    EXTRACT,
    taken=True,
)
CASES.add(
    "an archive of equal names",
    "a.oda",
    lazy(lambda: oda([(b"WAVE", b"a", 64 + 144 * 2000, 4)] * 2000, b"RIFF")),
    LIST,
    EXTRACT,
    taken=True,
)
CASES.add("an archive of overlaps", "a.oda", lazy(_overlaps), *ON_MOTION, LIST, EXTRACT, taken=True)
CASES.add(
    "steering codes in names",
    "a.oda",
    raw(oda([(b"WAVE", b"\x1b[2J\x1b]0;x\x07", 64 + 144, 4)], b"RIFF")),
    LIST,
    EXTRACT,
    taken=True,
)
CASES.add("a motion of 65,535 keys that ends", "a.mtn", raw(_mtn(65_535)), *ON_MOTION)
CASES.add("a Tekkotsu file that loads itself", "a.mot", text("#MSq\nload a.mot\n#END\n"), *ON_MOTION)
CASES.add(
    "a Tekkotsu file of a million lines",
    "a.mot",
    lazy(lambda: "#MSq\n" + "delay 1\n" * 1_000_000 + "#END\n"),
    *ON_MOTION,
    taken=True,
)
CASES.add(
    "an EKMoves file of a million numbers",
    "a.h",
    lazy(lambda: "const double A[] = {" + "1, " * 1_000_000 + "1};"),
    *ON_MOTION,
)
