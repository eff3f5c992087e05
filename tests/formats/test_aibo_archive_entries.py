"""ODA archives have a largest number of entries, for what is read and for what is written."""

from __future__ import annotations

import struct

import pytest

from andante.formats.aibo.oda import MAX_ENTRIES, OdaArchive, OdaEntry, read_oda, write_oda
from andante.formats.report import FormatError


def archive(count: int) -> bytes:
    """A table of empty entries of unknown kind, and a byte behind it."""
    rows = b"".join(
        struct.pack("<4s128sIII", bytes(4), f"m{number}".encode(), 64 + 144 * count, 0, 0) for number in range(count)
    )
    return struct.pack("<4sIII", b"ODAR", 0x30000, count, 144) + bytes(48) + rows + b"\0"


def test_an_archive_has_at_most_twenty_thousand_entries():
    assert MAX_ENTRIES == 20_000
    read = read_oda(archive(MAX_ENTRIES), "a.oda")
    assert len(read.entries) == MAX_ENTRIES
    assert write_oda(read) == archive(MAX_ENTRIES)
    with pytest.raises(FormatError, match=r"a\.oda, byte 8: the archive has too many entries; got 20001; limit: 20000"):
        read_oda(archive(MAX_ENTRIES + 1), "a.oda")


def test_what_could_not_be_read_again_is_not_written():
    entries = tuple(OdaEntry(f"m{number}", bytes(4), b"") for number in range(MAX_ENTRIES + 1))
    with pytest.raises(FormatError, match=r"too many entries; got 20001; limit: 20000"):
        write_oda(OdaArchive(entries))
