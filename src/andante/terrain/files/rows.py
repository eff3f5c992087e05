"""Rows of numbers in text: points x, y, z, or heights as a matrix."""

from __future__ import annotations

import math
import re
from array import array
from typing import Literal

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.column_names import (
    columns_of,
    counted,
    grid_of_counted,
    in_metres,
    named,
    refuse_degrees,
    refuse_no_heights,
    unit_of,
    units_below,
)
from andante.terrain.files.found import Points, Raster
from andante.terrain.files.limits import MOST_NODES, MOST_ROWS, blocks_of, lines_of
from andante.terrain.height_map import TerrainError

_LONGEST = 1_000_000
_QUOTED = re.compile(r'"([^"]*)"')
_DIGITS, _END = b"0123456789+-.eE\n", ord("\n")
_MOST_ABOVE = 50
"""Most lines without numbers above the rows."""
_CORNERS = frozenset(first + mark + last for first, last in ("xy", "yx") for mark in ("\\", "/", "|", "_")) | {"x", "y"}
"""What stands in the corner of a table of heights: the axis of the first column, then that of the first row."""
_MISSING = frozenset(("", "nan", "na", "n/a", "null", "none", "-"))


def read_rows(
    content: bytes,
    place: str,
    kind: Literal["auto", "points", "matrix", "raster"] = "auto",
    nodata: float | None = None,
    *,
    scaled: bool = False,
    cloud: bool = False,
) -> Points | Raster:
    """The points, or the matrix of heights, in text.

    Commas, semicolons, tabs or blanks divide; between semicolons, tabs or blanks a comma is a decimal mark. A first row
    of names, what stands above it and lines that start with # are skipped. ``nan`` and an empty place of a matrix are
    unknown. Of columns that are named, those of x, y and z count, else the first three; a unit of length in their
    names, or in the row below, counts.

    Args:
        content: The text.
        place: The file's name.
        kind: What the rows are; auto: points where there are three columns or x, y and z are named, else a matrix.
        nodata: Number that says unknown; None: none.
        scaled: Whether the user says the unit, and those of the names do not count.
        cloud: Whether rows that could be points as well as a matrix are points.

    Raises:
        TerrainError: A row of another form or length, or rows that could be points as well as a matrix.
    """
    names: list[str] = []
    chosen: list[int] | None = None

    def idle(column: int, word: str) -> bool:
        """Whether a word is of a column that does not count, as times and frames of recordings, and no number."""
        return chosen is not None and column not in chosen and not _is_number(word, divide)

    units: list[float] = []
    corner, above = "", 0
    numbers, width, count, divide, told = array("d"), 0, 0, "", None
    for first, block in blocks_of(content, place):
        plain = _plain(block, divide, width) if width else None
        if plain is not None:
            numbers.frombytes(plain.tobytes())
            count += len(plain) // width
            _few(count, len(numbers), place)
            continue
        lines = lines_of(block, place, longest=_LONGEST, blanks="\ufeff \r\n", first=first)
        for number, line in enumerate(lines, first):
            if not line.strip() or line.startswith("#"):
                continue
            divide = divide or _divider(line)
            quoted = '"' in line
            if quoted and divide == ",":
                # Between quotes a comma divides nothing, it is the decimal mark of the languages that have one.
                line = _QUOTED.sub(lambda each: each[1].replace(",", "."), line)
            words = line.split() if divide == " " else [word.strip() for word in line.split(divide)]
            if quoted:
                words = [word.strip('"').strip() for word in words]
            if len(words) > 1 and not words[-1] and len(words) != width:
                # Many programs end each row with a divider.
                words.pop()
            try:
                row = [
                    math.nan if word.lower() in _MISSING or idle(k, word) else _number(word, divide)
                    for k, word in enumerate(words)
                ]
            except ValueError as error:
                below = None if chosen is None else units_below(words, chosen)
                if not count and below is not None:
                    units = below
                    continue
                if count or chosen is not None or above > _MOST_ABOVE:
                    raise TerrainError("a row has numbers", place=f"{place}:{number}", value=line[:200]) from error
                # CloudCompare writes names behind two strokes.
                words = [word for word in (words[0].removeprefix("//"), *words[1:]) if word or divide != " "]
                if _is_corner(words, divide):
                    corner, names, row = (
                        words[0].lower(),
                        [],
                        [math.nan, *(_number(each, divide) for each in words[1:])],
                    )
                else:
                    _all_names(words, divide, f"{place}:{number}")
                    names, units, above = [named(word) for word in words], [unit_of(word) for word in words], above + 1
                    chosen = columns_of(names, len(names)) if kind in ("auto", "points") else None
                    # A title may be divided otherwise than the rows.
                    divide = divide if chosen is not None else ""
                    continue
            if count == 1 and width == 1 and len(row) > 1 and numbers[0].is_integer():
                # The number of the points that follow, as programs for clouds write it.
                told, width, count = int(numbers.pop()), 0, 0
            width = width or len(row)
            if len(row) != width:
                points = width == 3 and kind in ("auto", "points")
                raise TerrainError(
                    "a point has three numbers" if points else "rows have one length",
                    place=f"{place}:{number}",
                    value=len(row),
                    limit=f"{width} numbers, as the first row",
                )
            count += 1
            numbers.extend(row)
            _few(count, len(numbers), place)
    if not count:
        raise TerrainError("the file has no rows of numbers", place=place, value=" ".join(names)[:80] or None)
    if told is not None and told != count:
        raise TerrainError(
            "the first row is another number than that of the rows", place=place, value=told, limit=f"{count}"
        )
    table = np.array(numbers).reshape(count, width)
    notes = () if above < 2 else (f"{above - 1} of the first lines are left out",)
    columns = columns_of(names, width) if kind in ("auto", "points") else None
    if columns is None and kind != "matrix":
        refuse_degrees(names, place)
    nodes = counted(names, width) if columns is None and kind != "points" else None
    if columns is None and nodes is None and kind == "auto":
        refuse_no_heights(names, width, place)
    if nodes is not None:
        heights = grid_of_counted(table[:, nodes], place)
        if nodata is not None:
            heights[heights == nodata] = np.nan
        heights *= 1.0 if scaled else units[nodes[2]]
        note = "rows and columns count nodes, rows along x as in a matrix; rows=raster: down as in an image"
        if kind == "raster":
            note = "rows and columns count nodes, rows down as in an image"
        return Raster(heights[::-1].T if kind == "raster" else heights, notes=(note,))
    if columns is not None or _are_points(table, kind, place, cloud=cloud):
        columns = columns or [0, 1, 2]
        if max(columns) >= table.shape[1]:
            raise TerrainError("a point has three numbers", place=place, value=table.shape[1])
        found = table[:, columns]
        if nodata is not None:
            found[found[:, 2] == nodata, 2] = np.nan
        return in_metres(found, names, columns, units if not scaled else [], notes)
    _no_counts(table, place)
    if nodata is not None:
        table[table == nodata] = np.nan
    edges = _edges(table)
    if edges is not None:
        down = kind == "raster" or (kind == "auto" and corner.startswith("y"))
        return _with_edges(table[1:, 1:], *edges, raster=down)
    if corner:
        raise TerrainError(
            "the first row and the first column have no even coordinates", place=place, value=corner,
            remedy="write rows of x, y, z",
        )  # fmt: skip
    # Rows of a raster run down, y runs up.
    return Raster(table[::-1].T if kind == "raster" else table)


