"""PlanarChain: a leg of three segments in a plane, its forward kinematics and its closed-form inverse, vectorised.

Angles turn x towards z (counter-clockwise where x points right and z up). With the joint angles theta and each joint's
angle at zero (``zero``), the segments point in the world directions

    thigh u1, tibia u1 + u2, foot u1 + u2 + u3    with u = theta + zero

Inverse (law of cosines): the wanted foot pose gives the ankle; with d its distance from the hip,
``knee k = 2 atan2(sqrt((a + b)^2 - d^2), sqrt(d^2 - (a - b)^2))`` for both signs of the knee, which keeps its accuracy
near the stretched leg, where ``acos`` loses half of the digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.kinematics.forward import KinematicsError
from andante.kinematics.three_joint_leg import triple
from andante.robots.records import Vector
from andante.robots.robot import Robot

EPSILON = 1e-9
"""Length within which a point counts as just reached [m]."""
LIMIT_TOLERANCE = 1e-7
"""Angle within which a joint counts as at its limit [rad]: stretched is exactly the knee's upper limit, and there the
last digit of the ankle's place turns the knee by some 1e-8 rad."""
ALIKE = 1e-6
"""Knee angle below which the leg counts as stretched [rad]; the ankle is then within 1e-13 of the leg's length."""
SOLUTIONS = 2
"""Both signs of the knee."""


class PlanarChainError(KinematicsError):
    """A chain that cannot be, or poses that no chain can be asked for."""


@dataclass(frozen=True)
class PlanarChain:
    """Geometry, joint names and joint limits of a planar leg."""

    base: tuple[float, float]
    """Hip, x and z [m]."""
    lengths: tuple[float, float, float]
    """Thigh, tibia, foot [m]."""
    zero: tuple[float, float, float]
    """Angle of each segment against the one before (the thigh: against x) with its joint at 0 [rad]."""
    lower: tuple[float, float, float]
    """Lower joint limits [rad]."""
    upper: tuple[float, float, float]
    """Upper joint limits [rad]."""
    joints: tuple[str, str, str] = ("hip_angle", "knee_angle", "ankle_angle")
    """Joint names."""

    def __post_init__(self) -> None:
        if not all(math.isfinite(length) and length > 0.0 for length in self.lengths):
            raise PlanarChainError("a segment needs a length", place="lengths", value=self.lengths, limit="> 0 m")
        for name, low, high in zip(self.joints, self.lower, self.upper, strict=True):
            if not low <= high:
                raise PlanarChainError("limits must rise", place=name, value=(low, high), limit="lower <= upper")

    def forward(self, angles: ArrayLike) -> tuple[Vector, Vector]:
        """Joint positions and the foot's direction.

        Args:
            angles: Joint angles, (..., 3) [rad].

        Returns:
            Hip, knee, ankle and toe, (..., 4, 2) [m], and the foot's angle from x, (...) [rad], not wrapped.
        """
        turned = np.cumsum(np.asarray(angles, dtype=np.float64) + self.zero, axis=-1)
        steps = np.stack([np.cos(turned), np.sin(turned)], axis=-1) * np.array(self.lengths)[:, None]
        points = np.zeros((*turned.shape[:-1], 4, 2))
        points[..., 1:, :] = np.cumsum(steps, axis=-2)
        return points + self.base, turned[..., 2]

    def inverse(self, toe: ArrayLike, rotation: ArrayLike) -> PlanarSolutions:
        """All joint angles that bring the toe to a place with the foot in a direction.

        Args:
            toe: Places of the toe, (n, 2) [m].
            rotation: Angles of the foot from x, (n,) [rad].

        Raises:
            PlanarChainError: A number is not finite, or the shapes do not fit.
        """
        toe, rotation = np.atleast_2d(np.asarray(toe, float)), np.atleast_1d(np.asarray(rotation, float))
        if toe.ndim != 2 or toe.shape[1] != 2 or rotation.shape != (len(toe),):
            raise PlanarChainError("poses need (n, 2) places and (n,) angles", value=(toe.shape, rotation.shape))
        if not (np.isfinite(toe).all() and np.isfinite(rotation).all()):
            raise PlanarChainError("a pose must be finite", value=(toe.tolist(), rotation.tolist()))
        a, b, foot = self.lengths
        ankle = toe - foot * np.stack([np.cos(rotation), np.sin(rotation)], axis=-1)
        vx, vy = (ankle - self.base).T
        distance = np.hypot(vx, vy)
        far = distance > a + b + EPSILON
        near = distance < abs(a - b) - EPSILON
        centre = (distance < EPSILON) & ~near
        exists = ~(far | near | centre)
        knee = 2.0 * np.arctan2(
            np.sqrt(np.maximum((a + b - distance) * (a + b + distance), 0.0)),
            np.sqrt(np.maximum((distance - abs(a - b)) * (distance + abs(a - b)), 0.0)),
        )
        stretched, folded = knee < ALIKE, math.pi - knee < ALIKE
        knee[stretched], knee[folded] = 0.0, math.pi
        side = np.arctan2(b * np.sin(knee), a + b * np.cos(knee))
        towards = np.arctan2(vy, vx)
        raw = np.empty((len(toe), SOLUTIONS, 3))
        for number, sign in enumerate((1.0, -1.0)):
            raw[:, number, 0] = towards - sign * side
            raw[:, number, 1] = sign * knee
            raw[:, number, 2] = rotation - raw[:, number, 0] - raw[:, number, 1]
        angles = self._wrapped(raw - self.zero)
        # A stretched or a wholly folded leg has one solution only.
        given = np.stack([exists, exists & ~(stretched | folded)], axis=-1)
        angles[~given] = math.nan
        return PlanarSolutions(self, angles, distance)

    def outside(self, angles: ArrayLike) -> NDArray[np.bool_]:
        """Which joints lie outside their limits, (..., 3)."""
        values = np.asarray(angles, dtype=np.float64)
        return (values < np.array(self.lower) - LIMIT_TOLERANCE) | (values > np.array(self.upper) + LIMIT_TOLERANCE)

    def violations(self, angles: ArrayLike) -> list[str]:
        """One sentence per joint outside its limits, in degrees, for one posture (3,)."""
        values = np.asarray(angles, dtype=np.float64)
        return [
            f"{self.joints[i]} {math.degrees(values[i]):.4f} deg is outside "
            f"{math.degrees(self.lower[i]):g} to {math.degrees(self.upper[i]):g} deg"
            for i in np.flatnonzero(self.outside(values))
        ]

    def _wrapped(self, angles: Vector) -> Vector:
        """Each angle a whole number of turns away, as near as possible to the middle of its range."""
        middle = 0.5 * (np.array(self.lower) + np.array(self.upper))
        turns = np.round((angles - middle) / (2.0 * math.pi))
        return np.asarray(angles - 2.0 * math.pi * turns)


