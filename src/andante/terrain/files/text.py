"""Text of terrain files, line by line."""

from __future__ import annotations

import io
from collections.abc import Iterator

from andante.terrain.files.limits import MOST_TEXT
from andante.terrain.height_map import TerrainError

_LONGEST = 4096


def lines_of(content: bytes, place: str) -> Iterator[str]:
    """Lines without their ends and blanks; one at a time, since a million of them take a hundred times their bytes.

    Raises:
        TerrainError: Too many bytes, or a line that is too long to be one of numbers.
    """
    if len(content) > MOST_TEXT:
        raise TerrainError("the file is too large", place=place, value=len(content), limit=f"{MOST_TEXT} bytes of text")
    for number, line in enumerate(io.BytesIO(content), 1):
        for part in line.split(b"\r"):
            if len(part) > _LONGEST:
                raise TerrainError(
                    "a line is too long", place=f"{place}:{number}", value=len(part), limit=f"{_LONGEST} bytes"
                )
            yield part.decode("utf-8", errors="replace").strip()
