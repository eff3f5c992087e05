"""The ODA archive: Sony's container for motions, sounds and lights.

Facts: docs/sources/aibo.md, section 2.2. A header of 64 bytes, a table of 144 bytes per entry, then the payloads. The
whole archive or single payloads may be packed with gzip. The first entry of a name counts on the robot.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from andante.formats.aibo.binary import GZIP_MAGIC, MAX_UNPACKED, Cursor, unzip, unzipped_head, zip_bytes
from andante.formats.aibo.mtn import MAGIC as MTN_MAGIC
from andante.formats.aibo.mtn import STUB
from andante.formats.aibo.oda_layout import OdaLayout
from andante.formats.report import FormatError

MAGIC = b"ODAR"
VERSION = 0x30000
"""Version 0.3 as the header has it."""
HEADER, ENTRY = 64, 144
"""Sizes of the header and of a row of the table [bytes]."""
MAX_BYTES = MAX_UNPACKED
"""Largest archive that is read, packed or unpacked."""
MAX_ENTRIES = 20_000
"""Most entries of an archive; the largest that is known, the motions of AIBO MIND 3, has 2,697."""
MAX_NAME = 31
"""Longest name that MoNet's configuration can hold; new names are no longer, names that were read may be (`ROOM`)."""
ROOM = 127
"""Longest entry name that the table has room for, with a NUL behind."""

_NAME = 128
KINDS: dict[bytes, str] = {b"OMTN": ".mtn", b"WAVE": ".wav", b"MIDI": ".mid", b"LED\0": ".led", b"SYN\0": ".syn"}
"""File ending per kind of entry."""
_SIGNATURES: dict[bytes, bytes] = {MTN_MAGIC: b"OMTN", b"RIFF": b"WAVE", b"MThd": b"MIDI"}
_UNKNOWN = bytes(4)


@dataclass(frozen=True)
class OdaEntry:
    """One file in an archive."""

    name: str
    """Name, without an ending."""
    kind: bytes
    """Four bytes that tell the kind; zeros where unknown."""
    stored: bytes = field(repr=False)
    """The payload as it is stored, perhaps packed."""
    size: int = 0
    """Size that the table states; differs from the stored one only in a table without payloads [bytes]."""
    reserved: int = 0
    """The row's last field."""
    fault: str = ""
    """Why the payload is not to be had; empty: it is there."""
    after_name: bytes = b""
    """What stands in the row behind the name and its NUL; empty: zeros."""

    @property
    def zipped(self) -> bool:
        """Whether the payload is packed."""
        return self.stored.startswith(GZIP_MAGIC)

    @property
    def stub(self) -> bool:
        """Whether this stands for a motion that is kept elsewhere."""
        return unzipped_head(self.stored, len(STUB)) == STUB

    @property
    def suffix(self) -> str:
        """File ending for the payload."""
        return KINDS.get(self.kind, ".bin")

    def payload(self, file: str, limit: int = MAX_BYTES) -> bytes:
        """The payload, unpacked.

        Args:
            file: The archive's file, for messages.
            limit: Largest payload that is unpacked [bytes].

        Raises:
            FormatError: The table has no payloads, the row is damaged, or the payload cannot be unpacked.
        """
        if self.fault:
            raise FormatError(self.fault, file=file, inside=self.name)
        if len(self.stored) != self.size:
            raise FormatError("the archive is a table without payloads", file=file, inside=self.name)
        return unzip(self.stored, limit, file=file, inside=self.name) if self.zipped else self.stored


