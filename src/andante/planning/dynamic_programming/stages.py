"""Cheapest way through stages (Viterbi): over any states, over points, and over grids with moves of a few cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import AndanteError
from andante.kernels import entry, kernel
from andante.spatial.arrays import Array, Array1, Array2, Array3, Index, Index1, Index2


class DynamicProgrammingError(AndanteError):
    """A problem that is none: shapes that do not fit, costs that are no numbers, or no way through."""


def cheapest_way(states: Sequence[ArrayLike], moves: Sequence[ArrayLike]) -> tuple[Index, float]:
    """One state per stage so that the sum of the costs is least.

    Args:
        states: Cost of each state, one array (n_t,) per stage; infinite: not allowed.
        moves: Cost of each move, one array (n_t, n_t+1) per pair of neighbours; infinite: not allowed.

    Returns:
        The states' numbers, (stages,), and the cost; of equal ways the one with the lower numbers from the end.

    Raises:
        DynamicProgrammingError: Shapes do not fit, a cost is NaN or minus infinity, or every way is infinite.
    """
    here = [_costs(each, f"states of stage {t}") for t, each in enumerate(states)]
    between = [_costs(each, f"moves from stage {t}") for t, each in enumerate(moves)]
    if not here or len(between) != len(here) - 1:
        raise DynamicProgrammingError(
            "there is one array of moves between two stages", value=len(between), limit=f"{max(len(here) - 1, 0)}"
        )
    for t, each in enumerate(here):
        if each.ndim != 1 or len(each) == 0:
            raise DynamicProgrammingError("a stage has a cost per state", place=f"stage {t}", value=each.shape)
    for t, each in enumerate(between):
        shape = len(here[t]), len(here[t + 1])
        check_shape(each, shape, "moves have a row per state and a column per next state", f"stage {t}")
    cost, origins = here[0], []
    for t, each in enumerate(between):
        through = cost[:, None] + each
        origins.append(through.argmin(axis=0))
        cost = through.min(axis=0) + here[t + 1]
        if not np.isfinite(cost).any():
            raise DynamicProgrammingError("there is no way through", place=f"stage {t + 1}")
    chosen = np.empty(len(here), dtype=np.int64)
    chosen[-1] = int(cost.argmin())
    if not np.isfinite(cost[chosen[-1]]):
        raise DynamicProgrammingError("there is no way through", place="stage 0")
    for t in range(len(origins) - 1, -1, -1):
        chosen[t] = origins[t][chosen[t + 1]]
    return chosen, float(cost[chosen[-1]])


def check_shape(array: Array, shape: tuple[int, ...], what: str, place: str = "") -> None:
    """Refuse an array of another shape.

    Raises:
        DynamicProgrammingError: It has; says ``what`` should be.
    """
    if array.shape != shape:
        raise DynamicProgrammingError(what, place=place, value=array.shape, limit=f"{shape}")


def _costs(values: ArrayLike, place: str = "") -> Array:
    array = np.asarray(values, dtype=np.float64)
    if np.isnan(array).any() or np.isneginf(array).any():
        raise DynamicProgrammingError("a cost must be a number, or infinite where forbidden", place=place)
    return array


@entry
def cheapest_chain(places: Array3, costs: Array2, counts: Index1, weights: Array2, chosen: Index1) -> float:
    """`cheapest_way` for moves that cost a weighted squared distance, without checks; compiled.

    Args:
        places: States as points, (stages, m, d); rows from ``counts`` on are not looked at.
        costs: Cost of each state, (stages, m).
        counts: States of each stage, (stages,).
        weights: Weight of each coordinate's squared difference to the next stage, (stages - 1, d).
        chosen: Gets the states' numbers, (stages,).

    Returns:
        The cost.
    """
    stages, most, axes = places.shape
    cost, following = costs[0].copy(), np.empty(most)
    origins = np.zeros((stages, most), dtype=np.int64)
    for t in range(1, stages):
        for j in range(counts[t]):
            best, origin = np.inf, 0
            for i in range(counts[t - 1]):
                through = cost[i]
                for axis in range(axes):
                    step = places[t, j, axis] - places[t - 1, i, axis]
                    through += weights[t - 1, axis] * step * step
                if through < best:
                    best, origin = through, i
            following[j] = best + costs[t, j]
            origins[t, j] = origin
        cost, following = following, cost
    best = np.inf
    for j in range(counts[stages - 1]):
        if cost[j] < best:
            best = cost[j]
            chosen[stages - 1] = j
    for t in range(stages - 1, 0, -1):
        chosen[t - 1] = origins[t, chosen[t]]
    return best


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
        check_shape(cost, (count,), "there is one cost per cell")
        for name, array in (("first", first), ("shape", shape), ("cost", _costs(cost))):
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
