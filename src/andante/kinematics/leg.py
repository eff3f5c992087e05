"""Geometry of a six-joint humanoid leg whose hip and ankle axes each meet in one point (the NAO's), from the model.

The leg's chain, all frames parallel to the torso's at zero angles:

    hip yaw pitch (axis (0, 1, -s) / sqrt 2) - hip roll (x) - hip pitch (y) | thigh | knee pitch (y) | tibia |
    ankle pitch (y) - ankle roll (x) | sole

with s = +1 for the left and -1 for the right leg.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import takewhile

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from andante.kinematics.forward import KinematicsError
from andante.robots.parts import Foot
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.robots.tree import joints_of, upwards

_TOLERANCE = 1e-9
_JOINTS = 6


class LegGeometryError(KinematicsError):
    """A leg is not built the way its closed-form inverse kinematics needs."""


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
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.model.qpos0
    for joint in robot.joint_names:
        data.joint(joint).qpos[0] = 0.0
    mujoco.mj_kinematics(robot.model, data)
    left, right = (_leg(robot, data, foot, side) for foot, side in zip(robot.feet, (1.0, -1.0), strict=True))
    return left, right


def _leg(robot: Robot, data: mujoco.MjData, foot: Foot, side: float) -> HumanoidLeg:
    base = data.body(robot.base_body)
    rotation, origin = base.xmat.reshape(3, 3), base.xpos
    chain = leg_chain(robot, foot)
    if len(chain) != _JOINTS:
        raise LegGeometryError(
            "the leg must have six joints from torso to foot", place=f"{robot.name}.{foot.name}", value=chain
        )
    anchors = np.array([rotation.T @ (data.joint(name).xanchor - origin) for name in chain])
    axes = np.array([rotation.T @ data.joint(name).xaxis for name in chain])
    site = data.site(foot.site)
    sole, turn = rotation.T @ (site.xpos - origin), rotation.T @ site.xmat.reshape(3, 3)
    half = math.sqrt(0.5)
    wanted = np.array([[0, half, -side * half], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [1, 0, 0]])
    for name, axis, want in zip(chain, axes, wanted, strict=True):
        _require(robot, name, "axis", axis, want)
    hip, knee, ankle = anchors[0], anchors[3], anchors[4]
    thigh, tibia, height = hip[2] - knee[2], knee[2] - ankle[2], ankle[2] - sole[2]
    _require(robot, chain[1], "position", anchors[1], hip)
    _require(robot, chain[2], "position", anchors[2], hip)
    _require(robot, chain[3], "position", knee, hip - [0.0, 0.0, thigh])
    _require(robot, chain[4], "position", ankle, knee - [0.0, 0.0, tibia])
    _require(robot, chain[5], "position", anchors[5], ankle)
    _require(robot, foot.site, "position", sole, ankle - [0.0, 0.0, height])
    _require(robot, foot.site, "rotation", turn.ravel(), np.eye(3).ravel())
    if min(thigh, tibia) <= 0.0:
        raise LegGeometryError(
            "thigh and tibia must point down at zero angles", place=f"{robot.name}.{foot.name}", value=(thigh, tibia)
        )
    indices = tuple(robot.index(name) for name in chain)
    return HumanoidLeg(
        name=foot.name,
        side=side,
        hip=(float(hip[0]), float(hip[1]), float(hip[2])),
        thigh=float(thigh),
        tibia=float(tibia),
        sole=float(height),
        joints=chain,
        indices=indices,
        lower=tuple(robot.joints[index].lower for index in indices),
        upper=tuple(robot.joints[index].upper for index in indices),
    )


def leg_chain(robot: Robot, foot: Foot) -> tuple[str, ...]:
    """Names of the joints from the base to the foot's body."""
    model = robot.model
    base = int(model.body(robot.base_body).id)
    chain = takewhile(lambda body: body != base, upwards(model, int(model.body(foot.body).id)))
    names = [str(model.joint(joint).name) for body in chain for joint in reversed(joints_of(model, body))]
    return tuple(reversed(names))


def _require(robot: Robot, part: str, what: str, value: Vector, wanted: ArrayLike) -> None:
    want = np.asarray(wanted, dtype=np.float64)
    if np.abs(value - want).max() > _TOLERANCE:
        raise LegGeometryError(
            f"the leg's closed form needs another {what} at zero angles",
            place=f"{robot.name}.{part}",
            value=[round(float(x), 6) for x in value],
            limit=", ".join(f"{float(x):.6g}" for x in want),
        )
