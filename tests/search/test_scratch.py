"""What trials write for a moment goes, also where their bench was killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.errors import AndanteError
from andante.search.errors import SearchError
from andante.search.scratch import PREFIX, in_folder, scratch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs locks of files that end with a process")


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def _bench(tmp_path: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process that writes there, and its folder."""
    text = (
        "import sys, tempfile\nfrom andante.search.scratch import scratch\nwith scratch() as folder:\n"
        "    tempfile.mkdtemp(prefix='andante-')\n    print(folder, flush=True)\n    sys.stdin.read()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", text], stdin=-1, stdout=-1, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_the_folder_of_a_killed_bench_goes_at_the_next_start_and_that_of_a_living_one_stays(tmp_path):
    killed, left = _bench(tmp_path)
    living, used = _bench(tmp_path)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    try:
        # Its number is another process's by now, for all that anybody knows.
        assert len(list(left.glob("andante-*"))) == 1
        with scratch() as folder:
            assert folder is not None
            assert not left.exists()
            assert len(list(used.glob("andante-*"))) == 1
            with scratch() as inner:
                assert inner is not None
                assert inner.parent == folder
            assert folder.is_dir()
    finally:
        living.communicate("")
    assert list(tmp_path.iterdir()) == []


def test_folders_of_others_stay(tmp_path):
    for name in ("andante-0123", f"{PREFIX}mine", "own"):
        (tmp_path / name).mkdir()
    (tmp_path / "own/.locked").touch()
    # A link into a folder of somebody's own leads nowhere.
    os.symlink(tmp_path / "own", tmp_path / f"{PREFIX}link")
    with scratch():
        assert tempfile.gettempdir() != str(tmp_path)
    assert tempfile.gettempdir() == str(tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["andante-0123", f"{PREFIX}link", f"{PREFIX}mine", "own"]


def test_without_room_trials_write_where_they_did(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **_: os.mkdir(tmp_path / "absent/folder"))
    with scratch() as folder:
        assert folder is None
        assert tempfile.gettempdir() == str(tmp_path)


def test_what_a_cleaner_removes_is_done_again(tmp_path):
    seen = []

    def do(folder: Path) -> str:
        seen.append(folder)
        assert folder.is_dir()
        if len(seen) < 3:
            shutil.rmtree(tmp_path)
        (folder / "log").write_text("told")
        return (folder / "log").read_text()

    assert in_folder("andante-", do) == "told"
    assert len(set(seen)) == 3
    assert list(tmp_path.iterdir()) == []


def test_one_who_cleans_again_and_again_is_told(tmp_path):
    seen = []

    def do(folder: Path) -> None:
        seen.append(folder)
        shutil.rmtree(folder)
        raise AndanteError("the log is gone")

    with pytest.raises(SearchError, match="set TMPDIR to a folder that nobody cleans meanwhile"):
        in_folder("andante-", do)
    assert len(seen) == 3


def test_what_goes_wrong_by_itself_is_not_done_again(tmp_path):
    seen = []

    def do(folder: Path) -> None:
        seen.append(folder)
        raise AndanteError("no such robot")

    with pytest.raises(AndanteError, match="no such robot"):
        in_folder("andante-", do)
    assert len(seen) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_bench_gives_the_same_where_its_folders_are_removed(tmp_path, monkeypatch, workers):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path)
    words = ["bench", "scenario", "sit-and-stand", "--seeds", "3", "--set", "timeout=0.3", "--workers", str(workers)]
    expected = CliRunner().invoke(app, [*words, "--out", "one.json"])
    assert expected.exit_code in (0, 1), expected.output
    over = threading.Event()

    def clean() -> None:
        for _ in range(2):
            while not list((tmp_path / "temporary").glob("andante-*/**/log.mcap")) and not over.wait(0.002):
                pass
            for folder in (tmp_path / "temporary").iterdir():
                shutil.rmtree(folder, ignore_errors=True)

    cleaner = threading.Thread(target=clean)
    cleaner.start()
    try:
        found = CliRunner().invoke(app, [*words, "--out", "two.json"])
    finally:
        over.set()
        cleaner.join()
    assert (found.exit_code, found.stderr) == (expected.exit_code, expected.stderr)
    assert Path("two.json").read_bytes() == Path("one.json").read_bytes()
