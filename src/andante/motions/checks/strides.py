"""How far a posture may change before bodies that were apart can meet: what lies between needs no look.

When joints turn, a point goes at most as far as the angle times its distance from the joint's axis. Summed over the
joints of two limbs that bounds how much nearer the limbs can come, so most samples of a motion are known to be free of
collisions without asking for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.collision import Clearance
from andante.robots.robot import Robot
from andante.spatial.arrays import Array

FAR = 0.03
"""Distance up to which bodies are asked for [m]."""
_SLACK = 1e-6


class Strides:
    """Finds the samples at which bodies have to be looked at.

    Args:
        robot: The robot.
        limit: Distance from which bodies count as close [m].
    """

    def __init__(self, robot: Robot, limit: float) -> None:
        model = robot.model
        self._limit = limit
        trunk = int(model.body(robot.base_body).id)
        branches = [0] * model.nbody
        outer = np.zeros(model.nbody)
        for body in range(1, model.nbody):
            parent = int(model.body_parentid[body])
            branches[body] = branches[parent] if parent not in (0, trunk) else body
        branches[trunk] = 0
        for geom in range(model.ngeom):
            body = int(model.geom_bodyid[geom])
            away = float(np.linalg.norm(model.geom_pos[geom]) + model.geom_rbound[geom])
            outer[body] = max(outer[body], away)
        for body in range(model.nbody - 1, 0, -1):
            parent = int(model.body_parentid[body])
            outer[parent] = max(outer[parent], float(np.linalg.norm(model.body_pos[body])) + outer[body])
        self._branch = {model.body(body).name: branches[body] for body in range(1, model.nbody)}
        limbs = sorted(set(branches) - {0})
        self._limbs = {limb: row for row, limb in enumerate(limbs)}
        # Way of a limb's farthest point for a turn of each joint, (limbs, nj) [m/rad].
        self._reach = np.zeros((len(limbs), len(robot.joints)))
        for column, joint in enumerate(robot.joint_names):
            number = int(model.joint(joint).id)
            body = int(model.jnt_bodyid[number])
            if branches[body]:
                reach = float(np.linalg.norm(model.jnt_pos[number])) + outer[body]
                self._reach[self._limbs[branches[body]], column] = reach

    def look(
        self, position: Array, rows: NDArray[np.intp], near: Callable[[Array], Sequence[Clearance]]
    ) -> Iterator[tuple[int, list[Clearance]]]:
        """The samples of some, rising, at which bodies are closer than the limit, each with these bodies.

        Args:
            position: Postures of a motion, (n, nj) [rad].
            rows: The samples that count, (m,).
            near: Bodies closer than `FAR` at a posture.
        """
        if not len(rows):
            return
        ways = np.abs(np.diff(position[rows], axis=0)) @ self._reach.T
        gone = np.vstack([np.zeros(len(self._limbs)), np.cumsum(ways, axis=0)])
        at = 0
        while at < len(rows):
            pairs = near(position[rows[at]])
            close = [pair for pair in pairs if pair.distance < self._limit]
            if close:
                yield int(rows[at]), close
            at = self._next(gone, at, pairs)

    def _next(self, gone: Array, at: int, pairs: Sequence[Clearance]) -> int:
        """The first sample after one at which bodies can be closer than the limit."""
        ways = gone[at + 1 :] - gone[at]
        if not len(ways):
            return len(gone)
        fast = np.sort(ways, axis=1)[:, -2:].sum(axis=1) if ways.shape[1] > 1 else ways.sum(axis=1)
        step = int(np.searchsorted(fast, FAR - self._limit - _SLACK))
        for pair in pairs:
            limbs = {self._branch.get(pair.first, 0), self._branch.get(pair.second, 0)} - {0}
            way = ways[:, [self._limbs[limb] for limb in limbs]].sum(axis=1)
            step = min(step, int(np.searchsorted(way, max(pair.distance - self._limit - _SLACK, 0.0))))
        return at + 1 + step
