"""The MTN file, Sony's motion: typed, every byte kept, so that reading and writing gives the same file.

Facts: docs/sources/aibo.md, section 2.1. Little endian; four numbered sections with their sizes. The next section is
found by the size, not by what was parsed. Files of the ERS-110/111 have a 16-bit size in section 3 and no padding.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from pydantic import Field

from andante.documents.part import Part
from andante.formats.aibo.binary import U32, Cursor, Hexadecimal
from andante.formats.report import FormatError

MAGIC = b"OMTN"
STUB = b"NotOMTN "
"""An entry of MIND's archives that stands for a motion kept elsewhere."""
FRAME_MS = 16
"""Time of one frame, also in files that say 0 (ERS-110) [ms]."""
MAX_BYTES = 4_000_000
"""Largest file that is read; the longest that Sony's tools make (250 s) has 1.5 MB."""
MAX_JOINTS = 255
"""Most joints of a motion that is read; the largest design has 20."""

_SECTIONS = 4
_HEADER_SIZE = 24
_LONG, _SHORT = 12, 10
_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1


@dataclass(frozen=True)
class MtnKey:
    """One key of a motion."""

    interpolated: int
    """Frames between the key before and this one; 0 in the first, which has no such field."""
    body: tuple[int, int, int]
    """Roll (+ right), pitch (+ nose up), yaw (+ left) of the body [microradians]."""
    angles: tuple[int, ...]
    """Joint angles in the order of the file [microradians]."""


class MtnLayout(Part):
    """How the bytes are put: what differs between files that say the same."""

    short: bool = False
    """Section 3 has a 16-bit size and sections are not padded, as on the ERS-110/111."""
    sections: int = Field(default=_SECTIONS, ge=_SECTIONS, le=2**32 - 1)
    """Number of sections that the header states."""
    reserved: U32 = 0
    """The header's last field."""
    pads: tuple[Hexadecimal, Hexadecimal] | None = None
    """Bytes after the contents of sections 1 and 2; None: zeros up to a multiple of 4."""
    tail: Hexadecimal = b""
    """Bytes after the last key."""
    counted: int = Field(default=0, ge=0, le=2**31)
    """How many of them section 3's size counts."""


_USUAL = MtnLayout()


@dataclass(frozen=True)
class MtnFile:
    """One motion as its file has it."""

    motion: str
    """Name of the motion; this one counts for MoNet, not the file's."""
    author: str
    """Who made it."""
    design: str
    """Robot design, as DRX-1000."""
    locators: tuple[str, ...]
    """Primitive locator per joint."""
    keys: tuple[MtnKey, ...]
    """The keys in order."""
    version: tuple[int, int] = (1, 2)
    """Major and minor version."""
    frame_ms: int = FRAME_MS
    """Time of one frame [ms]; 0 stands for 16."""
    layout: MtnLayout = _USUAL
    """How the bytes are put."""

    @property
    def frame(self) -> float:
        """Time of one frame [s]."""
        return (self.frame_ms or FRAME_MS) / 1000.0


