"""How much terrain a file may hold, a map of 2000 x 2000 nodes (a small file can unpack to a thousand times that), and
text within that, line by line."""

from __future__ import annotations

import io
from collections.abc import Iterator

from andante.terrain.height_map import TerrainError

MOST_NODES = 4_000_000
"""Largest map that is read from a file [nodes]: 10 m x 10 m at 5 mm."""
MOST_BYTES = 64_000_000
"""Largest file of bytes that is read."""
MOST_TEXT = 24_000_000
"""Largest file of text that is read [bytes]; its numbers take more room as text than as numbers."""
MOST_ROWS = 500_000
"""Most points, corners or facets of a text file."""


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
