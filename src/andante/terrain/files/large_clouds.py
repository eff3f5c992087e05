"""Clouds that are larger than what is read at once: which files they are, and who reads them in parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from andante.documents.budget import took
from andante.documents.files import opened
from andante.documents.problems import DocumentError
from andante.terrain.files.cloud_source import LARGEST, CloudSource, refuse_holes
from andante.terrain.files.limits import MOST_BYTES
from andante.terrain.files.options import FileOptions
from andante.terrain.files.pcd_parts import pcd_in_parts
from andante.terrain.height_map import TerrainError

THIN = "thin it, for example by pdal's filters.sample or in CloudCompare: a point for each 5 mm is enough"
"""What makes a smaller cloud."""


@dataclass(frozen=True, eq=False)
class LargeCloud:
    """A cloud whose points are read in parts."""

    source: CloudSource
    """The points, in the units and axes of the file."""
    notes: tuple[str, ...]
    """What a user should know of the reading."""


_Opener = Callable[[IO[bytes], str, FileOptions, ExitStack], CloudSource]
IN_PARTS: Mapping[str, _Opener] = {".pcd": pcd_in_parts}
"""Who reads which kind of cloud in parts."""


def is_large(path: Path) -> bool:
    """Whether a file is a cloud that is read in parts."""
    try:
        return path.suffix.lower() in IN_PARTS and path.stat().st_size > MOST_BYTES
    except OSError:
        # Who reads it says why.
        return False


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
            source = IN_PARTS[path.suffix.lower()](file, place, options, stack)
            yield LargeCloud(source, (f"{size / 1e6:.0f} MB of points were read in parts",))
    except DocumentError as error:
        raise TerrainError(f"the file {error.what}", place=place, value=error.value, limit=error.limit) from error