def read_mtn(raw: bytes, file: str, inside: str = "") -> MtnFile:
    """Read a motion from bytes.

    Args:
        raw: The whole file.
        file: The file, for messages.
        inside: The entry of an archive, for messages.

    Raises:
        FormatError: The bytes break the format; the message names the byte.
    """
    cursor = Cursor(raw, file, inside)
    magic = cursor.take(4, "the magic number")
    if raw.startswith(STUB):
        raise cursor.error("this is a stub for a motion that is kept elsewhere", 0, value=STUB.decode())
    if magic != MAGIC:
        raise cursor.error("this is no MTN motion", 0, value=magic, limit=f"begins with {MAGIC.decode()!r}")
    if len(raw) > MAX_BYTES:
        raise cursor.error("the motion is too large", 0, value=len(raw), limit=f"{MAX_BYTES} bytes")
    _section(cursor, 0)
    size = cursor.u32("the size of section 0")
    if size != _HEADER_SIZE:
        raise cursor.error("section 0 has the wrong size", cursor.at - 4, value=size, limit=str(_HEADER_SIZE))
    sections = cursor.u32("the number of sections")
    if sections < _SECTIONS:
        raise cursor.error("there are too few sections", cursor.at - 4, value=sections, limit=f"at least {_SECTIONS}")
    major, minor = cursor.u16("the version"), cursor.u16("the version")
    if major != 1:
        raise cursor.error("the version is not known", cursor.at - 4, value=f"{major}.{minor}", limit="1.x")
    count, frame_ms = cursor.u16("the number of keys"), cursor.u16("the frame time")
    if count == 0:
        raise cursor.error("the motion has no keys", cursor.at - 4)
    reserved = cursor.u32("the reserved field")
    start, size = _section(cursor, 1), cursor.u32("the size of section 1")
    motion, author, design = (cursor.string(f"the {what} name") for what in ("motion", "author", "design"))
    first_pad = _pad(cursor, 1, start, size)
    start, size = _section(cursor, 2), cursor.u32("the size of section 2")
    joints = cursor.u16("the number of joints")
    if not 1 <= joints <= MAX_JOINTS:
        raise cursor.error(
            "the number of joints is out of range", cursor.at - 2, value=joints, limit=f"1..{MAX_JOINTS}"
        )
    locators = tuple(cursor.string(f"locator {number + 1} of {joints}") for number in range(joints))
    pads = (first_pad, _pad(cursor, 2, start, size))
    short, counted = _data_header(cursor, count, joints)
    keys = _keys(cursor, count, joints)
    return MtnFile(
        motion=motion,
        author=author,
        design=design,
        locators=locators,
        keys=keys,
        version=(major, minor),
        frame_ms=frame_ms,
        layout=MtnLayout(
            short=short,
            sections=sections,
            reserved=reserved,
            pads=None if _usual(pads, (motion, author, design), locators, short) else pads,
            tail=raw[cursor.at :],
            counted=counted,
        ),
    )


def _section(cursor: Cursor, number: int) -> int:
    """Read a section's number and return where the section begins."""
    start = cursor.at
    found = cursor.u32(f"the number of section {number}")
    if found != number:
        raise cursor.error(
            f"section {number} does not begin here; the size of the section before is wrong", start, value=found
        )
    return start


def _pad(cursor: Cursor, number: int, start: int, size: int) -> bytes:
    """Skip to the end of a section by its size and return what was skipped."""
    used = cursor.at - start
    if size < used:
        raise cursor.error(f"section {number} is larger than its size says", start + 4, value=size, limit=f"{used}")
    return cursor.take(size - used, f"section {number}")


def _data_header(cursor: Cursor, count: int, joints: int) -> tuple[bool, int]:
    """Read section 3's header; return whether it is the short one and the bytes that its size counts after the keys."""
    start = _section(cursor, 3)
    body = _body_size(count, joints)
    size = cursor.u32("the size of section 3")
    extra = size - _LONG - body
    short = extra != 0 and size & 0xFFFF == (_SHORT + body) & 0xFFFF
    if short:
        cursor.at -= 2
        extra = 0
    elif extra < 0 or start + size > len(cursor.raw):
        if extra == 0:
            raise cursor.error(f"the file ends inside the {count} keys", value=cursor.left - 4, limit=f"{body} bytes")
        raise cursor.error(
            f"the size of section 3 does not fit {count} keys of {joints} joints",
            start + 4,
            value=size,
            limit=f"{_LONG + body} (or {_SHORT + body} in 16 bits)",
        )
    data_type = cursor.u32("the data type")
    if data_type != 0:
        raise cursor.error("the data type is not known", cursor.at - 4, value=data_type, limit="0")
    return short, extra


def _body_size(count: int, joints: int) -> int:
    return 4 * (count * (3 + joints) + count - 1)


