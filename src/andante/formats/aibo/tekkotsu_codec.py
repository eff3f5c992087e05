"""The codecs of Tekkotsu's posture and motion sequence files; one file is one motion, named like the file."""

from __future__ import annotations

import re
from pathlib import Path

from andante.formats.aibo.files import file_name, read_old_text
from andante.formats.aibo.names import ROBOT
from andante.formats.aibo.tekkotsu_library import (
    POSTURE_TIME,
    library_of_posture,
    library_of_sequence,
    posture_from_motion,
    sequence_from_motion,
)
from andante.formats.aibo.tekkotsu_mot import MOT_HEADER, Loader, mot_text, parse_mot
from andante.formats.aibo.tekkotsu_pos import HEADER, parse_pos, pos_text
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.single import OneMotionCodec, one_motion
from andante.motions.library import MotionLibrary

_MAX_LOADS = 64


class _TekkotsuCodec(OneMotionCodec):
    """What both codecs share."""

    robots = (ROBOT,)

    def file_name(self, name: str, path: Path) -> str:
        """File name of a motion, made of its name."""
        return file_name(name, "")


class TekkotsuPosCodec(_TekkotsuCodec):
    """Reads and writes postures: motions of one keyframe."""

    name = "tekkotsu-pos"
    title = "Tekkotsu posture"
    one_file = f"one {title} file"
    suffixes = (".pos",)
    signature = re.compile(rb"\A%b" % HEADER.encode())

    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a file as a library of one motion; `DocumentError` where that fails."""
        posture = parse_pos(read_old_text(path, report), str(path), report)
        report.warn(f"the format has no times; the posture gets {POSTURE_TIME:g} s", str(path))
        return library_of_posture(posture, path, report)

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library with one motion."""
        return pos_text(posture_from_motion(library, one_motion(library)[0], losses)).encode()


class TekkotsuMotCodec(_TekkotsuCodec):
    """Reads and writes motion sequences."""

    name = "tekkotsu-mot"
    title = "Tekkotsu motion sequence"
    one_file = f"one {title} file"
    suffixes = (".mot",)
    signature = re.compile(rb"\A%b" % MOT_HEADER.encode())

    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a file as a library of one motion; `DocumentError` where that fails."""
        sequence = parse_mot(read_old_text(path, report), str(path), report, _loader(path, report))
        return library_of_sequence(sequence, path, report)

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library with one motion."""
        return mot_text(sequence_from_motion(library, one_motion(library)[0], losses)).encode()


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
        report.warn(f"{name!r} is loaded here; its poses are kept by value", str(path), line)
        return text, str(target)

    return load
