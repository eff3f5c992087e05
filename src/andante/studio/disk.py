"""Disk: the one place through which the studio writes, so that no write leaves the workspace.

Every path is walked folder by folder with open handles, and no link is followed on the way nor at its end: a link that
is planted, or that replaces a folder between two looks, is an error, never another place. No file that exists is
opened for writing either: a new one takes its name, so that a file with a second name elsewhere keeps its bytes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from io import FileIO
from pathlib import Path

from andante.studio.errors import WorkspaceError
from andante.studio.system import System

_TRIES = 100
_USUAL = 0o666
"""Permissions of a new file, before the user's mask."""
_NO_FOLDER = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
_LONGEST_NAME = 255
"""Of a file, on the usual file systems [bytes]."""


def hidden_name(name: str, ending: str) -> str:
    """Name of a hidden file beside a file: ``.NAME.ENDING``; of a name that leaves no room for that its begin.

    Args:
        name: Name of the file.
        ending: What the hidden file is.
    """
    whole = f".{name}.{ending}"
    if len(os.fsencode(whole)) <= _LONGEST_NAME:
        return whole
    # Two files with one begin keep hidden files of their own.
    rest = f"-{zlib.crc32(os.fsencode(name)):08x}.{ending}"
    begin = os.fsencode(name)[: _LONGEST_NAME - 1 - len(rest.encode())].decode("utf-8", "ignore")
    return f".{begin}{rest}"


