"""Synthetic AIBO files, put together byte by byte from the layouts, without the package's own writers."""

from __future__ import annotations

import struct

_CHAINS = ("c1", "c1/c2", "c1/c2/c3")
LOCATORS = [
    *(f"PRM:/r1/{chain}-Joint2:1{joint}" for joint, chain in enumerate((*_CHAINS, "c1/c2/c3/c4"), 1)),
    *(f"PRM:/r1/c1/c2/c3/e{joint}-Joint4:1{joint}" for joint in (5, 6)),
    *(f"PRM:/r{leg}/{chain}-Joint2:{leg}{joint}" for leg in (2, 3, 4, 5) for joint, chain in enumerate(_CHAINS, 1)),
    *("PRM:/r6/c1-Joint2:61", "PRM:/r6/c2-Joint2:62"),
]
"""The 20 locators of the ERS-7 in the order of its motions."""
KEYS = [(0, (0, 0, 0)), (9, (1000, -645772, 3))]
"""Interpolated frames and body angles of two keys."""


def text(value: str) -> bytes:
    """A string with its length in front."""
    return bytes([len(value)]) + value.encode("latin-1")


def padded(raw: bytes, to: int = 4) -> bytes:
    """Bytes with zeros up to a multiple."""
    return raw + bytes(-len(raw) % to)


def mtn(
    motion: str = "a_stand#stand_kick",
    *,
    author: str = "me",
    design: str = "DRX-1000",
    locators: list[str] | None = None,
    keys: list[tuple[int, tuple[int, int, int]]] | None = None,
    version: tuple[int, int] = (1, 2),
    frame: int = 16,
    short: bool = False,
    pad: int = 4,
    tail: bytes = b"",
) -> bytes:
    """An MTN file; angle of joint j in key k is 1000 j + k microradians."""
    locators = LOCATORS if locators is None else locators
    keys = KEYS if keys is None else keys
    names = text(motion) + text(author) + text(design)
    joints = struct.pack("<H", len(locators)) + b"".join(map(text, locators))
    if not short:
        names, joints = padded(names, pad), padded(joints, pad)
    data = b""
    for index, (frames, body) in enumerate(keys):
        data += struct.pack("<i", frames) if index else b""
        data += struct.pack("<3i", *body)
        data += struct.pack(f"<{len(locators)}i", *(1000 * joint + index for joint in range(len(locators))))
    head = b"OMTN" + struct.pack("<IIIHHHHI", 0, 24, 4, *version, len(keys), frame, 0)
    third = struct.pack("<IHI" if short else "<III", 3, (len(data) + 10) & 0xFFFF if short else len(data) + 12, 0)
    sections = struct.pack("<II", 1, 8 + len(names)) + names + struct.pack("<II", 2, 8 + len(joints)) + joints
    return head + sections + third + data + tail


def oda(entries: list[tuple[bytes, str, bytes]], *, table_only: bool = False) -> bytes:
    """An ODA archive of (kind, name, payload)."""
    raw = b"ODAR" + struct.pack("<III", 0x30000, len(entries), 144) + bytes(48)
    offset = 64 + 144 * len(entries)
    for kind, name, payload in entries:
        raw += struct.pack("<4s128sIII", kind, name.encode("latin-1"), offset, len(payload), 0)
        offset += len(payload)
    return raw if table_only else raw + b"".join(payload for *_, payload in entries)


def header(raw: bytes, at: int, form: str, value: int) -> bytes:
    """A file with another number at one place."""
    changed = bytearray(raw)
    struct.pack_into(form, changed, at, value)
    return bytes(changed)


VARIANTS: dict[str, bytes] = {
    "full": mtn(),
    "one key": mtn(keys=KEYS[:1]),
    "version 1.1": mtn(version=(1, 1)),
    "head": mtn("h_any#any_nod", design="DRX-1000_Head", locators=LOCATORS[:3], version=(1, 1)),
    "mouth": mtn("m_any#any_open", design="DRX-1000_Mouth", locators=LOCATORS[3:4], version=(1, 1)),
    "ears": mtn("e_any#any_flap", design="DRX-1000_Ear", locators=LOCATORS[4:6], version=(1, 1)),
    "legs": mtn("l_stand#stand_x", design="DRX-1000_Legs", locators=LOCATORS[6:18], version=(1, 1)),
    "tail": mtn("t_any#any_wag", design="DRX-1000_Tail", locators=LOCATORS[18:], version=(1, 1)),
    "other order": mtn(locators=LOCATORS[::-1]),
    "some joints": mtn(locators=LOCATORS[2:9]),
    "unknown design": mtn(design="DRX-2000", locators=["PRM:/r9/c1-Joint2:91"]),
    "ERS-210": mtn(design="DRX-900", locators=[f"PRM:/r1/c{n}-Joint2:j{n}" for n in range(15)]),
    "ERS-220": mtn(design="DRX-910", locators=[f"PRM:/r1/c{n}-Joint2:j{n}" for n in range(16)]),
    "ERS-110": mtn(
        design="DRX-700", locators=[f"PRM:/r1/c{n}-Joint2:{n}" for n in range(18)], short=True, frame=0, version=(1, 0)
    ),
    "no names": mtn("", author="", design=""),
    "long name": mtn("a_stand#stand_" + "x" * 241),
    "latin-1": mtn("a_stand#stand_n\xed\xf1o", author="Se\xf1or"),
    "padded to 8": mtn(pad=8),
    "padded to 64": mtn(pad=64),
    "bytes after the end": mtn(tail=b"\1\2\3"),
    "version 1.0": mtn(version=(1, 0)),
    "8 ms frames": mtn(frame=8),
    "a fifth section": header(mtn(tail=struct.pack("<III", 4, 12, 7)), 12, "<I", 5),
    "a reserved number": header(mtn(), 24, "<I", 0xDEADBEEF),
    "the longest pause": mtn(keys=[KEYS[0], (2**31 - 1, (0, 0, 0))]),
    "the largest angles": mtn(keys=[(0, (-(2**31), 2**31 - 1, 0)), KEYS[1]]),
}
"""Motions of every variant."""
