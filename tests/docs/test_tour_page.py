"""The tour: five things of one's own, each twenty lines, with public names only; the blocks run in order."""

from __future__ import annotations

import ast
import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "tour.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^## (.+?)$.*?```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
LINES = 20


@pytest.mark.slow
@pytest.mark.usefixtures("registers_as_before")
def test_each_block_runs_and_says_what_it_should(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gymnasium", reason="needs gymnasium (pip install 'andante[env]')")
    monkeypatch.chdir(tmp_path)
    said = {}
    for title, block in BLOCKS:
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            exec(compile(block, f"tour.md, {title}", "exec", dont_inherit=True), {"__name__": "page"})
        said[title] = told.getvalue().strip()
    assert said["A controller"] == "pass"
    assert said["A foothold rule"] == "pass pass"
    straight, leaning = (float(roll) for roll in re.findall(r"mean roll (-?[\d.]+) deg", said["A cost term"]))
    assert leaning < straight - 1.0
    assert re.fullmatch(r"best return \d+\.\d\d", said["A reward loop"])
    assert said["A motion format"] == "True"
    assert said["More of a dynamic quadruped"] == "pass"


@pytest.mark.parametrize(("title", "block"), BLOCKS, ids=[title for title, _ in BLOCKS])
def test_a_part_of_ones_own_takes_twenty_lines_and_public_names_only(title: str, block: str) -> None:
    tree = ast.parse(block)
    own = [node for node in tree.body if isinstance(node, ast.ClassDef)] or [tree]
    lines = {
        number
        for node in own
        for number, line in enumerate(block.splitlines(), 1)
        if line.strip() and (node is tree or node.lineno <= number <= (node.end_lineno or 0))
    }
    assert len(lines) <= LINES
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.module in ("andante", "andante.extend", "typing")
        if isinstance(node, ast.Import):
            assert {name.name for name in node.names} <= {"andante", "math", "numpy"}
