"""The page for AIBO owners: every command runs as printed and prints what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.control.openr.dispatcher import EAGLE_KNIGHTS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "aibo.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```(\w+)(?: title=\"(\S+)\")?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Commands of a console block with the lines that they are said to print."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def test_every_command_prints_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for kind, name, text in FENCES:
        if name:
            Path(name).write_text(text)
        elif kind == "python":
            exec(compile(text, "docs/aibo.md", "exec"), {})
        elif kind == "console":
            for command, lines in commands(text):
                program, *arguments = shlex.split(command)
                assert program == "andante"
                done = CliRunner().invoke(app, arguments)
                assert done.exit_code in (0, 1), (command, done.output)
                printed = done.stdout.splitlines()
                if "..." not in lines:
                    assert printed == lines, command
                told = [line for line in lines if line != "..."]
                assert [line for line in printed if line in told] == told, command
                ran += 1
    assert ran >= 10


def test_the_page_names_every_command_id() -> None:
    for number, motion in EAGLE_KNIGHTS.motions.items():
        assert re.search(rf"\| {number} \w+ \| `{motion}`", PAGE), number
    for number in (*EAGLE_KNIGHTS.stops, *EAGLE_KNIGHTS.reserved):
        assert re.search(rf"\b{number}\b", PAGE)
