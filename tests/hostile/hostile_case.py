"""What a hostile file is: its name, how it is made, and the commands that are given it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Make = Callable[[Path, str], object]
"""Makes a file of a name in a folder, and what else belongs to it."""

MOTION = "format: andante.motions\nversion: 1\nrobot: nao\nunits: {angle: deg, time: ms, length: mm}\n"
GOOD = (
    MOTION
    + "motions: {m: {blocks: [b]}}\nblocks:\n  b:\n    keyframes:\n      - {duration: 100, joints: {HeadYaw: 1}}\n"
)
CHECK, CONVERT = ("check", "{0}"), ("convert", "{0}", "{out}.csv")
RUN = ("run", "{0}", "--no-video", "--no-report", "--out", "{out}")
RUN_LIBRARY = ("run", "--library", "{0}", "--motion", "m", "--no-video", "--no-report", "--out", "{out}")
ROBOT = ("robots", "{0}")
CHECK_ROBOT = ("check", "{good}", "--robot", "{0}")
BOARD, PLAN = ("boards", "{0}"), ("plan", "--board", "{0}")
LIST, EXTRACT = ("oda", "list", "{0}"), ("oda", "extract", "{0}", "{out}")
CHECK_ARCHIVE = ("oda", "check", "{0}")
ON_MOTION, ON_ROBOT, ON_BOARD = (CHECK, CONVERT), (ROBOT, CHECK_ROBOT), (BOARD, PLAN)


@dataclass(frozen=True)
class Case:
    """One hostile file."""

    name: str
    """File, and what is put for ``{0}`` in the commands."""
    make: Make
    """Makes the file, and others that belong to it."""
    commands: tuple[tuple[str, ...], ...]
    """The commands that are given the file."""
    taken: bool = False
    """The file is only strange: a command may take it."""


class Cases(dict[str, Case]):
    """Cases by what is hostile about them."""

    def add(self, title: str, name: str, make: Make, *commands: tuple[str, ...], taken: bool = False) -> None:
        """Add one; its title must be new."""
        if title in self:
            raise ValueError(f"two hostile files are called {title!r}")
        self[title] = Case(name, make, commands, taken)


def text(content: str) -> Make:
    """A text file."""
    return raw(content.encode("utf-8", errors="surrogatepass"))


def raw(content: bytes) -> Make:
    """A file of bytes."""
    return lambda folder, name: (folder / name).write_bytes(content)


def lazy(content: Callable[[], bytes | str]) -> Make:
    """A file that is large: its content is made when it is written."""

    def make(folder: Path, name: str) -> None:
        made = content()
        (folder / name).write_bytes(made if isinstance(made, bytes) else made.encode())

    return make


def nothing(_folder: Path, _name: str) -> None:
    """No file."""


def fifo(folder: Path, name: str) -> None:
    """A pipe that nobody writes to."""
    (folder / name).parent.mkdir(exist_ok=True)
    os.mkfifo(folder / name)


def link(target: str) -> Make:
    """A link."""
    return lambda folder, name: (folder / name).symlink_to(target)


def beside(make: Make, others: dict[str, Make]) -> Make:
    """A file and others by their names."""

    def every(folder: Path, name: str) -> None:
        for other, maker in {name: make, **others}.items():
            maker(folder, other)

    return every


def directory(folder: Path, name: str) -> None:
    """A folder."""
    (folder / name).mkdir()
