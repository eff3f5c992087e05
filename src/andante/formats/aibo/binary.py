"""Reading bytes with a guard at every step, and unpacking gzip without trusting its size."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Unpack

from andante.documents.problems import Details
from andante.formats.report import FormatError

GZIP_MAGIC = b"\x1f\x8b"
"""First bytes of gzip data."""

_U16, _U32 = struct.Struct("<H"), struct.Struct("<I")


class Cursor:
    """A place in bytes that moves forward; every read past the end is an error with the byte and what was read there.

    Args:
        raw: The bytes.
        file: The file, for messages.
        inside: The entry inside the file, for messages.
    """

    def __init__(self, raw: bytes, file: str, inside: str = "") -> None:
        self.raw = raw
        self.file = file
        self.inside = inside
        self.at = 0

    @property
    def left(self) -> int:
        """Number of bytes from here to the end."""
        return len(self.raw) - self.at

    def error(self, what: str, at: int | None = None, **more: Unpack[Details]) -> FormatError:
        """An error at a byte, by default the present one."""
        spot = f"byte {self.at if at is None else at}"
        inside = f"{self.inside}, {spot}" if self.inside else spot
        return FormatError(what, file=self.file, inside=inside, **more)

    def take(self, count: int, what: str) -> bytes:
        """Return the next ``count`` bytes; ``what`` names them in the error."""
        if count > self.left:
            raise self.error(f"the file ends inside {what}", value=self.left, limit=f"{count} bytes")
        part = self.raw[self.at : self.at + count]
        self.at += count
        return part

    def u16(self, what: str) -> int:
        """Return the next unsigned 16-bit number, little endian."""
        return int(_U16.unpack(self.take(2, what))[0])

    def u32(self, what: str) -> int:
        """Return the next unsigned 32-bit number, little endian."""
        return int(_U32.unpack(self.take(4, what))[0])

    def string(self, what: str) -> str:
        """Return the next string: one byte of length, then Latin-1 characters."""
        length = self.take(1, f"the length of {what}")[0]
        return self.take(length, what).decode("latin-1")


def unzip(raw: bytes, limit: int, *, file: str, inside: str = "") -> bytes:
    """Unpack gzip data.

    Raises:
        FormatError: It is broken, cut, or larger than ``limit`` bytes when unpacked.
    """
    engine = zlib.decompressobj(wbits=31)
    try:
        unpacked = engine.decompress(raw, limit + 1)
    except zlib.error as error:
        raise FormatError(f"the gzip data are broken: {error}", file=file, inside=inside) from error
    if len(unpacked) > limit:
        raise FormatError("the gzip data are too large when unpacked", file=file, inside=inside, limit=f"{limit} bytes")
    if not engine.eof:
        raise FormatError("the gzip data end too early", file=file, inside=inside)
    return unpacked


def unzipped_head(head: bytes, count: int) -> bytes:
    """Return the first bytes of what may be gzip data; empty where they are broken."""
    if not head.startswith(GZIP_MAGIC):
        return head[:count]
    try:
        return zlib.decompressobj(wbits=31).decompress(head, count)
    except zlib.error:
        return b""


@dataclass(frozen=True)
class Packing:
    """How gzip data were made: what brings the same bytes forth again."""

    head: bytes = bytes.fromhex("1f8b0800000000000203")
    """The header: 10 bytes, without a name or a comment behind."""
    level: int = 9
    """zlib's level of compression."""

    def pack(self, raw: bytes) -> bytes:
        """The gzip data of some bytes, the same on every run."""
        engine = zlib.compressobj(self.level, zlib.DEFLATED, -15)
        ends = struct.pack("<II", zlib.crc32(raw), len(raw) & 0xFFFFFFFF)
        return self.head + engine.compress(raw) + engine.flush() + ends


def packing_of(packed: bytes, raw: bytes) -> Packing | None:
    """How gzip data were made of some bytes; None where neither zlib nor a plain header makes the same."""
    if len(packed) < _GZIP_HEAD or packed[3] != 0:
        return None
    head = packed[:_GZIP_HEAD]
    return next((each for level in _LEVELS if (each := Packing(head, level)).pack(raw) == packed), None)


_GZIP_HEAD = 10
_LEVELS = (9, 6, 1, 8, 7, 5, 4, 3, 2)


def zip_bytes(raw: bytes) -> bytes:
    """Pack as gzip, the same bytes on every run (no time, no name)."""
    return Packing().pack(raw)
