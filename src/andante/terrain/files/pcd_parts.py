"""PCD clouds of the Point Cloud Library that are too large to be held: read in parts."""

from __future__ import annotations

from contextlib import ExitStack
from typing import IO

import numpy as np

from andante.terrain.files.cloud_source import LARGEST, CloudSource, FixedRows
from andante.terrain.files.options import FileOptions
from andante.terrain.files.pcd import HEAD, pcd_head, record_of
from andante.terrain.files.text_parts import rows_of_numbers
from andante.terrain.height_map import TerrainError


def pcd_in_parts(file: IO[bytes], place: str, options: FileOptions, stack: ExitStack) -> CloudSource:
    """The points of a PCD file, as `andante.terrain.files.pcd.read_pcd` has them.

    Raises:
        TerrainError: Not such a file, cut short, packed, or without x, y and z.
    """
    head = pcd_head(file.read(HEAD), place, LARGEST)
    if head.way == "binary_compressed":
        raise TerrainError(
            "a cloud of this size is read in parts, which binary_compressed does not allow", place=place,
            value=head.way, legal=("binary", "ascii"),
            remedy="pcl_convert_pcd_ascii_binary FIELD.pcd BINARY.pcd 1 unpacks it",
        )  # fmt: skip
    if head.way == "ascii":
        firsts = np.cumsum([0, *head.counts])
        columns = [int(firsts[head.names.index(axis)]) for axis in "xyz"]
        width = sum(head.counts)
        return rows_of_numbers(file, head.begin, 0, head.points, width, columns, place, stack, head.notes())
    return FixedRows.of(file, head.begin, record_of(head), head.points, place, head.notes())
