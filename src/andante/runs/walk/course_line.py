"""CourseLine: the line from a terrain's start to its goal, along which progress counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.robots.records import Vector
from andante.runs.walk.goal import WalkGoal
from andante.terrain.terrain import Terrain


@dataclass(frozen=True)
class CourseLine:
    """The line from start to goal."""

    start: Vector
    """Where it begins, (2,) [m]."""
    way: Vector
    """Its direction, (2,)."""
    length: float
    """Its length [m]."""

    @staticmethod
    def of(terrain: Terrain, goal: WalkGoal) -> CourseLine:
        """The line of a terrain; a walk may have a start and a goal of its own."""
        start = np.array(terrain.start if goal.start is None else goal.start)
        span = np.array(terrain.goal if goal.goal is None else goal.goal) - start
        length = float(np.linalg.norm(span))
        return CourseLine(start, span / max(length, 1e-9), length)

    def along(self, points: Vector) -> tuple[Vector, Vector]:
        """Distance along the line and to its left, (n,) [m] each, of points (n, >= 2)."""
        offset = points[:, :2] - self.start
        return offset @ self.way, offset @ np.array([-self.way[1], self.way[0]])
