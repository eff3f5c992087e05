"""Andante where Python lacks what Windows has not: no fcntl, no fork, no folders by handle, fewer signals.

It is taken away from Andante's modules on this system (`without_unix/sitecustomize.py`), so that what else differs on
Windows is not seen here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).with_name("without_unix")
IMPORTED = """
import importlib, pkgutil, andante, sys
assert "andante.runs.loop.runner" not in sys.modules
for each in pkgutil.walk_packages(andante.__path__, "andante."):
    if each.name.startswith("andante.studio") or each.name.endswith("__main__"):
        continue
    importlib.import_module(each.name)
    print(each.name)
"""


def python(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    paths = [str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


def test_it_is_taken_away(tmp_path: Path) -> None:
    told = python("-c", "import signal; exec('import signal, sys, fcntl', {'__name__': 'andante.x'})", folder=tmp_path)
    assert "ModuleNotFoundError: No module named 'fcntl'" in told.stderr


@pytest.mark.slow
def test_every_module_but_the_studio_can_be_imported(tmp_path: Path) -> None:
    done = python("-c", IMPORTED, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) > 500


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "run sit-and-stand --no-video --json --out run",
        pytest.param("bench getup --start front --seeds 2 --workers 2 --json", marks=pytest.mark.slow),
        pytest.param("plan --board steps --difficulty 0.3 --json --out plan", marks=pytest.mark.slow),
    ],
)
def test_motions_run_and_benches_have_workers(words: str, tmp_path: Path) -> None:
    done = python("-m", "andante", *words.split(), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("studio", "the studio writes files by calls that this system lacks: use Linux, macOS, or in Windows WSL"),
        ("walk --robot spirit40 --live keyboard", "the keyboard steers on Linux and macOS only; a gamepad on Linux"),
        ("walk --robot spirit40 --live gamepad", "gamepads are read through the joystick interface of Linux only"),
    ],
)
def test_what_needs_another_system_says_so(words: str, says: str, tmp_path: Path) -> None:
    done = python("-m", "andante", *words.split(), folder=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"andante: {says}\n")
    assert list(tmp_path.iterdir()) == []
