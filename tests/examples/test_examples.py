"""Every numbered example runs as it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("[0-9][0-9]_*.py"))


def test_the_examples_are_numbered_without_gaps():
    assert [int(path.name[:2]) for path in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))


# Each is a process of its own; the first stands for all in the quick set.
@pytest.mark.parametrize(
    "path",
    [EXAMPLES[0], *(pytest.param(path, marks=pytest.mark.slow) for path in EXAMPLES[1:])],
    ids=[path.stem for path in EXAMPLES],
)
def test_example(path, tmp_path):
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert not list(tmp_path.iterdir()), "an example leaves nothing behind"
