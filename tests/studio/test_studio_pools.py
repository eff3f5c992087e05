"""Processes beside the server end with it, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PARENT = """import os, time
from andante.studio.processes import one_process
if __name__ == "__main__":
    print(one_process().submit(os.getpid).result(), flush=True)
    time.sleep(120)
"""
BUSY = """import os, time
from concurrent.futures import BrokenExecutor
from andante.studio.processes import one_process
if __name__ == "__main__":
    pool = one_process()
    print(pool.submit(os.getpid).result(), flush=True)
    try:
        pool.submit(time.sleep, 120).result()
    except BrokenExecutor:
        print("ended", flush=True)
"""


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_worker_says_nothing_of_an_interrupt(tmp_path: Path) -> None:
    """Ctrl-C in a terminal reaches all processes of the group."""
    script = tmp_path / "parent.py"
    script.write_text(BUSY)
    parent = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    time.sleep(1.0)
    os.kill(worker, signal.SIGINT)
    until = time.monotonic() + 20
    while alive(worker) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(worker)
    said, complained = parent.communicate(timeout=20)
    assert said == "ended\n"
    assert "Traceback" not in complained


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_ends_with_its_parent(end: signal.Signals, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert alive(worker)
    os.kill(parent.pid, end)
    parent.wait(20)
    until = time.monotonic() + 20
    while alive(worker) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(worker)


def test_a_terminated_studio_leaves_nothing_and_says_nothing(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "from andante.cli.app import main; main()",
        "studio",
        str(tmp_path),
        "--no-browser",
    ]
    studio = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert studio.stdout is not None
    assert "The studio is at" in studio.stdout.readline()
    # It prepares drags in a process of its own, which takes longer than this.
    until, children = time.monotonic() + 20, Path(f"/proc/{studio.pid}/task/{studio.pid}/children")
    while not children.read_text() and time.monotonic() < until:
        time.sleep(0.05)
    workers = [int(pid) for pid in children.read_text().split()]
    assert workers
    studio.send_signal(signal.SIGTERM)
    _, complained = studio.communicate(timeout=60)
    assert studio.returncode == 128 + signal.SIGTERM
    assert complained == ""
    until = time.monotonic() + 20
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(alive, workers))