def _edges(table: Array) -> tuple[Array, Array] | None:
    """Coordinates in the first column and in the first row, as pivot tables have them; None: there are none.

    They go on evenly in both, which heights do not, and the corner is empty.
    """
    if min(table.shape) < 4 or not np.isnan(table[0, 0]):
        return None
    edges = table[1:, 0], table[0, 1:]
    for edge in edges:
        steps = np.diff(edge)
        mean = float(steps.mean())
        if not (np.isfinite(steps).all() and mean != 0.0 and np.abs(steps - mean).max() <= 0.05 * abs(mean)):
            return None
    return edges


def _with_edges(heights: Array, down: Array, across: Array, *, raster: bool) -> Raster:
    """A matrix whose rows lie at ``down`` and columns at ``across``: along x and y, of a raster along y and x."""
    steps = np.diag([float(np.diff(each).mean()) for each in (down, across)])
    first = np.array([down[0], across[0]])
    note = f"the first column has {'y' if raster else 'x'} and the first row {'x' if raster else 'y'} of the nodes"
    if raster:
        steps, first = steps[::-1], first[::-1]
    return Raster(heights, steps, (float(first[0]), float(first[1])), notes=(note,))


def _all_names(words: list[str], divide: str, place: str) -> None:
    """Refuse a first row of which some words are names and most are numbers: a row with a slip, not names.

    Raises:
        TerrainError: It is such a row.
    """
    slips = []
    for word in words:
        try:
            _number(word, divide)
        except ValueError:
            if word.lower() not in _MISSING:
                slips.append(word)
    if 2 * len(slips) < len(words):
        raise TerrainError(
            "the first row is neither names nor numbers", place=place, value=slips[0][:50],
            remedy="take it out, or write nan where nothing is known; of points a row of names above (x, y, z and "
            "others) says which columns count",
        )  # fmt: skip


