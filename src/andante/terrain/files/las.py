"""LAS and LAZ clouds of laser scanners as terrain, read by laspy and lazrs (extra ``terrain``).

The format: American Society for Photogrammetry & Remote Sensing, "LAS Specification 1.4 - R15". Its head is looked at
here before a library sees it.
"""

from __future__ import annotations

import io
import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np

from andante.errors import install
from andante.spatial.arrays import Array, Flags, Index
from andante.terrain.files.found import Points, measured
from andante.terrain.files.geo_units import (
    KEY_NUMBERS,
    KEY_TEXTS,
    KEYS,
    heights_in,
    lengths_of_keys,
    lengths_of_text,
)
from andante.terrain.files.laz_sizes import check_laz_sizes
from andante.terrain.files.limits import MOST_BYTES, thinned
from andante.terrain.height_map import TerrainError

HEAD = 375
"""Longest head that is looked at [bytes]."""
_SHORTEST, _RECORD, _EXTENDED_RECORD = 227, 54, 60
"""Shortest head of a file, and heads of a record and of one after the points [bytes]."""
_MOST_STORED = 50_000_000
"""Most points of a file, of which those between are left out."""
_CHUNK = 200_000
"""Points that are unpacked at a time."""
_WELL_KNOWN = 2112
"""Record that holds the well-known text of the coordinate system."""
_PACKED = 22204
"""Record that says how points are packed."""
_NOISE = (7, 18)
"""Classes of points that are noise: low and high."""


def read_las(content: bytes, place: str, layer: str | None = None, *, said: bool = False) -> Points:
    """The points of a LAS or LAZ file [m], without noise and those that are withheld.

    Of more points than clouds may have every second, third and so on is taken.

    Args:
        content: The file.
        place: The file's name.
        layer: Number of the class whose points alone count, such as 2 for ground; None: all but noise.
        said: Whether the user says the unit of heights, of which a file in feet has to say it else.

    Raises:
        TerrainError: laspy or lazrs is not installed; not such a file, cut short, too large, in degrees or in a unit
            that nobody says, or without such points.
    """
    count = stored(content[:HEAD], len(content), place, _MOST_STORED)
    need_laspy(place)
    import laspy

    notes: list[str] = []
    with damage_told(place), laspy.open(io.BytesIO(content), laz_backend=laspy.LazBackend.Lazrs) as reader:
        level, high = lengths(reader.header, place, notes, said=said)
        if reader.header.are_points_compressed:
            check_packed(reader.header, content, place)
        stride, fewer = thinned(count)
        places, classes, withheld = _points(reader, count, stride, place)
    places *= (level, level, high)
    notes += fewer
    tally = ClassTally(layer)
    counts = tally.counting(classes, withheld)
    notes += tally.notes(place)
    return Points(measured(places[counts]), tuple(notes))


def need_laspy(place: str) -> None:
    """Refuse to read without the packages that read such files.

    Raises:
        TerrainError: One of them is not installed.
    """
    for package in ("laspy", "lazrs"):
        if find_spec(package) is None:
            raise TerrainError(
                f"LAS and LAZ need the package {package}", place=place,
                remedy=f"{install('terrain')}, or pdal translate FIELD.laz FIELD.ply makes a cloud without",
            )  # fmt: skip


@contextmanager
def damage_told(place: str) -> Iterator[None]:
    """Tells whatever a library raises as one thing.

    Raises:
        TerrainError: It raised something.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, (TerrainError, MemoryError)):
            raise
        raise TerrainError("the cloud is damaged", place=place, value=_told(error)) from error
    except BaseException as error:
        # A panic of lazrs, which is no exception of Python's usual kind.
        if type(error).__name__ != "PanicException":
            raise
        raise TerrainError("the cloud is damaged", place=place, value=_told(error)) from error


def _told(error: BaseException) -> str:
    return " ".join(str(error).split())[:160]


def stored(content: bytes, size: int, place: str, most: int) -> int:
    """Points of a file, as its head tells them.

    Args:
        content: The file's first `HEAD` bytes.
        size: Its size [bytes].
        place: Its name.
        most: Most points.

    Raises:
        TerrainError: Not such a file, or what its head tells does not go into it.
    """
    if content[:4] != b"LASF" or size < _SHORTEST:
        raise TerrainError("is no LAS file", place=place, value=content[:4])
    head, begin, records = struct.unpack_from("<HII", content, 94)
    kind, width, count = struct.unpack_from("<BHI", content, 104)
    late, lates = 0, 0
    if content[24:26] == b"\1\4" and size >= head >= HEAD:
        late, lates, long = struct.unpack_from("<QIQ", content, 235)
        count = int(long or count)
    if not (_SHORTEST <= head <= begin <= size and records * _RECORD <= begin - head) or (
        lates and late + lates * _EXTENDED_RECORD > size
    ):
        raise TerrainError(
            "the cloud is cut short or its head is wrong", place=place, value=f"{records} records before {begin}",
            limit=f"{size} bytes",
        )  # fmt: skip
    if begin > MOST_BYTES or (lates and size - late > MOST_BYTES):
        raise TerrainError("the records beside the points are too large", place=place, limit=f"{MOST_BYTES} bytes")
    # The two highest bits of the kind say that points are packed.
    if kind < 64 and begin + count * width > size:
        raise TerrainError(
            "the cloud is cut short", place=place, value=f"{size} bytes",
            limit=f"{count} points of {width} bytes from {begin} on",
        )  # fmt: skip
    if not 0 < count <= most:
        raise TerrainError(
            "a cloud has points", place=place, value=count, limit=f"1 to {most}", remedy="thin it",
        )  # fmt: skip
    return int(count)


def _points(reader: Any, count: int, stride: int, place: str) -> tuple[Array, Index, Flags]:
    """Places (n, 3) in the file's units, class and whether it is withheld of every ``stride``-th point."""
    places, classes, withheld = [], [], []
    begin = 0
    while begin < count:
        chunk = reader.read_points(min(_CHUNK, count - begin))
        if not len(chunk):
            raise TerrainError("the cloud is cut short", place=place, value=begin, limit=f"{count} points")
        taken = slice(-begin % stride, None, stride)
        places.append(np.stack([np.array(chunk[axis], dtype=np.float64)[taken] for axis in "xyz"], axis=-1))
        classes.append(np.array(chunk["classification"], dtype=np.int64)[taken])
        withheld.append(np.array(chunk["withheld"], dtype=np.bool_)[taken])
        begin += len(chunk)
    return np.concatenate(places), np.concatenate(classes), np.concatenate(withheld)


