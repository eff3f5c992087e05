"""The codec of MTN: one file is one motion of one robot; a folder of them is a library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from andante.documents.files import read_bytes
from andante.formats.aibo.files import file_name
from andante.formats.aibo.mtn import FRAME_MS, MAGIC, MAX_BYTES, STUB, MtnFile, read_mtn, write_mtn
from andante.formats.aibo.mtn_library import motion_from_mtn, mtn_from_motion
from andante.formats.aibo.names import robot_of
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.single import OneMotionCodec, one_motion
from andante.motions.extras import Kind
from andante.motions.library import MotionLibrary

ODA_KIND: Kind = "oda"
"""Kind of the extras of a library that was read from an archive."""
MONET_NAME = 31
"""Longest name that MoNet's configuration can hold."""


class MtnCodec(OneMotionCodec):
    """Reads and writes Sony's motions."""

    name = "mtn"
    title = "Sony MTN motion (OPEN-R)"
    suffixes = (".mtn",)
    telling = re.compile(rb"\A(?:%b|%b)" % (MAGIC, STUB))
    sure = 1.0
    by_suffix = 0.4
    time_grid = FRAME_MS / 1000.0
    one_file = "one MTN file"
    library_kind = ODA_KIND

    def sniff_folder(self, path: Path) -> float:
        """How likely a folder is of this format: 0 to 1."""
        return 0.6 if self.files_in(path) else 0.0

    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read one motion; `DocumentError` where that fails."""
        mtn = read_mtn(read_bytes(path, max_bytes=MAX_BYTES), str(path))
        report.files.append(path)
        remarks(mtn, str(path), report)
        return put_motion(None, mtn, str(path))

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library with one motion."""
        return mtn_bytes(library, one_motion(library)[0], losses)

    def file_name(self, name: str, path: Path) -> str:
        """File name of a motion, made of its name."""
        return file_name(name, "")


def mtn_bytes(library: MotionLibrary, name: str, losses: Losses) -> bytes:
    """The file of a motion of a library.

    Raises:
        FormatError: It does not fit the format.
    """
    if len(name) > MONET_NAME:
        text = f"MoNet cannot call a motion whose name has more than {MONET_NAME} characters"
        losses.add(f"motions.{name}", text)
    return write_mtn(mtn_from_motion(library, name, losses))


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
            report.warn(text, file, inside=inside or mtn.motion)
