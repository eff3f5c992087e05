"""ODA archives: byte-identical, packed or not, names guarded, encrypted ones named."""

from __future__ import annotations

import gzip
import itertools
import random
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from aibo_files import VARIANTS, mtn, oda

from andante.documents.problems import DocumentError
from andante.formats.aibo.oda import OdaArchive, kind_of, new_entry, read_oda, write_oda
from andante.formats.aibo.oda_files import add_files, create_archive, extract, open_archive, save_archive
from andante.formats.registry import FORMATS, convert, identify, read, write
from andante.formats.report import FormatError, ReadReport

WAVE = b"RIFF\0\0\0\0WAVE"
PLAIN = oda(
    [
        (b"OMTN", "kick", mtn("a_stand#stand_kick")),
        (b"WAVE", "horn", WAVE),
        (b"OMTN", "alias", b"NotOMTN "),
        (b"LED\0", "eyes", b"lights"),
        (bytes(4), "what", b""),
        (b"OMTN", "wag", VARIANTS["tail"]),
    ]
)
PACKED_PAYLOADS = oda(
    [
        (b"OMTN", "kick", gzip.compress(mtn("a_stand#stand_kick"), mtime=5)),
        (b"OMTN", "wag", gzip.compress(VARIANTS["tail"], mtime=5)),
    ]
)
TABLE = oda([(b"OMTN", "kick", mtn())], table_only=True)
ARCHIVES = {
    "plain": PLAIN,
    "packed payloads": PACKED_PAYLOADS,
    "empty": oda([]),
    "doubled": oda([(b"OMTN", "kick", mtn()), (b"OMTN", "kick", mtn("b"))]),
}


@pytest.mark.parametrize("raw", ARCHIVES.values(), ids=ARCHIVES)
def test_bytes_come_back(raw):
    assert write_oda(read_oda(raw, "x.oda")) == raw


def test_a_packed_archive_comes_back():
    archive = read_oda(gzip.compress(PLAIN), "x.oda")
    assert archive.zipped
    assert write_oda(archive) == write_oda(read_oda(write_oda(archive), "x.oda"))
    assert gzip.decompress(write_oda(archive)) == PLAIN


@pytest.mark.parametrize("raw", [PLAIN, PACKED_PAYLOADS, gzip.compress(PLAIN)], ids=["plain", "payloads", "whole"])
def test_cut_at_every_byte(raw):
    """An archive is refused, a table alone, or read but for the entries whose bytes are gone."""
    whole = [] if raw.startswith(b"\x1f\x8b") else read_oda(raw, "x.oda").entries
    table_end = 64 + 144 * len(whole)
    ends = list(itertools.accumulate((len(entry.stored) for entry in whole), initial=table_end))[1:]
    for length in range(len(raw)):
        left = [number for number, end in enumerate(ends) if end <= length]
        if not left or length < table_end:
            if whole and length == table_end:
                assert read_oda(raw[:length], "x.oda").table_only
                continue
            with pytest.raises(FormatError, match=r"x\.oda"):
                read_oda(raw[:length], "x.oda")
            continue
        archive = read_oda(raw[:length], "x.oda")
        assert [number for number, entry in enumerate(archive.entries) if not entry.fault] == left
        assert all("lies outside the file" in entry.fault for entry in archive.entries if entry.fault)
        # As it is it comes back byte by byte; changed, what is damaged would be lost.
        assert gzip.decompress(write_oda(archive)) == raw if archive.zipped else write_oda(archive) == raw[:length]
        with pytest.raises(FormatError, match="damaged entries, which would be lost"):
            write_oda(archive.with_entry(new_entry("more", b"")))


def test_a_table_without_payloads(tmp_path):
    (tmp_path / "HDDYN.ODA").write_bytes(TABLE)
    archive = open_archive(tmp_path / "HDDYN.ODA")
    assert archive.table_only
    assert [entry.name for entry in archive.entries] == ["kick"]
    for work in (
        lambda: extract(archive, tmp_path / "HDDYN.ODA", tmp_path / "out"),
        lambda: write_oda(replace(archive, layout=None)),
        lambda: archive.with_entry(new_entry("x", b"")),
        lambda: read(tmp_path / "HDDYN.ODA"),
    ):
        with pytest.raises(FormatError, match=r"the archive is a table without payloads"):
            work()
    assert write_oda(archive) == TABLE


