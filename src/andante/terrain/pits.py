"""Pits found in a map: what is deep and too narrow to walk through, and the ground that their rims suggest instead."""

from __future__ import annotations

import numpy as np

from andante.spatial.arrays import Array, Flags
from andante.terrain.height_map import HeightMap, TerrainError


def find_pits(ground: HeightMap, width: float, depth: float) -> Flags:
    """Nodes on the bottom of a pit, (nx, ny): lower by ``depth`` than what closes over a square of side ``width``.

    Closing (Serra, Image Analysis and Mathematical Morphology, 1982) fills what the square does not fit into: trenches,
    holes, and the ground between posts. At the rim of the map the ground is mirrored, so that a trench across the map
    is one up to its ends.

    Args:
        ground: The ground.
        width: Narrower than this is a pit [m] ...
        depth: ... where it is deeper than this [m].
    """
    from scipy import ndimage

    size = 2 * max(1, round(0.5 * width / ground.spacing)) + 1
    closed = ndimage.minimum_filter(ndimage.maximum_filter(ground.heights, size, mode="reflect"), size, mode="reflect")
    return np.asarray(closed - ground.heights > depth)


def mended(ground: HeightMap, holes: Flags) -> HeightMap:
    """The ground with holes filled by the harmonic surface (Laplace's equation on the grid) through their rims.

    Args:
        ground: The ground.
        holes: Nodes that are replaced, (nx, ny).

    Raises:
        TerrainError: There are holes only.
    """
    if not holes.any():
        return ground
    if holes.all():
        raise TerrainError("a map of pits and unknown places only has no ground", value=holes.shape)
    from scipy import sparse
    from scipy.sparse.linalg import spsolve

    heights = ground.heights
    number = np.full(heights.shape, -1, dtype=np.int64)
    count = int(holes.sum())
    number[holes] = np.arange(count)
    right, diagonal = np.zeros(count), np.zeros(count)
    rows, columns = [np.arange(count)], [np.arange(count)]
    for axis in (0, 1):
        for shift in (1, -1):
            inner = np.moveaxis(holes, axis, 0)[::shift]
            ids, z = np.moveaxis(number, axis, 0)[::shift], np.moveaxis(heights, axis, 0)[::shift]
            here, beside = inner[:-1], ids[1:]
            at, next_to, height = ids[:-1][here], beside[here], z[1:][here]
            diagonal[at] += 1.0
            known = next_to < 0
            right[at[known]] += height[known]
            rows.append(at[~known])
            columns.append(next_to[~known])
    values = np.concatenate([diagonal, np.full(sum(map(len, rows)) - count, -1.0)])
    matrix = sparse.csc_matrix((values, (np.concatenate(rows), np.concatenate(columns))), shape=(count, count))
    filled: Array = heights.copy()
    filled[holes] = spsolve(matrix, right)
    return HeightMap(filled, ground.origin, ground.spacing)
