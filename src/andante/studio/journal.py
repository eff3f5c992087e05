"""Journal: every edit in a file beside the document, so that a crash loses at most the last moment.

The first line holds the text that the edits begin with, each further line one edit, undo or redo. Lines are written at
once and brought to the disk by `sync`, which the server calls a few times per second. A last line that is cut short is
left out when the journal is read again.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.studio.splices import Edit, Splice

Action = Literal["edit", "undo", "redo"]
MAX_BYTES = 500_000_000
"""Largest journal that is read."""


@dataclass(frozen=True)
class Entry:
    """One line of a journal."""

    action: Action
    """What was done."""
    edit: Edit = ()
    """The edit; none for undo and redo."""
    group: str = ""
    """Edits of one group are one step of undoing."""


@dataclass(frozen=True)
class Left:
    """What an earlier studio has left behind."""

    base: str
    """The text that the edits begin with."""
    digest: str
    """SHA-256 of the file as it was then."""
    entries: tuple[Entry, ...]
    """The edits."""
    ends: tuple[int, ...]
    """Size of the journal's file after its first line, and after each edit [bytes]."""


def digest(raw: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(raw).hexdigest()


def journal_path(path: Path) -> Path:
    """Where the journal of a document stands."""
    return path.with_name(f".{path.name}.studio")


class Journal:
    """The journal of one document; made with its first edit, gone with a save.

    Args:
        path: The journal's file.
        base: The text that the edits begin with.
        original: SHA-256 of the document's file.
        keep: Go on behind so many bytes of the file that is there; None: begin anew.
    """

    def __init__(self, path: Path, base: str, original: str, *, keep: int | None = None) -> None:
        self.path = path
        self._base, self._original = base, original
        self._file: Any = None
        self._dirty = False
        if keep is not None:
            os.truncate(path, keep)
            self._file = path.open("ab")

    def add(self, entry: Entry) -> None:
        """Write an entry; it is on the disk after the next `sync`.

        Raises:
            OSError: The folder cannot be written.
        """
        if self._file is None:
            self._file = self.path.open("wb")
            self._line({"format": "andante.studio-journal", "version": 1, "file": self._original, "base": self._base})
        splices = [[splice.at, splice.removed, splice.inserted] for splice in entry.edit]
        self._line({"do": entry.action, "splices": splices, "group": entry.group})

    def sync(self) -> None:
        """Bring everything to the disk."""
        if self._dirty and self._file is not None:
            self._dirty = False
            self._file.flush()
            os.fsync(self._file.fileno())

    def clear(self, base: str, original: str) -> None:
        """Begin anew: the document was saved."""
        self.close()
        self.path.unlink(missing_ok=True)
        self._base, self._original = base, original

    def close(self) -> None:
        """Close the file; it stays."""
        if self._file is not None:
            self.sync()
            self._file.close()
            self._file = None

    def _line(self, data: dict[str, Any]) -> None:
        self._file.write(json.dumps(data, ensure_ascii=True).encode() + b"\n")
        # To the system at once: a killed process loses nothing that was written so.
        self._file.flush()
        self._dirty = True


def left_behind(path: Path) -> Left | None:
    """What a journal holds; None where there is none, or none that can be read."""
    try:
        lines = read_bytes(path, max_bytes=MAX_BYTES).split(b"\n")
    except DocumentError:
        return None
    try:
        head = json.loads(lines[0])
        base, original = head["base"], head["file"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(base, str) or not isinstance(original, str):
        return None
    entries, ends = [], [len(lines[0]) + 1]
    for line in lines[1:-1]:
        entry = _entry(line)
        if entry is None:
            break
        entries.append(entry)
        ends.append(ends[-1] + len(line) + 1)
    return Left(base, original, tuple(entries), tuple(ends))


def _entry(line: bytes) -> Entry | None:
    try:
        data = json.loads(line)
        action, splices, group = data["do"], data["splices"], data["group"]
        edit = tuple(Splice(int(at), str(removed), str(inserted)) for at, removed, inserted in splices)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return Entry(action, edit, str(group)) if action in ("edit", "undo", "redo") else None