@dataclass(frozen=True)
class Disk:
    """Writing below one folder."""

    folder: Path
    """The folder; its path holds no link."""
    system: System = field(default_factory=System, compare=False)
    """The calls of the operating system."""

    def write(self, path: Path, raw: bytes, *, new: bool = False) -> None:
        """Write a file: the old one stays whole until the new one is complete on the disk.

        Args:
            path: The file; a link that stands there is replaced, not followed.
            raw: Its content.
            new: Refuse to replace anything.

        Raises:
            WorkspaceError: It cannot be written; what was there is untouched.
        """
        self.system.close(self.begin(path, raw, new=new))

    def begin(self, path: Path, raw: bytes, *, new: bool = False) -> int:
        """Write a file as `write` does; gives its handle, behind what was written.

        Raises:
            WorkspaceError: It cannot be written; what was there is untouched.
        """
        with self._place(path, "written") as (folder, name):
            if new and self._status(folder, name) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            mode = self._mode(folder, name)
            temporary = hidden_name(name, f"{secrets.token_hex(6)}.new")
            handle = self.system.create(temporary, folder, mode)
            try:
                if mode != _USUAL:
                    os.fchmod(handle, mode)
                self.append(handle, raw)
                self.system.sync(handle)
                self.system.rename(temporary, name, folder)
            except BaseException:
                self.system.close(handle)
                with contextlib.suppress(OSError):
                    self.system.unlink(temporary, folder)
                raise
            # Its content is on the disk by now; at worst a crash of the whole computer gives the name its old one back.
            with contextlib.suppress(OSError):
                self.system.sync_folder(folder)
            return handle

    def read(self, path: Path, most: int) -> bytes | None:
        """What a file holds; None where there is none, or where it is a link or no file.

        Raises:
            WorkspaceError: It cannot be read, or is larger than so many bytes.
        """
        with self._place(path, "read") as (folder, name):
            there = self._status(folder, name)
            if there is None or not stat.S_ISREG(there.st_mode):
                return None
            with open(name, "rb", opener=partial(_open_itself, folder)) as file:
                raw = file.read(most + 1)
        if len(raw) > most:
            raise WorkspaceError("is too large to be read", place=self._name(path), limit=f"{most} bytes")
        return raw

    def holds(self, path: Path, handle: int) -> bool:
        """Whether a name is still that of an open file.

        Raises:
            WorkspaceError: Its folder cannot be looked into.
        """
        with self._place(path, "read") as (folder, name):
            there = self._status(folder, name)
            return there is not None and os.path.samestat(os.fstat(handle), there)

    def create(self, path: Path) -> int:
        """A handle of a new, empty file in place of what has its name.

        Raises:
            WorkspaceError: It cannot be made.
        """
        with self._place(path, "written") as (folder, name):
            for _ in range(_TRIES):
                try:
                    return self.system.create(name, folder, _USUAL)
                except FileExistsError:
                    with contextlib.suppress(FileNotFoundError):
                        self.system.unlink(name, folder)
        raise WorkspaceError("cannot be written: something takes its name again and again", place=self._name(path))

    def folders(self, path: Path) -> None:
        """Make a folder, and those above it.

        Raises:
            WorkspaceError: It cannot be made, or something else stands there.
        """
        with self._place(path / "x", "made", make=True):
            pass

    def remove(self, path: Path) -> None:
        """Take a file's name away, where it has one.

        Raises:
            WorkspaceError: It stays.
        """
        with self._place(path, "removed") as (folder, name), contextlib.suppress(FileNotFoundError):
            self.system.unlink(name, folder)

    def append(self, handle: int, raw: bytes) -> None:
        """Write all of some bytes behind those that were written.

        Raises:
            OSError: Not all were written.
        """
        view = memoryview(raw)
        while view:
            done = self.system.write(handle, bytes(view))
            if done <= 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            view = view[done:]

    def lock_file(self, path: Path) -> int:
        """A handle of a file that is locked and never written, made where there is none.

        Raises:
            WorkspaceError: It cannot be made, or a link stands there.
        """
        with self._place(path, "made") as (folder, name):
            try:
                return self.system.create(name, folder, 0o644)
            except FileExistsError:
                return self.system.open_file(name, folder)

    def _status(self, folder: int, name: str) -> os.stat_result | None:
        """What stands at a name; None: nothing."""
        try:
            return self.system.status(name, folder)
        except FileNotFoundError:
            return None

    def _mode(self, folder: int, name: str) -> int:
        """Permissions for a new version of a file: the old one's, else those of any new file.

        Raises:
            OSError: What stands there is neither a file nor a link.
        """
        there = self._status(folder, name)
        if there is None or stat.S_ISLNK(there.st_mode):
            return _USUAL
        if not stat.S_ISREG(there.st_mode):
            raise OSError(errno.EISDIR, "it is no file")
        return stat.S_IMODE(there.st_mode)

    @contextmanager
    def _place(self, path: Path, what: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Handle of the folder of a path, and the last name; errors of the system as one sentence."""
        if not path.is_relative_to(self.folder) or path == self.folder or ".." in path.parts:
            raise WorkspaceError("this file is outside the workspace and is not written", value=str(path))
        below = len(self.folder.parts)
        handle = -1
        try:
            handle = self.system.open_root()
            for depth, part in enumerate(path.parts[1:-1], 1):
                inner = self._step(part, handle, make and depth >= below)
                self.system.close(handle)
                handle = inner
            yield handle, path.name
        except OSError as error:
            raise self._refused(path, what, error) from error
        finally:
            if handle >= 0:
                self.system.close(handle)

    def _step(self, part: str, folder: int, make: bool) -> int:
        try:
            return self.system.open_folder(part, folder)
        except FileNotFoundError:
            if not make:
                raise
        with contextlib.suppress(FileExistsError):
            self.system.make_folder(part, folder)
        return self.system.open_folder(part, folder)

    def _refused(self, path: Path, what: str, error: OSError) -> WorkspaceError:
        if error.errno in _NO_FOLDER:
            reason, remedy = "a link or a file stands where a folder was", "links are not followed; put the folder back"
        elif error.errno == errno.EEXIST:
            reason, remedy = "this file exists already", "open it, or take another name"
        elif error.errno == errno.ENOENT:
            reason, remedy = "its folder is gone", "put it back and try again"
        elif error.errno in (errno.ENOSPC, errno.EDQUOT):
            reason, remedy = "the disk is full", "make room and try again"
        else:
            reason, remedy = os.strerror(error.errno) if error.errno else str(error), ""
        return WorkspaceError(f"cannot be {what}: {reason}", place=self._name(path), remedy=remedy)

    def _name(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()


def _open_itself(folder: int, name: str, flags: int) -> int:
    # A pipe without a writer would block the open for ever.
    return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)


class OutputFile(FileIO):
    """A new file whose handle stays when it is closed, so that a log that goes on need not be found by its name again.

    Args:
        disk: Where it is written.
        path: The file.

    Raises:
        WorkspaceError: It cannot be made.
    """

    def __init__(self, disk: Disk, path: Path) -> None:
        super().__init__(disk.create(path), "r+")

    def close(self) -> None:
        """Keep the handle; `release` lets it go."""

    def release(self) -> None:
        """Let the handle go."""
        super().close()
