"""LikeWorld: rcsssmj's physics in Andante's own MuJoCo, as far as it is known, without its server.

All in which rcsssmj's robot is moved otherwise has a name, so that each can be tried alone: then a difference of two
verdicts has a cause. With all of them, and rcsssmj on the same version of MuJoCo, joints stay alike to the last digit
for the first second of a get-up (docs/notebook/33-judges.md). What is left out is the drag of air.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from andante.backends.backend import BackendError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.rcsssmj.link import CYCLE, STEP
from andante.backends.rcsssmj.parts import PARTS, Part
from andante.backends.rcsssmj.world import refuse_unlike
from andante.backends.sensing import SensorSuite
from andante.backends.world import WorldConfig
from andante.robots.records import Vector
from andante.robots.robot import Robot

_ENDLESS = 1e9
_DIGITS, _QUATERNION_DIGITS = 100.0, 1000.0


class LikeWorld(MujocoWorld):
    """A robot in a world of `WorldConfig`, moved by MuJoCo as rcsssmj moves it.

    It begins lying as the world as asked lets it come to rest, as it does in rcsssmj.

    Args:
        robot: The robot; its model file says how soft its contacts are.
        config: The world.
        parts: What is like rcsssmj.

    Raises:
        BackendError: The world has something that rcsssmj cannot be told of, or cannot be built; or the robot's cycle
            is no whole number of rcsssmj's steps.
    """

    def __init__(self, robot: Robot, config: WorldConfig, parts: Sequence[Part] = PARTS) -> None:
        refuse_unlike(config)
        self._parts = frozenset(parts)
        steps = robot.tick / STEP
        if "step" in self._parts and not math.isclose(steps, max(1.0, round(steps))):
            raise BackendError(
                "rcsssmj's steps do not fit the robot's cycle",
                place=f"robot {robot.name!r}",
                value=f"{robot.tick:g} s",
                limit=f"a multiple of {STEP:g} s",
            )
        self._asked = MujocoWorld(robot, config)
        own = robot_like(robot, self._parts)
        world = world_like(robot, config, self._parts)
        super().__init__(own, world)
        if "digits" in self._parts:
            self.sensing = CutOffSensors(own, world, self.model, self.data, self._index)
            self._late = self.sensing.lateness
            self.reset(0)

    def reset(self, seed: int) -> None:
        """Let the robot come to rest in the world as asked, and lay it down alike here.

        Raises:
            BackendError: The start is impossible.
            DivergenceError: The physics became unstable while the robot came to rest.
        """
        super().reset(seed)
        self._asked.reset(seed)
        data = self.data
        data.qpos[:], data.qvel[:] = self._asked.data.qpos, 0.0
        data.qacc_warmstart[:] = 0.0
        mujoco.mj_forward(self.model, data)
        self._keep_state()
        self._measured = None
        if self._late.delayed:
            self._late.hold(0, self.sensing.measure(0.0))
            self._late.arrive(0)


class CutOffSensors(SensorSuite):
    """Sensors whose readings are cut off at as many digits as rcsssmj's, before noise is added."""

    def measure(self, time: float) -> Vector:
        """A new vector with everything measured now, noise included."""
        data, index = self._data, self._index
        kept = data.qpos.copy(), data.qvel.copy(), data.sensordata.copy()
        for array, places in ((data.qpos, index.qpos), (data.qvel, index.qvel)):
            array[places] = _cut_degrees(array[places])
        imu = data.sensordata[index.imu]
        quaternion = np.trunc(imu[:4] * _QUATERNION_DIGITS) / _QUATERNION_DIGITS
        imu[:4] = quaternion / np.linalg.norm(quaternion)
        imu[4:7] = _cut_degrees(imu[4:7])
        imu[7:] = np.trunc(imu[7:] * _DIGITS) / _DIGITS
        measured = super().measure(time)
        data.qpos[:], data.qvel[:], data.sensordata[:] = kept
        return measured


def _cut_degrees(values: Vector) -> Vector:
    cut: Vector = np.radians(np.trunc(np.degrees(values) * _DIGITS) / _DIGITS)
    return cut


def robot_like(robot: Robot, parts: frozenset[Part]) -> Robot:
    """The robot with motors like rcsssmj's, as far as ``parts`` say."""
    servos = robot.servos
    if "speeds" in parts:
        servos = tuple(replace(servo, torque_speed=None) for servo in servos)
    if "targets" in parts:
        servos = tuple(replace(servo, max_velocity=_ENDLESS) for servo in servos)
    if not parts.isdisjoint(("limits", "inertias")):
        model = _file_of(robot)
        joints = [model.joint(name).id for name in robot.joint_names]
    if "limits" in parts:
        limited = [
            float(model.jnt_actfrcrange[joint, 1]) if model.jnt_actfrclimited[joint] else servo.max_torque
            for joint, servo in zip(joints, servos, strict=True)
        ]
        servos = tuple(replace(servo, max_torque=most) for servo, most in zip(servos, limited, strict=True))
    if "inertias" in parts:
        rotors = model.dof_armature[model.jnt_dofadr[joints]].tolist()
        servos = tuple(replace(servo, armature=rotor) for servo, rotor in zip(servos, rotors, strict=True))
    return replace(robot, servos=servos)


def world_like(robot: Robot, config: WorldConfig, parts: frozenset[Part]) -> WorldConfig:
    """The world with steps, solver, floor and delays like rcsssmj's, as far as ``parts`` say."""
    changes: dict[str, Any] = {}
    solver: dict[str, Any] = {}
    if "step" in parts:
        changes["timestep"] = STEP
    if "integrator" in parts:
        solver["integrator"] = "Euler"
    if "cone" in parts:
        solver |= {"cone": "pyramidal", "impratio": 1.0}
    if "contacts" in parts:
        solver["contact_time"] = None
    if "friction" in parts:
        changes["friction"] = 1.0
    if "delay" in parts:
        changes["command_delay"] = max(0, round(CYCLE / robot.tick))
    if "age" in parts:
        changes["sensor_latency"] = STEP
    return config.but(**changes, solver=config.solver.but(**solver))


def _file_of(robot: Robot) -> mujoco.MjModel:
    """The robot as its file has it."""
    return mujoco.MjModel.from_xml_string(robot.mjcf, dict(robot.assets))
