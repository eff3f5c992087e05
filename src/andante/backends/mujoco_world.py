"""MujocoWorld: a simulated robot as Backend.

Physics runs in whole ticks inside MuJoCo. Between two calls of `MujocoWorld.advance` the current step stands half
done (`mj_step1`): positions, velocities, sites and IMU are those of the present state, and the second half
(`mj_step2`) waits for the next command. So nothing that is read is one physics step old, at no extra cost; forces and
accelerations are those of the step that led here.
"""

from __future__ import annotations

import logging
import math

import mujoco
import numpy as np

from andante.backends.backend import BackendError, DivergenceError
from andante.backends.ball import place_ball
from andante.backends.model_builder import ModelIndex, build_model
from andante.backends.placement import place, start_angles
from andante.backends.pushes import PushSchedule
from andante.backends.sensing import SensorSuite
from andante.backends.servos import ServoBank
from andante.backends.truth import TruthView
from andante.backends.world import WorldConfig, bounds
from andante.robots.records import Command, Layout, Record, Sensors, Vector
from andante.robots.robot import Robot

_log = logging.getLogger("andante.physics")
_SENSORS_OFF = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)


class MujocoWorld:
    """A robot in a world of `WorldConfig`, stepped by MuJoCo.

    Args:
        robot: The robot.
        config: The world.
        model: Model to run instead of a freshly built one, as made by `build_model` for the same robot and world.

    Raises:
        BackendError: The world cannot be built, or robot and configuration do not fit.
    """

    def __init__(self, robot: Robot, config: WorldConfig, model: mujoco.MjModel | None = None) -> None:
        _route_warnings()
        self._robot, self._config = robot, config
        self.model = build_model(robot, config) if model is None else model
        self.data = mujoco.MjData(self.model)
        self._index = ModelIndex.of(robot, self.model)
        self.servos = ServoBank(robot, self.model, self.data, self._index)
        self.sensing = SensorSuite(robot, config, self.model, self.data, self._index)
        self._pushes = PushSchedule(robot, config, self.model, self.data)
        self._truth = TruthView(robot, self.model, self.data, self._index)
        self._sensors_layout, self._command_layout = robot.sensors_layout, robot.command_layout
        self._timestep = config.timestep
        self._tick_steps = max(1, round(robot.tick / config.timestep))
        delay = robot.delay_ticks if config.command_delay is None else config.command_delay
        self._delay_steps = round(delay * robot.tick / config.timestep)
        self._max_speed2 = config.max_speed**2
        self._last_duration, self._last_steps = math.nan, 0
        self._qvel, self._warnings = self.data.qvel, self.data.warning.number
        self._good: Vector = np.zeros(self.model.nq + self.model.nv)
        self.reset(0)

    @property
    def robot(self) -> Robot:
        """The robot that is moved."""
        return self._robot

    @property
    def config(self) -> WorldConfig:
        """The world's configuration."""
        return self._config

    @property
    def time(self) -> float:
        """Time since the start of the run [s]."""
        return self._step * self._timestep

    @property
    def truth_layout(self) -> Layout:
        """Layout of what `truth` gives."""
        return self._truth.layout

    def reset(self, seed: int) -> None:
        """Put the robot at its start; ``seed`` decides friction, servo strengths, posture and sensor noise.

        Raises:
            BackendError: The start is impossible.
        """
        # One stream per purpose: switching one source of randomness on leaves the others as they were.
        floor, motors, posture, noise = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(4))
        model, data, config = self.model, self.data, self._config
        mujoco.mj_resetData(model, data)
        self._step, self._failed = 0, ""
        model.geom_friction[self._index.floor, 0] = floor.uniform(*bounds(config.friction))
        low, high = bounds(config.servo_strength)
        self.servos.set_strength(motors.uniform(low, high, model.nu))
        angles = start_angles(self._robot, config.start, posture)
        place(self._robot, config, model, data, self._index, angles)
        if config.ball is not None:
            place_ball(model, data, config.ball, seed)
        self.servos.reset(self._hold(angles).vector)
        self.servos.aim(0.0)
        self._pushes.reset()
        self._truth.reset()
        mujoco.mj_forward(model, data)
        self._keep_state()
        self.sensing.reset(noise)
        self._measured: Vector | None = None
        if self.sensing.delayed:
            self.sensing.hold(0, self.sensing.measure(0.0))

    def read(self) -> Sensors:
        """The sensors now, or as old as the sensor latency says; a new record at every call."""
        if self.sensing.delayed:
            return Sensors(self._sensors_layout, self.sensing.arrived(self._step).copy())
        if self._measured is None:
            self._measured = self.sensing.measure(self._step * self._timestep)
        return Sensors(self._sensors_layout, self._measured.copy())

    def write(self, command: Command) -> None:
        """Hand over a command; it takes effect after the command delay and holds until the next one.

        Raises:
            BackendError: The command is for another robot or not finite.
        """
        vector = command.vector
        if command.layout is not self._command_layout and command.layout != self._command_layout:
            raise BackendError(
                "the command is for other joints", value=command.layout.fields[0].labels, legal=self._robot.joint_names
            )
        if not math.isfinite(vector.dot(vector)):
            column = int(np.argmin(np.isfinite(vector)))
            raise BackendError(
                "a command must be finite",
                place=f"{self._command_layout.columns[column]} at {self.time:.3f} s",
                value=float(vector[column]),
            )
        self.servos.push(self._step + self._delay_steps, vector)

    def advance(self, duration: float) -> None:
        """Let ``duration`` seconds pass.

        Raises:
            BackendError: The duration is not a whole number of physics steps.
            DivergenceError: The physics became unstable; the last good state stays.
        """
        if duration != self._last_duration:
            self._last_steps = self._whole_steps(duration)
            self._last_duration = duration
        if self._failed:
            raise DivergenceError(self._failed, remedy="reset the world first")
        end = self._step + self._last_steps
        self._measured = None
        while self._step < end:
            step = self._step
            self.servos.take_due(step)
            until = min(end, step + self._tick_steps, self._pushes.update(step), self.servos.next_due)
            count = until - step
            self.servos.aim(count * self._timestep)
            self._run(count)
            self._step = until
        if self.sensing.delayed:
            self.sensing.hold(self._step, self.sensing.measure(self._step * self._timestep))

    def truth(self) -> Record:
        """Ground truth for metrics and pictures only."""
        return self._truth.read(self._step * self._timestep)

    def close(self) -> None:
        """Nothing to let go of; memory goes with the object."""

    def _run(self, count: int) -> None:
        """Run ``count`` physics steps from half step to half step and check the outcome."""
        model, data = self.model, self.data
        try:
            if count > 2:
                # Sensors are read at the end only; the steps between do without.
                option = model.opt
                option.disableflags |= _SENSORS_OFF
                mujoco.mj_step2(model, data)
                mujoco.mj_step(model, data, count - 2)
                option.disableflags &= ~_SENSORS_OFF
                mujoco.mj_step(model, data)
            else:
                mujoco.mj_step2(model, data)
                if count == 2:
                    mujoco.mj_step(model, data)
            mujoco.mj_step1(model, data)
        except mujoco.FatalError as error:
            model.opt.disableflags &= ~_SENSORS_OFF
            self._diverged(str(error))
        speed2 = self._qvel.dot(self._qvel)
        # The comparison is false for NaN.
        if not speed2 < self._max_speed2 or self._warnings.any():
            self._diverged(", ".join(mujoco.mjtWarning(int(i)).name for i in np.flatnonzero(self._warnings)))
        self._truth.elapse(count * self._timestep)
        self._keep_state()

    def _keep_state(self) -> None:
        nq = self.model.nq
        self._good[:nq] = self.data.qpos
        self._good[nq:] = self._qvel

    def _diverged(self, reason: str) -> None:
        """Go back to the last good state and tell what moved too fast."""
        model, data = self.model, self.data
        velocity = np.nan_to_num(np.abs(self._qvel), nan=np.inf)
        worst = int(np.argmax(velocity))
        body = model.body(int(model.dof_bodyid[worst])).name
        speed = float(self._qvel[worst])
        data.qpos[:], data.qvel[:] = self._good[: model.nq], self._good[model.nq :]
        data.qacc_warmstart[:] = 0.0
        self._warnings[:] = 0
        mujoco.mj_forward(model, data)
        self._failed = f"the physics diverged after {self.time:.3f} s at body {body!r}"
        raise DivergenceError(
            self._failed + (f" ({reason})" if reason else ""),
            value=speed,
            limit=f"norm of all velocities {self._config.max_speed:g}",
            remedy="use a smaller timestep or lower gains",
        )

    def _hold(self, angles: Vector) -> Command:
        """The command that holds these joint angles with the start's stiffness."""
        command = self._robot.command()
        command.position[:] = angles
        command.kp[:] = self._robot.servo_kp * self._config.start.stiffness
        command.kd[:] = self._robot.servo_kd * self._config.start.stiffness
        return command

    def _whole_steps(self, duration: float) -> int:
        steps = duration / self._timestep
        whole = round(steps) if math.isfinite(steps) else 0
        if whole < 1 or abs(steps - whole) > 1e-6:
            raise BackendError(
                "time passes in whole physics steps",
                place="advance",
                value=duration,
                limit=f"a positive multiple of {self._timestep:g} s",
            )
        return whole


def _route_warnings() -> None:
    """Send MuJoCo's warnings to Python's logging; by default it prints them and writes a file where it runs."""
    if mujoco.get_mju_user_warning() is None:
        mujoco.set_mju_user_warning(_log.debug)
