"""What a document keeps and refuses: sizes, ends of lines, other programs, several files, journals, new documents."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from studio_text import TEXT

from andante.documents.problems import DocumentError
from andante.formats.registry import convert
from andante.motions.storage import dump_library, load_library
from andante.robots.robot import Robot
from andante.runs.motion_libraries import library_path
from andante.studio import keyframe_edits as edits
from andante.studio.document import OpenDocument, new_library
from andante.studio.errors import StudioError, WorkspaceError
from andante.studio.journal import Journal, JournalEntry, checksum, digest, journal_path, left_behind
from andante.studio.live_library import Reading, read_library
from andante.studio.motion_files import open_suffixes
from andante.studio.splices import Splice

END = TEXT.index("# the end")


def opened(path: Path, **settings: object) -> OpenDocument:
    return OpenDocument(path, path.name, **settings)


def insert(document: OpenDocument, text: str, at: int = END) -> None:
    document.edit((Splice(at, "", text),))


@pytest.fixture
def document(wave: Path) -> OpenDocument:
    return opened(wave)


def test_a_document_as_it_is_opened(document: OpenDocument, wave: Path) -> None:
    assert (document.own, document.changed, document.outdated, document.recovered) == (True, False, False, 0)
    assert (document.remarks, document.reading) == ([], ())
    assert document.saving() == ("", [])
    assert not document.undo()
    assert not document.redo()
    assert not journal_path(wave).exists()


def test_folders_and_files_that_cannot_be_read_are_refused_and_let_go(tmp_path: Path, wave: Path) -> None:
    with pytest.raises(WorkspaceError, match="opens files, not folders; got 'x'"):
        OpenDocument(tmp_path, "x")
    wave.write_bytes(TEXT.encode() + b"# \xff\n")
    with pytest.raises(DocumentError, match=rf"wave\.yaml: is no text in UTF-8; got 'byte {len(TEXT) + 2}'"):
        opened(wave)
    claim = wave.with_name(".wave.yaml.in-studio")
    assert not claim.exists()
    wave.write_text(TEXT)
    document = opened(wave)
    assert claim.exists()
    document.close()
    assert not claim.exists()


def test_files_and_texts_of_16_million_are_the_largest(wave: Path) -> None:
    def told(text: str, name: str) -> Reading:
        return read_library(TEXT, name)

    with open(wave, "r+b") as file:
        file.truncate(16_000_001)
    with pytest.raises(DocumentError, match="16000000"):
        opened(wave, reader=told)
    wave.write_text(TEXT)
    document = opened(wave, reader=told)
    with pytest.raises(StudioError, match=r"wave\.yaml: the document would be too large; limit: 16000000 characters"):
        insert(document, "#" * (16_000_001 - len(TEXT)))
    assert not document.changed
    insert(document, "#" * (16_000_000 - len(TEXT)))
    assert len(document.live.text) == 16_000_000
    with pytest.raises(StudioError, match="too large"):
        document.edit((Splice(END, "#", "##"),))
    document.edit((Splice(END, "##", "$$"),))
    document.journal.close()


def test_an_edit_that_does_not_fit_is_not_even_in_the_journal(document: OpenDocument, wave: Path) -> None:
    with pytest.raises(StudioError):
        document.edit((Splice(END, "# another", ""),))
    assert not journal_path(wave).exists()
    assert document.live.text == TEXT
    assert not document.undo()


def test_steps_are_in_the_journal_with_what_stands_around_them(document: OpenDocument, wave: Path) -> None:
    first, second = (Splice(END, "", "# 1\n"),), (Splice(END, "", "# 22\n"),)
    assert document.edit(first, "drag").edit == first
    document.edit(second, "drag")
    near = (TEXT[END - 24 : END], TEXT[END : END + 24])
    after = (near[0], (("# 1\n" + TEXT[END:])[:24]))
    back = [each.edit for each in document.undo()]
    assert back == [(Splice(END, "# 22\n", ""),), (Splice(END, "# 1\n", ""),)]
    assert [each.edit for each in document.redo()] == [first, second]
    left = left_behind(journal_path(wave), document._disk)
    size = len(TEXT)
    assert [entry for _, entry in left.entries] == [
        JournalEntry("edit", (first,), "drag", near=near, size=size),
        JournalEntry("edit", (second,), "drag", near=after, size=size + 4),
        JournalEntry("undo", tuple(back), near=after, size=size + 9),
        JournalEntry("redo", (first, second), near=near, size=size),
    ]


def test_a_document_that_another_program_changes_is_outdated(document: OpenDocument, wave: Path) -> None:
    wave.write_text(TEXT + "# more\n")
    assert document.outdated
    wave.write_text(TEXT)
    assert not document.outdated
    wave.unlink()
    assert document.outdated


def test_saving_over_what_another_program_did(document: OpenDocument, wave: Path) -> None:
    insert(document, "# 1\n")
    text = document.live.text
    wave.write_text(TEXT + "# somebody\n")
    with pytest.raises(StudioError, match=r"wave\.yaml: the file was changed by another program since it was opened"):
        document.save()
    assert wave.read_text() == TEXT + "# somebody\n"
    # The same text as is to be saved, or none at all, is no other's work that would be lost.
    wave.write_text(text)
    file = wave.stat().st_ino
    document.save()
    assert wave.stat().st_ino == file
    insert(document, "# 2\n")
    wave.unlink()
    document.save()
    assert wave.read_text() == document.live.text
    assert not document.changed
    assert not document.outdated


def test_saving_what_nobody_changed_writes_nothing(document: OpenDocument, wave: Path) -> None:
    file = wave.stat().st_ino
    document.save()
    assert wave.stat().st_ino == file
    assert not journal_path(wave).exists()


def test_closing_keeps_the_journal_of_unsaved_edits_only(document: OpenDocument, wave: Path) -> None:
    insert(document, "# 1\n")
    document.close()
    assert journal_path(wave).exists()
    again = opened(wave)
    assert (again.recovered, again.remarks) == (1, [])
    again.undo()
    again.close()
    assert not journal_path(wave).exists()
    assert opened(wave).recovered == 0


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (TEXT.replace("\n", "\r\n"), "# 1\r\n"),
        (TEXT, "# 1\n"),
        ("\ufeff" + TEXT, "# 1\n"),
        (TEXT.replace("\n", "\r\n", 3), "# 1\n"),
        (TEXT.replace("\n", "\r\n").replace("# the end", "# the\rend"), "# 1\n"),
    ],
)
def test_an_edit_changes_no_other_end_of_a_line(wave: Path, raw: str, expected: str) -> None:
    wave.write_bytes(raw.encode())
    document = opened(wave)
    at = document.live.text.index("# The arm")
    insert(document, "# 1\n", at)
    document.save()
    place = raw.index("# The arm")
    assert wave.read_bytes() == (raw[:place] + expected + raw[place:]).encode()
    insert(document, "# 2\n", at)
    document.undo()
    document.undo()
    document.save()
    assert wave.read_bytes() == raw.encode()


def test_what_a_save_would_do_is_told_as_a_difference(document: OpenDocument) -> None:
    insert(document, "# 1\n")
    before = TEXT.splitlines()
    lines = document.saving()[0].splitlines()
    assert lines[:2] == ["--- wave.yaml (on disk)", "+++ wave.yaml (to be saved)"]
    assert lines[3:] == [f" {before[-3]}", f" {before[-2]}", "+# 1", f" {before[-1]}"]


def test_2000_lines_of_a_difference_are_told(document: OpenDocument) -> None:
    at = TEXT.index("motions:\n")
    insert(document, "#\n" * 1993, at)
    lines = document.saving()[0].splitlines()
    assert len(lines) == 2000
    assert lines[-1].startswith(" ")
    insert(document, "#\n" * 3, at)
    lines = document.saving()[0].splitlines()
    assert len(lines) == 2001
    assert lines[-1] == "... and 3 more lines"


def test_a_difference_that_nobody_sees_is_told_in_words(document: OpenDocument) -> None:
    insert(document, "\r", END - 1)
    assert document.saving()[0] == "wave.yaml: only line ends or invisible characters differ"


def one_motion(wave: Path, target: Path, target_format: str | None = None) -> Path:
    library = load_library(wave)
    source = wave.with_name("one.yaml")
    source.write_text(dump_library(library.model_copy(update={"motions": {"wave": library.motions["wave"]}})))
    convert(source, target, target_format=target_format)
    return target


def change(document: OpenDocument, old: str, new: str) -> None:
    document.edit((Splice(document.live.text.index(old), old, new),))


def test_a_text_with_a_mistake_is_saved_in_andantes_format_only(tmp_path: Path, wave: Path) -> None:
    own = opened(wave)
    change(own, "motions:\n", "motions: [\n")
    own.save()
    assert "motions: [" in wave.read_text()
    wave.write_text(TEXT)
    path = one_motion(wave, tmp_path / "wave.csv")
    raw = path.read_bytes()
    other = opened(path)
    assert not other.own
    change(other, "motions:\n", "motions: [\n")
    for way in (other.save, other.saving):
        with pytest.raises(StudioError, match=r"wave\.csv: the text has a mistake; mend it before saving"):
            way()
    assert path.read_bytes() == raw


def test_undoing_past_a_save_gives_the_bytes_that_were_read(tmp_path: Path, wave: Path) -> None:
    path = one_motion(wave, tmp_path / "moves.json", "hulks")
    raw = path.read_bytes() + b"\n\n  \n"
    path.write_bytes(raw)
    document = opened(path)
    first = document.live.text
    live = document.live
    block = next(name for name, block in live.library.blocks.items() if block.keyframes)
    keyframe = live.library.blocks[block].keyframes[0]
    changed = edits.changed(keyframe, {"duration": 2 * keyframe.duration})
    document.edit(edits.replaced(live, block, {0: changed}))
    second = document.live.text
    document.save()
    saved = path.read_bytes()
    assert not saved.endswith(b"\n\n  \n")
    document.undo()
    assert document.live.text == first
    document.save()
    assert path.read_bytes() == raw
    document.redo()
    assert document.live.text == second
    document.save()
    assert path.read_bytes() == saved
    document.close()


def test_files_of_a_format_without_text_are_counted(tmp_path: Path) -> None:
    from andante.runs.motion_libraries import load_motions

    library = load_motions("ers7")
    source = tmp_path / "one.yaml"
    source.write_text(dump_library(library.model_copy(update={"motions": {"stop": library.motions["stop"]}})))
    convert(source, tmp_path / "stop.mtn")
    document = opened(tmp_path / "stop.mtn")
    size = (tmp_path / "stop.mtn").stat().st_size
    block = next(name for name, block in document.live.library.blocks.items() if block.keyframes)
    keyframe = document.live.library.blocks[block].keyframes[0]
    joint = next(iter(keyframe.joints))
    changed = edits.changed(keyframe, {"joints": {joint: 0.2}})
    document.edit(edits.replaced(document.live, block, {0: changed}))
    assert document.saving()[0] == f"stop.mtn: {size} bytes become {size} bytes; the format is no text"


def test_a_format_of_two_files_is_saved_file_by_file(tmp_path: Path) -> None:
    engine, parameters = tmp_path / "keyframeMotionEngine.cfg", tmp_path / "keyframeMotionParameters.cfg"
    convert(library_path("nao"), engine, target_format="bhuman")
    old = {path: path.read_bytes() for path in (engine, parameters)}
    document = opened(engine)
    with_both = document.live.text
    assert not document.outdated
    parameters.write_bytes(old[parameters] + b"\n")
    assert document.outdated
    parameters.write_bytes(old[parameters])
    block = next(name for name, block in document.live.library.blocks.items() if block.keyframes)
    keyframe = document.live.library.blocks[block].keyframes[0]
    changed = edits.changed(keyframe, {"joints": {next(iter(keyframe.joints)): 0.2}})
    document.edit(edits.replaced(document.live, block, {0: changed}))
    text, _ = document.saving()
    assert text.startswith("--- keyframeMotionEngine.cfg (on disk)\n+++ keyframeMotionEngine.cfg (to be saved)\n")
    document.save()
    assert engine.read_bytes() != old[engine]
    assert opened(engine).live.text != with_both
    document.undo()
    document.save()
    assert {path: path.read_bytes() for path in old} == old
    document.close()


def test_a_journal_for_another_text_is_kept_and_told_where_it_holds_edits(wave: Path) -> None:
    other = TEXT + "# older\n"
    for number, texts in enumerate([("# 1\n",), ("# 2\n",), ("# 3\n",), ()]):
        first = opened(wave)
        disk = first._disk
        first.close()
        made = Journal(journal_path(wave), other, digest(other.encode()), disk)
        made.renew()
        for text in texts:
            made.add(JournalEntry("edit", ((Splice(END, "", text),),)))
        made.close()
        raw = journal_path(wave).read_bytes()
        document = opened(wave)
        name = ".wave.yaml.studio-of-another-version" + ("", "-2", "-3", "-4")[number]
        assert wave.with_name(name).read_bytes() == raw
        told = f"edits were left unsaved for another version of this file; they are kept in {name}"
        assert document.remarks == ([told] if texts else [])
        assert (document.live.text, document.recovered) == (TEXT, 0)
        assert not journal_path(wave).exists()
        document.close()


@pytest.mark.parametrize("lost", [False, True])
def test_a_first_record_that_is_lost_counts_only_where_the_text_is_another(wave: Path, lost: bool) -> None:
    document = opened(wave)
    insert(document, "# 1\n")
    document._claim.release()
    path = journal_path(wave)
    lines = path.read_bytes().split(b"\n\n")
    path.write_bytes(b"\n" + b"\n\n".join([b"x", *lines[1:]]))
    if lost:
        wave.write_text(TEXT + "# newer\n")
    again = opened(wave)
    if lost:
        assert again.remarks == [
            "the journal of unsaved edits cannot be read; it is kept in .wave.yaml.studio-unreadable"
        ]
        assert (again.live.text, again.recovered) == (TEXT + "# newer\n", 0)
    else:
        assert again.remarks == [
            "the journal of unsaved edits is damaged: 0 edits are lost, 1 were done again; it is kept in"
            " .wave.yaml.studio-damaged"
        ]
        assert "# 1\n" in again.live.text
        assert left_behind(path, again._disk).damaged == 0
    assert checksum(TEXT) in str(lines[1])


def test_a_journal_that_lacks_nothing_is_not_kept_aside(wave: Path) -> None:
    document = opened(wave)
    insert(document, "# 1\n")
    raw = journal_path(wave).read_bytes()
    document._claim.release()
    again = opened(wave)
    assert again.remarks == []
    assert journal_path(wave).read_bytes() == raw
    assert sorted(path.name for path in wave.parent.iterdir() if "studio-" in path.name) == []
    insert(again, "# 2\n")
    again._claim.release()
    third = opened(wave)
    assert (third.live.text, third.recovered) == (again.live.text, 2)


def test_a_new_document_is_a_copy_an_empty_motion_or_refused(tmp_path: Path) -> None:
    new_library(tmp_path / "copy.yaml", "", "nao")
    assert (tmp_path / "copy.yaml").read_bytes() == library_path("nao").read_bytes()
    with pytest.raises(StudioError, match="there is no such library to copy; got 'naos'"):
        new_library(tmp_path / "no.yaml", "", "naos")
    assert not (tmp_path / "no.yaml").exists()
    new_library(tmp_path / "new.yaml", "nao")
    assert "\nrobot: nao\n" in (tmp_path / "new.yaml").read_text()
    (tmp_path / "link.yaml").symlink_to(tmp_path / "nowhere")
    for copy_of in ("", "nao"):
        with pytest.raises(StudioError, match="exists already"):
            new_library(tmp_path / "new.yaml", "nao", copy_of)
        with pytest.raises(StudioError, match="exists already"):
            new_library(tmp_path / "link.yaml", "nao", copy_of)


def test_the_robot_of_a_new_document_may_be_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = Robot.load("nao")
    monkeypatch.setattr(Robot, "load", lambda name: loaded)
    new_library(tmp_path / "new.yaml", "räder/nao.urdf")
    assert f"\nrobot: {json.dumps('räder/nao.urdf', ensure_ascii=False)}\n" in (tmp_path / "new.yaml").read_text()


def test_files_of_all_formats_are_listed() -> None:
    assert {".yaml", ".mtn", ".csv", ".cfg", ".json"} <= open_suffixes()


@pytest.mark.parametrize("looks", [0, 1])
def test_what_others_do_to_the_file_is_seen_at_the_next_look(wave: Path, looks: int) -> None:
    """Also before the first one, and where they bring the old time with them."""
    document = opened(wave)
    for _ in range(looks):
        assert (document.outdated_now(), document.disk) == (False, "")
    kept = wave.stat()
    wave.unlink()
    assert (document.outdated_now(), document.disk) == (True, "gone")
    wave.write_text(TEXT)
    assert (document.outdated_now(), document.disk) == (False, "")
    wave.write_text(TEXT.replace("600", "700"))
    os.utime(wave, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert (document.outdated_now(), document.disk) == (True, "changed")
    document.save(overwrite=True)
    assert (document.outdated_now(), document.disk) == (False, "")
    document.close()
