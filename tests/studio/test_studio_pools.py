"""Processes beside the server end with it, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helper_kills import children, named, threads
from served import served
from socket_clients import StudioClient

PARENT = """import os, time
from andante.studio.processes import Helper
if __name__ == "__main__":
    helper = Helper("test", "the helper")
    print(helper.wait(os.getpid), flush=True)
    time.sleep(120)
"""
BUSY = """import os, time
from andante.studio.errors import HelperLostError
from andante.studio.processes import Helper
if __name__ == "__main__":
    helper = Helper("test", "the helper")
    print(helper.wait(os.getpid), flush=True)
    try:
        helper.wait(time.sleep, 120)
    except HelperLostError as error:
        print(error, flush=True)
    print(helper.wait(os.getpid), flush=True)
    helper.end()
"""


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "why"), [(signal.SIGKILL, "was killed"), (signal.SIGTERM, "signal 15"), (signal.SIGSTOP, "was stopped")]
)
def test_a_worker_that_ends_is_told_of_and_replaced(end: signal.Signals, why: str, tmp_path: Path) -> None:
    """Ctrl-C in a terminal, which reaches all processes of the group, is the server's affair."""
    script = tmp_path / "parent.py"
    script.write_text(BUSY)
    parent = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    time.sleep(1.0)
    os.kill(worker, signal.SIGINT)
    time.sleep(0.2)
    assert alive(worker)
    os.kill(worker, end)
    until = time.monotonic() + 60
    while alive(worker) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(worker)
    said, complained = parent.communicate(timeout=60)
    sentence, other = said.splitlines()
    assert sentence.startswith("the helper has ended: it was ")
    assert why in sentence
    assert int(other) != worker
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
    parent.wait(60)
    until = time.monotonic() + 60
    while alive(worker) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(worker)


@pytest.mark.slow
def test_a_terminated_studio_leaves_nothing_and_says_nothing(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "from andante.cli.app import main; main()",
        "studio",
        str(tmp_path),
        "--no-browser",
    ]
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    studio = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert studio.stdout is not None
    assert "The studio is at" in studio.stdout.readline()
    # It prepares drags in a process of its own, which takes longer than this.
    until = time.monotonic() + 60
    while not any("studio-" in threads(pid) for pid in children(studio.pid)) and time.monotonic() < until:
        time.sleep(0.05)
    workers = children(studio.pid)
    assert any("studio-" in threads(pid) for pid in workers)
    studio.send_signal(signal.SIGTERM)
    _, complained = studio.communicate(timeout=60)
    assert studio.returncode == 128 + signal.SIGTERM
    assert complained == ""
    until = time.monotonic() + 60
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(alive, workers))


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are copied on Linux only")
def test_helpers_of_a_studio_are_copies_of_it(wave: Path) -> None:
    """Each loaded all of Andante anew, one and a half seconds of work before its first."""
    with served(wave.parent) as studio:
        until = time.monotonic() + 60
        while not (workers := named(studio, "studio-drags")) and time.monotonic() < until:
            time.sleep(0.05)
        (worker,) = workers
        command = Path(f"/proc/{worker}/cmdline").read_bytes()
        assert command == Path(f"/proc/{studio.process.pid}/cmdline").read_bytes()
        # They end by a request to end as any process does; the studio's answer is its own.
        caught = int(Path(f"/proc/{worker}/status").read_text().partition("SigCgt:")[2].split()[0], 16)
        assert not caught >> (signal.SIGTERM - 1) & 1
        # Without the process that all are copied from, they begin as before.
        parent = int(Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1])
        assert parent != studio.process.pid
        os.kill(parent, signal.SIGKILL)
        client = StudioClient(studio, timeout=60.0)
        client.ask(do="open", file="wave.yaml")
        assert client.checks()["state"] == "checked"
        client.close()
    assert not alive(worker)
