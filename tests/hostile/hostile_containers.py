"""Pictures, arrays, zips and archives of bytes that say what they like about themselves."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib


def png(width: int, height: int, rows: int = 0, *, body: bytes | None = None) -> bytes:
    """A grey PNG that says to be so large; ``rows`` of it are there, packed."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    data = zlib.compress(bytes((width + 1) * rows), 9) if body is None else body
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def npy(shape: str, data: bytes = b"", kind: str = "<f8") -> bytes:
    """A numpy file with a header of one's own."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def npz(member: bytes, name: str = "heights.npy") -> bytes:
    """A zip of one member."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, member)
    return stream.getvalue()


def encrypted(raw_zip: bytes) -> bytes:
    """The zip with the flag of encryption set in both headers."""
    changed = bytearray(raw_zip)
    changed[6] |= 1
    changed[raw_zip.index(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


def oda(entries: list[tuple[bytes, bytes, int, int]], tail: bytes = b"") -> bytes:
    """An ODA table of (kind, name, offset, size), then bytes."""
    head = b"ODAR" + struct.pack("<III", 0x30000, len(entries), 144) + bytes(48)
    rows = (struct.pack("<4s128sIII", kind, name, offset, size, 0) for kind, name, offset, size in entries)
    return head + b"".join(rows) + tail
