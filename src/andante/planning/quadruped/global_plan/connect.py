"""CONNECT: walking from one position and velocity to another with an acceleration that is linear in time.

Positions are cubic in time, the body's clearance above the smooth ground goes linearly from the first's to the last's.
Source: Quad-SDK's `GraphClass` and planning utilities. Apart from it, durations are whole steps, so that what is tested
is what the plan has.
"""

from __future__ import annotations

import math

from andante.kernels import inlined, inlined_entry, kernel
from andante.planning.quadruped.global_plan.tables import CHECKS, GroundLayers, Rules
from andante.planning.quadruped.global_plan.validity import CONNECT, climb_rate, fault, look
from andante.spatial.arrays import Array1, Index1
from andante.spatial.gravity import GRAVITY

_LONGER, _FACTOR = 5, 1.25
"""Durations that are tried, each so much longer than the one before."""
_STILL = 0.05
"""Slower than this a body's heading is that of the way ahead [m/s]."""


@inlined_entry
def connect_acceleration(p0: float, v0: float, p1: float, v1: float, duration: float) -> tuple[float, float]:
    """First and last acceleration along one axis [m/s^2] of a motion between positions [m] and velocities [m/s]."""
    square = duration * duration
    first = -2.0 * (3.0 * p0 - 3.0 * p1 + 2.0 * v0 * duration + v1 * duration) / square
    last = 2.0 * (3.0 * p0 - 3.0 * p1 + v0 * duration + 2.0 * v1 * duration) / square
    return first, last


@inlined_entry
def connect_axis(
    p0: float, v0: float, p1: float, v1: float, duration: float, time: float
) -> tuple[float, float, float]:
    """Position [m], velocity [m/s] and acceleration [m/s^2] along one axis at a time [s]."""
    first, last = connect_acceleration(p0, v0, p1, v1, duration)
    jerk = (last - first) / duration
    position = p0 + v0 * time + 0.5 * first * time * time + jerk * time * time * time / 6.0
    return position, v0 + first * time + 0.5 * jerk * time * time, first + jerk * time


@inlined_entry
def nominal_duration(p0: Array1, p1: Array1, nominal: float) -> float:
    """Duration of walking between two states (6,) [s]: from rest to rest it is as fast as ``nominal`` [m/s] midway."""
    far = math.hypot(p1[0] - p0[0], p1[1] - p0[1])
    fast = math.hypot(p0[3] + p1[3], p0[4] + p1[4])
    return 6.0 * far / (fast + 4.0 * nominal)


@inlined
def connect_at(
    ground: GroundLayers,
    first: Array1,
    last: Array1,
    steps: int,
    at: int,
    step: float,
    low: float,
    high: float,
    out: Array1,
) -> None:
    """State (6,) after ``at`` of ``steps`` steps; ``low`` and ``high`` are the clearances of first and last [m]."""
    duration, time = steps * step, at * step
    x, vx, _ = connect_axis(first[0], first[3], last[0], last[3], duration, time)
    y, vy, _ = connect_axis(first[1], first[4], last[1], last[4], duration, time)
    out[0], out[1], out[3], out[4] = x, y, vx, vy
    out[2] = look(ground, ground.smooth, x, y) + low + (high - low) * at / steps
    out[5] = climb_rate(ground, x, y, vx, vy) + (high - low) / duration


@inlined
def clearance(ground: GroundLayers, state: Array1) -> float:
    """Height of a state above the smooth ground [m]."""
    return float(state[2] - look(ground, ground.smooth, state[0], state[1]))


@inlined
def heading(vx: float, vy: float, way_x: float, way_y: float) -> tuple[float, float]:
    """Unit vector of a velocity; where it is nearly zero of the way, and without one along x."""
    speed = math.hypot(vx, vy)
    if speed < _STILL:
        vx, vy, speed = way_x, way_y, math.hypot(way_x, way_y)
    if speed < 1e-9:
        return 1.0, 0.0
    return vx / speed, vy / speed


@kernel
def connect_steps(rules: Rules, first: Array1, last: Array1) -> int:
    """Steps of walking between two states; 0 where that is too short, or asks for too much friction.

    Where the nominal duration asks for too much, longer ones are tried: from rest to rest it does over less than
    8/3 v^2 / (friction g) for the nominal speed v, so that the original has no short walks.
    """
    nominal = nominal_duration(first, last, rules.nominal_speed) / rules.step
    if round(nominal) <= rules.least_connect:
        return 0
    for n in range(_LONGER):
        steps = round(nominal * _FACTOR**n)
        if grips(rules, first, last, steps):
            return steps
    return 0


@kernel
def grips(rules: Rules, first: Array1, last: Array1, steps: int) -> bool:
    """Whether the accelerations at both ends are within the friction; between them they are smaller."""
    duration = steps * rules.step
    ax, bx = connect_acceleration(first[0], first[3], last[0], last[3], duration)
    ay, by = connect_acceleration(first[1], first[4], last[1], last[4], duration)
    most = rules.friction * GRAVITY
    return ax * ax + ay * ay < most * most and bx * bx + by * by < most * most


@kernel
def connect_fault(
    ground: GroundLayers,
    rules: Rules,
    first: Array1,
    last: Array1,
    steps: int,
    backward: bool,
    counters: Index1,
    at: Array1,
) -> int:
    """The first step with a fault, seen from the first state or, backward, from the last; -1: none.

    ``at`` (6,) is room for a state.
    """
    low, high = clearance(ground, first), clearance(ground, last)
    way_x, way_y = last[0] - first[0], last[1] - first[1]
    for n in range(steps + 1):
        k = steps - n if backward else n
        connect_at(ground, first, last, steps, k, rules.step, low, high, at)
        hx, hy = heading(at[3], at[4], way_x, way_y)
        counters[CHECKS] += 1
        if fault(ground, rules, at, hx, hy, CONNECT, at[0], at[1]) != 0:
            return k
    return -1


@kernel
def slower_walk(
    ground: GroundLayers, rules: Rules, first: Array1, last: Array1, steps: int, stop: int, counters: Index1, at: Array1
) -> tuple[int, int]:
    """Steps and first fault (-1: none) of a walk that takes longer where the given one climbs too fast.

    Args:
        ground: The ground.
        rules: Body and settings.
        first: State at the begin, (6,).
        last: State at the end, (6,).
        steps: Steps of the given walk.
        stop: Its first fault as `connect_fault` has found it; -1: none.
        counters: Counters of the search.
        at: The state at that fault, (6,).
    """
    for _ in range(_LONGER):
        if stop < 0 or abs(at[5]) <= rules.climbing_speed:
            break
        longer = round(steps * _FACTOR)
        if not grips(rules, first, last, longer):
            break
        steps = longer
        stop = connect_fault(ground, rules, first, last, steps, False, counters, at)
    return steps, stop
