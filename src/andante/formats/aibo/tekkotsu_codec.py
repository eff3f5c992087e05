"""The codecs of Tekkotsu's posture and motion sequence files; one file is one motion, named like the file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from andante.documents.files import write_text
from andante.formats.aibo.files import file_name, make_folder, only_motion, read_old_text, remark
from andante.formats.aibo.names import ROBOT
from andante.formats.aibo.tekkotsu_library import (
    POSTURE_TIME,
    motion_from_posture,
    motion_from_sequence,
    posture_from_motion,
    sequence_from_motion,
)
from andante.formats.aibo.tekkotsu_mot import MOT_HEADER, Loader, mot_text, parse_mot
from andante.formats.aibo.tekkotsu_pos import HEADER, parse_pos, pos_text
from andante.formats.errors import FormatError
from andante.formats.report import ReadReport
from andante.formats.shared.losses import Losses, library_losses
from andante.motions.keyframe import Block
from andante.motions.library import Motion, MotionLibrary

_MAX_LOADS = 64


class _TekkotsuCodec(ABC):
    """What both codecs share.

    Attributes:
        header: First bytes of a file.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    header: bytes

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        return 0.95 if head.startswith(self.header) else 0.0

    def sniff_folder(self, path: Path) -> float:
        """Never: a library is one file."""
        return 0.0

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a file as a library of one motion.

        Raises:
            DocumentError: It cannot be read or breaks the format.
        """
        text = read_old_text(path, report)
        motion, block = self._read(text, path, report)
        name = path.stem or "motion"
        library = MotionLibrary(robot=ROBOT)
        library.motions[name] = motion.model_copy(update={"blocks": (name,)})
        library.blocks[name] = block
        return library

    def write(self, library: MotionLibrary, path: Path) -> tuple[Path, ...]:
        """Write the only motion to a file, or every motion to a file of its own in a folder.

        Raises:
            DocumentError: A file cannot be written, or a motion does not fit the format.
        """
        _check_robot(library)
        if path.suffix.lower() in self.suffixes and not path.is_dir():
            remedy = f"name a folder and --to {self.name}: it takes one file for each motion"
            name = only_motion(dict(library.motions), self.title, path, remedy)
            texts = {path: self._text(library, name, Losses())}
        else:
            texts = {
                path / file_name(name, self.suffixes[0]): self._text(library, name, Losses())
                for name in library.motions
            }
            if len(texts) < len(library.motions):
                raise FormatError("two motions would get the same file name", file=path)
            make_folder(path)
        for target, text in texts.items():
            write_text(target, text)
        return tuple(texts)

    def losses(self, library: MotionLibrary) -> list[str]:
        """What the format cannot hold of a library, as sentences.

        Raises:
            FormatError: A motion does not fit the format.
        """
        _check_robot(library)
        losses = Losses()
        library_losses(library, losses)
        for name in library.motions:
            self._text(library, name, losses)
        return losses.texts

    @abstractmethod
    def _read(self, text: str, path: Path, report: ReadReport) -> tuple[Motion, Block]: ...

    @abstractmethod
    def _text(self, library: MotionLibrary, name: str, losses: Losses) -> str: ...


class TekkotsuPosCodec(_TekkotsuCodec):
    """Reads and writes postures: motions of one keyframe."""

    name = "tekkotsu-pos"
    title = "Tekkotsu posture"
    suffixes: tuple[str, ...] = (".pos",)
    header = HEADER.encode()

    def _read(self, text: str, path: Path, report: ReadReport) -> tuple[Motion, Block]:
        posture = parse_pos(text, str(path), report)
        remark(report, f"the format has no times; the posture gets {POSTURE_TIME:g} s", str(path))
        return motion_from_posture(posture, str(path), report)

    def _text(self, library: MotionLibrary, name: str, losses: Losses) -> str:
        return pos_text(posture_from_motion(library, name, losses))


class TekkotsuMotCodec(_TekkotsuCodec):
    """Reads and writes motion sequences."""

    name = "tekkotsu-mot"
    title = "Tekkotsu motion sequence"
    suffixes: tuple[str, ...] = (".mot",)
    header = MOT_HEADER.encode()

    def _read(self, text: str, path: Path, report: ReadReport) -> tuple[Motion, Block]:
        sequence = parse_mot(text, str(path), report, _loader(path, report))
        return motion_from_sequence(sequence, str(path), report)

    def _text(self, library: MotionLibrary, name: str, losses: Losses) -> str:
        return mot_text(sequence_from_motion(library, name, losses))


def _check_robot(library: MotionLibrary) -> None:
    if library.robot != ROBOT:
        raise FormatError("the format holds motions of one robot only", value=library.robot, legal=(ROBOT,))


def _loader(path: Path, report: ReadReport) -> Loader:
    """Gives files in the folder of a motion sequence, never outside it, and not endlessly many."""
    loaded: list[str] = []

    def load(name: str, line: int) -> tuple[str, str]:
        if len(loaded) >= _MAX_LOADS:
            raise FormatError("too many files are loaded", file=path, line=line, limit=str(_MAX_LOADS))
        if "/" in name or "\\" in name or name in ("", ".", ".."):
            raise FormatError("a file in the same folder is needed", file=path, line=line, value=name)
        target = path.parent / name
        if not target.is_file():
            raise FormatError("the file to load is missing", file=path, line=line, value=name)
        loaded.append(name)
        text = read_old_text(target, report)
        remark(report, f"{name!r} is loaded here; its poses are kept by value", str(path), line)
        return text, str(target)

    return load
