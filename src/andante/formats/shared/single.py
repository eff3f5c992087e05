"""The bases of codecs whose file holds one motion (or a few), and names for what a file does not name."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Collection, Container, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from andante.documents.files import check_text, read_text
from andante.documents.problems import DocumentError
from andante.formats.bhuman.names import JOINTS as NAO_JOINTS
from andante.formats.codec import MotionFileCodec, refusals_of
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.losses import library_losses
from andante.formats.shared.steps import Holds, OutgoingKeyframe, block_of, steps_of, with_motions
from andante.motions.extras import Kind
from andante.motions.keyframe import Block
from andante.motions.library import UNKNOWN_ROBOT, Motion, MotionLibrary
from andante.plugins.errors import PluginError
from andante.robots.parts import MissingModelError
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot

MAX_FILES = 5000
"""Most files of a folder that are read."""

_FILE_NAME = re.compile(r"[^\x00-\x1f/\\:*?\"<>|]{1,200}")
_BORING = {"behavior", "box", "animation", "motion"}


class OneMotionCodec(MotionFileCodec):
    """A codec with one motion per file; a folder takes one file for each motion."""

    many = False
    """Whether one file may hold several motions."""
    one_file = "a file of this format"
    """What holds one motion, for messages."""
    library_kind: Kind | None = None
    """Extras of a library that say nothing about its motions."""

    @abstractmethod
    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library (with one motion where not ``many``); puts down what is not held."""

    @abstractmethod
    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read one file, and name it in the report; `DocumentError` where that fails."""

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a file, or all files of this ending in a folder; broken ones of a folder are named in the report.

        Raises:
            DocumentError: The file, or every file, cannot be read or breaks the format, or files are for different
                robots.
        """
        if not path.is_dir():
            return self._read(path, report)
        files = self.files_in(path)
        if not files:
            raise FormatError("the folder has no file of this format", file=path, legal=self.suffixes)
        motions: dict[str, Motion] = {}
        blocks: dict[str, Block] = {}
        robot = ""
        broken: DocumentError | None = None
        for file in files:
            try:
                library = self._read(file, report)
            except DocumentError as error:
                broken = broken or error
                report.damage(error, str(file))
                report.files = [path for path in report.files if path != file]
                continue
            library = self._apart(library, file, motions, report)
            names = {name: _free_name(name, block, blocks) for name, block in library.blocks.items()}
            blocks |= {names[name]: block for name, block in library.blocks.items()}
            for name, motion in library.motions.items():
                motions[name] = motion.model_copy(update={"blocks": tuple(names[block] for block in motion.blocks)})
            robot = robot or library.robot
            if library.robot != robot:
                raise FormatError("the folder's files are for different robots", file=file, value=library.robot)
        if broken is not None and not motions:
            raise broken
        return MotionLibrary(robot=robot, motions=motions, blocks=blocks)

    def _apart(self, library: MotionLibrary, file: Path, taken: Collection[str], report: ReadReport) -> MotionLibrary:
        """A file's library whose motions have names of their own: that of the file where another file has theirs."""
        for name in [name for name in library.motions if name in taken]:
            key = free_name(name_of(file), {*taken, *library.motions})
            report.warn(f"another file of the folder has a motion {name!r}; this one goes by the name {key!r}", file)
            motions = {
                key if each == name else each: self.renamed(motion, name, key) if each == name else motion
                for each, motion in library.motions.items()
            }
            library = library.but(motions=motions)
        return library

    def renamed(self, motion: Motion, name: str, key: str) -> Motion:
        """A motion that goes by the name ``key`` in the library and ``name`` in its file."""
        return motion

    def files_in(self, folder: Path) -> list[Path]:
        """The folder's files of this ending, by name.

        Raises:
            FormatError: The folder cannot be read.
        """
        return [file for file in files_of(folder) if file.suffix.lower() in self.suffixes][:MAX_FILES]

    def _read(self, path: Path, report: ReadReport) -> MotionLibrary:
        with refusals_of(path):
            return self.read_file(path, report)

    def encode(self, library: MotionLibrary, losses: Losses) -> dict[str, bytes]:
        """The file of each motion; see `MotionFileCodec.encode`."""
        self.check_robot(library)
        library_losses(library, losses, self.library_kind)
        whole = with_motions(library)
        if not whole.motions:
            raise FormatError("the library has no motion to write", value=library.robot)
        if self.many:
            for name, motion in whole.motions.items():
                keyframes = [each for block in motion.blocks for each in block_of(whole, name, block).keyframes]
                if not any(not isinstance(value, str) for each in keyframes for value in each.joints.values()):
                    losses.add(f"motions.{name}", "the motion moves no joint and is not held")
            return {next(iter(whole.motions)): self.encode_file(whole, losses)}
        return {
            name: self.encode_file(whole.model_copy(update={"motions": {name: motion}}), losses)
            for name, motion in whole.motions.items()
        }

    def place(self, contents: Mapping[str, bytes], path: Path) -> dict[Path, bytes]:
        """The only motion in the file, or every motion in a file of its own in a folder.

        Raises:
            FormatError: The file would have to take several motions, or a name cannot be that of a file.
        """
        if path.suffix.lower() not in self.suffixes or path.is_dir():
            files = {path / f"{self.file_name(name, path)}{self.suffixes[0]}": raw for name, raw in contents.items()}
            if len(files) < len(contents):
                raise FormatError("two motions would get the same file name", file=path)
            return files
        if len(contents) > 1:
            raise FormatError(
                f"{self.one_file} holds one motion",
                file=path,
                value=len(contents),
                legal=contents,
                remedy=f"name one with --motion, or a folder and --to {self.name}: it takes one file for each motion",
            )
        return super().place(contents, path)

    def file_name(self, name: str, path: Path) -> str:
        """File name, without ending, of a motion; `FormatError` where its name cannot be one."""
        if not _FILE_NAME.fullmatch(name):
            raise FormatError("the motion's name cannot be that of a file", file=path, value=name)
        return name


