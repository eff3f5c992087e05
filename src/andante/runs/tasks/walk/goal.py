"""WalkGoal: what a walk from the terrain's start to its goal is asked for, and the line along which progress counts.

The line goes from the start by way of the places that are asked for to the goal. Which leg of it a robot is on cannot
be told by its place alone, since legs may cross: it is on the next one once it has come near the end of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from andante.documents.part import Part
from andante.documents.quantities import Length, Number, Seconds
from andante.robots.records import Vector
from andante.spatial.arrays import Index

if TYPE_CHECKING:
    from andante.terrain.terrain import Terrain


class WalkGoal(Part):
    """The robot walks from the terrain's start to its goal; lengths are LittleDog's and scale with the terrain."""

    start: tuple[Length, Length] | None = None
    """Where the way begins, x and y; None: at the terrain's start [m]."""
    goal: tuple[Length, Length] | None = None
    """Where it ends; None: at the terrain's goal [m]."""
    via: Annotated[tuple[tuple[Length, Length], ...], Field(max_length=100)] = ()
    """Places by whose way it goes there, x and y, one after the other [m]."""
    tolerance: Annotated[Length, Field(gt=0.0)] = 0.08
    """The robot has arrived when its centre of mass is no more than this short of the goal, along the line from start
    to goal [m]."""
    passing: Annotated[Length, Field(gt=0.0)] = 0.12
    """So near its centre of mass has to come to every place on the way, in any direction [m]."""
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
    corners: Vector
    """Start, the places on the way, and the goal, (k, 2) [m]."""

    @staticmethod
    def of(terrain: Terrain, goal: WalkGoal) -> WalkCourse:
        """The course over a terrain; a walk may have a start and a goal of its own."""
        start = terrain.start if goal.start is None else goal.start
        end = terrain.goal if goal.goal is None else goal.goal
        return WalkCourse(goal, terrain, np.array([start, *goal.via, end], dtype=np.float64))

    @cached_property
    def _lengths(self) -> Vector:
        """Lengths of the legs, (k - 1,) [m]."""
        return np.asarray(np.linalg.norm(np.diff(self.corners, axis=0), axis=1))

    @cached_property
    def _ways(self) -> Vector:
        """Directions of the legs, (k - 1, 2)."""
        return np.asarray(np.diff(self.corners, axis=0) / np.maximum(self._lengths, 1e-9)[:, None])

    @cached_property
    def length(self) -> float:
        """Length of the line [m]."""
        return float(self._lengths.sum())

    @property
    def ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where the line begins and where it ends, both x and y [m]."""
        (x, y), (goal_x, goal_y) = self.corners[0].tolist(), self.corners[-1].tolist()
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

    def legs(self, points: Vector, leg: int = 0) -> Index:
        """Which leg of the line the robot is on at points (n, >= 2) one after the other, (n,); it begins on ``leg``."""
        found, last = np.full(len(points), leg), len(self._lengths) - 1
        if leg == last:
            return found
        begin, reach = 0, self.goal.passing * self.terrain.scale
        for number in range(leg, last):
            near = np.linalg.norm(points[begin:, :2] - self.corners[number + 1], axis=1) <= reach
            if not near.any():
                break
            begin += int(np.argmax(near))
            found[begin:] = number + 1
        return found

    def along(self, points: Vector, leg: int = 0) -> tuple[Vector, Vector]:
        """Distance along the line and to its left, (n,) [m] each, of points (n, >= 2) one after the other."""
        legs = self.legs(points, leg)
        offset, ways = points[:, :2] - self.corners[legs], self._ways[legs]
        ahead = (offset * ways).sum(axis=1)
        beside = offset[:, 1] * ways[:, 0] - offset[:, 0] * ways[:, 1]
        # Beyond the end of a leg, past which it has not come near enough, there is no way.
        ahead = np.where(legs < len(self._lengths) - 1, np.minimum(ahead, self._lengths[legs]), ahead)
        begins = np.concatenate([[0.0], np.cumsum(self._lengths)])
        return np.asarray(begins[legs] + ahead), np.asarray(beside)
