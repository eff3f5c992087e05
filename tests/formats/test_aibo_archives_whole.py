"""Archives come back byte by byte, through the reader alone, through a library, and through a document."""

from __future__ import annotations

import gzip
import struct
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from aibo_files import VARIANTS, mtn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sony_archive import MOTIONS, SIT, STAND, archive, motion

from andante.formats.aibo.oda import read_oda, write_oda
from andante.formats.registry import convert, read, write
from andante.formats.report import FormatError, ReadReport

Entry = tuple[bytes, str, bytes]


def put(
    entries: list[Entry],
    *,
    order: list[int] | None = None,
    gap: bytes = b"",
    shared: bool = True,
    behind: bytes = b"",
    after_name: bytes = b"",
    reserved: int = 0,
) -> bytes:
    """An archive whose payloads stand in an order, with bytes between and behind them; equal ones may share a place."""
    at = 64 + 144 * len(entries)
    body, places, seen = b"", {}, {}
    for index in order or range(len(entries)):
        payload = entries[index][2]
        if shared and payload in seen:
            places[index] = seen[payload]
            continue
        body += gap
        places[index] = seen[payload] = at + len(body)
        body += payload
    raw = b"ODAR" + struct.pack("<III", 0x30000, len(entries), 144) + bytes(48)
    for index, (kind, name, payload) in enumerate(entries):
        field = (name.encode("latin-1") + b"\0" + after_name)[:128]
        raw += struct.pack("<4s128sIII", kind, field, places[index], len(payload), reserved)
    return raw + body + behind


def clashing() -> list[Entry]:
    """As the archives of the ERS-111: other motions under one name inside, and one name of 33 characters."""
    long = "a_stand#stand_" + "x" * 19
    return [
        (b"OMTN", "0001", motion("a_sit#sit_wag", [(0, SIT), (20, {**SIT, "TailPan": 40}), (20, SIT)])),
        (b"OMTN", "0002", motion("a_sit#sit_wag", [(0, SIT), (30, {**SIT, "TailPan": -40}), (30, SIT)])),
        (b"OMTN", "0003", motion("a_sit#sit_wag", [(0, SIT), (40, {**SIT, "Pan": 40}), (40, SIT)])),
        (b"OMTN", long, motion(long, [(0, STAND), (20, STAND)])),
        (b"OMTN", "0001", motion("a_stand#stand_other", [(0, STAND), (20, STAND)])),
    ]


def aliased() -> list[Entry]:
    """Entries of the same content, stubs, other kinds, names that differ in case, and empty ones."""
    wag, kick = VARIANTS["tail"], mtn("a_stand#stand_kick")
    return [
        (b"OMTN", "wag", wag),
        (b"OMTN", "WAG", wag),
        (b"OMTN", "wag", wag),
        (b"OMTN", "alias", b"NotOMTN "),
        (b"OMTN", "", kick),
        (b"OMTN", "kick", mtn("a_stand#stand_KICK")),
        (b"WAVE", "bark", b"RIFF\4\0\0\0WAVE"),
        (b"XYZ ", "new", b"nobody knows"),
        (bytes(4), "", b""),
        (b"OMTN", "none", mtn("")),
        (b"OMTN", "zero", b"OMTN" + bytes(40)),
        (b"OMTN", "dog", VARIANTS["ERS-210"]),
        (bytes(4), "kindless", mtn("a_stand#stand_kindless")),
    ]


FOUR = {
    "clashing": put(clashing()),
    "aliases": put(aliased(), gap=b"\xaa\xbb", behind=b"the end", order=[*range(12, -1, -1)]),
    "packed": put(
        [(kind, name, gzip.compress(raw, level)) for level, (kind, name, raw) in enumerate(clashing(), 3)],
        after_name=b"old name",
        reserved=7,
    ),
    "whole": gzip.compress(archive(MOTIONS), 5, mtime=1_000_000_000),
}


def ways(raw: bytes, folder: Path) -> Iterator[tuple[str, bytes]]:
    """The archive again, on all ways."""
    yield "read and written", write_oda(read_oda(raw, "x.oda"))
    source = folder / "x.oda"
    source.write_bytes(raw)
    write(read(source), folder / "library.oda")
    yield "through a library", (folder / "library.oda").read_bytes()
    convert(source, folder / "x.yaml")
    convert(folder / "x.yaml", folder / "document.oda")
    yield "through a document", (folder / "document.oda").read_bytes()


@pytest.mark.parametrize("raw", FOUR.values(), ids=FOUR)
def test_archives_come_back(raw: bytes, tmp_path: Path) -> None:
    for way, again in ways(raw, tmp_path):
        assert again == raw, way


