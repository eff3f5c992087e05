"""WalkGoal: what a walk from the terrain's start to its goal is asked for, and the line along which progress counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from andante.documents.part import Part
from andante.documents.quantities import Length, Number, Seconds
from andante.robots.records import Vector
from andante.terrain.terrain import Terrain


class WalkGoal(Part):
    """The robot walks from the terrain's start to its goal; lengths are LittleDog's and scale with the terrain."""

    start: tuple[Length, Length] | None = None
    """Where the way begins, x and y; None: at the terrain's start [m]."""
    goal: tuple[Length, Length] | None = None
    """Where it ends; None: at the terrain's goal [m]."""
    tolerance: Annotated[Length, Field(gt=0.0)] = 0.08
    """The robot has arrived when its centre of mass is no more than this short of the goal, along the line from start
    to goal [m]."""
    aside: Annotated[Length, Field(gt=0.0)] = 0.3
    """Farther beside that line the robot is off the course: half the width of a board [m]."""
    miss: Annotated[Length, Field(gt=0.0)] = 0.02
    """A foot that comes down farther than this from where it was planned has missed [m]."""
    linger: Annotated[Seconds, Field(ge=0.0)] | None = 1.5
    """The run ends so long after the arrival, or after the robot left the course; a fall by then still counts. None: it
    goes on until the controller is done [s]."""
    min_speed: Annotated[Number, Field(gt=0.0)] | None = None
    """Smallest speed along the line from the start of the run to the arrival; None: any [m/s]."""


@dataclass(frozen=True, eq=False)
class WalkCourse:
    """What a walk is asked for on a terrain; progress counts along the line from start to goal."""

    goal: WalkGoal
    """What is asked."""
    terrain: Terrain
    """The true ground."""
    start: Vector
    """Where the line begins, (2,) [m]."""
    way: Vector
    """Its direction, (2,)."""
    length: float
    """Its length [m]."""

    @staticmethod
    def of(terrain: Terrain, goal: WalkGoal) -> WalkCourse:
        """The course over a terrain; a walk may have a start and a goal of its own."""
        start = np.array(terrain.start if goal.start is None else goal.start)
        span = np.array(terrain.goal if goal.goal is None else goal.goal) - start
        length = float(np.linalg.norm(span))
        return WalkCourse(goal, terrain, start, span / max(length, 1e-9), length)

    @property
    def ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where the line begins and where it ends, both x and y [m]."""
        (x, y), (goal_x, goal_y) = self.start.tolist(), (self.start + self.length * self.way).tolist()
        return (x, y), (goal_x, goal_y)

    @property
    def arrival(self) -> float:
        """Distance along the line from which on the robot has arrived [m]."""
        return self.length - self.goal.tolerance * self.terrain.scale

    @property
    def aside(self) -> float:
        """Farther beside the line the robot is off the course [m]."""
        return self.goal.aside * self.terrain.scale

    @property
    def miss(self) -> float:
        """A foot that comes down farther from where it was planned has missed [m]."""
        return self.goal.miss * self.terrain.scale

    def along(self, points: Vector) -> tuple[Vector, Vector]:
        """Distance along the line and to its left, (n,) [m] each, of points (n, >= 2)."""
        offset = points[:, :2] - self.start
        return offset @ self.way, offset @ np.array([-self.way[1], self.way[0]])
