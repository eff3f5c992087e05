"""What the AIBO codecs share about files: text in any old encoding, file names made of motion names, folders."""

from __future__ import annotations

import re
from pathlib import Path

from andante.documents.files import check_text, read_bytes
from andante.formats.report import ReadReport

MAX_TEXT = 16_000_000
"""Largest text file that is read [bytes]."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_UNSAFE = re.compile(r"[^A-Za-z0-9_#+=,.~ -]")


def read_old_text(path: Path, report: ReadReport) -> str:
    """Read a text that may be older than UTF-8; other bytes count as Latin-1, with a remark.

    Raises:
        DocumentError: It cannot be read, is too large or holds control characters.
    """
    raw = read_bytes(path, max_bytes=MAX_TEXT)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = raw.decode("latin-1")
        report.warn(f"byte {error.start} is no UTF-8; the text is read as Latin-1", str(path))
    check_text(text, place=str(path), max_bytes=MAX_TEXT)
    report.files.append(path)
    return text


def lines_of(text: str) -> list[str]:
    """Return a text's lines; they end as on any system, and nowhere else (``str.splitlines`` knows more ends)."""
    return _LINE_END.split(text)


def file_name(name: str, suffix: str) -> str:
    """Return a name that every file system takes; it cannot leave its folder."""
    safe = _UNSAFE.sub("_", name).strip(". ")[:120] or "_"
    return f"{safe}{suffix}"