@dataclass(frozen=True)
class OdaArchive:
    """An archive."""

    entries: tuple[OdaEntry, ...] = ()
    """The entries in order; MoNet may call them by position."""
    zipped: bool = False
    """Whether the whole archive is packed."""
    version: int = VERSION
    """Version as the header has it."""
    reserved: bytes = bytes(48)
    """The header's rest."""
    table_only: bool = False
    """Whether this is a table whose payloads are kept elsewhere."""
    layout: OdaLayout | None = None
    """Where the payloads stand; None: one after another in the order of the table."""
    packed: bytes = field(default=b"", repr=False, compare=False)
    """A packed archive as it was read; the same bytes are written again where nothing has changed."""

    def first(self, name: str) -> OdaEntry | None:
        """The entry that the robot finds under a name."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def with_entry(self, entry: OdaEntry, *, replacing: bool = False) -> OdaArchive:
        """Return the archive with an entry more at the end, or in the place of the one of its name.

        Args:
            entry: The entry.
            replacing: Whether an entry of this name is replaced (all of them, if there are several).

        Raises:
            FormatError: There is an entry of this name and it is not to be replaced.
        """
        if self.table_only:
            raise FormatError("the archive is a table without payloads; nothing can be added")
        check_name(entry.name, longest=ROOM)
        present = [index for index, old in enumerate(self.entries) if old.name == entry.name]
        if not present:
            return replace(self, entries=(*self.entries, entry), layout=None)
        if not replacing:
            raise FormatError(
                "the archive has an entry of this name; the robot would go on playing the old one",
                value=entry.name,
                remedy="say that it is to be replaced",
            )
        kept = [entry if index == present[0] else old for index, old in enumerate(self.entries)]
        entries = tuple(old for index, old in enumerate(kept) if index not in present[1:])
        return replace(self, entries=entries, layout=None)


def check_name(name: str, *, longest: int = MAX_NAME) -> None:
    """Refuse a name that the robot's software cannot call.

    Args:
        name: The name.
        longest: So many characters it may have; a name that was read may fill the table's row (`ROOM`).

    Raises:
        FormatError: It is empty, too long, or has other than printable ASCII characters without blanks and slashes.
    """
    if not name:
        raise FormatError("an entry needs a name", value=name)
    if len(name) > longest:
        whom = "for MoNet" if longest == MAX_NAME else "in the table"
        raise FormatError(f"the name has {len(name)} characters", value=name, limit=f"at most {longest} {whom}")
    strange = next((character for character in name if not "!" <= character <= "~" or character in "/\\"), None)
    if strange is not None:
        raise FormatError(
            f"the name holds the character {strange!r}",
            value=name,
            limit="printable ASCII without blanks and slashes",
        )


def kind_of(payload: bytes, suffix: str) -> bytes:
    """Kind of a payload: told from its content, else from its file's ending (in small or capital letters)."""
    head = unzipped_head(payload, 4)
    if head in _SIGNATURES:
        return _SIGNATURES[head]
    return next((kind for kind, ending in KINDS.items() if ending == suffix.lower()), _UNKNOWN)


def new_entry(name: str, payload: bytes, suffix: str = "", *, zipped: bool = False) -> OdaEntry:
    """Return an entry for a payload.

    Args:
        name: Its name.
        payload: The file's content, unpacked or packed.
        suffix: Ending of the file that it comes from; used where the content does not tell the kind.
        zipped: Whether to pack it.
    """
    stored = zip_bytes(payload) if zipped and not payload.startswith(GZIP_MAGIC) else payload
    return OdaEntry(name, kind_of(payload, suffix), stored, len(stored))


