"""Meshes among arrays that have names, as simulators of learned walkers keep their ground: vertices and triangles."""

from __future__ import annotations

import numpy as np

from andante.terrain.files.found import Triangles, finite
from andante.terrain.files.limits import MOST_POINTS, few
from andante.terrain.files.named_arrays import NamedArrays
from andante.terrain.height_map import TerrainError

_CORNERS, _FACES = ("vertices", "verts"), ("triangles", "faces")
"""What the corners of a mesh are called, and the numbers of three of them."""


def mesh_of(arrays: NamedArrays, place: str, nodata: float | None) -> Triangles | None:
    """The mesh that two arrays are: corners (n, 3), and the numbers of each triangle's (m, 3), from 0 on.

    Args:
        arrays: The arrays.
        place: The file.
        nodata: Number that says unknown, which means nothing to a mesh.

    Returns:
        It; None: no two arrays are called so.

    Raises:
        TerrainError: They have other shapes, a corner is not there, or nodata is said.
    """
    lowered = {name.lower(): name for name in reversed(arrays.names)}
    corners, faces = (next((lowered[each] for each in names if each in lowered), None) for names in (_CORNERS, _FACES))
    if corners is None or faces is None:
        return None
    if nodata is not None:
        raise TerrainError("the option nodata means nothing to a mesh", place=place, value=nodata)
    places, numbers = arrays.read(corners), arrays.read(faces)
    for name, each in ((corners, places), (faces, numbers)):
        if each.ndim != 2 or each.shape[1] != 3 or not len(each):
            raise TerrainError("a mesh has rows of three", place=f"{place}: {name}", value=each.shape)
    few(len(numbers), MOST_POINTS, "triangles", place)
    off = ~((numbers >= 0) & (numbers < len(places)) & (numbers == np.floor(numbers))).all(axis=1)
    if off.any():
        row = int(np.flatnonzero(off)[0])
        limit = f"whole numbers from 0 to {len(places) - 1}"
        raise TerrainError(
            "a triangle names a corner that is not there", place=f"{place}: {faces}", value=numbers[row].tolist(),
            limit=limit,
        )  # fmt: skip
    left = [name for name in arrays.names if name not in (corners, faces)]
    notes: tuple[str, ...] = (f"the arrays {corners!r} and {faces!r} are a mesh of {len(numbers)} triangles",)
    if left:
        notes = (*notes, f"not read: {', '.join(left[:10])}{', ...' if len(left) > 10 else ''}")
    return Triangles(finite(places[numbers.astype(np.int64)], place), notes)
