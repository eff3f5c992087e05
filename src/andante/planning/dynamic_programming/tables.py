"""Markov decision problems as tables, and their solution: value iteration and finite horizons.

States and actions are numbers. An action leads to one of a few next states with a chance each and has a cost; the
least expected sum is sought. A deterministic problem is one with a single outcome per action.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.kernels import entry
from andante.planning.dynamic_programming.stages import DynamicProgrammingError, check_shape
from andante.spatial.arrays import Array, Array1, Array2, Array3, Flags, Flags1, Index, Index3

NO_ACTION = -1
"""Policy of a state that ends, or that no allowed action leaves."""


@dataclass(frozen=True, eq=False)
class DecisionTable:
    """A problem of states, actions and outcomes.

    Raises:
        DynamicProgrammingError: Shapes that do not fit, a next state that there is not, chances that are negative or
            do not sum to one, or a cost that is NaN or minus infinity; names state and action.
    """

    following: Index
    """Next state of each outcome, (states, actions, outcomes); two axes: one outcome."""
    cost: Array
    """Cost of an action, (states, actions); infinite: not allowed."""
    chance: Array | None = None
    """Chance of each outcome, (states, actions, outcomes); None: all the same."""
    final: Array | None = None
    """Value of states that end, (states,); NaN: goes on. None: none ends."""

    def __post_init__(self) -> None:
        cost = np.ascontiguousarray(self.cost, dtype=np.float64)
        following = np.ascontiguousarray(self.following, dtype=np.int64)
        if following.ndim == 2:
            following = following[:, :, None]
        if cost.ndim != 2 or cost.size == 0 or following.ndim != 3 or following.shape[:2] != cost.shape:
            raise DynamicProgrammingError(
                "next states are (states, actions, outcomes) and costs (states, actions)",
                value=(following.shape, cost.shape),
            )
        count = len(cost)
        _refuse((following < 0) | (following >= count), following, "there is no such next state", f"0 to {count - 1}")
        _refuse(np.isnan(cost) | np.isneginf(cost), cost, "a cost must be a number, or infinite where forbidden", "")
        outcomes = following.shape[2]
        chance = np.full(following.shape, 1.0 / outcomes) if self.chance is None else np.array(self.chance, dtype=float)
        check_shape(chance, following.shape, "there is one chance per outcome")
        _refuse(~(chance >= 0.0), chance, "a chance must not be below zero", "0 to 1")
        total = chance.sum(axis=2)
        _refuse(abs(total - 1.0) > 1e-9, total, "the chances of an action's outcomes must sum to one", "1")
        final = np.full(count, np.nan) if self.final is None else np.array(self.final, dtype=np.float64)
        check_shape(final, (count,), "there is one final value per state")
        for name, array in (("following", following), ("cost", cost), ("chance", chance), ("final", final)):
            object.__setattr__(self, name, array)

    @property
    def ending(self) -> Array:
        """Value of states that end, NaN elsewhere, (states,)."""
        return np.asarray(self.final)

    def action_values(self, values: ArrayLike, discount: float = 1.0) -> Array:
        """Cost of each action and what follows it, (states, actions), for values of the states."""
        here = np.asarray(values, dtype=np.float64)
        check_shape(here, (len(self.cost),), "there is one value per state")
        chance = self._chances
        # An outcome without a chance does not count, even if it costs infinitely much.
        expected = (chance * np.where(chance > 0.0, here[self.following], 0.0)).sum(axis=2)
        return np.asarray(self.cost + discount * expected)

    @property
    def _chances(self) -> Array:
        return np.asarray(self.chance)


@dataclass(frozen=True, eq=False)
class Solution:
    """What acting best costs, and how that is."""

    values: Array
    """Least expected cost from each state on, (states,); infinite: the end is out of reach."""
    policy: Index
    """Best action in each state, (states,); `NO_ACTION` where there is none or the state ends."""
    sweeps: int
    """Passes over all states."""
    change: float
    """Largest change of a value in the last pass."""


def value_iteration(
    table: DecisionTable, discount: float = 1.0, *, tolerance: float = 1e-9, most_sweeps: int = 10_000
) -> Solution:
    """Solve a problem without an end in time: costs are summed until a state ends, or forever with a discount.

    Values are updated in place, in alternating order, which passes on news along chains of states in either direction.
    Without a discount, states from which no policy is sure to come to an end have an infinite value.

    Args:
        table: The problem.
        discount: What the next step's cost counts against this one's, above 0 to 1; 1 needs states that end.
        tolerance: Change of the values below which the iteration ends.
        most_sweeps: Passes after which it gives up.

    Raises:
        DynamicProgrammingError: A discount out of range, a discount of 1 where nothing ends, or no convergence.
    """
    if not 0.0 < discount <= 1.0:
        raise DynamicProgrammingError("the discount is out of range", value=discount, limit="above 0 to 1")
    ending = table.ending
    if discount == 1.0 and np.isnan(ending).all():
        raise DynamicProgrammingError("without a discount some state must end", remedy="give final values")
    values = np.where(np.isnan(ending), 0.0, ending)
    if discount == 1.0:
        values[~_sure_to_end(table)] = np.inf
    sweeps, change = 0, np.inf
    while change > tolerance:
        if sweeps == most_sweeps:
            raise DynamicProgrammingError(
                "the values do not settle", value=change, limit=f"{tolerance} in {most_sweeps} sweeps"
            )
        change = _sweep(table.following, table.cost, table._chances, ending, discount, values, sweeps % 2 == 1)
        sweeps += 1
    return Solution(values, _policy(table, values, discount), sweeps, change)


def finite_horizon(
    table: DecisionTable, horizon: int, last: ArrayLike | None = None, discount: float = 1.0
) -> tuple[Array, Index]:
    """Solve a problem that lasts a number of steps.

    Args:
        table: The problem; states that end keep their value whenever they are met.
        horizon: Number of steps.
        last: Value of each state after the last step, (states,); None: nothing.
        discount: As in `value_iteration`.

    Returns:
        Values (horizon + 1, states) and best actions (horizon, states); row t is of t steps done.

    Raises:
        DynamicProgrammingError: A horizon below one, or last values that do not fit.
    """
    if horizon < 1:
        raise DynamicProgrammingError("a horizon has at least one step", value=horizon)
    if not 0.0 < discount <= 1.0:
        raise DynamicProgrammingError("the discount is out of range", value=discount, limit="above 0 to 1")
    count = len(table.cost)
    end = np.zeros(count) if last is None else np.asarray(last, dtype=np.float64)
    if end.shape != (count,) or np.isnan(end).any():
        raise DynamicProgrammingError("there is one last value per state", value=end.shape, limit=f"({count},)")
    ends = ~np.isnan(table.ending)
    values = np.empty((horizon + 1, count))
    policy = np.empty((horizon, count), dtype=np.int64)
    values[horizon] = np.where(ends, table.ending, end)
    for t in range(horizon - 1, -1, -1):
        policy[t] = _policy(table, values[t + 1], discount)
        values[t] = np.where(ends, table.ending, table.action_values(values[t + 1], discount).min(axis=1))
    return values, policy


def _policy(table: DecisionTable, values: Array, discount: float) -> Index:
    ahead = table.action_values(values, discount)
    best = ahead.argmin(axis=1)
    stuck = ~np.isfinite(ahead.min(axis=1)) | ~np.isnan(table.ending)
    return np.where(stuck, NO_ACTION, best)


def _refuse(wrong: Flags, values: NDArray[np.generic], what: str, limit: str) -> None:
    if wrong.any():
        place = tuple(int(number) for number in np.argwhere(wrong)[0])
        raise DynamicProgrammingError(
            what, place=f"state {place[0]}, action {place[1]}", value=values[place].item(), limit=limit
        )


def _sure_to_end(table: DecisionTable) -> Flags:
    """States from which some policy ends with certainty, (states,)."""
    sure = np.ones(len(table.cost), dtype=np.bool_)
    while True:
        # Of actions that cannot leave what is left, which states do they lead to an end?
        reached = ~np.isnan(table.ending)
        while _spread(table.following, table.cost, table._chances, sure, reached):
            pass
        if (reached == sure).all():
            return sure
        sure = reached


@entry
def _spread(following: Index3, cost: Array2, chance: Array3, sure: Flags1, reached: Flags1) -> bool:
    """Add states with an action that stays in ``sure`` and may lead to ``reached``; False where there is none."""
    states, actions, outcomes = following.shape
    changed = False
    for n in range(2 * states):
        state = n if n < states else 2 * states - 1 - n
        if reached[state] or not sure[state]:
            continue
        for action in range(actions):
            leads, stays = False, cost[state, action] < np.inf
            for outcome in range(outcomes):
                if chance[state, action, outcome] > 0.0:
                    stays &= sure[following[state, action, outcome]]
                    leads |= reached[following[state, action, outcome]]
            if stays and leads:
                reached[state] = changed = True
                break
    return changed


@entry
def _sweep(
    following: Index3, cost: Array2, chance: Array3, ending: Array1, discount: float, values: Array1, backward: bool
) -> float:
    """Update all values once in place; returns the largest change."""
    states, actions, outcomes = following.shape
    largest = 0.0
    for n in range(states):
        state = states - 1 - n if backward else n
        if not np.isnan(ending[state]) or values[state] == np.inf:
            continue
        best = np.inf
        for action in range(actions):
            ahead, stays = 0.0, 0.0
            for outcome in range(outcomes):
                likely = chance[state, action, outcome]
                if following[state, action, outcome] == state:
                    stays += likely
                elif likely > 0.0:
                    ahead += likely * values[following[state, action, outcome]]
            # The chance to stay is a geometric series of tries.
            leaves = 1.0 - discount * stays
            if leaves > 1e-12:
                best = min(best, (cost[state, action] + discount * ahead) / leaves)
        largest = max(largest, abs(best - values[state]))
        values[state] = best
    return largest
