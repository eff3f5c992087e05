"""FloatingModel: kinematics and dynamics of a robot at the estimated state, by MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np

from andante.control.quadruped.leg_kernels import LegState
from andante.kinematics.leg_table import LeggedBody
from andante.robots.compiling import compiled
from andante.robots.robot import Robot
from andante.spatial.arrays import Array, Flags


class FloatingModel:
    """The controller's own copy of the robot: what is estimated goes in, what the legs need comes out.

    Args:
        robot: The robot.
        legs: Its legs.
    """

    def __init__(self, robot: Robot, legs: LeggedBody) -> None:
        # The rotors' inertia stands with the servos.
        model = self._model = compiled(robot.spec())
        data = self._data = mujoco.MjData(model)
        self._base = int(model.body(robot.base_body).id)
        free = int(model.body_jntadr[self._base])
        self._q, self._v = int(model.jnt_qposadr[free]), int(model.jnt_dofadr[free])
        joints = [model.joint(name).id for name in robot.joint_names]
        self._qpos = np.array([model.jnt_qposadr[joint] for joint in joints])
        self._dofs = np.array([model.jnt_dofadr[joint] for joint in joints])
        model.dof_armature[self._dofs] = [servo.armature for servo in robot.servos]
        order = np.array([list(leg.indices) for leg in legs.legs])
        self.dofs = self._dofs[order].astype(np.int64)
        """Rows of the legs' joints in the velocities, (4, 3)."""
        self._axes = np.array(joints)[order.ravel()]
        self._sites = np.array([model.site(foot.site).id for foot in robot.feet])
        self._inertia = np.zeros((model.nv, model.nv))
        self._com, self._com_velocity = data.subtree_com[self._base], data.subtree_linvel[self._base]
        data.qpos[:] = model.qpos0
        # Each look at a field of MuJoCo's data makes a new view, which takes longer than what is done with it.
        qpos, qvel = data.qpos, data.qvel
        self._position, self._quaternion = qpos[self._q : self._q + 3], qpos[self._q + 3 : self._q + 7]
        self._velocity, self._angular = qvel[self._v : self._v + 3], qvel[self._v + 3 : self._v + 6]
        self._joint_positions, self._joint_speeds = qpos, qvel
        self._bias = data.qfrc_bias
        self._site_places, self._anchors, self._joint_axes = data.site_xpos, data.xanchor, data.xaxis

    def update(
        self,
        position: Array,
        rotation: Array,
        velocity: Array,
        angular: Array,
        joints: Array,
        speeds: Array,
        touching: Flags,
    ) -> LegState:
        """The legs' state.

        Args:
            position: Origin of the base in the world, (3,) [m].
            rotation: Rotation from its axes to the world's, (3, 3).
            velocity: Its velocity in the world, (3,) [m/s].
            angular: Its angular velocity in body axes, (3,) [rad/s].
            joints: Joint angles, (nj,) [rad].
            speeds: Joint speeds, (nj,) [rad/s].
            touching: Which feet touch, (4,).
        """
        model, data = self._model, self._data
        self._position[:] = position
        mujoco.mju_mat2Quat(self._quaternion, rotation.ravel())
        self._joint_positions[self._qpos] = joints
        self._velocity[:], self._angular[:] = velocity, angular
        self._joint_speeds[self._dofs] = speeds
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_subtreeVel(model, data)
        mujoco.mj_rne(model, data, 0, self._bias)
        mujoco.mj_fullM(model, data, self._inertia)
        return LegState(
            self._site_places.take(self._sites, axis=0),
            self._anchors.take(self._axes, axis=0),
            self._joint_axes.take(self._axes, axis=0),
            self._com.copy(),
            self._com_velocity.copy(),
            rotation @ angular,
            position,
            velocity,
            rotation,
            self._inertia,
            self._bias,
            touching,
        )
