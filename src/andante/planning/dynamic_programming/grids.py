"""Continuous problems on a grid: dynamics given as a function, values linear between the nodes.

A next state between nodes becomes the corners of its cell with the weights of multilinear interpolation as chances,
which makes any dynamics a table of `tables` (Munos and Moore, Machine Learning 49, 2002).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.planning.dynamic_programming.stages import DynamicProgrammingError, check_shape
from andante.planning.dynamic_programming.tables import NO_ACTION, DecisionTable, Solution
from andante.spatial.arrays import Array, Flags, Index

Dynamics = Callable[[Array, Array], ArrayLike]
"""Next states (n, d) of states (n, d) under one action (m,)."""
ActionCost = Callable[[Array, Array], ArrayLike]
"""Costs (n,) of states (n, d) under one action (m,)."""
_MOST_ENTRIES = 200_000_000
_ROUNDING = 1e-9
"""Share of a cell within which a point is on its node."""


@dataclass(frozen=True)
class StateAxis:
    """One coordinate of the state.

    Raises:
        DynamicProgrammingError: Fewer than two nodes, or bounds that are no interval.
    """

    low: float
    """Least value."""
    high: float
    """Largest value; on an axis that wraps, the same as the least."""
    count: int
    """Nodes."""
    wraps: bool = False
    """Whether it closes on itself, like an angle; then the nodes are ``count`` equal parts of it."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise DynamicProgrammingError(
                "an axis runs from its least to its largest value", value=(self.low, self.high)
            )
        if self.count < 2:
            raise DynamicProgrammingError("an axis has at least two nodes", value=self.count)

    @property
    def spacing(self) -> float:
        """Distance of neighbouring nodes."""
        return (self.high - self.low) / (self.count if self.wraps else self.count - 1)

    @property
    def nodes(self) -> Array:
        """Their values, (count,)."""
        return np.asarray(self.low + self.spacing * np.arange(self.count))


@dataclass(frozen=True)
class StateGrid:
    """Nodes over several coordinates; a state's number counts the last one fastest."""

    axes: tuple[StateAxis, ...]
    """The coordinates."""

    @property
    def size(self) -> int:
        """Number of nodes."""
        return math.prod(axis.count for axis in self.axes)

    def nodes(self) -> Array:
        """Coordinates of all nodes, (size, d)."""
        mesh = np.meshgrid(*(axis.nodes for axis in self.axes), indexing="ij")
        return np.stack([each.ravel() for each in mesh], axis=-1)

    def corners(self, points: ArrayLike) -> tuple[Index, Array, Flags]:
        """Nodes around points (n, d): numbers (n, 2^d), weights (n, 2^d), and whether the point is inside, (n,).

        A point outside gets the corners of the nearest place inside.
        """
        places = np.asarray(points, dtype=np.float64)
        if places.ndim != 2 or places.shape[1] != len(self.axes) or not np.isfinite(places).all():
            raise DynamicProgrammingError(
                "points are finite, with one number per axis", value=places.shape, limit=f"(n, {len(self.axes)})"
            )
        numbers, weights = np.zeros((len(places), 1), dtype=np.int64), np.ones((len(places), 1))
        inside = np.ones(len(places), dtype=np.bool_)
        for axis, values in zip(self.axes, places.T, strict=True):
            along = (values - axis.low) / axis.spacing
            if axis.wraps:
                along = np.mod(along, axis.count)
                low = np.minimum(along.astype(np.int64), axis.count - 1)
                high = (low + 1) % axis.count
            else:
                # Rounding must not put a node of the rim outside.
                inside &= (along >= -_ROUNDING) & (along <= axis.count - 1 + _ROUNDING)
                along = np.clip(along, 0.0, axis.count - 1)
                low = np.minimum(along.astype(np.int64), axis.count - 2)
                high = low + 1
            share = along - low
            # Rounding must not make a way to a node that is none: a chance of 1e-16 to get on costs 1e16 tries.
            share = np.where(share < _ROUNDING, 0.0, np.where(share > 1.0 - _ROUNDING, 1.0, share))
            pair = np.stack([low, high], axis=-1)
            part = np.stack([1.0 - share, share], axis=-1)
            numbers = (numbers[:, :, None] * axis.count + pair[:, None, :]).reshape(len(places), -1)
            weights = (weights[:, :, None] * part[:, None, :]).reshape(len(places), -1)
        return numbers, weights, inside

    def interpolate(self, values: ArrayLike, points: ArrayLike) -> Array:
        """Values of the nodes (size,) between them, at points (n, d); corners without weight do not count."""
        numbers, weights, _ = self.corners(points)
        known = np.asarray(values, dtype=np.float64)[numbers]
        return np.asarray((weights * np.where(weights > 0.0, known, 0.0)).sum(axis=1))