def check_packed(header: Any, content: bytes | mmap.mmap, place: str) -> None:
    """Look at the sizes that a LAZ file tells; see `check_laz_sizes`.

    Raises:
        TerrainError: They do not go into the file.
    """
    record = next((each for each in header.vlrs if each.record_id == _PACKED), None)
    if record is None:
        raise TerrainError("no record says how the points are packed", place=place, limit=f"record {_PACKED}")
    check_laz_sizes(content, header.offset_to_point_data, bytes(record.record_data_bytes()), place)


def lengths(header: Any, place: str, notes: list[str], *, said: bool) -> tuple[float, float]:
    """Length of the units of x and y, and of heights [m]."""
    records = [*header.vlrs, *(header.evlrs or ())]
    own = [each for each in records if each.user_id.strip("\0 ") == "LASF_Projection"]
    raw = {each.record_id: bytes(each.record_data_bytes()) for each in own}
    if _WELL_KNOWN in raw:
        level, high = lengths_of_text(raw[_WELL_KNOWN].decode("utf-8", errors="replace"), place)
        return level, heights_in(level, high, said=said, place=place)
    if KEYS not in raw:
        return 1.0, 1.0
    tags: dict[int, Any] = {
        KEYS: np.frombuffer(raw[KEYS], "<u2", len(raw[KEYS]) // 2),
        KEY_TEXTS: raw.get(KEY_TEXTS, b"").decode("latin-1"),
    }
    if KEY_NUMBERS in raw:
        tags[KEY_NUMBERS] = np.frombuffer(raw[KEY_NUMBERS], "<f8", len(raw[KEY_NUMBERS]) // 8)
    return lengths_of_keys(tags, place, notes, said=said)


class ClassTally:
    """Which points count by their classes, and what there is to tell of them."""

    def __init__(self, layer: str | None) -> None:
        """Points of one class alone, or of all but noise (None)."""
        self._layer = layer
        self._all = self._left_out = 0
        self._seen, self._taken = np.zeros(256, np.bool_), np.zeros(256, np.bool_)

    def counting(self, classes: Index, withheld: Flags) -> Flags:
        """Which of some points count."""
        counts: Flags = ~withheld
        if self._layer is not None:
            counts &= classes == (int(self._layer) if self._layer.isdecimal() and len(self._layer) < 4 else -1)
        else:
            counts &= ~np.isin(classes, _NOISE)
        self._all += len(counts)
        self._left_out += int((~counts).sum())
        self._seen[classes], self._taken[classes[counts]] = True, True
        return counts

    def notes(self, place: str) -> list[str]:
        """What a user should know of those that were looked at.

        Raises:
            TerrainError: None of them counts.
        """
        if self._layer is not None:
            if self._left_out == self._all:
                legal = [str(each) for each in np.flatnonzero(self._seen)]
                raise TerrainError("no point is of this class", place=place, value=self._layer, legal=legal)
            return []
        notes = []
        if self._left_out:
            notes.append(f"{self._left_out} points are withheld or of a class of noise, and left out")
        if self._left_out == self._all:
            raise TerrainError("no point counts: all are withheld or noise", place=place, value=self._all)
        told = np.flatnonzero(self._taken)
        if len(told) > 1 and 2 in told:
            notes.append(
                f"points of the classes {', '.join(map(str, told))} count; layer=2 takes those of the ground alone"
            )
        return notes