def _keys(cursor: Cursor, count: int, joints: int) -> tuple[MtnKey, ...]:
    body = _body_size(count, joints)
    # The first key has no number of interpolated frames.
    numbers = (0, *struct.unpack(f"<{body // 4}i", cursor.take(body, f"the {count} keys")))
    keys = []
    for index, at in enumerate(range(0, len(numbers), 4 + joints)):
        interpolated, roll, pitch, yaw, *angles = numbers[at : at + 4 + joints]
        if interpolated < 0:
            raise cursor.error(
                f"key {index} has a negative number of interpolated frames",
                cursor.at - body + 4 * (at - 1),
                value=interpolated,
            )
        keys.append(MtnKey(interpolated, (roll, pitch, yaw), tuple(angles)))
    return tuple(keys)


def _usual(pads: tuple[bytes, bytes], names: tuple[str, ...], locators: tuple[str, ...], short: bool) -> bool:
    contents = (8 + sum(1 + len(name) for name in names), 10 + sum(1 + len(name) for name in locators))
    return all(pad == bytes(0 if short else -size % 4) for pad, size in zip(pads, contents, strict=True))


def write_mtn(mtn: MtnFile) -> bytes:
    """Return the bytes of a motion.

    Raises:
        FormatError: Something does not fit the format's fields.
    """
    count, joints = len(mtn.keys), len(mtn.locators)
    _fits(1 <= count <= 0xFFFF, "an MTN motion has 1 to 65535 keys", mtn, count)
    _fits(1 <= joints <= MAX_JOINTS, f"an MTN motion has 1 to {MAX_JOINTS} joints", mtn, joints)
    layout = mtn.layout
    pads = layout.pads
    names = b"".join(_string(text, mtn) for text in (mtn.motion, mtn.author, mtn.design))
    locators = struct.pack("<H", joints) + b"".join(_string(text, mtn) for text in mtn.locators)
    first, second = (
        content + (pads[index] if pads is not None else bytes(0 if layout.short else -len(content) % 4))
        for index, content in enumerate((names, locators))
    )
    words: list[int] = []
    for index, key in enumerate(mtn.keys):
        _fits(len(key.angles) == joints, f"key {index} does not have {joints} angles", mtn, len(key.angles))
        words += ([key.interpolated] if index else []) + [*key.body, *key.angles]
    for word in words:
        _fits(_INT_MIN <= word <= _INT_MAX, "a number does not fit into 32 bits", mtn, word)
    data = struct.pack(f"<{len(words)}i", *words)
    major, minor = mtn.version
    head = struct.pack(
        "<4sIIIHHHHI", MAGIC, 0, _HEADER_SIZE, layout.sections, major, minor, count, mtn.frame_ms, layout.reserved
    )
    if layout.short:
        third = struct.pack("<IHI", 3, (_SHORT + len(data)) & 0xFFFF, 0)
    else:
        third = struct.pack("<III", 3, _LONG + len(data) + layout.counted, 0)
    raw = b"".join(
        (
            head,
            struct.pack("<II", 1, 8 + len(first)) + first,
            struct.pack("<II", 2, 8 + len(second)) + second,
            third,
            data,
            layout.tail,
        )
    )
    _fits(len(raw) <= MAX_BYTES, f"the motion is larger than {MAX_BYTES} bytes", mtn, len(raw))
    return raw


def _string(text: str, mtn: MtnFile) -> bytes:
    try:
        raw = text.encode("latin-1")
    except UnicodeEncodeError as error:
        raise FormatError(
            "an MTN name holds Latin-1 characters only", inside=mtn.motion, value=text[error.start]
        ) from error
    _fits(len(raw) <= 255, "an MTN name has at most 255 characters", mtn, len(raw))
    return bytes((len(raw),)) + raw


def _fits(holds: bool, what: str, mtn: MtnFile, value: int) -> None:
    if not holds:
        raise FormatError(what, inside=mtn.motion, value=value)
