"""From a place that was clicked to what a steered robot is asked: it turns to the place, goes there and stands."""

from __future__ import annotations

import math

import numpy as np

from andante.control.steering import STILL, Heading
from andante.robots.records import Vector
from andante.spatial.rotations import to_rpy

ARRIVED = 0.1
"""The base is at the place where it is this near [m]."""
_AWAY = 0.5
"""A robot that has arrived sets out again where it is farther than this many times `ARRIVED` beyond it."""
_ASIDE = 0.35
"""Looking farther away from the place than this it turns first [rad]."""
_TURNING = 1.0
"""It is asked to turn no faster than turns the rest in this time [s]: a robot that can turn by 7 rad/s would overshoot
between two looks, again and again."""
_SLOWING = 1.5
"""It is asked for no more than goes the rest of the way in this time [s]."""
_LEAST = 0.15
"""Least share of the largest speed that is asked on the way."""
_STEPS = 20
"""Shares are asked in so many steps, so that a log holds few changes."""


class GoalSteering:
    """Steers to one place on the ground, as a person does who looks at the robot: by where it truly is.

    It stands in for the person at the page. The robot's controller gets speeds only, and never sees that place.

    Args:
        goal: The place, (2,) [m].
    """

    def __init__(self, goal: Vector) -> None:
        self.goal = np.asarray(goal, dtype=np.float64)
        self.arrived = False
        """Whether it has come there."""

    def wish(self, base: Vector, fastest: Heading, share: float) -> tuple[float, float, float]:
        """Shares of the largest speeds ahead, to the left and of turning, each -1 to 1.

        Args:
            base: Position and orientation (wxyz) of the robot's base, (7,) [m].
            fastest: Its largest speeds.
            share: At most this share of them is asked.
        """
        way = self.goal - base[:2]
        far = math.hypot(way[0], way[1])
        self.arrived = far <= ARRIVED * (1.0 + _AWAY if self.arrived else 1.0)
        if self.arrived or fastest == STILL:
            return 0.0, 0.0, 0.0
        off = math.remainder(math.atan2(way[1], way[0]) - float(to_rpy(base[3:7])[2]), math.tau)
        most = min(share, abs(off) / _ASIDE * share, abs(off) / _TURNING / max(fastest.turn, 1e-9))
        turn = _stepped(math.copysign(most, off))
        if abs(off) > _ASIDE:
            return 0.0, 0.0, turn
        speed = far / _SLOWING / max(fastest.forward, 1e-9)
        return _stepped(max(min(speed, share), min(_LEAST, share))), 0.0, turn


def _stepped(share: float) -> float:
    return round(share * _STEPS) / _STEPS