def test_motions_become_a_library_and_come_back(tmp_path):
    (tmp_path / "m.oda").write_bytes(PLAIN)
    report = ReadReport()
    library = read(tmp_path / "m.oda", report=report)
    assert list(library.motions) == ["a_stand#stand_kick", "t_any#any_wag"]
    assert [f"{warning.inside}: {warning.text}" for warning in report.warnings] == [
        "entry 1 'horn': is no motion (wav); only an archive keeps it",
        "entry 2 'alias': a stub for a motion that is kept elsewhere",
        "entry 3 'eyes': is no motion (led); only an archive keeps it",
        "entry 4 'what': is no motion (unknown); only an archive keeps it",
    ]
    write(library, tmp_path / "n.oda")
    assert (tmp_path / "n.oda").read_bytes() == PLAIN
    assert convert(tmp_path / "n.oda", tmp_path / "n.yaml").losses == ()
    write(read(tmp_path / "n.yaml"), tmp_path / "again.oda")
    assert (tmp_path / "again.oda").read_bytes() == PLAIN


@pytest.mark.parametrize("way", ["whole", "payload"])
def test_packing_is_kept_through_a_library(tmp_path, way):
    (tmp_path / "kick.mtn").write_bytes(mtn())
    save_archive(create_archive([tmp_path / "kick.mtn"], gzip=way), tmp_path / "m.oda")
    assert identify(tmp_path / "m.oda").name == "oda"
    write(read(tmp_path / "m.oda"), tmp_path / "n.oda")
    assert (tmp_path / "n.oda").read_bytes() == (tmp_path / "m.oda").read_bytes()
    assert open_archive(tmp_path / "n.oda").entries[0].payload("") == mtn()


def test_motions_of_one_name_go_by_their_entries(tmp_path):
    (tmp_path / "m.oda").write_bytes(oda([(b"OMTN", "new", mtn(author="a")), (b"OMTN", "old", mtn(author="b"))]))
    report = ReadReport()
    assert list(read(tmp_path / "m.oda", report=report).motions) == ["new", "old"]
    assert (
        "2 motions are called 'a_stand#stand_kick' inside; they go by the names of their entries, and MoNet plays the"
        " first: 'new', 'old'"
    ) in str(report.warnings[0])


def test_the_first_of_a_name_counts():
    doubled = read_oda(ARCHIVES["doubled"], "x")
    assert doubled.first("kick") == doubled.entries[0]
    replaced = doubled.with_entry(new_entry("kick", mtn("c")), replacing=True)
    assert [entry.payload("") for entry in replaced.entries] == [mtn("c")]


def test_adding(tmp_path):
    archive = tmp_path / "motion7.oda"
    save_archive(OdaArchive(), archive)
    kick, horn = tmp_path / "a_KickB.MTN", tmp_path / "horn.WAV"
    kick.write_bytes(mtn("a_stand#stand_kickb"))
    horn.write_bytes(WAVE)
    content = add_files(open_archive(archive), [kick, horn])
    assert [(entry.name, entry.kind) for entry in content.entries] == [("a_KickB", b"OMTN"), ("horn", b"WAVE")]
    save_archive(content, archive)
    with pytest.raises(
        FormatError, match="the archive has an entry of this name; the robot would go on playing the old"
    ):
        add_files(open_archive(archive), [kick])
    kick.write_bytes(mtn("a_stand#stand_kickb", author="again"))
    content = add_files(open_archive(archive), [kick], replacing=True)
    assert [entry.name for entry in content.entries] == ["a_KickB", "horn"]
    assert content.entries[0].payload("") == kick.read_bytes()
    dotted = tmp_path / "v1.2.mtn"
    dotted.write_bytes(mtn())
    assert add_files(content, [dotted]).entries[-1].name == "v1.2"
    with pytest.raises(FormatError, match="two of the files would get the same entry name"):
        add_files(content, [dotted, tmp_path / "v1.2.mtn"])


@pytest.mark.parametrize(
    ("name", "payload", "message"),
    [
        ("x" * 32 + ".mtn", mtn(), f"the name has 32 characters; got '{'x' * 32}'; limit: at most 31 for MoNet"),
        ("two words.mtn", mtn(), "the name holds the character ' '"),
        ("caf\xe9.mtn", mtn(), "the name holds the character 'é'"),
        ("ok.MTN", WAVE, "the file is named like a motion but is none; got b'RIFF'"),
        ("ok.wav", mtn()[:100], "the file ends inside locator"),
    ],
)
def test_what_cannot_be_added(tmp_path, name, payload, message):
    (tmp_path / name).write_bytes(payload)
    with pytest.raises(FormatError, match=message):
        create_archive([tmp_path / name])


def test_long_names_are_refused_in_a_library_too(tmp_path):
    (tmp_path / "x.mtn").write_bytes(VARIANTS["long name"])
    with pytest.raises(FormatError, match=r"the name has 255 characters; .*limit: at most 127 in the table"):
        write(read(tmp_path / "x.mtn"), tmp_path / "x.oda")
    library = read(tmp_path / "x.mtn")
    renamed = library.but(motions={"y" * 33: next(iter(library.motions.values()))})
    with pytest.raises(FormatError, match=r"the name has 33 characters; .*limit: at most 31 for MoNet"):
        write(renamed, tmp_path / "x.oda")


