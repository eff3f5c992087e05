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
    return next(_free(folder))


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


def held(folder: Path) -> bool:
    """Whether a run writes into a folder now, see `claimed`; False where the folder or the system cannot tell."""
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        return False
    try:
        # Shared and let go at once: those who look do not see each other.
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.EWOULDBLOCK, errno.EACCES)
    finally:
        os.close(handle)
    return False


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Make a folder and keep other runs out of it; the claim ends with the process, however that ends.

    File systems that know no locks are written to without one.

    Raises:
        RunError: The folder cannot be made, or another run writes into it.
    """
    with _claim(folder) as mine:
        if not mine:
            raise RunError(
                "another run writes into this folder",
                place=str(folder),
                remedy="wait for its end, or name another folder",
            )
        yield


@contextmanager
def claimed_fresh(folder: Path) -> Iterator[Path]:
    """As `claimed` the first that is free, see `fresh`; runs that begin at once get one each.

    Raises:
        RunError: All of them are taken, or the folder cannot be made.
    """
    for candidate in _free(folder):
        # Another run may have claimed it since, or have been done with it.
        with _claim(candidate) as mine:
            if mine and _empty(candidate):
                yield candidate
                return


def _free(folder: Path) -> Iterator[Path]:
    """The folder and those beside it that do not exist or are empty, in order.

    Raises:
        RunError: There is no more of them, or the folder cannot be looked into.
    """
    for number in range(1, _MOST_FOLDERS + 1):
        candidate = folder if number == 1 else folder.with_name(f"{folder.name}-{number}")
        if _empty(candidate):
            yield candidate
    raise RunError("has too many runs beside it", place=str(folder), limit=f"{_MOST_FOLDERS} folders")


def _empty(folder: Path) -> bool:
    """Whether a folder does not exist or has nothing in it."""
    with refused(RunError, "the run's folder cannot be looked into", folder):
        return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


@contextmanager
def _claim(folder: Path) -> Iterator[bool]:
    """Make a folder and try to claim it; gives whether nobody else has."""
    with refused(RunError, "the run's folder cannot be made", folder):
        folder.mkdir(parents=True, exist_ok=True)
    if os.name != "posix":
        # There a folder cannot be opened.
        yield True
        return
    with refused(RunError, "the run's folder cannot be opened", folder):
        handle = os.open(folder, os.O_RDONLY)
    try:
        yield locked(handle)
    finally:
        os.close(handle)
