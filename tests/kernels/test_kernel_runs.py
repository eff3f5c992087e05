"""Compiled kernels between runs: each run here is a process of its own, with a small package and a fresh cache."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import andante

SOURCES = str(Path(andante.__file__).parents[1])
LOW = """
from andante.kernels import inlined, kernel
from small.constants import OFFSET

@kernel
def low(x: float) -> float:
    return 2.0 * x + OFFSET

@inlined
def middle(x: float) -> float:
    return low(x) + 1.0
"""
HIGH = """
from andante.kernels import entry
from small.low import middle

@entry
def high(x: float) -> float:
    return middle(x)

@entry
def higher(x: float) -> float:
    return middle(x) + 0.5

@entry
def highest(x: float) -> float:
    return middle(x) + 0.75
"""
MAIN = """
import json
from small.high import high, higher, highest
from andante.kernels.dispatchers import KERNELS
results = [high(1.0), higher(1.0), highest(1.0)]
print(json.dumps({"results": results, "compiled": sum(sum(k.stats.cache_misses.values()) for k in KERNELS.values())}))
"""


@pytest.fixture
def small(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    for name, text in {"__init__": "", "constants": "OFFSET = 10.0\n", "low": LOW, "high": HIGH}.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def _start(folder: Path, **more: str) -> "subprocess.Popen[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_CACHE"))}
    environment = {**kept, "PYTHONPATH": f"{folder.parent}:{SOURCES}", "XDG_CACHE_HOME": str(folder.parent / "cache")}
    return subprocess.Popen(
        [sys.executable, "-B", "-c", MAIN],
        env={**environment, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _result(process: "subprocess.Popen[str]") -> tuple[dict, str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out), err


@pytest.mark.slow
def test_an_edit_of_a_kernel_or_a_constant_in_another_file_is_seen_by_the_next_run(small):
    first, told = _result(_start(small))
    assert first["results"] == [13.0, 13.5, 13.75]
    assert "compiling 5 kernels once" in told
    again, told = _result(_start(small))
    assert again == {"results": [13.0, 13.5, 13.75], "compiled": 0}
    assert told == ""
    (small / "low.py").write_text(LOW.replace("2.0 * x", "3.0 * x"))
    assert _result(_start(small))[0]["results"] == [14.0, 14.5, 14.75]
    (small / "constants.py").write_text("OFFSET = 20.0\n")
    assert _result(_start(small))[0]["results"] == [24.0, 24.5, 24.75]
    (small / "low.py").write_text("# Words compile nothing.\n" + LOW.replace("2.0 * x", "3.0 * x"))
    assert _result(_start(small))[0] == {"results": [24.0, 24.5, 24.75], "compiled": 0}


@pytest.mark.slow
def test_processes_started_at_once_do_not_compile_the_same(small):
    results = [_result(process)[0] for process in [_start(small), _start(small)]]
    assert [result["results"] for result in results] == [[13.0, 13.5, 13.75]] * 2
    # Helpers compile too, so the two need not have compiled all five themselves.
    assert sum(result["compiled"] for result in results) <= 5
    assert len(list((small.parent / "cache").rglob("*.kernel"))) == 5


def test_a_cache_that_cannot_be_written_is_told_once_and_does_without(small):
    (small.parent / "cache").write_text("not a folder")
    result, told = _result(_start(small))
    assert result["results"] == [13.0, 13.5, 13.75]
    assert told.count("\n") == 1
    assert told.startswith("andante: kernels are compiled anew in this run, they cannot be kept in ")


@pytest.mark.slow
def test_the_folder_of_numba_is_respected(small, tmp_path):
    _result(_start(small, NUMBA_CACHE_DIR=str(tmp_path / "chosen")))
    assert len(list((tmp_path / "chosen" / "andante-kernels").rglob("*.kernel"))) == 5
    assert not (tmp_path / "cache").exists()


LAZY = """
import json
from andante.kernels.lazy import compile_all
from small.apart import alone
from small.high import high
from andante.kernels.dispatchers import KERNELS
missed = lambda: {k.name: sum(k.stats.cache_misses.values()) for k in KERNELS.values()}
compile_all()
first = alone(1.0), missed()
second = high(1.0), missed()
print(json.dumps([first, second]))
"""


@pytest.mark.slow
def test_a_kernel_apart_compiles_itself_alone_and_any_other_all(small, tmp_path):
    text = "from andante.kernels import lazy_entry\n\n@lazy_entry\ndef alone(x: float) -> float:\n    return x + 0.25\n"
    (small / "apart.py").write_text(text)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run([sys.executable, "-c", LAZY], env=environment, capture_output=True, text=True, check=True)
    (value, first), (other, second) = json.loads(done.stdout)
    assert (value, other) == (1.25, 13.0)
    assert first["small.apart.alone"] == 1
    assert sum(first.values()) == 1
    assert second["small.high.high"] + second["small.high.higher"] + second["small.high.highest"] >= 1
