"""Edits that were acknowledged are there again, whatever write fails and wherever the process ends."""

from __future__ import annotations

import errno
import os
import random
import re
from pathlib import Path

import pytest
from edit_model import Model
from failing_disk import CALLS, REASONS, FailingSystem, Killed
from studio_text import TEXT

from andante.studio.disk import Disk
from andante.studio.document import OpenDocument
from andante.studio.errors import NotKeptError, StudioError, WorkspaceError
from andante.studio.journal import journal_path
from andante.studio.splices import Splice


def comment(document: OpenDocument, text: str) -> None:
    """Put a comment before the last line."""
    at = document.live.text.index("# the end")
    document.edit((Splice(at, "", f"# {text}\n"),))


def comments(text: str) -> list[str]:
    """Comments that were put there."""
    return re.findall(r"^# (\d+)$", text, re.MULTILINE)


@pytest.mark.parametrize("seed", range(3))
def test_random_edits_of_two_pages_with_failures_against_a_model(wave: Path, seed: int) -> None:
    found = Model(wave.parent, seed).run(120)
    assert (found.lost, found.differing) == (0, 0), found
    assert found.failures > 10
    assert found.kills > 2
    assert found.acknowledged > 50


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("number", [*REASONS, 0])
@pytest.mark.parametrize("when", ["first edit", "later edit", "save"])
def test_each_call_fails_once(wave: Path, call: str, number: int, when: str) -> None:
    """What is refused has not happened, what is acknowledged comes back, and the next edit works."""
    system = FailingSystem()
    document = OpenDocument(wave, "wave.yaml", disk=Disk(wave.parent, system))
    kept, maybe = [], []
    if when != "first edit":
        comment(document, "0")
        kept.append("0")
    system.fail([call], number)
    try:
        if when == "save":
            document.save()
        else:
            maybe = ["1"]
            comment(document, "1")
            kept, maybe = [*kept, "1"], []
    except StudioError:
        maybe = []
        assert document.live.text.count("# 1\n") == 0
    except Killed:
        document._claim.release()
        again = OpenDocument(wave, "wave.yaml")
        assert sorted(comments(again.live.text)) in (kept, [*kept, *maybe])
        return
    system.heal()
    comment(document, "2")
    assert sorted(comments(document.live.text)) == [*kept, "2"]
    document._claim.release()
    again = OpenDocument(wave, "wave.yaml")
    assert again.live.text == document.live.text
    assert not again.remarks


def test_a_full_disk_is_told_and_later_edits_work(wave: Path) -> None:
    system = FailingSystem()
    document = OpenDocument(wave, "wave.yaml", disk=Disk(wave.parent, system))
    system.fail(["create", "write"], errno.ENOSPC, lasting=True)
    for _ in range(3):
        with pytest.raises(NotKeptError, match=r"wave\.yaml: nothing was changed, .* the disk is full; .*make room"):
            comment(document, "1")
    assert document.live.text == TEXT
    assert not document.changed
    system.heal()
    comment(document, "2")
    assert comments(document.live.text) == ["2"]


