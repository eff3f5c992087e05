"""Closed-form inverse kinematics of a three-joint leg that pitches, then rolls, then bends its knee (the AIBO's).

The leg's chain, all frames parallel to the base's at zero angles, both shoulder axes through one point:

    pitch (y) - roll (x) | knee offset k | knee (y) | foot offset f

With signs s1, s2, s3 of the axes, the foot lies at ``hip + Ry(s1 q1) Rx(s2 q2) v`` with ``v = k + Ry(s3 q3) f``. The
length of v gives q3, its y coordinate after the roll gives q2, the angle in the x-z plane that is left gives q1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from andante.kinematics.leg_model import LegModel, leg_models
from andante.kinematics.three_joint_leg import (
    SLACK,
    LegReachError,
    ThreeJointLeg,
    Triple,
    triple,
)
from andante.robots.records import Vector
from andante.robots.robot import Robot

_TOLERANCE = 1e-9
_ON_AXIS = 1e-24
"""Square of a distance from an axis that is none [m^2]."""


@dataclass(frozen=True)
class PitchRollLeg(ThreeJointLeg):
    """Lengths, limits and names of one leg; its joints are pitch, roll and knee."""

    knee: Triple
    """Hip to knee axis at zero angles [m]."""
    foot: Triple
    """Knee axis to the foot's centre at zero angles [m]."""

    def place(self, angles: ArrayLike) -> Vector:
        """Where the foot is in the base's frame, (3,) [m], at the three joint angles [rad]."""
        q1, q2, q3 = np.asarray(angles, dtype=np.float64).tolist()
        (s1, s2, s3), (fx, fy, fz), (kx, ky, kz), (hx, hy, hz) = self.signs, self.foot, self.knee, self.hip
        c, s = math.cos(s3 * q3), math.sin(s3 * q3)
        x, y, z = c * fx + s * fz + kx, fy + ky, c * fz - s * fx + kz
        c, s = math.cos(s2 * q2), math.sin(s2 * q2)
        y, z = c * y - s * z, s * y + c * z
        c, s = math.cos(s1 * q1), math.sin(s1 * q1)
        return np.array((c * x + s * z + hx, y + hy, c * z - s * x + hz))

    def solve(self, foot: ArrayLike, near: ArrayLike | None = None) -> Vector:
        """Joint angles, (3,) [rad], that put the foot's centre at a place.

        Args:
            foot: The place in the base's frame, (3,) [m].
            near: Angles of which the nearest solution is wanted, (3,) [rad]; None: the middle of the limits.

        Raises:
            LegReachError: No angles within the limits put it there; names the joint that is in the way.
        """
        wanted = triple(self.wanted(foot))
        solutions = self._all(wanted)
        legal = [angles for turns in solutions if (angles := self.legal(turns, wanted)) is not None]
        if legal:
            return np.array(self.nearest(legal, near))
        low, middle, high = np.array(self.ranges).T
        angles = middle + np.remainder(np.array(solutions) * self.signs - middle + math.pi, 2.0 * math.pi) - math.pi
        over = np.maximum(low - angles, 0.0) + np.maximum(angles - high, 0.0)
        nearest = int(np.argmin(over.sum(axis=1)))
        joint = int(np.argmax(over[nearest]))
        raise self.beyond(joint, float(angles[nearest, joint]))

    def _all(self, foot: Triple) -> list[Triple]:
        """All turns about the axes [rad], whatever the limits, that put the foot at a place in the base's frame [m]."""
        (kx, ky, kz), (fx, fy, fz), size, fixed, middle = self.knee, self.foot, *self._spread
        x, y, z = foot[0] - self.hip[0], foot[1] - self.hip[1], foot[2] - self.hip[2]
        share = (x * x + y * y + z * z - fixed) / (2.0 * size)
        if abs(share) > 1.0 + SLACK:
            near, far = (math.sqrt(max(fixed + sign * 2.0 * size, 0.0)) for sign in (-1.0, 1.0))
            raise self.out_of_reach(math.sqrt(x * x + y * y + z * z), "the hip", near, far)
        half = math.acos(max(-1.0, min(1.0, share)))
        found: list[Triple] = []
        for bend in (middle + half, middle - half):
            c, s = math.cos(bend), math.sin(bend)
            across, left, down = c * fx + s * fz + kx, fy + ky, c * fz - s * fx + kz
            radius = math.hypot(left, down)
            if abs(y) > radius + SLACK:
                continue
            start = -math.atan2(down, left)
            # With the foot on the roll axis any roll will do.
            spread = math.acos(max(-1.0, min(1.0, y / radius))) if radius > 0.0 else 0.0
            for roll in (start + spread, start - spread):
                depth = math.sin(roll) * left + math.cos(roll) * down
                if x * x + z * z < _ON_AXIS:
                    # And on the pitch axis any pitch.
                    found.append((self.signs[0] * self.ranges[0][1], roll, bend))
                else:
                    found.append((math.atan2(x, z) - math.atan2(across, depth), roll, bend))
        if not found:
            raise LegReachError(
                "the foot's place is too far to the side",
                place=f"{self.name}: {self.joints[1]}",
                value=f"{y * 1e3:.1f} mm from the hip",
            )
        return found

    @cached_property
    def _spread(self) -> tuple[float, float, float]:
        """Size, rest and angle of the squared distance from hip to foot: rest + 2 size cos(knee - angle)."""
        # |k + Ry(a) f|^2 = |k|^2 + |f|^2 + 2 (ky fy + A cos a + B sin a)
        (kx, ky, kz), (fx, fy, fz) = self.knee, self.foot
        cosine, sine = kx * fx + kz * fz, kx * fz - kz * fx
        fixed = float(np.dot(self.knee, self.knee) + np.dot(self.foot, self.foot)) + 2.0 * ky * fy
        return math.hypot(cosine, sine), fixed, math.atan2(sine, cosine)


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
