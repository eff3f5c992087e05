"""Clouds that are too large to be held at once: where their points come from, some at a time."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, Protocol

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.found import endless_heights, is_nodata, measured, told_endless
from andante.terrain.files.height_range import HeightRange
from andante.terrain.files.limits import MOST_BYTES, thinned
from andante.terrain.height_map import TerrainError

LARGEST = 4_000_000_000
"""Largest file of a cloud that is read in parts [bytes]."""
MOST_IN_PARTS = 64_000_000
"""Most points of it; of more some are taken."""
PART = 250_000
"""Points that are asked for at a time."""
_MOST_TIMES = 50
"""How many times larger than its packed file a cloud may be; honest ones are up to ten times, zeros a thousand."""
_PIECE = 4_000_000
"""Bytes that are read at a time."""
_LONGEST_POINT = 65_536
"""Most bytes of a point."""
_PLACES = np.dtype([("x", "<f8"), ("y", "<f8"), ("z", "<f8")])
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.ENOENT)
"""What a disk says that cannot take a file, and a system without a folder for such ones."""
_EXTENTS = 10_000
"""Pieces of a file between holes that are looked at."""


def most_unpacked(size: int) -> int:
    """How large a cloud may become whose packed file has this size [bytes]."""
    return min(LARGEST, MOST_BYTES + _MOST_TIMES * size)


class CloudSource(Protocol):
    """Points that are stored one behind the other."""

    @property
    def size(self) -> int:
        """How many can be asked for."""

    def part(self, begin: int, count: int) -> Array:
        """x, y and z of ``count`` points from ``begin`` on, (n, 3), n at most ``count``: those that count, in the units
        and axes of the file, NaN where nothing was measured.

        Raises:
            TerrainError: The file is cut short or damaged.
        """

    def notes(self) -> tuple[str, ...]:
        """What a user should know of the reading, once all points were read.

        Raises:
            TerrainError: No point counts.
        """


@dataclass(frozen=True, eq=False)
class FixedRows:
    """Points in records of one size."""

    file: IO[bytes]
    """The file, open."""
    begin: int
    """Where the records begin [bytes]."""
    kind: np.dtype[np.void]
    """A record, with x, y and z."""
    size: int
    """How many points are given."""
    place: str
    """The file's name."""
    stride: int = 1
    """From a record to the next one that is given."""
    told: tuple[str, ...] = ()
    """What a user should know."""

    @staticmethod
    def of(
        file: IO[bytes], begin: int, kind: np.dtype[np.void], count: int, place: str, told: tuple[str, ...] = ()
    ) -> FixedRows:
        """The points of ``count`` records; of more than `MOST_IN_PARTS` some.

        Raises:
            TerrainError: The file is cut short, or a record is too long.
        """
        size = os.fstat(file.fileno()).st_size
        if begin + count * kind.itemsize > size:
            raise TerrainError(
                "the cloud is cut short", place=place, value=f"{size} bytes",
                limit=f"{count} points of {kind.itemsize} bytes from {begin} on",
            )  # fmt: skip
        if kind.itemsize > _LONGEST_POINT:
            raise TerrainError("a point is too long", place=place, value=kind.itemsize, limit=f"{_LONGEST_POINT} bytes")
        stride, fewer = thinned(count, MOST_IN_PARTS)
        return FixedRows(file, begin, kind, -(-count // stride), place, stride, (*told, *fewer))

    def part(self, begin: int, count: int) -> Array:
        """x, y and z of ``count`` points from ``begin`` on; see `CloudSource`."""
        places = np.empty((count, 3))
        step = self.kind.itemsize * self.stride
        many = max(1, _PIECE // step)
        for start in range(0, count, many):
            rows = min(many, count - start)
            self.file.seek(self.begin + (begin + start) * step)
            # Of the last point that is given those behind it may lack.
            wanted = (rows - 1) * step + self.kind.itemsize
            raw = self.file.read(wanted)
            if len(raw) < wanted:
                raise TerrainError("the cloud became shorter while it was read", place=self.place)
            table = np.frombuffer(raw, self.kind)[:: self.stride]
            for axis, name in enumerate("xyz"):
                places[start : start + rows, axis] = table[name]
        return measured(places)

    def notes(self) -> tuple[str, ...]:
        """What a user should know."""
        return self.told


def kept_on_disk(
    blocks: Iterable[Array], most: int, place: str, stack: ExitStack, notes: Callable[[], tuple[str, ...]]
) -> CloudSource:
    """Points that are read once, (n, 3) each time, and kept in a file without a name for the readings after it.

    Args:
        blocks: The points.
        most: How many there may be, for the message where the disk has no room.
        place: The cloud's file.
        stack: What closes the file of the points.
        notes: What a user should know, once all are read.

    Raises:
        TerrainError: The disk has no room.
    """
    file = stack.enter_context(scratch(place, most * _PLACES.itemsize))
    count = 0
    for places in blocks:
        file.write(np.ascontiguousarray(places, dtype="<f8").tobytes())
        count += len(places)
    file.flush()
    return FixedRows(file, 0, _PLACES, count, place, told=notes())


class CloudParts:
    """A cloud as a map has it: its points in metres, z up, some at a time."""

    def __init__(
        self,
        source: CloudSource,
        change: Callable[[Array], Array],
        nodata: float | None = None,
        size: int | None = None,
        span: HeightRange | None = None,
    ) -> None:
        """A cloud of a source.

        Args:
            source: Its points as they are stored.
            change: What makes metres and z up of points (n, 3).
            nodata: Height that says unknown; None: there is none.
            size: How many stored points a part has; None: `PART`.
            span: Heights that count [m]; None: all.
        """
        self._source, self._change, self._nodata = source, change, nodata
        self._size = PART if size is None else size
        self._span = span or HeightRange()
        self._endless: dict[int, int] = {}
        self._out: dict[int, int] = {}

    @property
    def stored(self) -> int:
        """How many points are stored."""
        return self._source.size

    @property
    def count(self) -> int:
        """How many parts there are."""
        return -(-self.stored // self._size)

    def part(self, number: int) -> Array:
        """x, y and z of the points of a part, (n, 3) [m]."""
        begin = number * self._size
        places = self._source.part(begin, min(self._size, self.stored - begin))
        if self._nodata is not None:
            places[is_nodata(places[:, 2], self._nodata), 2] = np.nan
        endless = endless_heights(places[:, 2])
        self._endless[number] = int(endless.sum())
        if self._endless[number]:
            places[endless, 2] = np.nan
        changed, self._out[number] = self._span.taken(self._change(places))
        return changed

    def parts(self) -> Iterator[Array]:
        """All parts in their order."""
        return (self.part(number) for number in range(self.count))

    @property
    def out(self) -> int:
        """How many points have a height that does not count, once all parts were read."""
        return sum(self._out.values())

    def notes(self) -> tuple[str, ...]:
        """What a user should know, once all parts were read."""
        endless = sum(self._endless.values())
        return (*self._source.notes(), *told_endless(endless))


@contextmanager
def scratch(place: str, size: int) -> Iterator[IO[bytes]]:
    """A file without a name for some bytes of a cloud, which goes when it is closed.

    Raises:
        TerrainError: The disk has no room for it.
    """
    try:
        with tempfile.TemporaryFile() as file:
            yield file
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        raise TerrainError(
            f"a cloud of this size is sorted on the disk, which cannot be written: {error.strerror or error}",
            place=place, limit=f"{size / 1e6:.0f} MB in {tempfile.gettempdir()}",
            remedy="make room there, or name a folder that has some in TMPDIR",
        ) from error  # fmt: skip


def refuse_holes(file: IO[bytes], place: str) -> None:
    """Refuse a file most of which was never written, as a copy that was broken off leaves it.

    Raises:
        TerrainError: It is one.
    """
    handle, size = file.fileno(), os.fstat(file.fileno()).st_size
    there, at = 0, 0
    try:
        for _ in range(_EXTENTS):
            begin = os.lseek(handle, at, os.SEEK_DATA)
            at = os.lseek(handle, begin, os.SEEK_HOLE)
            there += at - begin
            if at >= size:
                break
        else:
            return
    except (OSError, AttributeError):
        # No data behind it, or a system that does not tell.
        if not hasattr(os, "SEEK_DATA"):
            return
    finally:
        os.lseek(handle, 0, os.SEEK_SET)
    if 2 * there < size:
        raise TerrainError(
            "most of the file was never written", place=place, value=f"{there} bytes", limit=f"{size} bytes",
            remedy="copy or download it again",
        )  # fmt: skip
