"""Reference states of the body over the horizon, from a twist or from a body plan.

State rows, (12,): position of the centre of mass, roll, pitch, yaw, velocity in the world, angular velocity in body
axes. Source: Quad-SDK's `getReference`: row i + 1 follows from row i by an Euler step with the twist turned by the yaw
of row i, the first step lasts until the next point of the grid, the height follows the smoothed ground, roll and pitch
its slope.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, kernel
from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.ground import Ground, at
from andante.spatial.arrays import Array, Array1, Array2, Index

_LEVEL = 1e-3
"""Slope below which the body is held level [rad]."""


@kernel
def slope_tilt(slope_x: float, slope_y: float, yaw: float) -> tuple[float, float]:
    """Roll and pitch of a body that stands square on a slope.

    Args:
        slope_x: Rise of the ground along x.
        slope_y: Rise along y.
        yaw: Heading of the body [rad].
    """
    size = math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    # The ground's normal, seen from the heading; the body's z axis is (sin p cos r, -sin r, cos p cos r) there.
    c, s = math.cos(yaw), math.sin(yaw)
    nx, ny, nz = -(c * slope_x + s * slope_y) / size, -(c * slope_y - s * slope_x) / size, 1.0 / size
    if math.hypot(nx, ny) < _LEVEL:
        return 0.0, 0.0
    return -math.asin(ny), math.atan2(nx, nz)


@entry
def twist_reference(
    ground: Ground, pose: Array1, twist: Array1, height: float, durations: Array1, rows: Array2
) -> None:
    """Reference of a twist into ``rows``.

    Args:
        ground: The ground.
        pose: x, y, yaw where the reference begins, (3,).
        twist: Forward, lateral [m/s] and yaw rate [rad/s] in the body's heading, (3,).
        height: Height of the centre of mass over the smoothed ground [m].
        durations: Length of each interval, (N - 1,) [s].
        rows: Gets the states, (N, 12).
    """
    x, y, yaw = pose[0], pose[1], pose[2]
    for i in range(len(rows)):
        c, s = math.cos(yaw), math.sin(yaw)
        vx, vy = c * twist[0] - s * twist[1], s * twist[0] + c * twist[1]
        slope_x, slope_y = at(ground, ground.slope_x, x, y), at(ground, ground.slope_y, x, y)
        roll, pitch = slope_tilt(slope_x, slope_y, yaw)
        rows[i, 0], rows[i, 1], rows[i, 2] = x, y, at(ground, ground.smooth, x, y) + height
        rows[i, 3], rows[i, 4], rows[i, 5] = roll, pitch, yaw
        rows[i, 6], rows[i, 7], rows[i, 8] = vx, vy, vx * slope_x + vy * slope_y
        # The yaw rate turns about the world's z, seen from the tilted body.
        rows[i, 9] = -math.sin(pitch) * twist[2]
        rows[i, 10] = math.sin(roll) * math.cos(pitch) * twist[2]
        rows[i, 11] = math.cos(roll) * math.cos(pitch) * twist[2]
        if i < len(durations):
            x, y, yaw = x + vx * durations[i], y + vy * durations[i], yaw + twist[2] * durations[i]


def plan_reference(plan: BodyPlan, since: float, times: Array, pace: float, yaw: float) -> tuple[Array, Index]:
    """Reference of a body plan: states (N, 12) and primitives (N,); before its begin and after its end it stands.

    Args:
        plan: The plan.
        since: Time on the plan that is now [s].
        times: Times that are wanted, from now on, (N,) [s].
        pace: Seconds on the plan in a second; the speeds are as much lower where that is below 1.
        yaw: Present heading, in whose turn the plan's headings are told [rad].
    """
    last = len(plan.states) - 1
    along = np.clip((since + pace * times) / plan.step, 0.0, last)
    rows = np.minimum(np.floor(along + 1e-6).astype(np.int64), last)
    share = np.clip(along - rows, 0.0, 1.0)[:, None]
    states = (1.0 - share) * plan.states[rows] + share * plan.states[np.minimum(rows + 1, last)]
    states[:, 6:] *= min(pace, 1.0)
    states[:, 5] += 2.0 * math.pi * round((yaw - states[0, 5]) / (2.0 * math.pi))
    return states, plan.primitives[rows]


def heights_flown(plan: BodyPlan, index: int, count: int) -> Array:
    """How high the body comes in the flight that each row of a body plan belongs to, from a row on, (count,) [m].

    Outside of flights -inf. It is the same for all of a flight, also for what is left of it.

    Args:
        plan: The plan.
        index: Row of the plan that is now.
        count: Rows that are wanted.
    """
    rows, flying = index + np.arange(count), plan.primitives == Primitive.FLIGHT
    found = np.full(count, -np.inf)
    ends = np.flatnonzero(np.diff(np.concatenate([[False], flying, [False]]).astype(np.int64)))
    for first, last in ends.reshape(-1, 2).tolist():
        found[(rows >= first) & (rows < last)] = plan.states[first:last, 2].max()
    return found


def plan_index(now: float, start: float, step: float) -> tuple[int, float]:
    """Interval of the grid that a time lies in, and the time until its end [s].

    Args:
        now: The time [s].
        start: When interval 0 begins [s].
        step: Length of an interval [s].
    """
    # A time that misses a grid point by rounding belongs to the interval that begins there.
    index = math.floor((now - start) / step + 1e-6)
    return index, start + (index + 1) * step - now
