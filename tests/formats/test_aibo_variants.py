"""Rarer shapes of the AIBO's files: what they become, that they come back, and that cut ones cost little memory."""

from __future__ import annotations

import gzip
import random
import struct
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from aibo_files import KEYS, LOCATORS, VARIANTS, header, mtn, oda

from andante.formats.aibo.ekmoves import EkPose, ekmoves_text, parse_ekmoves
from andante.formats.aibo.mtn import read_mtn, write_mtn
from andante.formats.aibo.oda import KINDS, OdaArchive, read_oda, write_oda
from andante.formats.aibo.oda_files import add_files
from andante.formats.aibo.tekkotsu_mot import parse_mot
from andante.formats.registry import FORMATS, codec_for_writing, convert, read, write
from andante.formats.report import FormatError, ReadReport

EVERY_KIND = [(kind, f"entry{number}", b"payload") for number, kind in enumerate((*KINDS, bytes(4)))]
ARCHIVES = {
    "every kind": oda(EVERY_KIND),
    "another version": header(oda(EVERY_KIND), 4, "<I", 0x20001),
    "numbers in the header's rest": header(oda(EVERY_KIND), 16, "<I", 7),
    "a number at the row's end": header(oda(EVERY_KIND), 64 + 140, "<I", 9),
    "the longest name": oda([(b"OMTN", "n" * 128, mtn())]),
    "a name of other bytes": oda([(b"OMTN", "se\xf1al \x7f", mtn())]),
    "no name": oda([(b"OMTN", "", mtn())]),
    "empty payloads": oda([(b"WAVE", "a", b""), (b"OMTN", "b", mtn())]),
}


@pytest.mark.parametrize("raw", ARCHIVES.values(), ids=ARCHIVES)
def test_archives_come_back(raw):
    assert write_oda(read_oda(raw, "x.oda")) == raw


def test_payloads_may_stand_in_any_order_and_with_gaps():
    first, second = mtn("first"), mtn("second")
    raw = oda([(b"OMTN", "a", first), (b"OMTN", "b", second)])
    table = bytearray(raw[: 64 + 2 * 144])
    end = len(table)
    struct.pack_into("<II", table, 64 + 132, end + 10 + len(second), len(first))
    struct.pack_into("<II", table, 64 + 144 + 132, end + 10, len(second))
    odd = bytes(table) + bytes(10) + second + first
    archive = read_oda(odd, "x.oda")
    assert [entry.payload("") for entry in archive.entries] == [first, second]
    assert write_oda(archive) == odd
    assert write_oda(replace(archive, layout=None)) == raw


def test_a_file_of_the_present_folder_keeps_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("kick.mtn").write_bytes(mtn())
    assert add_files(OdaArchive(), [Path("./kick.mtn")]).entries[0].name == "kick"


def test_short_sections_whose_size_does_not_fit_16_bits():
    locators = [f"PRM:/r1/c{n}-Joint2:{n}" for n in range(18)]
    keys = [KEYS[0], *[(1, (0, 0, 0))] * 999]
    raw = mtn(design="DRX-700", locators=locators, keys=keys, short=True, frame=0)
    motion = read_mtn(raw, "x.mtn")
    assert (motion.layout.short, len(motion.keys), len(raw) > 80_000) == (True, 1000, True)
    assert write_mtn(motion) == raw
    for length in random.Random(1).sample(range(len(raw)), 200):
        with pytest.raises(FormatError, match=r"x\.mtn, byte \d+: "):
            read_mtn(raw[:length], "x.mtn")


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (4, 9, "x, byte 4: section 0 does not begin here; the size of the section before is wrong; got 9"),
        (8, 28, "x, byte 8: section 0 has the wrong size; got 28; limit: 24"),
        (12, 3, "x, byte 12: there are too few sections; got 3; limit: at least 4"),
        (28, 5, "x, byte 28: section 1 does not begin here; the size of the section before is wrong; got 5"),
        (32, 52, "x, byte 80: section 2 does not begin here; the size of the section before is wrong; got 792350034"),
        (32, 0xFFFFFFFF, "x, byte 67: the file ends inside section 1; got 705; limit: 4294967256 bytes"),
        (-192, 1, "x, byte 580: the data type is not known; got 1; limit: 0"),
    ],
)
def test_numbers_of_sections(at, value, message):
    raw = mtn()
    with pytest.raises(FormatError) as caught:
        read_mtn(header(raw, at % len(raw), "<I", value), "x")
    assert str(caught.value) == message


