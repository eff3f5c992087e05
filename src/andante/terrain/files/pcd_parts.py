"""PCD clouds of the Point Cloud Library that are too large to be held: read in parts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.cloud_source import LARGEST, MOST_IN_PARTS, CloudSource, FixedRows, most_unpacked, scratch
from andante.terrain.files.found import measured
from andante.terrain.files.limits import thinned
from andante.terrain.files.options import FileOptions
from andante.terrain.files.pcd import HEAD, PcdHead, packed_fields, pcd_head, record_of
from andante.terrain.files.text_parts import rows_of_numbers
from andante.terrain.height_map import TerrainError

_PIECE = 1_000_000
"""Packed bytes that are read at a time, and about how many come out at a time."""


def pcd_in_parts(file: IO[bytes], place: str, options: FileOptions, stack: ExitStack) -> CloudSource:
    """The points of a PCD file, as `andante.terrain.files.pcd.read_pcd` has them.

    Packed points are unpacked once, onto the disk.

    Raises:
        TerrainError: Not such a file, cut short, damaged, without x, y and z, or the disk has no room.
    """
    head = pcd_head(file.read(HEAD), place, LARGEST)
    if head.way == "ascii":
        firsts = np.cumsum([0, *head.counts])
        columns = [int(firsts[head.names.index(axis)]) for axis in "xyz"]
        width = sum(head.counts)
        return rows_of_numbers(file, head.begin, 0, head.points, width, columns, place, stack, head.notes())
    if head.way == "binary":
        return FixedRows.of(file, head.begin, record_of(head), head.points, place, head.notes())
    return _fields(file, head, place, stack)


def unpacked_size(head: bytes) -> int:
    """How large the points of a PCD file are when they are unpacked, by its first bytes; 0: they are not packed."""
    mark = b"\nDATA binary_compressed"
    at = head.find(b"\n", head.find(mark) + len(mark)) + 1 if mark in head else 0
    return int.from_bytes(head[at + 4 : at + 8], "little") if at else 0


@dataclass(frozen=True, eq=False)
class _Fields:
    """Points whose x, y and z stand in three rows of numbers."""

    file: IO[bytes]
    begins: tuple[int, ...]
    """Where x, y and z begin [bytes]."""
    kinds: tuple[np.dtype[np.void], ...]
    """Of which kind they are."""
    size: int
    """How many points are given."""
    stride: int
    """From a point to the next one that is given."""
    told: tuple[str, ...]
    place: str

    def part(self, begin: int, count: int) -> Array:
        """x, y and z of ``count`` points from ``begin`` on; see `CloudSource`."""
        places = np.empty((count, 3))
        numbers = (count - 1) * self.stride + 1 if count else 0
        for axis, (first, kind) in enumerate(zip(self.begins, self.kinds, strict=True)):
            self.file.seek(first + begin * self.stride * kind.itemsize)
            raw = self.file.read(numbers * kind.itemsize)
            places[:, axis] = np.frombuffer(raw, kind)[:: self.stride]
        return measured(places)

    def notes(self) -> tuple[str, ...]:
        """What a user should know."""
        return self.told


def _fields(file: IO[bytes], head: PcdHead, place: str, stack: ExitStack) -> CloudSource:
    """Points of which all of a field stand one after the other, packed by LZF."""
    file.seek(head.begin)
    size = os.fstat(file.fileno()).st_size
    packed, parts = packed_fields(file.read(8), head, size, place)
    if sum(parts) > (most := most_unpacked(size)):
        what = "the packed points are too large when unpacked"
        raise TerrainError(what, place=place, value=sum(parts), limit=f"{most} bytes")
    ends = np.cumsum([0, *parts]).tolist()
    at = {axis: head.names.index(axis) for axis in "xyz"}
    kept = sorted(at.values())
    out = stack.enter_context(scratch(place, sum(parts[field] for field in kept)))
    made = 0
    for block in _unpacked(file, packed, place):
        for field in kept:
            first, last = max(made, ends[field]), min(made + len(block), ends[field + 1])
            if first < last:
                out.write(block[first - made : last - made])
        made += len(block)
        if made > ends[-1]:
            break
    if made != ends[-1]:
        raise TerrainError("the packed points are damaged", place=place, value=f"{made} bytes", limit=f"{ends[-1]}")
    out.flush()
    begins = {field: sum(parts[each] for each in kept if each < field) for field in kept}
    stride, fewer = thinned(head.points, MOST_IN_PARTS)
    return _Fields(
        out, tuple(begins[at[axis]] for axis in "xyz"), tuple(np.dtype("<" + head.kinds[at[axis]]) for axis in "xyz"),
        -(-head.points // stride), stride, (*head.notes(), *fewer), place,
    )  # fmt: skip


def _unpacked(file: IO[bytes], packed: int, place: str) -> Iterator[bytes]:
    """What packed bytes are unpacked, some at a time."""
    from andante.terrain.files.lzf import BACK, unpack_lzf_on

    out, made, rest = np.zeros(BACK + _PIECE, np.uint8), 0, b""
    while packed or rest:
        if len(rest) < _PIECE:
            piece = file.read(min(packed, _PIECE))
            packed, rest = packed - len(piece), rest + piece
        raw, before = np.frombuffer(rest, np.uint8).copy(), made
        taken, made = unpack_lzf_on(raw, out, made)
        if taken <= 0:
            raise TerrainError("the packed points are damaged", place=place)
        yield out[before:made].tobytes()
        rest = raw[taken:].tobytes()
        kept = min(made, BACK)
        out[:kept] = out[made - kept : made].copy()
        made = kept
