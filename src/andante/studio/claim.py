"""Claim: one studio per document, so that two of them do not write one journal and lose each other's edits."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from andante.studio.errors import WorkspaceError

_TRIES = 20


class Claim:
    """A document that this process alone edits, until it lets go or ends, however it ends.

    Folders that cannot be written and file systems that know no locks are edited without a claim: the former keep no
    edits either.

    Args:
        path: The document.
        name: Its name for people.

    Raises:
        WorkspaceError: Another process has it.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._path = path.with_name(f".{path.name}.in-studio")
        self._handle: int | None = None
        try:
            import fcntl
        except ImportError:
            return
        # The file goes with the claim; who opened it just before that must not lock what nobody else sees any more.
        for _ in range(_TRIES):
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
            except OSError:
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
            if _same(handle, self._path):
                self._handle = handle
                return
            os.close(handle)

    def release(self) -> None:
        """Let go."""
        if self._handle is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = None


def _same(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except OSError:
        return False
