"""What trials write for a moment goes, also where their bench was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from andante.search.scratch import PREFIX, scratch

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
