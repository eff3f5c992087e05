"""ServoBank: turns commands into the settings of MuJoCo's motors, with delay, rate limit, torque limit and play.

Per motor: ``force = clip(kp (target - q) + kd (dq - qd) + tau, +-limit)``, computed by MuJoCo in every physics step
from an affine actuator, so that no Python runs inside a tick. Stiffness limits torque and never speed
(reference/nao-physics.md, 3.1): ``limit = min(max_torque, max_torque s + |tau|)`` with the stiffness s of the gains.

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

from andante.backends.model_builder import ModelIndex
from andante.robots.parts import Servo
from andante.robots.records import Vector
from andante.robots.robot import Robot

NEVER = 1 << 62
"""A step that is never reached."""
FRESH = 0.002
"""Longest time for which the targets of motors whose limit depends on speed move at once [s]."""
_UNLIMITED = 1e9


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
        self._constant: Vector = np.zeros(nu)
        self._damping: Vector = np.zeros(nu)
        self._speed = np.minimum([servo.max_velocity for servo in servos], _UNLIMITED)
        self._duration, self._reach = 0.0, 0.0 * self._speed
        self._qpos = index.qpos[leaders]
        self._data_qpos = data.qpos
        self._control, self._length = data.ctrl, data.actuator_length
        self._gain = model.actuator_gainprm[:, 0]
        self._bias = model.actuator_biasprm[:, 0:3]
        self._range = model.actuator_forcerange
        self._limit: Vector = np.zeros(nu)
        self._present: Vector = np.ones(nu)
        """The factor per motor on everything, faults included."""
        self._curve = _TorqueSpeed.of(servos, data.actuator_velocity)
        self._waiting: deque[tuple[int, Vector]] = deque()
        self._target: Vector = np.zeros(nu)
        self._wanted: Vector = np.zeros(nu)
        self._rows: Vector = np.zeros((4, nj))
        self._settings = b""
        self._off = np.ones(nu, dtype=np.bool_)
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
        target = self._target
        if duration != self._duration:
            self._duration, self._reach = duration, self._speed * duration
        wanted = self._wanted if self.offset is None else self._wanted - self.offset
        before = None if self._on_error is None or duration <= 0.0 else target.copy()
        target[:] = np.minimum(np.maximum(wanted, target - self._reach), target + self._reach)
        if before is not None:
            self._bias[:, 0] = self._constant + self._damping * (target - before) / duration
        if self._reading is not None:
            offset, position, velocity, rng = self._reading
            before = self._constant if before is None else self._bias[:, 0]
            angle = offset + position * rng.standard_normal(len(offset))
            speed = velocity * rng.standard_normal(len(offset))
            self._bias[:, 0] = before - self._gain * angle + self._bias[:, 2] * speed
        self._control[:] = target
        if self._curve is not None:
            self._curve.bound(self._limit, self._range)

    @property
    def has_curve(self) -> bool:
        """Whether there are limits that depend on speed, so that `bound` is needed before every physics step."""
        return self._curve is not None

    def bound(self) -> None:
        """Let the torque limits follow the present speeds; `aim` does it, too."""
        if self._curve is not None:
            self._curve.bound(self._limit, self._range)

    def read_by(self, offset: Vector, position: float, velocity: float, rng: np.random.Generator) -> None:
        """Let the drives read angles that are ``offset`` (nu,) too large and noisy [rad], and noisy speeds [rad/s].

        Until the next `reset`; `aim` draws what is read until the next one.
        """
        self._reading = offset, position, velocity, rng

    @property
    def longest_aim(self) -> float:
        """Longest time that one `aim` may be for [s]; infinite where no limit depends on speed."""
        return FRESH if self._curve is not None else math.inf

    def mesh(self) -> None:
        """Let the motors take up their play at the links' present positions; needed before every physics step."""
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
        self._wanted = vector[:nj] if self._leaders is None else vector[self._leaders]
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
        self._limit = limit = np.minimum(np.minimum(stiffness, 1.0) * most + np.abs(tau), most) * strength
        if self._curve is None:
            self._range[:, 0], self._range[:, 1] = -limit, limit
        self._gain[:] = gain = kp * strength
        self._constant = (kd * velocity + tau) * strength
        self._bias[:, 0], self._bias[:, 1], self._bias[:, 2] = self._constant, -gain, kd * -strength
        if self._on_error is not None:
            self._damping = kd * strength * self._on_error


class _TorqueSpeed:
    """Torque limits that fall with the motors' speeds; motors without such a limit keep theirs."""

    def __init__(self, corner: Vector, no_load: Vector, velocity: Vector) -> None:
        self._no_load, self._velocity = np.stack([no_load, -no_load]), velocity
        # Driving backward counts from the other end, so that both rows are cut between 0 and 1 alike.
        self._per_speed = np.stack([1.0 / (no_load - corner), -1.0 / (no_load - corner)])
        self._share, self._zero, self._one = np.empty_like(self._no_load), np.zeros(1), np.ones(1)

    @staticmethod
    def of(servos: list[Servo], velocity: Vector) -> _TorqueSpeed | None:
        """The limits of these servos, whose motors turn with ``velocity`` (nu,), a view of the physics [rad/s]; None
        where no servo has such a limit."""
        curves = [servo.torque_speed for servo in servos]
        if not any(curves):
            return None
        corner, no_load = np.array([curve or (0.0, math.inf) for curve in curves]).T
        # Without a limit the share is (huge - v) / 1, which is cut to 1.
        endless = np.isinf(no_load)
        no_load[endless], corner[endless] = 1e12, 1e12 - 1.0
        return _TorqueSpeed(corner, no_load, velocity)

    def bound(self, limit: Vector, bounds: Vector) -> None:
        """Write the least and largest torques (nu, 2) at the present speeds for torque limits (nu,) [N m]."""
        share = self._share
        np.subtract(self._no_load, self._velocity, out=share)
        np.multiply(share, self._per_speed, out=share)
        np.maximum(share, self._zero, out=share)
        np.minimum(share, self._one, out=share)
        np.multiply(share, limit, out=share)
        bounds[:, 1] = share[0]
        np.negative(share[1], out=bounds[:, 0])


def _inverse(values: list[float]) -> Vector:
    # A gain that the servo does not have counts as full stiffness as soon as it is asked for.
    return np.array([1.0 / value if value > 0.0 else 1e12 for value in values])
