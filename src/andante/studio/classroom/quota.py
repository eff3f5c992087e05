"""A student's part of the disk: writes beyond it fail as those on a full disk do, which everything above can bear."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from andante.studio.system import System

MEGABYTE = 1_000_000


class QuotaSystem(System):
    """The operating system, with a bound on what is written below a folder.

    What was written before is counted at every look; processes that write get a copy of the count.

    Args:
        folder: The folder.
        limit: Most bytes in it.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit = folder, limit
        self.used = 0
        self.look()

    def look(self) -> int:
        """Count what is there; gives the number of bytes."""
        self.used = size_of(self.folder)
        return self.used

    def write(self, handle: int, data: bytes) -> int:
        """Write; gives how many bytes were taken.

        Raises:
            OSError: None was, or the student's part of the disk is full.
        """
        if self.used + len(data) > self.limit:
            raise OSError(errno.EDQUOT, f"this workspace may have {self.limit / MEGABYTE:.0f} MB and is full")
        done = super().write(handle, data)
        self.used += done
        return done


def size_of(folder: Path) -> int:
    """Bytes in a folder's files; links are not followed."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(place, name))
                total += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return total
