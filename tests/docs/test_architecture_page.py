"""The architecture page: its code runs, and every file and room that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import andante

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGE = Path(andante.__file__).parent


@pytest.mark.slow
def test_its_code_runs(capsys):
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "architecture.md", "exec"), {})
    assert "Session" in capsys.readouterr().out


def test_the_files_that_it_names_are_there():
    named = set(re.findall(r"\b(?:[a-z_]+/)+[a-z_]*(?:\.py)?", PAGE))
    inside = {name for name in named if name.split("/")[0] in {path.name for path in PACKAGE.iterdir()}}
    assert len(inside) > 20
    assert {name for name in inside if not (PACKAGE / name).exists()} == set()


def test_its_rows_are_those_that_lint_holds():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    layers = re.findall(r'"(andante\.[^"]+)"', text[text.index("layers = [") :])
    held = [tuple(re.findall(r"andante\.(\w+)", layer)) for layer in layers]
    told = [tuple(re.findall(r"`(\w+)`", row)) for row in re.findall(r"^\| \d+ \| ([^|]+)\|", PAGE, re.MULTILINE)]
    assert told == held
