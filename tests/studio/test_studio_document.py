"""OpenDocument: any format opened, edited, undone and saved; journals; other programs' changes."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from studio_text import TEXT

from andante.documents.problems import DocumentError
from andante.formats.registry import convert
from andante.motions.storage import load_library
from andante.studio import keyframe_edits as edits
from andante.studio.document import OpenDocument, new_library
from andante.studio.errors import StudioError, WorkspaceError
from andante.studio.journal import journal_path
from andante.studio.splices import Splice, difference
from andante.studio.workspace import Workspace


def turn(document: OpenDocument, value: float, group: str = "") -> None:
    """Turn a joint of the first keyframe of the first block that has one."""
    live = document.live
    block = next(name for name, block in live.library.blocks.items() if block.keyframes)
    keyframe = live.library.blocks[block].keyframes[0]
    joint = next(iter(keyframe.joints))
    document.edit(edits.replaced(live, block, {0: edits.changed(keyframe, {"joints": {joint: value}})}), group)


@pytest.mark.slow
def test_undo_has_no_limit_and_gives_the_old_bytes(wave: Path) -> None:
    document = OpenDocument(wave, "wave.yaml")
    texts = [document.live.text]
    for step in range(300):
        turn(document, step / 1000 - 0.2)
        texts.append(document.live.text)
    for text in reversed(texts[:-1]):
        assert document.undo()
        assert document.live.text == text
    assert not document.undo()
    assert not document.changed
    for text in texts[1:]:
        assert document.redo()
        assert document.live.text == text
    document.close()


def test_edits_of_one_drag_are_one_step(wave: Path) -> None:
    document = OpenDocument(wave, "wave.yaml")
    turn(document, 0.1, "drag-1")
    turn(document, 0.2, "drag-1")
    turn(document, 0.3, "drag-2")
    document.undo()
    document.undo()
    assert document.live.text == TEXT
    document.close()


def test_a_save_writes_the_text_and_only_then(wave: Path) -> None:
    document = OpenDocument(wave, "wave.yaml")
    turn(document, -0.5235987755982988)
    assert wave.read_text() == TEXT
    difference, _ = document.saving()
    assert "-        joints: {RShoulderPitch: -60," in difference
    assert "+        joints: {RShoulderPitch: -30," in difference
    document.save()
    assert wave.read_text() == TEXT.replace("RShoulderPitch: -60", "RShoulderPitch: -30")
    assert not journal_path(wave).exists()
    document.undo()
    document.save()
    assert wave.read_text() == TEXT


@pytest.mark.parametrize(
    "raw",
    [
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.encode()[:-1],
    ],
)
def test_line_ends_and_marks_stay(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "wave.yaml"
    path.write_bytes(raw)
    document = OpenDocument(path, "wave.yaml")
    turn(document, 0.1)
    document.save()
    assert path.read_bytes().count(b"\r\n") == raw.count(b"\r\n")
    assert path.read_bytes().count(b"\r") == raw.count(b"\r")
    document.edit(edits.duplicated(document.live, "wave", [3]))
    assert document.live.library.blocks["wave"].keyframes[3] == document.live.library.blocks["wave"].keyframes[4]
    document.undo()
    assert path.read_bytes().startswith(b"\xef\xbb\xbf") == raw.startswith(b"\xef\xbb\xbf")
    document.undo()
    document.save()
    assert path.read_bytes() == raw


FORMATS = ["moves.json", "wave.motion", "wave.pos", "wave.kfm", "wave.xar", "wave.csv", "wave.cfg"]


@pytest.mark.parametrize("name", FORMATS)
def test_other_programs_files_are_edited_undone_and_saved_unchanged(tmp_path: Path, wave: Path, name: str) -> None:
    """The files are made by `convert`; real ones are tried where an environment variable names them."""
    source = tmp_path / "one.yaml"
    library = load_library(wave)
    from andante.motions.storage import dump_library

    keep = library.model_copy(update={"motions": {"wave": library.motions["wave"]}})
    source.write_text(dump_library(keep))
    target = tmp_path / name
    formats = {".json": "hulks", ".pos": "runswift"}
    convert(source, target, target_format=formats.get(target.suffix))
    check_untouched(target)


def check_untouched(path: Path) -> None:
    raw = path.read_bytes()
    document = OpenDocument(path, path.name)
    assert document.live.problem is None, document.live.problem
    assert not document.own
    turn(document, 0.2)
    assert document.changed
    assert document.saving()[0]
    document.undo()
    assert document.saving()[0] == ""
    document.save()
    assert path.read_bytes() == raw
    document.redo()
    document.save()
    assert path.read_bytes() != raw
    document.undo()
    document.save()
    assert path.read_bytes() == raw
    document.redo()
    document.save()
    again = OpenDocument(path, path.name)
    block = next(name for name, block in again.live.library.blocks.items() if block.keyframes)
    joint = next(iter(document.live.library.blocks[block].keyframes[0].joints))
    assert again.live.library.blocks[block].keyframes[0].joints[joint] == pytest.approx(0.2, abs=2e-3)


def test_an_mtn_is_saved_unchanged(tmp_path: Path) -> None:
    from andante.motions.storage import dump_library
    from andante.runs.motion_libraries import load_motions

    library = load_motions("ers7")
    keep = library.model_copy(update={"motions": {"stop": library.motions["stop"]}})
    (tmp_path / "one.yaml").write_text(dump_library(keep))
    convert(tmp_path / "one.yaml", tmp_path / "stop.mtn")
    check_untouched(tmp_path / "stop.mtn")


@pytest.mark.parametrize("variable", ["ANDANTE_STUDIO_CFG", "ANDANTE_STUDIO_MTN", "ANDANTE_STUDIO_JSON"])
def test_real_files_are_saved_unchanged(tmp_path: Path, variable: str) -> None:
    if variable not in os.environ:
        pytest.skip(f"needs a file of a robot's own in {variable} (CONTRIBUTING.md)")
    source = Path(os.environ[variable])
    (tmp_path / source.name).write_bytes(source.read_bytes())
    check_untouched(tmp_path / source.name)


def test_a_file_that_another_program_changed_is_not_overwritten(wave: Path) -> None:
    document = OpenDocument(wave, "wave.yaml")
    turn(document, 0.1)
    wave.write_text(TEXT + "# somebody\n")
    with pytest.raises(StudioError, match="changed by another program"):
        document.save()
    assert wave.read_text().endswith("# somebody\n")
    document.save(overwrite=True)
    assert wave.read_text() == document.live.text


@pytest.mark.parametrize("unsaved", [False, True])
def test_what_another_program_wrote_is_taken_in_as_one_step(wave: Path, unsaved: bool) -> None:
    """Also over edits that were not saved: undo shows them again, after a crash too."""
    document = OpenDocument(wave, "wave.yaml")
    if unsaved:
        document.edit((Splice(0, "", "# mine\n"),))
    mine = document.live.text
    theirs = TEXT.replace("-50}}", "-55}}")
    wave.write_bytes(theirs.replace("\n", "\r\n").encode())
    assert document.outdated_now()
    document.reread()
    assert (document.live.text, document.changed, document.outdated_now()) == (theirs, False, False)
    document.close() if not unsaved else document._claim.release()
    if unsaved:
        document = OpenDocument(wave, "wave.yaml")
        assert (document.live.text, document.changed, document.remarks) == (theirs, False, [])
        document.undo()
        assert document.live.text == mine
    else:
        document = OpenDocument(wave, "wave.yaml")
        document.edit((Splice(0, "", "# mine\n"),))
    document.save()
    assert wave.read_bytes() == document.live.text.replace("\n", "\r\n").encode()


def test_a_file_that_is_gone_or_cannot_be_read_changes_nothing(wave: Path) -> None:
    document = OpenDocument(wave, "wave.yaml")
    for change in (wave.unlink, lambda: wave.write_bytes(b"format: andante.motions\nrobot: \xff\n")):
        change()
        with pytest.raises(DocumentError, match=r"wave\.yaml"):
            document.reread()
        assert (document.live.text, document.changed, document.outdated) == (TEXT, False, True)
    wave.write_text(TEXT)
    assert document.reread() == []
    assert not document.outdated


def test_what_a_crash_left_is_done_again_with_its_history(wave: Path) -> None:
    document = OpenDocument(wave, "wave.yaml")
    for value in (0.1, 0.2, 0.3):
        turn(document, value)
    document.undo()
    text = document.live.text
    # The process ends here without a word.
    again = OpenDocument(wave, "wave.yaml")
    assert again.live.text == text
    assert again.recovered == 4
    assert again.redo()
    while again.undo():
        pass
    assert again.live.text == TEXT
    again.close()
    assert not journal_path(wave).exists()


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(cut=st.integers(0, 4000), data=st.binary(max_size=20))
def test_a_journal_that_is_cut_or_damaged_gives_what_is_whole(tmp_path_factory, cut: int, data: bytes) -> None:
    wave = tmp_path_factory.mktemp("journal") / "wave.yaml"
    wave.write_text(TEXT)
    document = OpenDocument(wave, "wave.yaml")
    texts = [TEXT]
    for step in range(6):
        turn(document, step / 10)
        texts.append(document.live.text)
    path = journal_path(wave)
    raw = path.read_bytes()
    path.write_bytes(raw[: max(len(raw) - cut, 0)] + data)
    again = OpenDocument(wave, "wave.yaml")
    assert again.live.text in texts
    assert again.live.problem is None
    turn(again, 0.77)
    third = OpenDocument(wave, "wave.yaml")
    assert third.live.text == again.live.text


def test_edits_for_another_version_of_the_file_are_kept_aside(wave: Path) -> None:
    document = OpenDocument(wave, "wave.yaml")
    turn(document, 0.1)
    wave.write_text(TEXT + "# newer\n")
    again = OpenDocument(wave, "wave.yaml")
    assert again.recovered == 0
    assert "kept in" in again.remarks[0]
    kept = next(wave.parent.glob(".wave.yaml.studio-of-another-version"))
    assert json.dumps(TEXT, ensure_ascii=True).encode() in kept.read_bytes()


_EDITOR = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from andante.studio.document import OpenDocument
from test_studio_document import turn
document = OpenDocument(Path(sys.argv[1]), "wave.yaml")
for step in range(10000):
    turn(document, step * 1e-4)
    print(step, flush=True)
    if step % 20 == 0:
    """


