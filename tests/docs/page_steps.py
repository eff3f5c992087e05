"""What a reader of a page does, in order: files that the page shows, commands and programs."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import yaml
from pydantic import BaseModel, ConfigDict
from typer.testing import CliRunner

from andante.cli.app import app
from andante.formats.registry import write
from andante.runs.motion_libraries import load_motions
from andante.terrain.boards.make import make_board
from kinematics.packaged_robots import packaged_robot
from terrain.field_maps import grid_map_message, nodes, write_mcap, write_ply_cloud, write_tiff

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = {
    path.relative_to(REPOSITORY).with_suffix("").as_posix(): path
    for path in (REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").glob("*.md")))
}
"""Every page by its name, such as ``docs/kick``."""
SHELLS = ("console", "bash", "sh")
TOOLS = ("sed", "cp", "mkdir")
"""What pages use besides Andante's command."""
_BLOCK = re.compile(
    r"^```(?P<kind>\w+)?(?: title=\"(?P<name>\S+)\")?\n(?P<inside>.*?)^```$"
    r"|^\|[^\n]*first command[^\n]*\n(?P<rows>(?:\|[^\n]*\n)+)",
    re.MULTILINE | re.DOTALL,
)
_INTERRUPTIBLE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from andante.cli.app import main; main()"
)
"""A command that Ctrl-C ends also where who started the tests ignores it, as a shell does for what it puts aside."""
_CELL = re.compile(r"`((?:andante|pip) [^`]*)`")


@dataclass(frozen=True)
class Shown:
    """A file that the page prints under a name."""

    name: str
    text: str


@dataclass
class Command:
    """A line for the shell, and the lines that it is said to print; ``...`` stands for others."""

    line: str
    printed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Program:
    """A block of Python."""

    text: str


Step = Shown | Command | Program


def steps(text: str) -> list[Step]:
    """What a page has its reader do, in order.

    In a block whose commands begin with ``$ ``, the other lines are what they print; else each line is a command.
    A table with the column ``first command`` has commands in its cells.
    """
    found: list[Step] = []
    for block in _BLOCK.finditer(text):
        kind, name, inside = block["kind"], block["name"], block["inside"]
        if block["rows"]:
            found += [Command(line) for line in _CELL.findall(block["rows"])]
        elif name:
            found.append(Shown(name, inside))
        elif kind == "python":
            found.append(Program(inside))
        elif kind in SHELLS:
            found += _commands(inside.replace("\\\n", " "))
    return found


def _commands(text: str) -> list[Command]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not any(line.startswith("$ ") for line in lines):
        return [Command(line) for line in lines]
    found: list[Command] = []
    for line in lines:
        if line.startswith("$ "):
            found.append(Command(line[2:]))
        else:
            found[-1].printed.append(line)
    return found


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Difference(_Strict):
    """How the test departs from a page at the steps that begin with, or contain, a text."""

    at: str
    """Beginning of a command, or a piece of a program."""
    add: str = ""
    """Options that are added, such as fewer seeds."""
    instead: str = ""
    """What takes the place of the piece `at`."""
    leave: bool = False
    """It is not run."""
    exit_code: int = 0
    """What the command ends with, as the page says or as fewer seeds have it."""
    why: str


class PageRules(_Strict):
    """What one page needs from its reader, and where the test departs from it."""

    files: dict[str, str] = {}
    """Files of the reader's own by their names on the page, and where the test has them from (`GIVERS`)."""
    differences: tuple[Difference, ...] = ()
    programs: str = ""
    """The test that runs the page's programs and looks at what they print, where it is not this one."""
    slow: bool = False
    """It takes more than half a minute of processor time and belongs to the full set."""
    draws: bool = False
    """It draws pictures or videos, which needs offscreen OpenGL."""


def read_rules() -> dict[str, PageRules]:
    """The rules by page, from ``pages.yaml`` beside this file."""
    data = yaml.safe_load((Path(__file__).parent / "pages.yaml").read_text(encoding="utf-8"))
    return {name: PageRules.model_validate(rules) for name, rules in data.items()}


def _package(name: str, above: int = 0) -> Callable[[Path, pytest.FixtureRequest], None]:
    """Copies a model's folder, or one above it where its meshes lie beside that."""

    def give(target: Path, request: pytest.FixtureRequest) -> None:
        model = packaged_robot(name).path
        shutil.copytree(model.parents[above], target.parents[above], dirs_exist_ok=True)
        if model.name != target.name:
            shutil.copy(model, target)

    return give


def _bhuman(target: Path, request: pytest.FixtureRequest) -> None:
    shutil.copytree(request.getfixturevalue("bhuman_folder"), target)


