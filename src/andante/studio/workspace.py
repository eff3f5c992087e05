"""Workspace: the one folder whose files the studio opens and writes; and a claim on each file that is open.

One studio edits a document, so that two of them do not write one journal and lose each other's edits.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from andante.studio.disk import Disk, hidden_name
from andante.studio.errors import WorkspaceError
from andante.studio.system import System

_SHOWN = 2000
_LOOKED_AT = 20_000
"""Of more files with a fitting name none is looked into."""
_LONGEST = 1000
_DEPTH = 4
_PASSED_OVER = ("node_modules", "__pycache__")


@dataclass(frozen=True)
class Listing:
    """Files of a workspace, and whether these are all that were asked for."""

    names: tuple[str, ...]
    """Names, sorted."""
    note: str = ""
    """What is not among them; empty: nothing."""


def _any(name: str) -> bool:
    return bool(name)


def _sendable(name: str) -> bool:
    """Whether a page can ask for a file of this name."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class Workspace:
    """A folder; links that lead out of it count as outside.

    Args:
        folder: The folder.
        system: The calls of the operating system by which it is written.

    Raises:
        WorkspaceError: There is no such folder.

    Attributes:
        disk: Everything that the studio writes goes through it.
    """

    def __init__(self, folder: Path, system: System | None = None) -> None:
        self.folder = Path(os.path.realpath(folder))
        if not self.folder.is_dir():
            raise WorkspaceError("the workspace must be a folder", value=str(folder))
        self.disk = Disk(self.folder, System() if system is None else system)

    def path(self, name: str) -> Path:
        """The file of a name that a page asks for.

        Raises:
            WorkspaceError: It lies outside the workspace, or is no name of a file.
        """
        if not name or len(name) > _LONGEST or "\0" in name:
            raise WorkspaceError("this is no name of a file in the workspace", value=name)
        path = Path(os.path.realpath(self.folder / name))
        if not path.is_relative_to(self.folder) or path == self.folder:
            raise WorkspaceError("this file is outside the workspace and is not opened", value=name)
        if any(part.startswith(".") for part in path.relative_to(self.folder).parts):
            raise WorkspaceError("hidden files are not opened", value=name)
        return path

    def name(self, path: Path) -> str:
        """The name by which pages know a file of the workspace."""
        return path.relative_to(self.folder).as_posix()

    def files(self, suffixes: frozenset[str]) -> list[str]:
        """Names of files with these endings, sorted, up to a few levels deep."""
        return list(self.listing(suffixes).names)

    def listing(self, suffixes: frozenset[str], part: str = "", fits: Callable[[str], bool] = _any) -> Listing:
        """Files with these endings, those that lie less deep first where they are too many, and what was left out.

        Args:
            suffixes: Endings of their names, in small letters.
            part: Only names with this part, in whatever letters.
            fits: Looks into a file whether it is one of those that are asked for.
        """
        folders, looked, deeper, unnamed = [self.folder], 0, 0, 0
        found: list[str] = []
        for depth in range(_DEPTH + 1):
            below: list[Path] = []
            for folder in folders:
                for name in self._in_folder(folder, below):
                    if Path(name).suffix.lower() not in suffixes or part.lower() not in name.lower():
                        continue
                    if not _sendable(name):
                        unnamed += 1
                        continue
                    if len(found) == _SHOWN or looked == _LOOKED_AT:
                        note = f"There are more than the {len(found)} files listed; a part of the name finds others."
                        return Listing(tuple(sorted(found)), note)
                    looked += 1
                    if fits(name):
                        found.append(name)
            folders, deeper = below, len(below) if depth == _DEPTH else 0
        notes = [f"Folders more than {_DEPTH} deep are not looked into: {deeper}."] if deeper else []
        notes += [f"Files whose names are no text in UTF-8 are not listed: {unnamed}."] if unnamed else []
        return Listing(tuple(sorted(found)), " ".join(notes))

    def has_larger(self, size: int, suffixes: frozenset[str]) -> bool:
        """Whether a file with one of these endings has at least so many bytes."""
        sizes = []
        for name in self.files(suffixes):
            with contextlib.suppress(OSError):
                sizes.append((self.folder / name).lstat().st_size)
        return max(sizes, default=0) >= size

    def _in_folder(self, folder: Path, below: list[Path]) -> Iterator[str]:
        """Names of the files of a folder; the folders in it are added to those below."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _PASSED_OVER:
                continue
            if entry.is_dir(follow_symlinks=False):
                below.append(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                yield self.name(Path(entry.path))


_TRIES = 20


class Claim:
    """A document that this process alone edits, until it lets go or ends, however it ends.

    Folders that cannot be written and file systems that know no locks are edited without a claim: the former keep no
    edits either.

    Args:
        path: The document.
        name: Its name for people.
        disk: Where its lock is written; None: beside it.

    Raises:
        WorkspaceError: Another process has it.
    """

    def __init__(self, path: Path, name: str, disk: Disk | None = None) -> None:
        self._disk = Disk(path.parent) if disk is None else disk
        self._path = path.with_name(hidden_name(path.name, "in-studio"))
        self._handle: int | None = None
        try:
            import fcntl
        except ImportError:
            return
        # The file goes with the claim; who opened it just before that must not lock what nobody else sees any more.
        for _ in range(_TRIES):
            try:
                handle = self._disk.lock_file(self._path)
            except WorkspaceError:
                return
            try:
                fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(handle)
                if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                    return
                raise WorkspaceError(
                    "another studio has this file open, and two would lose each other's edits",
                    value=name,
                    remedy="work in that studio's page (several tabs may edit one file), or end it first",
                ) from None
            if self._mine(handle):
                self._handle = handle
                return
            os.close(handle)

    def release(self) -> None:
        """Let go."""
        if self._handle is not None:
            with contextlib.suppress(WorkspaceError):
                self._disk.remove(self._path)
            os.close(self._handle)
            self._handle = None

    def _mine(self, handle: int) -> bool:
        try:
            return self._disk.holds(self._path, handle)
        except WorkspaceError:
            return False
