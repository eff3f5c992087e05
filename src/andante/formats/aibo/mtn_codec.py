"""The codec of MTN: one file is one motion of one robot; a folder of them is a library."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from andante.documents.files import read_bytes, write_bytes
from andante.formats.aibo.files import file_name, make_folder, only_motion, remark
from andante.formats.aibo.mtn import MAGIC, MAX_BYTES, STUB, MtnFile, read_mtn, write_mtn
from andante.formats.aibo.mtn_library import motion_from_mtn, mtn_from_motion
from andante.formats.aibo.names import robot_of
from andante.formats.errors import FormatError
from andante.formats.report import ReadReport
from andante.formats.shared.losses import Losses, library_losses
from andante.motions.extras import Kind
from andante.motions.library import MotionLibrary

ODA_KIND: Kind = "oda"
"""Kind of the extras of a library that was read from an archive."""
MONET_NAME = 31
"""Longest name that MoNet's configuration can hold."""
_MAX_FILES = 5000


class MtnCodec:
    """Reads and writes Sony's motions."""

    name = "mtn"
    title = "Sony MTN motion (OPEN-R)"
    suffixes: tuple[str, ...] = (".mtn",)

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        if head.startswith((MAGIC, STUB)):
            return 1.0
        return 0.4 if path.suffix.lower() in self.suffixes else 0.0

    def sniff_folder(self, path: Path) -> float:
        """How likely a folder is of this format: 0 to 1."""
        return 0.6 if _motions_in(path) else 0.0

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a file, or all MTN files of a folder.

        Raises:
            DocumentError: A file cannot be read or breaks the format.
        """
        files = _motions_in(path) if path.is_dir() else [path]
        library: MotionLibrary | None = None
        for file in files:
            mtn = read_mtn(read_bytes(file, max_bytes=MAX_BYTES), str(file))
            report.files.append(file)
            remarks(mtn, str(file), report)
            library = put_motion(library, mtn, str(file))
        if library is None:
            raise FormatError("the folder holds no MTN motion", file=path)
        return library

    def write(self, library: MotionLibrary, path: Path) -> tuple[Path, ...]:
        """Write the only motion to a file, or every motion to a file of its own in a folder.

        Raises:
            DocumentError: A file cannot be written, or a motion does not fit the format.
        """
        if path.suffix.lower() in self.suffixes and not path.is_dir():
            remedy = f"name a folder and --to {self.name}: it takes one file for each motion"
            name = only_motion(dict(library.motions), "MTN", path, remedy)
            raws = {path: write_mtn(mtn_from_motion(library, name, Losses()))}
        else:
            raws = {
                path / file_name(name, ".mtn"): write_mtn(mtn_from_motion(library, name, Losses()))
                for name in library.motions
            }
            if len(raws) < len(library.motions):
                raise FormatError("two motions would get the same file name", file=path)
            make_folder(path)
        for target, raw in raws.items():
            write_bytes(target, raw)
        return tuple(raws)

    def losses(self, library: MotionLibrary) -> list[str]:
        """What MTN cannot hold of a library, as sentences.

        Raises:
            FormatError: A motion does not fit the format.
        """
        return mtn_losses(library)


def mtn_losses(library: MotionLibrary) -> list[str]:
    """What MTN motions cannot hold of a library, as sentences.

    Raises:
        FormatError: A motion does not fit the format.
    """
    losses = Losses()
    # How an archive is packed belongs to the archive, not to its motions.
    library_losses(library, losses, ODA_KIND)
    for name in library.motions:
        mtn_from_motion(library, name, losses)
        if len(name) > MONET_NAME:
            losses.add(
                f"motions.{name}", f"MoNet cannot call a motion whose name has more than {MONET_NAME} characters"
            )
    return losses.texts


def put_motion(
    library: MotionLibrary | None, mtn: MtnFile, file: str, *, entry: str | None = None, zipped: bool = False
) -> MotionLibrary:
    """Return a library with one more motion; None: a new library for the motion's robot.

    The first motion of a name counts, as on the robot; a further one is refused here, and archives skip it.

    Raises:
        FormatError: It is for another robot, or there is one of its name.
    """
    robot = robot_of(mtn.design)
    library = library or MotionLibrary(robot=robot)
    if library.robot != robot:
        raise FormatError(
            "the motions are for several robots; read them one by one", file=file, value=robot, legal=(library.robot,)
        )
    if mtn.motion in library.motions:
        raise FormatError("there are two motions of this name", file=file, value=mtn.motion)
    name, motion, block = motion_from_mtn(mtn, entry=entry, zipped=zipped)
    library.motions[name] = motion
    library.blocks[name] = block
    return library


def remarks(mtn: MtnFile, file: str, report: ReadReport, inside: str = "") -> None:
    """Put down what is peculiar about a motion."""
    said: Mapping[str, bool] = {
        "the file gives no frame time; 16 ms are taken": mtn.frame_ms == 0,
        f"the file has {len(mtn.layout.tail)} bytes after the last key": bool(mtn.layout.tail),
        f"the name has more than {MONET_NAME} characters, MoNet cannot call it": len(mtn.motion) > MONET_NAME,
    }
    for text, holds in said.items():
        if holds:
            remark(report, text, file, inside=inside or mtn.motion)


def _motions_in(path: Path) -> list[Path]:
    try:
        found = sorted(entry for entry in path.iterdir() if entry.suffix.lower() == ".mtn" and entry.is_file())
    except OSError as error:
        raise FormatError(f"the folder cannot be read: {error.strerror or error}", file=path) from error
    return found[:_MAX_FILES]
