"""LAS and LAZ clouds that are too large to be held: read in parts."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Any

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.cloud_source import LARGEST, MOST_IN_PARTS, CloudSource, kept_on_disk
from andante.terrain.files.found import measured
from andante.terrain.files.las import HEAD, ClassTally, check_packed, damage_told, lengths, need_laspy, stored
from andante.terrain.files.limits import thinned
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

_CHUNK = 100_000
"""Stored points that are taken at a time."""


def las_in_parts(file: IO[bytes], place: str, options: FileOptions, stack: ExitStack) -> CloudSource:
    """The points of a LAS or LAZ file, as `andante.terrain.files.las.read_las` has them.

    Packed points are unpacked once, onto the disk.

    Raises:
        TerrainError: As `read_las`, or the disk has no room.
    """
    count = stored(file.read(HEAD), os.fstat(file.fileno()).st_size, place, LARGEST)
    need_laspy(place)
    import laspy

    notes: list[str] = []
    with damage_told(place):
        file.seek(0)
        reader = stack.enter_context(laspy.open(file, laz_backend=laspy.LazBackend.Lazrs, closefd=False))
        level, high = lengths(reader.header, place, notes, said=options.heights_said)
    source = _LasPoints(reader, count, (level, level, high), options.layer, place, tuple(notes))
    if not reader.header.are_points_compressed:
        return source
    with damage_told(place), mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        check_packed(reader.header, content, place)
    return kept_on_disk(_all(source), source.size, place, stack, source.notes)


def _all(source: _LasPoints) -> Iterator[Array]:
    for begin in range(0, source.size, _CHUNK):
        yield source.part(begin, min(_CHUNK, source.size - begin))


class _LasPoints:
    """Points by a reader of laspy, in metres."""

    def __init__(
        self, reader: Any, count: int, units: tuple[float, float, float], layer: str | None, place: str,
        told: tuple[str, ...],
    ) -> None:  # fmt: skip
        self._reader, self._count, self._units, self._layer, self._place = reader, count, units, layer, place
        self._stride, fewer = thinned(count, MOST_IN_PARTS)
        self._told = (*told, *fewer)
        self._at = 0
        self._tallied: set[int] = set()
        self._tally = ClassTally(layer)

    @property
    def size(self) -> int:
        return -(-self._count // self._stride)

    def part(self, begin: int, count: int) -> Array:
        first = begin not in self._tallied
        tally = self._tally if first else ClassTally(self._layer)
        self._tallied.add(begin)
        found = []
        at, end = begin * self._stride, min(self._count, (begin + count) * self._stride)
        with damage_told(self._place):
            if at != self._at:
                self._reader.seek(at)
            while at < end:
                chunk = self._reader.read_points(min(_CHUNK, end - at))
                if not len(chunk):
                    raise TerrainError(
                        "the cloud is cut short", place=self._place, value=at, limit=f"{self._count} points"
                    )
                taken = slice(-at % self._stride, None, self._stride)
                places = np.stack([np.array(chunk[axis], dtype=np.float64)[taken] for axis in "xyz"], axis=-1)
                classes = np.array(chunk["classification"], dtype=np.int64)[taken]
                withheld = np.array(chunk["withheld"], dtype=np.bool_)[taken]
                places *= self._units
                found.append(places[tally.counting(classes, withheld)])
                at += len(chunk)
        self._at = at
        return measured(np.concatenate(found))

    def notes(self) -> tuple[str, ...]:
        return (*self._told, *self._tally.notes(self._place))
