"""The codec of ODA archives: all motions of an archive are a library."""

from __future__ import annotations

import re
from pathlib import Path

from andante.formats.aibo.binary import unzipped_head
from andante.formats.aibo.mtn import FRAME_MS, read_mtn
from andante.formats.aibo.mtn import MAGIC as MTN_MAGIC
from andante.formats.aibo.mtn import MAX_BYTES as MAX_MTN
from andante.formats.aibo.mtn_codec import ODA_KIND, entry_of, mtn_bytes, put_motion, remarks
from andante.formats.aibo.names import robot_of
from andante.formats.aibo.oda import MAGIC, OdaArchive, OdaEntry, check_name, new_entry, write_oda
from andante.formats.aibo.oda import MAX_BYTES as MAX_ODA
from andante.formats.aibo.oda_files import open_archive
from andante.formats.codec import MotionFileCodec
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.losses import library_losses
from andante.motions.library import MotionLibrary

_MAX_MOTION_BYTES = 32_000_000
"""Most bytes of motions that are turned into one library."""


class OdaCodec(MotionFileCodec):
    """Reads and writes archives of motions."""

    name = "oda"
    title = "Sony ODA archive of motions (OPEN-R)"
    suffixes = (".oda",)
    telling = re.compile(rb"\A%b" % MAGIC)
    sure = 1.0
    by_suffix = 0.4
    time_grid = FRAME_MS / 1000.0
    max_bytes = MAX_ODA

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        return super().sniff(unzipped_head(head, len(MAGIC)), path)

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read the motions of an archive; other entries and damaged ones are named in the report.

        Raises:
            DocumentError: The archive cannot be read or breaks the format, or no motion in it is whole.
        """
        archive = open_archive(path)
        report.files.append(path)
        motions = _Motions(path, report)
        for number, entry in enumerate(archive.entries):
            inside = f"entry {number} {entry.name!r}"
            if entry.stub:
                report.warn("a stub for a motion that is kept elsewhere", str(path), inside=inside)
                continue
            if entry.kind != MTN_MAGIC and unzipped_head(entry.stored, 4) != MTN_MAGIC:
                what = entry.suffix[1:] if entry.suffix != ".bin" else "unknown"
                report.warn(f"is no motion ({what}) and is not kept", str(path), inside=inside)
                continue
            try:
                motions.take(entry, inside)
            except FormatError as error:
                if archive.table_only:
                    raise
                motions.damaged(error, inside)
        library = motions.library
        if library is None:
            if motions.first is not None:
                raise motions.first
            raise FormatError("the archive holds no motion", file=path)
        return library.model_copy(update={"extras": {ODA_KIND: {"gzip": "whole"}} if archive.zipped else {}})

    def encode(self, library: MotionLibrary, losses: Losses) -> dict[str, bytes]:
        """An archive of all motions.

        Raises:
            FormatError: There are none, or one does not fit the format.
        """
        library_losses(library, losses, ODA_KIND)
        archive = OdaArchive(zipped=library.extras.get(ODA_KIND, {}).get("gzip") == "whole")
        for name, motion in library.motions.items():
            entry, zipped = entry_of(motion, name)
            raw = mtn_bytes(library, name, losses)
            try:
                check_name(entry)
                check_name(name)
            except FormatError as error:
                raise FormatError(error.what, inside=f"motions.{name}", value=error.value, limit=error.limit) from error
            archive = archive.with_entry(new_entry(entry, raw, ".mtn", zipped=zipped))
        if not archive.entries:
            raise FormatError("the library has no motions")
        return {"": write_oda(archive)}


class _Motions:
    """The motions of an archive, taken one after another."""

    def __init__(self, path: Path, report: ReadReport) -> None:
        self.path = path
        self.report = report
        self.library: MotionLibrary | None = None
        self.first: FormatError | None = None
        """Why the first damaged motion could not be read."""
        self._bytes = 0

    def take(self, entry: OdaEntry, inside: str) -> None:
        """Read a motion; `FormatError` where it cannot be read."""
        raw = entry.payload(str(self.path), MAX_MTN)
        self._bytes += len(raw)
        if len(raw) > MAX_MTN or self._bytes > _MAX_MOTION_BYTES:
            raise FormatError(
                "there are too many bytes of motions", file=self.path, inside=inside, limit=f"{_MAX_MOTION_BYTES}"
            )
        mtn = read_mtn(raw, str(self.path), inside)
        robot = robot_of(mtn.design)
        told = ""
        if self.library is not None and robot != self.library.robot:
            told = f"a motion of another robot, {robot!r}; the library is for {self.library.robot!r}, it is not kept"
        elif self.library is not None and mtn.motion in self.library.motions:
            told = f"a second motion {mtn.motion!r}; the robot plays the first, this one is not kept"
        if told:
            self.report.warn(told, str(self.path), inside=inside)
            return
        self.library = put_motion(self.library, mtn, str(self.path), entry=entry.name, zipped=entry.zipped)
        remarks(mtn, str(self.path), self.report, inside)

    def damaged(self, error: FormatError, inside: str) -> None:
        """Put down a motion that cannot be read; the others are."""
        self.first = self.first or error
        self.report.damage(error, f"{self.path}, {inside}")
