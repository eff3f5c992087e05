"""Level patches of a height map, as bodies with exact faces; what is left of it stays a height field.

A height field meets a ball with one contact per triangle that the ball comes near to. Beside the lines between the
triangles of level ground these lean, and push a foot aside: over a file of a level floor LittleDog slipped half as far
again as over the floor, and walked 8 % slower. A level patch is a box, or the floor itself, and has no such lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.kernels import entry
from andante.spatial.arrays import Array, Flags, Flags2
from andante.terrain.height_map import HeightMap
from andante.terrain.solids import Box

_LEVEL = 1e-6
"""Largest height difference of what is level [m]."""
_STEEP = 1.5
"""Steeper than this between two nodes is a wall: upright, half way between them."""
_LEAST = 4
"""Fewest cells of the grid that are a patch."""
_MOST = 2000
_WORK = 40_000_000
"""Most patches, and most cells that are looked at for them."""
_SUNK = 0.005
"""How far the height field lies below a patch [m]."""


@dataclass(frozen=True, eq=False)
class LevelPatches:
    """A ground in two parts."""

    boxes: tuple[Box, ...]
    """Level patches above the floor."""
    rest: HeightMap | None
    """The ground, lowered below the patches; None: nothing of it is left."""

    @staticmethod
    def of(ground: HeightMap, floor: float, base: float) -> LevelPatches:
        """The level patches of a ground, the largest first.

        Args:
            ground: The ground.
            floor: Height of the level floor beneath [m]: what is as low needs no box.
            base: How far boxes reach below the lowest ground [m].
        """
        from scipy import ndimage

        z = ground.heights
        high = np.maximum(np.maximum(z[1:, 1:], z[1:, :-1]), np.maximum(z[:-1, 1:], z[:-1, :-1]))
        low = np.minimum(np.minimum(z[1:, 1:], z[1:, :-1]), np.minimum(z[:-1, 1:], z[:-1, :-1]))
        # Neighbouring level cells share two nodes, and so have one height.
        level, wall = high - low <= _LEVEL, high - low > _STEEP * ground.spacing
        labels, count = ndimage.label(level)
        boxes, covered = list[Box](), np.zeros(level.shape, dtype=np.bool_)
        padded, bottom, work = np.pad(z, 1, constant_values=np.nan), float(z.min()) - base, 0
        sizes = np.bincount(labels.ravel(), minlength=count + 1)[1:]
        spans = ndimage.find_objects(labels)
        for number in np.argsort(-sizes, kind="stable").tolist():
            if sizes[number] < _LEAST:
                break
            span = spans[number]
            left = np.ascontiguousarray(labels[span] == number + 1)
            while work < _WORK and len(boxes) < _MOST:
                work += left.size
                a, b, c, d = largest_rectangle(left)
                if (b - a) * (d - c) < _LEAST:
                    break
                left[a:b, c:d] = False
                i, j = span[0].start, span[1].start
                covered[i + a : i + b, j + c : j + d] = True
                if z[i + a, j + c] > floor + _LEVEL:
                    boxes.append(_box(ground, padded, (i + a, i + b, j + c, j + d), bottom))
        return LevelPatches(tuple(boxes), _rest(ground, covered, wall))


def _box(ground: HeightMap, padded: Array, cells: tuple[int, int, int, int], bottom: float) -> Box:
    """The box of a rectangle of cells; where a wall begins it reaches half way to the next node.

    ``padded`` are the ground's heights with a rim of NaN, from which nothing is told to be a wall.
    """
    step, (a, b, c, d) = ground.spacing, cells
    top = float(ground.heights[a, c])
    rows, columns = slice(a + 1, b + 2), slice(c + 1, d + 2)
    beside = padded[a, columns], padded[b + 2, columns], padded[rows, c], padded[rows, d + 2]
    wide = [0.5 * step if (np.abs(each - top) > _STEEP * step).all() else 0.0 for each in beside]
    x0, x1 = ground.x[a] - wide[0], ground.x[b] + wide[1]
    y0, y1 = ground.y[c] - wide[2], ground.y[d] + wide[3]
    centre = (float(0.5 * (x0 + x1)), float(0.5 * (y0 + y1)), 0.5 * (top + bottom))
    return Box(centre, (float(0.5 * (x1 - x0)), float(0.5 * (y1 - y0)), 0.5 * (top - bottom)), 0.0)


def _rest(ground: HeightMap, covered: Flags, wall: Flags) -> HeightMap | None:
    """The ground lowered at nodes with nothing but patches and walls around; None where all are."""
    if not covered.any():
        return ground

    def around(cells: Flags, beyond: bool) -> Array:
        padded = np.pad(cells, 1, constant_values=beyond)
        return np.stack([padded[1:, 1:], padded[1:, :-1], padded[:-1, 1:], padded[:-1, :-1]])

    sunk = around(covered | wall, True).all(axis=0) & around(covered, False).any(axis=0)
    if sunk.all():
        return None
    heights = np.where(sunk, ground.heights - min(_SUNK, ground.spacing), ground.heights)
    return HeightMap(heights, ground.origin, ground.spacing)


@entry
def largest_rectangle(cells: Flags2) -> tuple[int, int, int, int]:
    """First and last + 1 row and column of the largest rectangle of cells that are all true; of equal ones the first.

    Args:
        cells: The cells, (n, m).
    """
    rows, columns = cells.shape
    heights, stack = np.zeros(columns + 1, dtype=np.int64), np.zeros(columns + 1, dtype=np.int64)
    best, a, b, c, d = 0, 0, 0, 0, 0
    for i in range(rows):
        for j in range(columns):
            heights[j] = heights[j] + 1 if cells[i, j] else 0
        size = 0
        for j in range(columns + 1):
            while size > 0 and heights[stack[size - 1]] >= heights[j]:
                size -= 1
                tall = heights[stack[size]]
                first = stack[size - 1] + 1 if size > 0 else 0
                if tall * (j - first) > best:
                    best = tall * (j - first)
                    a, b, c, d = i + 1 - tall, i + 1, first, j
            stack[size] = j
            size += 1
    return a, b, c, d
