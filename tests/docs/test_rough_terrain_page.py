"""The page on rough terrain: quick commands run as printed, the options of all others exist, all names are named."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import get_args

import click
import pytest
import typer
from typer.testing import CliRunner

from andante.cli.app import app
from andante.runs.tasks.walk.metrics import WalkEnd
from andante.runs.tasks.walk.task import CONTROLLERS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "rough-terrain.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
QUICK = ("andante boards", "andante bench boards --row list")


def commands() -> list[tuple[str, list[str]]]:
    """Commands with the lines that they are said to print."""
    found: list[tuple[str, list[str]]] = []
    for line in "".join(BLOCKS).splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line != "...":
            found[-1][1].append(line)
    return found


@pytest.mark.parametrize(("command", "lines"), [each for each in commands() if each[0].startswith(QUICK)])
def test_quick_commands_print_what_the_page_says(
    command: str, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output
    assert set(lines) <= set(done.stdout.splitlines())


@pytest.mark.parametrize("command", [command for command, _ in commands()])
def test_every_command_and_option_exists(command: str) -> None:
    program, *words = shlex.split(command)
    assert program == "andante"
    known = typer.main.get_command(app)
    while isinstance(known, click.Group):
        known = known.commands[words.pop(0)]
    # Parsing refuses unknown options and values of the wrong type.
    known.make_context(command, words)


def test_the_page_names_every_controller_and_every_end() -> None:
    for controller in CONTROLLERS:
        assert f"`{controller}`" in PAGE
    for end in get_args(WalkEnd):
        assert re.search(rf"\b{end}\b", PAGE), end
