"""Clouds as text that are too large to be held: read once, line by line, and kept as numbers on the disk."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.ascii_grid import begins_grid
from andante.terrain.files.cloud_source import MOST_IN_PARTS, CloudSource, kept_on_disk
from andante.terrain.files.found import measured
from andante.terrain.files.limits import MOST_TEXT, thinned
from andante.terrain.files.options import FileOptions
from andante.terrain.files.packing import suffixes_of
from andante.terrain.files.row_reader import RowReader, begins_with_number
from andante.terrain.files.rows import columns_of_points, points_of_rows
from andante.terrain.height_map import TerrainError

_BLOCK = 200_000
"""Bytes that are read at a time, and then to the end of the line."""
_LONGEST = 1_000_000
"""Longest line, or word [bytes]."""
_COUNTED = 4_000_000
"""Bytes in which lines are counted at a time."""
_GRIDS, _CLOUDS, _POINTS = (".asc",), (".xyz", ".xyzn", ".xyzi", ".xyzrgb"), (".pts",)
"""Endings of which text that begins with no number is a grid, of rows that are points and no matrix, and of points."""
TEXTS = (*_GRIDS, *_CLOUDS, *_POINTS, ".csv", ".tsv", ".txt", ".dat")
"""Endings of rows of numbers."""


def text_in_parts(file: IO[bytes], place: str, options: FileOptions, stack: ExitStack) -> CloudSource:
    """The points of rows of numbers, as `andante.terrain.files.rows.read_rows` has them.

    Raises:
        TerrainError: As `read_rows`; a grid or a matrix, which are read as a whole; text in UTF-16; no room on
            the disk.
    """
    head, suffix = file.read(_BLOCK), suffixes_of(Path(place))[0]
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise TerrainError("text of this size is read in UTF-8", place=place, remedy="save it in UTF-8")
    if begins_grid(head) or (suffix in _GRIDS and not begins_with_number(head)):
        raise _as_a_whole("an ASCII grid", file, place)
    lines = _lines(file)
    stride, fewer = thinned(lines, MOST_IN_PARTS)
    points = _Rows(file, place, options, suffix, stride)
    return kept_on_disk(points.blocks(), -(-lines // stride), place, stack, lambda: (*points.notes, *fewer))


class _Rows:
    """Points of rows."""

    def __init__(self, file: IO[bytes], place: str, options: FileOptions, suffix: str, stride: int) -> None:
        self._file, self._place, self._options, self._stride = file, place, options, stride
        self._kind = "points" if suffix in _POINTS and options.rows == "auto" else options.rows
        self._cloud = suffix in _CLOUDS
        self.notes: tuple[str, ...] = ()

    def blocks(self) -> Iterator[Array]:
        """Places (n, 3) in the order of the rows."""
        reader = RowReader(self._place, points=self._kind in ("auto", "points"))
        columns: list[int] | None = None
        row = 0
        for first, block in _blocks(self._file, self._place):
            reader.take(first, block)
            table = reader.rows()
            if columns is None and len(table):
                columns = columns_of_points(table, reader, self._kind, self._place, cloud=self._cloud)
                if columns is None:
                    raise _as_a_whole("a matrix", self._file, self._place)
            if columns is not None:
                yield self._places(table[-row % self._stride :: self._stride], columns, reader)
                row += len(table)
        if columns is None and not len(reader.end()):
            return
        reader.end()

    def _places(self, table: Array, columns: list[int], reader: RowReader) -> Array:
        options = self._options
        scaled = not options.scale == options.height_factor == 1.0
        found = points_of_rows(table, columns, reader, self._place, options.nodata, scaled=scaled)
        self.notes = found.notes
        return found.places


def rows_of_numbers(
    file: IO[bytes], begin: int, before: int, count: int, width: int, columns: list[int], place: str, stack: ExitStack,
    notes: tuple[str, ...],
) -> CloudSource:  # fmt: skip
    """Points of numbers that blanks and ends of lines divide, as PCD and PLY have them.

    Args:
        file: The file.
        begin: Where the numbers begin [bytes].
        before: How many of them belong to others, before the points.
        count: How many points there are.
        width: How many numbers a point has.
        columns: Which of them are x, y and z.
        place: The file's name.
        stack: What closes what is kept.
        notes: What a user should know.

    Raises:
        TerrainError: A word that is no number, fewer numbers than are told, or no room on the disk.
    """
    size = os.fstat(file.fileno()).st_size
    # Each number has a digit and what divides it from the next.
    least = begin + 2 * (before + count * width) - 1
    if least > size:
        raise _cut_short(place, size, least)
    stride, fewer = thinned(count, MOST_IN_PARTS)

    def blocks() -> Iterator[Array]:
        skip, row, rest = before, 0, np.zeros(0)
        for numbers in _numbers(file, begin, place):
            left = min(skip, len(numbers))
            skip -= left
            rest = np.concatenate([rest, numbers[left:]])
            rows = min(len(rest) // width, count - row)
            table = rest[: rows * width].reshape(rows, width)
            yield measured(table[-row % stride :: stride][:, columns])
            row, rest = row + rows, rest[rows * width :]
            if row == count:
                return
        raise TerrainError("the cloud is cut short", place=place, value=row, limit=f"{count} points")

    return kept_on_disk(blocks(), -(-count // stride), place, stack, lambda: (*notes, *fewer))


def _numbers(file: IO[bytes], begin: int, place: str) -> Iterator[Array]:
    file.seek(begin)
    rest = b""
    while True:
        raw = file.read(_BLOCK)
        text = rest + raw
        end = len(text) if not raw else max(text.rfind(mark) for mark in (b" ", b"\n", b"\t", b"\r")) + 1
        if len(text) - end > _LONGEST:
            raise TerrainError("a number is too long", place=place, limit=f"{_LONGEST} bytes")
        try:
            yield np.fromiter(map(float, text[:end].split()), dtype=np.float64)
        except ValueError as error:
            raise TerrainError("a number is none", place=place, value=str(error)[-80:]) from error
        rest = text[end:]
        if not raw:
            return


def _blocks(file: IO[bytes], place: str) -> Iterator[tuple[int, bytes]]:
    """Some whole lines at a time, with the number of the first."""
    file.seek(0)
    number = 1
    while block := file.read(_BLOCK):
        block += file.readline(_LONGEST + 1) if not block.endswith(b"\n") else b""
        if not block.endswith(b"\n") and len(block) > _LONGEST:
            raise TerrainError("a line is too long", place=f"{place}:{number}", limit=f"{_LONGEST} bytes")
        yield number, block
        number += block.count(b"\n")


def _lines(file: IO[bytes]) -> int:
    file.seek(0)
    count = 1
    while block := file.read(_COUNTED):
        count += block.count(b"\n")
    return count


def _cut_short(place: str, size: int, least: int) -> TerrainError:
    return TerrainError("the cloud is cut short", place=place, value=f"{size} bytes", limit=f"{least} at least")


def _as_a_whole(what: str, file: IO[bytes], place: str) -> TerrainError:
    size = os.fstat(file.fileno()).st_size
    return TerrainError(
        f"{what} is read as a whole, and this one is too large", place=place, value=f"{size} bytes",
        limit=f"{MOST_TEXT} bytes of text", remedy="write a GeoTIFF or an .npz, or say rows=points if they are points",
    )  # fmt: skip
