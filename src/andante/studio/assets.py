"""The built page as it goes to browsers: compressed once, and kept by them under a name that changes with its content.

All files share one folder name made of the checksum of all of them, so imports between them stay as they are built.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import cached_property
from pathlib import Path

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
KEPT = "private, max-age=31536000, immutable"
"""What browsers are told of files under a name that changes with their content."""


class Assets:
    """The files of the built page.

    Args:
        folder: Where they are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._packed: dict[str, bytes] = {}

    @cached_property
    def version(self) -> str:
        """Name of the folder under which browsers keep the files."""
        total = hashlib.sha256()
        for path in sorted(self._folder.iterdir()):
            total.update(f"{path.name} {path.stat().st_size}\n".encode())
            total.update(path.read_bytes())
        return f"page-{total.hexdigest()[:16]}"

    def known(self, name: str) -> bool:
        """Whether there is such a file."""
        file = self._folder / name
        return file.parent == self._folder and file.suffix in TYPES and file.is_file()

    def whole(self, name: str) -> bytes:
        """A file; the address of what a page loads has the version."""
        raw = (self._folder / name).read_bytes()
        return raw.replace(b'"./', f'"./{self.version}/'.encode()) if name.endswith(".html") else raw

    def packed(self, name: str) -> bytes:
        """The same, compressed by gzip."""
        if name not in self._packed:
            self._packed[name] = gzip.compress(self.whole(name), 9, mtime=0)
        return self._packed[name]