def test_a_killed_process_loses_nothing_that_was_written(tmp_path: Path) -> None:
    """Killed at random moments of editing: every edit that was told as done comes back."""
    chance = random.Random(5)
    for number in range(4):
        wave = tmp_path / f"wave{number}.yaml"
        wave.write_text(TEXT)
        code = _EDITOR.format(tests=str(Path(__file__).parent))
        editor = subprocess.Popen([sys.executable, "-c", code, str(wave)], stdout=subprocess.PIPE, text=True)
        last = -1
        end = None
        for line in editor.stdout:
            end = end or time.monotonic() + chance.uniform(0.0, 0.5)
            last = int(line)
            if time.monotonic() > end:
                break
        editor.send_signal(signal.SIGKILL)
        rest = editor.stdout.read().split()
        editor.wait()
        last = int(rest[-1]) if rest and rest[-1].isdigit() else last
        again = OpenDocument(wave, "wave.yaml")
        assert again.live.problem is None
        assert again.recovered in (last + 1, last + 2)


def test_names_outside_the_workspace_are_refused(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.yaml").write_text(TEXT)
    (inside / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (inside / "a.yaml").write_text(TEXT)
    (inside / ".hidden.yaml").write_text(TEXT)
    workspace = Workspace(inside)
    assert workspace.path("a.yaml") == inside / "a.yaml"
    for name in (
        "../secret.yaml",
        str(tmp_path / "secret.yaml"),
        "link.yaml",
        "",
        ".",
        "a/../../secret.yaml",
        "x\0.yaml",
    ):
        with pytest.raises(WorkspaceError):
            workspace.path(name)
    with pytest.raises(WorkspaceError, match="hidden"):
        workspace.path(".hidden.yaml")
    assert workspace.files(frozenset({".yaml"})) == ["a.yaml", "link.yaml"] or workspace.files(
        frozenset({".yaml"})
    ) == ["a.yaml"]


def test_a_new_document_is_valid_and_never_replaces_one(tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    new_library(path, "nao")
    assert load_library(path).motions.keys() == {"motion"}
    with pytest.raises(StudioError, match="exists already"):
        new_library(path, "nao")


def test_one_splice_is_found_between_two_large_texts() -> None:
    text = "line\n" * 100_000
    other = text[:250_000] + "x" + text[250_000:]
    (splice,) = difference(text, other)
    assert (splice.removed, splice.inserted) == ("", "x")


def test_a_write_within_one_tick_of_the_file_systems_clock_is_seen(wave: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same size and times as at the last look; and a clock that was set back."""
    now = wave.stat()
    monkeypatch.setattr(Path, "stat", lambda self, **_: now if self == wave else os.stat(self))
    document = OpenDocument(wave, "wave.yaml")
    theirs = TEXT.replace("duration: 250", "duration: 260")
    for clock in (time.time, lambda: 0.0):
        monkeypatch.setattr(time, "time_ns", lambda clock=clock: int(1e9 * clock()))
        wave.write_text(TEXT)
        assert not document.outdated_now()
        wave.write_text(theirs)
        assert document.outdated_now()
    document.close()
