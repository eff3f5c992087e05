"""In which encoding a model file is written: UTF-8, or what its XML declaration names."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from andante.robots.parts import RobotError

_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_READ = ("iso8859", "cp125", "ascii", "utf-16", "koi8", "mac", "shift_jis", "euc", "gb", "big5")
"""What the names of encodings of text begin with, as Python has them; others, such as of zlib, decode no XML."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NO_TEXT = "is this really a text document?"
_SAY = 'name its encoding in its first line (<?xml version="1.0" encoding="ISO-8859-1"?>), or save it in UTF-8'


def decoded(raw: bytes, path: Path) -> tuple[str, str]:
    """Text of a model file.

    Args:
        raw: Its bytes.
        path: The file, for messages.

    Returns:
        The text, and the name of its encoding where it is not UTF-8.

    Raises:
        RobotError: It is no UTF-8, and declares no encoding that is known or none in which it can be read.
    """
    try:
        return raw.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        place, wrong = str(path), f"is no UTF-8 text (byte {error.start} is 0x{raw[error.start]:02x})"
    said = _DECLARED.match(raw)
    name = "UTF-16" if raw.startswith(_UTF_16) else said[1].decode("ascii") if said else ""
    if not name or name.lower() in ("utf-8", "utf8"):
        raise RobotError(wrong, place=place, remedy=_SAY if raw.lstrip().startswith(b"<") else _NO_TEXT)
    try:
        known = codecs.lookup(name).name
    except LookupError:
        known = ""
    if not known.startswith(_READ):
        raise RobotError("declares an encoding that is not read", place=place, value=name, remedy="save it in UTF-8")
    try:
        return raw.decode(known), name
    except (UnicodeDecodeError, ValueError) as error:
        raise RobotError(f"cannot be read in the encoding that it declares: {error}", place=place, value=name) from None
