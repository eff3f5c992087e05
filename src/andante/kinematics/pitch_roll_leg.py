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

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from andante.kinematics.forward import KinematicsError
from andante.kinematics.leg import LegGeometryError, leg_chain
from andante.robots.records import Vector
from andante.robots.robot import Foot, Robot

_TOLERANCE = 1e-9
_SLACK = 1e-9


class LegReachError(KinematicsError):
    """No angles within a leg's limits put its foot there."""


@dataclass(frozen=True)
class PitchRollLeg:
    """Lengths, limits and names of one leg."""

    name: str
    """Name of the foot in the robot's pack."""
    hip: tuple[float, float, float]
    """Where the shoulder's axes meet, in the base's frame [m]."""
    knee: tuple[float, float, float]
    """Hip to knee axis at zero angles [m]."""
    foot: tuple[float, float, float]
    """Knee axis to the foot's centre at zero angles [m]."""
    signs: tuple[float, float, float]
    """+1 or -1 per joint: which way a positive angle turns about y, x and y."""
    joints: tuple[str, ...]
    """Names of pitch, roll and knee."""
    indices: tuple[int, ...]
    """Positions of the three in the robot's joint arrays."""
    lower: tuple[float, ...]
    """Lower limits [rad]."""
    upper: tuple[float, ...]
    """Upper limits [rad]."""

    def place(self, angles: ArrayLike) -> Vector:
        """Where the foot is in the base's frame, (3,) [m], at the three joint angles [rad]."""
        q1, q2, q3 = np.asarray(angles, dtype=np.float64) * self.signs
        x, y, z = _about_y(q3, self.foot) + self.knee
        c, s = math.cos(q2), math.sin(q2)
        return _about_y(q1, (x, c * y - s * z, s * y + c * z)) + self.hip

    def solve(self, foot: ArrayLike, near: ArrayLike | None = None) -> Vector:
        """Joint angles, (3,) [rad], that put the foot's centre at a place.

        Args:
            foot: The place in the base's frame, (3,) [m].
            near: Angles of which the nearest solution is wanted, (3,) [rad]; None: the middle of the limits.

        Raises:
            LegReachError: No angles within the limits put it there; names the joint that is in the way.
        """
        wanted = np.asarray(foot, dtype=np.float64)
        if wanted.shape != (3,) or not np.isfinite(wanted).all():
            raise LegReachError("a foot's place is three finite coordinates", place=self.name, value=foot)
        target = np.array([self.lower, self.upper]).mean(axis=0) if near is None else np.asarray(near)
        low, high = np.array(self.lower), np.array(self.upper)
        solutions = self._all(wanted - self.hip)
        legal = [each for each in solutions if ((each >= low - _SLACK) & (each <= high + _SLACK)).all()]
        if legal:
            best = min(legal, key=lambda each: float(np.abs(each - target).sum()))
            return np.clip(best, low, high)
        nearest = min(solutions, key=lambda each: float((np.maximum(low - each, 0) + np.maximum(each - high, 0)).sum()))
        over = np.maximum(low - nearest, 0) + np.maximum(nearest - high, 0)
        joint = int(np.argmax(over))
        raise LegReachError(
            "the foot's place needs a joint beyond its limit",
            place=f"{self.name}: {self.joints[joint]}",
            value=f"{math.degrees(nearest[joint]):.1f} deg",
            limit=f"{math.degrees(low[joint]):.1f} to {math.degrees(high[joint]):.1f} deg",
        )

    def _all(self, way: Vector) -> list[Vector]:
        """All angles, whatever their limits, that span a way from the hip."""
        (kx, ky, kz), (fx, fy, fz) = self.knee, self.foot
        # |k + Ry(a) f|^2 = |k|^2 + |f|^2 + 2 (ky fy + A cos a + B sin a)
        cosine, sine = kx * fx + kz * fz, kx * fz - kz * fx
        fixed = float(np.dot(self.knee, self.knee) + np.dot(self.foot, self.foot)) + 2.0 * ky * fy
        size = math.hypot(cosine, sine)
        share = (float(way @ way) - fixed) / (2.0 * size)
        if abs(share) > 1.0 + _SLACK:
            near, far = (math.sqrt(max(fixed + sign * 2.0 * size, 0.0)) for sign in (-1.0, 1.0))
            raise LegReachError(
                "the foot's place is out of the leg's reach",
                place=f"{self.name}: {self.joints[2]}",
                value=f"{math.sqrt(float(way @ way)) * 1e3:.1f} mm from the hip",
                limit=f"{near * 1e3:.1f} to {far * 1e3:.1f} mm",
            )
        middle, half = math.atan2(sine, cosine), math.acos(max(-1.0, min(1.0, share)))
        found: list[Vector] = []
        for knee_side, roll_side in itertools.product((1.0, -1.0), repeat=2):
            bend = middle + knee_side * half
            x, y, z = _about_y(bend, self.foot) + self.knee
            radius = math.hypot(y, z)
            if abs(way[1]) > radius + _SLACK:
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
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.model.qpos0
    for joint in robot.joint_names:
        data.joint(joint).qpos[0] = 0.0
    mujoco.mj_kinematics(robot.model, data)
    return tuple(_leg(robot, data, foot) for foot in robot.feet)


def _leg(robot: Robot, data: mujoco.MjData, foot: Foot) -> PitchRollLeg:
    base = data.body(robot.base_body)
    rotation, origin = base.xmat.reshape(3, 3), base.xpos
    chain = leg_chain(robot, foot)
    if len(chain) != 3:
        raise LegGeometryError("the leg must have three joints", place=f"{robot.name}.{foot.name}", value=chain)
    axes = np.array([rotation.T @ data.joint(name).xaxis for name in chain])
    anchors = np.array([rotation.T @ (data.joint(name).xanchor - origin) for name in chain])
    signs = (axes[0, 1], axes[1, 0], axes[2, 1])
    wanted = np.array([[0.0, signs[0], 0.0], [signs[1], 0.0, 0.0], [0.0, signs[2], 0.0]])
    if np.abs(axes - wanted).max() > _TOLERANCE or np.abs(anchors[0] - anchors[1]).max() > _TOLERANCE:
        raise LegGeometryError(
            "the leg's closed form needs axes along y, x and y, the first two through one point",
            place=f"{robot.name}.{foot.name}",
            value=[[round(float(x), 6) for x in axis] for axis in axes],
        )
    sole = rotation.T @ (data.site(foot.site).xpos - origin)
    indices = tuple(robot.index(name) for name in chain)
    return PitchRollLeg(
        name=foot.name,
        hip=_triple(anchors[0]),
        knee=_triple(anchors[2] - anchors[0]),
        foot=_triple(sole - anchors[2]),
        signs=_triple(np.sign(signs)),
        joints=chain,
        indices=indices,
        lower=tuple(robot.joints[index].lower for index in indices),
        upper=tuple(robot.joints[index].upper for index in indices),
    )


def _about_y(angle: float, vector: ArrayLike) -> Vector:
    x, y, z = np.asarray(vector, dtype=np.float64)
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * x + s * z, y, c * z - s * x])


def _triple(values: ArrayLike) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in np.asarray(values))
    return x, y, z
