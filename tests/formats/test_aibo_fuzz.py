"""The fuzz target runs, finds nothing in a short run, and repeats a case by its number."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parents[2] / "benchmarks" / "fuzz_formats.py"


def fuzz(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(FUZZ), *words], capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.slow
def test_a_short_run_finds_nothing():
    done = fuzz("--count", "600", "--seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "600 cases" in done.stdout
    assert "0 crashes, hangs and memory faults" in done.stdout


@pytest.mark.slow
def test_a_case_is_repeated_by_its_number():
    one, two = (fuzz("--only", "41", "--seed", "7").stdout.splitlines() for _ in range(2))
    said = [line for line in one if line.startswith(("b'", 'b"'))]
    assert said
    assert said == [line for line in two if line.startswith(("b'", 'b"'))]
