"""What an archive has beside its motions, kept in a library's extras so that writing gives the same bytes.

Rows of the table in their order: a motion by the library's name of it, everything else (sounds, lights, stubs, motions
of other robots, damaged ones) with its bytes as Base64; the layout where it is not the usual one.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from andante.documents.part import Part
from andante.formats.aibo.binary import Packing, packing_of
from andante.formats.aibo.oda import ENTRY, HEADER, MAX_BYTES, VERSION, OdaArchive, OdaEntry, write_oda
from andante.formats.aibo.oda_layout import OdaLayout
from andante.formats.report import FormatError

MOST_KEPT = 10_000_000
"""Most bytes beside the motions that a library keeps [bytes]."""

_U32 = Annotated[int, Field(ge=0, le=2**32 - 1)]


class PackingExtras(Part):
    """How a payload or an archive was packed: how to make the same again, or the packed bytes."""

    head: str = ""
    """The header, hexadecimal."""
    level: int = Field(default=9, ge=0, le=9)
    """zlib's level."""
    bytes: str = ""
    """Base64 of what cannot be made again."""


class RowExtras(Part):
    """A row of the table that is no motion of the library."""

    name: str = Field(default="", max_length=128)
    kind: str = Field(default="", max_length=8)
    data: str = ""
    reserved: _U32 = 0
    after: str = ""
    fault: str = ""
    size: _U32 = 0


class LayoutExtras(Part):
    """Where payloads stand, where that is not the usual way."""

    end: int = Field(ge=0, le=MAX_BYTES)
    places: tuple[tuple[_U32, _U32], ...] = ()
    gaps: tuple[tuple[_U32, str], ...] = ()


class ArchiveExtras(Part):
    """What a library's extras say of its archive."""

    gzip: str = ""
    packing: PackingExtras | None = None
    version: _U32 = VERSION
    reserved: str = ""
    rows: tuple[str | RowExtras, ...] = ()
    layout: LayoutExtras | None = None


def packed_extras(packed: bytes, raw: bytes) -> dict[str, Any] | None:
    """How gzip data were made of some bytes; None where `Packing` makes them by default."""
    found = packing_of(packed, raw)
    if found == Packing():
        return None
    said = PackingExtras(bytes=_text(packed)) if found is None else _said(found)
    return said.model_dump(mode="json", exclude_defaults=True)


def _said(packing: Packing) -> PackingExtras:
    return PackingExtras(head=packing.head.hex(), level=packing.level)


def packed_again(said: PackingExtras | None, raw: bytes, unpack: bytes | None = None) -> bytes:
    """The gzip data of some bytes as they were made before; ``unpack`` is what the kept ones hold, None: told here."""
    if said is None:
        return Packing().pack(raw)
    if said.bytes:
        from andante.formats.aibo.binary import unzip

        kept = raw_of(said.bytes)
        held = unzip(kept, MAX_BYTES, file="") if unpack is None else unpack
        return kept if held == raw else Packing().pack(raw)
    return Packing(bytes.fromhex(said.head), said.level).pack(raw)


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
    placed = None
    if layout is not None and not lost and spare <= left:
        gaps = tuple((offset, _text(content)) for offset, content in layout.gaps)
        placed = LayoutExtras(end=layout.end, places=layout.places, gaps=gaps)
    plain = placed is None and not lost and rows == list(names.values()) and len(set(rows)) == len(rows)
    packing = None
    if archive.packed:
        packing = packed_extras(archive.packed, write_oda(_plain(archive)))
    said = ArchiveExtras(
        gzip="whole" if archive.zipped else "",
        packing=None if packing is None else PackingExtras.model_validate(packing),
        version=archive.version,
        reserved=archive.reserved.hex() if any(archive.reserved) else "",
        rows=() if plain else tuple(rows),
        layout=placed,
    )
    return said.model_dump(mode="json", exclude_defaults=True), lost


def _plain(archive: OdaArchive) -> OdaArchive:
    from dataclasses import replace

    return replace(archive, zipped=False, packed=b"")


def _row(entry: OdaEntry) -> RowExtras:
    return RowExtras(
        name=entry.name,
        kind=entry.kind.hex(),
        data=_text(entry.stored),
        reserved=entry.reserved,
        after=entry.after_name.hex(),
        fault=entry.fault,
        size=entry.size if entry.fault else 0,
    )


def entry_of_row(row: RowExtras) -> OdaEntry:
    """The row of an archive that a library kept.

    Raises:
        FormatError: Somebody has broken it.
    """
    stored = raw_of(row.data)
    kind = hexadecimal(row.kind)
    if len(kind) != 4:
        raise FormatError("the kind of an entry has four bytes", inside="extras.oda.rows", value=row.kind)
    size = row.size if row.fault else len(stored)
    return OdaEntry(row.name, kind, stored, size, row.reserved, row.fault, hexadecimal(row.after))


def archive_of(said: ArchiveExtras, entries: Sequence[OdaEntry], *, whole: bool) -> OdaArchive:
    """An archive of entries as it was when it was read.

    Args:
        said: What the library kept of it.
        entries: Its entries.
        whole: Whether these are the rows that were read, no more and no less.
    """
    layout = None
    if said.layout is not None and whole:
        gaps = tuple((offset, raw_of(content)) for offset, content in said.layout.gaps)
        layout = OdaLayout(HEADER + ENTRY * len(entries), said.layout.end, said.layout.places, gaps)
    reserved = hexadecimal(said.reserved).ljust(48, b"\0")[:48]
    archive = OdaArchive(tuple(entries), version=said.version, reserved=reserved, layout=layout)
    if said.gzip != "whole":
        return archive
    from dataclasses import replace

    return replace(archive, zipped=True, packed=packed_again(said.packing, write_oda(archive)))


def _text(raw: bytes) -> str:
    return b64encode(raw).decode("ascii")


def raw_of(text: str) -> bytes:
    """The bytes of a Base64 text; `FormatError` where it is none."""
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError("the bytes are no Base64", inside="extras", value=text[:40]) from error


def hexadecimal(text: str) -> bytes:
    """The bytes of a hexadecimal text; `FormatError` where it is none."""
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise FormatError("the bytes are no hexadecimal digits", inside="extras", value=text[:40]) from error