def read_oda(raw: bytes, file: str) -> OdaArchive:
    """Read an archive from bytes.

    A row whose payload cannot be where it says becomes an entry with a fault; the others are read.

    Raises:
        FormatError: The bytes break the format, there are too many entries, or no entry is whole; the message names
            the byte.
    """
    zipped, packed = raw.startswith(GZIP_MAGIC), b""
    if zipped:
        packed, raw = raw, unzip(raw, MAX_BYTES, file=file)
    cursor = Cursor(raw, file)
    magic = cursor.take(4, "the magic number")
    if magic != MAGIC:
        raise cursor.error("this is no ODA archive", 0, value=magic, limit=f"begins with {MAGIC.decode()!r}")
    version, count, width = (cursor.u32(what) for what in ("the version", "the number of files", "the row size"))
    if width != ENTRY:
        raise cursor.error("the rows of the table have another size", 12, value=width, limit=str(ENTRY))
    reserved = cursor.take(48, "the header")
    if count * ENTRY > cursor.left:
        raise cursor.error(f"the file ends inside the table of {count} entries", 8, value=cursor.left // ENTRY)
    if count > MAX_ENTRIES:
        raise cursor.error("the archive has too many entries", 8, value=count, limit=f"{MAX_ENTRIES}")
    rows = [_row(cursor, number, count) for number in range(count)]
    # A table of payloads that are kept elsewhere (HDDYN): nothing follows it.
    table_only = cursor.left == 0 and any(row.size for row in rows)
    faults = {} if table_only else _faults([(row.offset, row.size) for row in rows], cursor.at, len(raw))
    if faults and len(faults) == len(rows):
        number, fault = next(iter(faults.items()))
        row = rows[number]
        raise cursor.error(
            f"the payload of entry {number}, {row.name!r}, {fault}",
            HEADER + number * ENTRY + 132,
            value=f"{row.offset}+{row.size}",
            limit=f"{len(raw)} bytes",
        )
    # Rows that share a payload share its bytes.
    stored: dict[tuple[int, int], bytes] = {}
    entries = []
    for number, row in enumerate(rows):
        place = (row.offset, row.size)
        fault, payload = "", b""
        if number in faults:
            fault = f"the payload {faults[number]} ({row.offset}+{row.size} of {len(raw)} bytes)"
        elif not table_only:
            payload = stored.setdefault(place, raw[row.offset : row.offset + row.size])
        entries.append(OdaEntry(row.name, row.kind, payload, row.size, row.last, fault, row.after_name))
    layout = OdaLayout.of(raw, cursor.at, [(row.offset, row.size) for row in rows], stored)
    return OdaArchive(tuple(entries), zipped, version, reserved, table_only, layout, packed)


def _faults(places: list[tuple[int, int]], table: int, end: int) -> dict[int, str]:
    """What is wrong with rows whose payloads (offset, size) cannot be where they say, by number.

    Of two that overlap the larger one is at fault: a size is wrong more often than it is too small. Rows with one and
    the same place share a payload.
    """
    faults: dict[int, str] = {}
    rows: dict[tuple[int, int], list[int]] = {}
    for number, (offset, size) in enumerate(places):
        if offset + size > end:
            faults[number] = "lies outside the file"
        elif size and offset < table:
            faults[number] = "overlaps the table"
        elif size:
            rows.setdefault((offset, size), []).append(number)
    last: tuple[int, int] | None = None
    for place in sorted(rows):
        if last is not None and place[0] < last[0] + last[1]:
            larger = max(last, place, key=lambda each: each[1])
            faults.update((other, "overlaps others") for other in rows[larger])
            last = place if larger is last else last
        else:
            last = place
    return dict(sorted(faults.items()))


class _Row(NamedTuple):
    """A row of the table."""

    kind: bytes
    name: str
    after_name: bytes
    offset: int
    size: int
    last: int


def _row(cursor: Cursor, number: int, count: int) -> _Row:
    what = f"entry {number + 1} of {count}"
    kind = cursor.take(4, what)
    name, _, behind = cursor.take(_NAME, what).partition(b"\0")
    after_name = behind if any(behind) else b""
    return _Row(kind, name.decode("latin-1"), after_name, cursor.u32(what), cursor.u32(what), cursor.u32(what))


def write_oda(archive: OdaArchive) -> bytes:
    """Return the bytes of an archive: as it was read where nothing has changed, else with payloads without gaps.

    Raises:
        FormatError: It is a table without payloads or has damaged entries and something has changed, a name does not
            fit, or it is too large.
    """
    if len(archive.entries) > MAX_ENTRIES:
        raise FormatError("the archive has too many entries", value=len(archive.entries), limit=f"{MAX_ENTRIES}")
    layout = archive.layout
    raw = None if layout is None else layout.body([entry.stored for entry in archive.entries])
    if layout is None or raw is None:
        _all_there(archive)
        layout = OdaLayout.usual(HEADER + ENTRY * len(archive.entries), [entry.stored for entry in archive.entries])
        raw = b"".join(entry.stored for entry in archive.entries)
    table = HEADER + ENTRY * len(archive.entries)
    if table + len(raw) > MAX_BYTES:
        raise FormatError("the archive is too large", limit=f"{MAX_BYTES} bytes")
    parts = [struct.pack("<4sIII", MAGIC, archive.version, len(archive.entries), ENTRY), archive.reserved]
    for entry, (offset, size) in zip(archive.entries, layout.places, strict=True):
        if len(entry.name) > _NAME or any(ord(character) > 255 for character in entry.name):
            raise FormatError("the name does not fit the table", value=entry.name, limit=f"{_NAME} Latin-1 characters")
        name = entry.name.encode("latin-1") + b"\0" + entry.after_name
        parts.append(struct.pack("<4s128sIII", entry.kind, name[:_NAME], offset, size, entry.reserved))
    raw = b"".join([*parts, raw])
    if not archive.zipped:
        return raw
    if archive.packed and unzip(archive.packed, MAX_BYTES, file="") == raw:
        return archive.packed
    return zip_bytes(raw)


def _all_there(archive: OdaArchive) -> None:
    """Refuse to put an archive together anew that has not all of its payloads."""
    if archive.table_only:
        raise FormatError("the archive is a table without payloads and cannot be rebuilt")
    lost = [f"{number} {entry.name!r}" for number, entry in enumerate(archive.entries) if entry.fault]
    if lost:
        raise FormatError(
            "the archive has damaged entries, which would be lost",
            value=", ".join(lost[:10]),
            remedy="extract the whole ones and create a new archive",
        )
