"""Clouds that are larger than what is read at once: which files they are, and who reads them in parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from andante.documents.budget import took
from andante.documents.files import opened, read_head
from andante.documents.problems import DocumentError
from andante.terrain.files.cloud_source import LARGEST, CloudSource, most_unpacked, refuse_holes, scratch
from andante.terrain.files.las_parts import las_in_parts
from andante.terrain.files.limits import MOST_BYTES, MOST_ROWS, MOST_TEXT
from andante.terrain.files.options import FileOptions
from andante.terrain.files.packing import suffixes_of, unpacked_blocks
from andante.terrain.files.pcd_parts import pcd_in_parts, unpacked_size
from andante.terrain.files.ply_parts import ply_in_parts
from andante.terrain.files.text_parts import TEXTS, text_in_parts
from andante.terrain.height_map import TerrainError

_HEAD = 65_536
"""Where the head of a PCD or PLY file tells that it is text [bytes]."""
_SHORTEST_ROW = 6
"""Fewest bytes of a row of three numbers."""
_COUNTED = 1_000_000
"""Bytes in which rows are counted at a time."""
THIN = "thin it, for example by pdal's filters.sample or in CloudCompare: a point for each 5 mm is enough"
"""What makes a smaller cloud."""


@dataclass(frozen=True, eq=False)
class LargeCloud:
    """A cloud whose points are read in parts."""

    source: CloudSource
    """The points, in the units and axes of the file."""
    notes: tuple[str, ...]
    """What a user should know of the reading."""
    nodata: float | None
    """Height of the points that says unknown; None: there is none, or it is done with."""


_Opener = Callable[[IO[bytes], str, FileOptions, ExitStack], CloudSource]
IN_PARTS: Mapping[str, _Opener] = {
    ".pcd": pcd_in_parts,
    ".ply": ply_in_parts,
    ".las": las_in_parts,
    ".laz": las_in_parts,
    **dict.fromkeys(TEXTS, text_in_parts),
}
"""Who reads which kind of cloud in parts."""


def is_large(path: Path) -> bool:
    """Whether a file is a cloud, or text, that is larger than what is read at once, or becomes so when unpacked."""
    suffix, packing = suffixes_of(path)
    if suffix not in IN_PARTS:
        return False
    try:
        if packing:
            with opened(path, str(path)) as file:
                return _becomes_large(unpacked_blocks(file, packing, str(path)), suffix)
        size = path.stat().st_size
        if size > MOST_BYTES or _tells_large(read_head(path, _HEAD), size, suffix):
            return True
        return suffix in TEXTS and size > _SHORTEST_ROW * MOST_ROWS and _rows(path) > MOST_ROWS
    except (OSError, DocumentError, TerrainError):
        # Who reads it says why.
        return False


def _tells_large(head: bytes, size: int, suffix: str) -> bool:
    """Whether a file of this size [bytes] is too large by what stands in front."""
    text = suffix in TEXTS or b"\nDATA ascii" in head or b"\nformat ascii" in head
    return (text and size > MOST_TEXT) or (suffix == ".pcd" and unpacked_size(head) > MOST_BYTES)


def _becomes_large(blocks: Iterator[bytes], suffix: str) -> bool:
    """Whether what is unpacked is too large; not more of it is than tells it."""
    head, size, rows = b"", 0, 0
    for block in blocks:
        head = head or block[:_HEAD]
        size += len(block)
        rows += block.count(b"\n") if suffix in TEXTS else 0
        if size > MOST_BYTES or rows > MOST_ROWS or _tells_large(head, size, suffix):
            return True
    return False


def _rows(path: Path) -> int:
    with opened(path, str(path)) as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(_COUNTED), b""))


@contextmanager
def large_cloud(path: Path, options: FileOptions) -> Iterator[LargeCloud]:
    """A cloud that is read in parts, open.

    Raises:
        TerrainError: It cannot be read, is too large, or was never written to its end; or as its reader.
    """
    place = str(path)
    try:
        with opened(path, place) as file, ExitStack() as stack:
            size = os.fstat(file.fileno()).st_size
            if size > LARGEST:
                what = "the file is too large"
                raise TerrainError(what, place=place, value=size, limit=f"{LARGEST} bytes", remedy=THIN)
            refuse_holes(file, place)
            took(size)
            suffix, packing = suffixes_of(path)
            if packing:
                file = stack.enter_context(_unpacked(file, size, packing, place))
                size = os.fstat(file.fileno()).st_size
            source = IN_PARTS[suffix](file, place, options, stack)
            # Text tells it in its own unit.
            nodata = None if suffix in TEXTS else options.nodata
            yield LargeCloud(source, (f"{size / 1e6:,.0f} MB of points were read in parts",), nodata)
    except DocumentError as error:
        raise TerrainError(f"the file {error.what}", place=place, value=error.value, limit=error.limit) from error


@contextmanager
def _unpacked(file: IO[bytes], size: int, packing: str, place: str) -> Iterator[IO[bytes]]:
    """What stands packed in a file of this size [bytes], on the disk.

    Raises:
        TerrainError: It cannot be unpacked, is too large, or the disk has no room.
    """
    most = most_unpacked(size)
    file.seek(0)
    with scratch(place, most) as whole:
        for block in unpacked_blocks(file, packing, place):
            took(len(block))
            if whole.tell() + len(block) > most:
                what = "the file is too large when unpacked"
                raise TerrainError(what, place=place, limit=f"{most} bytes", remedy=THIN)
            whole.write(block)
        whole.flush()
        whole.seek(0)
        yield whole
