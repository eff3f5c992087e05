"""How a robot stands on ground that is inclined: along it, every foot on it, its centre of mass between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.kinematics.com_ik import BodyPose, com_ik, stance_com
from andante.kinematics.forward import KinematicsError
from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.spatial.arrays import Array
from andante.spatial.rotations import rotation_x, rotation_y
from andante.terrain.ground_plane import GroundPlane
from andante.terrain.height_map import HeightMap

_ACROSS = 3
"""Places along each side of the feet's rectangle where one looks for that."""
_CLEARANCE = 0.0005
"""Distance of the feet from the ground [m]."""
_DIGITS = 6


@dataclass(frozen=True)
class PlacedRobot:
    """A robot that stands on inclined ground."""

    body: LeggedBody
    """The robot."""
    roll: float
    """Roll of its base [rad]."""
    pitch: float
    """Pitch of its base [rad]; R = Ry(pitch) Rx(roll)."""
    pose: BodyPose
    """Its pose."""
    feet: Array
    """Centres of its feet, (nl, 3) [m]."""

    def start(self, ground: HeightMap) -> dict[str, Any]:
        """The start of a world in which it stands so; see `andante.backends.world.Start`."""
        x, y, z = self.pose.position.tolist()
        robot, joints = self.body.robot, self.body.joints(self.pose.angles)
        # A leg's angles may be a whole turn off what the joint calls the same.
        joints -= math.tau * np.round((joints - 0.5 * (robot.lower + robot.upper)) / math.tau)
        named = zip(robot.joint_names, joints.tolist(), strict=True)
        posture = {name: round(angle, _DIGITS) for name, angle in named}
        told = {"x": x, "y": y, "height": z - float(ground.nearest((x, y))), "roll": self.roll, "pitch": self.pitch}
        return {"posture": posture, **{name: round(value, _DIGITS) for name, value in told.items()}}


def standing_on(
    robot: Robot, ground: HeightMap, place: tuple[float, float], posture: str = "stand"
) -> PlacedRobot | None:
    """How a robot stands on the ground at a place, looking along x.

    Set down level there, it would fall onto its lower legs and may tip over before it has begun. Its feet are where the
    posture has them, seen from above, and its base is turned along the plane through the ground below them.

    Args:
        robot: A robot on three-joint legs.
        ground: The ground, or what is known of it.
        place: Where the posture's base is [m].
        posture: Name of the posture.

    Returns:
        How it stands; None where the ground under its feet is level, no plane at all, or too steep for its legs.

    Raises:
        AndanteError: It has other legs, or no such posture.
    """
    body = LeggedBody.of(robot)
    angles = body.angles(robot.posture(posture))
    feet = np.stack([leg.place(angle) for leg, angle in zip(body.legs, angles, strict=True)])
    below = ground.nearest(feet[:, :2] + place)
    corners = zip(feet[:, :2].min(axis=0), feet[:, :2].max(axis=0), strict=True)
    sides = np.meshgrid(*(np.linspace(low, high, _ACROSS) for low, high in corners))
    spots = np.concatenate([feet[:, :2], np.stack(sides, axis=-1).reshape(-1, 2)])
    plane = GroundPlane.through(spots, ground.nearest(spots + place))
    if not plane.inclined(body.leg_length):
        return None
    steepness = plane.rise
    # The base's up axis, Ry(pitch) Rx(roll) (0, 0, 1), is the plane's normal.
    roll, pitch = math.asin(plane.rise_y / math.hypot(1.0, steepness)), -math.atan(plane.rise_x)
    com = stance_com(body, np.zeros(3), feet).com + np.array([*place, 0.0])
    # A ball that touches a plane has its centre farther above the ground below it the steeper the plane is.
    stands = np.column_stack([feet[:, :2] + place, below + body.table.radius * math.hypot(1.0, steepness) + _CLEARANCE])
    com[2] += float(stands[:, 2].mean() - feet[:, 2].mean())
    try:
        pose = com_ik(body, com, stands, rotation_y(pitch) @ rotation_x(roll))
    except KinematicsError:
        return None
    return PlacedRobot(body, roll, pitch, pose, stands)
