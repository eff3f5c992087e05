"""Self-collision and clearance of a posture: parts of the robot that overlap or are close, as its geometry has them."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco

from andante.kinematics.forward import Kinematics
from andante.robots.records import Vector
from andante.robots.robot import Robot


@dataclass(frozen=True)
class Clearance:
    """Two bodies of the robot that overlap or are close to each other."""

    first: str
    """Name of the body with the lower number in the model."""
    second: str
    """Name of the other body."""
    distance: float
    """Smallest distance of their geoms [m]; below zero they overlap."""

    @property
    def depth(self) -> float:
        """Largest penetration of their geoms [m]."""
        return -self.distance


def self_collisions(
    kinematics: Kinematics, joints: Vector | None = None, allowance: float = 0.0
) -> tuple[Clearance, ...]:
    """Pairs of bodies that overlap at a posture, deepest first.

    Pairs that the model excludes (neighbours, explicit excludes, contact masks) are never reported.

    Args:
        kinematics: Scratch of the robot.
        joints: Joint positions, (nj,) [rad], to update to; None asks about the posture of the last update.
        allowance: Penetration up to which an overlap is not reported [m]; geometry is approximate.

    Raises:
        KinematicsError: As `Kinematics.update`.
    """
    if joints is not None:
        kinematics.update(joints)
    found = _touching(kinematics.model, kinematics.data)
    return tuple(each for each in found if each.depth > max(allowance, 0.0))


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
        self._data.qpos[:] = self._kinematics.data.qpos
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        return _touching(self._model, self._data)


def _touching(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[Clearance, ...]:
    """Pairs of bodies with contacts at the positions of the data, closest first; the world's are left out."""
    mujoco.mj_collision(model, data)
    if data.ncon == 0:
        return ()
    nearest: dict[tuple[int, int], float] = {}
    bodies = model.geom_bodyid[data.contact.geom].tolist()
    for (one, other), distance in zip(bodies, data.contact.dist.tolist(), strict=True):
        if one and other:
            pair = (min(one, other), max(one, other))
            nearest[pair] = min(distance, nearest.get(pair, distance))
    found = [Clearance(model.body(a).name, model.body(b).name, distance) for (a, b), distance in nearest.items()]
    return tuple(sorted(found, key=lambda each: (each.distance, each.first, each.second)))
