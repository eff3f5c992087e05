"""Guard: stands between every controller and every backend and lets only safe commands pass.

All motion limits are computed from the previous *command*, never from the measurement: a servo lags behind its command,
and a limit measured from the lagging joint would slow every motion down. Only a joint that was off is anchored at its
measured position, because its last command says nothing about where it is.

Speed and acceleration are counted by the sensors' time, not by ticks: ticks may come early, late, in a burst, or with a
clock that stands still or goes back. While no time passes no joint moves.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.control.controller import ControlError, ControlEvent
from andante.control.guard_kernels import (
    ACCELERATION_LIMIT,
    ALL_ON,
    BEHIND,
    BLIND,
    COUPLED,
    FINITE,
    FREE,
    GAIN_LIMIT,
    LIMP,
    LOWER,
    NOT_FINITE,
    ON,
    PASSED,
    POSITION,
    POSITION_LIMIT,
    RATE_LIMIT,
    ROWS,
    STALE,
    STOOD,
    TARGET,
    TORQUE,
    TORQUE_LIMIT,
    UNANCHORED,
    UNMEASURED,
    UPPER,
    VELOCITY_LIMIT,
    guard_tick,
)
from andante.control.guard_settings import GuardSettings
from andante.control.interventions import KINDS, Intervention, InterventionLog
from andante.kernels.held import HeldArrays
from andante.robots.records import Command, Sensors, Vector
from andante.robots.robot import Robot

_SPRING_CAP = 1e4
"""Gain cap of a joint whose servo publishes no gain [N m/rad] or [N m s/rad]: a number that only a mistake exceeds."""

_CLOCK_ROUNDING = 1e-7
"""Share of a period by which a tick may miss it and still count as exact: sums of rounded times do."""

_LONGEST = 1e3
"""Longest time between two ticks that is counted, long enough for any joint to come anywhere [s]."""

_FLOAT = np.dtype(np.float64)
_OF_MODE = {STALE: Intervention.STALE, LIMP: Intervention.LIMP, UNMEASURED: Intervention.UNMEASURED}
_ORDER = (
    *((COUPLED, -1), (BLIND, -1), (VELOCITY_LIMIT, 1), (GAIN_LIMIT, 2), (TORQUE_LIMIT, 3)),
    *((POSITION_LIMIT, 0), (RATE_LIMIT, 0), (ACCELERATION_LIMIT, 0)),
)
"""Kinds by rows of counts in the order in which limits hold, and the row of what was asked."""
_TOLD = (1 << len(KINDS)) - 1 | STOOD


class Guard:
    """Checks and, where needed, changes every command of a run.

    Args:
        robot: The robot and its limits. A leader and all joints that follow it get the narrowest of their limits.
        period: Time between two commands [s].
        settings: What is allowed.

    Raises:
        ControlError: ``period`` is not above 0, or a limit of the robot is not usable.
    """

    def __init__(self, robot: Robot, period: float, settings: GuardSettings | None = None) -> None:
        if not (math.isfinite(period) and period > 0.0):
            raise ControlError("the guard needs a period", place="guard.period", value=period, limit="> 0 s")
        self.robot = robot
        self.period = period
        self.settings = settings = settings or GuardSettings()
        self.log = InterventionLog(robot.joint_names)
        nj = self._nj = len(robot.joints)
        self._followers, self._leaders = robot.followers, robot.leaders[robot.followers]
        self._measured_by = np.array(robot.leaders, dtype=np.int64)
        self._limits: Vector = np.stack(
            [
                robot.shared(robot.lower, np.maximum),
                robot.shared(robot.upper, np.minimum),
                robot.shared(robot.max_velocity * settings.velocity_scale, np.minimum),
                robot.shared(robot.max_acceleration * settings.acceleration_scale, np.minimum),
                robot.shared(_cap(robot.servo_kp, settings.gain_scale), np.minimum),
                robot.shared(_cap(robot.servo_kd, settings.gain_scale), np.minimum),
                robot.shared(robot.max_effort, np.minimum),
            ]
        )
        self._lower, self._upper = self._limits[LOWER], self._limits[UPPER]
        for index, joint in enumerate(robot.joints):
            lower, upper, rate, acceleration = self._limits[:4, index].tolist()
            if not (lower <= upper and rate > 0.0 and acceleration > 0.0):
                raise ControlError(
                    "a joint's limits leave nothing to command",
                    place=f"robot {robot.name!r}, joint {joint.name!r}",
                    limit="lower <= upper, speed and acceleration limit > 0",
                )
        self._size, self._sensors_size = 5 * nj, robot.sensors_layout.size
        self._turn = robot.sensors_layout.slices["orientation"]
        # Where a tick says what was asked, and which joints were changed why.
        self._shown, self._hits = np.zeros((4, nj)), np.zeros((len(KINDS), nj), dtype=np.bool_)
        self._state: Vector = np.zeros((ROWS, nj))
        arrays = (self._limits, self._measured_by, self._state, self._shown, self._hits, self.log.counts)
        self._arrays = HeldArrays(*arrays)
        self._watches = settings.fall != "none"
        self._cos_fall, self._cos_rearm = math.cos(settings.fall_tilt), math.cos(settings.fall_rearm)
        self.reset()

    def reset(self) -> None:
        """Forget the previous command; the next one is anchored at the measured posture."""
        nj = self._nj
        self._state[:] = 0.0
        self._measured: Vector = np.clip(np.zeros(nj), self._lower, self._upper)
        self._state[POSITION] = self._state[TARGET] = self._measured
        self._state[FINITE] = 1.0
        self._all_on = False
        self._seen = np.zeros(nj, dtype=bool)
        self._before: Sensors | None = None
        self._known = False
        self._behind = False
        self._time = -math.inf
        self._elapsed = self._span = self.period
        self._stale = 0.0
        self._fall_until = -math.inf
        self._fall_armed = True
        self.log.reset()

    def take_events(self) -> list[ControlEvent]:
        """First interventions per kind and joint since the last call."""
        return self.log.take_events()

    def summary(self) -> list[ControlEvent]:
        """All interventions so far with their counts."""
        return self.log.summary(self._time if math.isfinite(self._time) else 0.0)

    def apply(self, command: Command, sensors: Sensors) -> Command:
        """The command that may be written in place of ``command``.

        ``command`` itself is returned where nothing needs changing.

        Raises:
            ControlError: The command or the sensors belong to another robot.
        """
        asked = command.vector
        if asked.size != self._size or sensors.vector.size != self._sensors_size:
            raise ControlError(
                f"command or sensors do not belong to robot {self.robot.name!r}",
                value=(asked.shape, sensors.vector.shape),
                limit=f"({self._size},) and ({self._sensors_size},)",
            )
        self._watch_time(sensors.vector.item(0))
        falling = self._watches and self._falling(sensors)
        vector = asked.copy() if asked.dtype is _FLOAT else asked.astype(np.float64)
        gain = self.settings.fall_gain if falling else 1.0
        known, regular, elapsed, period = self._known, self._regular, self._elapsed, self.period
        mode = FREE if known and self._stale == 0.0 else self._mode()
        may_pass = regular and known and not falling and not self._behind
        tick, table = guard_tick.now, self._arrays.table
        code = tick(table, period, vector, elapsed, self._span, regular, may_pass, known and self._all_on, mode, gain)
        if code == UNANCHORED:
            self._anchor(sensors)
            mode = self._mode()
            code = tick(table, period, vector, elapsed, self._span, regular, False, True, mode, gain)
        self._before = sensors
        if code == PASSED:
            return command
        if elapsed > 0.0:
            self._span, self._behind = elapsed, bool(code & BEHIND)
        self._all_on = bool(code & ALL_ON)
        if mode != FREE or falling or code & _TOLD:
            self._tell(code, mode, falling)
        return Command(command.layout, vector)

    def rest(self) -> Command:
        """The command to leave behind when nobody commands any more: the last posture, without speed and torque.

        Joints that are off stay off; before anything was let pass all are.
        """
        vector = self._state[: TORQUE + 1].flatten()
        vector[self._nj : 2 * self._nj] = 0.0
        vector[4 * self._nj :] = 0.0
        return self.robot.command(vector)

    def _mode(self) -> int:
        """How far commands are followed."""
        if not self._known:
            return UNMEASURED
        if self._stale >= self.settings.stale_limp:
            return LIMP
        return STALE if self._stale >= self.settings.stale_hold else FREE

    def _tell(self, code: int, mode: int, falling: bool) -> None:
        """Count what hit the whole robot, and what hit a joint for the first time, in the order in which it did."""
        log, time = self.log, max(self._time, 0.0)
        if code & 1 << NOT_FINITE:
            log.joints_hit(Intervention.NOT_FINITE, self._hits[NOT_FINITE], time)
        if mode != FREE:
            log.robot_hit(_OF_MODE[mode], time)
        for row, shown in _ORDER:
            if row == POSITION_LIMIT:
                if falling:
                    log.robot_hit(Intervention.FALL, time)
                if code & STOOD:
                    log.robot_hit(Intervention.STALE, time)
            if code & 1 << row:
                asked = None if shown < 0 else self._shown[shown]
                log.joints_hit(KINDS[row], self._hits[row], time, asked)

    def _watch_time(self, time: float) -> None:
        """How much time has passed since the last tick; exactly a period where it is one but for rounding."""
        passed, period = time - self._time, self.period
        if passed > 0.0 and math.isfinite(time):
            exact = abs(passed - period) <= _CLOCK_ROUNDING * period or passed == math.inf
            self._elapsed = period if exact else min(passed, _LONGEST)
            self._regular = exact and self._span == period
            self._time, self._stale = time, 0.0
            return
        self._elapsed, self._regular = 0.0, False
        self._stale += period
        if math.isfinite(time):
            # A clock that was set back goes on from there.
            self._time = time
            self._fall_until += passed

    def _anchor(self, sensors: Sensors) -> None:
        """Put the previous command of joints that are or were off at their measured position; their step is 0."""
        state, measured, before = self._state, sensors.position, self._before
        anchor = self._measured
        finite = np.isfinite(measured)
        self._seen |= finite
        if not _all(finite) and before is not None:
            # A single reading may be lost; one that is older says nothing of a joint that was off meanwhile.
            measured = np.where(finite, measured, before.position)
            finite = np.isfinite(measured)
        np.copyto(anchor, measured, where=finite)
        np.clip(anchor, self._lower, self._upper, out=anchor)
        anchor[self._followers] = anchor[self._leaders]
        usable = finite[self._measured_by]
        state[FINITE] = usable
        fresh = (state[ON] == 0.0) & usable
        state[POSITION][fresh] = state[TARGET][fresh] = anchor[fresh]
        self._known = self._known or _all(self._seen)

    def _falling(self, sensors: Sensors) -> bool:
        w, x, y, z = sensors.vector[self._turn].tolist()
        norm = w * w + x * x + y * y + z * z
        if math.isfinite(norm) and norm > 0.25:
            upright = (w * w - x * x - y * y + z * z) / norm
            if upright > self._cos_rearm:
                self._fall_armed = True
            elif upright < self._cos_fall and self._fall_armed:
                self._fall_armed = False
                self._fall_until = self._time + self.settings.fall_duration
        return self._time < self._fall_until


def _all(inside: NDArray[np.bool_]) -> bool:
    # Searching the bytes for a False is several times faster than ndarray.all on arrays of this size.
    return b"\0" not in inside.tobytes()


def _cap(gains: Vector, scale: float) -> Vector:
    return np.where(gains > 0.0, gains * scale, _SPRING_CAP)
