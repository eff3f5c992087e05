"""The page about dynamic programming: its program runs and prints what the page says."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "dynamic-programming.md").read_text(encoding="utf-8")


def test_the_program_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(program, "docs/dynamic-programming.md", "exec"), {})
    (said,) = re.findall(r"^It prints `(.*)`\.$", PAGE, re.MULTILINE)
    assert capsys.readouterr().out.strip() == said


def test_the_modules_and_functions_that_the_page_names_exist() -> None:
    for module, text in re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE):
        found = importlib.import_module(f"andante.planning.dynamic_programming.{module}")
        for name in re.findall(r"`(\w+)`", text):
            assert hasattr(found, name), name
