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

from andante.control.keyframes.output_kernels import ON, ROWS, STEP, limit_output
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
        # Limits of positions, where targets end, the longest step, its largest change.
        bounds = lower, upper, lower + margin, upper - margin, step * (1.0 - _ROUNDING), change * (1.0 - _ROUNDING)
        self._bounds: Vector = np.array(bounds)
        self._followers = np.array(robot.followers, dtype=np.int64)
        self._leaders = np.array(robot.leaders[robot.followers], dtype=np.int64)
        self._state: Vector = np.zeros((ROWS, nj))

    def reset(self) -> None:
        """Forget all commands; joints start where they are measured."""
        self._state[ON] = self._state[STEP] = 0.0

    def apply(self, wanted: Vector, stiffness: Vector, measured: Vector) -> Vector:
        """The positions to command, a new array.

        Args:
            wanted: Positions that the engine asks for, (nj,) [rad].
            stiffness: Stiffness of this tick, (nj,); joints without are off and get their position as it is, within
                the joint's limits.
            measured: Measured positions, (nj,) [rad]: where a joint begins that was off.
        """
        position: Vector = np.empty(len(wanted))
        joints = self._followers, self._leaders
        limit_output.now(self._bounds, self._state, *joints, wanted, stiffness, measured, position)
        return position
