"""System: the calls of the operating system with which the studio writes, in one object that tests let fail.

Names are seen from an open folder, and no call follows a link: what stands at a name is replaced or refused, never what
a link leads to.
"""

from __future__ import annotations

import os

_ONLY_PASS = getattr(os, "O_PATH", os.O_RDONLY)
"""A folder that is passed through need not be listed."""
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class System:
    """The operating system."""

    def open_root(self) -> int:
        """The folder in which all others are."""
        return os.open("/", _ONLY_PASS | os.O_DIRECTORY | os.O_CLOEXEC)

    def open_folder(self, name: str, folder: int) -> int:
        """A folder in a folder; a link is none.

        Raises:
            OSError: There is no such folder.
        """
        return os.open(name, _ONLY_PASS | _FOLDER, dir_fd=folder)

    def make_folder(self, name: str, folder: int) -> None:
        """Make a folder.

        Raises:
            OSError: It cannot be made.
        """
        os.mkdir(name, 0o777, dir_fd=folder)

    def create(self, name: str, folder: int, mode: int) -> int:
        """A new file.

        Raises:
            OSError: It cannot be made, or something stands there.
        """
        return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder)

    def open_file(self, name: str, folder: int) -> int:
        """A file that is there, to be read or locked.

        Raises:
            OSError: It is not there, or a link.
        """
        return os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)

    def status(self, name: str, folder: int) -> os.stat_result:
        """What stands at a name.

        Raises:
            OSError: Nothing.
        """
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def write(self, handle: int, data: bytes) -> int:
        """Write; gives how many bytes were taken.

        Raises:
            OSError: None was.
        """
        return os.write(handle, data)

    def truncate(self, handle: int, size: int) -> None:
        """Cut a file.

        Raises:
            OSError: It cannot be cut.
        """
        os.ftruncate(handle, size)

    def sync(self, handle: int) -> None:
        """Bring a file to the disk.

        Raises:
            OSError: Something may not be there.
        """
        os.fsync(handle)

    def sync_folder(self, folder: int) -> None:
        """Bring the names in a folder to the disk.

        Raises:
            OSError: A name may not be there.
        """
        handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def rename(self, old: str, new: str, folder: int) -> None:
        """Give a file another name of the same folder, in place of what has it.

        Raises:
            OSError: It keeps its name.
        """
        os.replace(old, new, src_dir_fd=folder, dst_dir_fd=folder)

    def unlink(self, name: str, folder: int) -> None:
        """Take a name away.

        Raises:
            OSError: It stays.
        """
        os.unlink(name, dir_fd=folder)

    def close(self, handle: int) -> None:
        """Close."""
        os.close(handle)