def test_names_are_from_31_characters_on_the_disk_too():
    archive = OdaArchive().with_entry(new_entry("x" * 31, b""))
    assert read_oda(write_oda(archive), "x").entries[0].name == "x" * 31


def test_extracting(tmp_path):
    raw = oda(
        [
            (b"OMTN", "kick", gzip.compress(mtn())),
            (b"OMTN", "kick", mtn("b")),
            (b"OMTN", "stub", b"NotOMTN "),
            (b"WAVE", "../../etc/passwd", WAVE),
            (b"MIDI", "", b"MThd"),
        ]
    )
    done = extract(read_oda(raw, "x"), Path("x"), tmp_path / "out")
    assert [file.name for file in done.files] == ["kick.mtn", "kick~2.mtn", "_.._etc_passwd.wav", "_.mid"]
    assert all(file.parent == tmp_path / "out" for file in done.files)
    assert done.files[0].read_bytes() == mtn()
    assert done.remarks == (
        "kick: written as kick~2.mtn",
        "stub: a stub for a motion that is kept elsewhere; skipped",
        "../../etc/passwd: written as _.._etc_passwd.wav",
        ": written as _.mid",
    )
    with pytest.raises(FormatError, match="the file is there already"):
        extract(read_oda(raw, "x"), Path("x"), tmp_path / "out", ["kick"])
    with pytest.raises(FormatError, match="no such entry; got 'kik'; did you mean 'kick'"):
        extract(read_oda(raw, "x"), Path("x"), tmp_path / "out", ["kik"])


def test_encrypted_archives_are_named(tmp_path):
    noise = random.Random(1).randbytes(5000)
    (tmp_path / "m.oda").write_bytes(noise)
    with pytest.raises(FormatError, match=r"the archive is encrypted and cannot be read; .*those in DATA/P are plain"):
        read(tmp_path / "m.oda")
    folder = tmp_path / "OPEN-R" / "APP" / "DATA" / "E"
    folder.mkdir(parents=True)
    (folder / "MOTION.ODA").write_bytes(b"short but encrypted")
    with pytest.raises(FormatError, match="the archive is encrypted"):
        open_archive(folder / "MOTION.ODA")
    (tmp_path / "text.oda").write_bytes(b"this is a plain text, and no archive at all. " * 30)
    with pytest.raises(FormatError, match=r"byte 0: this is no ODA archive; got b'this'; limit: begins with 'ODAR'"):
        open_archive(tmp_path / "text.oda")


def test_a_bomb_is_refused(tmp_path):
    engine = gzip.compress(b"ODAR" + bytes(80_000_000), 1)
    (tmp_path / "m.oda").write_bytes(engine)
    with pytest.raises(FormatError, match="the gzip data are too large when unpacked"):
        open_archive(tmp_path / "m.oda")


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (8, 0xFFFFFFFF, "the file ends inside the table of 4294967295 entries"),
        (12, 143, "the rows of the table have another size; got 143; limit: 144"),
        (64 + 132, 0xFFFFFFF0, "the payload of entry 0, 'kick', lies outside the file"),
        (64 + 136, 0x7FFFFFFF, "the payload of entry 0, 'kick', lies outside the file"),
    ],
)
def test_wrong_numbers(at, value, message):
    raw = bytearray(oda([(b"OMTN", "kick", mtn())]))
    raw[at : at + 4] = struct.pack("<I", value)
    with pytest.raises(FormatError, match=message):
        read_oda(bytes(raw), "x.oda")


@pytest.mark.parametrize(
    ("number", "at", "value", "fault"),
    [
        (0, 132, 0xFFFFFFF0, "lies outside the file"),
        (5, 136, 0x7FFFFFFF, "lies outside the file"),
        (0, 136, 800, "overlaps others"),
        (1, 132, 100, "overlaps the table"),
    ],
)
def test_a_wrong_number_in_a_row_harms_that_entry_only(number, at, value, fault, tmp_path):
    raw = bytearray(PLAIN)
    raw[64 + 144 * number + at : 64 + 144 * number + at + 4] = struct.pack("<I", value)
    archive = read_oda(bytes(raw), "x.oda")
    assert [index for index, entry in enumerate(archive.entries) if entry.fault] == [number]
    assert fault in archive.entries[number].fault
    whole = [entry for index, entry in enumerate(read_oda(PLAIN, "x.oda").entries) if index != number]
    assert [entry.stored for index, entry in enumerate(archive.entries) if index != number] == [
        entry.stored for entry in whole
    ]
    with pytest.raises(FormatError, match=fault):
        archive.entries[number].payload("x.oda")
    done = extract(archive, Path("x"), tmp_path / "out")
    assert any(fault in remark for remark in done.remarks)
    assert len(done.files) == 6 - 1 - 1  # the stub is not written either


