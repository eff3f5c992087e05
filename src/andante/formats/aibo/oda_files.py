"""ODA archives on the disk: opening, adding files, extracting to a folder, and naming encrypted ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from andante.documents.budget import budgeted
from andante.documents.files import read_bytes, write_bytes
from andante.formats.aibo.binary import GZIP_MAGIC, unzip, unzipped_head
from andante.formats.aibo.files import file_name
from andante.formats.aibo.mtn import MAGIC as MTN_MAGIC
from andante.formats.aibo.mtn import MAX_BYTES as MAX_MTN
from andante.formats.aibo.mtn import read_mtn
from andante.formats.aibo.oda import (
    MAGIC,
    MAX_BYTES,
    MAX_NAME,
    ROOM,
    OdaArchive,
    OdaEntry,
    check_name,
    new_entry,
    read_oda,
    write_oda,
)
from andante.formats.codec import make_folder
from andante.formats.report import FormatError

MAX_EXTRACTED = 256_000_000
"""Most bytes that one extraction writes."""

_SAMPLE = 65_536
_LEAST = 256
_RANDOM = 0.96
"""Share of the possible entropy from which bytes without a known beginning count as encrypted."""


@dataclass(frozen=True)
class Extracted:
    """What an extraction did."""

    files: tuple[Path, ...]
    """The files written."""
    remarks: tuple[str, ...]
    """Entries that were skipped or got another name, and why."""


@budgeted()
def open_archive(path: Path) -> OdaArchive:
    """Read an archive from a file.

    Raises:
        DocumentError: It cannot be read, is encrypted, or breaks the format.
    """
    raw = read_bytes(path, max_bytes=MAX_BYTES)
    if raw and not raw.startswith((MAGIC, GZIP_MAGIC)) and _looks_encrypted(raw, path):
        raise FormatError(
            "the archive is encrypted and cannot be read",
            file=path,
            value=raw[:4],
            remedy="archives in DATA/E are encrypted, those in DATA/P are plain",
        )
    return read_oda(raw, str(path))


def _looks_encrypted(raw: bytes, path: Path) -> bool:
    folders = [part.upper() for part in path.resolve().parts]
    if ("DATA", "E") in pairwise(folders):
        return True
    sample = raw[:_SAMPLE]
    if len(sample) < _LEAST or raw.startswith(MTN_MAGIC):
        return False
    counts = Counter(sample).values()
    entropy = -sum(count / len(sample) * math.log2(count / len(sample)) for count in counts)
    return entropy > _RANDOM * min(8.0, math.log2(len(sample)))


def save_archive(archive: OdaArchive, path: Path) -> None:
    """Write an archive; the old file stays whole until the new one is complete.

    Raises:
        DocumentError: It does not fit the format or cannot be written.
    """
    write_bytes(path, write_oda(archive))


@budgeted()
def entry_from_file(path: Path, *, name: str | None = None, zipped: bool = False) -> OdaEntry:
    """Return an entry for a file; its name is the file's without the ending.

    A motion must be a whole one. MoNet must be able to call a new name; a longer one is taken where the motion inside
    is called so.

    Raises:
        DocumentError: The file cannot be read, its name cannot be an entry's, or it is no motion although it is named
            like one.
    """
    payload = read_bytes(path, max_bytes=MAX_BYTES)
    entry_name = path.stem if name is None else name
    own = ""
    if unzipped_head(payload, 4) == MTN_MAGIC:
        raw = unzip(payload, MAX_MTN, file=str(path)) if payload.startswith(GZIP_MAGIC) else payload
        own = read_mtn(raw, str(path)).motion
    elif path.suffix.lower() == ".mtn":
        raise FormatError("the file is named like a motion but is none", file=path, value=payload[:4])
    try:
        # A name that the motion has had before goes back to where it was; a new one has to be callable.
        check_name(entry_name, longest=ROOM if entry_name == own else MAX_NAME)
    except FormatError as error:
        raise FormatError(
            error.what, file=path, value=error.value, limit=error.limit, remedy="give it another name"
        ) from error
    return new_entry(entry_name, payload, path.suffix, zipped=zipped)


def add_files(
    archive: OdaArchive, files: Sequence[Path], *, name: str | None = None, replacing: bool = False
) -> OdaArchive:
    """Return an archive with files added at the end, or in the place of entries of their names.

    Args:
        archive: The archive.
        files: The files.
        name: Name of the entry, for one file; else the file's name without its ending.
        replacing: Whether entries of these names are replaced.

    Raises:
        DocumentError: A file cannot be an entry, or there is one of its name and it is not to be replaced.
    """
    if name is not None and len(files) != 1:
        raise FormatError("a name can be given to one file only", value=name)
    zipped = bool(archive.entries) and all(entry.zipped for entry in archive.entries)
    entries = [entry_from_file(file, name=name, zipped=zipped) for file in files]
    for file, entry in zip(files, entries, strict=True):
        if sum(other.name == entry.name for other in entries) > 1:
            raise FormatError("two of the files would get the same entry name", file=file, value=entry.name)
        archive = archive.with_entry(entry, replacing=replacing)
    return archive


def create_archive(files: Sequence[Path], *, gzip: str | None = None) -> OdaArchive:
    """Return a new archive of files.

    Args:
        files: The files.
        gzip: ``whole`` or ``payload`` for a packed archive or packed payloads; None: plain.

    Raises:
        DocumentError: A file cannot be an entry, or the packing is unknown.
    """
    if gzip not in (None, "whole", "payload"):
        raise FormatError("the packing is unknown", value=gzip, legal=("whole", "payload"))
    archive = OdaArchive(zipped=gzip == "whole")
    for file in files:
        archive = archive.with_entry(entry_from_file(file, zipped=gzip == "payload"))
    return archive


def extract(archive: OdaArchive, file: Path, folder: Path, names: Sequence[str] = ()) -> Extracted:
    """Write entries to a folder, unpacked, each with the ending of its kind.

    Files of the same name in the folder are not overwritten.

    Args:
        archive: The archive.
        file: Its file, for messages.
        folder: Where to write.
        names: The wanted entries; none: all.

    Raises:
        DocumentError: There is no such entry, the archive is a table without payloads, or a file is there already.
    """
    for name in names:
        if archive.first(name) is None:
            legal = tuple(dict.fromkeys(entry.name for entry in archive.entries))
            raise FormatError("the archive has no such entry", file=file, value=name, legal=legal)
    remarks: list[str] = []
    wanted: dict[Path, OdaEntry] = {}
    numbers: dict[str, int] = {}
    for entry in archive.entries:
        if names and entry.name not in names:
            continue
        if entry.stub:
            remarks.append(f"{entry.name}: a stub for a motion that is kept elsewhere; skipped")
            continue
        if not names and not archive.table_only:
            try:
                entry.payload(str(file))
            except FormatError as error:
                remarks.append(f"{entry.name}: {error.what}; skipped")
                continue
        target = folder / file_name(entry.name, entry.suffix)
        while target in wanted:
            numbers[entry.name] = numbers.get(entry.name, 1) + 1
            target = folder / file_name(f"{entry.name}~{numbers[entry.name]}", entry.suffix)
        if target.stem != entry.name:
            remarks.append(f"{entry.name}: written as {target.name}")
        if target.exists():
            raise FormatError("the file is there already", file=target, remedy="extract to an empty folder")
        wanted[target] = entry
    total = sum(len(entry.payload(str(file))) for entry in wanted.values())
    if total > MAX_EXTRACTED:
        raise FormatError(
            "the entries are too large when unpacked", file=file, value=total, limit=f"{MAX_EXTRACTED} bytes at once"
        )
    make_folder(folder)
    for target, entry in wanted.items():
        write_bytes(target, entry.payload(str(file)))
    return Extracted(tuple(wanted), tuple(remarks))
