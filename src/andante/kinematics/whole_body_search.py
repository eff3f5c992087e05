"""The search of whole-body inverse kinematics: from which starts, and which of the configurations found is the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from andante.kinematics.tree_table import RobotTree
from andante.kinematics.whole_body_kernels import solve_whole_body
from andante.kinematics.whole_body_problem import WholeBodyError, within
from andante.kinematics.whole_body_tables import COM, GoalTable, MotionTable, goal_table, stacked
from andante.spatial.arrays import Array, Flags, Index

_STUCK = 1e-3
"""A search with a cap of motion that moves no joint so far is stuck, as a stretched limb is [rad]."""
_NUDGES = (0.12, 0.35)
"""Shares of the way to the middle of the joints' ranges at which a search that got stuck starts again."""
_NOTHING = goal_table([])


class SearchedPosture(NamedTuple):
    """A configuration that a search came to."""

    merit: tuple[float, float]
    """Largest error of the fixed frames, 0 where they are in their places, and cost of the tasks; less is better."""
    joints: Array
    """Joint positions, (nj,) [rad]; entries of joints that follow others count for nothing."""
    position: Array
    """Of the base, (3,) [m]."""
    orientation: Array
    """Of the base, (4,) wxyz."""
    errors: Array
    """The tasks' errors, as `errors_of` has them [m], [rad]."""
    held: Array
    """The fixed frames' errors [m], [rad]."""
    side: Index
    """Which limit each variable rests on, (n,): -1 lower, +1 upper, 0 none."""


