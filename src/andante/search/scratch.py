"""A folder for what trials write for a moment, which the next bench removes where this one was killed.

Who is killed (SIGKILL, a lack of memory, a machine that loses its power) removes nothing. So the folder holds a file
that is locked while its process lives: the system gives the lock back at its death, whatever ended it. A number of a
process would not do: in another container, or after a new start, it is another process's.

Others clean folders for what is temporary, too, by hand or by a service of the system, also while a bench is at work.
What a trial had in one is made again then.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from andante.errors import AndanteError
from andante.search.errors import SearchError

if sys.platform != "win32":
    import fcntl

T = TypeVar("T")
PREFIX = "andante-trials-"
"""What names of such folders begin with."""
_LOCK = ".locked"
"""File that is locked; a folder without it is just being made, or somebody else's."""


_MARK = ".andante"
"""File that is in a folder as long as nobody cleans it."""


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


def revive() -> None:
    """Make the folder for what is temporary again, where this process has one of its own and somebody removed it."""
    if tempfile.tempdir is not None and not os.path.isdir(tempfile.tempdir):
        with contextlib.suppress(OSError):
            os.makedirs(tempfile.tempdir, 0o700, exist_ok=True)


def in_folder(prefix: str, do: Callable[[Path], T], tries: int = 3) -> T:
    """What comes of something that is done with a folder which goes afterwards.

    Args:
        prefix: What the folder's name begins with.
        do: Does it, and leaves files in the folder that it needs until it is over.
        tries: So often at most it is done, where somebody else removes the folder meanwhile.

    Raises:
        SearchError: Somebody removed it each time.
        AndanteError: As it does.
        OSError: As it does, or there is no room for a folder.
    """
    revive()
    folder = None
    try:
        folder = Path(tempfile.mkdtemp(prefix=prefix))
        mark = folder / _MARK
        mark.touch()
        return do(folder)
    except (AndanteError, OSError) as error:
        # Who removes a folder removes what is in it.
        if os.path.exists(mark if folder is not None else tempfile.gettempdir()):
            raise
        if tries <= 1:
            what = "somebody removes again and again what trials write for a moment"
            remedy = "set TMPDIR to a folder that nobody cleans meanwhile"
            raise SearchError(what, place=tempfile.gettempdir(), remedy=remedy) from error
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
    return in_folder(prefix, do, tries - 1)


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
