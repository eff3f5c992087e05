"""How much terrain a file may hold, a map of 2000 x 2000 nodes (a small file can unpack to a thousand times that), and
text within that, line by line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.height_map import TerrainError

MOST_NODES = 4_000_000
"""Largest map that is read from a file [nodes]: 10 m x 10 m at 5 mm."""
MOST_BYTES = 64_000_000
"""Largest file of bytes that is read."""
MOST_TEXT = 24_000_000
"""Largest file of text that is read [bytes]; its numbers take more room as text than as numbers."""
MOST_ROWS = 500_000
"""Most points, corners or facets of a text file."""
MOST_POINTS = 1_000_000
"""Most points or corners of a file of bytes; of a cloud of more some are taken."""
MOST_NUMBERS = 5_000_000
"""Most numbers of a text."""
_MOST_LINES = 2_000_000
_CHUNK = 1_000_000
_BLOCK = 200_000

_LONGEST = 4096


def grid_size(shape: Array, what: str, place: str, span: Array, spacing: float, remedy: str = "") -> tuple[int, int]:
    """Nodes of a grid in two directions.

    Args:
        shape: The nodes, (2,), as they were computed.
        what: What is wrong with a grid that is too small or too large.
        place: The file.
        span: Size of what the grid is for [m].
        spacing: Its spacing [m].
        remedy: What to do about it.

    Raises:
        TerrainError: Less than two nodes in a direction, or too many in all.
    """
    if not np.isfinite(shape).all() or shape.min() < 2.0 or float(np.prod(shape)) > MOST_NODES:
        limit = f"2 x 2 to {MOST_NODES} nodes at {spacing:g} m"
        raise TerrainError(what, place=place, value=span.tolist(), limit=limit, remedy=remedy)
    return int(shape[0]), int(shape[1])


def few(count: int, most: int, what: str, place: str) -> None:
    """Refuse more things of a file than are read.

    Raises:
        TerrainError: There are too many.
    """
    if count > most:
        raise TerrainError(f"there are too many {what}", place=place, value=count, limit=f"{most}")


def thinned(count: int, most: int | None = None) -> tuple[int, tuple[str, ...]]:
    """By how many one goes from a point of a cloud to the next that is taken, and what a user should know of it.

    Args:
        count: How many points there are.
        most: How many are taken at most; None: `MOST_POINTS`.
    """
    most = MOST_POINTS if most is None else most
    stride = -(-count // most)
    if stride <= 1:
        return 1, ()
    return stride, (f"one of every {stride} points is taken of {count}, which are more than {most}",)


def in_utf8(content: bytes) -> bytes:
    """A text in UTF-8 that may be one in UTF-16, as Excel and PowerShell write it; others as they are."""
    if content[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return content
    return content.decode("utf-16", errors="replace").encode()


def blocks_of(content: bytes, place: str) -> Iterator[tuple[int, bytes]]:
    """Some whole lines at a time, with the number of the first of them.

    Args:
        content: The text.
        place: The file.

    Raises:
        TerrainError: Too many bytes or lines.
    """
    _bounded(content, place)
    start, number = 0, 1
    while start < len(content):
        end = content.find(b"\n", min(start + _BLOCK, len(content))) + 1 or len(content)
        block = content[start:end]
        yield number, block
        start, number = end, number + block.count(b"\n")


def lines_of(
    content: bytes, place: str, *, longest: int = _LONGEST, blanks: str | None = None, first: int = 1
) -> Iterator[str]:
    """Lines without their ends and blanks; one at a time, since a million of them take a hundred times their bytes.

    Args:
        content: The text.
        place: The file.
        longest: Longest line [bytes].
        blanks: What is taken off a line's ends; None: all blanks.
        first: Number of the first line in the file.

    Raises:
        TerrainError: Too many bytes, or a line that is too long to be one of numbers.
    """
    _bounded(content, place)
    for number, line in enumerate(io.BytesIO(content), first):
        # Who counts lines takes the two letters of an end for one.
        for part in line.removesuffix(b"\n").removesuffix(b"\r").split(b"\r"):
            if len(part) > longest:
                raise TerrainError(
                    "a line is too long", place=f"{place}:{number}", value=len(part), limit=f"{longest} bytes"
                )
            try:
                text = part.decode()
            except UnicodeDecodeError:
                text = part.decode("latin-1")
            yield text.strip(blanks)


def _bounded(content: bytes, place: str) -> None:
    if len(content) > MOST_TEXT:
        raise TerrainError("the file is too large", place=place, value=len(content), limit=f"{MOST_TEXT} bytes of text")
    count = content.count(b"\n") + content.count(b"\r")
    if count > _MOST_LINES:
        raise TerrainError("the file has too many lines", place=place, value=count, limit=f"{_MOST_LINES}")


def numbers_in(content: bytes, place: str, most: int = MOST_NUMBERS) -> Array:
    """The numbers of a text, which blanks and ends of lines divide; in parts, since words take ten times their bytes.

    Args:
        content: The text.
        place: The file.
        most: Where there are more, some of them more than so many are given.

    Raises:
        TerrainError: Too many bytes, or a word that is no number.
    """
    if len(content) > MOST_TEXT:
        raise TerrainError("the file is too large", place=place, value=len(content), limit=f"{MOST_TEXT} bytes of text")
    parts, start, count = [], 0, 0
    while start < len(content) and count <= most:
        end = min(start + _CHUNK, len(content))
        while end < len(content) and not content[end : end + 1].isspace() and end < start + _CHUNK + _LONGEST:
            end += 1
        try:
            parts.append(np.fromiter(map(float, content[start:end].split()), dtype=np.float64))
        except ValueError as error:
            raise TerrainError("a number is none", place=place, value=str(error)[-80:]) from error
        start, count = end, count + len(parts[-1])
    return np.concatenate(parts) if parts else np.zeros(0)
