"""The page on getting up: every command runs as printed, with one seed and one table cell so that it stays quick."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner

from andante.backends.fault import FaultType
from andante.cli.app import app
from andante.runs.scenario_files import LYING
from andante.search.observers.spread import spreads

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "get-up.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```(\w+)(?: title=\"(\S+)\")?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [line for kind, _, text in FENCES if kind == "console" for line in text.splitlines()]


MADE = {
    "mine.yaml": "convert Config/keyframeMotionEngine.cfg mine.yaml",
    "before": "run Config/back --start back --out before --no-report",
    "after": "run mine.yaml/back --start back --out after --no-report",
}
"""What commands of the page find made by commands before them."""


def make_what_is_needed(words: list[str]) -> None:
    compared = words[0] == "compare"
    for name, made in MADE.items():
        used = any(word.split("/")[0] == name for word in words[1:])
        if compared or (used and words[-1] != name):
            assert CliRunner().invoke(app, made.split()).exit_code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run_as_printed(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, name, text in FENCES:
        if kind == "yaml":
            Path(name).write_text(text)
    if any(name in command for name in ("Config", "stuck.yaml", "mine.yaml", "compare before")):
        shutil.copytree(request.getfixturevalue("bhuman_folder"), "Config")
    program, *words = shlex.split(re.sub(r"--seeds \d+", "--seeds 1", command))
    assert program == "andante"
    make_what_is_needed(words)
    if words[0] == "run":
        words += ["--no-video"]
    if "--ablate" in words:
        words += ["--at", "back:back_rise[0]", "--lasting", "0.6"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code in (0, 1), done.output
    assert done.stdout
    if "--picture" in words:
        assert Path(words[words.index("--picture") + 1]).is_file()


def test_the_page_names_what_there_is() -> None:
    for spread in spreads():
        assert f"`{spread}`" in PAGE
    for lying in LYING.values():
        assert f"`{lying}`" in PAGE
    for kind in get_args(FaultType):
        assert f"`{kind}`" in PAGE
