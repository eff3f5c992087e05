"""The log of a scenario is the same file, byte for byte, wherever and however it is run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = "from andante.cli.app import main; import sys; sys.argv = ['andante', *sys.argv[1:]]; main()"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "words"),
    # The shortest lane has as many kinds of steps as the usual one.
    [("sit-and-stand", []), ("littledog-rocks", ["--set", "world.terrain.parameters={length: 0.95}"])],
    ids=["sit-and-stand", "littledog-rocks"],
)
def test_the_log_has_the_same_bytes(scenario: str, words: list[str], tmp_path: Path) -> None:
    logs = []
    for number, (hash_seed, threads) in enumerate((("0", "1"), ("4711", "2"))):
        folder = tmp_path / f"folder {number}" / ("deeper" * number)
        folder.mkdir(parents=True)
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, **dict.fromkeys(names, threads)}
        asked = ["run", scenario, *words, "--seed", "0", "--no-video", "--no-report", "--out", str(folder / "out")]
        done = subprocess.run([sys.executable, "-c", RUN, *asked], env=environment, cwd=folder, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        logs.append((folder / "out" / "log.mcap").read_bytes())
    assert logs[0] == logs[1]
