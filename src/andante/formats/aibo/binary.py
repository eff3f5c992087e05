"""Reading bytes with a guard at every step, and unpacking gzip without trusting its size."""

from __future__ import annotations

import struct
import zlib
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


def zip_bytes(raw: bytes) -> bytes:
    """Pack as gzip, the same bytes on every run (no time, no name)."""
    engine = zlib.compressobj(9, zlib.DEFLATED, 31)
    return engine.compress(raw) + engine.flush()
