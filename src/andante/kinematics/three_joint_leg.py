"""What legs of three joints and a ball foot have in common: names, limits, and how they are read from a model."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from andante.kinematics.forward import KinematicsError
from andante.robots.records import Vector

Triple = tuple[float, float, float]
SLACK = 1e-9
"""Rounding that is allowed beyond a limit [rad] or a length, as a share."""
_THERE = 1e-8
"""How far the foot may be from where it should be after angles were brought to their limits [m]."""
_TURN = 2.0 * math.pi


class LegReachError(KinematicsError):
    """No angles within a leg's limits put its foot there."""


@dataclass(frozen=True)
class ThreeJointLeg(ABC):
    """Names, limits and axes of one leg."""

    name: str
    """Name of the foot in the robot's pack."""
    hip: Triple
    """A point on the first axis, where the second one meets it if it does, in the base's frame [m]."""
    signs: Triple
    """+1 or -1 per joint: which way a positive angle turns about its axis."""
    joints: tuple[str, ...]
    """Names of the three, from the hip to the knee."""
    indices: tuple[int, ...]
    """Positions of the three in the robot's joint arrays."""
    lower: tuple[float, ...]
    """Lower limits [rad]."""
    upper: tuple[float, ...]
    """Upper limits [rad]."""

    def wanted(self, foot: ArrayLike) -> Vector:
        """A foot's place, (3,) [m], checked.

        Raises:
            LegReachError: Not three finite numbers.
        """
        place = np.asarray(foot, dtype=np.float64)
        # Here as in the legs' closed forms plain numbers are several times as fast as numpy's operations.
        if place.shape != (3,) or not math.isfinite(sum(place.tolist())):
            raise LegReachError("a foot's place is three finite coordinates", place=self.name, value=foot)
        return place

    @cached_property
    def ranges(self) -> tuple[tuple[float, float, float], ...]:
        """Least, middle and largest angle of each joint [rad]."""
        return tuple((low, 0.5 * (low + high), high) for low, high in zip(self.lower, self.upper, strict=True))

    def legal(self, turns: tuple[float, float, float], foot: Triple) -> Triple | None:
        """Joint angles [rad] of turns about the axes, in the turn in which the limits are; None where they are beyond.

        Near a stretched or a folded leg rounding of a place is worth much more in angles: what is beyond a limit counts
        if at the limit the foot is where it should be.

        Args:
            turns: About the axes' positive sense [rad].
            foot: Place of the foot that they give [m].
        """
        angles, over = [], 0.0
        for turn, sign, (low, middle, high) in zip(turns, self.signs, self.ranges, strict=True):
            angle = middle + (turn * sign - middle + math.pi) % _TURN - math.pi
            if angle < low:
                over, angle = max(over, low - angle), low
            elif angle > high:
                over, angle = max(over, angle - high), high
            angles.append(angle)
        if over > SLACK and math.dist(self.place(angles).tolist(), foot) > _THERE:
            return None
        return angles[0], angles[1], angles[2]

    @abstractmethod
    def place(self, angles: ArrayLike) -> Vector:
        """Where the foot's centre is in the base's frame, (3,) [m], at the three joint angles [rad]."""

    def nearest(self, found: Sequence[Triple], near: ArrayLike | None) -> Triple:
        """Of some solutions the one least away from angles, (3,) [rad], or from the middle of the limits."""
        a, b, c = (each[1] for each in self.ranges) if near is None else np.asarray(near, dtype=np.float64).tolist()
        return min(found, key=lambda each: abs(each[0] - a) + abs(each[1] - b) + abs(each[2] - c))

    def beyond(self, joint: int, angle: float) -> LegReachError:
        """That a place needs an angle [rad] beyond a joint's limits."""
        return LegReachError(
            "the foot's place needs a joint beyond its limit",
            place=f"{self.name}: {self.joints[joint]}",
            value=f"{math.degrees(angle):.1f} deg",
            limit=f"{math.degrees(self.lower[joint]):.1f} to {math.degrees(self.upper[joint]):.1f} deg",
        )

    def out_of_reach(self, distance: float, origin: str, near: float, far: float) -> LegReachError:
        """That a place is at a distance from ``origin`` that the leg does not span [m]."""
        return LegReachError(
            "the foot's place is out of the leg's reach",
            place=f"{self.name}: {self.joints[2]}",
            value=f"{distance * 1e3:.1f} mm from {origin}",
            limit=f"{near * 1e3:.1f} to {far * 1e3:.1f} mm",
        )


def triple(values: ArrayLike) -> Triple:
    """Three plain numbers."""
    x, y, z = (float(value) for value in np.asarray(values))
    return x, y, z
