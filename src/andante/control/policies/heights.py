"""Heights of a robot's sites over others, by kinematics: as sensors tell them, and as the simulation knows them.

With the places p of site and others in the base's axes and u the vertical in these axes, a height is u (p - mean p).
It needs joint angles and the orientation only, no map and no contact: what it counts from is a part of the robot.
"""

from __future__ import annotations

import mujoco
import numpy as np

from andante.control.policies.contract import PolicyError
from andante.kinematics.forward import Kinematics
from andante.robots.records import Record, Vector
from andante.robots.robot import Robot
from andante.spatial.rotations import to_matrix


class SiteHeights:
    """Heights of sites and bodies of one robot.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot, self._kinematics = robot, Kinematics(robot)
        self._places: tuple[list[int], int] | None = None

    def measured(self, joints: Vector, up: Vector, site: str, above: tuple[str, ...]) -> float:
        """Height of a site over the mean of others [m].

        Args:
            joints: Angles of all joints, (nj,) [rad].
            up: The vertical in the base's axes, (3,).
            site: The site or body.
            above: Those that it counts from.

        Raises:
            KinematicsError: The robot has no such site or body, or an angle is no finite number.
        """
        kinematics = self._kinematics
        kinematics.update(joints)
        lower = np.mean([kinematics.pose(name)[0] for name in above], axis=0)
        return float(up @ (kinematics.pose(site)[0] - lower))

    def true(self, truth: Record, site: str, above: tuple[str, ...]) -> float:
        """The same by the simulation's truth [m].

        Raises:
            KinematicsError: The robot has no such site or body.
        """
        if self._places is None:
            self._places = _places(self._robot, truth)
        joints, orientation = self._places
        state = truth["qpos"]
        return self.measured(state[joints], to_matrix(state[orientation : orientation + 4])[2], site, above)


def truth_of(truth: Record | None) -> Record:
    """The simulation's truth.

    Raises:
        PolicyError: There is none, as on a robot.
    """
    if truth is None:
        raise PolicyError("the policy sees ground truth, and there is none", place="ground_truth")
    return truth


def _places(robot: Robot, truth: Record) -> tuple[list[int], int]:
    """Where in the state of a world the robot's joints are, and where its orientation begins."""
    (field,) = (each for each in truth.layout.fields if each.name == "qpos")
    names = list(field.labels)
    base = int(robot.model.body_jntadr[robot.model.body(robot.base_body).id])
    if base < 0 or robot.model.jnt_type[base] != mujoco.mjtJoint.mjJNT_FREE:
        raise PolicyError("the height of a robot that is fixed to the world is no height", value=robot.name)
    free = robot.model.joint(base).name or f"joint{base}"
    return [names.index(name) for name in robot.joint_names], names.index(f"{free}.qw")
