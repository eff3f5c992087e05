"""A robot's tree of joints as plain arrays, for kernels that need every link's pose, not only the legs'.

With all joints at their zero angles the frames of all links are taken parallel to the base's, each with its origin on
its joint's axis. A link's rotation is then its parent's times the turn about its own axis, without constant factors
(the product of exponentials: Murray, Li, Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import mujoco
import numpy as np

from andante.kinematics.forward import Kinematics, KinematicsError
from andante.robots.robot import Robot
from andante.robots.tree import joints_of
from andante.spatial.arrays import Array, Array1, Array2, Flags1, Index1

_SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)


class TreeTable(NamedTuple):
    """Links by row, parents before children; row 0 is the base, each other row belongs to one joint of the robot."""

    parent: Index1
    """Row of the parent, (nl,); 0 for the base itself."""
    joint: Index1
    """Entry of the joint array that moves it, (nl,); a follower has its leader's; -1 for the base."""
    zero: Array1
    """Joint position at which the model's bodies stand as they are written, (nl,) [rad] or [m]."""
    offset: Array2
    """Parent's origin to own origin at zero angles, (nl, 3) [m]; the base's is 0."""
    axis: Array2
    """Unit axis at zero angles, (nl, 3)."""
    slides: Flags1
    """Whether the joint slides along its axis, (nl,)."""
    mass: Array1
    """Mass that moves with it and with no later joint, (nl,) [kg]."""
    centre: Array2
    """Own origin to the centre of that mass at zero angles, (nl, 3) [m]."""
    total_mass: float
    """Mass of the robot [kg]."""


@dataclass(frozen=True, eq=False)
class TreeFrame:
    """A site or body as part of a link."""

    link: int
    """Row of the link that carries it."""
    place: Array
    """Link's origin to the frame's, at zero angles, (3,) [m]."""
    rotation: Array
    """Its rotation against the base at zero angles, (3, 3)."""


@dataclass(frozen=True, eq=False)
class RobotTree:
    """A robot's tree for kernels, and where its sites and bodies lie in it; joints outside the pack do not move."""

    robot: Robot
    """The robot."""
    table: TreeTable
    """Its links."""
    floating: bool
    """Whether its base moves freely."""
    base_position: Array
    """Where the model has the base, (3,) [m]."""
    base_rotation: Array
    """How the model has it turned, (3, 3)."""
    owner: tuple[int, ...]
    """Row of the link to which each body of the model belongs, -1 where the base does not carry it."""
    _data: Any

    @staticmethod
    def of(robot: Robot) -> RobotTree:
        """Read a robot's model.

        Raises:
            KinematicsError: As `Kinematics`.
        """
        kinematics = Kinematics(robot)
        model, base = robot.model, kinematics.base
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        turn, origin = data.xmat[base].reshape(3, 3).copy(), data.xpos[base].copy()
        numbers = {int(model.joint(name).id): index for index, name in enumerate(robot.joint_names)}
        leaders = robot.leaders.tolist()
        owner = [-1] * model.nbody
        rows: list[tuple[int, int, float, Array, Array, bool]] = [(0, -1, 0.0, np.zeros(3), np.zeros(3), False)]
        weight, moment = [0.0], [np.zeros(3)]
        for body in range(1, model.nbody):
            parent = 0 if body == base else owner[int(model.body_parentid[body])]
            if parent < 0:
                continue
            for joint in joints_of(model, body):
                if joint not in numbers:
                    continue
                index = numbers[joint]
                anchor, axis = turn.T @ (data.xanchor[joint] - origin), turn.T @ data.xaxis[joint]
                slides = int(model.jnt_type[joint]) == _SLIDE
                zero = float(model.qpos0[model.jnt_qposadr[joint]])
                rows.append((parent, leaders[index], zero, anchor, axis, slides))
                weight.append(0.0)
                moment.append(np.zeros(3))
                parent = len(rows) - 1
            owner[body] = parent
            weight[parent] += float(model.body_mass[body])
            moment[parent] += float(model.body_mass[body]) * (turn.T @ (data.xipos[body] - origin))
        parents, joints, zeros, anchors, axes, slide = (np.array(column) for column in zip(*rows, strict=True))
        mass = np.array(weight)
        centre = np.array(moment) / np.maximum(mass, 1e-12)[:, None] - np.where(mass[:, None] > 0.0, anchors, 0.0)
        table = TreeTable(
            parent=parents,
            joint=joints,
            zero=zeros,
            offset=np.ascontiguousarray(anchors - anchors[parents]),
            axis=axes,
            slides=slide,
            mass=mass,
            centre=np.ascontiguousarray(centre),
            total_mass=float(mass.sum()),
        )
        return RobotTree(robot, table, kinematics.floating, origin, turn, tuple(owner), data)

    def frame(self, name: str) -> TreeFrame:
        """Where a site or body lies; a site wins over a body of the same name.

        Raises:
            KinematicsError: The base carries no such site or body.
        """
        model, data = self.robot.model, self._data
        number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, name)
        if number >= 0:
            body, place, rotation = int(model.site_bodyid[number]), data.site_xpos[number], data.site_xmat[number]
        else:
            body = number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
            place, rotation = data.xpos[number], data.xmat[number]
        if number < 0 or self.owner[body] < 0:
            sites = [model.site(i).name for i in range(model.nsite) if self.owner[int(model.site_bodyid[i])] >= 0]
            bodies = [model.body(i).name for i in range(1, model.nbody) if self.owner[i] >= 0]
            raise KinematicsError(
                f"robot {self.robot.name!r} has no such site or body", value=name, legal=sites + bodies
            )
        link = self.owner[body]
        anchor, row = np.zeros(3), link
        while row:
            anchor = anchor + self.table.offset[row]
            row = int(self.table.parent[row])
        turn = self.base_rotation
        return TreeFrame(link, turn.T @ (place - self.base_position) - anchor, turn.T @ rotation.reshape(3, 3))
