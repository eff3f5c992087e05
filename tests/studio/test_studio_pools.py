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
from andante.studio.pools import one_process
if __name__ == "__main__":
    print(one_process().submit(os.getpid).result(), flush=True)
    time.sleep(120)
"""


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


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
