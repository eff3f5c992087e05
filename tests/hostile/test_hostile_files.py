"""Hostile files through the real commands: one message each, in little time and memory.

Here each file meets the first of its commands; ``python tests/hostile/driver.py FOLDER`` runs them all.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from hostile_files import CASES

DRIVER = Path(__file__).parent / "driver.py"
SECONDS = 6.0
"""Processor time of a command: three times what is wanted, since other work makes a machine slower."""
MEGABYTES = 300


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    folder = tmp_path_factory.mktemp("hostile")
    done = subprocess.run(
        [sys.executable, str(DRIVER), str(folder), "--first"], capture_output=True, text=True, check=False, timeout=1200
    )
    assert done.returncode == 0, done.stderr
    return {row["case"]: row for row in map(json.loads, done.stdout.splitlines())}


@pytest.mark.slow
@pytest.mark.parametrize("title", CASES)
def test_one_message_in_little_time_and_memory(title: str, results: dict[str, dict[str, object]]) -> None:
    found, case = results[title], CASES[title]
    told = str(found["stderr"])
    assert "Traceback" not in told
    assert found["code"] in ((0, 1, 2) if case.taken else (2,)), told
    if found["code"] == 2:
        assert told.startswith("andante: ") or "Usage:" in told
        # A document's message has up to five problems and how many more there are.
        assert 1 <= len(told.strip().splitlines()) <= 7
        assert len(told) <= 2000
    assert float(str(found["cpu"])) < SECONDS
    assert float(str(found["mb"])) <= MEGABYTES


def test_there_are_enough_kinds() -> None:
    assert len(CASES) >= 220
