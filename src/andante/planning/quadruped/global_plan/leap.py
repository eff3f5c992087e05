"""LEAP_STANCE, FLIGHT, LAND_STANCE: a push-off, a ballistic flight, a landing, each of whole steps.

In a stance the ground pushes with a force that is a parabola of time, zero at both ends: with the part u of the
stance's duration T that has passed, the velocity that it has given is dv (3 u^2 - 2 u^3) and the way dv T (u^3 - u^4 /
2), half of it dv T / 2 in all. This is Quad-SDK's closed form (force 4 F t (T - t) / T^2 times the weight, dv = 2/3 g F
T) written by what the stance shall change. Apart from it, a leap starts with the vertical speed that the body has (the
original sets it to another one in no time), and its force follows from where it shall land: the one take-off speed that
ends the landing at standing height with the ground's own vertical speed. So nothing is refined by trial, and the plan
has no jumps.
"""

from __future__ import annotations

import math

from andante.kernels import inlined, inlined_entry, kernel
from andante.planning.quadruped.global_plan.connect import heading
from andante.planning.quadruped.global_plan.tables import CHECKS, GroundLayers, Rules
from andante.planning.quadruped.global_plan.validity import FLIGHT, LAND, LEAP, climb_rate, fault, look
from andante.spatial.arrays import Array1, Index1
from andante.spatial.gravity import GRAVITY

_MIDDLE = 3.0 / 32.0
"""u^3 - u^4 / 2 at u = 1/2."""


@inlined_entry
def stance_axis(
    p0: float, v0: float, change: float, gravity: float, duration: float, time: float
) -> tuple[float, float]:
    """Position [m] and velocity [m/s] along one axis in a stance.

    Args:
        p0: Position at its start [m].
        v0: Velocity there [m/s].
        change: Velocity that the ground gives in all [m/s].
        gravity: Acceleration against the axis [m/s^2]; 0 for horizontal ones.
        duration: Its duration [s].
        time: Time since its start [s].
    """
    u = time / duration
    position = p0 + v0 * time - 0.5 * gravity * time * time + change * duration * u * u * u * (1.0 - 0.5 * u)
    return position, v0 - gravity * time + change * u * u * (3.0 - 2.0 * u)


@inlined_entry
def peak_push(change: float, duration: float) -> float:
    """Force at the middle of a stance that gives a velocity [m/s], as a multiple of the weight."""
    return 1.5 * change / (GRAVITY * duration)


@inlined_entry
def take_off_speed(
    low: float, rate: float, high: float, last_rate: float, push: float, flight: float, land: float
) -> float:
    """Vertical speed at take-off [m/s] of the leap that begins and ends at given heights and vertical speeds.

    The mean vertical speed of a stance is that of its ends, so the heights add up to one linear equation.

    Args:
        low: Height where the push-off begins [m].
        rate: Vertical speed there [m/s].
        high: Height where the landing ends [m].
        last_rate: Vertical speed there [m/s].
        push: Duration of the push-off [s].
        flight: Duration of the flight [s].
        land: Duration of the landing [s].
    """
    fallen = 0.5 * GRAVITY * flight * flight + 0.5 * GRAVITY * flight * land
    return (high - low - 0.5 * rate * push - 0.5 * last_rate * land + fallen) / (0.5 * push + flight + 0.5 * land)


@inlined
def leap_at(first: Array1, last: Array1, motion: Array1, at: int, step: float, out: Array1) -> None:
    """State (6,) after ``at`` steps of a leap."""
    push, flight, land = motion[1] * step, motion[2] * step, motion[3] * step
    speed = take_off_speed(first[2], first[5], last[2], last[5], push, flight, land)
    time = at * step
    if at <= motion[1]:
        for k in range(2):
            p, v = stance_axis(first[k], first[3 + k], motion[4 + k] - first[3 + k], 0.0, push, time)
            out[k], out[3 + k] = p, v
        p, v = stance_axis(first[2], first[5], speed - first[5] + GRAVITY * push, GRAVITY, push, time)
        out[2], out[5] = p, v
        return
    time -= push
    x = first[0] + 0.5 * (first[3] + motion[4]) * push
    y = first[1] + 0.5 * (first[4] + motion[5]) * push
    z = first[2] + 0.5 * (first[5] + speed) * push
    if at <= motion[1] + motion[2]:
        out[0], out[1], out[3], out[4] = x + motion[4] * time, y + motion[5] * time, motion[4], motion[5]
        out[2], out[5] = z + speed * time - 0.5 * GRAVITY * time * time, speed - GRAVITY * time
        return
    time -= flight
    down = speed - GRAVITY * flight
    p, v = stance_axis(x + motion[4] * flight, motion[4], last[3] - motion[4], 0.0, land, time)
    out[0], out[3] = p, v
    p, v = stance_axis(y + motion[5] * flight, motion[5], last[4] - motion[5], 0.0, land, time)
    out[1], out[4] = p, v
    height = z + speed * flight - 0.5 * GRAVITY * flight * flight
    p, v = stance_axis(height, down, last[5] - down + GRAVITY * land, GRAVITY, land, time)
    out[2], out[5] = p, v