def test_no_motion_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "x.oda").write_bytes(FOUR["clashing"])
    library = read(tmp_path / "x.oda")
    long = "a_stand#stand_" + "x" * 19
    assert list(library.motions) == ["0001", "0002", "0003", long, "a_stand#stand_other"]
    assert len(library.blocks) == 5
    (tmp_path / "y.oda").write_bytes(FOUR["aliases"])
    library = read(tmp_path / "y.oda")
    assert list(library.motions) == [
        *("t_any#any_wag", "WAG", "wag", "a_stand#stand_kick", "a_stand#stand_KICK", "none", "a_stand#stand_kindless"),
    ]
    # An alias shares the keyframes: an edit of one is one of both.
    assert library.motions["WAG"].blocks == library.motions["t_any#any_wag"].blocks == ("t_any#any_wag",)


def test_a_name_that_was_read_is_a_warning_and_a_new_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.oda").write_bytes(FOUR["clashing"])
    report = ReadReport()
    library = read(tmp_path / "x.oda", report=report)
    assert any("more than 31 characters, MoNet cannot call it" in str(each) for each in report.warnings)
    long = "a_stand#stand_" + "x" * 19
    renamed = {("b" * 33 if name == long else name): motion for name, motion in library.motions.items()}
    with pytest.raises(FormatError, match=r"motions\.b+: the name has 33 characters.*at most 31 for MoNet"):
        write(library.but(motions=renamed), tmp_path / "y.oda")


def test_an_edit_changes_what_was_edited_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "x.oda").write_bytes(FOUR["aliases"])
    library = read(tmp_path / "x.oda")
    block = library.blocks["a_stand#stand_KICK"]
    first = block.keyframes[0]
    changed = block.but(keyframes=(first.but(joints={**first.joints, "Pan": 0.25}), *block.keyframes[1:]))
    write(library.but(blocks={**library.blocks, "a_stand#stand_KICK": changed}), tmp_path / "y.oda")
    old, new = read_oda(FOUR["aliases"], "x").entries, read_oda((tmp_path / "y.oda").read_bytes(), "y").entries
    assert [number for number, (one, other) in enumerate(zip(old, new, strict=True)) if one != other] == [5]
    without = {name: motion for name, motion in library.motions.items() if name != "WAG"}
    write(library.but(motions=without), tmp_path / "z.oda")
    left = read_oda((tmp_path / "z.oda").read_bytes(), "z").entries
    assert [entry.name for entry in left] == [entry.name for entry in old if entry.name != "WAG"]


def test_a_damaged_row_comes_back_and_an_edit_leaves_it_out(tmp_path: Path) -> None:
    raw = bytearray(put(clashing()))
    struct.pack_into("<I", raw, 64 + 144 + 136, 0x7FFFFFFF)
    for way, again in ways(bytes(raw), tmp_path):
        assert again == raw, way
    library = read(tmp_path / "x.oda")
    library.motions.pop("0001")
    done = write(library, tmp_path / "y.oda")
    left = read_oda(done[0].read_bytes(), "y").entries
    assert [entry.name for entry in left] == ["0003", "a_stand#stand_" + "x" * 19, "0001"]


KINDS = st.sampled_from([b"OMTN", b"WAVE", b"LED\0", b"ABCD", bytes(4)])
NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=255), max_size=40)
RAW = st.sampled_from([*VARIANTS.values(), b"NotOMTN ", b"", b"RIFF\0\0\0\0", mtn("a_sit#sit_x"), mtn("a")[:90]])
PAYLOADS = RAW | st.builds(lambda raw, level: gzip.compress(raw, level), RAW, st.integers(0, 9))
PAYLOADS |= st.builds(lambda raw: zlib.compress(raw, 6, wbits=31) + b"more", RAW)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_archive_comes_back(data: st.DataObject) -> None:
    entries = data.draw(st.lists(st.tuples(KINDS, NAMES, PAYLOADS), min_size=1, max_size=6))
    raw = put(
        entries,
        order=data.draw(st.permutations(range(len(entries)))),
        gap=data.draw(st.binary(max_size=5)),
        shared=data.draw(st.booleans()),
        behind=data.draw(st.binary(max_size=9)),
        after_name=data.draw(st.binary(max_size=9)),
        reserved=data.draw(st.integers(0, 2**32 - 1)),
    )
    packed = data.draw(st.booleans())
    raw = gzip.compress(raw, data.draw(st.integers(0, 9)), mtime=3) if packed else raw
    assert write_oda(read_oda(raw, "x.oda")) == raw
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "x.oda"
        source.write_bytes(raw)
        try:
            read(source)
        except FormatError:
            return  # not one motion is whole
        for way, again in ways(raw, Path(folder)):
            assert again == raw, way
