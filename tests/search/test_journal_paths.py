"""What stands where a journal is to be: another bench's, somebody's file, a folder, a pipe, the results themselves."""

from __future__ import annotations

import errno
import io
import os
import sys

import pytest
import toy_suite
from typer.testing import CliRunner

from andante.cli.app import app
from andante.search import journal as journals
from andante.search.errors import SearchError
from andante.search.journal import StudyJournal
from andante.search.suites import registry

ABOUT = {"suite": "dice"}


@pytest.fixture
def dice(monkeypatch):
    """Runs the suite of dice by its command."""
    monkeypatch.setitem(registry.SUITES, "dice", "How often does a die show enough?")
    monkeypatch.setitem(sys.modules, "andante.search.suites.dice", toy_suite)
    return lambda *words: CliRunner().invoke(app, ["bench", "dice", *map(str, words)])


@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_and_a_pipe_are_no_journal(tmp_path, resume):
    os.mkfifo(tmp_path / "pipe")
    for name, what in (("", "is a folder"), ("pipe", "is a device or a pipe")):
        with pytest.raises(SearchError, match=f"{what}, and a journal is a file; name another one"):
            StudyJournal(tmp_path / name, ABOUT, resume=resume)


@pytest.mark.parametrize("text", ['{"one": "line"}', "notes", "two\nlines\n", '{"format": "andante.benches"}'])
def test_a_file_of_somebody_is_no_journal_and_stays(tmp_path, text):
    """A file of one line without an end was emptied by `--resume`."""
    path = tmp_path / "notes"
    path.write_text(text)
    with pytest.raises(SearchError, match="is there already, and is no journal; name another file"):
        StudyJournal(path, ABOUT)
    with pytest.raises(SearchError, match=r"is no (line of a )?bench journal"):
        StudyJournal(path, ABOUT, resume=True)
    assert path.read_text() == text


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files as POSIX has them")
def test_whoever_begins_a_journal_that_is_written_is_told_so(tmp_path):
    """It was told of as one of an interrupted bench, with the advice to delete it."""
    first = StudyJournal(tmp_path / "j", ABOUT)
    with pytest.raises(SearchError, match="another bench writes into this journal; wait for its end"):
        StudyJournal(tmp_path / "j", ABOUT)

    def late(path, resume):
        """Both looked before either had begun it."""
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))

    refuse, looks = journals._refuse_unfit, []

    def first_look_sees_nothing(*at):
        looks.append(at)
        if len(looks) > 1:
            refuse(*at)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(journals, "_refuse_unfit", first_look_sees_nothing)
        with pytest.raises(SearchError, match="another bench writes into this journal"):
            StudyJournal(tmp_path / "j", ABOUT, opened=late)
    first.close()


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files as POSIX has them")
def test_one_that_goes_on_with_a_journal_in_the_moment_of_its_end_is_told_so(tmp_path):
    """It wrote into a file that had been deleted."""
    first = StudyJournal(tmp_path / "j", ABOUT)

    def opened(path, resume):
        file = journals.open_journal(path, resume)
        first.remove()
        return file

    with pytest.raises(SearchError, match="is gone: the bench that wrote it has ended"):
        StudyJournal(tmp_path / "j", ABOUT, resume=True, opened=opened)


def test_what_has_come_into_the_place_of_a_journal_stays(tmp_path):
    first = StudyJournal(tmp_path / "j", ABOUT)
    (tmp_path / "j").unlink()
    (tmp_path / "j").write_text("results of hours")
    first.remove()
    assert (tmp_path / "j").read_text() == "results of hours"


def test_a_journal_without_room_for_its_first_line_leaves_nothing(tmp_path):
    """What it left was told of as the results of an interrupted bench."""

    class Full(io.FileIO):
        def write(self, data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(SearchError, match="cannot be written: No space left on device"):
        StudyJournal(tmp_path / "j", ABOUT, opened=lambda path, resume: Full(path, "x"))
    assert not (tmp_path / "j").exists()


def test_results_and_journal_of_one_name_are_refused(tmp_path, dice):
    """The journal went at the end, and the results with it."""
    done = dice("--seeds", "2", "--out", tmp_path / "r.json", "--journal", tmp_path / "r.json")
    assert (done.exit_code, "--journal: results and journal are two files" in done.stderr) == (2, True)
    assert dice("--seeds", "2", "--out", tmp_path / "r.json").exit_code == 0
    # And by a name that leads there.
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    done = dice("--seeds", "2", "--out", tmp_path / "r.json", "--journal", tmp_path / "link" / "r.json")
    assert done.exit_code == 2
    assert (tmp_path / "r.json").exists()


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_results_that_nobody_can_be_told_stay_in_the_journal(tmp_path, dice, words):
    """The journal went before they were told."""
    path = tmp_path / "j"

    waiting = []

    def full(_):
        if waiting:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("andante.cli.output._Shown.write", lambda _, text: waiting.append(text))
        patched.setattr("andante.cli.output._Shown.flush", full)
        done = dice("--seeds", "3", "--journal", path, *words)
    told = "andante: No space left on device; 3 results are kept, go on with --resume\n"
    assert (done.exit_code, told in done.stderr) == (2, True)
    assert path.exists()
    assert dice("--seeds", "3", "--journal", path, "--resume").exit_code == 0
    assert not path.exists()
