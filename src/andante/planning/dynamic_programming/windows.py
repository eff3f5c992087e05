"""Cheapest walk over grids that change from stage to stage, with moves of at most a few cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.planning.dynamic_programming.stages import DynamicProgrammingError
from andante.spatial.arrays import Array1, Array2, Index1, Index2
from andante.spatial.compiled import entry, kernel

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StageGrids:
    """States of each stage: cells of one endless grid inside a rectangle of the stage's own.

    Raises:
        DynamicProgrammingError: Arrays that do not fit each other, or a cost that is NaN or minus infinity.
    """

    first: Index
    """Cell at which a stage's rectangle begins, (stages, 2)."""
    shape: Index
    """Cells of the rectangle along either axis, (stages, 2)."""
    cost: Array
    """Cost of being in a cell, all rectangles one after the other, row by row; infinite: not allowed."""

    def __post_init__(self) -> None:
        first, shape = np.asarray(self.first, dtype=np.int64), np.asarray(self.shape, dtype=np.int64)
        cost = np.asarray(self.cost, dtype=np.float64)
        if first.ndim != 2 or first.shape[1:] != (2,) or first.shape != shape.shape or len(first) == 0:
            raise DynamicProgrammingError(
                "stages have a first cell and a shape each", value=(first.shape, shape.shape), limit="(stages, 2)"
            )
        if (shape < 1).any():
            stage = int(np.argwhere((shape < 1).any(axis=1))[0, 0])
            raise DynamicProgrammingError("a stage has no cells", place=f"stage {stage}", value=shape[stage].tolist())
        count = int(shape.prod(axis=1).sum())
        if cost.shape != (count,):
            raise DynamicProgrammingError("there is one cost per cell", value=cost.shape, limit=f"({count},)")
        if np.isnan(cost).any() or np.isneginf(cost).any():
            raise DynamicProgrammingError("a cost must be a number, or infinite where forbidden")
        for name, array in (("first", first), ("shape", shape), ("cost", cost)):
            object.__setattr__(self, name, np.ascontiguousarray(array))

    @property
    def starts(self) -> Index:
        """Where each stage's cells begin in `cost`, and their number in all, (stages + 1,)."""
        return np.concatenate([[0], np.cumsum(self.shape.prod(axis=1))])

    def stage(self, number: int) -> Array:
        """Costs of one stage, of its shape."""
        starts = self.starts
        return self.cost[starts[number] : starts[number + 1]].reshape(self.shape[number])


def cheapest_walk(grids: StageGrids, moves: ArrayLike, begin: ArrayLike | None = None) -> tuple[Index, float]:
    """One allowed cell per stage so that the costs of cells and moves are least together.

    Args:
        grids: The stages.
        moves: Cost of each move between stages, (2 a + 1, 2 b + 1), standing still in the middle; infinite: none.
        begin: Cell of the first stage; None: any, and its cost counts.

    Returns:
        Cells, (stages, 2), and the cost.

    Raises:
        DynamicProgrammingError: Moves of an even shape or not numbers, or no way; names the stage that none leaves.
    """
    table = np.ascontiguousarray(moves, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] % 2 == 0 or table.shape[1] % 2 == 0 or np.isnan(table).any():
        raise DynamicProgrammingError("moves are a table of odd shape", value=table.shape)
    values = np.empty(len(grids.cost))
    stuck = _sweep_back(grids.first, grids.shape, grids.starts, grids.cost, table, values)
    if stuck >= 0:
        raise DynamicProgrammingError("no allowed cell of this stage leads on", place=f"stage {stuck}")
    cells = np.empty_like(grids.first)
    head = values[: grids.starts[1]].reshape(grids.shape[0])
    if begin is None:
        cell = np.array(np.unravel_index(int(head.argmin()), head.shape), dtype=np.int64)
    else:
        cell = np.asarray(begin, dtype=np.int64) - grids.first[0]
        if cell.shape != (2,) or (cell < 0).any() or (cell >= grids.shape[0]).any():
            raise DynamicProgrammingError("the first cell is outside its stage", value=np.asarray(begin).tolist())
    if not np.isfinite(head[cell[0], cell[1]]):
        raise DynamicProgrammingError("the first cell is not allowed or leads nowhere", place="stage 0")
    cells[0] = cell + grids.first[0]
    _follow(grids.first, grids.shape, grids.starts, table, values, cells)
    return cells, float(head[cell[0], cell[1]])


@kernel
def _window(place: int, reach: int, first: int, count: int) -> tuple[int, int]:
    """Least and largest + 1 number of a row of the next stage that a move from a place leads to."""
    return max(place - reach - first, 0), min(place + reach - first + 1, count)


@entry
def _sweep_back(first: Index2, shape: Index2, starts: Index1, cost: Array1, moves: Array2, values: Array1) -> int:
    """Least cost from each cell to the end, its own included; returns a stage that none leaves, or -1."""
    stages = len(first)
    reach_x, reach_y = moves.shape[0] // 2, moves.shape[1] // 2
    values[starts[stages - 1] :] = cost[starts[stages - 1] :]
    if not np.isfinite(values[starts[stages - 1] :]).any():
        return stages - 1
    for t in range(stages - 2, -1, -1):
        alive = False
        onward = values[starts[t + 1] : starts[t + 2]]
        width = shape[t + 1, 1]
        for i in range(shape[t, 0]):
            x = first[t, 0] + i
            low, high = _window(x, reach_x, first[t + 1, 0], shape[t + 1, 0])
            for j in range(shape[t, 1]):
                cell = starts[t] + i * shape[t, 1] + j
                values[cell] = np.inf
                if cost[cell] == np.inf:
                    continue
                y = first[t, 1] + j
                left, right = _window(y, reach_y, first[t + 1, 1], shape[t + 1, 1])
                best = np.inf
                for row in range(low, high):
                    price = moves[row + first[t + 1, 0] - x + reach_x]
                    shift = first[t + 1, 1] - y + reach_y
                    line = onward[row * width : (row + 1) * width]
                    for column in range(left, right):
                        best = min(best, line[column] + price[column + shift])
                values[cell] = best + cost[cell]
                if best < np.inf:
                    alive = True
        if not alive:
            return t
    return -1


@entry
def _follow(first: Index2, shape: Index2, starts: Index1, moves: Array2, values: Array1, cells: Index2) -> None:
    """The cells after the first, each the cheapest to go on to."""
    reach_x, reach_y = moves.shape[0] // 2, moves.shape[1] // 2
    for t in range(len(first) - 1):
        x, y = cells[t]
        low, high = _window(x, reach_x, first[t + 1, 0], shape[t + 1, 0])
        left, right = _window(y, reach_y, first[t + 1, 1], shape[t + 1, 1])
        best = np.inf
        for row in range(low, high):
            for column in range(left, right):
                through = values[starts[t + 1] + row * shape[t + 1, 1] + column]
                through += moves[row + first[t + 1, 0] - x + reach_x, column + first[t + 1, 1] - y + reach_y]
                if through < best:
                    best = through
                    cells[t + 1, 0], cells[t + 1, 1] = row + first[t + 1, 0], column + first[t + 1, 1]