def _is_corner(words: list[str], divide: str) -> bool:
    """Whether a row begins with a name of axes, as pivot tables have it in their corner, and goes on with numbers."""
    return len(words) > 3 and words[0].lower() in _CORNERS and all(_is_number(each, divide) for each in words[1:])


def _no_counts(table: Array, place: str) -> None:
    """Refuse a matrix whose first row and first column only count the others, as tables of pandas are written.

    Raises:
        TerrainError: They count.
    """
    rows, columns = table.shape
    if rows < 3 or columns < 3 or not np.isnan(table[0, 0]):
        return
    if all((np.diff(edge) == 1.0).all() and edge[0] in (0.0, 1.0) for edge in (table[0, 1:], table[1:, 0])):
        raise TerrainError(
            "the first row and the first column count the others, they are no heights", place=place,
            value=table[0, :4].tolist(), remedy="write the table without its index and head",
        )  # fmt: skip


def _few(count: int, numbers: int, place: str) -> None:
    if count > MOST_ROWS or numbers > MOST_NODES:
        raise TerrainError("there are too many rows", place=place, limit=f"{MOST_ROWS} rows, {MOST_NODES} numbers")


def _plain(block: bytes, divide: str, width: int) -> Array | None:
    """The numbers of lines that each have ``width`` of them and nothing else, (n * width,), many times faster than line
    by line; None: some line is not so."""
    mark, text = divide.encode(), block if block.endswith(b"\n") else block + b"\n"
    text = text.replace(b"\r\n", b"\n")
    if mark != b" ":
        text = text.replace(mark + b" ", mark)
    if mark != b",":
        text = text.replace(b",", b".")
    if text.translate(None, _DIGITS + mark + (b"\t" if mark == b" " else b"")):
        return None
    letters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(letters == _END)
    if mark == b" ":
        blank = np.concatenate([[True], letters <= mark[0]])
        marks = np.flatnonzero(blank[:-1] & ~blank[1:])
        each = width
    else:
        marks = np.flatnonzero(letters == mark[0])
        each = width - 1
    if not (np.diff(np.searchsorted(marks, ends), prepend=0) == each).all():
        return None
    words = text.replace(mark, b" ").split()
    # As many words as places: none of the places is empty.
    if len(words) != len(ends) * width:
        return None
    try:
        return np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        return None


def _divider(line: str) -> str:
    """What divides the words of a line."""
    for mark in (";", "\t"):
        if mark in line:
            return mark
    # "0,5 1,2" has decimal commas, "0.5, 1.2" and "0,5,1,2" do not.
    if "," in line and not re.search(r"\d,\d+\s+[+-]?\d+,", line):
        return ","
    return " "


def begins_with_number(content: bytes) -> bool:
    """Whether the first line that is no comment and not blank begins with a number."""
    for line in content[:_LONGEST].removeprefix(b"\xef\xbb\xbf").splitlines()[:1000]:
        words = re.split(rb"[\s,;]+", line.strip())
        if words[0] and not words[0].startswith((b"#", b"//")):
            return _is_number(words[0].decode("latin-1"), " ")
    return False


def _is_number(word: str, divide: str) -> bool:
    try:
        _number(word, divide)
    except ValueError:
        return False
    return True


def _number(word: str, divide: str) -> float:
    return float(word if divide == "," else word.replace(",", ".", 1))


def _are_points(table: Array, kind: str, place: str, *, cloud: bool) -> bool:
    if kind != "auto":
        return kind == "points"
    rows, columns = table.shape
    if columns == 3:
        return True
    if 3 < columns <= 12 and rows >= 20 * columns:
        if cloud:
            return True
        raise TerrainError(
            "these rows may be points or a matrix",
            place=place,
            value=f"{rows} rows of {columns}",
            remedy="say rows=points (x, y, z first), rows=matrix or rows=raster",
        )
    return False