@dataclass(eq=False)
class Search:
    """The best configuration of some starts."""

    tree: RobotTree
    """The robot."""
    motion: MotionTable
    """What may move."""
    tasks: GoalTable
    """What is asked."""
    fixed: GoalTable
    """Frames that stay in their places."""
    base: tuple[Array, Array]
    """Position (3,) [m] and orientation (4,) wxyz of the base at every start."""
    near: float
    """A place is reached within this, along each axis [m]."""
    turn_near: float
    """An orientation is reached within this, about each axis [rad]."""
    passes: int
    """Most iterations from a start."""
    reached: bool = False
    """Whether the best reaches all within the tolerances."""
    iterations: int = 0
    """Iterations of all starts."""
    starts: int = 0
    """Starts from which was searched."""
    _best: SearchedPosture | None = None

    @property
    def best(self) -> SearchedPosture:
        """The best configuration so far.

        Raises:
            WholeBodyError: Nothing has been searched.
        """
        if self._best is None:
            raise WholeBodyError("an answer comes after a search")
        return self._best

    def run(self, joints: Array) -> None:
        """Search from joint positions (nj,) [rad], the base as at the start; keep what is better than before."""
        joints, position, orientation = joints.copy(), self.base[0].copy(), self.base[1].copy()
        if not self._kept_from(joints, position, orientation):
            # The fixed frames are not in their places and linear steps do not bring them there: search for that alone.
            self._solve(self.fixed, _NOTHING, joints, position, orientation)
            self._kept_from(joints, position, orientation)

    def start_again(self, first: Array, low: Array, high: Array, tries: int) -> None:
        """Search from elsewhere until all is reached: away from stretched limbs, then over the joints' whole ranges.

        The latter gives the fixed frames free at first, as tasks among the others: so a leg can change to another
        branch. Joints of limbs that have found their places stay in the next try, the others are thrown anew.

        Args:
            first: Joint positions of the first start, (nj,) [rad].
            low: Least joint positions, (nj,) [rad].
            high: Largest, (nj,) [rad].
            tries: Most other starts.
        """
        for share in _NUDGES[:tries]:
            if self.reached:
                return
            self.run(_towards_middle(self.motion, first, low, high, share))
        bounded = np.isfinite(low) & np.isfinite(high)
        floor, span = np.where(bounded, low, first), np.where(bounded, high - low, 0.0)
        pace = kronecker(len(first))
        both = stacked(self.fixed, self.tasks, 1.0)
        chains = [self._chain(link) for link in both.link.tolist()]
        again = self._chain(COM)
        joints, position, orientation = first.copy(), self.base[0].copy(), self.base[1].copy()
        for number in range(1, tries - len(_NUDGES) + 1):
            if self.reached:
                return
            thrown = floor + span * np.remainder(0.5 + number * pace, 1.0)
            joints[again] = thrown[again]
            errors, *_ = self._solve(both, _NOTHING, joints, position, orientation)
            done = within(both, errors, 10.0 * self.near, 10.0 * self.turn_near)
            found = joints.copy(), position.copy(), orientation.copy()
            self._kept_from(*found)
            settled = np.zeros(len(first), dtype=np.bool_)
            again = np.zeros(len(first), dtype=np.bool_)
            for good, chain in zip(done, chains, strict=True):
                (settled if good else again)[chain] = True
            again &= ~settled
            if not again.any():
                again = self._chain(COM)
        for number in range(tries):
            # Tasks that are far out of reach pull at the fixed frames in all of these: now for the frames alone.
            if self.best.merit[0] == 0.0:
                return
            joints = floor + span * np.remainder(0.5 + number * pace, 1.0)
            position, orientation = self.base[0].copy(), self.base[1].copy()
            self._solve(self.fixed, _NOTHING, joints, position, orientation)
            self._kept_from(joints, position, orientation)

    def start_again_if_stuck(self, first: Array, low: Array, high: Array) -> None:
        """Search once more, away from stretched limbs, where a search with a cap of motion hardly left its start."""
        if not self.reached and float(np.abs(self.best.joints - first).max()) < _STUCK:
            self.run(_towards_middle(self.motion, first, low, high, _NUDGES[-1]))

    def _chain(self, link: int) -> Flags:
        """Entries of the joint array that move a link and may move; all that may for the centre of mass."""
        table, motion = self.tree.table, self.motion
        mask = np.zeros(len(self.tree.robot.joints), dtype=np.bool_)
        rows = list(range(1, len(table.parent))) if link == COM else []
        while link > 0:
            rows.append(link)
            link = int(table.parent[link])
        for row in rows:
            if motion.column[row] >= 0:
                mask[table.joint[row]] = True
        return mask

    def _kept_from(self, joints: Array, position: Array, orientation: Array) -> bool:
        """Search with the fixed frames as constraints, and note what was found; whether they are in their places."""
        self.starts += 1
        errors, held, side, cost, kept = self._solve(self.tasks, self.fixed, joints, position, orientation)
        merit = (0.0 if kept else float(np.abs(held).max()), cost)
        if self._best is None or merit < self._best.merit:
            found = joints.copy(), position.copy(), orientation.copy()
            self._best = SearchedPosture(merit, *found, errors, held, side)
            self.reached = kept and all(within(self.tasks, errors, self.near, self.turn_near))
        return kept

    def _solve(
        self, tasks: GoalTable, fixed: GoalTable, joints: Array, position: Array, orientation: Array
    ) -> tuple[Array, Array, Index, float, bool]:
        errors, held = np.zeros(int(tasks.rows.sum())), np.zeros(int(fixed.rows.sum()))
        side = np.zeros(len(self.motion.joint), dtype=np.int64)
        near, turn_near = 0.1 * self.near, 0.1 * self.turn_near
        asked = (self.tree.table, self.motion, tasks, fixed, joints, position, orientation)
        passes, cost, kept = solve_whole_body(*asked, near, turn_near, self.passes, errors, held, side)
        self.iterations += passes
        return errors, held, side, cost, kept


def kronecker(size: int) -> Array:
    """Steps, (size,), whose multiples modulo 1 fill a box evenly, a sequence of Kronecker's with the powers of 1 / r.

    r is the root of r^(size + 1) = r + 1 (Roberts, The Unreasonable Effectiveness of Quasirandom Sequences, 2018).
    """
    root = 2.0
    for _ in range(60):
        root = float((1.0 + root) ** (1.0 / (size + 1)))
    return np.asarray(np.power(root, -np.arange(1.0, size + 1)))


def _towards_middle(motion: MotionTable, first: Array, low: Array, high: Array, share: float) -> Array:
    """Joint positions (nj,) [rad] a share of the way from ``first`` to the middle of the ranges of those that move."""
    joints = first.copy()
    moving = motion.joint[motion.joint >= 0]
    bounded = moving[np.isfinite(low[moving]) & np.isfinite(high[moving])]
    joints[bounded] += share * (0.5 * (low[bounded] + high[bounded]) - first[bounded])
    return joints
