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
from andante.terrain.files.cloud_source import LARGEST, CloudSource, refuse_holes
from andante.terrain.files.las_parts import las_in_parts
from andante.terrain.files.limits import MOST_BYTES, MOST_ROWS, MOST_TEXT
from andante.terrain.files.options import FileOptions
from andante.terrain.files.pcd_parts import pcd_in_parts
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
    """Whether a file is a cloud, or text, that is larger than what is read at once."""
    suffix = path.suffix.lower()
    if suffix not in IN_PARTS:
        return False
    try:
        size = path.stat().st_size
        if size > MOST_BYTES or (size > MOST_TEXT and (suffix in TEXTS or _is_text(path))):
            return True
        return suffix in TEXTS and size > _SHORTEST_ROW * MOST_ROWS and _rows(path) > MOST_ROWS
    except (OSError, DocumentError):
        # Who reads it says why.
        return False


def _is_text(path: Path) -> bool:
    """Whether the points of a PCD or PLY file are text."""
    head = read_head(path, _HEAD)
    return b"\nDATA ascii" in head or b"\nformat ascii" in head


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
            suffix = path.suffix.lower()
            source = IN_PARTS[suffix](file, place, options, stack)
            # Text tells it in its own unit.
            nodata = None if suffix in TEXTS else options.nodata
            yield LargeCloud(source, (f"{size / 1e6:,.0f} MB of points were read in parts",), nodata)
    except DocumentError as error:
        raise TerrainError(f"the file {error.what}", place=place, value=error.value, limit=error.limit) from error
