"""The codec of Andante's own documents: YAML, everything kept."""

from __future__ import annotations

import re
from pathlib import Path

from andante.documents.files import write_bytes
from andante.documents.problems import DocumentError
from andante.formats.codec import MotionFileCodec, keep_others
from andante.formats.report import Losses, ReadReport
from andante.motions.library import MotionLibrary
from andante.motions.storage import dump_library, like_document, load_library, save_library


class AndanteCodec(MotionFileCodec):
    """Reads and writes motion libraries as YAML documents."""

    name = "andante"
    title = "Andante motion library"
    suffixes = (".yaml", ".yml")
    signature = re.compile(rb"(?:^[ \t]*|[{,]\s*)[\"']?format[\"']?\s*:\s*[\"']?andante\.motions\b", re.MULTILINE)
    sure = 1.0
    by_suffix = 0.5

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a document.

        Raises:
            DocumentError: It cannot be read or does not follow the schema.
        """
        report.files.append(path)
        return load_library(path, robot=report.robot)

    def encode(self, library: MotionLibrary, losses: Losses) -> dict[str, bytes]:
        """A new document; nothing is lost, as the document is the library."""
        return {"": dump_library(library).encode()}

    def write(
        self, library: MotionLibrary, path: Path, losses: Losses | None = None, *, replace: bool = True
    ) -> tuple[Path, ...]:
        """Write a document; comments of the one in place are kept.

        Raises:
            DocumentError: It cannot be written.
        """
        if not replace:
            return super().write(library, path, losses, replace=False)
        save_library(library, path)
        return (path,)

    def write_like(
        self, library: MotionLibrary, pattern: Path, path: Path, *, replace: bool = True
    ) -> tuple[Path, ...]:
        """Write a document with the comments, order and units of the one that the library was read from.

        Where a document is in place already, its own comments are kept, as by `write`.

        Raises:
            DocumentError: It cannot be written.
        """
        try:
            raw = like_document(library, pattern).encode()
        except DocumentError:
            return self.write(library, path, replace=replace)  # no pattern: it leaves the robot to who reads it
        if not replace:
            keep_others({path: raw})
        elif path.exists():
            return self.write(library, path)
        write_bytes(path, raw)
        return (path,)
