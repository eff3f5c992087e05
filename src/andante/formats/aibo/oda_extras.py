"""What an archive has beside its motions, kept in a library's extras so that writing gives the same bytes.

Rows of the table in their order: a motion by the library's name of it, everything else (sounds, lights, stubs, motions
of other robots, damaged ones) with its bytes as Base64; the layout where it is not the usual one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from andante.documents.part import Part
from andante.formats.aibo.binary import U32, Base64, Hexadecimal, Packing, packing_of, zip_bytes
from andante.formats.aibo.oda import ENTRY, HEADER, VERSION, OdaArchive, OdaEntry, write_oda
from andante.formats.aibo.oda_layout import OdaLayout
from andante.formats.report import FormatError

MOST_KEPT = 10_000_000
"""Most bytes beside the motions that a library keeps [bytes]."""


class RowExtras(Part):
    """A row of the table that is no motion of the library."""

    name: str = Field(default="", max_length=128)
    kind: Hexadecimal = Field(default=b"", max_length=4)
    data: Base64 = b""
    reserved: U32 = 0
    after: Hexadecimal = b""
    fault: str = ""
    size: U32 = 0


class ArchiveExtras(Part):
    """What a library's extras say of its archive."""

    gzip: str = ""
    packing: Packing | None = None
    version: U32 = VERSION
    reserved: Hexadecimal = b""
    rows: tuple[str | RowExtras, ...] = ()
    layout: OdaLayout | None = None


def archive_extras(archive: OdaArchive, names: Mapping[int, str]) -> tuple[dict[str, Any], list[int]]:
    """What a library has to keep of its archive, and the rows whose bytes are too many to be kept.

    Args:
        archive: The archive.
        names: Motion in the library by number of the row; all other rows are kept as they are.
    """
    left, lost = MOST_KEPT, list[int]()
    rows: list[str | RowExtras] = []
    for number, entry in enumerate(archive.entries):
        if number in names:
            rows.append(names[number])
        elif len(entry.stored) > left:
            lost.append(number)
        else:
            left -= len(entry.stored)
            rows.append(_row(entry))
    layout = archive.layout
    spare = 0 if layout is None else sum(len(content) for _, content in layout.gaps)
    placed = layout if not lost and spare <= left else None
    plain = placed is None and not lost and rows == list(names.values()) and len(set(rows)) == len(rows)
    plain_bytes = write_oda(replace(archive, zipped=False, packed=b"")) if archive.packed else b""
    said = ArchiveExtras(
        gzip="whole" if archive.zipped else "",
        packing=packing_of(archive.packed, plain_bytes) if archive.packed else None,
        version=archive.version,
        reserved=archive.reserved if any(archive.reserved) else b"",
        rows=() if plain else tuple(rows),
        layout=placed,
    )
    return said.model_dump(mode="json", exclude_defaults=True), lost


def _row(entry: OdaEntry) -> RowExtras:
    return RowExtras(
        name=entry.name,
        kind=entry.kind,
        data=entry.stored,
        reserved=entry.reserved,
        after=entry.after_name,
        fault=entry.fault,
        size=entry.size if entry.fault else 0,
    )


def entry_of_row(row: RowExtras) -> OdaEntry:
    """The row of an archive that a library kept.

    Raises:
        FormatError: Somebody has broken it.
    """
    if len(row.kind) != 4:
        raise FormatError("the kind of an entry has four bytes", inside="extras.oda.rows", value=row.kind.hex())
    size = row.size if row.fault else len(row.data)
    return OdaEntry(row.name, row.kind, row.data, size, row.reserved, row.fault, row.after)


def archive_of(said: ArchiveExtras, entries: Sequence[OdaEntry], *, whole: bool) -> OdaArchive:
    """An archive of entries as it was when it was read.

    Args:
        said: What the library kept of it.
        entries: Its entries.
        whole: Whether these are the rows that were read, no more and no less.
    """
    layout = said.layout.but(table=HEADER + ENTRY * len(entries)) if said.layout is not None and whole else None
    reserved = said.reserved.ljust(48, b"\0")[:48]
    archive = OdaArchive(tuple(entries), version=said.version, reserved=reserved, layout=layout)
    if said.gzip != "whole":
        return archive
    return replace(archive, zipped=True, packed=zip_bytes(write_oda(archive), said.packing))