def test_a_corrupt_file_of_the_field_is_refused():
    # String length and size of section 1 are both 8 short, as in a motion that is passed around.
    raw = bytearray(mtn(author="somebody else"))
    struct.pack_into("<I", raw, 32, struct.unpack_from("<I", raw, 32)[0] - 8)
    raw[36] -= 8
    with pytest.raises(FormatError) as caught:
        read_mtn(bytes(raw), "KnownGood.mtn")
    assert str(caught.value) == ("KnownGood.mtn, byte 32: section 1 is larger than its size says; got 44; limit: 167")


HOSTILE = {
    "many keys": header(mtn(), 20, "<H", 0xFFFF),
    "a large section": header(mtn(), 32, "<I", 0xFFFFFFFF),
    "many joints": header(mtn(), 28 + 40 + 8, "<H", 0xFFFF),
    "many entries": header(oda([(b"OMTN", "k", mtn())]), 8, "<I", 0xFFFFFFFF),
    "a large payload": header(oda([(b"OMTN", "k", mtn())]), 64 + 136, "<I", 0xFFFFFFFF),
    "a bomb": gzip.compress(b"ODAR" + bytes(70_000_000), 1),
    "a bomb inside": oda([(b"OMTN", "k", gzip.compress(mtn(tail=bytes(10_000_000)), 9))]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_memory_is_bounded(name, tmp_path):
    (tmp_path / "x").write_bytes(HOSTILE[name])
    limit = 200_000_000 if "bomb" in name else 2_000_000
    tracemalloc.start()
    try:
        with pytest.raises(FormatError):
            read(tmp_path / "x")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < limit


@pytest.mark.slow
def test_cut_files_cost_no_more_than_whole_ones():
    raws = [*VARIANTS.values(), *ARCHIVES.values()]
    tracemalloc.start()
    try:
        for raw in raws:
            for length in range(0, len(raw), 7):
                try:
                    (read_oda if raw.startswith(b"ODAR") else read_mtn)(raw[:length], "x")
                except FormatError:
                    continue
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000


@pytest.mark.parametrize("name", [name for name, codec in FORMATS.items() if codec.suffixes and codec.by_ending])
def test_endings_in_capital_letters_are_written_too(name):
    for suffix in FORMATS[name].suffixes:
        small, large = (codec_for_writing(f"x{end}", source=name).name for end in (suffix, suffix.upper()))
        assert small == large


def test_motions_of_the_field_go_through_every_general_format(tmp_path):
    (tmp_path / "kick.mtn").write_bytes(mtn("kick", author=""))
    for middle in ("kick.motion", "kick.csv", "kick.npz", "kick.xml", "kick.xar", "kick.yaml", "kick.moves"):
        convert(tmp_path / "kick.mtn", tmp_path / middle)
        (tmp_path / "back").mkdir(exist_ok=True)
        back = tmp_path / "back" / "kick.mtn"
        convert(tmp_path / middle, back)
        wanted = read_mtn(mtn("kick", author=""), "")
        found = read_mtn(back.read_bytes(), "")
        assert (found.motion, found.locators, found.design) == (wanted.motion, wanted.locators, wanted.design), middle
        assert [(key.interpolated, key.angles) for key in found.keys] == [
            (key.interpolated, key.angles) for key in wanted.keys
        ], middle


def test_old_names_of_the_ers_210_are_told():
    report = ReadReport()
    sequence = parse_mot("#MSq\nadvanceTime 99\nNECK:roll 0.5\nNECK:tilt 0.1\n#END\n", "x.mot", report)
    assert [str(warning) for warning in report.warnings] == ["x.mot:3: 'NECK:roll' is no joint of the ERS-7"]
    assert sequence.tracks["NECK:tilt"]


def test_every_digit_of_a_pose_comes_back(tmp_path):
    values = (0.1 + 0.2, 1 / 3, -1e-17, 12.345678901234567, *[0.0] * 12)
    text = ekmoves_text((EkPose("A", values),))
    assert parse_ekmoves(text)[0].degrees == values
    (tmp_path / "a.h").write_text(text)
    write(read(tmp_path / "a.h"), tmp_path / "b.h")
    assert (tmp_path / "b.h").read_text() == text


def test_locators_of_the_reference_are_all_known():
    names = [list(read_joints(raw)) for raw in (VARIANTS["full"], VARIANTS["legs"])]
    assert len(names[0]) == len(LOCATORS)
    assert set(names[1]) < set(names[0])


def read_joints(raw: bytes) -> dict[str, object]:
    from andante.formats.aibo.mtn_codec import motion_from_mtn

    _, _, block = motion_from_mtn(read_mtn(raw, ""))
    return dict(block.keyframes[0].joints)
