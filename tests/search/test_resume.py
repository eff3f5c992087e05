"""A real bench that is killed or interrupted and goes on: the same bytes as one that was left alone."""

from __future__ import annotations

import errno
import io
import os
import signal
import time
from pathlib import Path

import pytest
import typer
from by_command import begin, finish
from typer.testing import CliRunner

from andante.cli.app import app
from andante.cli.bench_kept import journalled
from andante.runs.motion_libraries import library_path
from andante.search.errors import SearchError, refuse_another
from andante.search.journal import StudyJournal
from andante.search.suite import HowToRun

MOTION = ("motion", "--library", "nao-basics", "--motion", "stand", "--seeds", "8", "--first-seed", "40")


def start(folder, *words):
    return begin(folder, "bench", *words)


def kept_in(path):
    """How many results a journal holds; its other lines tell what is asked for."""
    return sum(line.startswith(b'{"key"') for line in path.read_bytes().splitlines(True)) if path.exists() else 0


def stop_at(process, journal, count, how):
    """Send a signal to the process, and to its workers as a terminal does, once so many results are kept."""
    end = time.monotonic() + 240
    while kept_in(journal) < count and process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    assert process.poll() is None, process.communicate()
    if how is signal.SIGINT:
        os.killpg(process.pid, how)
    else:
        os.kill(process.pid, how)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    code, out, err = finish(start(folder, *MOTION, "--out", "r.json"))
    assert (code, err) == (0, "")
    assert [path.name for path in folder.iterdir()] == ["r.json"]
    return (folder / "r.json").read_bytes(), out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "workers"),
    [
        # With workers there is more that can be left behind; a study is stopped without any in test_study_runs.py.
        pytest.param(signal.SIGKILL, 1, marks=pytest.mark.night),
        (signal.SIGKILL, 2),
        pytest.param(signal.SIGINT, 1, marks=pytest.mark.night),
        (signal.SIGINT, 2),
    ],
)
def test_a_bench_that_was_stopped_at_half_goes_on_to_the_same_bytes(tmp_path, whole, how, workers, monkeypatch):
    out, journal = tmp_path / "r.json", tmp_path / "r.json.journal"
    words = (*MOTION, "--out", "r.json", "--workers", str(workers))
    process = start(tmp_path, *words)
    stop_at(process, journal, 3, how)
    code, _, err = finish(process)
    kept = kept_in(journal)
    assert 3 <= kept < 8
    assert not out.exists()
    if how is signal.SIGINT:
        assert (code, err) == (2, f"andante: interrupted; {kept} results are kept, go on with --resume\n")
    before = journal.read_bytes()
    for more, message in (
        ((), "r.json.journal: holds the results of an interrupted bench; go on with --resume, or delete it"),
        (("--resume", "--friction", "0.4", "0.9"), "belongs to another bench, option friction differs; got [0.5, 0.9]"),
    ):
        # What is refused begins nothing, so it needs no process of its own.
        monkeypatch.chdir(tmp_path)
        done = CliRunner().invoke(app, ["bench", *words, *more])
        assert done.exit_code == 2
        assert message in done.stderr
        assert done.output.count("\n") == 1
        assert journal.read_bytes() == before
    code, text, err = finish(start(tmp_path, *words, "--resume"))
    assert (code, err) == (0, "")
    assert (out.read_bytes(), text) == whole
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_nothing(tmp_path, whole):
    journal = tmp_path / "r.json.journal"
    process = start(tmp_path, *MOTION, "--out", "r.json", "--workers", "2")
    end = time.monotonic() + 240
    while kept_in(journal) < 1 and time.monotonic() < end:
        time.sleep(0.005)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    # Copied or spawned; multiprocessing's own helper is neither.
    helper = b"resource_tracker"
    workers = [int(each) for each in children if helper not in Path(f"/proc/{each}/cmdline").read_bytes()]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    code, text, err = finish(process)
    assert code == 0
    assert "the worker died with exit code -9; the task runs again" in err
    assert ((tmp_path / "r.json").read_bytes(), text) == whole


@pytest.mark.slow
def test_no_worker_outlives_a_bench_that_is_killed(tmp_path):
    process = start(tmp_path, *MOTION, "--seeds", "200", "--out", "r.json", "--workers", "2")
    journal, end = tmp_path / "r.json.journal", time.monotonic() + 240
    while kept_in(journal) < 1 and time.monotonic() < end:
        time.sleep(0.005)
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(workers) >= 2
    process.kill()
    process.wait()
    end = time.monotonic() + 60
    while any(Path(f"/proc/{each}/stat").exists() and not ended(each) for each in workers) and time.monotonic() < end:
        time.sleep(0.05)
    assert all(not Path(f"/proc/{each}/stat").exists() or ended(each) for each in workers)


def ended(process):
    """Whether a process is a zombie that waits for somebody to ask how it ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (
            {"stages": [{"type": "sketch", "samples": 5}, {"type": "polish", "width": 2}]},
            "study[1].width differs; got 1",
        ),
        ({"stages": [{"type": "sketch", "samples": 5}]}, "study[1].type differs; got 'polish'; limit: nothing"),
    ],
)
def test_of_long_documents_the_value_that_differs_is_named(asked, says):
    """Both were told whole and cut off before the place where they differ."""
    kept = {"stages": [{"type": "sketch", "samples": 5}, {"type": "polish", "width": 1}]}
    with pytest.raises(SearchError) as told:
        refuse_another("{} differs", {"study": kept["stages"]}, {"study": asked["stages"]})
    assert says in str(told.value)


def test_a_journal_without_room_names_itself_and_what_it_keeps(tmp_path, monkeypatch, capsys):
    """A bench told "No space left on device", of no file, and did not say that results were kept."""

    class Full(io.FileIO):
        def write(self, data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "r.json.journal"

    def bench():
        with journalled(HowToRun(), path, lambda: {"suite": "mine"}, "--out") as journal:
            journal.add("one", 1)
            journal._file.close()
            monkeypatch.setattr(journal, "_file", Full(path, "r+"))
            journal.add("two", 2)

    with pytest.raises(typer.Exit):
        bench()
    told = "cannot be written: No space left on device; 1 results are kept, go on with --resume"
    assert capsys.readouterr().err == f"andante: {path}: {told}\n"
    assert StudyJournal(path, {"suite": "mine"}, resume=True).results == {"one": 1}


@pytest.mark.slow
def test_a_motion_that_is_edited_during_a_bench_ends_it_and_put_back_it_goes_on_to_the_same_bytes(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    mine, words = tmp_path / "mine.yaml", ("motion", "--library", "mine.yaml", "--motion", "stand", "--seeds", "10")
    text = library_path("nao-basics").read_text(encoding="utf-8")
    mine.write_text(text, encoding="utf-8")
    # Only the one that is disturbed needs a process of its own.
    assert CliRunner().invoke(app, ["bench", *words, "--out", "whole.json"]).exit_code == 0
    process, journal = start(tmp_path, *words, "--out", "r.json"), tmp_path / "r.json.journal"
    while kept_in(journal) < 3 and process.poll() is None:
        time.sleep(0.005)
    mine.write_text(text.replace("duration: 600", "duration: 900"), encoding="utf-8")
    code, _, err = finish(process)
    assert (code, "mine.yaml: was changed while trials that read it were made" in err) == (2, True), err
    assert kept_in(journal) < 10
    mine.write_text(text, encoding="utf-8")
    assert CliRunner().invoke(app, ["bench", *words, "--out", "r.json", "--resume"]).exit_code == 0
    assert (tmp_path / "r.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