def test_a_failed_save_leaves_the_old_file_and_nothing_else(wave: Path) -> None:
    system = FailingSystem()
    document = OpenDocument(wave, "wave.yaml", disk=Disk(wave.parent, system))
    comment(document, "1")
    system.fail(["rename"], errno.EIO)
    with pytest.raises(WorkspaceError, match=r"wave\.yaml: cannot be written: Input/output error"):
        document.save()
    assert wave.read_text() == TEXT
    assert not list(wave.parent.glob("*.new"))
    assert not list(wave.parent.glob(".*.new"))
    document.save()
    assert wave.read_text() == document.live.text


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_record_costs_only_itself(wave: Path, seed: int) -> None:
    """Some records in the middle are overwritten or cut; all others are there, and the whole is kept aside."""
    chance = random.Random(seed)
    document = OpenDocument(wave, "wave.yaml")
    for number in range(40):
        lines = [at for at, letter in enumerate(document.live.text) if letter == "\n" and at > 100]
        at = chance.choice(lines) + 1
        document.edit((Splice(at, "", f"# {number}\n"),))
    document._claim.release()
    journal = journal_path(wave)
    records = journal.read_bytes().split(b"\n\n")
    gone = sorted(chance.sample(range(1, len(records) - 1), chance.randint(1, 3)))
    for index in gone:
        record = records[index]
        at = chance.randrange(len(record))
        damage = (record[:at] + bytes([record[at] ^ 0x20]) + record[at + 1 :], record[:at], b"\x00" * len(record))
        records[index] = chance.choice(damage)
    raw = b"\n\n".join(records)
    journal.write_bytes(raw)
    again = OpenDocument(wave, "wave.yaml")
    lost = {str(index - 1) for index in gone}
    assert set(comments(again.live.text)) == {str(number) for number in range(40)} - lost
    assert f"{len(gone)} edits are lost" in again.remarks[0]
    assert (wave.parent / ".wave.yaml.studio-damaged").read_bytes() == raw
    comment(again, "99")
    again._claim.release()
    third = OpenDocument(wave, "wave.yaml")
    assert third.live.text == again.live.text
    assert not third.remarks


def test_a_damaged_first_record_costs_nothing_where_the_file_has_its_text(wave: Path) -> None:
    document = OpenDocument(wave, "wave.yaml")
    comment(document, "1")
    document._claim.release()
    journal = journal_path(wave)
    raw = journal.read_bytes()
    journal.write_bytes(raw.replace(b"andante.studio-journal", b"andante.studio-jXurnal"))
    again = OpenDocument(wave, "wave.yaml")
    assert comments(again.live.text) == ["1"]


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b'{"format": "andante.studio-journal", "version": 1, "file": "x", "base": ""}\n{"do": "undo"}\n', "version-1"),
        (b"nothing of ours\n", "unreadable"),
        (b"", ""),
    ],
)
def test_a_journal_of_another_version_is_named_and_kept(wave: Path, raw: bytes, name: str) -> None:
    journal_path(wave).write_bytes(raw)
    for number in range(2):
        document = OpenDocument(wave, "wave.yaml")
        assert document.live.text == TEXT
        if name and number == 0:
            assert f".wave.yaml.studio-{name}" in document.remarks[0]
        document.close()
        if number == 0:
            journal_path(wave).write_bytes(raw)
    kept = sorted(path for path in wave.parent.iterdir() if path.name != "wave.yaml")
    assert [path.read_bytes() for path in kept] == ([raw, raw] if name else [])


def test_an_undo_of_what_was_saved_comes_back_after_a_crash(wave: Path) -> None:
    document = OpenDocument(wave, "wave.yaml")
    comment(document, "1")
    document.save()
    document.undo()
    document._claim.release()
    again = OpenDocument(wave, "wave.yaml")
    assert comments(again.live.text) == []
    assert again.changed


def test_a_crash_between_the_file_and_the_end_of_its_journal_does_no_edit_twice(wave: Path) -> None:
    system = FailingSystem()
    document = OpenDocument(wave, "wave.yaml", disk=Disk(wave.parent, system))
    comment(document, "1")
    system.fail(["unlink"], 0)
    with pytest.raises(Killed):
        document.save()
    document._claim.release()
    again = OpenDocument(wave, "wave.yaml")
    assert comments(again.live.text) == ["1"]
    assert not again.changed
    assert not again.remarks


def test_a_journal_that_somebody_takes_away_is_written_anew(wave: Path) -> None:
    document = OpenDocument(wave, "wave.yaml")
    comment(document, "1")
    os.unlink(journal_path(wave))
    comment(document, "2")
    document._claim.release()
    assert sorted(comments(OpenDocument(wave, "wave.yaml").live.text)) == ["1", "2"]
