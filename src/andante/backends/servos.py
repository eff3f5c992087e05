"""ServoBank: turns commands into the settings of MuJoCo's motors, with delay, rate limit and torque limit.

Per motor: ``force = clip(kp (target - q) + kd (dq - qd) + tau, +-limit)``, computed by MuJoCo in every physics step
from an affine actuator, so that no Python runs inside a tick. Stiffness limits torque and never speed
(reference/nao-physics.md, 3.1): ``limit = min(max_torque, max_torque s + |tau|)`` with the stiffness s of the gains.
"""

from __future__ import annotations

from collections import deque

import mujoco
import numpy as np

from andante.backends.model_builder import ModelIndex
from andante.robots.records import Vector
from andante.robots.robot import Robot

NEVER = 1 << 62
"""A step that is never reached."""
_UNLIMITED = 1e9


class ServoBank:
    """All servos of one robot: commands in, motor settings out.

    ``strength``, (nu,), is the factor per motor on everything its servo can do; `set_strength` is the seam for faults.
    """

    def __init__(self, robot: Robot, model: mujoco.MjModel, data: mujoco.MjData, index: ModelIndex) -> None:
        leaders = index.leader_of_motor
        nj, nu = len(robot.joints), len(leaders)
        self.strength: Vector = np.ones(nu)
        self._leaders = None if nu == nj else leaders
        self._nj = nj
        servos = [robot.servos[i] for i in leaders]
        self._per_kp = _inverse([servo.kp for servo in servos])
        self._per_kd = _inverse([servo.kd for servo in servos])
        self._max_torque = np.array([servo.max_torque for servo in servos])
        # A servo whose stiffness does not limit its torque counts as stiff from the start.
        self._least = np.array([0.0 if servo.stiffness_limits_torque else 1.0 for servo in servos])
        self._speed = np.minimum([servo.max_velocity for servo in servos], _UNLIMITED)
        self._qpos = index.qpos[leaders]
        self._data_qpos = data.qpos
        self._control = data.ctrl
        self._gain = model.actuator_gainprm[:, 0]
        self._bias = model.actuator_biasprm[:, 0:3]
        self._range = model.actuator_forcerange
        self._waiting: deque[tuple[int, Vector]] = deque()
        self._target: Vector = np.zeros(nu)
        self._wanted: Vector = np.zeros(nu)
        self._rows: Vector = np.zeros((4, nj))
        self._settings = b""
        self._off = np.ones(nu, dtype=np.bool_)
        self._any_off = True

    def reset(self, hold: Vector) -> None:
        """Forget all commands; hold this command vector from now on, rate limited from where the joints are."""
        self._waiting.clear()
        self._settings = b""
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
            self._take(newest)

    def aim(self, duration: float) -> None:
        """Move the motors' targets by as much as ``duration`` seconds allow, before these seconds are simulated."""
        target, reach = self._target, self._speed * duration
        np.minimum(np.maximum(self._wanted, target - reach), target + reach, out=target)
        self._control[:] = target

    def set_strength(self, strength: Vector) -> None:
        """Set the factor per motor, (nu,), on everything its servo can do, from the next physics step on."""
        self.strength[:] = strength
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
        self._off = kp == 0.0
        self._any_off = bool(self._off.any())
        strength, most = self.strength, self._max_torque
        stiffness = np.maximum(kp * self._per_kp, kd * self._per_kd)
        np.maximum(stiffness, self._least, out=stiffness)
        limit = np.minimum(stiffness, 1.0) * most + np.abs(tau)
        limit = np.minimum(limit, most) * strength
        self._range[:, 1] = limit
        self._range[:, 0] = -limit
        gain = kp * strength
        self._gain[:] = gain
        bias = self._bias
        bias[:, 0] = (kd * velocity + tau) * strength
        bias[:, 1] = -gain
        bias[:, 2] = kd * -strength


def _inverse(values: list[float]) -> Vector:
    # A gain that the servo does not have counts as full stiffness as soon as it is asked for.
    return np.array([1.0 / value if value > 0.0 else 1e12 for value in values])