def _field(target: Path, request: pytest.FixtureRequest) -> None:
    """A field map of a board, in the kind of file that the page names."""
    board = make_board("rocks", 0.2, seed=1, values={"length": 4.0}).map
    # The survey's coordinates have the lane's middle 0.4 m to the left.
    heights, origin = np.asarray(board.heights)[::4, ::4], (board.origin[0], board.origin[1] + 0.4)
    if target.suffix == ".mcap":
        message = grid_map_message(heights, origin, 4 * board.spacing)
        write_mcap(target, [("/elevation_mapping/elevation_map", 7, message)])
    elif target.suffix == ".tif":
        write_tiff(target, heights, origin, 4 * board.spacing)
    else:
        x, y = nodes(heights.shape, origin, 4 * board.spacing)
        write_ply_cloud(target, 1000.0 * np.stack([x.ravel(), y.ravel(), heights.ravel()], axis=-1))


def _templates(target: Path, request: pytest.FixtureRequest) -> None:
    shutil.copytree(REPOSITORY / "examples" / "plugin", target)


def _shipped(target: Path, request: pytest.FixtureRequest) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    write(load_motions("nao"), target)


GIVERS = {
    "go2": _package("go2"),
    "t1": _package("t1"),
    "solo12": _package("solo12", above=1),
    "bhuman": _bhuman,
    "nao": _shipped,
    "templates": _templates,
    "field": _field,
}
"""Where files of the reader's own come from: pip packages, B-Human's folder, templates, library nao, a map."""


class Walk:
    """One reader, who does what a page says in a folder that was empty."""

    def __init__(self, rules: PageRules) -> None:
        self._rules = rules
        self._scope: dict[str, object] = {"__name__": "page"}
        self.used: set[str] = set()
        self.ran = 0

    def take(self, step: Step) -> None:
        """Do one step; what the page says of it has to hold."""
        if isinstance(step, Shown):
            Path(step.name).write_text(step.text, encoding="utf-8")
            return
        with contextlib.ExitStack() as stack:
            # Programs print for the reader, not for the test's log.
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            self._program(step) if isinstance(step, Program) else self._command(step)

    def _differences(self, text: str, program: bool) -> list[Difference]:
        """All that are in a program; of a command the one with the longest beginning."""
        found = [each for each in self._rules.differences if (each.at in text if program else text.startswith(each.at))]
        found = found if program else sorted(found, key=lambda each: len(each.at))[-1:]
        self.used |= {each.at for each in found}
        return found

    def _program(self, step: Program) -> None:
        text = step.text
        if self._rules.programs:
            return
        for difference in self._differences(text, program=True):
            if difference.leave:
                return
            text = text.replace(difference.at, difference.instead)
        # A page has no __future__ import, this file has.
        exec(compile(text, "page", "exec", dont_inherit=True), self._scope)
        self.ran += 1

    def _interrupt(self, words: list[str], told: list[str]) -> None:
        """Start a bench, let it keep a result, and end it by Ctrl-C as the page does; numbers may be others."""
        process = subprocess.Popen(
            [sys.executable, "-c", _INTERRUPTIBLE, *words[1:]],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        journal, end = Path(words[words.index("--out") + 1] + ".journal"), time.monotonic() + 600.0
        while not (journal.is_file() and '"result"' in journal.read_text(encoding="utf-8")):
            assert process.poll() is None, "it ended before it was interrupted"
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        printed = re.sub(r"\d+", "0", process.communicate(timeout=120)[1]).splitlines()
        assert process.returncode == 2
        assert printed[-len(told) :] == [re.sub(r"\d+", "0", line) for line in told]
        self.ran += 1

    def _command(self, step: Command) -> None:
        # A comment begins behind a blank; `#` within a word is part of a motion's name.
        line, asked = re.sub(r"\s+#\s.*$", "", step.line), 0
        for difference in self._differences(step.line, program=False):
            if difference.leave:
                return
            asked = difference.exit_code
            line = line.replace(difference.at, difference.instead) if difference.instead else line
            if difference.add:
                # What stands behind ``>`` is a file, no option.
                before, to, file = line.partition(" > ")
                line = f"{before} {difference.add}{to}{file}"
        words = shlex.split(line)
        if words[0] in TOOLS:
            subprocess.run(line, shell=True, check=True)
            return
        if step.printed[:1] == ["^C"]:
            self._interrupt(words, step.printed[1:])
            return
        target = words[words.index(">") + 1] if ">" in words else None
        words = words[: words.index(">")] if target else words
        assert words[0] == "andante", f"no command of Andante, and no reason why it is left out: {step.line}"
        done = CliRunner().invoke(app, words[1:])
        assert done.exit_code == asked, (line, done.output[-3000:], done.exception)
        if target:
            Path(target).write_text(done.stdout, encoding="utf-8")
        told = [each for each in step.printed if each != "..."]
        printed = done.output.splitlines()
        assert [each for each in printed if each in told] == told, (line, printed)
        if told and "..." not in step.printed:
            assert printed == told, line
        self.ran += 1
