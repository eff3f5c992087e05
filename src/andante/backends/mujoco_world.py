"""MujocoWorld: a simulated robot as Backend.

Physics runs in whole ticks inside MuJoCo. Between two calls of `MujocoWorld.advance` the current step stands half
done (`mj_step1`): positions, velocities, sites and IMU are those of the present state, and the second half
(`mj_step2`) waits for the next command. So nothing that is read is one physics step old, at no extra cost; forces and
accelerations are those of the step that led here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import mujoco
import numpy as np

from andante.backends.backend import BackendError, DivergenceError, check_joints, whole_steps
from andante.backends.bodies import BodyVariation
from andante.backends.coming_to_rest import ComingToRest
from andante.backends.config_parts import bounds
from andante.backends.fault import Fault
from andante.backends.fault_bank import FaultBank
from andante.backends.floor import FloorVariation
from andante.backends.impacts import ImpactMeter
from andante.backends.model_builder import ModelIndex, build_model, held
from andante.backends.physics_timers import TIMERS
from andante.backends.pushes import PushSchedule
from andante.backends.sensing import SensorSuite
from andante.backends.servo_kernels import bound_torques, count_part, mesh_and_bound, next_part, next_part_with_play
from andante.backends.servos import NEVER, ServoBank, delay_steps
from andante.backends.shapes import ShapeVariation
from andante.backends.streams import Streams
from andante.backends.truth import TruthView
from andante.backends.world import WorldConfig
from andante.control.controller import ControlEvent
from andante.kernels.held import HeldArrays
from andante.robots.model_text import route_warnings
from andante.robots.records import Command, Layout, Record, Sensors, Vector
from andante.robots.robot import Robot

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

    knows_forces: bool = True
    """Whether torques and contacts are known; where they are not, what is made of them is None."""

    def __init__(self, robot: Robot, config: WorldConfig, model: mujoco.MjModel | None = None) -> None:
        route_warnings()
        self.robot, self.config = robot, config
        """The robot that is moved, and the world's configuration."""
        self.held = held(robot, config)
        """Whether the robot is held by its base: its IMU need not move."""
        self.model = build_model(robot, config) if model is None else model
        self.data = mujoco.MjData(self.model)
        self._index = ModelIndex.of(robot, self.model)
        roots = self.model.body_rootid[self.model.geom_bodyid]
        self._own_shapes = roots == self.model.body_rootid[self._index.base]
        self.servos = ServoBank(robot, self.model, self.data, self._index)
        self.sensing = SensorSuite(robot, config, self.model, self.data, self._index)
        self._floor = FloorVariation(robot, config, self.model)
        self._shapes = ShapeVariation(robot, config, self.model)
        self._bodies = BodyVariation(config, self.model, self.data, self._index)
        self._pushes = PushSchedule(robot, config, self.model, self.data)
        self._pushed, self._metered = bool(config.pushes), config.impacts
        self._faults = FaultBank(robot, config, self.model, self.data, self._index, self.servos, self.sensing)
        highest = 0.0 if config.terrain is None else max(config.terrain.load().facts().highest, 0.0)
        self.impacts = ImpactMeter(robot, self.model, self.data, highest)
        """How hard trunk and head hit the ground in the last `advance`, where the configuration asks for it."""
        self._truth = TruthView(robot, self.model, self.data, self._index, self._floor, self.impacts)
        self._sensors_layout, self._command_layout = robot.sensors_layout, robot.command_layout
        self._timestep, self._late = config.timestep, self.sensing.lateness
        self._jitter = round(config.command_jitter / config.timestep)
        tick_steps = max(1, round(robot.tick / config.timestep))
        self._most_steps = max(1, int(min(tick_steps, self.servos.longest_aim / config.timestep + 1e-6)))
        if config.drive_noise:
            self._most_steps = 1
        parts = robot, config, self.model, self.data, self._index, self._floor, self.servos
        self._resting = ComingToRest(*parts, self._most_steps, tick_steps)
        self._max_speed2 = config.max_speed * config.max_speed
        self._last_duration, self._last_steps = math.nan, 0
        self.on_solved: Callable[[], None] | None = None
        """Called while contacts and their forces belong together: when the last physics step of each part of a tick has
        been solved, before the contacts of the next are found, whose forces nobody knows. `reset` takes it away."""
        self._qpos, self._qvel, self._warnings = self.data.qpos, self.data.qvel, self.data.warning.number
        # Counts lie between what was warned of; as one row of numbers kernels need not be told of strides.
        warned = np.lib.stride_tricks.as_strided(self._warnings, (2 * len(self._warnings) - 1,), (4,))
        force = self.data.actuator_force
        self._good: Vector = np.zeros(self.model.nq + self.model.nv)
        meters = self._truth.meters
        driven = (*self.servos.driven, self._qpos, self._qvel, force, self._good, meters, warned)
        self._driven = HeldArrays(*driven)
        self._driven_with_play = HeldArrays(*driven, *self.servos.meshed)
        motors, control, _, velocity, limits = self.servos.driven
        self._between = (motors, control, velocity, limits, *self.servos.meshed)
        self._bounded = (motors, velocity, limits)
        self._counted = (self._qpos, self._qvel, force, velocity, self._good, meters, warned)
        self._option = self.model.opt
        self.reset(0)

    @property
    def time(self) -> float:
        """Time since the start of the run [s]."""
        return self._step * self._timestep

    @property
    def truth_layout(self) -> Layout:
        """Layout of what `truth` gives."""
        return self._truth.layout

    def reset(self, seed: int) -> None:
        """Put the robot at its start; ``seed`` decides everything that the configuration leaves open.

        Raises:
            BackendError: The start is impossible.
            DivergenceError: The physics became unstable while the robot came to rest.
        """
        random = Streams.of(seed)
        model, data, config = self.model, self.data, self.config
        mujoco.mj_resetData(model, data)
        self._step, self._failed, self.on_solved = 0, "", None
        self._floor.draw(random.friction, random.ground)
        self._shapes.draw(random.shapes)
        self._bodies.draw(random.bodies)
        nu = model.nu
        self.servos.set_strength(random.strength.uniform(*bounds(config.servo_strength), nu))
        self.servos.set_speeds(random.speeds.uniform(*bounds(config.torque_speed), nu))
        self.servos.set_play(random.play.uniform(*bounds(config.backlash), nu))
        self.sensing.gap = self.servos.gap if self.servos.has_play else None
        self._delay_steps = delay_steps(self.robot, config, random.delay)
        self._faults.reset(random.faults)
        self._pushes.reset()
        self._pushed = bool(config.pushes)
        # Nobody asks how hard it was dropped.
        self._metered = False
        self._resting.begin(random.posture, random.drop, seed, self._come_to_rest)
        # What diverged in a drop is forgotten with it.
        self._failed, self._metered = "", config.impacts
        self._truth.reset()
        self.impacts.begin()
        self._keep_state()
        self.sensing.reset(random)
        self._timing, self._last_due = random.timing, 0
        if config.drive_noise:
            offset, noise = self.sensing.joint_offset[self._index.leader_of_motor], config.noise
            self.servos.read_by(offset, noise.position, noise.velocity, random.drives)
        self._driving = self._drives_on()
        self._faults.update(0)
        self._measured: Vector | None = None
        if self._late.delayed:
            self._late.hold(0, self.sensing.measure(0.0))
            self._late.arrive(0)

    def read(self) -> Sensors:
        """The sensors now, or as old as the sensor latency says; a new record at every call."""
        if self._late.delayed:
            return Sensors(self._sensors_layout, self._late.read())
        if self._measured is None:
            self._measured = self.sensing.measure(self._step * self._timestep)
        return Sensors(self._sensors_layout, self._measured.copy())

    def write(self, command: Command) -> None:
        """Hand over a command; it takes effect after the command delay and holds until the next one.

        Raises:
            BackendError: The command is for another robot or not finite.
        """
        vector = command.vector
        check_joints(command, self._command_layout)
        if not math.isfinite(vector.dot(vector)):
            column = int(np.argmin(np.isfinite(vector)))
            raise BackendError(
                "a command must be finite",
                place=f"{self._command_layout.columns[column]} at {self.time:.3f} s",
                value=float(vector[column]),
            )
        due = self._step + self._delay_steps
        if self._jitter:
            due = self._last_due = max(due + int(self._timing.integers(self._jitter + 1)), self._last_due)
        self.servos.push(due, vector)

    def advance(self, duration: float) -> None:
        """Let ``duration`` seconds pass.

        Raises:
            BackendError: The duration is not a whole number of physics steps.
            DivergenceError: The physics became unstable; the last good state stays.
        """
        if duration != self._last_duration:
            self._last_steps = whole_steps(duration, self._timestep)
            self._last_duration = duration
        if self._failed:
            raise DivergenceError(self._failed, remedy="reset the world first")
        end = self._step + self._last_steps
        self._measured = None
        if self._metered:
            self.impacts.begin()
        late, servos, faults = self._late, self.servos, self._faults
        due = late.due(self._step + 1, end, self._last_steps) if late.delayed else NEVER
        while self._step < end:
            step = self._step
            servos.take_due(step)
            change = faults.next if step < faults.next else faults.update(step)
            if self._pushed:
                change = min(change, self._pushes.update(step))
            if step == due:
                late.hold(step, self.sensing.measure(step * self._timestep))
                due = late.due(step + 1, end, self._last_steps)
            until = min(end, change, servos.next_due, due)
            if self._driving:
                self._drive(until - step, self._most_steps)
                continue
            until = min(until, step + self._most_steps)
            count = until - step
            servos.aim(count * self._timestep)
            self._run(count)
            self._step = until
        # What is measured now is falsified by the faults of now.
        if end >= faults.next:
            faults.update(end)
        if late.delayed:
            if late.at_end(self._last_steps):
                late.hold(end, self.sensing.measure(end * self._timestep))
            late.arrive(end)

    def truth(self) -> Record:
        """Ground truth for metrics and pictures only."""
        return self._truth.read(self._step * self._timestep)

    def trigger(self, fault: str) -> None:
        """Begin the faults of this name now.

        Raises:
            BackendError: No fault has this name.
        """
        self._faults.trigger(fault, self._step)
        self._update_faults()

    def mend(self, fault: str) -> None:
        """End the faults of this name now.

        Raises:
            BackendError: No fault has this name.
        """
        self._faults.mend(fault, self._step)
        self._update_faults()

    def add_fault(self, fault: Fault) -> None:
        """Add a fault until the next `reset`; one that says no begin begins now.

        Raises:
            UnknownJointError: It names a joint that the robot does not have.
        """
        self._faults.add(fault, self._step)
        self._update_faults()

    def push(self, body: str, force: Vector, point: Vector | None = None) -> None:
        """Push a body from now on until it is pushed otherwise, let go, or `reset`; see `Pushable`.

        Raises:
            BackendError: The robot has no such body, or the numbers are none.
        """
        if not (np.shape(force) == (3,) and np.isfinite(force).all()):
            raise BackendError("a push is three finite numbers", value=str(force))
        self._pushes.hold(body, np.array(force, dtype=float), None if point is None else np.array(point, dtype=float))
        self._pushed = True

    def let_go(self) -> None:
        """End what `push` began."""
        self._pushes.let_go()

    def notify(self, event: ControlEvent) -> None:
        """Take note of what the controller does; faults that wait for it begin now."""
        self._faults.notify(event, self._step)

    def take_events(self) -> list[ControlEvent]:
        """Begins and ends of faults since the last call."""
        events, self._faults.events = self._faults.events, []
        return events

    @property
    def self_contact_force(self) -> float:
        """Largest normal force between two of the robot's own shapes in the step that was solved last [N]."""
        data, largest = self.data, 0.0
        if not data.ncon:
            return largest
        own = self._own_shapes[data.contact.geom]
        force = np.zeros(6)
        for contact in np.flatnonzero(own[:, 0] & own[:, 1]).tolist():
            mujoco.mj_contactForce(self.model, data, contact, force)
            largest = max(largest, float(force[0]))
        return largest

    def contact_forces(self) -> Iterator[tuple[int, int, Vector]]:
        """Contacts of the step that was solved last: bodies by their numbers and the force on the second one,
        (3,), in the world [N]. To be read in `on_solved` alone: later, contacts are those of the next step."""
        model, data, force = self.model, self.data, np.zeros(6)
        contacts, part = data.contact, force[:3]
        bodies = model.geom_bodyid[contacts.geom].tolist()
        frames = contacts.frame.reshape(-1, 3, 3).transpose(0, 2, 1)
        for contact, (one, other) in enumerate(bodies):
            mujoco.mj_contactForce(model, data, contact, force)
            yield one, other, frames[contact] @ part

    def close(self) -> None:
        """Nothing to let go of; memory goes with the object."""

    def _drives_on(self) -> bool:
        """Whether limits follow speeds, and nothing is drawn between physics steps."""
        return self.servos.has_curve and not self.servos.reads_noise

    def _come_to_rest(self, count: int, most: int) -> None:
        """Run ``count`` physics steps before the run begins; targets move for at most ``most`` of them at once."""
        if self._drives_on():
            try:
                self._drive(count, most)
            finally:
                # No time of the run has passed, however a drop ends.
                self._step = 0
            return
        while count > 0:
            part = min(count, most)
            self.servos.aim(part * self._timestep)
            self._run(part)
            count -= part

    def _drive(self, count: int, part: int) -> None:
        """Run ``count`` physics steps whose torque limits depend on speed, and move the targets every ``part`` steps.

        Play is taken up before and after each of them.

        Sensors are read at the end only; the steps between do without. Impacts are counted where trunk or head can
        reach the floor in this time.
        """
        model, data, timestep, servos, option = self.model, self.data, self._timestep, self.servos, self._option
        servos.want()
        play = servos.has_play
        finish, begin = mujoco.mj_step2, mujoco.mj_step1
        watched = self._metered and self.impacts.near(self._floor.normal, count * timestep)
        take, on_solved = self.impacts.take, self.on_solved
        driven = self._driven_with_play if play else self._driven
        kernel = (next_part_with_play if play else next_part).now
        go_on = partial(kernel, driven.table, servos.on_error, self._max_speed2)
        begun = step = self._step
        end, done = step + count, 0.0
        with_sensors = option.disableflags
        if count > 1:
            option.disableflags = with_sensors | _SENSORS_OFF
        TIMERS.off()
        try:
            if part == 1 and not watched and on_solved is None:
                # What light robots do most: nobody asks anything between the steps.
                last = end - 1
                for now in range(step, end):
                    if not go_on(done, timestep):
                        self._step = begun
                        self._diverged(self._warned())
                    begun, done = now, timestep
                    if now == last:
                        option.disableflags = with_sensors
                    finish(model, data)
                    begin(model, data)
                step = end
            between: Callable[..., None] = (mesh_and_bound if play else bound_torques).now
            inner: tuple[Any, ...] = self._between if play else self._bounded
            while step < end:
                left = part if step + part < end else end - step
                ahead = left * timestep
                if not go_on(done, ahead):
                    self._step = begun
                    self._diverged(self._warned())
                begun, done = step, ahead
                step += left
                while left > 1:
                    finish(model, data)
                    if watched:
                        take(timestep)
                    begin(model, data)
                    between(*inner)
                    left -= 1
                if step == end:
                    option.disableflags = with_sensors
                finish(model, data)
                if watched:
                    take(timestep)
                if on_solved is not None:
                    on_solved()
                begin(model, data)
            if not go_on(done, 0.0):
                self._step = begun
                self._diverged(self._warned())
            self._step = end
        except mujoco.FatalError as error:
            self._step = begun
            self._diverged(str(error))
        finally:
            option.disableflags = with_sensors
            TIMERS.on()

    def _warned(self) -> str:
        """What MuJoCo has warned of; empty: nothing."""
        return ", ".join(mujoco.mjtWarning(int(i)).name for i in np.flatnonzero(self._warnings))

    def _run(self, count: int) -> None:
        """Run ``count`` physics steps from half step to half step and check the outcome."""
        model, data = self.model, self.data
        duration = count * self._timestep
        watched = self._metered and self.impacts.near(self._floor.normal, duration)
        TIMERS.off()
        try:
            if watched or self.servos.has_play or (self.servos.has_curve and count > 1):
                self._run_singly(count, watched)
            else:
                if count > 2:
                    # Sensors are read at the end only; the steps between do without.
                    model.opt.disableflags |= _SENSORS_OFF
                mujoco.mj_step2(model, data)
                if count > 2:
                    mujoco.mj_step(model, data, count - 2)
                    model.opt.disableflags &= ~_SENSORS_OFF
                if count > 1:
                    mujoco.mj_step(model, data)
                if self.on_solved is not None:
                    self.on_solved()
                mujoco.mj_step1(model, data)
        except mujoco.FatalError as error:
            model.opt.disableflags &= ~_SENSORS_OFF
            self._diverged(str(error))
        finally:
            TIMERS.on()
        self._count_part(duration)

    def _count_part(self, duration: float) -> None:
        """Check the outcome of a part of a tick and count its energy."""
        if not count_part.now(*self._counted, duration, self._max_speed2):
            self._diverged(self._warned())

    def _run_singly(self, count: int, watched: bool) -> None:
        """The same step by step, with the servos' play and bounds and the meter of impacts in between."""
        model, data, servos = self.model, self.data, self.servos
        option, timestep, last = model.opt, self._timestep, count - 1
        option.disableflags |= _SENSORS_OFF
        for step in range(count):
            servos.mesh()
            if step:
                servos.bound()
            if step == last:
                option.disableflags &= ~_SENSORS_OFF
            mujoco.mj_step2(model, data)
            if watched:
                self.impacts.take(timestep)
            if step == last and self.on_solved is not None:
                self.on_solved()
            mujoco.mj_step1(model, data)
        servos.mesh()

    def _update_faults(self) -> None:
        """Let what is measured next know the faults of now."""
        self._faults.update(self._step)
        self._measured = None

    def _keep_state(self) -> None:
        np.concatenate((self._qpos, self._qvel), out=self._good)

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
            limit=f"norm of all velocities {self.config.max_speed:g}",
            remedy="use a smaller timestep or lower gains",
        )