@pytest.mark.parametrize(
    "harm",
    [
        lambda raw: raw[: len(raw) // 2],
        lambda raw: raw[:60] + b"\xff" * 40 + raw[100:],
        lambda raw: b"OMTN" + bytes(len(raw) - 4),
        lambda raw: gzip.compress(raw)[:-20],
        lambda raw: gzip.compress(raw)[:40] + bytes(60),
    ],
    ids=["cut", "overwritten", "zeros", "packed and cut", "packed and overwritten"],
)
@pytest.mark.parametrize("at", [0, 2, 5])
def test_a_damaged_entry_is_named_and_the_others_are_read(harm, at, tmp_path):
    names = [f"a_stand#stand_{letter}" for letter in "abcdef"]
    entries = [(b"OMTN", name, harm(mtn(name)) if number == at else mtn(name)) for number, name in enumerate(names)]
    (tmp_path / "m.oda").write_bytes(oda(entries))
    report = ReadReport()
    library = read(tmp_path / "m.oda", report=report)
    assert list(library.motions) == [name for number, name in enumerate(names) if number != at]
    (damaged,) = report.damaged
    assert f"entry {at} '{names[at]}'" in str(damaged) or names[at] in str(damaged)
    assert "cannot be read and is left out" in damaged.text
    done = convert(tmp_path / "m.oda", tmp_path / "out.yaml")
    assert any("left out" in str(warning) for warning in done.warnings)


def test_a_damaged_file_of_a_folder_is_named_and_the_others_are_read(tmp_path):
    for letter in "abc":
        (tmp_path / f"{letter}.mtn").write_bytes(mtn(f"a_stand#stand_{letter}")[: 200 if letter == "b" else None])
    report = ReadReport()
    library = read(tmp_path, report=report)
    assert list(library.motions) == ["a_stand#stand_a", "a_stand#stand_c"]
    assert "b.mtn" in str(report.damaged[0])
    assert [path.name for path in report.files] == ["a.mtn", "c.mtn"]
    for letter in "ac":
        (tmp_path / f"{letter}.mtn").write_bytes(b"OMTN")
    with pytest.raises(FormatError, match=r"a\.mtn"):
        read(tmp_path)


def test_payloads_that_overlap_cannot_blow_up_memory():
    raw = bytearray(oda([(b"OMTN", f"k{number}", b"") for number in range(2000)]) + bytes(100_000))
    for number in range(2000):
        raw[64 + 144 * number + 132 : 64 + 144 * number + 140] = struct.pack("<II", 0, len(raw))
    with pytest.raises(FormatError, match="overlaps the table"):
        read_oda(bytes(raw), "x.oda")
    start = 64 + 144 * 2000
    for number in range(2000):
        raw[64 + 144 * number + 132 : 64 + 144 * number + 140] = struct.pack("<II", start + number, 90_000)
    entries = read_oda(bytes(raw), "x.oda").entries
    assert sum(not entry.fault for entry in entries) == 1
    assert "overlaps others" in entries[0].fault or "overlaps others" in entries[1].fault


def test_a_failed_write_leaves_the_old_archive(tmp_path, monkeypatch):
    archive = tmp_path / "m.oda"
    archive.write_bytes(PLAIN)

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(DocumentError, match="No space left on device"):
        save_archive(open_archive(archive).with_entry(new_entry("x", b"y")), archive)
    assert archive.read_bytes() == PLAIN
    assert [file.name for file in tmp_path.iterdir()] == ["m.oda"]


def test_kinds():
    assert kind_of(b"MThd", ".x") == b"MIDI"
    assert kind_of(b"abc", ".SYN") == b"SYN\0"
    assert kind_of(b"abc", ".x") == bytes(4)
    assert kind_of(gzip.compress(mtn()), ".bin") == b"OMTN"


def test_several_robots_are_not_one_library(tmp_path):
    (tmp_path / "m.oda").write_bytes(oda([(b"OMTN", "a", mtn("a")), (b"OMTN", "b", VARIANTS["ERS-210"])]))
    report = ReadReport()
    library = read(tmp_path / "m.oda", report=report)
    assert (library.robot, list(library.motions)) == ("ers7", ["a"])
    assert "entry 1 'b': a motion of another robot, 'ers210'" in str(report.warnings[0])
    assert FORMATS["oda"].sniff_folder(tmp_path) == 0.0


@pytest.mark.slow
def test_extracting_bombs_writes_nothing(tmp_path):
    bomb = gzip.compress(bytes(60_000_000), 1)
    archive = read_oda(oda([(b"WAVE", f"w{number}", bomb) for number in range(5)]), "x")
    with pytest.raises(FormatError, match="the entries are too large when unpacked; got 300000000"):
        extract(archive, Path("x"), tmp_path / "out")
    assert not (tmp_path / "out").exists()
