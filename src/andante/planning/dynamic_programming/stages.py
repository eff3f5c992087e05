"""Cheapest way through stages (Viterbi): one state of each, cost of states and of moves between neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.errors import AndanteError
from andante.spatial.arrays import Array2, Array3, Index1
from andante.spatial.compiled import entry

Array = NDArray[np.float64]
Index = NDArray[np.int64]


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
        if each.shape != (len(here[t]), len(here[t + 1])):
            raise DynamicProgrammingError(
                "moves have a row per state and a column per next state",
                place=f"stage {t}",
                value=each.shape,
                limit=f"({len(here[t])}, {len(here[t + 1])})",
            )
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


def _costs(values: ArrayLike, place: str) -> Array:
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
