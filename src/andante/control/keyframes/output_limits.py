"""Keeps the commanded positions within what the joints can do, so that nobody after the engine has to.

Motions ask for more now and then: a target beyond a joint's limit, a way that takes longer than its keyframe, a stop at
once from full speed. The engine's own request stays as it is; what is commanded follows it as fast as the joint may go:
within its position limits, its speed limit v_max and its acceleration limit a, both differenced over one tick T, and so
that braking with a ends before a position limit. With d the step of a tick that is

    |d| <= v_max T,   |d - d_before| <= a T^2,   lower <= q + d |d| / (2 a T^2) <= upper

A joint that is behind its moving target closes in as fast as it can still brake relative to the target.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Vector
from andante.robots.robot import Robot

_INSIDE = 1e-6
"""Targets end this much inside the position limits: a joint cannot brake to a stop at the limit itself [rad]."""
_ROUNDING = 1e-9
"""Share by which speed and acceleration stay below their limits."""


class OutputLimits:
    """Limits the positions of one engine's commands.

    Args:
        robot: The robot; a joint that follows another one shares its limits.
        period: Tick [s].
    """

    def __init__(self, robot: Robot, period: float) -> None:
        nj = len(robot.joints)
        lower, upper = robot.shared(robot.lower, np.maximum), robot.shared(robot.upper, np.minimum)
        step = robot.shared(robot.max_velocity * period, np.minimum)
        change = robot.shared(robot.max_acceleration * period * period, np.minimum)
        margin = np.minimum(_INSIDE, 0.25 * (upper - lower))
        self._lower, self._upper = lower, upper
        self._low, self._high = lower + margin, upper - margin
        self._most, self._change = step * (1.0 - _ROUNDING), change * (1.0 - _ROUNDING)
        self._braking = 2.0 * self._change
        # What one look tells apart: the way to the target as a step, its change, the change relative to the target's
        # own step, and where braking would end; each between two bounds.
        self._tested, self._inside = np.empty((4, nj)), np.empty((4, nj), dtype=bool)
        self._tested_high = np.array((self._most, self._change, self._change, upper))
        self._tested_low = np.array((-self._most, -self._change, -self._change, lower))
        self._followers, self._leaders = robot.followers, robot.leaders[robot.followers]
        self._position, self._target, self._off = np.zeros(nj), np.zeros(nj), np.zeros(nj)
        self.reset()

    def reset(self) -> None:
        """Forget all commands; joints start where they are measured."""
        self._on: NDArray[np.bool_] = np.zeros(len(self._off), dtype=bool)
        self._all_on = False
        self._step = np.zeros(len(self._off))

    def apply(self, wanted: Vector, stiffness: Vector, measured: Vector) -> Vector:
        """The positions to command, which hold until the next call.

        Args:
            wanted: Positions that the engine asks for, (nj,) [rad].
            stiffness: Stiffness of this tick, (nj,); joints without are off and get their position as it is, within
                the joint's limits.
            measured: Measured positions, (nj,) [rad]: where a joint begins that was off.
        """
        on = stiffness > self._off
        # Searching the bytes for a False is several times faster than ndarray.all on arrays of this size.
        all_on = b"\0" not in on.tobytes()
        target: Vector = np.minimum(np.maximum(wanted, self._low), self._high)
        if not (self._all_on and all_on):
            self._begin(~(self._on & on), measured)
        tested, inside = self._tested, self._inside
        way = target - self._position
        tested[0] = way
        np.subtract(way, self._step, tested[1])
        np.add(way - target, self._target, tested[2])
        np.add(way * np.abs(way) / self._braking, target, tested[3])
        if (
            b"\0" in np.less_equal(tested, self._tested_high, inside).tobytes()
            or b"\0" in np.less_equal(self._tested_low, tested, inside).tobytes()
        ):
            way = self._nearest(target)
        position = self._position + way
        if not all_on:
            # An off joint asks for nothing: it is told where it is.
            position[~on] = target[~on]
            way[~on] = 0.0
        position[self._followers] = position[self._leaders]
        way[self._followers] = way[self._leaders]
        self._position, self._step, self._target = position, way, target
        self._on, self._all_on = on, all_on
        return position

    def _begin(self, fresh: NDArray[np.bool_], measured: Vector) -> None:
        """Joints that are or were off start where they are measured."""
        start = np.minimum(np.maximum(measured, self._lower), self._upper)
        for state, value in ((self._position, start), (self._target, start), (self._step, 0.0)):
            np.copyto(state, value, where=fresh)

    def _nearest(self, target: Vector) -> Vector:
        """The step of each joint that comes nearest to the target within the limits, (nj,) [rad]."""
        change, most = self._change, self._most
        moved = np.minimum(np.maximum(target - self._target, -most), most)
        gap = self._target - self._position
        closing = moved + np.sign(gap) * _steps_to_rest(np.abs(gap), change)
        # A joint that can be at its target now, with a speed relative to it that one tick can take away, goes there.
        near = np.abs(gap) <= change
        wished = np.where(near, target - self._position, closing)
        up = np.minimum(most, _steps_to_rest(np.maximum(self._upper - self._position, 0.0), change))
        down = np.minimum(most, _steps_to_rest(np.maximum(self._position - self._lower, 0.0), change))
        high = np.minimum(up, self._step + change)
        low = np.maximum(-down, self._step - change)
        return np.minimum(np.maximum(wished, np.minimum(low, high)), high)


def _steps_to_rest(way: Vector, change: Vector) -> Vector:
    """Largest step d after which braking ends within a way: d + d^2 / (2 c) = way, with c the change per tick [rad]."""
    # As way (1 - ...) would lose all digits of a short way, the root is taken in its other form.
    return 2.0 * way / (1.0 + np.sqrt(1.0 + 2.0 * way / change))
