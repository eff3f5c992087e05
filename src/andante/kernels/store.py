"""Where machine code lies: a folder of the wheel that is only read, and one in the user's cache that is also written.

Each file is one kernel for one list of argument types. Its name holds the kernel's fingerprint, so a file is right or
not there; files are written beside their place and moved, so they are whole or not there.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from numba.core import config

from andante.kernels.target import shipped_toolchain, toolchain

SHIPPED = Path(__file__).parents[1] / "_kernels"
"""Machine code that came with the package, one folder per toolchain (`andante.kernels.ship`)."""
SUFFIX = ".kernel"
_DIGEST = 32
_UNUSED = 30 * 86400.0
"""Files that nothing has asked for during that time are removed [s]."""
_DAY = 86400.0


def user_folder() -> Path:
    """The folder of kernels in the user's cache; `NUMBA_CACHE_DIR` and `XDG_CACHE_HOME` move it."""
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR) / "andante-kernels"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "andante" / "kernels"


class Store:
    """Machine code on disk.

    Args:
        folder: Read and written; made when something is saved.
        shipped: Only read, looked at first; None: there is none.
    """

    def __init__(self, folder: Path, shipped: Path | None = None) -> None:
        self.folder = folder
        self._folders = (folder,) if shipped is None else (shipped, folder)
        self.writable = _writable(folder)
        self.saved: Callable[[], None] | None = None
        self._locks: int | None = None

    def load(self, name: str) -> bytes | None:
        """The content saved under a name; None where there is none or it is damaged."""
        for folder in self._folders:
            path = folder / (name + SUFFIX)
            with suppress(OSError):
                data = path.read_bytes()
                if hashlib.sha256(data[_DIGEST:]).digest() == data[:_DIGEST]:
                    if folder is self.folder and time.time() - path.stat().st_mtime > _DAY:
                        os.utime(path)
                    return data[_DIGEST:]
        return None

    def save(self, name: str, content: bytes) -> None:
        """Keep content under a name; nothing where the folder cannot be written."""
        if not self.writable:
            return
        beside = self.folder / f".{name}.{os.getpid()}"
        with suppress(OSError):
            beside.write_bytes(hashlib.sha256(content).digest() + content)
            os.replace(beside, self.folder / (name + SUFFIX))
        if self.saved is not None:
            self.saved()

    def has(self, name: str) -> bool:
        """Whether something lies under a name."""
        return any((folder / (name + SUFFIX)).exists() for folder in self._folders)

    def names(self) -> set[str]:
        """All names under which something lies."""
        return {path.name[: -len(SUFFIX)] for folder in self._folders for path in folder.glob("*" + SUFFIX)}

    @contextmanager
    def claim(self, name: str, wait: bool = True) -> Iterator[bool]:
        """Hold a name against other processes that would compile the same.

        Args:
            name: What is going to be compiled.
            wait: Whether to wait for who holds it.

        Yields:
            Whether it is held; always where the folder or the system has no locks. It is given back at the end or when
            the process dies.
        """
        place = int(hashlib.sha256(name.encode()).hexdigest()[:12], 16)
        held = self._lock(place, wait)
        try:
            yield held
        finally:
            if held:
                self._lock(place, wait, release=True)

    def _lock(self, place: int, wait: bool, release: bool = False) -> bool:
        """Lock one byte of the folder's lock file, which need not be that long."""
        if not self.writable:
            return True
        try:
            import fcntl
        except ImportError:
            return True
        if self._locks is None:
            self._locks = os.open(self.folder / ".locks", os.O_RDWR | os.O_CREAT, 0o644)
        how = fcntl.LOCK_UN if release else fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB)
        try:
            fcntl.lockf(self._locks, how, 1, place)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            # A file system without locks: the worst is that something is compiled twice.
            return True
        return True

    def clean(self) -> None:
        """Remove what nothing has used for a month, in this folder and in those of other toolchains beside it."""
        bound = time.time() - _UNUSED
        for path in self.folder.parent.glob("*/*" + SUFFIX):
            with suppress(OSError):
                if path.stat().st_mtime < bound:
                    path.unlink()
        for folder in self.folder.parent.iterdir():
            if folder != self.folder and not any(folder.glob("*" + SUFFIX)):
                with suppress(OSError):
                    (folder / ".locks").unlink(missing_ok=True)
                    folder.rmdir()


@cache
def store() -> Store:
    """The store of this process."""
    shipped = shipped_toolchain()
    return Store(user_folder() / toolchain(), SHIPPED / shipped if shipped else None)


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror
    else:
        if os.access(folder, os.W_OK | os.X_OK):
            return True
        reason = "not writable"
    sys.stderr.write(f"andante: kernels are compiled anew in this run, they cannot be kept in {folder}: {reason}\n")
    return False