class OneTextCodec(OneMotionCodec):
    """A codec with one motion per file, whose files are text."""

    @abstractmethod
    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""

    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read one file; `DocumentError` where that fails."""
        report.files.append(path)
        text = read_text(path, max_bytes=self.max_bytes)
        check_text(text, place=str(path), max_bytes=self.max_bytes)
        return self.decode(text, path, report)


class StepsCodec(OneTextCodec):
    """A codec with one motion per file, whose files are text that is made of the motion's steps."""

    holds = Holds()
    """What a file holds of a motion."""

    @abstractmethod
    def text(self, library: MotionLibrary, name: str, steps: Sequence[OutgoingKeyframe], losses: Losses) -> str:
        """The file of a motion with these steps."""

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library with one motion."""
        name, _ = one_motion(library)
        return self.text(library, name, steps_of(library, name, losses, self.holds), losses).encode()


def files_of(folder: Path) -> list[Path]:
    """All files of a folder, by name.

    Raises:
        FormatError: The folder cannot be read.
    """
    try:
        return sorted(file for file in folder.iterdir() if file.is_file())
    except OSError as error:
        raise FormatError(f"the folder cannot be read: {error.strerror or error}", file=folder) from error


def _free_name(name: str, block: Block, blocks: Mapping[str, Block]) -> str:
    """The name, longer where another file's block of other content has it; blocks of equal content are shared."""
    while name in blocks and blocks[name] != block:
        name += "_"
    return name


def free_name(name: str, taken: Container[str]) -> str:
    """The name, numbered from 2 where it is taken."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def one_motion(library: MotionLibrary) -> tuple[str, Motion]:
    """Name and entry of a single file's motion."""
    return next(iter(library.motions.items()))


def library_of_one(
    robot: str, name: str, block: Block, *, note: str = "", extras: dict[Kind, Any] | None = None
) -> MotionLibrary:
    """The library of one motion that is one block, both of a name."""
    motion = Motion(blocks=(name,), note=note, extras=extras or {})
    return MotionLibrary(robot=robot, motions={name: motion}, blocks={name: block})


def name_of(path: Path) -> str:
    """Name for a motion whose file does not name it: the file's, or its folder's where that says more."""
    stem = path.stem
    return path.parent.name if stem.lower() in _BORING and path.parent.name else stem or "motion"


@cache
def joints_of(robot: str) -> frozenset[str]:
    """Joint names of a robot by name; the NAO's with those of its hands, which files have and its model lacks."""
    names = frozenset(joint.name for joint in Robot.load(robot).joints)
    return names | frozenset(NAO_JOINTS) if robot == "nao" else names


def robot_with(joints: Collection[str]) -> str:
    """The first robot by name that has all of the joints, the NAO before others; else unknown."""
    if not joints:
        return UNKNOWN_ROBOT
    known = set(joints)
    for robot in ("nao", *(name for name in ROBOTS if name != "nao")):
        try:
            if known <= joints_of(robot):
                return robot
        except (PluginError, MissingModelError):
            # A robot that cannot be used here must not keep this file from being read.
            continue
    return UNKNOWN_ROBOT
