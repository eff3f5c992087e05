"""The page about predictive control: its program prints what the page says, and what it names is there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "nmpc.md").read_text(encoding="utf-8")


def test_the_program_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(program, "docs/nmpc.md", "exec"), {})
    (said,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert capsys.readouterr().out == said


def test_the_modules_and_names_of_the_page_exist() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE[: PAGE.index("## The problem")], re.MULTILINE)
    modules = {path.stem for path in (ROOT / "src" / "andante" / "planning" / "nmpc").glob("*.py")} - {"__init__"}
    assert {module for module, _ in rows} == modules
    for module, text in rows:
        found = importlib.import_module(f"andante.planning.nmpc.{module}")
        for name in re.findall(r"`(\w+)`", text):
            assert hasattr(found, name), name
