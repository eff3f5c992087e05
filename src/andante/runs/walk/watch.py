"""WalkWatch: ends a walk some time after the robot arrived, left the course or fell, whatever the controller thinks."""

from __future__ import annotations

import math

from andante.backends.backend import Backend
from andante.robots.records import Record
from andante.runs.falls import FallWatch
from andante.runs.scenario import FallRule
from andante.runs.tick import Observer
from andante.runs.walk.goal import CourseLine, WalkGoal
from andante.terrain.terrain import Terrain


class WalkWatch(Observer):
    """Looks at the ground truth of a walk.

    Args:
        goal: What is asked of the walk.
        fall: What counts as a fall.
        terrain: The ground.
    """

    def __init__(self, goal: WalkGoal, fall: FallRule, terrain: Terrain) -> None:
        self._line, self._fall = CourseLine.of(terrain, goal), FallWatch(fall)
        self._short = self._line.length - goal.tolerance * terrain.scale
        self._aside, self._linger = goal.aside * terrain.scale, goal.linger
        self._since = math.inf

    def begin(self, backend: Backend) -> None:
        """Forget everything."""
        self._fall.begin(backend)
        self._since = math.inf

    def over(self, backend: Backend) -> bool:
        """Whether nothing more can change how the walk ended."""
        truth = backend.truth()
        return truth is not None and self.ended(truth)

    def ended(self, truth: Record) -> bool:
        """Whether by this ground truth nothing more can change how the walk ended."""
        ahead, aside = self._line.along(truth["com"][None])
        time = float(truth["time"][0])
        if ahead[0] >= self._short or abs(aside[0]) > self._aside:
            self._since = min(self._since, time)
        lingered = self._linger is not None and time - self._since >= self._linger
        return self._fall.lain(truth) or lingered
