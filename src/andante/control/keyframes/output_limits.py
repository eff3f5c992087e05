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
        self._followers, self._leaders = robot.followers, robot.leaders[robot.followers]
        lower, upper = robot.shared(robot.lower, np.maximum), robot.shared(robot.upper, np.minimum)
        step = robot.shared(robot.max_velocity * period, np.minimum)
        change = robot.shared(robot.max_acceleration * period * period, np.minimum)
        margin = np.minimum(_INSIDE, 0.25 * (upper - lower))
        self._lower, self._upper = lower, upper
        self._low, self._high = lower + margin, upper - margin
        self._most, self._change = step * (1.0 - _ROUNDING), change * (1.0 - _ROUNDING)
        self._position, self._step, self._target = np.zeros(nj), np.zeros(nj), np.zeros(nj)
        self._on: NDArray[np.bool_] = np.zeros(nj, dtype=bool)
        self._all_on = False

    def reset(self) -> None:
        """Forget all commands; joints start where they are measured."""
        self._on[:] = False
        self._all_on = False
        self._step[:] = 0.0

    def apply(self, wanted: Vector, stiffness: Vector, measured: Vector) -> Vector:
        """The positions to command.

        Args:
            wanted: Positions that the engine asks for, (nj,) [rad].
            stiffness: Stiffness of this tick, (nj,); joints without are off and get their position as it is, within
                the joint's limits.
            measured: Measured positions, (nj,) [rad]: where a joint begins that was off.
        """
        on = stiffness > 0.0
        target: Vector = np.minimum(np.maximum(wanted, self._low), self._high)
        position, step, change, most = self._position, self._step, self._change, self._most
        if not (self._all_on and on.all()):
            fresh = ~(self._on & on)
            start = np.minimum(np.maximum(measured, self._lower), self._upper)
            position[fresh] = start[fresh]
            step[fresh] = 0.0
            self._target[fresh] = start[fresh]
        way = target - position
        braking = way * np.abs(way) / (2.0 * change) + target
        if (
            (np.abs(way) <= most).all()
            and (np.abs(way - step) <= change).all()
            and (np.abs(way - target + self._target) <= change).all()
            and (braking <= self._upper).all()
            and (braking >= self._lower).all()
        ):
            step[:] = way
        else:
            step[:] = self._nearest(target)
        self._target[:] = target
        position += step
        if not on.all():
            # An off joint asks for nothing: it is told where it is.
            position[~on] = target[~on]
            step[~on] = 0.0
        if self._followers.size:
            position[self._followers] = position[self._leaders]
            step[self._followers] = step[self._leaders]
        self._on, self._all_on = on, bool(on.all())
        return position

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