def tabulate(
    grid: StateGrid,
    actions: Sequence[ArrayLike],
    dynamics: Dynamics,
    cost: ActionCost,
    *,
    final: ArrayLike | None = None,
    outside: float = math.inf,
) -> DecisionTable:
    """The table of a continuous problem.

    Args:
        grid: Nodes that stand for the states.
        actions: The actions to choose from, numbers or arrays of the same shape.
        dynamics: Next states of an array of states under one action.
        cost: Costs of an array of states under one action.
        final: Value of nodes that end, (size,), NaN elsewhere; None: none ends.
        outside: Cost added to an action that leaves the grid; infinite: not allowed, finite: it ends up at the rim.

    Raises:
        DynamicProgrammingError: No actions, too large, or a function that gives wrong shapes or numbers.
    """
    states, chosen = grid.nodes(), [np.atleast_1d(np.asarray(each, dtype=np.float64)) for each in actions]
    if not chosen:
        raise DynamicProgrammingError("there are no actions to choose from")
    corners = 2 ** len(grid.axes)
    if len(states) * len(chosen) * corners > _MOST_ENTRIES:
        raise DynamicProgrammingError(
            "the table is too large", value=len(states) * len(chosen) * corners, limit=f"{_MOST_ENTRIES} entries"
        )
    following = np.empty((len(states), len(chosen), corners), dtype=np.int64)
    chance, costs = np.empty(following.shape), np.empty(following.shape[:2])
    for number, action in enumerate(chosen):
        ahead = np.asarray(dynamics(states, action), dtype=np.float64)
        spent = np.asarray(cost(states, action), dtype=np.float64)
        for what, array, shape in (("dynamics", ahead, states.shape), ("cost", spent, (len(states),))):
            check_shape(array, shape, f"the {what} must give one row per state", f"action {number}")
        following[:, number], chance[:, number], inside = grid.corners(ahead)
        costs[:, number] = np.where(inside, spent, spent + outside)
    return DecisionTable(following, costs, chance, None if final is None else np.asarray(final, dtype=np.float64))


def best_action(
    grid: StateGrid, actions: Sequence[ArrayLike], solution: Solution, dynamics: Dynamics, cost: ActionCost,
    state: ArrayLike, discount: float = 1.0,
) -> int:  # fmt: skip
    """Number of the best action in a state (d,) between the nodes, by looking one step ahead.

    `NO_ACTION` where every one leads to where no end is in reach, or off the grid.
    """
    here = np.asarray(state, dtype=np.float64)[None]
    best, chosen = math.inf, NO_ACTION
    for number, each in enumerate(actions):
        action = np.atleast_1d(np.asarray(each, dtype=np.float64))
        ahead = np.asarray(dynamics(here, action), dtype=np.float64)
        if not grid.corners(ahead)[2][0]:
            continue
        spent, left = np.asarray(cost(here, action))[0], grid.interpolate(solution.values, ahead)[0]
        through = float(spent) + discount * float(left)
        if through < best:
            best, chosen = through, number
    return chosen
