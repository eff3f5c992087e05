"""Positions, Jacobians and rigid-body dynamics of a robot at a posture, computed by MuJoCo.

`Kinematics` is the per-thread scratch beside the immutable `Robot`: it owns one MjData on ``robot.model``, and every
question it answers concerns the posture of the last `Kinematics.update` or `Kinematics.inverse_dynamics`.

Generalised velocities, forces and the columns of Jacobians are in this order (`Kinematics.velocity_names`):

- the base's linear velocity in the world frame, 3 [m/s], and its angular velocity in the base's own frame, 3 [rad/s]
  (absent where the base is fixed to the world),
- other degrees of freedom that are no joints of the robot's pack, in the model's order,
- the joints in the order of `Robot.joints`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from andante.errors import AndanteError
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.arrays import Array

_FREE_JOINT = int(mujoco.mjtJoint.mjJNT_FREE)
_ONE_DOF = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
_SITE, _XBODY = int(mujoco.mjtObj.mjOBJ_SITE), int(mujoco.mjtObj.mjOBJ_XBODY)
# Squared lengths that a unit quaternion may have.
_SHORTEST, _LONGEST = 1.0 - 1e-6, 1.0 + 1e-6
_THREE, _FOUR = (3,), (4,)
_FLOAT = np.dtype(np.float64)
_ORIGIN, _LEVEL = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
# Looked up once: each of these is called for every posture.
_FINITE, _POSITIONS, _CENTRES = math.isfinite, mujoco.mj_kinematics, mujoco.mj_comPos


class KinematicsError(AndanteError):
    """A question that kinematics cannot answer: unknown frame, wrong shape, a value that is not finite."""


class Kinematics:
    """Forward kinematics, centre of mass, Jacobians and inverse dynamics of one robot.

    Not thread-safe: make one per thread; they may share the robot. A joint that follows another one
    (`Joint.follows`) takes its leader's angle, whatever its own entry says, as one motor moves both. Without a base
    pose the base frame is the world frame, so that positions are relative to the torso.

    Args:
        robot: The robot; its model is only read.

    Raises:
        KinematicsError: The model lacks a joint or body that the robot names, or a joint is no hinge or slide.
    """

    def __init__(self, robot: Robot) -> None:
        model = robot.model
        self.robot = robot
        self.model = model
        self.data = mujoco.MjData(model)
        """Scratch of the last update; read it, do not step it."""
        self.base = _body(model, robot)
        """Body id of the base."""
        joints = [_joint(model, robot, name) for name in robot.joint_names]
        qpos = np.array([model.jnt_qposadr[joint] for joint in joints], dtype=np.intp)
        dofs = [int(model.jnt_dofadr[joint]) for joint in joints]
        start = int(model.body_jntadr[self.base])
        self._free: int | None = None
        base_dofs: list[int] = []
        if start >= 0 and int(model.jnt_type[start]) == _FREE_JOINT:
            self._free = int(model.jnt_qposadr[start])
            first = int(model.jnt_dofadr[start])
            base_dofs = list(range(first, first + 6))
        taken = {*dofs, *base_dofs}
        passive = [dof for dof in range(model.nv) if dof not in taken]
        self._order = np.array(base_dofs + passive + dofs, dtype=np.intp)
        self._in_order = bool(np.array_equal(self._order, np.arange(model.nv)))
        self._first_joint = len(base_dofs) + len(passive)
        self._joint_dofs = np.array(dofs, dtype=np.intp)
        self._count = len(joints)
        self._shape = (len(joints),)
        # One gather writes all joints, followers included, into the model's order.
        by_address = np.argsort(qpos)
        self._addresses = qpos[by_address]
        self._source = robot.leaders[by_address]
        run = self._addresses[-1] - self._addresses[0] + 1 if self._count else 0
        contiguous = self._count > 0 and run == self._count
        self._angles: Array | None = (
            self.data.qpos[self._addresses[0] : self._addresses[-1] + 1] if contiguous else None
        )
        self._qpos = self.data.qpos
        self._base_moved = True
        if self._free is not None:
            self._base_position = self.data.qpos[self._free : self._free + 3]
            self._base_orientation = self.data.qpos[self._free + 3 : self._free + 7]
        self._frames: dict[str, _Frame] = {}
        self._com = self.data.subtree_com[self.base]
        self._com_velocity = self.data.subtree_linvel[self.base]
        # Views of the scratch that MuJoCo writes Jacobians to: making them anew takes as long as a Jacobian.
        self._six = np.empty((6, model.nv))
        self._linear, self._angular = self._six[:3], self._six[3:]
        self._three = np.empty((3, model.nv))
        self._qvel = self.data.qvel

    # Names and sizes ---------------------------------------------------------------------------------------------

    @property
    def floating(self) -> bool:
        """Whether the base can move freely."""
        return self._free is not None

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """Label of every generalised velocity, (nv,): base.vx .. base.wz, then other joints, then `Robot.joints`."""
        base = ("base.vx", "base.vy", "base.vz", "base.wx", "base.wy", "base.wz") if self.floating else ()
        passive = self._order[len(base) : self._first_joint]
        names = tuple(f"{self.model.joint(self.model.dof_jntid[dof]).name}.{dof}" for dof in passive)
        return base + names + self.robot.joint_names

    @cached_property
    def coupling(self) -> Array:
        """The matrix C, (nv, nv - followers), of v = C u with one column per independent velocity; read-only.

        ``jacobian(name) @ C`` is the Jacobian by motors, ``C.T @ inverse_dynamics(...)`` the torques of the motors.
        """
        size, first = len(self._order), self._first_joint
        matrix = np.eye(size)
        followers = self.robot.followers
        matrix[first + followers, first + self.robot.leaders[followers]] = 1.0
        matrix = np.delete(matrix, first + followers, axis=1)
        matrix.flags.writeable = False
        return matrix

    # Posture -----------------------------------------------------------------------------------------------------

    def update(
        self, joints: Vector, base_position: ArrayLike | None = None, base_orientation: ArrayLike | None = None
    ) -> None:
        """Compute all positions for a posture.

        Args:
            joints: Joint positions, (nj,) [rad], in the order of `Robot.joints`.
            base_position: Origin of the base in the world, (3,) [m]; None: the world's origin.
            base_orientation: Orientation of the base in the world, (4,) wxyz unit quaternion; None: not turned.

        Raises:
            KinematicsError: Wrong shape, a value that is not finite, a quaternion not of length 1, or a base pose for
                a robot whose base is fixed.
        """
        # Sums of Python numbers find what is not finite sooner than numpy does.
        values = np.asarray(joints, _FLOAT)
        if values.shape != self._shape:
            raise KinematicsError(
                f"joint positions do not fit robot {self.robot.name!r}", value=values.shape, limit=f"({self._count},)"
            )
        if self._angles is not None:
            values.take(self._source, None, self._angles, "clip")
        else:
            self._qpos[self._addresses] = values[self._source]
        total = sum(values.tolist())
        if base_position is not None or base_orientation is not None:
            if self._free is None:
                raise KinematicsError(f"the base of robot {self.robot.name!r} is fixed and takes no pose")
            self._base_moved = True
            place = _ORIGIN if base_position is None else np.asarray(base_position, _FLOAT)
            turn = _LEVEL if base_orientation is None else np.asarray(base_orientation, _FLOAT)
            if place.shape != _THREE or turn.shape != _FOUR:
                self._refuse(values, place.tolist(), turn.tolist())
            self._base_position[...] = place
            self._base_orientation[...] = turn
            x, y, z = place.tolist()
            w, a, b, c = turn.tolist()
            total += x + y + z
            if not (_SHORTEST <= w * w + a * a + b * b + c * c <= _LONGEST and _FINITE(total)):
                self._refuse(values, [x, y, z], [w, a, b, c])
        else:
            if self._base_moved and self._free is not None:
                self._base_position[...] = _ORIGIN
                self._base_orientation[...] = _LEVEL
                self._base_moved = False
            if not _FINITE(total):
                self._refuse_joints(values)
        model, data = self.model, self.data
        _POSITIONS(model, data)
        _CENTRES(model, data)

    def pose(self, name: str) -> tuple[Array, Array]:
        """Position (3,) [m] and rotation matrix (3, 3) of a site or body in the world.

        A site wins over a body of the same name. The arrays are copies.

        Raises:
            KinematicsError: The model has no such site or body.
        """
        frame = self._frames.get(name) or self._frame(name)
        return frame.position.copy(), frame.rotation.copy()

    def com(self) -> Array:
        """Centre of mass of the robot in the world, (3,) [m]."""
        com: Array = self._com.copy()
        return com

    def mass(self) -> float:
        """Mass of the robot [kg]."""
        return float(self.model.body_subtreemass[self.base])

    # Jacobians ---------------------------------------------------------------------------------------------------

    def jacobian(self, name: str) -> Array:
        """Jacobian of a site or body, (6, nv).

        Rows 0..2 are the linear velocity of the frame's origin, rows 3..5 its angular velocity, both in world axes.
        Columns are in the order of `velocity_names`; coupled joints have a column each (`coupling` joins them).

        Raises:
            KinematicsError: The model has no such site or body.
        """
        frame = self._frames.get(name) or self._frame(name)
        frame.jacobian(self.model, self.data, self._linear, self._angular, frame.number)
        return self._six.copy() if self._in_order else self._six.take(self._order, axis=1)

    def com_jacobian(self) -> Array:
        """Jacobian of the centre of mass's linear velocity in world axes, (3, nv); columns as `velocity_names`."""
        mujoco.mj_jacSubtreeCom(self.model, self.data, self._three, self.base)
        return self._three.copy() if self._in_order else self._three.take(self._order, axis=1)

    # Velocities --------------------------------------------------------------------------------------------------

    def move(self, speeds: Vector) -> None:
        """Compute all velocities at the posture of the last `update`, with a base that stands still.

        A fifth of the time of Jacobians where few velocities are asked for.

        Args:
            speeds: Of the joints, (nj,) [rad/s or m/s], finite; those of coupled joints count as they are.
        """
        self._qvel.fill(0.0)
        self._qvel[self._joint_dofs] = speeds
        mujoco.mj_comVel(self.model, self.data)
        mujoco.mj_subtreeVel(self.model, self.data)

    def com_velocity(self) -> Array:
        """Velocity of the centre of mass after `move`, world axes, (3,) [m/s]."""
        velocity: Array = self._com_velocity.copy()
        return velocity

    def twist(self, name: str) -> Array:
        """Angular [rad/s], then linear velocity [m/s] of a site or body after `move`, world axes, (6,).

        Raises:
            KinematicsError: The model has no such site or body.
        """
        frame = self._frames.get(name) or self._frame(name)
        found: Array = np.empty(6)
        mujoco.mj_objectVelocity(self.model, self.data, frame.kind, frame.number, found, 0)
        return found

    # Dynamics ----------------------------------------------------------------------------------------------------

    def mass_matrix(self) -> Array:
        """Joint-space inertia, (nv, nv), rotor inertias (armature) included; rows and columns as `velocity_names`."""
        matrix = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_makeM(self.model, self.data)
        mujoco.mj_fullM(self.model, self.data, matrix)
        return matrix if self._in_order else matrix[np.ix_(self._order, self._order)]

    def inverse_dynamics(
        self,
        joints: Vector,
        velocity: Vector,
        acceleration: Vector,
        base_position: ArrayLike | None = None,
        base_orientation: ArrayLike | None = None,
    ) -> Array:
        """Generalised forces (nv,) that give an acceleration: M(q) a + C(q, v) v + gravity, without contacts.

        The base's six are force in world axes [N] and torque in base axes [N m]; joints [N m]. Rotor inertias count,
        friction and damping of the joints do not. This is also an `update` to the posture.

        Args:
            joints: Joint positions, (nj,) [rad].
            velocity: Generalised velocity, (nv,), order of `velocity_names`.
            acceleration: Its time derivative, (nv,).
            base_position: As in `update`.
            base_orientation: As in `update`.

        Raises:
            KinematicsError: As `update`, and for velocities or accelerations of wrong shape or not finite.
        """
        data, size = self.data, len(self._order)
        for name, values in (("velocity", velocity), ("acceleration", acceleration)):
            if np.shape(values) != (size,) or not np.isfinite(values).all():
                raise KinematicsError(
                    f"the generalised {name} does not fit robot {self.robot.name!r}",
                    value=np.asarray(values).tolist(),
                    limit=f"{size} finite values: base 6 if floating, then the joints",
                )
        self.update(joints, base_position, base_orientation)
        data.qvel[self._order] = velocity
        data.qacc[self._order] = acceleration
        mujoco.mj_comVel(self.model, data)
        force = np.empty(self.model.nv)
        mujoco.mj_rne(self.model, data, 1, force)
        # The recursion covers the links; the rotors' inertia is a separate diagonal.
        force += self.model.dof_armature * data.qacc
        return force if self._in_order else force[self._order]

    # Inside ------------------------------------------------------------------------------------------------------

    def _refuse(self, values: Array, position: Sequence[float], turn: Sequence[float]) -> None:
        """Say what of a posture is wrong."""
        if not _FINITE(sum(values.tolist())):
            self._refuse_joints(values)
        if np.shape(position) != (3,) or not np.isfinite(position).all():
            raise KinematicsError("the base position must be three finite numbers", value=position)
        raise KinematicsError(
            "the base orientation must be a unit quaternion wxyz",
            value=turn,
            remedy="normalise it with andante.spatial.rotations.normalise",
        )

    def _refuse_joints(self, values: Array) -> None:
        bad = np.flatnonzero(~np.isfinite(values))
        index = int(bad[0]) if bad.size else int(np.argmax(np.abs(values)))
        raise KinematicsError(
            "a joint position must be finite",
            place=f"{self.robot.name}.{self.robot.joint_names[index]}",
            value=float(values[index]),
        )

    def _frame(self, name: str) -> _Frame:
        model, data = self.model, self.data
        number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, name)
        if number >= 0:
            frame = _Frame(
                number, data.site_xpos[number], data.site_xmat[number].reshape(3, 3), mujoco.mj_jacSite, _SITE
            )
        else:
            number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
            if number < 0:
                names = [model.site(i).name for i in range(model.nsite)]
                names += [model.body(i).name for i in range(1, model.nbody)]
                raise KinematicsError(f"robot {self.robot.name!r} has no such site or body", value=name, legal=names)
            frame = _Frame(number, data.xpos[number], data.xmat[number].reshape(3, 3), mujoco.mj_jacBody, _XBODY)
        self._frames[name] = frame
        return frame


class _Frame(NamedTuple):
    """Where the answer for one name lies in the scratch."""

    number: int
    position: Array
    rotation: Array
    jacobian: Any
    kind: int


def _body(model: Any, robot: Robot) -> int:
    number = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, robot.base_body))
    if number < 0:
        raise KinematicsError(
            f"the model of robot {robot.name!r} has no base body of this name",
            value=robot.base_body,
            legal=[model.body(i).name for i in range(1, model.nbody)],
        )
    return number


def _joint(model: Any, robot: Robot, name: str) -> int:
    number = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name))
    if number < 0:
        raise KinematicsError(
            f"the model of robot {robot.name!r} has no joint of this name",
            value=name,
            legal=[model.joint(i).name for i in range(model.njnt)],
        )
    if int(model.jnt_type[number]) not in _ONE_DOF:
        raise KinematicsError(f"a joint of robot {robot.name!r} must be a hinge or a slide", value=name)
    return number
