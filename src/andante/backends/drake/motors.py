"""Motors of a MuJoCo model in Drake: position control with bounds on both sides, dry friction, locks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from andante.backends.model_builder import LOCK_PREFIX
from andante.robots.records import Vector

_STICK = 1e4
"""Damping that stands for dry friction below its limit, over the joint's inertia [1/s]."""
_LOCK = 300.0
"""Natural frequency with which a locked joint is held, damped critically [rad/s]."""
_SLACK = 1e-4
"""Position gain of a motor that has none: with both gains zero Drake would take its control away, and with far smaller
ones its solver stops too early, as if the motor stuck [N m/rad]."""


@dataclass(frozen=True)
class Motor:
    """One motor of the model in the plant."""

    number: int
    """Its number among MuJoCo's actuators."""
    actuator: Any
    """Drake's actuator, with position control."""


@dataclass(frozen=True)
class Brake:
    """Dry friction of one joint, which holds the joint wherever it is locked."""

    joint: int
    """Its number among MuJoCo's joints."""
    actuator: Any
    """Drake's actuator."""
    friction: float
    """Torque at which it slips [N m]."""
    inertia: float
    """Inertia of the joint [kg m^2]."""


class DrakeMotors:
    """The motors of a plant, with the settings that stand in the arrays of MuJoCo.

    Args:
        drake: The modules of Drake.
        plant: The plant, before it is finalised.
        model: MuJoCo's model, whose actuators hold the settings.
        data: Its state, with targets and locks.
        joints: Drake's joints by MuJoCo's numbers.
        explicit: Take off the damping that Drake's implicit control adds.
    """

    def __init__(
        self,
        drake: Any,
        plant: Any,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        joints: Mapping[int, Any],
        *,
        explicit: bool = True,
    ) -> None:
        self._taken_off = float(model.opt.timestep) if explicit else 0.0
        self._tree = drake.multibody.tree
        self._plant, self._model, self._data = plant, model, data
        self._joints = joints
        self._add(joints)
        self._couple(joints)

    def find_ports(self, context: Any) -> None:
        """Find where everything goes, once the plant is finalised."""
        model, plant = self._model, self._plant
        self._context = context
        self._actuation = plant.get_actuation_input_port()
        self._wanted = plant.get_desired_state_input_port(self._tree.default_model_instance())
        self._extra = plant.get_applied_generalized_force_input_port()
        moved, braked = [_leader(model, motor.number) for motor in self._motors], [each.joint for each in self._brakes]
        self._qpos, self._qvel = model.jnt_qposadr[moved].astype(np.intp), model.jnt_dofadr[moved].astype(np.intp)
        limited = model.jnt_actfrclimited[moved].astype(bool)[:, None]
        self._joint_bounds: Vector = np.where(limited, model.jnt_actfrcrange[moved], (-np.inf, np.inf))
        self._braked = model.jnt_qposadr[braked].astype(np.intp)
        self._velocity = np.array([self._joints[number].velocity_start() for number in moved], dtype=np.intp)
        self._motor_input = np.array([motor.actuator.input_start() for motor in self._motors], dtype=np.intp)
        self._brake_input = np.array([brake.actuator.input_start() for brake in self._brakes], dtype=np.intp)
        self._inputs: Vector = np.zeros(plant.num_actuators())
        self._desired: Vector = np.zeros(2 * plant.num_actuators())
        self._pushed: Vector = np.zeros(plant.num_velocities())
        self._settings = self._locked = b""
        self._middle: Vector = np.zeros(len(self._motors))
        self._held: dict[int, float] = {}
        self._locks = {
            number: int(model.eq_obj1id[number])
            for number in range(model.neq)
            if str(model.equality(number).name).startswith(LOCK_PREFIX)
        }

    def begin(self) -> None:
        """Forget what was locked."""
        for number in list(self._held):
            self._release(number)
        self._locked = b""

    def write(self) -> None:
        """Carry over targets, gains, bounds and locks for the next step."""
        self._set_gains()
        self._set_locks()
        data, zero = self._data, self._model.qpos0
        self._desired[self._motor_input] = data.ctrl - zero[self._qpos]
        self._desired[self._brake_input] = data.qpos[self._braked] - zero[self._braked]
        for number, angle in self._held.items():
            self._desired[self._brake_input[number]] = angle
        self._inputs[self._motor_input] = self._model.actuator_biasprm[:, 0] - self._middle
        self._pushed[self._velocity] = self._middle
        self._actuation.FixValue(self._context, self._inputs)
        self._wanted.FixValue(self._context, self._desired)
        self._extra.FixValue(self._context, self._pushed)

    def read(self) -> None:
        """Torques of the motors in the last step, of the state that it led to: Drake's control is implicit.

        Its own port adds the motor and the brake of a joint up.
        """
        model, data = self._model, self._data
        q, v = data.qpos[self._qpos], data.qvel[self._qvel]
        bias, bounds = model.actuator_biasprm, self._bounds()
        q = q - self._taken_off * v
        wanted = model.actuator_gainprm[:, 0] * (data.ctrl - q) + bias[:, 0] + bias[:, 2] * v
        data.actuator_force[:] = np.clip(wanted, bounds[:, 0], bounds[:, 1])

    def _add(self, joints: Mapping[int, Any]) -> None:
        """Motors with position control, and dry friction as a second one whose damper is limited.

        Of several actuators on a joint only the last one's rotor counts, so it alone has the joint's armature.
        """
        model, plant, tree = self._model, self._plant, self._tree
        leaders = {_leader(model, motor): motor for motor in range(model.nu)}
        self._motors: list[Motor] = []
        self._brakes: list[Brake] = []
        for number, joint in joints.items():
            dof = int(model.jnt_dofadr[number])
            armature, friction = float(model.dof_armature[dof]), float(model.dof_frictionloss[dof])
            if number in leaders:
                motor = plant.AddJointActuator(f"motor_{number}", joint)
                motor.set_controller_gains(tree.PdControllerGains(p=1.0, d=1.0))
                self._motors.append(Motor(leaders[number], motor))
            brake = plant.AddJointActuator(f"friction_{number}", joint, max(friction, _SLACK))
            inertia = max(armature, float(model.dof_M0[dof]), 1e-6)
            self._brakes.append(Brake(number, brake, friction, inertia))
            brake.set_controller_gains(self._slipping(self._brakes[-1]))
            brake.set_default_rotor_inertia(armature)
            brake.set_default_gear_ratio(1.0)
        self._motors.sort(key=lambda motor: motor.number)

    def _couple(self, joints: Mapping[int, Any]) -> None:
        """Tie the joints that one motor moves together; MuJoCo counts them from qpos0 there, as Drake does."""
        model = self._model
        for number in range(model.neq):
            if not str(model.equality(number).name).startswith(LOCK_PREFIX):
                offset, ratio = (float(value) for value in model.eq_data[number, :2])
                follower, leader = joints[int(model.eq_obj1id[number])], joints[int(model.eq_obj2id[number])]
                self._plant.AddCouplerConstraint(follower, leader, ratio, offset)

    def _set_gains(self) -> None:
        """Carry over gains and bounds where they have changed, (nu,) each.

        Drake's control sees the angle at the end of a step, MuJoCo's the one at its begin, which lacks a step's turn:
        ``p (q + h v) + d v`` is as damped as ``p q + (d + p h) v``. So the difference is taken off. Bounds that differ
        on both sides stand around their middle: ``clip(t, low, high) = m + clip(t - m, -h, h)``.
        """
        model, tree = self._model, self._tree
        gain, bias, bounds = model.actuator_gainprm[:, 0], model.actuator_biasprm, self._bounds()
        settings = gain.tobytes() + bias[:, 2].tobytes() + bounds.tobytes()
        if settings != self._settings:
            self._settings = settings
            self._middle = 0.5 * (bounds[:, 0] + bounds[:, 1])
            half = 0.5 * (bounds[:, 1] - bounds[:, 0])
            for motor in self._motors:
                i = motor.number
                stiffness, step = max(float(gain[i]), _SLACK), self._taken_off
                damping = max(float(-bias[i, 2]) - float(gain[i]) * step, 0.0)
                gains = tree.PdControllerGains(p=stiffness, d=damping)
                motor.actuator.set_controller_gains(gains)
                motor.actuator.set_effort_limit(max(float(half[i]), 1e-12))

    def _bounds(self) -> Vector:
        """Torque limits of the motors, (nu, 2) [N m]: a model may limit what acts on a joint beside."""
        bounds: Vector = self._model.actuator_forcerange.copy()
        np.maximum(bounds[:, 0], self._joint_bounds[:, 0], out=bounds[:, 0])
        np.minimum(bounds[:, 1], self._joint_bounds[:, 1], out=bounds[:, 1])
        return bounds

    def _set_locks(self) -> None:
        """Joints that faults lock are held by their brakes: Drake's own locks do not go with coupled joints."""
        active = self._data.eq_active.tobytes()
        if active == self._locked:
            return
        self._locked = active
        locked = {joint for number, joint in self._locks.items() if self._data.eq_active[number]}
        for i, brake in enumerate(self._brakes):
            if (brake.joint in locked) != (i in self._held):
                if i in self._held:
                    self._release(i)
                else:
                    self._hold(i)

    def _hold(self, number: int) -> None:
        brake, place = self._brakes[number], self._braked[number]
        self._held[number] = float(self._data.qpos[place] - self._model.qpos0[place])
        gains = self._tree.PdControllerGains
        brake.actuator.set_controller_gains(gains(p=_LOCK**2 * brake.inertia, d=2.0 * _LOCK * brake.inertia))
        brake.actuator.set_effort_limit(np.inf)

    def _release(self, number: int) -> None:
        brake = self._brakes[number]
        del self._held[number]
        brake.actuator.set_controller_gains(self._slipping(brake))
        brake.actuator.set_effort_limit(max(brake.friction, _SLACK))

    def _slipping(self, brake: Brake) -> Any:
        return self._tree.PdControllerGains(p=_SLACK, d=_STICK * brake.inertia)


def _leader(model: mujoco.MjModel, motor: int) -> int:
    """Joint that a motor moves: of several on one tendon the first."""
    target = int(model.actuator_trnid[motor, 0])
    if model.actuator_trntype[motor] == mujoco.mjtTrn.mjTRN_TENDON:
        return int(model.wrap_objid[model.tendon_adr[target]])
    return target
