"""Whether the sizes that a LAZ file tells of its parts go into the file; unpackers ask for that much memory.

The way of storing: "LAZ Specification 1.4 - R1", rapidlasso and Hobu: chunks one behind the other, each of new kinds of
points with a first point, a count and the sizes of its layers; the place of the table of chunks stands before them.
"""

from __future__ import annotations

import mmap
import struct

from andante.terrain.height_map import TerrainError

_LAYERED = 3
"""Way of storing by chunks whose fields are layers."""
_LAYERS = {10: 9, 11: 1, 12: 2, 13: 1}
"""Layers of the items of a point by their kinds; extra bytes (kind 14) have one each."""
_EXTRA = 14
_MOST_CHUNKS = 1_000_000
"""Most chunks that are looked at; one has some ten thousand points."""
_ITEM = struct.Struct("<HHH")


def check_laz_sizes(content: bytes | mmap.mmap, begin: int, record: bytes, place: str) -> None:
    """Look at the sizes of chunks and layers.

    Args:
        content: The file.
        begin: Where its points begin.
        record: The record that says how points are packed.
        place: The file's name.

    Raises:
        TerrainError: They do not go into the file.
    """
    try:
        _check(content, begin, record)
    except (struct.error, ValueError) as error:
        raise TerrainError("the packed cloud is damaged", place=place, value=str(error)[:120]) from error


def _check(content: bytes | mmap.mmap, begin: int, record: bytes) -> None:
    (way,), (count,) = (struct.unpack_from("<H", record, at) for at in (0, 32))
    items = [_ITEM.unpack_from(record, 34 + 6 * number) for number in range(count)]
    size = sum(each[1] for each in items)
    (table,) = struct.unpack_from("<q", content, begin)
    at = begin + 8
    if table == -1:
        (table,) = struct.unpack_from("<q", content, len(content) - 8)
    if not at <= table <= len(content) - 8:
        raise ValueError(f"its table of chunks lies at {table} of {len(content)} bytes")
    (chunks,) = struct.unpack_from("<I", content, table + 4)
    # A chunk has a whole point at least.
    if chunks > _MOST_CHUNKS or chunks * max(size, 1) > len(content):
        raise ValueError(f"{chunks} chunks in {len(content)} bytes")
    if way != _LAYERED:
        return
    layers = sum(width if kind == _EXTRA else _LAYERS.get(kind, 0) for kind, width, _ in items)
    for _ in range(chunks):
        sizes = struct.unpack_from(f"<{layers}I", content, at + size + 4)
        at += size + 4 + 4 * layers + sum(sizes)
        if at > table:
            raise ValueError(f"layers of {sum(sizes)} bytes end at {at}, behind the chunks at {table}")
