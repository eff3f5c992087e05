"""Layers of a cloud one above the other, as a roof or a tree over the floor: which of them is the ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.spatial.arrays import Array, Flags, Index
from andante.terrain.files.cell_order import by_cells

APART = 0.3
"""Height without points from which on those above and below are two layers [m]; what is lower may be a step."""
ROOM = 0.3
"""Height that is free over ground that LittleDog walks on [m]; it grows with the robot."""
_SHARE = 0.1
"""Least points of a layer, as a share of the points that a cell usually has; two at least, or half of the cell's."""


@dataclass(frozen=True, eq=False)
class LowestLayers:
    """The lowest layer of each cell that has several."""

    kept: Flags
    """Whether a point counts: it is of the lowest layer, or its cell has one layer alone, (n,)."""
    cells: Index
    """Numbers of the cells with several layers."""
    low: Flags
    """Whether the next layer is too near above for a robot, for each of them."""

    @staticmethod
    def of(numbers: Index, z: Array, counts: Index, room: float, usual: float) -> LowestLayers | None:
        """Look for layers; None: no cell has several.

        Args:
            numbers: Number of the cell of each point, (n,).
            z: Its height, (n,) [m].
            counts: Points of each cell.
            room: Height that has to be free over the ground [m].
            usual: Points that a cell usually has, be it one of others than these.
        """
        if float(np.ptp(z)) <= APART:
            return None
        order = by_cells(numbers, z)
        cells, heights = numbers[order], z[order]
        begins = np.concatenate([[True], (np.diff(cells) != 0) | (np.diff(heights) > APART)])
        starts = np.flatnonzero(begins)
        sizes = np.diff(np.append(starts, len(z)))
        cell, bottom, top = cells[starts], heights[starts], heights[starts + sizes - 1]
        dense = np.flatnonzero(sizes >= np.minimum(max(2.0, _SHARE * usual), 0.5 * counts[cell]))
        found, first, many = np.unique(cell[dense], return_index=True, return_counts=True)
        found, first = found[many > 1], first[many > 1]
        if not len(found):
            return None
        lowest = np.full(len(counts), -1)
        lowest[found] = dense[first]
        layer = np.cumsum(begins) - 1
        kept = np.empty(len(z), dtype=np.bool_)
        kept[order] = (lowest[cells] < 0) | (lowest[cells] == layer)
        return LowestLayers(kept, found, bottom[dense[first + 1]] - top[dense[first]] < room)
