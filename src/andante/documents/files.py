"""Files: read with a guard against what is too large or no text, written so that a failure leaves the old file."""

from __future__ import annotations

import codecs
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from andante.documents.budget import took
from andante.documents.problems import DocumentError

MAX_BYTES = 20_000_000
"""Size of the largest document that is read [bytes]."""

_HEAD_SIZE = 65_536
"""In so many bytes a document names its kind."""
_NO_TEXT = "is this really a text document?"
_WIDE = "it begins as text in UTF-16 does; save it in UTF-8"
_CONTROL = {chr(code) for code in range(32)} - {"\t", "\n", "\r"} | {"\x7f"}


def read_text(path: Path, *, place: str = "", max_bytes: int = MAX_BYTES) -> str:
    """Read a text file in UTF-8, refusing what is too large before reading it.

    Raises:
        DocumentError: Not a readable file, too large, or not UTF-8.
    """
    raw = read_bytes(path, place=place, max_bytes=max_bytes)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(
            f"is no UTF-8 text (byte {error.start} is 0x{raw[error.start]:02x})",
            place=place or str(path),
            remedy=_WIDE if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else _NO_TEXT,
        ) from error


def read_bytes(path: Path, *, place: str = "", max_bytes: int = MAX_BYTES) -> bytes:
    """Read a file, refusing what is too large before reading it.

    Raises:
        DocumentError: Not a readable file, or too large.
    """
    place = place or str(path)
    with opened(path, place) as file:
        size = os.fstat(file.fileno()).st_size
        raw = b""
        if size <= max_bytes:
            # A buffer for the limit would cost memory for every small file; some files say 0 and have more.
            raw = file.read(size + 1)
            if len(raw) > size:
                raw += file.read(max_bytes + 1 - len(raw))
    if size > max_bytes or len(raw) > max_bytes:
        raise DocumentError("is too large", place=place, value=max(size, len(raw)), limit=f"{max_bytes} bytes")
    took(len(raw))
    return raw


def read_head(path: Path, size: int) -> bytes:
    """The first ``size`` bytes of a file, fewer where it has no more.

    Raises:
        DocumentError: Not a readable file.
    """
    with opened(path, str(path)) as file:
        return file.read(size)


def names_kind(path: Path, kind: str) -> bool:
    """Whether a file of YAML names a kind of document: ``andante.experiment``; False where there is none.

    Raises:
        DocumentError: Not a readable file.
    """
    is_file = path.suffix in (".yaml", ".yml") and path.is_file()
    return is_file and kind.encode() in read_head(path, _HEAD_SIZE)


@contextmanager
def opened(path: Path, place: str) -> Iterator[IO[bytes]]:
    """A file open for reading: no folder, no device, and no pipe, whose other end could let one wait for ever.

    Args:
        path: The file.
        place: What it is called in messages.

    Raises:
        DocumentError: It is none, or cannot be read.
    """
    try:
        with open(path, "rb", opener=_open_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise DocumentError("is not a file", place=place)
            yield file
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror or error}", place=place) from error


def check_text(text: str, *, place: str, max_bytes: int = MAX_BYTES) -> None:
    """Refuse text that is too large or holds control characters.

    Raises:
        DocumentError: The text is refused.
    """
    if len(text) > max_bytes:
        raise DocumentError("is too large", place=place, value=len(text), limit=f"{max_bytes} bytes")
    for character in _CONTROL:
        at = text.find(character)
        if at >= 0:
            line = text.count("\n", 0, at) + 1
            raise DocumentError(
                "holds a control character and is no text",
                place=f"{place}:{line}:{at - text.rfind(chr(10), 0, at)}",
                value=character,
                remedy=_NO_TEXT,
            )


def _open_without_waiting(path: str, flags: int) -> int:
    # A pipe without a writer would block the open for ever.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def write_text(path: Path, text: str, *, follow: bool = True) -> None:
    """Write a text file in UTF-8; see `write_bytes`.

    Raises:
        DocumentError: The file cannot be written (no such folder, no permission, disk full); the old one is untouched.
    """
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DocumentError(f"cannot be written as UTF-8: {error.reason}", place=str(path)) from error
    write_bytes(path, raw, follow=follow)


def write_bytes(path: Path, raw: bytes, *, follow: bool = True) -> None:
    """Write a file; the old one stays whole until the new one is complete on the disk.

    Args:
        path: The file.
        raw: Its new content.
        follow: Write to where a link leads, as one wants of a document that is edited; otherwise a link is refused, as
            one wants of results, which nobody looks for elsewhere.

    Raises:
        DocumentError: The file cannot be written (no such folder, no permission, disk full, a link, no file); the old
            one is untouched.
    """
    if not follow and path.is_symlink():
        raise DocumentError("is a link and is not followed", place=str(path), remedy="name the file itself")
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise DocumentError("is not a file and is not replaced", place=str(path))
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".new")
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
        temporary = ""
    except FileNotFoundError as error:
        raise DocumentError(
            "cannot be written: No such file or directory",
            place=str(path),
            remedy=f"there is no folder {target.parent}; make it first",
        ) from error
    except OSError as error:
        kept = "the old file is untouched" if os.path.lexists(path) else ""
        raise DocumentError(f"cannot be written: {error.strerror or error}", place=str(path), remedy=kept) from error
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _mode(path: Path) -> int:
    """Permissions for a new version of a file: the old one's, else those of any new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
