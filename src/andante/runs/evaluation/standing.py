"""Standing: when a robot stands, by what it is. Written here once, for runs, suites and checks.

A robot stands whose torso is upright and whose base is nearly as high over the ground as in its posture ``stand``, on
its feet alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated
from weakref import WeakKeyDictionary

import mujoco
import numpy as np
from pydantic import Field

from andante.backends.world import Start, WorldConfig
from andante.documents.part import Part
from andante.documents.quantities import Angle, Length, Number, Seconds
from andante.robots.robot import Robot

_PLANE = 3
"""Feet that lie in one plane."""


class Upright(Part):
    """What counts as standing at the end."""

    tilt: Annotated[Angle, Field(gt=0.0)] = 0.2792526803190927
    """Largest angle between the torso's up axis and the vertical (16 deg); on a slope, or the floor's normal [rad]."""
    height: Annotated[Length, Field(gt=0.0)] | None = None
    """Smallest height of the base above the floor; None: ``height_share`` decides [m]."""
    height_share: Annotated[Number, Field(gt=0.0, le=1.0)] = 0.9
    """Smallest height of the base as a share of its height in the robot's posture ``stand`` (of its height at the start
    where the robot has none), where ``height`` is not given."""
    hold: Annotated[Seconds, Field(ge=0.0)] = 0.5
    """The last part of the run in which this must hold [s]."""


@dataclass(frozen=True)
class Standing:
    """When one robot stands."""

    tilt: float
    """Largest angle of its torso [rad]."""
    height: float
    """Smallest height of its base over the ground [m]."""

    @staticmethod
    def of(robot: Robot, rule: Upright | None = None) -> Standing:
        """When a robot stands, by its posture ``stand``."""
        return Standing.by(rule or Upright(), standing_height(robot))

    @staticmethod
    def by(rule: Upright, standing: float) -> Standing:
        """The rule for a robot whose base stands so high [m]."""
        return Standing(rule.tilt, rule.height if rule.height is not None else rule.height_share * standing)

    def holds(self, up: float, height: float) -> bool:
        """Whether a robot stands.

        Args:
            up: Height of the unit vector along the torso's axis, the cosine of its tilt.
            height: Height of its base over the ground [m].
        """
        return up >= math.cos(self.tilt) and height >= self.height


# Holds no robot: each run loads its own, and a K1's model has 26 MB.
_heights: WeakKeyDictionary[Robot, float] = WeakKeyDictionary()


def standing_height(robot: Robot) -> float:
    """Height of the base above the soles in the posture ``stand``, or with all joints at 0 [m]."""
    if robot.standing_height is not None:
        return robot.standing_height
    if robot not in _heights:
        _heights[robot] = _measured(robot)
    return _heights[robot]


def _measured(robot: Robot) -> float:
    from andante.backends.model_builder import ModelIndex, build_model
    from andante.backends.placement import start_angles

    model = build_model(robot, WorldConfig())
    data, index = mujoco.MjData(model), ModelIndex.of(robot, model)
    data.qpos[index.qpos] = start_angles(robot, Start(), np.random.default_rng(0))
    mujoco.mj_kinematics(model, data)
    soles = [data.site_xpos[site, 2] - foot.radius for site, foot in zip(index.foot_sites, robot.feet, strict=True)]
    return float(data.xpos[index.base, 2] - min(soles, default=0.0))


def known_standing_height(robot: Robot) -> float | None:
    """The same for a robot whose posture ``stand`` and whose feet are known; None for others [m]."""
    known = robot.standing_height is not None or ("stand" in robot.postures and "stand" not in robot.doubts)
    return standing_height(robot) if robot.feet and known else None


def feet_pitch(robot: Robot, posture: str) -> float:
    """Pitch of the base at which the feet lie level in a posture; 0 for fewer than three feet [rad]."""
    if len(robot.feet) < _PLANE:
        return 0.0
    model = robot.model
    data = mujoco.MjData(model)
    for name, angle in zip(robot.joint_names, robot.posture(posture).tolist(), strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_kinematics(model, data)
    places = np.array([data.site(foot.site).xpos for foot in robot.feet])
    normal = np.linalg.svd(places - places.mean(axis=0))[2][2]
    x, _, z = (data.body(robot.base_body).xmat.reshape(3, 3).T @ normal).tolist()
    return -math.atan2(math.copysign(1.0, z) * x, abs(z))
