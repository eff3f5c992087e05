"""What a run on a robot computes with is there before it begins: loading it took 50 ms of the run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import sys
import andante.runs.backends.hardware as hardware
from andante.kernels.entries import Entry
from andante.runs.session import Session

if len(sys.argv) > 1:
    hardware._WATCHED = float(sys.argv[1])
step, compile_, begun, late = Session.step, Entry.compile, [], []


def stepped(session, *given, **named):
    begun.append(True)
    return step(session, *given, **named)


def compiled(entry, *given, **named):
    if begun:
        late.append((len(begun), entry.py_func.__name__))
    return compile_(entry, *given, **named)


Session.step, Entry.compile = stepped, compiled
from typer.testing import CliRunner
from andante.cli.app import app

done = CliRunner().invoke(app, "run nao/wave --backend loop=udp --start sit --no-report --out run".split())
assert done.exit_code == 0, done.output
assert "ticks lost" not in done.output
assert len(begun) > 500
print(late)
"""


def late_kernels(folder: Path, *watched: str) -> str:
    """The kernels that were loaded after the first tick of a run, with the number of theirs."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *watched], capture_output=True, text=True, check=False, cwd=folder, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip().splitlines()[-1]


@pytest.mark.slow
def test_no_kernel_is_loaded_once_a_run_on_a_robot_has_begun(tmp_path: Path) -> None:
    assert late_kernels(tmp_path) == "[]"


@pytest.mark.slow
def test_without_the_watches_in_the_rehearsal_some_are(tmp_path: Path) -> None:
    assert late_kernels(tmp_path, "0.0") != "[]"
