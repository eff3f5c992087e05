"""How fast a base moves, from joint speeds, gyro and gravity: whatever of the feet is lowest stands still.

With the place r of that point in the base's axes, the joints' speeds dq and the angular velocity w of the base

    v = -(J(q) dq + w x r)

A foot that slips or a robot that flies makes it wrong, and nothing tells. Each corner of the soles counts by how low it
is, so that a foot that rolls over its edge is no velocity; the result is smoothed over a few hundredths of a second.
"""

from __future__ import annotations

import numpy as np

from andante.control.controller import ControlError
from andante.kinematics.forward import Kinematics
from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot

_GIVES = 0.005
"""Height above the lowest corner in which a corner counts less by a factor of e [m]."""
_SMOOTH = 0.03
"""Time constant of the smoothing [s]."""


class LegOdometry:
    """Velocity of a base over standing feet.

    Args:
        robot: The robot.

    Raises:
        ControlError: It has no feet.
    """

    def __init__(self, robot: Robot) -> None:
        if not robot.feet:
            raise ControlError("a robot without feet does not feel how fast it moves", value=robot.name)
        self._robot, self._kinematics = robot, Kinematics(robot)
        self._corners = [np.array([(x, y, 0.0) for x, y in foot.outline or ((0.0, 0.0),)]) for foot in robot.feet]
        self._share = min(robot.tick / _SMOOTH, 1.0)
        self._count = len(robot.joints)
        self.velocity: Vector = np.zeros(3)
        """Velocity of the base in its own axes, (3,) [m/s]."""

    def update(self, sensors: Sensors, down: Vector, turning: Vector) -> Vector:
        """Take this tick's measurements.

        Args:
            sensors: Angles and speeds of the joints.
            down: Direction of gravity in the base's axes, (3,).
            turning: Angular velocity of the base in its axes, (3,) [rad/s].
        """
        kinematics, places, speeds = self._kinematics, [], []
        kinematics.update(sensors.position)
        for foot, corners in zip(self._robot.feet, self._corners, strict=True):
            place, rotation = kinematics.pose(foot.site)
            arms = corners @ rotation.T
            rates = kinematics.jacobian(foot.site)[:, -self._count :] @ sensors.velocity
            places.append(place + arms)
            speeds.append(rates[:3] + np.cross(rates[3:], arms))
        points, moved = np.concatenate(places), np.concatenate(speeds)
        depth = points @ down
        stands = np.exp((depth - depth.max()) / _GIVES)
        stands /= stands.sum()
        found = -(stands @ (moved + np.cross(turning, points)))
        self.velocity = self.velocity + self._share * (found - self.velocity)
        return self.velocity
