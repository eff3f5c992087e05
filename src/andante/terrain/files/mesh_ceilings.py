"""Ceilings in meshes: columns of them that look up at a floor and down from a ceiling, by the turn of their triangles.

The turn of a triangle's corners tells which side of it is seen, as in glTF and the like: counterclockwise from there.
That of a solid's triangles is its outside, that of a scan's the side on which the camera was.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.spatial.arrays import Array, Index
from andante.terrain.files.ceilings import ENOUGH, FREE, Ceiling

_COLUMNS = 20_000
"""Columns that are looked at."""
_FINEST = 0.05
"""Least distance of them [m]."""
_OFF = 0.382
"""Where in its square a column stands: off its middle, where corners of meshes on a grid lie."""
_MOST = 20_000_000
"""Most triangles above columns: a second's work."""
_TOGETHER = 0.05
"""Surfaces that are no farther apart count as one that may be seen from both sides, as slabs have them [m]."""

_NEARLY_ALL = 0.9
"""Share of columns whose top looks down from which on a mesh is mirrored."""
_MIRRORED = (
    "its surfaces look inside out, as of a mesh that was mirrored on the way, from left-handed axes: see whether left"
    " and right are where they belong"
)
_FEWEST = 10
"""Fewest columns with a bridge of which it is told."""
_WIDE = 0.5
"""Least width of a single sheet that is no top of a wall [m]."""
_SUNK = 0.02
"""A block whose lower side is so far below the ground, at most, stands on it [m]."""
_OVER = (
    "over {:.2g} % of the mesh something lies {:.3g} m over the ground, as a bridge, a lintel or a roof, and counts as"
    " the ground there: max_z=HEIGHT cuts it off"
)
_PERHAPS = (
    "in {:.2g} % of the mesh another surface lies {:.3g} m below the upper one, which counts: if that is a bridge or a"
    " roof, and no block, max_z=HEIGHT cuts it off"
)


class MeshCeiling(NamedTuple):
    """What a mesh has over its ground."""

    ceiling: Ceiling | None
    """The ceiling; None: there is none by the turn of its triangles."""
    notes: tuple[str, ...]
    """What a user should know."""


def ceiling_of_mesh(triangles: Array, low: Array, high: Array) -> MeshCeiling:
    """The ceiling of triangles (n, 3, 3) between their least and largest x, y and z, (3,) each [m]."""
    if float(high[2] - low[2]) <= FREE:
        return MeshCeiling(None, ())
    from andante.terrain.files.raster import list_above

    span = high - low
    width = max(_FINEST, math.sqrt(float(span[0] * span[1]) / _COLUMNS))
    shape = (max(1, int(span[0] / width)), max(1, int(span[1] / width)))
    corner = low[:2] + _OFF * width
    flat, place = np.ascontiguousarray(triangles), (float(corner[0]), float(corner[1]), width)
    listed = np.zeros(shape, np.int64)
    list_above(flat, *place, listed, np.zeros(0), np.zeros(0))
    total = int(listed.sum())
    if not 0 < total <= _MOST:
        return MeshCeiling(None, ())
    counts = listed.ravel()
    starts = np.cumsum(counts) - counts
    z, up = np.zeros(total), np.zeros(total)
    list_above(flat, *place, starts.reshape(shape).copy(), z, up)
    column = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((z, column))
    z, up, column = z[order], up[order], column[order]
    gap = np.flatnonzero((np.diff(column) == 0) & (np.diff(z) >= FREE))
    covered = int(np.count_nonzero(counts))
    if not len(gap):
        return MeshCeiling(None, ())
    # One axis for all columns, one behind the other, on which a search finds what is near a surface.
    line = column * (2.0 * float(span[2]) + 1.0) + (z - low[2])
    ups, downs = (np.concatenate([[0], np.cumsum(each)]) for each in (up > 0.0, up < 0.0))
    top = up[(starts + counts - 1)[counts > 0]]
    for floors, ceilings, note in ((ups, downs, ()), (downs, ups, (_MIRRORED,))):
        # The top of whatever is solid looks up, unless all of it was mirrored without its corners' turn.
        if note and np.count_nonzero(top < 0.0) < _NEARLY_ALL * len(top):
            break
        floor = floors[gap + 1] > floors[np.searchsorted(line, line[gap] - _TOGETHER)]
        above = ceilings[np.searchsorted(line, line[gap + 1] + _TOGETHER, side="right")] > ceilings[gap + 1]
        found = gap[floor & above]
        which, lowest = np.unique(column[found], return_index=True)
        if len(which) >= ENOUGH * covered:
            found = found[lowest]
            numbers = np.stack(np.unravel_index(which, shape), axis=-1)
            ceiling = Ceiling.of_columns(numbers, z[found], z[found + 1], corner - 0.5 * width, width)
            return MeshCeiling(ceiling, () if ceiling is None else (ceiling.told, *note))
    under, last = np.unique(column[gap], return_index=True)
    if len(under) < ENOUGH * covered:
        floor = ups[gap + 1] > ups[np.searchsorted(line, line[gap] - _TOGETHER)]
        first = starts[column[gap]]
        # A block stands on the ground, or more of its kind begin below than end.
        block = downs[gap + 1] > downs[np.searchsorted(line, line[gap] - _SUNK)]
        block |= downs[gap + 1] - downs[first] > ups[gap + 1] - ups[first]
        below = downs[np.searchsorted(line, line[gap + 1] + _TOGETHER, side="right")] > downs[gap + 1]
        # What only looks up is a deck of a single sheet where it is wide, and the top of a wall or a block else.
        open_ = np.isin(column[gap], _wide(column[gap[floor & ~below & ~block]], shape, width))
        notes = [
            text.format(100.0 * len(over) / covered, float(np.median(np.diff(z)[gap[which]])))
            for text, which in ((_OVER, floor & below), (_PERHAPS, open_ & floor & ~below))
            if len(over := np.unique(column[gap[which]])) >= _FEWEST
        ]
        return MeshCeiling(None, tuple(notes))
    # A closed block and a room that is seen from outside are one and the same.
    return MeshCeiling(
        None,
        (
            f"below the upper surface, which counts, another one lies {float(np.median(np.diff(z)[gap[last]])):.3g} m "
            f"lower in {100.0 * len(under) / covered:.0f} % of the mesh: if the upper one is a ceiling, max_z=HEIGHT "
            "cuts it off; a room that looks so was mirrored on the way, or is seen from outside",
        ),
    )


def _wide(columns: Index, shape: tuple[int, int], width: float) -> Index:
    """Columns in the midst of others of them, as far as `_WIDE` has it."""
    from scipy import ndimage

    found = np.zeros(shape, dtype=np.bool_)
    found.ravel()[columns] = True
    size = max(3, math.ceil(_WIDE / width))
    opened = ndimage.binary_opening(found, np.ones((size, size), dtype=np.bool_))
    return np.flatnonzero(opened)
