"""Every kind of bad input that AIBO teams meet, with the whole message that they get."""

from __future__ import annotations

import random
import struct

import pytest
from aibo_files import VARIANTS, mtn, oda

from andante.formats.aibo.monet import parse_commands, read_commands
from andante.formats.aibo.monet_graph import check_monet, motion_names
from andante.formats.aibo.names import EK_ORDER
from andante.formats.aibo.oda_check import name_warnings
from andante.formats.aibo.oda_files import add_files, create_archive, open_archive
from andante.formats.registry import convert, read
from andante.formats.report import FormatError

VALUES = (5, 0, -30, -5, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42)


def header(*changes: tuple[int, str], count: int = 16) -> bytes:
    """A header with one array, some of its lines changed (line 0 is the first value's)."""
    lines = [f"  {value}, // {joint.label}" for value, joint in zip(VALUES, EK_ORDER, strict=True)][:count]
    for line, text in changes:
        lines[line] = text
    return "\n".join(["const double KICK_101_01[] = {", *lines, "};", ""]).encode()


BAD_FILES = {
    "15 of 16 values": (
        "EKMoves.h",
        header(count=15),
        "EKMoves.h:1:14, KICK_101_01: the array has 15 of 16 values",
    ),
    "a missing comma": (
        "EKMoves.h",
        header((7, "  20 // LeftRearLegJ1")),
        "EKMoves.h:10:3, KICK_101_01: a comma is missing after value 8 of 16; got '21'",
    ),
    "a number that is none": (
        "EKMoves.h",
        header((3, "  NAN, // Mouth")),
        "EKMoves.h:5:3, KICK_101_01: value 4 of 16 is not finite; got 'NAN'",
    ),
    "a number that is none, in a posture": (
        "stand.pos",
        b"#POS\nLFr:rotor nan\n#END\n",
        "stand.pos:2, LFr:rotor: the value is not finite; got 'nan'",
    ),
    "a number that is none, in a sequence": (
        "kick.mot",
        b"#MSq\nadvanceTime 100\nLFr:rotor inf\n#END\n",
        "kick.mot:3, LFr:rotor: the value is not finite; got 'inf'",
    ),
    "a number that is none, in moves": (
        "kick.moves",
        b"andante moves 1\nrobot ers7\npose a\n  LFJ1 NaN\n",
        "kick.moves:4, LFJ1: the number is not finite or absurdly large; got 'NaN'",
    ),
    "the tilts in OPEN-R's order": (
        "EKMoves.h",
        header((0, "  -30, // Tilt1"), (2, "  5, // Tilt2")),
        "EKMoves.h:2:8, KICK_101_01: the comment names another joint than value 1 is; got 'Tilt1'; "
        "limit: Tilt2; the order begins with Tilt2, Pan, Tilt1, Mouth",
    ),
    "a stub": (
        "alias.mtn",
        b"NotOMTN ",
        "alias.mtn, byte 0: this is a stub for a motion that is kept elsewhere; got 'NotOMTN '",
    ),
    "a cut motion": (
        "kick.mtn",
        mtn()[:100],
        "kick.mtn, byte 100: the file ends inside locator 2 of 20; got 0; limit: 23 bytes",
    ),
    "an encrypted archive": (
        "MOTION.ODA",
        b"\xfe\xe4\x93\xcd" + random.Random(2).randbytes(3000),
        "MOTION.ODA: the archive is encrypted and cannot be read; got b'\\xfe\\xe4\\x93\\xcd'; "
        "archives in DATA/E are encrypted, those in DATA/P are plain",
    ),
    "a table without payloads": (
        "HDDYN.ODA",
        oda([(b"OMTN", "kick", mtn())], table_only=True),
        "HDDYN.ODA, kick: the archive is a table without payloads",
    ),
    "a cut archive": (
        "MOTION.ODA",
        oda([(b"OMTN", "kick", mtn())])[:-1],
        "MOTION.ODA, byte 196: the payload of entry 0, 'kick', lies outside the file; got '208+772'; limit: 979 bytes",
    ),
    "MoNet's commands": (
        "MONETCMD.CFG",
        b"# kicks\n100 1 0\nmonetagentMTN a_stand#stand_kick -1\n",
        "MONETCMD.CFG: this is MoNet's configuration, which calls motions and holds none; "
        "check it with 'andante oda check', convert the motions in its ODA archive",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FILES)
def test_messages(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, raw, message = BAD_FILES[name]
    (tmp_path / file).write_bytes(raw)
    with pytest.raises(FormatError) as caught:
        read(file)
    assert str(caught.value) == message
    with pytest.raises(FormatError) as caught:
        convert(file, "out.yaml")
    assert str(caught.value) == message
    assert not (tmp_path / "out.yaml").exists()


@pytest.mark.parametrize("name", ["pose.PSE", "kick.kfm"])
def test_files_of_the_editor_are_named(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(struct.pack("<8f", *range(8)))
    with pytest.raises(FormatError) as caught:
        read(name)
    assert str(caught.value).startswith(f"{name}: the file is of no known motion format; legal: ")
    assert str(caught.value).endswith(
        "; the bytes of Sony's PSE and KFM files were never published; export the motion as MTN from its editor"
    )


@pytest.mark.parametrize("suffix", ["mtn", "MTN", "Mtn"])
def test_endings_in_any_letters_are_taken(suffix, tmp_path):
    (tmp_path / f"kick.{suffix}").write_bytes(mtn())
    assert [entry.kind for entry in create_archive([tmp_path / f"kick.{suffix}"]).entries] == [b"OMTN"]
    (tmp_path / f"bad.{suffix}").write_bytes(b"RIFF")
    with pytest.raises(FormatError, match="the file is named like a motion but is none; got b'RIFF'"):
        create_archive([tmp_path / f"bad.{suffix}"])
    report = convert(tmp_path / f"kick.{suffix}", tmp_path / f"again.{suffix}")
    assert (report.source_format, report.target_format) == ("mtn", "mtn")
    assert (tmp_path / f"again.{suffix}").read_bytes() == mtn()


def test_new_names_that_monet_cannot_hold_are_refused_and_old_ones_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    long = "a_stand#stand_" + "x" * 19
    (tmp_path / f"{long}.mtn").write_bytes(mtn("a_stand#stand_x"))
    with pytest.raises(FormatError, match=r"the name has 33 characters; .*limit: at most 31 for MoNet"):
        create_archive([tmp_path / f"{long}.mtn"])
    # One that the motion itself is called goes back into an archive.
    (tmp_path / f"{long}.mtn").write_bytes(mtn(long))
    archive = create_archive([tmp_path / f"{long}.mtn"])
    assert [entry.name for entry in archive.entries] == [long]
    assert name_warnings(archive, {long}, "x") == (f"the motion's name '{long}' has 33 characters, MoNet can hold 31",)
    report = convert(f"{long}.mtn", "kick.oda")
    assert any("MoNet cannot call a motion whose name has more than 31" in loss for loss in report.losses)
    assert open_archive(tmp_path / "kick.oda").entries[0].payload("") == mtn(long)
    (tmp_path / "MONETCMD.CFG").write_text(f"5 1 0\nmonetagentMTN {long} -1\n")
    faults = check_monet(read_commands(tmp_path / "MONETCMD.CFG"))
    assert [fault.text for fault in faults] == [f"'{long}' has 33 characters, MoNet can hold 31"]


def test_a_name_in_monetcmd_that_no_archive_has(tmp_path):
    (tmp_path / "wag.mtn").write_bytes(VARIANTS["tail"])
    (tmp_path / "kick.mtn").write_bytes(mtn("a_stand#stand_kickb"))
    archive = create_archive([tmp_path / "wag.mtn", tmp_path / "kick.mtn"])
    commands = parse_commands("101 1 0\nmonetagentMTN a_stand#stand_kickc -1\n", "MONETCMD.CFG")
    found = check_monet(commands, motions=motion_names(archive, "MOTION.ODA"))
    assert [str(fault) for fault in found] == [
        "MONETCMD.CFG:2: motion 'a_stand#stand_kickc' is not in the motion archive; MoNet would report success "
        "without doing anything; did you mean 'a_stand#stand_kickb'?"
    ]


def test_a_motion_that_is_there_already(tmp_path):
    (tmp_path / "kick.mtn").write_bytes(mtn())
    (tmp_path / "m.oda").write_bytes(oda([(b"OMTN", "kick", mtn())]))
    with pytest.raises(FormatError) as caught:
        add_files(open_archive(tmp_path / "m.oda"), [tmp_path / "kick.mtn"])
    assert str(caught.value) == (
        "the archive has an entry of this name; the robot would go on playing the old one; got 'kick'; "
        "say that it is to be replaced"
    )
