"""How far apart the parts of a robot are at a posture, as far as its collision geometry tells."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco

from andante.kinematics.forward import Kinematics
from andante.robots.records import Vector
from andante.robots.robot import Robot


@dataclass(frozen=True)
class Clearance:
    """Two bodies of the robot that are close to each other."""

    first: str
    """Name of the body with the lower number in the model."""
    second: str
    """Name of the other body."""
    distance: float
    """Smallest distance of their geoms [m]; below zero they overlap."""


class Clearances:
    """Finds bodies closer than a distance; pairs that the model excludes are never reported.

    Args:
        robot: The robot.
        within: Distance from which bodies count as close [m].
    """

    def __init__(self, robot: Robot, within: float) -> None:
        self._kinematics = Kinematics(robot)
        # The margin belongs to the model; the robot's own is shared and stays as it is.
        self._model = copy.deepcopy(robot.model)
        self._model.geom_margin[:] = 0.5 * within
        self._data = mujoco.MjData(self._model)

    def at(self, joints: Vector) -> tuple[Clearance, ...]:
        """The close pairs at a posture, (nj,) [rad], closest first.

        Raises:
            KinematicsError: As `Kinematics.update`.
        """
        self._kinematics.update(joints)
        model, data = self._model, self._data
        data.qpos[:] = self._kinematics.data.qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        nearest: dict[tuple[int, int], float] = {}
        bodies = model.geom_bodyid[data.contact.geom].tolist() if data.ncon else []
        for (one, other), distance in zip(bodies, data.contact.dist.tolist(), strict=True):
            if one and other:
                pair = (min(one, other), max(one, other))
                nearest[pair] = min(distance, nearest.get(pair, distance))
        found = [Clearance(model.body(a).name, model.body(b).name, distance) for (a, b), distance in nearest.items()]
        return tuple(sorted(found, key=lambda each: (each.distance, each.first, each.second)))
