"""Journal: every edit in a file beside the document before it counts, so that a crash loses none that was acknowledged.

A line a record: checksum (CRC-32 of the rest, in hexadecimal), length and content, which is JSON without line breaks.
The first record holds the text that the edits begin with, each further one a number and an edit, undo or redo, or that
the document is being saved. A record that is torn or damaged is passed over, and reading goes on with the next line. Of
two records of one number the later counts: the earlier was refused.

The file is never opened for writing where it exists: a journal that goes on begins as a new file with the old records.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from andante.studio.disk import Disk, hidden_name
from andante.studio.errors import NotKeptError, WorkspaceError
from andante.studio.splices import Edit, Splice

Action = Literal["edit", "undo", "redo", "save"]
_ACTIONS: tuple[Action, ...] = ("edit", "undo", "redo", "save")
VERSION = 2
"""Version of the journals that are written and read."""
MAX_BYTES = 500_000_000
"""Largest journal that is read, and so the largest that is written."""
_ROOM = 10_000
"""Of that for the record of a save [bytes]."""
_FORMAT = "andante.studio-journal"
_LINE = re.compile(rb"([0-9a-f]{8}) (\d{1,12}) ")
_NEAR = 24
"""Characters of the text around an edit that its record holds, to find its place where a record before it is lost."""


@dataclass(frozen=True)
class JournalEntry:
    """One record of a journal."""

    action: Action
    """What was done."""
    edits: tuple[Edit, ...] = ()
    """What it did to the text, one edit after the other."""
    group: str = ""
    """Edits of one group are one step of undoing."""
    file: str = ""
    """SHA-256 of the file that a save writes."""
    near: tuple[str, str] = ("", "")
    """The text around the first splice."""
    size: int = 0
    """Length of the text before it [characters]."""


@dataclass(frozen=True)
class Left:
    """What an earlier studio has left behind."""

    base: str | None
    """The text that the edits begin with; None: its record is damaged."""
    digest: str
    """SHA-256 of the file as it was then; empty: the record is damaged."""
    entries: tuple[tuple[int, JournalEntry], ...]
    """Number and record of what can be read."""
    damaged: int
    """Lines that cannot be read."""
    version: int
    """Version of the journal."""
    raw: bytes
    """The whole file."""
    first: str = ""
    """Checksum of the text that the edits begin with, which every record holds."""


def digest(raw: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(raw).hexdigest()


def checksum(text: str) -> str:
    """CRC-32 of a text."""
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def journal_path(path: Path) -> Path:
    """Where the journal of a document stands."""
    return path.with_name(hidden_name(path.name, "studio"))


def around(text: str, edit: Edit) -> tuple[str, str]:
    """The text before and behind the first splice of an edit."""
    if not edit:
        return "", ""
    first = edit[0]
    return text[max(first.at - _NEAR, 0) : first.at], text[first.end : first.end + _NEAR]


class Journal:
    """The journal of one document; made with its first record, gone with a save.

    Args:
        path: The journal's file.
        base: The text that the edits begin with.
        original: SHA-256 of the document's file.
        disk: Where it is written.
        entries: Records that it begins with.

    Attributes:
        most: Its largest size [bytes]; an edit beyond that is refused.
    """

    def __init__(
        self, path: Path, base: str, original: str, disk: Disk, entries: tuple[JournalEntry, ...] = ()
    ) -> None:
        self.path = path
        self._disk = disk
        self._base, self._original = base, original
        self._lines: list[bytes] = []
        self._first = checksum(base)
        self._handle: int | None = None
        self._bytes = len(self._head())
        self._of = path.name.removeprefix(".").removesuffix(".studio")
        self.most = MAX_BYTES
        for entry in entries:
            self._keep(self._record(entry))

    @property
    def begun(self) -> bool:
        """Whether it holds a record."""
        return bool(self._lines)

    def add(self, entry: JournalEntry) -> None:
        """Bring a record to the disk.

        Raises:
            NotKeptError: It is not there, and what it says must not be done.
        """
        line = self._record(entry)
        if entry.action != "save" and self._bytes + len(line) > self.most - _ROOM:
            # More could be written, but not read again after a crash. That of a save ends it, and has room.
            raise NotKeptError(
                "nothing was changed, for the journal of edits that are not saved is full",
                place=self._of,
                limit=f"{self.most} bytes",
                remedy="save what was edited before",
            )
        try:
            if self._handle is None or not self._disk.holds(self.path, self._handle):
                self._begin(line)
            else:
                self._append(self._handle, line)
        except (OSError, WorkspaceError) as error:
            why = error.strerror or str(error) if isinstance(error, OSError) else error.what
            raise NotKeptError(
                f"nothing was changed, for its journal could not be written: {why}",
                place=self._of,
                remedy=("" if entry.action == "save" else "save what was edited before, or ")
                + "make room and try again",
            ) from error
        self._keep(line)

    def renew(self) -> None:
        """Write a file with the records so far in place of a damaged one.

        Raises:
            WorkspaceError: It cannot be written; the old one is untouched.
        """
        self._begin(b"")

    def clear(self, base: str, original: str) -> None:
        """Begin anew: the document was saved. A file that cannot be removed says so itself by its last record."""
        self.close()
        with contextlib.suppress(WorkspaceError):
            self._disk.remove(self.path)
        self._base, self._original, self._first, self._lines = base, original, checksum(base), []
        self._bytes = len(self._head())

    def close(self) -> None:
        """Close the file; it stays."""
        handle, self._handle = self._handle, None
        if handle is not None:
            self._disk.system.close(handle)

    def _begin(self, line: bytes) -> None:
        """A file with all records."""
        self.close()
        raw = b"".join([self._head(), *self._lines, line])
        self._handle = self._disk.begin(self.path, raw)
        self._size = len(raw)

    def _head(self) -> bytes:
        return _line({"format": _FORMAT, "version": VERSION, "file": self._original, "base": self._base})

    def _keep(self, line: bytes) -> None:
        self._lines.append(line)
        self._bytes += len(line)

    def _append(self, handle: int, line: bytes) -> None:
        try:
            self._disk.append(handle, line)
            self._disk.system.sync(handle)
        except BaseException:
            # The record counts for nothing. What a failed sync has left of the file nobody knows: the next is another.
            with contextlib.suppress(OSError):
                self._disk.system.truncate(handle, self._size)
            self.close()
            raise
        self._size += len(line)

    def _record(self, entry: JournalEntry) -> bytes:
        edits = [[[each.at, each.removed, each.inserted] for each in edit] for edit in entry.edits]
        data = {"n": len(self._lines) + 1, "of": self._first, "do": entry.action, "edits": edits}
        more: dict[str, Any] = {"group": entry.group, "file": entry.file, "size": entry.size}
        more["near"] = list(entry.near) if any(entry.near) else ""
        return _line(data | {name: value for name, value in more.items() if value})


def _line(data: dict[str, Any]) -> bytes:
    content = json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode()
    rest = b"%d %s" % (len(content), content)
    # A line of its own also behind a torn one.
    return b"\n%08x %s\n" % (zlib.crc32(rest), rest)


def left_behind(path: Path, disk: Disk) -> Left | None:
    """What a journal holds; None where there is none.

    Raises:
        WorkspaceError: It cannot be read.
    """
    raw = disk.read(path, MAX_BYTES)
    if raw is None:
        return None
    base, original, version, damaged = None, "", 0, 0
    entries: list[tuple[int, JournalEntry]] = []
    first = ""
    lines = raw.split(b"\n")
    for place, line in enumerate(lines, 1):
        if not line:
            continue
        data = _content(line)
        if data is not None and data.get("format") == _FORMAT and isinstance(data.get("base"), str):
            base, original, version = data["base"], str(data.get("file")), data.get("version", 0)
            continue
        read = None if data is None else _entry(data)
        if read is None:
            # A last line without an end was being written when the studio ended: nobody was told that it counts.
            damaged += place < len(lines)
        else:
            number, first, entry = read
            while entries and entries[-1][0] >= number:
                entries.pop()
            entries.append((number, entry))
    if version == 0 and not entries:
        version = _old_version(raw)
    return Left(base, original, tuple(entries), damaged, version, raw, first)


def _content(line: bytes) -> dict[str, Any] | None:
    """What a line says; None where it is damaged."""
    head = _LINE.match(line)
    if head is None or len(line) - head.end() != int(head[2]) or zlib.crc32(line[9:]) != int(head[1], 16):
        return None
    try:
        data = json.loads(line[head.end() :])
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _entry(data: dict[str, Any]) -> tuple[int, str, JournalEntry] | None:
    """Number, checksum of the text that the edits begin with, and the entry; None where it is no record."""
    try:
        edits = tuple(tuple(Splice(int(at), str(old), str(new)) for at, old, new in edit) for edit in data["edits"])
        before, behind = data.get("near") or ("", "")
        action, group, file = data["do"], str(data.get("group", "")), str(data.get("file", ""))
        size = int(data.get("size", 0))
        number, first = data["n"], data["of"]
        if not isinstance(number, int) or not isinstance(first, str) or action not in _ACTIONS:
            return None
    except (ValueError, KeyError, TypeError):
        return None
    return number, first, JournalEntry(action, edits, group, file, (str(before), str(behind)), size)


def _old_version(raw: bytes) -> int:
    """Version of a journal that another Andante wrote; 0: nobody knows."""
    try:
        version = json.loads(raw.partition(b"\n")[0])["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0
    return version if isinstance(version, int) else 0
