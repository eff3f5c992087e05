"""The error that every codec raises for a file it cannot read or write."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from andante.documents.problems import Details, DocumentError


class FormatError(DocumentError):
    """A motion file breaks its format, or a library cannot be written in a format.

    Args:
        what: One sentence without a full stop.
        file: The file it speaks of.
        line: Line, from 1.
        column: Column, from 1 (tabs advance to the next multiple of 8).
        inside: Dotted path of the entry inside the file, as ``keyframeBlock.sit.keyframes[0].phase``.
        value: The offending value.
        limit: What the value had to obey.
        legal: The legal names; the nearest to ``value`` is offered.
        remedy: What to do about it.
    """

    def __init__(
        self,
        what: str,
        *,
        file: str | Path = "",
        line: int | None = None,
        column: int | None = None,
        inside: str = "",
        **more: Unpack[Details],
    ) -> None:
        self.file = str(file)
        self.line = line
        self.column = column
        self.inside = inside
        spot = ":".join(str(part) for part in (self.file or None, line, column) if part is not None)
        place = f"{spot}, {inside}" if spot and inside else spot or inside
        super().__init__(what, place=place, **more)
