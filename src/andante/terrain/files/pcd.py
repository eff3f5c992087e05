"""PCD clouds of the Point Cloud Library as terrain: text, binary and binary_compressed.

The format: doc/tutorials/content/pcd_file_format.rst and io/src/pcd_io.cpp of github.com/PointCloudLibrary/pcl.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.found import Points, coordinates, measured
from andante.terrain.files.limits import MOST_BYTES, MOST_NUMBERS, few, numbers_in, thinned
from andante.terrain.height_map import TerrainError

HEAD = 65_536
"""Longest head [bytes]."""
_KINDS = {
    ("F", 4): "f4", ("F", 8): "f8",
    ("I", 1): "i1", ("I", 2): "i2", ("I", 4): "i4", ("I", 8): "i8",
    ("U", 1): "u1", ("U", 2): "u2", ("U", 4): "u4", ("U", 8): "u8",
}  # fmt: skip
_WAYS = ("ascii", "binary", "binary_compressed")
_ENTRIES = ("VERSION", "FIELDS", "COLUMNS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS", "DATA")
_MOST_FIELDS, _MOST_COUNT = 1000, 100_000


@dataclass
class PcdHead:
    """What the head says."""

    names: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    points: int = 0
    sides: tuple[int, int] = (0, 1)
    viewpoint: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    """Place and quaternion w, x, y, z of the sensor."""
    way: str = "ascii"
    begin: int = 0
    """Where the points begin."""

    def notes(self) -> tuple[str, ...]:
        """What a user should know."""
        notes = []
        if self.sides[1] > 1:
            notes.append(f"an organised cloud of {self.sides[0]} x {self.sides[1]} points")
        if self.viewpoint != PcdHead.viewpoint:
            told = " ".join(f"{number:g}" for number in self.viewpoint)
            notes.append(f"VIEWPOINT {told} says where the points were taken from; it does not move them, as in PCL")
        return tuple(notes)


def read_pcd(content: bytes, place: str) -> Points:
    """The points in a PCD file. Fields may stand in any order, others than x, y and z do not count. Of more points than
    clouds may have every second, third and so on is taken.

    What VIEWPOINT says is where the points were taken from; it moves none of them, as in the Point Cloud Library.

    Raises:
        TerrainError: Not such a file, cut short, too large, or without x, y and z.
    """
    head = pcd_head(content, place)
    read = {"ascii": _text, "binary": _rows, "binary_compressed": _packed}[head.way]
    taken, fewer = thinned(head.points)
    return Points(measured(read(content, head, place, taken)), (*head.notes(), *fewer))


def pcd_head(content: bytes, place: str, most: int = MOST_BYTES) -> PcdHead:
    """The head of a PCD file of points with x, y and z.

    Args:
        content: The file, or its first `HEAD` bytes.
        place: The file's name.
        most: Most points.

    Raises:
        TerrainError: It is none.
    """
    head = _head(content, place, most)
    missing = [axis for axis in "xyz" if axis not in head.names]
    if missing:
        raise TerrainError("a point has no such field", place=place, value=missing[0], legal=head.names)
    if not head.points:
        raise TerrainError("the file has no points", place=place)
    return head


def _head(content: bytes, place: str, most: int) -> PcdHead:
    told: dict[str, list[str]] = {}
    at, number = 0, 0
    while "DATA" not in told:
        end = content.find(b"\n", at, HEAD)
        if end < 0:
            raise TerrainError("is no PCD file", place=place, limit=f"FIELDS to DATA in {HEAD} bytes")
        words = content[at:end].decode("latin-1").split()
        at, number = end + 1, number + 1
        if not words or words[0].startswith("#"):
            continue
        if words[0] not in _ENTRIES:
            raise TerrainError(
                "there is no such entry in the head of a PCD file", place=f"{place}:{number}", value=words[0][:50],
                legal=_ENTRIES,
            )  # fmt: skip
        told[words[0]] = words[1:]
    head = PcdHead(begin=at, names=told.get("FIELDS", told.get("COLUMNS", [])))
    if not 1 <= len(head.names) <= _MOST_FIELDS:
        raise TerrainError("FIELDS names no fields", place=place, value=len(head.names), limit=f"1 to {_MOST_FIELDS}")
    # Some programs write X, Y and Z.
    head.names = [name.lower() if name in ("X", "Y", "Z") else name for name in head.names]
    if any(head.names.count(axis) > 1 for axis in "xyz"):
        raise TerrainError("a field stands twice", place=place, value=head.names[:20])
    widths = _each(told, "SIZE", "4", head, place)
    types = _each(told, "TYPE", "F", head, place)
    for name, kind, width in zip(head.names, types, widths, strict=True):
        each = _KINDS.get((kind, _whole(width, "SIZE", place)))
        if each is None:
            raise TerrainError(
                f"the field {name!r} has no such type", place=place, value=f"{kind}{width}",
                legal=[f"{letter}{size}" for letter, size in _KINDS],
            )  # fmt: skip
        head.kinds.append(each)
    for name, word in zip(head.names, _each(told, "COUNT", "1", head, place), strict=True):
        count = _whole(word, "COUNT", place)
        if count > _MOST_COUNT or (name in ("x", "y", "z") and count != 1):
            raise TerrainError(f"the field {name!r} has no such COUNT", place=place, value=count)
        head.counts.append(count)
    _sizes(told, head, place, most)
    if told["DATA"][:1] not in ([way] for way in _WAYS):
        raise TerrainError("DATA is of an unknown kind", place=place, value=" ".join(told["DATA"])[:50], legal=_WAYS)
    head.way = told["DATA"][0]
    if "VIEWPOINT" in told:
        try:
            head.viewpoint = tuple(float(word) for word in told["VIEWPOINT"])
        except ValueError as error:
            raise TerrainError("VIEWPOINT has numbers", place=place, value=" ".join(told["VIEWPOINT"])[:100]) from error
        if len(head.viewpoint) != 7:
            raise TerrainError("VIEWPOINT has seven numbers", place=place, value=len(head.viewpoint))
    return head


def _each(told: dict[str, list[str]], entry: str, usual: str, head: PcdHead, place: str) -> list[str]:
    """One word for each field; files of before version 0.7 may lack the entry."""
    count = len(head.names)
    words = told.get(entry, [usual] * count)
    if len(words) != count:
        what = f"{entry} has another number of words than FIELDS"
        raise TerrainError(what, place=place, value=len(words), limit=f"{count}")
    return words


def _sizes(told: dict[str, list[str]], head: PcdHead, place: str, most: int) -> None:
    numbers = {
        entry: _whole(" ".join(told[entry]), entry, place) for entry in ("WIDTH", "HEIGHT", "POINTS") if entry in told
    }
    if "WIDTH" not in numbers and "POINTS" not in numbers:
        raise TerrainError("the head does not say how many points there are", place=place, legal=("WIDTH", "POINTS"))
    head.sides = (numbers.get("WIDTH", numbers.get("POINTS", 0)), numbers.get("HEIGHT", 1))
    head.points = numbers.get("POINTS", math.prod(head.sides))
    if head.points != math.prod(head.sides):
        raise TerrainError("POINTS is not WIDTH times HEIGHT", place=place, value=head.points, limit=f"{head.sides}")
    few(head.points, most, "points", place)


def _whole(word: str, entry: str, place: str) -> int:
    if not (word.isascii() and word.isdecimal() and len(word) <= 12):
        raise TerrainError(f"{entry} is a whole number", place=place, value=word[:50])
    return int(word)


def _text(content: bytes, head: PcdHead, place: str, taken: int) -> Array:
    width = sum(head.counts)
    few(head.points * width, MOST_NUMBERS, "numbers", place)
    numbers = numbers_in(content[head.begin :], place, head.points * width)
    _whole_file(head.points * width, len(numbers), place)
    table = numbers[: head.points * width].reshape(head.points, width)[::taken]
    firsts = np.cumsum([0, *head.counts])
    return table[:, [int(firsts[head.names.index(axis)]) for axis in "xyz"]]


def record_of(head: PcdHead) -> np.dtype[np.void]:
    """A point as it is stored one after the other, with x, y and z."""
    ends = np.cumsum([0, *_bytes_of_fields(head)])
    at = [head.names.index(axis) for axis in "xyz"]
    return coordinates(["<" + head.kinds[k] for k in at], [int(ends[k]) for k in at], int(ends[-1]))


def _rows(content: bytes, head: PcdHead, place: str, taken: int) -> Array:
    """Points one after the other."""
    kind = record_of(head)
    _whole_file(head.begin + head.points * kind.itemsize, len(content), place)
    rows = np.frombuffer(content, kind, head.points, head.begin)[::taken]
    return np.stack([rows[axis].astype(np.float64) for axis in "xyz"], axis=-1)


def _packed(content: bytes, head: PcdHead, place: str, taken: int) -> Array:
    """All of a field one after the other, packed by LZF."""
    packed, parts = packed_fields(content[head.begin : head.begin + 8], head, len(content), place)
    begin, unpacked = head.begin + 8, sum(parts)
    few(unpacked, MOST_BYTES, "bytes", place)
    from andante.terrain.files.lzf import unpack_lzf

    out = np.zeros(unpacked, np.uint8)
    if unpack_lzf(np.frombuffer(content, np.uint8, packed, begin).copy(), out) != unpacked:
        raise TerrainError("the packed points are damaged", place=place)
    at = [head.names.index(axis) for axis in "xyz"]
    columns = [np.frombuffer(out, "<" + head.kinds[k], head.points, sum(parts[:k]))[::taken] for k in at]
    return np.stack([each.astype(np.float64) for each in columns], axis=-1)


def packed_fields(sizes: bytes, head: PcdHead, there: int, place: str) -> tuple[int, list[int]]:
    """How many packed bytes there are of packed points, and how many unpacked ones each field has.

    Args:
        sizes: The eight bytes behind the head.
        head: What the head says.
        there: Size of the file [bytes].
        place: The file.

    Raises:
        TerrainError: The file is cut short, or contradicts its head.
    """
    _whole_file(head.begin + 8, there, place)
    packed, unpacked = np.frombuffer(sizes, "<u4", 2).tolist()
    _whole_file(head.begin + 8 + packed, there, place)
    parts = [head.points * size for size in _bytes_of_fields(head)]
    if unpacked != sum(parts):
        raise TerrainError(
            "the packed points are not as large as the head says", place=place, value=unpacked, limit=f"{sum(parts)}"
        )
    return packed, parts


def _bytes_of_fields(head: PcdHead) -> list[int]:
    return [count * np.dtype(kind).itemsize for count, kind in zip(head.counts, head.kinds, strict=True)]


def _whole_file(end: int, there: int, place: str) -> None:
    if end > there:
        raise TerrainError("the PCD is cut short", place=place, value=there, limit=f"{end} at least")
