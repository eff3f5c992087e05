"""The folder of a run: claimed by one run at a time, its files replaced as wholes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from andante.runs.errors import RunError, refused

_MOST_FOLDERS = 10_000


def fresh(folder: Path) -> Path:
    """The folder where it does not exist or is empty, else the first of ``<name>-2``, ``<name>-3``, ... that is free.

    Raises:
        RunError: All of them are taken, or the folder cannot be looked into.
    """
    with refused(RunError, "the run's folder cannot be looked into", folder):
        for number in range(1, _MOST_FOLDERS + 1):
            candidate = folder if number == 1 else folder.with_name(f"{folder.name}-{number}")
            if not candidate.exists() or (candidate.is_dir() and not any(candidate.iterdir())):
                return candidate
    raise RunError("has too many runs beside it", place=str(folder), limit=f"{_MOST_FOLDERS} folders")


def locked(handle: int) -> bool:
    """Keep other processes out of an open file or folder until it is closed; False where another one has it.

    File systems and systems that know no locks keep nobody out.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Make a folder and keep other runs out of it; the claim ends with the process, however that ends.

    File systems that know no locks are written to without one.

    Raises:
        RunError: The folder cannot be made, or another run writes into it.
    """
    with refused(RunError, "the run's folder cannot be made", folder):
        folder.mkdir(parents=True, exist_ok=True)
    if os.name != "posix":
        # There a folder cannot be opened.
        yield
        return
    with refused(RunError, "the run's folder cannot be opened", folder):
        handle = os.open(folder, os.O_RDONLY)
    try:
        if not locked(handle):
            raise RunError(
                "another run writes into this folder",
                place=str(folder),
                remedy="wait for its end, or name another folder",
            )
        yield
    finally:
        os.close(handle)
