"""Octrees as terrain: the top of what is occupied at the bottom of each column of cells."""

from __future__ import annotations

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.cloud_layers import APART
from andante.terrain.files.found import Cells, Raster, square
from andante.terrain.files.limits import grid_size
from andante.terrain.height_map import TerrainError

_MOST_LOOKED = 500_000_000
"""Most columns that are looked at for all leaves together: two seconds' work."""
_SLACK = 1e-6
"""Part of a cell by which rounding of lengths makes them differ."""


def top_of_cells(cells: Cells, axes: tuple[tuple[int, int], ...], unit: float, room: float, place: str) -> Raster:
    """Heights of the columns of an octree, in its own unit, NaN where they are not known.

    Of layers that are more than `APART` metres apart the lowest counts, as in clouds, and the column is unknown where
    less than ``room`` [m] are between them. So is one that is free only, whose ground lies below what was seen, and
    one whose lowest layer has more than `APART` metres of free cells below it: it hangs.

    Args:
        cells: The leaves of the octree.
        axes: Which axes of the octree x, y and z of the map are, and their signs.
        unit: Metres of the octree's unit along the map's z.
        room: Height that has to be free over the ground [m].
        place: The file.

    Raises:
        TerrainError: The map would be too large or too small, or its leaves lie one above the other too often.
    """
    from andante.terrain.files.octree_cells import COVERED, FREE, GROUND, HANGS, LOW, fill_columns

    step = cells.size
    lows, highs = cells.box[:3].tolist(), cells.box[3:].tolist()
    ends = [(lows[k], highs[k]) if sign > 0 else (-highs[k], -lows[k]) for k, sign in axes[:2]]
    first, last = np.array(ends, dtype=np.int64).T.copy()
    span, remedy = (last - first) * step, "take a part of it, or write it at a coarser depth"
    shape = grid_size((last - first).astype(float), "the octree does not fit a map", place, span, step, remedy)
    count = shape[0] * shape[1]
    top, free, state = np.zeros(count, np.int32), np.zeros(count, np.int32), np.zeros(count, np.uint8)
    high = unit * step
    looked = fill_columns(
        *cells.corners, cells.codes, np.array([k for k, _ in axes]), np.array([sign for _, sign in axes]), first,
        np.array(shape), APART / high + _SLACK, room / high - _SLACK, _MOST_LOOKED, top, free, state,
    )  # fmt: skip
    if looked > _MOST_LOOKED:
        raise TerrainError(
            "the octree's cells lie one above the other too often", place=place, value=len(cells.codes),
            limit=f"{_MOST_LOOKED:.0e} columns below all of them", remedy=remedy,
        )  # fmt: skip
    known = (state == GROUND) | (state == COVERED)
    heights: Array = np.where(known, step * top, np.nan).reshape(shape)
    middle = (first + 0.5) * step
    amounts = {kind: int(np.count_nonzero(state == kind)) for kind in (FREE, COVERED, LOW, HANGS)}
    notes = [*cells.notes, f"heights are the tops of cells that are {1e3 * high:.4g} mm high, and as coarse as these"]
    if amounts[COVERED] + amounts[LOW]:
        notes.append(
            f"{amounts[COVERED] + amounts[LOW]} columns have layers one above the other, the lowest counts; "
            f"{amounts[LOW]} of these are unknown, since less than {room:.2g} m are free above it"
        )
    if amounts[HANGS]:
        notes.append(
            f"{amounts[HANGS]} columns are unknown, whose lowest occupied cell has more than {APART:g} m of free cells "
            "below it"
        )
    if amounts[FREE]:
        notes.append(f"{amounts[FREE]} columns are free as far down as they were seen, and unknown")
    unseen = count - int(np.count_nonzero(known)) - amounts[LOW] - amounts[HANGS] - amounts[FREE]
    if unseen:
        notes.append(f"{unseen} of {count} columns were never seen")
    return Raster(heights, square(step), (float(middle[0]), float(middle[1])), notes=tuple(notes))
