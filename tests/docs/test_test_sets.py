"""No test is lost between the sets: quick and slow are all, CI runs all but a few, the night runs all in parts."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def recipe(verb: str) -> str:
    found = re.search(rf"^{verb}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert found, verb
    return found[1]


def test_quick_tests_are_all_but_the_slow_ones() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert " -m " not in options["addopts"]
    assert any(marker.startswith("slow:") for marker in options["markers"])
    assert re.findall(r'-m "([^"]*)"', recipe("test")) == ["not slow"]
    assert '-m "' not in recipe("test-all")
    assert "ANDANTE_EXAMPLES:-all" in recipe("test-all")


def test_ci_runs_all_but_a_few_and_fetches_first_what_tests_need() -> None:
    lines = [line.strip() for line in (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()]
    flags = """PYTEST_FLAGS="-n 4 --durations=40 -m 'not night'\""""
    tests = lines.index(f"ANDANTE_SKIPS=strict make test-all {flags}")
    fetching = lines.index('make robots >"$told/robots" 2>&1 &')
    assert lines[fetching + 1] == "robots=$!"
    # The wheel takes along what the browser gets.
    for verb in ("make pyodide", "make mujoco"):
        assert lines.index(verb) < lines.index("make wheel")
    loop = lines.index("for each in lint robots; do")
    assert fetching < loop < tests
    assert lines[loop + 1] == 'wait "${!each}" || { cat "$told/$each" >&2; exit 1; }'
    # What goes side by side is waited for, too, and the newest Python's main job does not meet this one's.
    for other in ("trying", "fresh"):
        assert any(line.startswith(f'wait "${other}" ||') for line in lines[tests:]), other
    # The smallest Debian gets machine code that the wheel's step makes.
    assert lines.index("make wheel") < next(number for number, line in enumerate(lines) if "fresh_machine.sh" in line)
    assert lines.index("make run") < next(number for number, line in enumerate(lines) if 'PYTHON="$newest"' in line)


def test_few_tests_are_for_the_night_and_the_quick_set_has_none_of_them() -> None:
    """What only the night shows is broken for a day before somebody knows."""
    found = 0
    for path in (ROOT / "tests").rglob("test_*.py"):
        if path == Path(__file__).resolve():
            continue
        text = path.read_text(encoding="utf-8")
        for part in re.split(r"\n\n(?=@|def )", text):
            marks = len(re.findall(r"\bmark\.night\b", part))
            found += marks
            assert not marks or "mark.slow" in part, path
    assert 0 < found <= 25


def test_the_night_runs_every_folder_once() -> None:
    job = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8"))["jobs"]["tests"]
    assert {"ANDANTE_EXAMPLES": "many", "ANDANTE_SKIPS": "strict"} in [step.get("env") for step in job["steps"]]
    *named, rest = (shlex.split(part) for part in job["strategy"]["matrix"]["rooms"])
    folders = [folder for part in named for folder in part]
    assert len(folders) == len(set(folders))
    assert all((ROOT / folder).is_dir() for folder in folders)
    # The last part is all that the others do not name, so that a new folder is in it by itself.
    assert rest == ["tests", *(f"--ignore={folder}" for folder in folders)]
