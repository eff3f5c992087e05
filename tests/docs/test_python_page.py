"""Python in ten minutes: the code of the page runs, block after block."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from andante.runs.controls.registry import CONTROLLERS

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def own_controllers() -> Iterator[None]:
    """What the page registers is forgotten again."""
    before = set(CONTROLLERS.names)
    yield
    for name in set(CONTROLLERS.names) - before:
        CONTROLLERS.unregister(name)


@pytest.mark.slow
@pytest.mark.usefixtures("own_controllers")
def test_its_code_runs_and_says_what_it_should(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas", reason="needs pandas (pip install 'andante[notebook]')")
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {"__name__": "page"}
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        for number, block in enumerate(BLOCKS):
            # Twenty seeds show nothing that two do not.
            code = block.replace("range(20)", "range(2)")
            # A notebook has no __future__ import, this file has.
            exec(compile(code, f"python.md, block {number}", "exec", dont_inherit=True), scope)
    text = told.getvalue()
    assert "nao-basics: for nao, motions: 3" in text
    assert "<Motion: blocks stand, wave, stand>" in text
    assert "pass ('finished after" in text
    assert "<Sweep get-up: 2 of 2 passed, 100 %" in text
    assert "<PlannedWalk littledog on steps" in text
    assert "no such motion; got 'wafe'; did you mean 'wave'?" in text
    assert (tmp_path / "wave" / "report.html").is_file()


def test_a_sweep_of_many_seeds_is_three_lines() -> None:
    block = next(block for block in BLOCKS if "sweep" in block)
    assert len([line for line in block.splitlines() if line]) == 3
