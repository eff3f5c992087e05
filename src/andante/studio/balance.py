"""Balance and torques of a posture as the page shows them beside the robot."""

from __future__ import annotations

from typing import Any

import numpy as np

from andante.errors import AndanteError
from andante.kinematics.forward import Kinematics
from andante.kinematics.support import resting, sole_points, support
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.arrays import Array

_TOUCHING = 0.012
"""Height over the ground up to which a foot stands [m]."""
_BELOW = 0.003
"""How far a foot may reach below another's sole that stands [m]."""
_LEANING = 0.3
"""Least cosine between the trunk's up and a sole's that may carry."""


class PostureBalance:
    """Balance of one robot's postures, standing on its lowest feet on level ground.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._kinematics = Kinematics(robot)

    def of(self, joints: Vector) -> dict[str, Any]:
        """Feet that carry, margin, polygon, centre of mass and its height, and torques that hold the posture.

        Of each sole that stands, its polygon and the margin that the posture has over it alone are told too. Plane
        coordinates are those of the torso's frame laid on the ground (x forward, y left) [m]; torques are what gravity
        asks of each joint with the weight shared by the feet as the centre of mass divides it, as a share of the
        published effort.
        """
        robot, kinematics = self.robot, self._kinematics
        kinematics.update(np.clip(joints, -10.0, 10.0))
        standing = self._standing() if robot.feet else []
        result: dict[str, Any] = {"feet": standing, "torque": self._torque(joints, standing)}
        try:
            found = support(kinematics, standing, up=None if self._plane(standing) else (0.0, 0.0, 1.0))
        except AndanteError:
            return result
        return result | {
            "margin": found.margin,
            "com": found.com.tolist(),
            "height": found.height,
            "polygon": found.polygon.tolist(),
            "up": found.up.tolist(),
            "soles": self._soles(standing, found.up),
        }

    def _soles(self, standing: list[str], up: Array) -> dict[str, dict[str, Any]]:
        """Each sole that stands, ball feet left out, as if it stood alone."""
        outlined = [foot.name for foot in self.robot.feet if foot.outline and foot.name in standing]
        alone = {name: support(self._kinematics, [name], up=up) for name in outlined}
        return {name: {"polygon": one.polygon.tolist(), "margin": one.margin} for name, one in alone.items()}

    def _standing(self) -> list[str]:
        """Names of the feet that carry: those in the plane of a sole, or of three balls, below which no foot is.

        Where there is no such plane, those that are lowest with the trunk upright.
        """
        feet, kinematics = self.robot.feet, self._kinematics
        if not any(foot.outline for foot in feet):
            rest = resting(kinematics)
            if rest is not None:
                return list(rest.feet)
        points = [sole_points(kinematics, foot) for foot in feet]
        heights = [float(each[:, 2].min()) for each in points]
        for number in np.argsort(heights):
            position, rotation = kinematics.pose(feet[number].site)
            up = rotation[:, 2]
            if not feet[number].outline or up[2] < _LEANING:
                continue
            over = [float(((each - position) @ up).min()) for each in points]
            if min(over) >= -_BELOW:
                return [foot.name for foot, height in zip(feet, over, strict=True) if height < _TOUCHING]
        lowest = min(heights)
        return [foot.name for foot, height in zip(feet, heights, strict=True) if height < lowest + _TOUCHING]

    def _plane(self, standing: list[str]) -> bool:
        """Whether the feet tell where up is: soles do, and three balls."""
        feet = [foot for foot in self.robot.feet if foot.name in standing]
        return any(foot.outline for foot in feet) or len(feet) >= 3

    def _torque(self, joints: Vector, standing: list[str]) -> list[float]:
        """Static torque of each joint as share of its published effort, (nj,)."""
        kinematics, robot = self._kinematics, self.robot
        size, count = len(kinematics.velocity_names), len(robot.joints)
        force = kinematics.inverse_dynamics(joints, np.zeros(size), np.zeros(size))
        feet = [foot for foot in robot.feet if foot.name in standing]
        if feet and kinematics.floating:
            weight = float(force[2])
            points = np.array([kinematics.pose(foot.site)[0] for foot in feet])
            shares = _shares(points[:, :2], kinematics.com()[:2])
            for foot, share in zip(feet, shares, strict=True):
                force = force - kinematics.jacobian(foot.site)[2] * (share * weight)
        effort = np.maximum(robot.max_effort, 1e-9)
        return [round(float(value), 4) for value in np.abs(force[size - count :]) / effort]


def _shares(points: Array, com: Array) -> Array:
    """Shares of the weight, (n,), that put its middle nearest to the centre of mass; not below 0, 1 together."""
    rows = np.vstack([points.T, np.full(len(points), 10.0)])
    wanted = np.array([*com, 10.0])
    shares = np.clip(np.linalg.lstsq(rows, wanted, rcond=None)[0], 0.0, None)
    total = float(shares.sum())
    return np.asarray(shares / total if total > 0.0 else np.full(len(points), 1.0 / len(points)))
