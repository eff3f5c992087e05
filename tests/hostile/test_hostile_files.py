"""Hostile files through the real commands: one message each, in little time and memory.

Here each file meets the first of its commands; ``python tests/hostile/driver.py FOLDER`` runs them all.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from hostile_files import CASES

DRIVER = Path(__file__).parent / "driver.py"
SECONDS = 6.0
"""Processor time of a command: three times what is wanted, since other work makes a machine slower."""
MEGABYTES = 300

Ask = Callable[[str], dict[str, object]]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Runs one case. A test asks for its own, so that workers that share these tests share the work, too."""
    folder = tmp_path_factory.mktemp("hostile")
    command = [sys.executable, str(DRIVER), str(folder), "--first", "-"]
    with (
        (folder / "told.txt").open("w+") as told,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told, text=True) as driver,
    ):

        def asked(title: str) -> dict[str, object]:
            # Each command is ended by the driver when it takes too long.
            print(title, file=driver.stdin, flush=True)
            line = driver.stdout.readline()
            assert line, (folder / "told.txt").read_text()
            return json.loads(line)

        yield asked
        driver.stdin.close()
        assert driver.wait(60) == 0


@pytest.mark.slow
@pytest.mark.parametrize("title", CASES)
def test_one_message_in_little_time_and_memory(title: str, ask: Ask) -> None:
    found, case = ask(title), CASES[title]
    assert found["case"] == title
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
