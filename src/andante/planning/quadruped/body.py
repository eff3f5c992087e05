"""QuadrupedBody: what local planning needs of a robot, read out of its model."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from andante.errors import AndanteError
from andante.kinematics.forward import KinematicsError
from andante.kinematics.leg_model import LegGeometryError
from andante.kinematics.leg_table import LeggedBody
from andante.planning.nmpc.problem import RigidBody
from andante.robots.robot import Robot
from andante.spatial.arrays import Array

FEET = ("FL", "FR", "HL", "HR")
JOINTS = 12
STANDING = 0.66
"""Standing height of the hips as a share of the stretched leg, where nobody says another (Go2: 0.28 of 0.426 m)."""


class QuadrupedError(AndanteError):
    """A robot that is no quadruped of twelve joints, or lacks what planning needs."""


@dataclass(frozen=True, eq=False)
class QuadrupedBody:
    """A robot on four three-joint legs as a rigid body with hips."""

    legs: LeggedBody
    """Legs and masses."""
    rigid: RigidBody
    """Mass and inertia about the centre of mass, standing."""
    com: Array
    """Centre of mass in the base's frame, standing, (3,) [m]."""
    hips: Array
    """Where the feet stand below the base with legs that hang straight down, in the base's frame, (4, 3) [m]; z is the
    pitch axis's."""
    posture: Array
    """Leg angles of standing, (4, 3) [rad]."""
    height: float
    """Height of the centre of mass over the ground, standing [m]."""
    radius: Array
    """Radius of each ball foot, (4,) [m]."""

    @staticmethod
    def of(robot: Robot, standing: float = STANDING) -> QuadrupedBody:
        """Read the body out of a robot's model.

        Args:
            robot: The robot.
            standing: Height of the hips in standing as a share of the stretched leg.

        Raises:
            QuadrupedError: Not twelve joints in four three-joint legs, no feet, no mass and inertia, or no angles for
                that height.
        """
        names, count = tuple(foot.name for foot in robot.feet), len(robot.joints)
        if not names and "feet" in robot.doubts:
            raise QuadrupedError(f"robot {robot.name!r} has no feet: {robot.doubts['feet']}", value=f"{count} joints")
        if names != FEET:
            what = f"robot {robot.name!r} has {len(names)} feet and {count} joints, a quadruped four and twelve"
            raise QuadrupedError(what, value=names, limit=", ".join(FEET))
        if count != JOINTS:
            raise QuadrupedError(f"robot {robot.name!r} has not twelve joints", value=count, limit="12")
        try:
            legs = LeggedBody.of(robot)
        except LegGeometryError as error:
            raise QuadrupedError(f"robot {robot.name!r} has other legs: {error}") from None
        table = legs.table
        hips = table.hip + table.offset
        hips[:, 1] = table.hip[:, 1] + table.lateral
        feet = hips.copy()
        # All feet stand on one plane, whatever height the hips have.
        feet[:, 2] = hips[:, 2].mean() - standing * table.lengths.sum(axis=1).mean()
        try:
            posture = np.array([leg.solve_on_branch(foot) for leg, foot in zip(legs.legs, feet, strict=True)])
        except KinematicsError as error:
            what = f"robot {robot.name!r} cannot hold its hips at {standing:g} of its stretched legs: {error}"
            raise QuadrupedError(what) from None
        mass, com, inertia = _inertia(robot, legs.joints(posture))
        if not (mass > 0.0 and np.linalg.eigvalsh(inertia)[0] > 0.0):
            raise QuadrupedError(f"robot {robot.name!r} has no mass or no inertia", value=mass)
        height = float(com[2] - feet[:, 2].mean() + table.radius.mean())
        return QuadrupedBody(legs, RigidBody(mass, inertia), com, hips, posture, height, table.radius.copy())


def _inertia(robot: Robot, joints: Array) -> tuple[float, Array, Array]:
    """Mass, centre of mass in the base's frame and inertia about it in base axes with the joints at these angles."""
    model, data = robot.model, mujoco.MjData(robot.model)
    data.qpos[:] = model.qpos0
    data.qpos[:7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    for name, angle in zip(robot.joint_names, joints, strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    com = data.subtree_com[model.body(robot.base_body).id].copy()
    mass, inertia = 0.0, np.zeros((3, 3))
    for body in range(1, model.nbody):
        weight, turn = float(model.body_mass[body]), data.ximat[body].reshape(3, 3)
        arm = data.xipos[body] - com
        inertia += turn @ np.diag(model.body_inertia[body]) @ turn.T
        inertia += weight * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        mass += weight
    # What is left of products that cancel out is not the same on both sides of the diagonal.
    return mass, com, 0.5 * (inertia + inertia.T)
