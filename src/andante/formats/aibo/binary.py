"""Reading bytes with a guard at every step, and unpacking gzip without trusting its size."""

from __future__ import annotations

import struct
import zlib
from base64 import b64decode, b64encode
from typing import Annotated, Unpack

from pydantic import BeforeValidator, Field, PlainSerializer

from andante.documents.part import Part
from andante.documents.problems import Details
from andante.formats.report import FormatError

GZIP_MAGIC = b"\x1f\x8b"
"""First bytes of gzip data."""
MAX_UNPACKED = 64_000_000
"""Largest archive that is read, packed or unpacked [bytes]."""

_U16, _U32 = struct.Struct("<H"), struct.Struct("<I")

U32 = Annotated[int, Field(ge=0, le=2**32 - 1)]
"""A number that fits into 32 bits."""
Hexadecimal = Annotated[
    bytes,
    BeforeValidator(lambda value: bytes.fromhex(value) if isinstance(value, str) else value),
    PlainSerializer(bytes.hex, return_type=str),
]
"""Bytes that a document has as hexadecimal digits."""
Base64 = Annotated[
    bytes,
    BeforeValidator(lambda value: b64decode(value, validate=True) if isinstance(value, str) else value),
    PlainSerializer(lambda raw: b64encode(raw).decode("ascii"), return_type=str),
]
"""Bytes that a document has as Base64."""


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


_HEAD = bytes.fromhex("1f8b0800000000000203")
_LEVELS = (9, 6, 1, 8, 7, 5, 4, 3, 2)


class Packing(Part):
    """How gzip data were made: what brings the same bytes forth again."""

    head: Hexadecimal = b""
    """The header: 10 bytes, without a name or a comment behind; empty: without a time, as Andante writes it."""
    level: int = Field(default=9, ge=0, le=9)
    """zlib's level of compression."""
    bytes: Base64 = b""
    """The gzip data themselves, where they cannot be made again."""


def packing_of(packed: bytes, raw: bytes) -> Packing | None:
    """How gzip data were made of some bytes; None for the way in which `zip_bytes` makes them by itself."""
    if packed == zip_bytes(raw):
        return None
    head = packed[: len(_HEAD)]
    if len(packed) >= len(_HEAD) and packed[3] == 0:
        for level in _LEVELS:
            packing = Packing(head=head, level=level)
            if zip_bytes(raw, packing) == packed:
                return packing
    return Packing(bytes=packed)


def zip_bytes(raw: bytes, packing: Packing | None = None) -> bytes:
    """Pack as gzip, the same bytes on every run.

    Args:
        raw: What is packed.
        packing: How; data that it keeps are given where they hold these bytes. None: no time, no name.

    Raises:
        FormatError: The data that it keeps are broken.
    """
    way = packing or Packing()
    if way.bytes:
        return way.bytes if unzip(way.bytes, MAX_UNPACKED, file="") == raw else zip_bytes(raw)
    engine = zlib.compressobj(way.level, zlib.DEFLATED, -15)
    ends = struct.pack("<II", zlib.crc32(raw), len(raw) & 0xFFFFFFFF)
    return (way.head or _HEAD) + engine.compress(raw) + engine.flush() + ends
