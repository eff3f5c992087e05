"""Whether another program has changed a document's file."""

from __future__ import annotations

import contextlib

from andante.errors import AndanteError
from andante.studio.document import OpenDocument


class FileWatch:
    """Looks at a document's file; it is read only where it is not as at the last look."""

    def __init__(self, document: OpenDocument) -> None:
        self._document = document
        self._stamp: tuple[int, ...] = ()
        self._outdated = False

    def outdated(self) -> bool:
        """Whether the file is another than the one that was read or written."""
        stamp: tuple[int, ...] = ()
        with contextlib.suppress(OSError):
            status = self._document.path.stat()
            stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
        if stamp != self._stamp:
            self._outdated = True
            with contextlib.suppress(AndanteError):
                self._outdated = self._document.outdated
            self._stamp = stamp
        return self._outdated
