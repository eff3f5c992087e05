"""Closed-form inverse kinematics of a three-joint leg that pitches, then rolls, then bends its knee (the AIBO's).

The leg's chain, all frames parallel to the base's at zero angles, both shoulder axes through one point:

    pitch (y) - roll (x) | knee offset k | knee (y) | foot offset f

With signs s1, s2, s3 of the axes, the foot lies at ``hip + Ry(s1 q1) Rx(s2 q2) v`` with ``v = k + Ry(s3 q3) f``. The
length of v gives q3, its y coordinate after the roll gives q2, the angle in the x-z plane that is left gives q1.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.kinematics.three_joint_leg import (
    SLACK,
    LegModel,
    LegReachError,
    ThreeJointLeg,
    Triple,
    about_y,
    leg_models,
    triple,
)
from andante.robots.records import Vector
from andante.robots.robot import Robot

_TOLERANCE = 1e-9


@dataclass(frozen=True)
class PitchRollLeg(ThreeJointLeg):
    """Lengths, limits and names of one leg; its joints are pitch, roll and knee."""

    knee: Triple
    """Hip to knee axis at zero angles [m]."""
    foot: Triple
    """Knee axis to the foot's centre at zero angles [m]."""

    def place(self, angles: ArrayLike) -> Vector:
        """Where the foot is in the base's frame, (3,) [m], at the three joint angles [rad]."""
        q1, q2, q3 = np.asarray(angles, dtype=np.float64) * self.signs
        x, y, z = about_y(q3, self.foot) + self.knee
        c, s = math.cos(q2), math.sin(q2)
        return about_y(q1, (x, c * y - s * z, s * y + c * z)) + self.hip

    def solve(self, foot: ArrayLike, near: ArrayLike | None = None) -> Vector:
        """Joint angles, (3,) [rad], that put the foot's centre at a place.

        Args:
            foot: The place in the base's frame, (3,) [m].
            near: Angles of which the nearest solution is wanted, (3,) [rad]; None: the middle of the limits.

        Raises:
            LegReachError: No angles within the limits put it there; names the joint that is in the way.
        """
        wanted = self.wanted(foot)
        target = np.array([self.lower, self.upper]).mean(axis=0) if near is None else np.asarray(near)
        low, high = np.array(self.lower), np.array(self.upper)
        solutions = self._all(wanted - self.hip)
        legal = [each for each in solutions if ((each >= low - SLACK) & (each <= high + SLACK)).all()]
        if legal:
            best = min(legal, key=lambda each: float(np.abs(each - target).sum()))
            return np.clip(best, low, high)
        nearest = min(solutions, key=lambda each: float((np.maximum(low - each, 0) + np.maximum(each - high, 0)).sum()))
        over = np.maximum(low - nearest, 0) + np.maximum(nearest - high, 0)
        joint = int(np.argmax(over))
        raise self.beyond(joint, float(nearest[joint]))

    def _all(self, way: Vector) -> list[Vector]:
        """All angles, whatever their limits, that span a way from the hip."""
        (kx, ky, kz), (fx, fy, fz) = self.knee, self.foot
        # |k + Ry(a) f|^2 = |k|^2 + |f|^2 + 2 (ky fy + A cos a + B sin a)
        cosine, sine = kx * fx + kz * fz, kx * fz - kz * fx
        fixed = float(np.dot(self.knee, self.knee) + np.dot(self.foot, self.foot)) + 2.0 * ky * fy
        size = math.hypot(cosine, sine)
        share = (float(way @ way) - fixed) / (2.0 * size)
        if abs(share) > 1.0 + SLACK:
            near, far = (math.sqrt(max(fixed + sign * 2.0 * size, 0.0)) for sign in (-1.0, 1.0))
            raise self.out_of_reach(math.sqrt(float(way @ way)), "the hip", near, far)
        middle, half = math.atan2(sine, cosine), math.acos(max(-1.0, min(1.0, share)))
        found: list[Vector] = []
        for knee_side, roll_side in itertools.product((1.0, -1.0), repeat=2):
            bend = middle + knee_side * half
            x, y, z = about_y(bend, self.foot) + self.knee
            radius = math.hypot(y, z)
            if abs(way[1]) > radius + SLACK:
                continue
            roll = -math.atan2(z, y) + roll_side * math.acos(max(-1.0, min(1.0, way[1] / radius)))
            depth = math.sin(roll) * y + math.cos(roll) * z
            pitch = math.atan2(way[0], way[2]) - math.atan2(x, depth)
            turns = np.array([pitch, roll, bend])
            found.append((np.remainder(turns + math.pi, 2.0 * math.pi) - math.pi) * self.signs)
        if not found:
            raise LegReachError(
                "the foot's place is too far to the side",
                place=f"{self.name}: {self.joints[1]}",
                value=f"{way[1] * 1e3:.1f} mm from the hip",
            )
        return found


def pitch_roll_legs(robot: Robot) -> tuple[PitchRollLeg, ...]:
    """The legs of a robot on ball feet, read from its model, in the order of its feet.

    Raises:
        LegGeometryError: A leg is not of the kind described above.
    """
    return tuple(_leg(model) for model in leg_models(robot))


def _leg(model: LegModel) -> PitchRollLeg:
    axes, anchors = model.axes, model.anchors
    signs = (axes[0, 1], axes[1, 0], axes[2, 1])
    wanted = np.array([[0.0, signs[0], 0.0], [signs[1], 0.0, 0.0], [0.0, signs[2], 0.0]])
    if np.abs(axes - wanted).max() > _TOLERANCE or np.abs(anchors[0] - anchors[1]).max() > _TOLERANCE:
        raise model.refuse("y, x and y, the first two through one point")
    return PitchRollLeg(
        hip=triple(anchors[0]),
        knee=triple(anchors[2] - anchors[0]),
        foot=triple(model.sole - anchors[2]),
        signs=triple(np.sign(signs)),
        **model.common,
    )
