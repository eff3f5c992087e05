"""Rows of numbers in text, read block by block: what divides them, names and units above them, and their numbers."""

from __future__ import annotations

import math
import re
from array import array

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.column_names import columns_of, named, unit_of, units_below
from andante.terrain.files.limits import lines_of
from andante.terrain.height_map import TerrainError

_LONGEST = 1_000_000
_BEGINNING = 4_000
"""Bytes of the first lines, which are looked at one by one."""
_LONG = 3_000_000
"""Of so many bytes a kernel spares more time than loading it takes."""
_QUOTED = re.compile(r'"([^"]*)"')
_DIGITS, _END = b"0123456789+-.eE\n", ord("\n")
_MOST_ABOVE = 50
"""Most lines without numbers above the rows."""
_CORNERS = frozenset(first + mark + last for first, last in ("xy", "yx") for mark in ("\\", "/", "|", "_")) | {"x", "y"}
"""What stands in the corner of a table of heights: the axis of the first column, then that of the first row."""
_MISSING = frozenset(("", "nan", "na", "n/a", "null", "none", "-"))


class RowReader:
    """Reads rows of numbers that come in blocks of whole lines, and keeps what it has found of their form."""

    def __init__(
        self, place: str, *, points: bool, most_rows: int | None = None, most_numbers: int | None = None
    ) -> None:
        """Begin with nothing.

        Args:
            place: The file.
            points: Whether rows may be points, of which columns that do not count need no numbers.
            most_rows: Most rows; None: any number.
            most_numbers: Most numbers of all of them; None: any number.
        """
        self._place, self._points = place, points
        self._most_rows, self._most_numbers = most_rows, most_numbers
        self.names: list[str] = []
        """Names of the columns; empty: none."""
        self.units: list[float] = []
        """Units in these names [m]."""
        self.corner = ""
        """What stands in the corner of a table with edges; empty: none."""
        self.above = 0
        """How many lines without numbers stand above the rows."""
        self.width = 0
        """Numbers of a row."""
        self.count = 0
        """Rows that were read."""
        self._chosen: list[int] | None = None
        self._divide = ""
        self._told: int | None = None
        self._numbers = array("d")
        self._bytes = 0

    def take(self, first: int, block: bytes) -> None:
        """Read a block of whole lines, with the number of the first.

        Raises:
            TerrainError: A row of another form or length, or too many.
        """
        if not self.width and len(block) > _BEGINNING:
            # What divides rows and how long they are, the first lines say.
            end = block.find(b"\n", _BEGINNING) + 1 or len(block)
            self._take(first, block[:end])
            first, block = first + block.count(b"\n", 0, end), block[end:]
        self._take(first, block)

    def _take(self, first: int, block: bytes) -> None:
        plain = self._plain(block) if self.width else None
        if plain is not None:
            self._numbers.frombytes(plain.tobytes())
            self.count += len(plain) // self.width
            self._few()
            return
        lines = lines_of(block, self._place, longest=_LONGEST, blanks="\ufeff \r\n", first=first)
        for number, line in enumerate(lines, first):
            if not line.strip() or line.startswith("#"):
                continue
            self._divide = self._divide or _divider(line)
            quoted = '"' in line
            if quoted and self._divide == ",":
                # Between quotes a comma divides nothing, it is the decimal mark of the languages that have one.
                line = _QUOTED.sub(lambda each: each[1].replace(",", "."), line)
            words = line.split() if self._divide == " " else [word.strip() for word in line.split(self._divide)]
            if quoted:
                words = [word.strip('"').strip() for word in words]
            if len(words) > 1 and not words[-1] and len(words) != self.width:
                # Many programs end each row with a divider.
                words.pop()
            try:
                row = [
                    math.nan if word.lower() in _MISSING or self._idle(k, word) else _number(word, self._divide)
                    for k, word in enumerate(words)
                ]
            except ValueError as error:
                below = None if self._chosen is None else units_below(words, self._chosen)
                if not self.count and below is not None:
                    self.units = below
                    continue
                if self.count or self._chosen is not None or self.above > _MOST_ABOVE:
                    raise TerrainError(
                        "a row has numbers", place=f"{self._place}:{number}", value=line[:200]
                    ) from error
                # CloudCompare writes names behind two strokes.
                words = [word for word in (words[0].removeprefix("//"), *words[1:]) if word or self._divide != " "]
                if _is_corner(words, self._divide):
                    self.corner, self.names, row = (
                        words[0].lower(),
                        [],
                        [math.nan, *(_number(each, self._divide) for each in words[1:])],
                    )
                else:
                    _all_names(words, self._divide, f"{self._place}:{number}")
                    self.names, self.units, self.above = (
                        [named(word) for word in words],
                        [unit_of(word) for word in words],
                        self.above + 1,
                    )
                    self._chosen = columns_of(self.names, len(self.names)) if self._points else None
                    # A title may be divided otherwise than the rows.
                    self._divide = self._divide if self._chosen is not None else ""
                    continue
            if self.count == 1 and self.width == 1 and len(row) > 1 and self._numbers[0].is_integer():
                # The number of the points that follow, as programs for clouds write it.
                self._told, self.width, self.count = int(self._numbers.pop()), 0, 0
            self.width = self.width or len(row)
            if len(row) != self.width:
                points = self.width == 3 and self._points
                raise TerrainError(
                    "a point has three numbers" if points else "rows have one length",
                    place=f"{self._place}:{number}",
                    value=len(row),
                    limit=f"{self.width} numbers, as the first row",
                )
            self.count += 1
            self._numbers.extend(row)
            self._few()

    def _plain(self, block: bytes) -> Array | None:
        """The numbers of lines that have nothing else, (n * width,); None: some line is not so."""
        self._bytes += len(block)
        if self._bytes < _LONG:
            return _plain(block, self._divide, self.width)
        from andante.terrain.files.number_rows import numbers_in

        return numbers_in(block, self._divide, self.width)

    def rows(self) -> Array:
        """The rows that were read since this was last asked for, (n, width)."""
        if self.count == 1:
            # It may be the number of those that follow, which the next row tells.
            return np.zeros((0, self.width))
        found = np.array(self._numbers).reshape(-1, max(1, self.width))
        self._numbers = array("d")
        return found

    def end(self) -> Array:
        """The last rows, once all blocks were read.

        Raises:
            TerrainError: There are none, or others than the file says.
        """
        if not self.count:
            raise TerrainError(
                "the file has no rows of numbers", place=self._place, value=" ".join(self.names)[:80] or None
            )
        if self._told is not None and self._told != self.count:
            raise TerrainError(
                "the first row is another number than that of the rows", place=self._place, value=self._told,
                limit=f"{self.count}",
            )  # fmt: skip
        return np.array(self._numbers).reshape(-1, self.width)

    def _idle(self, column: int, word: str) -> bool:
        """Whether a word is of a column that does not count, as times and frames of recordings, and no number."""
        return self._chosen is not None and column not in self._chosen and not _is_number(word, self._divide)

    def _few(self) -> None:
        count = self.count
        if (self._most_rows is not None and count > self._most_rows) or (
            self._most_numbers is not None and count * self.width > self._most_numbers
        ):
            raise TerrainError(
                "there are too many rows", place=self._place,
                limit=f"{self._most_rows} rows, {self._most_numbers} numbers",
            )  # fmt: skip


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
