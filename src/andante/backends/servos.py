"""ServoBank: turns commands into the settings of MuJoCo's motors, with delay, rate limit, torque limit and play.

Per motor: ``force = clip(kp (target - q) + kd (dq - qd) + tau, +-limit)``, computed by MuJoCo in every physics step
from an affine actuator, so that no Python runs inside a tick. Stiffness limits torque and never speed
(docs/sources/nao-physics.md, 3.1): ``limit = min(max_torque, max_torque s + |tau|)`` with the stiffness s of the gains.

Play between motor and link (backlash) of half width b is a dead band in the spring: a motor without mass sits at
``m = clip(target, q - b, q + b)``, the spring pulls with ``kp (target - m)``, and the encoder reads m. A motor that is
off is carried along by its link, up to b behind it. The velocity term is the link's, with or without play.

A motor with a torque-speed limit drives with ``limit clip((no_load - |v|) / (no_load - corner), 0, 1)`` at most and
brakes with the full limit. The bounds follow the joint's speed in every physics step (`ServoBank.bound`): an impact
changes it by more than the limit forgives within one.

A drive may read its encoder with noise (`ServoBank.read_by`): then ``kp n + kd m`` is missing from its torque, n and m
being what it reads too much.

A servo that differentiates its position error (a PID firmware) knows how fast its own target moves: that speed is added
to dq, so that damping does not make it lag behind a moving command.
"""

from __future__ import annotations

import math
from collections import deque

import mujoco
import numpy as np

from andante.backends.config_parts import bounds
from andante.backends.model_builder import ModelIndex
from andante.backends.servo_kernels import (
    CONSTANT,
    DAMPING,
    LIMIT,
    NO_LOAD,
    PER_SPEED,
    SPEED,
    TARGET,
    WANTED,
    aim_servos,
    bound_torques,
)
from andante.backends.world import WorldConfig
from andante.robots.parts import Servo
from andante.robots.records import Vector
from andante.robots.robot import Robot

NEVER = 1 << 62
"""A step that is never reached."""
FRESH = 0.002
"""Longest time for which the targets of motors whose limit depends on speed move at once [s]."""
_UNLIMITED = 1e9


def steps_in(time: float, timestep: float) -> int:
    """Physics steps in a time [s], rounded; `NEVER` at most."""
    return round(min(time / timestep, float(NEVER)))


def delay_steps(robot: Robot, config: WorldConfig, rng: np.random.Generator) -> int:
    """Physics steps from a command to its effect, drawn from the world's range or the robot's."""
    low, high = bounds(robot.delay_ticks if config.command_delay is None else config.command_delay)
    return round(int(rng.integers(int(low), int(high) + 1)) * robot.tick / config.timestep)


