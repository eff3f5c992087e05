"""How the anchor body of a motion that a policy tracks is turned, seen from the same body of the robot.

Source: the term ``motion_anchor_ori_b`` of whole_body_tracking and mjlab, and how their robots begin: the motion is
turned about the vertical until its anchor faces as the robot's does.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kinematics.forward import Kinematics
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.rotations import rotation_z, to_matrix


class AnchorTurn:
    """The turn of one body, with nothing seen yet.

    Args:
        robot: The robot.
        anchor: Body of it.
    """

    def __init__(self, robot: Robot, anchor: str) -> None:
        self._robot, self._anchor = robot, anchor
        self._kinematics = Kinematics(robot)
        self._ahead: Vector | None = None

    def update(self, base: Vector, position: Vector, wanted: Vector) -> Vector:
        """First two columns of the rotation from the motion's anchor to the robot's, row by row, (6,).

        Args:
            base: Rotation from the robot's base to the world, (3, 3).
            position: Measured angles of all joints, (nj,) [rad].
            wanted: The anchor's turn in the motion, a quaternion, (4,).
        """
        kinematics = self._kinematics
        kinematics.update(position)
        here = base @ kinematics.pose(self._robot.base_body)[1].T @ kinematics.pose(self._anchor)[1]
        there = to_matrix(wanted)
        if self._ahead is None:
            # The turn about the vertical that brings the motion's axes nearest to the robot's.
            both = here @ there.T
            self._ahead = rotation_z(math.atan2(both[1, 0] - both[0, 1], both[0, 0] + both[1, 1]))
        return np.asarray((here.T @ self._ahead @ there)[:, :2].ravel())
