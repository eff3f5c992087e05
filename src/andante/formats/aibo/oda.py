"""The ODA archive: Sony's container for motions, sounds and lights.

Facts: reference ``aibo.md``, section 2.2. A header of 64 bytes, a table of 144 bytes per entry, then the payloads. The
whole archive or single payloads may be packed with gzip. The first entry of a name counts on the robot.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace

from andante.formats.aibo.binary import GZIP_MAGIC, Cursor, unzip, unzipped_head, zip_bytes
from andante.formats.aibo.mtn import MAGIC as MTN_MAGIC
from andante.formats.aibo.mtn import STUB
from andante.formats.report import FormatError

MAGIC = b"ODAR"
VERSION = 0x30000
"""Version 0.3 as the header has it."""
HEADER, ENTRY = 64, 144
"""Sizes of the header and of a row of the table [bytes]."""
MAX_BYTES = 64_000_000
"""Largest archive that is read, packed or unpacked."""
MAX_NAME = 31
"""Longest entry name that is written: what MoNet's configuration can hold (the table has room for 127)."""

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
        check_name(entry.name)
        present = [index for index, old in enumerate(self.entries) if old.name == entry.name]
        if not present:
            return replace(self, entries=(*self.entries, entry))
        if not replacing:
            raise FormatError(
                "the archive has an entry of this name; the robot would go on playing the old one",
                value=entry.name,
                remedy="say that it is to be replaced",
            )
        kept = [entry if index == present[0] else old for index, old in enumerate(self.entries)]
        return replace(self, entries=tuple(old for index, old in enumerate(kept) if index not in present[1:]))


def check_name(name: str) -> None:
    """Refuse a name that the robot's software cannot call.

    Raises:
        FormatError: It is empty, too long, or has other than printable ASCII characters without blanks and slashes.
    """
    if not name:
        raise FormatError("an entry needs a name", value=name)
    if len(name) > MAX_NAME:
        raise FormatError(f"the name has {len(name)} characters", value=name, limit=f"at most {MAX_NAME} for MoNet")
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
        FormatError: The bytes break the format, or no entry is whole; the message names the byte.
    """
    zipped = raw.startswith(GZIP_MAGIC)
    if zipped:
        raw = unzip(raw, MAX_BYTES, file=file)
    cursor = Cursor(raw, file)
    magic = cursor.take(4, "the magic number")
    if magic != MAGIC:
        raise cursor.error("this is no ODA archive", 0, value=magic, limit=f"begins with {MAGIC.decode()!r}")
    version, count, row = (cursor.u32(what) for what in ("the version", "the number of files", "the row size"))
    if row != ENTRY:
        raise cursor.error("the rows of the table have another size", 12, value=row, limit=str(ENTRY))
    reserved = cursor.take(48, "the header")
    if count * ENTRY > cursor.left:
        raise cursor.error(f"the file ends inside the table of {count} entries", 8, value=cursor.left // ENTRY)
    rows = [_row(cursor, number, count) for number in range(count)]
    # A table of payloads that are kept elsewhere (HDDYN): nothing follows it.
    table_only = cursor.left == 0 and any(size for *_, size, _ in rows)
    faults = {} if table_only else _faults([(offset, size) for *_, offset, size, _ in rows], cursor.at, len(raw))
    if faults and len(faults) == len(rows):
        number, fault = next(iter(faults.items()))
        _, name, offset, size, _ = rows[number]
        raise cursor.error(
            f"the payload of entry {number}, {name!r}, {fault}",
            HEADER + number * ENTRY + 132,
            value=f"{offset}+{size}",
            limit=f"{len(raw)} bytes",
        )
    # Rows that share a payload share its bytes.
    stored: dict[tuple[int, int], bytes] = {}
    entries = []
    for number, (kind, name, offset, size, last) in enumerate(rows):
        fault, payload = "", b""
        if number in faults:
            fault = f"the payload {faults[number]} ({offset}+{size} of {len(raw)} bytes)"
        elif not table_only:
            payload = stored.setdefault((offset, size), raw[offset : offset + size])
        entries.append(OdaEntry(name, kind, payload, size, last, fault))
    return OdaArchive(tuple(entries), zipped, version, reserved, table_only)


def _faults(places: list[tuple[int, int]], table: int, end: int) -> dict[int, str]:
    """What is wrong with rows whose payloads (offset, size) cannot be where they say, by number.

    Of two that overlap the larger one is at fault: a size is wrong more often than it is too small. Rows with one and
    the same place share a payload.
    """
    faults: dict[int, str] = {}
    whole: list[tuple[int, int, int]] = []
    for number, (offset, size) in enumerate(places):
        if offset + size > end:
            faults[number] = "lies outside the file"
        elif size and offset < table:
            faults[number] = "overlaps the table"
        elif size:
            whole.append((offset, size, number))
    rows: dict[tuple[int, int], list[int]] = {}
    for offset, size, number in whole:
        rows.setdefault((offset, size), []).append(number)
    last: tuple[int, int, int] | None = None
    for place in sorted(whole):
        if last is not None and place[0] < last[0] + last[1] and place[:2] != last[:2]:
            larger = max(last, place, key=lambda each: each[1])
            faults.update((other, "overlaps others") for other in rows[larger[:2]])
            last = place if larger is last else last
        else:
            last = place
    return dict(sorted(faults.items()))


def _row(cursor: Cursor, number: int, count: int) -> tuple[bytes, str, int, int, int]:
    what = f"entry {number + 1} of {count}"
    kind = cursor.take(4, what)
    name = cursor.take(_NAME, what).split(b"\0", 1)[0].decode("latin-1")
    return kind, name, cursor.u32(what), cursor.u32(what), cursor.u32(what)


def write_oda(archive: OdaArchive) -> bytes:
    """Return the bytes of an archive: payloads in the order of the table without gaps.

    Raises:
        FormatError: It is a table without payloads, an entry is damaged, a name does not fit, or it is too large.
    """
    if archive.table_only:
        raise FormatError("the archive is a table without payloads and cannot be rebuilt")
    lost = [f"{number} {entry.name!r}" for number, entry in enumerate(archive.entries) if entry.fault]
    if lost:
        raise FormatError(
            "the archive has damaged entries, which would be lost",
            value=", ".join(lost[:10]),
            remedy="extract the whole ones and create a new archive",
        )
    offset = HEADER + ENTRY * len(archive.entries)
    if offset + sum(len(entry.stored) for entry in archive.entries) > MAX_BYTES:
        raise FormatError("the archive is too large", limit=f"{MAX_BYTES} bytes")
    parts = [struct.pack("<4sIII", MAGIC, archive.version, len(archive.entries), ENTRY), archive.reserved]
    for entry in archive.entries:
        if len(entry.name) > _NAME or any(ord(character) > 255 for character in entry.name):
            raise FormatError("the name does not fit the table", value=entry.name, limit=f"{_NAME} Latin-1 characters")
        name = entry.name.encode("latin-1")
        parts.append(struct.pack("<4s128sIII", entry.kind, name, offset, len(entry.stored), entry.reserved))
        offset += len(entry.stored)
    raw = b"".join([*parts, *(entry.stored for entry in archive.entries)])
    return zip_bytes(raw) if archive.zipped else raw
