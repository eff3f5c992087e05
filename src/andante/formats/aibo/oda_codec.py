"""The codec of ODA archives: all motions of an archive are a library."""

from __future__ import annotations

from pathlib import Path

from andante.formats.aibo.binary import unzipped_head
from andante.formats.aibo.mtn import MAGIC as MTN_MAGIC
from andante.formats.aibo.mtn import MAX_BYTES as MAX_MTN
from andante.formats.aibo.mtn import read_mtn
from andante.formats.aibo.mtn_codec import ODA_KIND, mtn_bytes, put_motion, remarks
from andante.formats.aibo.mtn_library import entry_of
from andante.formats.aibo.oda import MAGIC, OdaArchive, check_name, new_entry, write_oda
from andante.formats.aibo.oda_files import open_archive
from andante.formats.codec import MotionFileCodec
from andante.formats.errors import FormatError
from andante.formats.report import Losses, ReadReport
from andante.formats.shared.losses import library_losses
from andante.motions.library import MotionLibrary

_MAX_MOTION_BYTES = 32_000_000
"""Most bytes of motions that are turned into one library."""


class OdaCodec(MotionFileCodec):
    """Reads and writes archives of motions."""

    name = "oda"
    title = "Sony ODA archive of motions (OPEN-R)"
    suffixes = (".oda",)

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        if unzipped_head(head, len(MAGIC)) == MAGIC:
            return 1.0
        return 0.4 if path.suffix.lower() in self.suffixes else 0.0

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read the motions of an archive; other entries are named in the report.

        Raises:
            DocumentError: The archive cannot be read or breaks the format, or a motion in it does.
        """
        archive = open_archive(path)
        report.files.append(path)
        library: MotionLibrary | None = None
        total = 0
        for number, entry in enumerate(archive.entries):
            inside = f"entry {number} {entry.name!r}"
            if entry.stub:
                report.warn("a stub for a motion that is kept elsewhere", str(path), inside=inside)
                continue
            if entry.kind != MTN_MAGIC and unzipped_head(entry.stored, 4) != MTN_MAGIC:
                what = entry.suffix[1:] if entry.suffix != ".bin" else "unknown"
                report.warn(f"is no motion ({what}) and is not kept", str(path), inside=inside)
                continue
            raw = entry.payload(str(path), MAX_MTN)
            total += len(raw)
            if len(raw) > MAX_MTN or total > _MAX_MOTION_BYTES:
                raise FormatError(
                    "there are too many bytes of motions", file=path, inside=inside, limit=f"{_MAX_MOTION_BYTES}"
                )
            mtn = read_mtn(raw, str(path), inside)
            if library is not None and mtn.motion in library.motions:
                text = f"a second motion {mtn.motion!r}; the robot plays the first, this one is not kept"
                report.warn(text, str(path), inside=inside)
                continue
            remarks(mtn, str(path), report, inside)
            library = put_motion(library, mtn, str(path), entry=entry.name, zipped=entry.zipped)
        if library is None:
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
