"""Workers end with the process that hired them, at once, however it ends and whatever they are at."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from andante.search import cluster_worker
from andante.search.limits import TrialLimits

SCRIPT = """
import os, signal, sys, time
from pathlib import Path
from andante.search.executor import Processes

FOLDER = Path(sys.argv[1])


def busy(task):
    (FOLDER / f"{os.getpid()}").touch()
    import ctypes
    if task % 2:
        ctypes.PyDLL(None).sleep(60)  # as compiled code that lets no thread of Python run
    end = time.time() + 60
    while time.time() < end:
        pass


if __name__ == "__main__":
    # A process that was begun in the background, or by nohup, ignores interrupts and hang-ups, and so do its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    waiting = iter(range(8))
    if len(sys.argv) > 2:
        import threading
        threading.Thread(target=time.sleep, args=(100,), daemon=True).start()  # so that workers are spawned
    list(Processes(2).stream(busy, lambda: next(waiting, None)))
"""


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(
    ("how", "begun"),
    [(signal.SIGTERM, ""), (signal.SIGHUP, ""), (signal.SIGKILL, ""), (signal.SIGINT, ""), (signal.SIGTERM, "spawn")],
)
def test_workers_end_with_their_hirer(how: signal.Signals, begun: str, tmp_path: Path) -> None:
    script, folder = tmp_path / "hire.py", tmp_path / "workers"
    script.write_text(SCRIPT)
    folder.mkdir()
    # Only the hirer is told, as by `kill`: a group of its own keeps the signal from the workers.
    process = subprocess.Popen(
        [sys.executable, str(script), str(folder), *begun.split()], start_new_session=True, stderr=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + 60.0
        while len(list(folder.iterdir())) < 2 and time.monotonic() < end:
            time.sleep(0.02)
        workers = [int(each.name) for each in folder.iterdir()]
        assert len(workers) == 2
        assert all(map(alive, workers))
        end = time.monotonic() + 60.0
        while process.poll() is None and time.monotonic() < end:
            # An interrupt may meet Python where nobody can take it, as in a finalizer; people press the keys again.
            process.send_signal(how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5.0)
        assert process.returncode is not None
        # At once, with some room for a machine that does other things.
        end = time.monotonic() + 2.0
        while any(map(alive, workers)) and time.monotonic() < end:
            time.sleep(0.02)
        assert not any(map(alive, workers))
    finally:
        for each in (process.pid, *(int(each.name) for each in folder.iterdir())):
            if alive(each):
                os.kill(each, signal.SIGKILL)
        process.wait()


def own_pid(_: int) -> int:
    return os.getpid()


def test_a_process_of_a_cluster_that_is_asked_nothing_more_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_worker, "IDLE", 0.2)
    done = cluster_worker.do("a bench that was killed", own_pid, TrialLimits(seconds=30.0), 0)
    until = time.monotonic() + 20.0
    while Path(f"/proc/{done.result}").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    # One that is asked again goes on in a process of its own.
    again = cluster_worker.do("a bench that was killed", own_pid, TrialLimits(seconds=30.0), 0)
    assert again.result not in (done.result, os.getpid())
    cluster_worker.dismiss("a bench that was killed")