@dataclass(frozen=True, eq=False)
class PlanarSolutions:
    """What the inverse found for n poses: up to two postures each, those outside the joint limits included."""

    chain: PlanarChain
    """The chain."""
    angles: Vector
    """Joint angles, (n, 2, 3) [rad]: knee bent one way, the other way; NaN where there is no (second) solution."""
    distance: Vector
    """Distance from hip to ankle, (n,) [m]."""

    @property
    def exists(self) -> NDArray[np.bool_]:
        """Which solutions there are, (n, 2)."""
        return ~np.isnan(self.angles[..., 0])

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """Which solutions exist inside all joint limits, (n, 2)."""
        return self.exists & ~self.chain.outside(self.angles).any(axis=-1)

    def listed(self, index: int = 0, *, feasible_only: bool = False) -> list[Vector]:
        """The postures for one pose, (3,) each; those outside the limits dropped on request."""
        keep = self.feasible[index] if feasible_only else self.exists[index]
        return [self.angles[index, number] for number in np.flatnonzero(keep)]

    def reason(self, index: int = 0) -> str:
        """Why a pose has no solution at all; empty where it has one."""
        if self.exists[index].any():
            return ""
        a, b, _ = self.chain.lengths
        distance = float(self.distance[index])
        if distance > a + b:
            return f"too far: the ankle would be {distance:.6g} m from the hip; limit: {a + b:g} m"
        if distance < EPSILON and abs(a - b) < EPSILON:
            return "the ankle would lie on the hip, where no direction of the leg is told from another"
        return f"too near: the ankle would be {distance:.6g} m from the hip; limit: {abs(a - b):g} m"


def planar_chain(robot: Robot, end: str = "toe") -> PlanarChain:
    """The chain of a planar robot of three hinges, read from its model.

    Args:
        robot: A robot in the plane y = 0 with a fixed base.
        end: Site at the end of the last segment.

    Raises:
        PlanarChainError: The robot is not built so.
    """
    data = mujoco.MjData(robot.model)
    names = robot.joint_names
    if len(names) != 3 or robot.model.nv != 3 or mujoco.mj_name2id(robot.model, mujoco.mjtObj.mjOBJ_SITE, end) < 0:
        raise PlanarChainError(
            f"robot {robot.name!r} is no planar leg", value=names, limit=f"three hinges and a site {end!r}"
        )
    mujoco.mj_kinematics(robot.model, data)
    for name in names:
        if np.abs(data.joint(name).xaxis - (0.0, -1.0, 0.0)).max() > EPSILON:
            raise PlanarChainError("a hinge must turn x towards z", place=name, value=data.joint(name).xaxis.tolist())
    points = np.array([*(data.joint(name).xanchor for name in names), data.site(end).xpos])
    steps = np.diff(points[:, [0, 2]], axis=0)
    turned = np.arctan2(steps[:, 1], steps[:, 0])
    zero = np.diff(turned, prepend=0.0)
    zero -= 2.0 * math.pi * np.round(zero / (2.0 * math.pi))
    return PlanarChain(
        base=(float(points[0, 0]), float(points[0, 2])),
        lengths=triple(np.hypot(steps[:, 0], steps[:, 1])),
        zero=triple(zero),
        lower=triple(robot.lower),
        upper=triple(robot.upper),
        joints=(names[0], names[1], names[2]),
    )
