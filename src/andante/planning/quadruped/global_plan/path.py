"""GlobalPath: a way as states and the motions between them, and its states at equal steps of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.planning.quadruped.global_plan.path_kernels import sampled, way_cost, way_length
from andante.planning.quadruped.global_plan.tables import Ground, Rules, Trees

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GlobalPath:
    """A way of n states."""

    states: Array
    """Position [m] and velocity [m/s] of the body's middle, (n, 6)."""
    motions: Array
    """Motion after each state but the last, (n - 1, 6); see `tables.MOTION`."""

    @property
    def steps(self) -> int:
        """Steps of time from the first to the last state."""
        return int(self.motions[:, :4].sum())

    @property
    def leaps(self) -> int:
        """Leaps on the way."""
        return int((self.motions[:, 0] == 0.0).sum())

    def cost(self, ground: Ground, rules: Rules) -> float:
        """Time, and what leaps cost [s]."""
        return float(way_cost(ground, rules, self.states, self.motions))

    def length(self, ground: Ground, rules: Rules) -> float:
        """Length seen from above [m]."""
        return float(way_length(ground, rules, self.states, self.motions))

    def sampled(self, ground: Ground, rules: Rules) -> tuple[Array, Array, NDArray[np.int64], Array]:
        """States (m, 6), forces as multiples of the weight (m, 3), `Primitive` (m,) and middles of the feet (m, 2)."""
        count = self.steps + 1
        states, forces, feet = np.zeros((count, 6)), np.zeros((count, 3)), np.zeros((count, 2))
        kinds = np.zeros(count, dtype=np.int64)
        sampled(ground, rules, self.states, self.motions, states, forces, kinds, feet)
        return states, forces, kinds, feet

    @staticmethod
    def joined(trees: Trees, node: int, other: int) -> GlobalPath:
        """The way from the root of tree 0 through ``node``, the joining motion and ``other`` to the root of tree 1."""
        first, last = _line(trees, 0, node)[::-1], _line(trees, 1, other)
        before = [trees.motions[0, each] for each in first[1:]]
        after = [trees.motions[1, each] for each in last[:-1]]
        states = [*(trees.states[0, each] for each in first), *(trees.states[1, each] for each in last)]
        return GlobalPath(np.array(states), np.array([*before, trees.join, *after]))

    @staticmethod
    def stopping(trees: Trees) -> GlobalPath | None:
        """The way to the standstill nearest to the goal; None: that is the start itself."""
        node, stop, motion = int(trees.nearest[1]), trees.nearest[2:8], trees.nearest[8:]
        line = _line(trees, 0, node)[::-1]
        states = [trees.states[0, each] for each in line]
        motions = [trees.motions[0, each] for each in line[1:]]
        if motion[0] > 0.0:
            states.append(stop)
            motions.append(motion)
        return GlobalPath(np.array(states), np.array(motions)) if motions else None


def _line(trees: Trees, tree: int, node: int) -> list[int]:
    """A node, its parent, and so on to the root."""
    line = []
    while node >= 0:
        line.append(node)
        node = int(trees.parents[tree, node])
    return line
