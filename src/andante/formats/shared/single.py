"""The base of codecs whose file holds one motion (or a few) as text: reading, writing, folders."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from andante.documents.files import check_text, read_text, write_bytes
from andante.formats.errors import FormatError
from andante.formats.report import ReadReport, Remark
from andante.formats.shared.losses import Losses, library_losses
from andante.formats.shared.robots import UNKNOWN_ROBOT
from andante.formats.shared.steps import with_motions
from andante.motions.keyframe import Block
from andante.motions.library import Motion, MotionLibrary

MAX_BYTES = 4_000_000
"""Largest text file that is read; the largest of the wild have about 0.1 MB."""

_FILE_NAME = re.compile(r"[^\x00-\x1f/\\:*?\"<>|]{1,200}")
_BORING = {"behavior", "box", "animation", "motion"}


class MotionFileCodec(ABC):
    """A codec with one motion per file; a folder takes one file for each motion."""

    name = ""
    title = ""
    suffixes: tuple[str, ...] = ()
    robot = ""
    """The only robot whose joints have a place in the format; empty: any."""
    many = False
    """Whether one file may hold several motions."""

    @abstractmethod
    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""

    def sniff_folder(self, path: Path) -> float:
        """Never: a folder is read only where the format is named."""
        return 0.0

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        # A codec of binary files has its own `read_file` instead.
        raise NotImplementedError

    @abstractmethod
    def encode(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library (with one motion where not ``many``); puts down what is not held."""

    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read one file; `DocumentError` where that fails."""
        text = read_text(path, max_bytes=MAX_BYTES)
        check_text(text, place=str(path), max_bytes=MAX_BYTES)
        return self.decode(text, path, report)

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a file, or all files of this ending in a folder.

        Raises:
            DocumentError: A file cannot be read or breaks the format, or two motions have one name.
        """
        if not path.is_dir():
            report.files.append(path)
            return self._read(path, report)
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in self.suffixes and file.is_file())
        if not files:
            raise FormatError("the folder has no file of this format", file=path, legal=self.suffixes)
        motions: dict[str, Motion] = {}
        blocks: dict[str, Block] = {}
        robot = ""
        for file in files:
            report.files.append(file)
            library = self._read(file, report)
            for name in library.motions:
                if name in motions:
                    raise FormatError("another file of the folder has a motion of this name", file=file, value=name)
            names = {name: _free_name(name, block, blocks) for name, block in library.blocks.items()}
            blocks |= {names[name]: block for name, block in library.blocks.items()}
            for name, motion in library.motions.items():
                motions[name] = motion.model_copy(update={"blocks": tuple(names[block] for block in motion.blocks)})
            robot = robot or library.robot
            if library.robot != robot:
                raise FormatError("the folder's files are for different robots", file=file, value=library.robot)
        return MotionLibrary(robot=robot, motions=motions, blocks=blocks)

    def _read(self, path: Path, report: ReadReport) -> MotionLibrary:
        try:
            return self.read_file(path, report)
        except ValidationError as error:
            first = error.errors()[0]
            inside = ".".join(str(part) for part in first["loc"])
            raise FormatError(str(first["msg"]), file=path, inside=inside, value=first["input"]) from error

    def write(self, library: MotionLibrary, path: Path) -> tuple[Path, ...]:
        """Write to a file, or to a folder one file for each motion.

        Raises:
            DocumentError: It cannot be written, or a file would have to take several motions.
        """
        if path.suffix.lower() not in self.suffixes or path.is_dir():
            return self._write_folder(library, path)
        files = self._files(library)
        if len(files) > 1:
            raise FormatError(
                "a file of this format holds one motion",
                file=path,
                value=len(files),
                legal=files,
                remedy=f"name a folder and --to {self.name}: it takes one file for each motion",
            )
        (single,) = files.values()
        raw = self.encode(single, Losses())
        write_bytes(path, raw)
        return (path,)

    def _write_folder(self, library: MotionLibrary, path: Path) -> tuple[Path, ...]:
        raws = {}
        for name, single in self._files(library).items():
            if not _FILE_NAME.fullmatch(name):
                raise FormatError("the motion's name cannot be that of a file", file=path, value=name)
            raws[path / f"{name}{self.suffixes[0]}"] = self.encode(single, Losses())
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FormatError(f"the folder cannot be made: {error.strerror or error}", file=path) from error
        for target, raw in raws.items():
            write_bytes(target, raw)
        return tuple(raws)

    def losses(self, library: MotionLibrary) -> list[str]:
        """What the files cannot hold of a library, as sentences.

        Raises:
            FormatError: The library cannot be written at all.
        """
        losses = Losses()
        library_losses(library, losses)
        for single in self._files(library).values():
            self.encode(single, losses)
        return losses.texts

    def _files(self, library: MotionLibrary) -> dict[str, MotionLibrary]:
        """The libraries of the single files, by motion."""
        if self.robot and library.robot not in (self.robot, UNKNOWN_ROBOT):
            raise FormatError("the format holds motions of one robot only", value=library.robot, legal=(self.robot,))
        whole = with_motions(library)
        if not whole.motions:
            raise FormatError("the library has no motion to write", value=library.robot)
        if self.many:
            return {next(iter(whole.motions)): whole}
        return {name: whole.model_copy(update={"motions": {name: motion}}) for name, motion in whole.motions.items()}


def _free_name(name: str, block: Block, blocks: Mapping[str, Block]) -> str:
    """The name, longer where another file's block of other content has it; blocks of equal content are shared."""
    while name in blocks and blocks[name] != block:
        name += "_"
    return name


def one_motion(library: MotionLibrary) -> tuple[str, Motion]:
    """Name and entry of a single file's motion."""
    return next(iter(library.motions.items()))


def name_of(path: Path) -> str:
    """Name for a motion whose file does not name it: the file's, or its folder's where that says more."""
    stem = path.stem
    return path.parent.name if stem.lower() in _BORING and path.parent.name else stem or "motion"


def warn(report: ReadReport, path: Path, text: str, *, line: int | None = None, inside: str = "") -> None:
    """Put down a remark about a file."""
    report.warnings.append(Remark(text, str(path), line, None, inside))
