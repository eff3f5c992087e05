"""A folder for what trials write for a moment, which the next bench removes where this one was killed.

Who is killed (SIGKILL, a lack of memory, a machine that loses its power) removes nothing. So the folder holds a file
that is locked while its process lives: the system gives the lock back at its death, whatever ended it. A number of a
process would not do: in another container, or after a new start, it is another process's.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PREFIX = "andante-trials-"
"""What names of such folders begin with."""
_LOCK = ".locked"
"""File that is locked; a folder without it is just being made, or somebody else's."""


@contextlib.contextmanager
def scratch() -> Iterator[Path | None]:
    """Let this process and its workers write what is temporary into a folder of their own, which goes at the end.

    Those of processes that are dead go at the beginning. None where there is no room for one.
    """
    parent = tempfile.gettempdir()
    _sweep(Path(parent))
    with contextlib.ExitStack() as stack:
        folder = None
        with contextlib.suppress(OSError):
            folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            _lock(folder, stack)
        before = tempfile.tempdir
        if folder is not None:
            tempfile.tempdir = str(folder)
        try:
            yield folder
        finally:
            tempfile.tempdir = before


def _lock(folder: Path, stack: contextlib.ExitStack) -> None:
    """Say that somebody uses a folder, until the stack is left or this process is dead."""
    if sys.platform == "win32":
        return
    made = folder / f"{_LOCK}.new"
    file = os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    stack.callback(os.close, file)
    fcntl.flock(file, fcntl.LOCK_EX)
    # It has its name only once it is locked: nobody ever finds it free.
    made.rename(folder / _LOCK)


def _sweep(parent: Path) -> None:
    """Remove the folders of this user that no living process has locked."""
    if sys.platform == "win32":
        return
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            about = folder.lstat()
            if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
                continue
            file = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(file)
