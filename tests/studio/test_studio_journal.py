"""Journals: the bytes of their records, what is read back out of whole, torn and foreign ones, and their files."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import zlib
from pathlib import Path

import pytest
from failing_disk import FailingSystem

from andante.studio.disk import Disk
from andante.studio.errors import NotKeptError
from andante.studio.journal import Journal, JournalEntry, Left, around, checksum, digest, journal_path, left_behind
from andante.studio.splices import Splice

BASE = "ä: 1\nb: 2\n"
OF = f"{zlib.crc32(BASE.encode()):08x}"
FILE = hashlib.sha256(BASE.encode()).hexdigest()
FIRST = JournalEntry("edit", ((Splice(3, "1", "ö"),),), "drag", near=("ä: ", "\nb: 2\n"), size=10)


def line(data: object, *, length: int = 0) -> bytes:
    """A record, worked out by itself; its length may be said wrong by so much."""
    content = json.dumps(data, separators=(",", ":")).encode()
    rest = f"{len(content) + length} ".encode() + content
    return f"{zlib.crc32(rest):08x} ".encode() + rest


def record(number: object = 1, do: str = "undo", **more: object) -> dict[str, object]:
    return {"n": number, "of": OF, "do": do, "edits": []} | more


HEAD = {"format": "andante.studio-journal", "version": 2, "file": FILE, "base": BASE}


def read(folder: Path, *lines: bytes, raw: bytes | None = None) -> Left:
    path = folder / "journal"
    path.write_bytes(b"".join(b"\n" + each + b"\n" for each in lines) if raw is None else raw)
    left = left_behind(path, Disk(folder))
    assert left is not None
    return left


def handles() -> int:
    """Files that this process has open."""
    return len(os.listdir("/proc/self/fd"))


def test_the_bytes_of_a_journal(tmp_path: Path) -> None:
    path = journal_path(tmp_path / "wave.yaml")
    assert path == tmp_path / ".wave.yaml.studio"
    journal = Journal(path, BASE, FILE, Disk(tmp_path))
    assert not path.exists()
    journal.add(FIRST)
    journal.add(JournalEntry("undo", ((Splice(3, "ö", "1"),),)))
    journal.add(JournalEntry("save", file="f" * 64))
    first = {
        "n": 1,
        "of": OF,
        "do": "edit",
        "edits": [[[3, "1", "ö"]]],
        "group": "drag",
        "size": 10,
        "near": ["ä: ", "\nb: 2\n"],
    }
    second = {"n": 2, "of": OF, "do": "undo", "edits": [[[3, "ö", "1"]]]}
    third = {"n": 3, "of": OF, "do": "save", "edits": [], "file": "f" * 64}
    expected = b"".join(b"\n" + line(each) + b"\n" for each in (HEAD, first, second, third))
    assert path.read_bytes() == expected
    assert b"\xc3" not in expected
    left = left_behind(path, Disk(tmp_path))
    again = (FIRST, JournalEntry("undo", ((Splice(3, "ö", "1"),),)), JournalEntry("save", file="f" * 64))
    assert left == Left(BASE, FILE, tuple(enumerate(again, 1)), 0, 2, expected, OF)
    # One that goes on has the old records and the next number.
    journal.close()
    longer = Journal(path, BASE, FILE, Disk(tmp_path), again[:2])
    longer.add(again[2])
    assert path.read_bytes() == expected
    longer.renew()
    assert path.read_bytes() == expected
    longer.close()


def test_checksums_of_files_and_texts() -> None:
    assert digest(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    # The check value of CRC-32, and one with leading zeros.
    assert checksum("123456789") == "cbf43926"
    assert checksum("") == "00000000"
    assert checksum("\ud800") == f"{zlib.crc32(bytes([0xED, 0xA0, 0x80])):08x}"


def test_24_characters_around_the_first_splice_are_kept() -> None:
    text = "".join(chr(0x100 + number) for number in range(100))
    assert around(text, ()) == ("", "")
    assert around(text, (Splice(50, text[50:53], "x"), Splice(5, "", "y"))) == (text[26:50], text[53:77])
    assert around(text, (Splice(3, "", "x"),)) == (text[:3], text[3:27])
    assert around(text, (Splice(0, text[:1], ""),)) == ("", text[1:25])
    assert around(text, (Splice(95, "", ""),)) == (text[71:95], text[95:])


def test_no_journal_is_none_and_the_largest_has_500_megabytes(tmp_path: Path) -> None:
    assert left_behind(tmp_path / "none", Disk(tmp_path)) is None

    class Asked(Disk):
        def read(self, path: Path, most: int) -> bytes | None:
            asked.append(most)
            return None

    asked: list[int] = []
    left_behind(tmp_path / "none", Asked(tmp_path))
    assert asked == [500_000_000]


def test_a_journal_of_a_first_record_alone(tmp_path: Path) -> None:
    left = read(tmp_path, line(HEAD))
    assert (left.base, left.digest, left.version, left.entries, left.damaged, left.first) == (BASE, FILE, 2, (), 0, "")


def test_of_two_records_of_one_number_the_later_counts(tmp_path: Path) -> None:
    def numbers(*records: tuple[int, str]) -> list[tuple[int, str]]:
        left = read(tmp_path, line(HEAD), *(line(record(number, do)) for number, do in records))
        assert left.damaged == 0
        return [(number, entry.action) for number, entry in left.entries]

    assert numbers((1, "edit"), (2, "edit"), (2, "undo")) == [(1, "edit"), (2, "undo")]
    assert numbers((1, "edit"), (2, "edit"), (3, "edit"), (2, "undo")) == [(1, "edit"), (2, "undo")]
    assert numbers((1, "edit"), (1, "redo")) == [(1, "redo")]
    assert numbers((2, "edit"), (5, "undo")) == [(2, "edit"), (5, "undo")]


GOOD = line(record())
DAMAGED = {
    "a letter": GOOD[:-3] + b"X" + GOOD[-2:],
    "its checksum": (b"0" if GOOD[:1] != b"0" else b"1") + GOOD[1:],
    "its end": GOOD[:-1],
    "its length": line(record(), length=1),
    "more than its length": line(record(), length=-1),
    "no JSON": b"%08x %s" % (zlib.crc32(b"3 {,}"), b"3 {,}"),
    "too deep": b"%08x %s" % (zlib.crc32(b"200000 " + b"[" * 200_000), b"200000 " + b"[" * 200_000),
    "no table": line([1, 2]),
    "no head": b"hello",
    "a number of text": line(record("1")),
    "no number": line({"of": OF, "do": "undo", "edits": []}),
    "a number for a checksum": line(record() | {"of": 5}),
    "an unknown action": line(record(do="walk")),
    "edits of another shape": line(record() | {"edits": [[[1, 2]]]}),
    "no edits": line({"n": 1, "of": OF, "do": "undo"}),
    "a first record without a text": line(HEAD | {"base": None}),
    "a first record of something else": line(HEAD | {"format": "other"}),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_record_is_counted_and_passed_over(tmp_path: Path, what: str) -> None:
    left = read(tmp_path, line(HEAD), DAMAGED[what], line(record(2, "redo")))
    assert left.damaged == 1
    assert (left.base, left.digest, left.version, left.first) == (BASE, FILE, 2, OF)
    assert [(number, entry.action) for number, entry in left.entries] == [(2, "redo")]


def test_the_line_that_was_being_written_is_no_damage(tmp_path: Path) -> None:
    begun = b"\n" + line(HEAD) + b"\n\n" + GOOD + b"\n"
    assert read(tmp_path, raw=begun + b"\nhello").damaged == 0
    assert read(tmp_path, raw=begun + b"\nhello\n").damaged == 1
    assert read(tmp_path, raw=b"hello\n").damaged == 1
    assert read(tmp_path, raw=b"hello").damaged == 0
    assert read(tmp_path, raw=b"").damaged == 0


def test_a_record_that_says_little(tmp_path: Path) -> None:
    left = read(tmp_path, line(HEAD), line(record(1, "redo")), line(record(2, near=["a", "b"], size=7, group="g")))
    assert left.entries == ((1, JournalEntry("redo")), (2, JournalEntry("undo", (), "g", "", ("a", "b"), 7)))
    assert (JournalEntry("redo").size, JournalEntry("redo").near) == (0, ("", ""))


@pytest.mark.parametrize(
    ("raw", "version"),
    [
        (b'{"format": "andante.studio-journal", "version": 1}\n{"do": "undo"}\n', 1),
        (b'{"version": 7}', 7),
        (b'{"version": "7"}\n', 0),
        (b'{"format": "x"}\n', 0),
        (b"[1]\n", 0),
        (b"nothing\n", 0),
        (b"[" * 200_000 + b"\n", 0),
    ],
)
def test_the_version_of_another_andantes_journal(tmp_path: Path, raw: bytes, version: int) -> None:
    left = read(tmp_path, raw=raw)
    assert (left.version, left.base, left.digest, left.entries) == (version, None, "", ())


def test_a_first_record_without_a_version_or_with_a_later_one(tmp_path: Path) -> None:
    assert read(tmp_path, line({name: HEAD[name] for name in ("format", "file", "base")}), GOOD).version == 0
    assert read(tmp_path, line(HEAD | {"version": 3}), GOOD).version == 3
    # Where only the first record is lost, the others tell their own kind.
    assert read(tmp_path, raw=b'{"version": 1}\n' + GOOD + b"\n").version == 0


def test_files_are_closed(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    before = handles()
    journal = Journal(path, BASE, FILE, Disk(tmp_path))
    journal.close()
    journal.add(FIRST)
    assert handles() == before + 1
    path.unlink()
    journal.add(FIRST)
    assert handles() == before + 1
    journal.renew()
    assert handles() == before + 1
    journal.clear("new\n", "d" * 64)
    assert handles() == before
    assert not path.exists()
    journal.add(JournalEntry("edit"))
    left = left_behind(path, Disk(tmp_path))
    assert (left.base, left.digest, left.first) == ("new\n", "d" * 64, checksum("new\n"))
    assert [number for number, _ in left.entries] == [1]
    journal.close()
    journal.close()
    assert handles() == before
    assert path.exists()


def test_a_further_record_is_appended_and_brought_to_the_disk(tmp_path: Path) -> None:
    class Counted(FailingSystem):
        def sync(self, handle: int) -> None:
            synced.append(os.fstat(handle).st_size)
            super().sync(handle)

    synced: list[int] = []
    path = tmp_path / "journal"
    journal = Journal(path, BASE, FILE, Disk(tmp_path, Counted()))
    sizes, files = [], set()
    for _ in range(4):
        journal.add(FIRST)
        sizes.append(path.stat().st_size)
        files.add(path.stat().st_ino)
    assert synced == sizes
    assert len(files) == 1
    journal.close()


@pytest.mark.parametrize("call", ["write", "short", "sync"])
def test_a_refused_record_is_cut_off_and_the_next_goes_to_another_file(tmp_path: Path, call: str) -> None:
    system = FailingSystem()
    path = tmp_path / "wave.yaml.studio"
    journal = Journal(path, BASE, FILE, Disk(tmp_path, system))
    for _ in range(3):
        journal.add(FIRST)
    whole = path.read_bytes()
    before = handles()
    with open(path, "rb") as old:
        system.fail([call], errno.EIO)
        with pytest.raises(NotKeptError) as caught:
            journal.add(JournalEntry("redo"))
        assert str(caught.value).startswith(
            "wave.yaml: nothing was changed, for its journal could not be written: Input/output error"
        )
        assert old.read() == whole
    assert handles() == before - 1
    system.heal()
    journal.add(JournalEntry("undo"))
    assert path.read_bytes() == whole + b"\n" + line(record(4)) + b"\n"
    journal.close()


def test_a_refusal_without_a_number_says_its_own_words(tmp_path: Path) -> None:
    class Refusing(FailingSystem):
        def sync(self, handle: int) -> None:
            if refusing:
                raise OSError("the cable is out")
            super().sync(handle)

    refusing: list[bool] = []
    journal = Journal(tmp_path / "journal", BASE, FILE, Disk(tmp_path, Refusing()))
    journal.add(FIRST)
    refusing.append(True)
    with pytest.raises(NotKeptError, match="could not be written: the cable is out"):
        journal.add(FIRST)


def test_no_edit_is_taken_that_could_not_be_read_again(tmp_path: Path) -> None:
    """Many large edits: the journal that is written is never larger than the one that is read."""
    path = journal_path(tmp_path / "wave.yaml")
    journal = Journal(path, BASE, FILE, Disk(tmp_path))
    journal.most = 30_000
    large = JournalEntry("edit", ((Splice(3, "", "ü" * 1500),),), size=10)
    journal.add(large)
    journal.add(large)
    with pytest.raises(NotKeptError, match=r"wave\.yaml: .*full.*30000 bytes.*save what was edited before"):
        journal.add(large)
    # Small ones are taken until there is no room for these either, and a save always is.
    journal.add(FIRST)
    journal.add(JournalEntry("save", file="f" * 64))
    assert path.stat().st_size <= journal.most
    left = left_behind(path, Disk(tmp_path))
    assert left is not None
    assert [entry.action for _, entry in left.entries] == ["edit", "edit", "edit", "save"]
    journal.clear(BASE, FILE)
    journal.add(large)


def test_a_save_that_finds_no_room_is_not_told_to_save(tmp_path: Path) -> None:
    system = FailingSystem()
    journal = Journal(journal_path(tmp_path / "wave.yaml"), BASE, FILE, Disk(tmp_path, system))
    for entry, remedy in (
        (FIRST, "; save what was edited before, or make room"),
        (JournalEntry("save"), "; make room"),
    ):
        system.fail(["write"], errno.ENOSPC)
        with pytest.raises(NotKeptError, match=f"{remedy} and try again$"):
            journal.add(entry)
