"""Geometry of a six-joint humanoid leg whose hip and ankle axes each meet in one point (the NAO's), from the model.

The leg's chain, all frames parallel to the torso's at zero angles:

    hip yaw pitch (axis (0, 1, -s) / sqrt 2) - hip roll (x) - hip pitch (y) | thigh | knee pitch (y) | tibia |
    ankle pitch (y) - ankle roll (x) | sole

with s = +1 for the left and -1 for the right leg.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.kinematics.leg_model import LegGeometryError, LegModel, leg_models
from andante.robots.records import Vector
from andante.robots.robot import Robot

_TOLERANCE = 1e-9
_JOINTS = 6


@dataclass(frozen=True)
class HumanoidLeg:
    """Lengths, limits and names of one leg."""

    name: str
    """Name of the foot in the robot's pack."""
    side: float
    """s: +1 left, -1 right."""
    hip: tuple[float, float, float]
    """Hip centre in the torso's frame [m]."""
    thigh: float
    """Hip centre to knee axis [m]."""
    tibia: float
    """Knee axis to ankle centre [m]."""
    sole: float
    """Ankle centre down to the sole's site [m]."""
    joints: tuple[str, ...]
    """Names: hip yaw pitch, hip roll, hip pitch, knee pitch, ankle pitch, ankle roll."""
    indices: tuple[int, ...]
    """Positions of the six in the robot's joint arrays."""
    lower: tuple[float, ...]
    """Lower limits of the six [rad]."""
    upper: tuple[float, ...]
    """Upper limits of the six [rad]."""

    @property
    def stretched(self) -> float:
        """Largest distance from hip centre to ankle centre that the knee's range allows [m]."""
        return self._distance(max(self.lower[3], min(0.0, self.upper[3])))

    @property
    def folded(self) -> float:
        """Smallest distance from hip centre to ankle centre that the knee's range allows [m]."""
        return self._distance(max(self.lower[3], self.upper[3], key=abs))

    def _distance(self, knee: float) -> float:
        a, b = self.thigh, self.tibia
        return math.sqrt(a * a + b * b + 2.0 * a * b * math.cos(knee))


def biped_legs(robot: Robot) -> tuple[HumanoidLeg, HumanoidLeg]:
    """The left and the right leg of a robot with two feet, read from its model.

    Raises:
        LegGeometryError: The robot has not two feet, or a leg is not of the kind described above.
    """
    if len(robot.feet) != 2:
        raise LegGeometryError(
            f"robot {robot.name!r} is no biped", value=[foot.name for foot in robot.feet], limit="two feet, left first"
        )
    models = leg_models(robot, _JOINTS, "six joints from torso to foot")
    left, right = (_leg(robot, model, side) for model, side in zip(models, (1.0, -1.0), strict=True))
    return left, right


def _leg(robot: Robot, model: LegModel, side: float) -> HumanoidLeg:
    foot, chain, anchors, sole = model.foot, model.common["joints"], model.anchors, model.sole
    half = math.sqrt(0.5)
    wanted = np.array([[0, half, -side * half], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [1, 0, 0]])
    for name, axis, want in zip(chain, model.axes, wanted, strict=True):
        _require(robot, name, "axis", axis, want)
    hip, knee, ankle = anchors[0], anchors[3], anchors[4]
    thigh, tibia, height = hip[2] - knee[2], knee[2] - ankle[2], ankle[2] - sole[2]
    places = (hip, hip, hip - [0.0, 0.0, thigh], knee - [0.0, 0.0, tibia], ankle)
    for name, anchor, place in zip(chain[1:], anchors[1:], places, strict=True):
        _require(robot, name, "position", anchor, place)
    _require(robot, foot.site, "position", sole, ankle - [0.0, 0.0, height])
    _require(robot, foot.site, "rotation", model.turn.ravel(), np.eye(3).ravel())
    if min(thigh, tibia) <= 0.0:
        raise LegGeometryError(
            "thigh and tibia must point down at zero angles", place=model.place, value=(thigh, tibia)
        )
    return HumanoidLeg(
        side=side,
        hip=(float(hip[0]), float(hip[1]), float(hip[2])),
        thigh=float(thigh),
        tibia=float(tibia),
        sole=float(height),
        **model.common,
    )


def _require(robot: Robot, part: str, what: str, value: Vector, wanted: ArrayLike) -> None:
    want = np.asarray(wanted, dtype=np.float64)
    if np.abs(value - want).max() > _TOLERANCE:
        raise LegGeometryError(
            f"the leg's closed form needs another {what} at zero angles",
            place=f"{robot.name}.{part}",
            value=[round(float(x), 6) for x in value],
            limit=", ".join(f"{float(x):.6g}" for x in want),
        )
