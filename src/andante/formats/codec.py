"""The contract of a motion file format: what recognises, reads and writes its files."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from andante.documents.budget import budgeted
from andante.documents.files import read_bytes, write_bytes
from andante.documents.problems import DocumentError
from andante.formats.report import FormatError, Losses, ReadReport
from andante.motions.library import MotionLibrary


class MotionFileCodec(ABC):
    """One motion file format."""

    name: str
    """Name for commands."""
    title: str
    """Name for people."""
    suffixes: tuple[str, ...]
    """Endings of its file names, for writing."""
    robots: tuple[str, ...] = ()
    """The only robot whose joints have a place in the format, and names that stand for it; empty: any."""
    joint_names: Collection[str] = ()
    """Names by which the format calls the joints of any robot; empty: the robot's own."""
    by_ending: bool = True
    """Whether a file's ending alone asks for this format where a file is written; else it has to be named."""
    says_robot: bool = True
    """Whether its files say which robot they are for, or tell it by their joints."""
    time_grid: float | None = None
    """Durations are whole multiples of this [s]; None: any duration can be written."""
    max_bytes: int = 16_000_000
    """Largest file that is read, and so the largest that is written: 10,000 keyframes of 26 joints fit most formats."""

    signature: re.Pattern[bytes] | None = None
    """What stands at the beginning of its files and of no other's."""
    sure: float = 0.95
    """How likely a file is of this format that has it."""
    by_suffix: float = 0.0
    """How likely one is that has not, but the ending of its name."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Every format's `read` stands under the reading budget, whoever adds it."""
        super().__init_subclass__(**kwargs)
        if "read" in cls.__dict__:
            cls.read = budgeted()(cls.__dict__["read"])  # type: ignore[method-assign]

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        if self.signature is not None and self.signature.search(head):
            return self.sure
        return self.by_suffix if path.suffix.lower() in self.suffixes else 0.0

    def sniff_folder(self, path: Path) -> float:
        """How likely a folder is a library of this format: 0 to 1; never, where a library is one file."""
        return 0.0

    @abstractmethod
    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a library, putting files and warnings into ``report``.

        Raises:
            DocumentError: A file cannot be read or breaks the format.
        """

    @abstractmethod
    def encode(self, library: MotionLibrary, losses: Losses) -> dict[str, bytes]:
        """Contents of the files of a library by name (one file: any name); puts down what they cannot hold.

        Raises:
            FormatError: The library cannot be written in this format.
        """

    def place(self, contents: Mapping[str, bytes], path: Path) -> dict[Path, bytes]:
        """Where the contents go when a library is written to ``path``; `FormatError` where they cannot."""
        (raw,) = contents.values()
        return {path: raw}

    def write(
        self, library: MotionLibrary, path: Path, losses: Losses | None = None, *, replace: bool = True
    ) -> tuple[Path, ...]:
        """Write a library and return the files; old ones are untouched where that fails.

        Args:
            library: The library.
            path: The file, or the folder for formats of several files.
            losses: Takes what the format cannot hold.
            replace: Files that exist and say something else may be replaced.

        Raises:
            DocumentError: A file cannot be written or may not be replaced, or the library cannot be in this format.
        """
        with refusals_of(path):  # a value that is beyond what the format's own model takes
            files = self.place(self.encode(library, losses or Losses()), path)
        for target, raw in files.items():
            if len(raw) > self.max_bytes:
                raise FormatError(
                    "the file would be larger than any that is read again",
                    file=target,
                    value=len(raw),
                    limit=f"{self.max_bytes} bytes",
                    remedy="write fewer keyframes to one file, or another format",
                )
        if not replace:
            keep_others(files)
        if any(target.parent == path for target in files):
            make_folder(path)
        for target in reversed(files):
            write_bytes(target, files[target])
        return tuple(files)

    def losses(self, library: MotionLibrary) -> list[str]:
        """What the format cannot hold of a library, as sentences.

        Raises:
            FormatError: The library cannot be written in this format.
        """
        losses = Losses()
        self.encode(library, losses)
        return losses.texts

    def check_robot(self, library: MotionLibrary, remedy: str = "") -> None:
        """Refuse a library whose robot has no place in the format.

        Raises:
            FormatError: It is for another robot.
        """
        if self.robots and library.robot not in self.robots:
            legal = self.robots[:1]
            raise FormatError(
                "the format holds motions of one robot only", value=library.robot, legal=legal, remedy=remedy
            )


def keep_others(files: Mapping[Path, bytes]) -> None:
    """Refuse to write where something else stands; a link counts, wherever it leads (a folder is never replaced)."""
    others = [
        str(path) for path, raw in files.items() if os.path.lexists(path) and not path.is_dir() and not _says(path, raw)
    ]
    if others:
        more = f", as do {', '.join(others[1:])}" if others[1:] else ""
        raise FormatError(f"exists{more}; nothing is written", file=others[0], remedy="give --force to replace")


def _says(path: Path, raw: bytes) -> bool:
    try:
        return path.is_file() and path.stat().st_size == len(raw) and read_bytes(path, max_bytes=len(raw)) == raw
    except (OSError, DocumentError):
        return False


def make_folder(path: Path) -> None:
    """Make a folder where there is none.

    Raises:
        FormatError: It cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"the folder cannot be made: {error.strerror or error}", file=path) from error


@contextmanager
def refusals_of(file: Path | str) -> Iterator[None]:
    """What a document's model refuses in a file is told as a `FormatError` of that file."""
    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        inside = ".".join(str(part) for part in first["loc"])
        raise FormatError(str(first["msg"]), file=file, inside=inside, value=first["input"]) from error
