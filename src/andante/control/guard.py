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
from andante.control.guard_settings import GuardSettings
from andante.control.interventions import Intervention, InterventionLog
from andante.robots.records import Command, Sensors, Vector
from andante.robots.robot import Robot

_SPRING_CAP = 1e4
"""Gain cap of a joint whose servo publishes no gain [N m/rad] or [N m s/rad]: a number that only a mistake exceeds."""

_FAR = 1e6
"""A step that no joint makes [rad]."""

_CLOCK_ROUNDING = 1e-7
"""Share of a period by which a tick may miss it and still count as exact: sums of rounded times do."""

_ARRIVED = 1e-12
"""Share of what the acceleration limit lets a command move in a tick by which it may miss its target and be there."""

_MOST_PERIODS = 2.0
"""A step after a late tick may make up for one period that was missed, not for more: the joint stood meanwhile."""

_LONGEST = 1e3
"""Longest time between two ticks that is counted, long enough for any joint to come anywhere [s]."""


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
        self._measured_by = robot.leaders
        self._lower, self._upper = robot.shared(robot.lower, np.maximum), robot.shared(robot.upper, np.minimum)
        self._rate = robot.shared(robot.max_velocity * settings.velocity_scale, np.minimum)
        self._acceleration = robot.shared(robot.max_acceleration * settings.acceleration_scale, np.minimum)
        kp = robot.shared(_cap(robot.servo_kp, settings.gain_scale), np.minimum)
        kd = robot.shared(_cap(robot.servo_kd, settings.gain_scale), np.minimum)
        effort = robot.shared(robot.max_effort, np.minimum)
        for index, joint in enumerate(robot.joints):
            if not (
                self._lower[index] <= self._upper[index] and self._rate[index] > 0.0 and self._acceleration[index] > 0.0
            ):
                raise ControlError(
                    "a joint's limits leave nothing to command",
                    place=f"robot {robot.name!r}, joint {joint.name!r}",
                    limit="lower <= upper, speed and acceleration limit > 0",
                )
        # The whole command vector has one lower and one upper bound; the position part moves with the previous command.
        self._low, self._high = np.zeros(5 * nj), np.zeros(5 * nj)
        self._low[nj : 2 * nj], self._high[nj : 2 * nj] = -self._rate, self._rate
        self._high[2 * nj : 3 * nj], self._high[3 * nj : 4 * nj] = kp, kd
        self._low[4 * nj :], self._high[4 * nj :] = -effort, effort
        self._gain_of_speed = self._acceleration * period
        self._braking_base = self._gain_of_speed * self._gain_of_speed
        self._braking_slope = 2.0 * self._acceleration
        self._stopping_factor = 1.0 / (self._braking_slope * period * period)
        # What the fast path looks at: the command, its step and the step's change, between fixed bounds.
        step, change = self._rate * period, self._gain_of_speed * period
        self._tested, self._inside = np.empty(7 * nj), np.empty(7 * nj, dtype=bool)
        self._tested_low = np.concatenate([self._lower, self._low[nj:], -step, -change])
        self._tested_high = np.concatenate([self._upper, self._high[nj:], step, change])
        rows = np.arange(5)[:, None] * nj
        self._follower_values = (rows + self._followers).ravel()
        self._leader_values = (rows + self._leaders).ravel()
        self._size, self._sensors_size = 5 * nj, robot.sensors_layout.size
        # Arrays, as numpy takes three times as long where one side is a number.
        self._off, self._far = np.zeros(nj), np.full(nj, _FAR)
        self._cos_fall, self._cos_rearm = math.cos(settings.fall_tilt), math.cos(settings.fall_rearm)
        self.reset()

    def reset(self) -> None:
        """Forget the previous command; the next one is anchored at the measured posture."""
        nj = self._nj
        self._previous = np.zeros(5 * nj)
        self._step = np.zeros(nj)
        self._target = np.zeros(nj)
        self._gains = np.zeros(2 * nj)
        self._followed = False
        self._was_on = np.zeros(nj, dtype=bool)
        self._was_on_bytes = b""
        self._all_on = False
        self._measured = np.clip(np.zeros(nj), self._lower, self._upper)
        self._previous[:nj] = self._target[:] = self._measured
        self._seen = np.zeros(nj, dtype=bool)
        self._finite = np.ones(nj, dtype=bool)
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
        self._watch_time(sensors.time)
        falling = self._falling(sensors)
        if self._regular and not falling and not self._behind and self._clean(asked):
            self._previous[:] = asked
            self._followed, self._before = True, sensors
            return command
        passed = Command(command.layout, self._change(asked, sensors, falling))
        self._before = sensors
        return passed

    def rest(self) -> Command:
        """The command to leave behind when nobody commands any more: the last posture, without speed and torque.

        Joints that are off stay off; before anything was let pass all are.
        """
        vector = self._previous.copy()
        vector[self._nj : 2 * self._nj] = 0.0
        vector[4 * self._nj :] = 0.0
        return self.robot.command(vector)

    def _clean(self, asked: Vector) -> bool:
        """Whether a command may pass as it is, which is then the last step; NaN and infinity fail every comparison.

        The position part is checked by its step d from the previous command: d, its change, and the place
        ``q + d |d| / (2 a T^2)`` at which braking with a after this step would end, which lies within the limits
        exactly where `_bound` allows the step.
        """
        nj = self._nj
        if (asked[2 * nj : 3 * nj] > self._off).tobytes() != self._was_on_bytes:
            return False
        position, tested = asked[:nj], self._tested
        # Cut where its square cannot overflow; a step of that size fails its own bound anyway.
        step = np.maximum(np.minimum(position - self._previous[:nj], self._far), -self._far)
        if not self._all_on:
            step *= self._was_on
        tested[:nj] = np.abs(step) * step * self._stopping_factor + position
        tested[nj : 5 * nj] = asked[nj:]
        tested[5 * nj : 6 * nj] = step
        tested[6 * nj :] = step - self._step
        # Searching the bytes for a False is several times faster than ndarray.all on arrays of this size.
        if b"\0" in np.less_equal(self._tested_low, tested, self._inside).tobytes():
            return False
        if b"\0" in np.less_equal(tested, self._tested_high, self._inside).tobytes():
            return False
        if self._followers.size and not self._coupled(asked):
            return False
        self._step = step
        return True

    def _coupled(self, asked: Vector) -> bool:
        """Whether all followers are commanded like their leaders."""
        return asked.take(self._follower_values).tobytes() == asked.take(self._leader_values).tobytes()

    def _change(self, asked: Vector, sensors: Sensors, falling: bool) -> Vector:
        """The slow path: limit the command, count what was changed, remember the result."""
        nj = self._nj
        if self._followed:
            self._target[:] = self._previous[:nj]
            self._gains[:] = self._previous[2 * nj : 4 * nj]
            self._followed = False
        if not (self._known and self._all_on):
            self._anchor(sensors)
        self._velocity = self._step / self._span
        if self._regular:
            self._bound()
        elif self._elapsed > 0.0:
            self._bound_by_time()
        result = self._limited(asked, falling)
        if self._elapsed > 0.0:
            np.subtract(result[:nj], self._previous[:nj], out=self._step)
            self._span = self._elapsed
        self._was_on = result[2 * nj : 3 * nj] > 0.0
        # Before all joints were measured nothing passes as it is.
        self._was_on_bytes = self._was_on.tobytes() if self._known else b""
        self._all_on = bool(self._was_on.all())
        self._step *= self._was_on
        self._previous[:] = result
        return result

    def _watch_time(self, time: float) -> None:
        """How much time has passed since the last tick; exactly a period where it is one but for rounding."""
        passed = time - self._time
        if passed > 0.0 and math.isfinite(time):
            exact = passed == math.inf or abs(passed - self.period) <= _CLOCK_ROUNDING * self.period
            self._elapsed = self.period if exact else min(passed, _LONGEST)
            self._regular = exact and self._span == self.period
            self._time, self._stale = time, 0.0
            return
        self._elapsed, self._regular = 0.0, False
        self._stale += self.period
        if math.isfinite(time):
            # A clock that was set back goes on from there.
            self._time = time
            self._fall_until += passed

    def _anchor(self, sensors: Sensors) -> None:
        """Put the previous command of joints that are or were off at their measured position; their step is 0."""
        nj = self._nj
        measured, before = sensors.position, self._before
        anchor = self._measured
        finite = np.isfinite(measured)
        self._seen |= finite
        if not _all(finite) and before is not None:
            # A single reading may be lost; one that is older says nothing of a joint that was off meanwhile.
            measured = np.where(finite, measured, before.position)
            finite = np.isfinite(measured)
        np.copyto(anchor, measured, where=finite)
        self._finite = finite
        np.clip(anchor, self._lower, self._upper, out=anchor)
        anchor[self._followers] = anchor[self._leaders]
        fresh = ~self._was_on & finite[self._measured_by]
        self._previous[:nj][fresh] = anchor[fresh]
        self._target[fresh] = anchor[fresh]
        self._known = self._known or _all(self._seen)

    def _bound(self) -> None:
        """Position bounds of this tick from the previous command, its speed and the way left to the limits.

        A speed v towards a limit at distance d is allowed while ``v dt + v^2 / (2 a) <= d``: then braking with a in the
        following ticks ends before the limit, so that acceleration and position limit never contradict each other.
        """
        nj, base, gain = self._nj, self._braking_base, self._gain_of_speed
        previous = self._previous[:nj]
        for side, limit, bound in ((1.0, self._upper, self._high[:nj]), (-1.0, self._lower, self._low[:nj])):
            square = np.maximum((limit - previous) * (side * self._braking_slope) + base, base)
            speed = np.minimum(np.minimum(np.sqrt(square) - gain, self._rate), self._velocity * side + gain)
            bound[:] = previous + speed * (side * self.period)

    def _bound_by_time(self) -> None:
        """The same for a tick that is not, or comes after one that was not, a period long.

        From speed v to the next one, the change is at most a times the time of this tick, and at most a times the mean
        of both ticks' times, so that both ways of differencing the commands find the limit kept. As a short tick after
        a long one then allows less, braking counts on a / 2 before a position limit; a joint that came close to its
        limit in regular ticks brakes by this tick's time alone, for which the distance of `_bound` is always enough:
        with v^2 / (2 a) <= d also u dt + u^2 / (2 a) <= d for u = v - a dt, so that the speed allowed is at least u.
        """
        nj, dt, a = self._nj, self._elapsed, self._acceleration
        previous = self._previous[:nj]
        change = a * min(dt, 0.5 * (dt + self._span))
        rate = self._rate * (min(dt, _MOST_PERIODS * self.period) / dt)
        speeds = []
        for side, limit in ((1.0, self._upper), (-1.0, self._lower)):
            speed, way = side * self._velocity, np.abs(limit - previous)
            careful = np.sqrt((0.5 * a * dt) ** 2 + a * way) - 0.5 * a * dt
            bold = np.sqrt((a * dt) ** 2 + 2.0 * a * way) - a * dt
            allowed = np.maximum(np.minimum(np.minimum(rate, careful), speed + change), speed - change)
            speeds.append(side * np.minimum(allowed, bold))
        high, low = speeds
        # Where one side must brake harder than `change`, the other gives way.
        forward = self._velocity > 0.0
        # A joint that was off begins as in a tick of one period, however long it was off.
        first = np.where(self._was_on, np.inf, self._gain_of_speed * self.period)
        self._low[:nj] = previous + np.maximum(np.where(forward, np.minimum(low, high), low) * dt, -first)
        self._high[:nj] = previous + np.minimum(np.where(forward, high, np.maximum(low, high)) * dt, first)

    def _falling(self, sensors: Sensors) -> bool:
        if self.settings.fall == "none":
            return False
        w, x, y, z = sensors.orientation.tolist()
        norm = w * w + x * x + y * y + z * z
        if math.isfinite(norm) and norm > 0.25:
            upright = (w * w - x * x - y * y + z * z) / norm
            if upright > self._cos_rearm:
                self._fall_armed = True
            elif upright < self._cos_fall and self._fall_armed:
                self._fall_armed = False
                self._fall_until = self._time + self.settings.fall_duration
        return self._time < self._fall_until

    def _limited(self, asked: Vector, falling: bool) -> Vector:
        """A new vector that obeys every limit, with each intervention counted."""
        nj = self._nj
        log, time = self.log, max(self._time, 0.0)
        wanted = asked.copy()
        finite = np.isfinite(wanted)
        if not _all(finite):
            wanted[~finite] = self._held()[~finite]
            known = finite.reshape(5, nj)
            wanted[nj : 2 * nj][~known[0]] = 0.0
            bad: NDArray[np.bool_] = np.any(~known, axis=0)
            log.joints_hit(Intervention.NOT_FINITE, bad, time)
        stale = self._stale >= self.settings.stale_hold
        limp = self._stale >= self.settings.stale_limp
        if not self._known:
            log.robot_hit(Intervention.UNMEASURED, time)
            wanted[nj:] = 0.0
        elif limp:
            log.robot_hit(Intervention.LIMP, time)
            wanted[nj:] = 0.0
        elif stale:
            log.robot_hit(Intervention.STALE, time)
            wanted[:] = self._held()
            wanted[nj : 2 * nj] = 0.0
            wanted[4 * nj :] = 0.0
        rows = wanted.reshape(5, nj)
        if self._followers.size and not self._coupled(wanted):
            differs = np.zeros(nj, dtype=bool)
            differs[self._followers] = (rows[:, self._followers] != rows[:, self._leaders]).any(axis=0)
            if differs.any():
                log.joints_hit(Intervention.COUPLING, differs, time)
                rows[:, self._followers] = rows[:, self._leaders]
        self._keep_blind_off(rows, time)
        self._limit_rest(rows, time)
        self._gains[:] = wanted[2 * nj : 4 * nj]
        if falling:
            log.robot_hit(Intervention.FALL, time)
            rows[2:4] *= self.settings.fall_gain
        on = rows[2] > 0.0
        rows[0] = self._limit_position(rows, on, time)
        return wanted

    def _keep_blind_off(self, rows: Vector, time: float) -> None:
        """A joint that was off and has no angle, now or a tick before, stays off: nobody knows where it is."""
        blind = ~self._finite[self._measured_by] & ~self._was_on & (rows[2] > 0.0)
        if blind.any():
            self.log.joints_hit(Intervention.UNMEASURED, blind, time)
            rows[1:, blind] = 0.0

    def _held(self) -> Vector:
        """The previous command, with the gains from before a fall lowered them: what is held is not lowered again."""
        held = self._previous.copy()
        held[2 * self._nj : 4 * self._nj] = self._gains
        return held

    def _limit_rest(self, rows: Vector, time: float) -> None:
        """Clip velocity, gains and torque of ``rows`` (5, nj) in place."""
        nj = self._nj
        rest = rows.ravel()[nj:]
        if _all(self._low[nj:] <= rest) and _all(rest <= self._high[nj:]):
            return
        low, high = self._low.reshape(5, nj), self._high.reshape(5, nj)
        for part, kind in (
            (slice(1, 2), Intervention.VELOCITY),
            (slice(2, 4), Intervention.GAIN),
            (slice(4, 5), Intervention.TORQUE),
        ):
            clipped = np.clip(rows[part], low[part], high[part])
            wrong = clipped != rows[part]
            hit = wrong.any(axis=0)
            if hit.any():
                self.log.joints_hit(kind, hit, time, np.where(wrong[0], rows[part][0], rows[part][-1]))
                rows[part] = clipped

    def _limit_position(self, rows: Vector, on: NDArray[np.bool_], time: float) -> Vector:
        """Positions (nj,) within all limits; the velocity request of a joint that is held back follows the position."""
        nj, elapsed = self._nj, self._elapsed
        previous = self._previous[:nj]
        asked: Vector = rows[0].copy()
        target: Vector = np.minimum(np.maximum(asked, self._lower), self._upper)
        if elapsed == 0.0:
            return self._stand_still(rows, on, target, time)
        low, high = self._low[:nj], self._high[:nj]
        # A joint that is behind its moving target approaches it as fast as it can still brake relative to the target;
        # without this it would shoot past the target and swing back.
        rate, gain, base = self._rate, self._gain_of_speed, self._braking_base
        if not self._regular:
            gain = self._acceleration * elapsed
            base = gain * gain
        target_speed = np.minimum(np.maximum((target - self._target) / elapsed, -rate), rate)
        gap = self._target - previous
        distance = np.abs(gap)
        free = (target >= low) & (target <= high) & (distance <= gain * elapsed)
        closing = np.sqrt(base + self._braking_slope * distance) - gain
        reach = previous + (target_speed + np.sign(gap) * closing) * elapsed
        goal = np.where(free, target, reach)
        limited = np.minimum(np.maximum(np.minimum(np.maximum(goal, low), high), self._lower), self._upper)
        # Braking onto a position limit would end a rounding before it, and hold the joint back for ever.
        np.copyto(limited, target, where=np.abs(limited - target) <= _ARRIVED * gain * elapsed)
        self._target[:] = target
        outside = on & (target != asked)
        late = on & (limited != target)
        self._behind = bool(late.any())
        fast = late & np.greater(np.abs(target - previous), rate * elapsed * (1.0 + 1e-9))
        for kind, hit in (
            (Intervention.POSITION, outside),
            (Intervention.RATE, fast),
            (Intervention.ACCELERATION, late & ~fast),
        ):
            if hit.any():
                self.log.joints_hit(kind, hit, time, asked)
        self._follow(rows, late | outside, limited)
        np.copyto(target, limited, where=on)
        return target

    def _stand_still(self, rows: Vector, on: NDArray[np.bool_], target: Vector, time: float) -> Vector:
        """Positions (nj,) of a tick in which no time passed: those commanded before."""
        previous = self._previous[: self._nj]
        held = on & (target != previous)
        if held.any():
            self.log.robot_hit(Intervention.STALE, time)
            rows[1][held] = 0.0
        np.copyto(target, previous, where=on)
        return target

    def _follow(self, rows: Vector, held: NDArray[np.bool_], position: Vector) -> None:
        """Let the velocity requests of joints that are held back follow the new ``position`` (nj,)."""
        held = held & (rows[1] != 0.0)
        if held.any():
            speed = (position - self._previous[: self._nj]) / self._elapsed
            rows[1][held] = np.clip(speed, -self._rate, self._rate)[held]


def _all(inside: NDArray[np.bool_]) -> bool:
    # Searching the bytes for a False is several times faster than ndarray.all on arrays of this size.
    return b"\0" not in inside.tobytes()


def _cap(gains: Vector, scale: float) -> Vector:
    return np.where(gains > 0.0, gains * scale, _SPRING_CAP)
