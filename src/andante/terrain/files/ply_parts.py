"""PLY clouds that are too large to be held: read in parts."""

from __future__ import annotations

from contextlib import ExitStack
from typing import IO

import numpy as np

from andante.terrain.files.cloud_source import CloudSource, FixedRows
from andante.terrain.files.found import coordinates
from andante.terrain.files.options import FileOptions
from andante.terrain.files.ply import HEAD, PlyElement, axes_of, note_of_strips, ply_head
from andante.terrain.files.text_parts import rows_of_numbers
from andante.terrain.height_map import TerrainError


def ply_in_parts(file: IO[bytes], place: str, options: FileOptions, stack: ExitStack) -> CloudSource:
    """The points of a PLY file without faces, as `andante.terrain.files.ply.read_ply` has them.

    Raises:
        TerrainError: Not such a file, cut short, a mesh, or without x, y and z.
    """
    order, elements, begin = ply_head(file.read(HEAD), place)
    if any(element.name == "face" and element.count for element in elements):
        raise TerrainError(
            "a mesh is read as a whole, and this one is too large", place=place,
            remedy="simplify it, or save its corners alone as a cloud",
        )  # fmt: skip
    before = 0
    for element in elements:
        if any(length for *_, length in element.columns):
            raise TerrainError(
                "a file of this size is read in parts, which lists do not allow", place=f"{place}: {element.name}",
                remedy="save points without lists",
            )  # fmt: skip
        if element.name == "vertex" and element.count:
            notes = note_of_strips(elements)
            if order:
                return FixedRows.of(file, begin + before, _record(order, element, place), element.count, place, notes)
            return rows_of_numbers(
                file, begin, before, element.count, len(element.columns), _columns(element, place), place, stack, notes
            )
        width = sum(np.dtype(kind).itemsize for _, kind, _ in element.columns) if order else len(element.columns)
        before += element.count * width
    raise TerrainError("the file has no vertices", place=place)


def _columns(element: PlyElement, place: str) -> list[int]:
    names = axes_of([name for name, *_ in element.columns], place)
    return [names.index(axis) for axis in "xyz"]


def _record(order: str, element: PlyElement, place: str) -> np.dtype[np.void]:
    kinds = [order + kind for _, kind, _ in element.columns]
    ends = np.cumsum([0, *(np.dtype(kind).itemsize for kind in kinds)])
    at = _columns(element, place)
    return coordinates([kinds[k] for k in at], [int(ends[k]) for k in at], int(ends[-1]))