@inlined
def leap_pushes(first: Array1, last: Array1, motion: Array1, step: float) -> tuple[float, float]:
    """Velocities that push-off and landing give upward [m/s]."""
    push, flight, land = motion[1] * step, motion[2] * step, motion[3] * step
    speed = take_off_speed(first[2], first[5], last[2], last[5], push, flight, land)
    return speed - first[5] + GRAVITY * push, last[5] - speed + GRAVITY * (flight + land)


@kernel
def leap_strains(rules: Rules, first: Array1, last: Array1, motion: Array1) -> float:
    """Hardest push of a leap as a multiple of the weight; below zero where it asks for what the ground cannot give."""
    up, down = leap_pushes(first, last, motion, rules.step)
    side = math.hypot(motion[4] - first[3], motion[5] - first[4])
    if side > rules.friction * up or math.hypot(last[3] - motion[4], last[4] - motion[5]) > rules.friction * down:
        return -1.0
    hardest = max(peak_push(up, motion[1] * rules.step), peak_push(down, motion[3] * rules.step))
    return hardest if min(up, down) >= 0.0 and hardest <= rules.largest_push else -1.0


@inlined
def leap_feet(first: Array1, last: Array1, motion: Array1, landing: bool, step: float) -> tuple[float, float]:
    """Middle of the body at the middle of push-off or landing, below whose hips the feet stand all the while [m]."""
    if landing:
        half, fx, fy = motion[3] * step, last[3] - motion[4], last[4] - motion[5]
        # Seen from the end, the way back through half of the landing.
        x = last[0] - 0.5 * last[3] * half + _MIDDLE * fx * half
        y = last[1] - 0.5 * last[4] * half + _MIDDLE * fy * half
        return x, y
    half, fx, fy = motion[1] * step, motion[4] - first[3], motion[5] - first[4]
    x = first[0] + 0.5 * first[3] * half + _MIDDLE * fx * half
    y = first[1] + 0.5 * first[4] * half + _MIDDLE * fy * half
    return x, y


@kernel
def leap_fault(
    ground: GroundLayers, rules: Rules, first: Array1, last: Array1, motion: Array1, counters: Index1, at: Array1
) -> bool:
    """Whether a state of a leap has a fault; ``at`` (6,) is room for one."""
    push, flight, land = int(motion[1]), int(motion[2]), int(motion[3])
    steps = push + flight + land
    off_x, off_y = leap_feet(first, last, motion, False, rules.step)
    on_x, on_y = leap_feet(first, last, motion, True, rules.step)
    # What most often fails comes first: touchdown, then the start, then all from the end.
    for n in range(-2, steps + 1):
        k = push + flight if n == -2 else 0 if n == -1 else steps - n
        leap_at(first, last, motion, k, rules.step, at)
        hx, hy = heading(at[3], at[4], last[0] - first[0], last[1] - first[1])
        counters[CHECKS] += 1
        kind, x, y = FLIGHT, at[0], at[1]
        if k <= push:
            kind, x, y = LEAP, off_x, off_y
        if k >= push + flight:
            kind, x, y = LAND, on_x, on_y
        if fault(ground, rules, at, hx, hy, kind, x, y) != 0:
            return True
    return False


@kernel
def set_leap(
    ground: GroundLayers,
    rules: Rules,
    here: Array1,
    flight_x: float,
    flight_y: float,
    vx: float,
    vy: float,
    low: float,
    motion: Array1,
    backward: bool,
    there: Array1,
) -> None:
    """Fill the other end of a leap from one end, its steps, the velocity of its flight, and what is at the other end.

    There the velocity is (vx, vy) and the body ``low`` below its standing height [m].
    """
    motion[0], motion[4], motion[5] = 0.0, flight_x, flight_y
    push, flight, land = motion[1] * rules.step, motion[2] * rules.step, motion[3] * rules.step
    sign = -1.0 if backward else 1.0
    near, far = (land, push) if backward else (push, land)
    there[0] = here[0] + sign * (0.5 * (here[3] + flight_x) * near + flight_x * flight + 0.5 * (flight_x + vx) * far)
    there[1] = here[1] + sign * (0.5 * (here[4] + flight_y) * near + flight_y * flight + 0.5 * (flight_y + vy) * far)
    there[3], there[4] = vx, vy
    there[2] = look(ground, ground.smooth, there[0], there[1]) + rules.standing - low
    there[5] = climb_rate(ground, there[0], there[1], vx, vy)