class ServoBank:
    """All servos of one robot: commands in, motor settings out.

    ``strength``, (nu,), is the factor per motor on everything its servo can do. Faults have their own factor beside it
    (`weaken`), so that they leave the strength alone; ``offset`` and `set_lag` are for faults, too.
    """

    def __init__(self, robot: Robot, model: mujoco.MjModel, data: mujoco.MjData, index: ModelIndex) -> None:
        leaders = index.leader_of_motor
        nj, nu = len(robot.joints), len(leaders)
        self.strength: Vector = np.ones(nu)
        self._left: Vector = np.ones(nu)
        self.offset: Vector | None = None
        """How much too far each motor's encoder reads, (nu,) [rad]; None: nothing."""
        self.gap: Vector = np.zeros(nu)
        """How far each motor is ahead of its link, (nu,) [rad]; 0 without play."""
        self.has_play = False
        """Whether there is play, so that `mesh` is needed before every physics step."""
        self.play: Vector = np.zeros(nu)
        """Half width of the play per motor, (nu,) [rad]; see `set_play`."""
        self._leaders = None if nu == nj else leaders
        self._nj = nj
        servos = [robot.servos[i] for i in leaders]
        self._per_kp = _inverse([servo.kp for servo in servos])
        self._per_kd = _inverse([servo.kd for servo in servos])
        self._max_torque = np.array([servo.max_torque for servo in servos])
        # A servo whose stiffness does not limit its torque counts as stiff from the start.
        self._least = np.array([0.0 if servo.stiffness_limits_torque else 1.0 for servo in servos])
        on_error = np.array([servo.derivative_of_error for servo in servos])
        self._on_error = on_error.astype(np.float64) if on_error.any() else None
        self._state: Vector = np.zeros((8, nu))
        self._target, self._wanted = self._state[TARGET], self._state[WANTED]
        self._constant, self._limit = self._state[CONSTANT], self._state[LIMIT]
        self._state[SPEED] = np.minimum([servo.max_velocity for servo in servos], _UNLIMITED)
        self._qpos = index.qpos[leaders]
        self._data_qpos = data.qpos
        self._control, self._length = data.ctrl, data.actuator_length
        self._gain = model.actuator_gainprm[:, 0]
        self._bias = model.actuator_biasprm
        self._range, self._velocity = model.actuator_forcerange, data.actuator_velocity
        self._off = np.ones(nu, dtype=np.bool_)
        self.driven = (self._state, self._control, self._bias, self._velocity, self._range)
        """What `aim_servos` and `next_part` need to move the targets."""
        self.meshed = (self._length, self.gap, self.play, self._off)
        """What `next_part_with_play` and `mesh_and_bound` need beside it to take up play."""
        self.on_error = self._on_error is not None
        """Whether some servos know how fast their target moves."""
        self._present: Vector = np.ones(nu)
        """The factor per motor on everything, faults included."""
        curves = _curves(servos)
        self.has_curve = curves is not None
        """Whether there are limits that depend on speed, so that `bound` is needed before every physics step."""
        self._curves = curves
        if curves is not None:
            self._state[NO_LOAD], self._state[PER_SPEED] = curves
        self._waiting: deque[tuple[int, Vector]] = deque()
        self._asked: Vector = np.zeros(nu)
        self._rows: Vector = np.zeros((4, nj))
        self._settings = b""
        self._any_off = True
        self._reading: tuple[Vector, float, float, np.random.Generator] | None = None
        self._lag: list[int] | None = None
        self._used = [0] * nu
        self._serial = 0
        self._history: deque[Vector] = deque(maxlen=1)

    def reset(self, hold: Vector) -> None:
        """Forget all commands; hold this command vector from now on, rate limited from where the joints are."""
        self._waiting.clear()
        self._history.clear()
        self._settings = b""
        self._serial, self._lag, self.offset = 0, None, None
        self._reading = None
        self._history.append(hold)
        self._target[:] = self._data_qpos[self._qpos]
        self._take(hold)

    def push(self, due: int, vector: Vector) -> None:
        """Queue a command vector that takes effect at physics step ``due``; dues must not decrease."""
        self._waiting.append((due, vector))

    @property
    def next_due(self) -> int:
        """Physics step at which the next queued command takes effect (`NEVER` where none waits)."""
        return self._waiting[0][0] if self._waiting else NEVER

    def take_due(self, step: int) -> None:
        """Make the newest command that is due at physics step ``step`` the one that holds."""
        waiting, newest = self._waiting, None
        while waiting and waiting[0][0] <= step:
            newest = waiting.popleft()[1]
        if newest is not None:
            if self._any_off:
                # A joint without position gain moves freely; its servo starts where it is once it is on again.
                np.copyto(self._target, self._data_qpos[self._qpos], where=self._off)
            self._serial += 1
            self._history.append(newest)
            self._take(newest if self._lag is None else self._late(newest, self._lag))

    def aim(self, duration: float) -> None:
        """Move the motors' targets by as much as ``duration`` seconds allow, before these seconds are simulated."""
        self.want()
        on_error = self.on_error
        aim_servos.now(*self.driven, duration, on_error, self.has_curve)
        if self._reading is not None:
            offset, position, velocity, rng = self._reading
            before = self._bias[:, 0] if on_error and duration > 0.0 else self._constant
            angle = offset + position * rng.standard_normal(len(offset))
            speed = velocity * rng.standard_normal(len(offset))
            self._bias[:, 0] = before - self._gain * angle + self._bias[:, 2] * speed

    def want(self) -> None:
        """Let `next_part` move the targets to where they shall go by the present command and faults."""
        self._wanted[:] = self._asked if self.offset is None else self._asked - self.offset

    @property
    def reads_noise(self) -> bool:
        """Whether drives read angles with noise, which `aim` draws."""
        return self._reading is not None

    def bound(self) -> None:
        """Let the torque limits follow the present speeds; `aim` does it, too."""
        if self.has_curve:
            bound_torques.now(self._state, self._velocity, self._range)

    def read_by(self, offset: Vector, position: float, velocity: float, rng: np.random.Generator) -> None:
        """Let the drives read angles that are ``offset`` (nu,) too large and noisy [rad], and noisy speeds [rad/s].

        Until the next `reset`; `aim` draws what is read until the next one.
        """
        self._reading = offset, position, velocity, rng

    @property
    def longest_aim(self) -> float:
        """Longest time that one `aim` may be for [s]; infinite where no limit depends on speed."""
        return FRESH if self.has_curve else math.inf

    def mesh(self) -> None:
        """Let the motors take up their play, if any, where the links are; needed before every physics step."""
        if not self.has_play:
            return
        target, gap, play = self._target, self.gap, self.play
        gap[:] = np.minimum(np.maximum(target - self._length, -play), play)
        if self._any_off:
            np.copyto(target, self._length + gap, where=self._off)
        self._control[:] = target - gap

    def set_play(self, play: Vector) -> None:
        """Set the half width of the play per motor, (nu,) [rad]."""
        self.play[:] = play
        self.has_play = bool(play.any())
        self.gap[:] = 0.0

    def remember(self, ticks: int) -> None:
        """Keep as many commands as a lag of ``ticks`` needs."""
        self._history = deque(self._history, maxlen=ticks + 1)

    def set_lag(self, lag: list[int] | None) -> None:
        """Let motors act on commands that many commands late, (nu,) whole numbers; None: no motor.

        A motor whose lag grows holds its command until the lag has built up; one whose lag ends jumps to the newest.
        """
        before, self._lag = self._lag, lag
        if before is None:
            self._used = [self._serial] * len(self._used)
        elif lag is None:
            self._take(self._history[-1])

    def _late(self, newest: Vector, lag: list[int]) -> Vector:
        """The newest command with the parts of motors that lag taken from older ones."""
        nj, late = self._nj, newest
        leaders = range(nj) if self._leaders is None else self._leaders
        for motor, leader in enumerate(leaders):
            used = self._used[motor] = max(self._used[motor], self._serial - lag[motor])
            if used < self._serial:
                late = newest.copy() if late is newest else late
                old = self._history[used - self._serial - 1]
                late.reshape(5, nj)[:, leader] = old.reshape(5, nj)[:, leader]
        return late

    def set_strength(self, strength: Vector) -> None:
        """Set the factor per motor, (nu,), on everything its servo can do, from the next physics step on."""
        self.strength[:] = strength
        self._count_strength()

    def set_speeds(self, factors: Vector) -> None:
        """Set the factor per motor, (nu,), on the speeds of its torque-speed limit, from the next physics step on."""
        if self._curves is not None:
            no_load, per_speed = self._curves
            self._state[NO_LOAD], self._state[PER_SPEED] = no_load * factors, per_speed / factors

    def weaken(self, left: Vector) -> None:
        """Set the share per motor, (nu,), that faults leave of its strength, from the next physics step on."""
        self._left[:] = left
        self._count_strength()

    def _count_strength(self) -> None:
        """Take over what each motor can do now."""
        self._present = self.strength * self._left
        self._set_gains(self._rows)

    def _take(self, vector: Vector) -> None:
        nj = self._nj
        self._asked = vector[:nj] if self._leaders is None else vector[self._leaders]
        # Position servos rarely change more than the position, and comparing bytes costs a tenth of setting gains.
        settings = vector[nj:].tobytes()
        if settings != self._settings:
            self._settings = settings
            self._rows = vector[nj:].reshape(4, nj)
            self._set_gains(self._rows)

    def _set_gains(self, rows: Vector) -> None:
        """Write velocity, kp, kd and torque, (4, nj), into the model's actuators."""
        velocity, kp, kd, tau = rows if self._leaders is None else rows[:, self._leaders]
        np.equal(kp, 0.0, out=self._off)
        # Searching the bytes for a True is several times faster than ndarray.any on arrays of this size.
        self._any_off = b"\1" in self._off.tobytes()
        strength, most = self._present, self._max_torque
        stiffness = np.maximum(np.maximum(kp * self._per_kp, kd * self._per_kd), self._least)
        self._limit[:] = limit = np.minimum(np.minimum(stiffness, 1.0) * most + np.abs(tau), most) * strength
        if not self.has_curve:
            self._range[:, 0], self._range[:, 1] = -limit, limit
        self._gain[:] = gain = kp * strength
        self._constant[:] = (kd * velocity + tau) * strength
        self._bias[:, 0], self._bias[:, 1], self._bias[:, 2] = self._constant, -gain, kd * -strength
        if self._on_error is not None:
            self._state[DAMPING] = kd * strength * self._on_error


def _curves(servos: list[Servo]) -> tuple[Vector, Vector] | None:
    """No-load speed [rad/s] and one over its distance from the corner speed [s/rad] of each motor, (nu,); None where
    no limit depends on speed."""
    curves = [servo.torque_speed for servo in servos]
    if not any(curves):
        return None
    corner, no_load = np.array([curve or (0.0, math.inf) for curve in curves]).T
    # Without a limit the share is (huge - v) / 1, which is cut to 1.
    endless = np.isinf(no_load)
    no_load[endless], corner[endless] = 1e12, 1e12 - 1.0
    return no_load, 1.0 / (no_load - corner)


def _inverse(values: list[float]) -> Vector:
    # A gain that the servo does not have counts as full stiffness as soon as it is asked for.
    return np.array([1.0 / value if value > 0.0 else 1e12 for value in values])
