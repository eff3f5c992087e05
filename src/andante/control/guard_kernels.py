"""What the guard does in one tick to all joints: whether a command passes as it is, and what becomes of it otherwise.

A robot that is told anything, as by a program that learns, has most of its commands changed: with one call of numpy for
each rule a tick took 100 us, longer than the physics of a small robot.
"""

from __future__ import annotations

import math

from andante.kernels import inlined, lazy_entry
from andante.kernels.held import Table, flags2, floats2, index1, index2
from andante.spatial.arrays import Array1, Array2, Flags2, Index1

LOWER, UPPER, RATE, ACCELERATION, KP, KD, EFFORT = range(7)
"""Rows of a robot's limits, (7, nj)."""
POSITION, VELOCITY, GAIN_P, GAIN_D, TORQUE, STEP, TARGET, HELD_P, HELD_D, ON, FINITE, NEXT = range(12)
"""Rows of the guard's memory, (12, nj): the five rows of the previous command, its last step [rad], where it was asked
to be [rad], its gains before a fall lowered them, 1 where a joint was on, 1 where the joint that moves it has an angle,
and room for the next step."""
ROWS = 12
PASSED = -1
"""The command passes as it is."""
UNANCHORED = -2
"""The command must be changed, and joints that are off have not been put where they are measured: nothing was done."""
FREE, STALE, LIMP, UNMEASURED = range(4)
"""How far commands are followed: as asked; the previous one is held; all joints are off, for sensors stand still or for
nothing has been measured yet."""
NOT_FINITE, POSITION_LIMIT, RATE_LIMIT, ACCELERATION_LIMIT, VELOCITY_LIMIT, GAIN_LIMIT, TORQUE_LIMIT, COUPLED = range(8)
BLIND = 11
"""Rows of counts: those of `andante.control.interventions.KINDS`."""
STOOD, BEHIND, ALL_ON = 1 << 12, 1 << 13, 1 << 14
"""Flags beside those of kinds: joints stood, for no time passed; one is behind its target; all joints are on."""
FAR = 1e6
"""A step that no joint makes [rad]."""
ARRIVED = 1e-12
"""Share of what the acceleration limit lets a command move in a tick by which it may miss its target and be there."""
MOST_PERIODS = 2.0
"""A step after a late tick may make up for one period that was missed, not for more: the joint stood meanwhile."""


@inlined
def _passes(limits: Array2, leaders: Index1, state: Array2, vector: Array1, period: float) -> bool:
    """Whether a command may pass as it is; NaN and infinity fail every comparison.

    The position is checked by its step d from the previous command: d, its change, and the place
    ``q + d |d| / (2 a T^2)`` at which braking with a after this step would end, which lies within the limits exactly
    where `_bounds` allow the step.
    """
    nj = limits.shape[1]
    for j in range(nj):
        leader = leaders[j]
        if leader != j:
            for row in range(5):
                if vector[row * nj + j] != vector[row * nj + leader]:
                    return False
        on = vector[2 * nj + j] > 0.0
        if on != (state[ON, j] > 0.0):
            return False
        position = vector[j]
        # Cut where its square cannot overflow; a step of that size fails its own bound anyway.
        step = position - state[POSITION, j]
        if step > FAR:
            step = FAR
        elif step < -FAR:
            step = -FAR
        step *= state[ON, j]
        a = limits[ACCELERATION, j]
        braked = abs(step) * step * (1.0 / (2.0 * a * period * period)) + position
        if not (limits[LOWER, j] <= braked <= limits[UPPER, j]):
            return False
        rate = limits[RATE, j]
        if not (-rate <= vector[nj + j] <= rate):
            return False
        if not (0.0 <= vector[2 * nj + j] <= limits[KP, j] and 0.0 <= vector[3 * nj + j] <= limits[KD, j]):
            return False
        effort = limits[EFFORT, j]
        if not (-effort <= vector[4 * nj + j] <= effort):
            return False
        farthest, change = rate * period, a * period * period
        if not (-farthest <= step <= farthest and -change <= step - state[STEP, j] <= change):
            return False
        state[NEXT, j] = step
    for j in range(nj):
        state[STEP, j] = state[NEXT, j]
    return True


@inlined
def _bounds(limits: Array2, state: Array2, j: int, period: float, velocity: float) -> tuple[float, float]:
    """Position bounds of a tick of one period from the previous command, its speed and the way left to the limits.

    A speed v towards a limit at distance d is allowed while ``v dt + v^2 / (2 a) <= d``: then braking with a in the
    following ticks ends before the limit, so that acceleration and position limit never contradict each other.
    """
    previous, rate, a = state[POSITION, j], limits[RATE, j], limits[ACCELERATION, j]
    gain = a * period
    base, slope = gain * gain, 2.0 * a
    speed = math.sqrt(max((limits[UPPER, j] - previous) * slope + base, base)) - gain
    high = previous + min(min(speed, rate), velocity + gain) * period
    speed = math.sqrt(max((limits[LOWER, j] - previous) * -slope + base, base)) - gain
    low = previous + min(min(speed, rate), -velocity + gain) * -period
    return low, high


@inlined
def _bounds_by_time(
    limits: Array2, state: Array2, j: int, period: float, dt: float, span: float, velocity: float
) -> tuple[float, float]:
    """The same for a tick that is not, or comes after one that was not, a period long.

    From speed v to the next one, the change is at most a times the time of this tick, and at most a times the mean of
    both ticks' times, so that both ways of differencing the commands find the limit kept. As a short tick after a long
    one then allows less, braking counts on a / 2 before a position limit; a joint that came close to its limit in
    regular ticks brakes by this tick's time alone, for which the distance of `_bounds` is always enough: with
    v^2 / (2 a) <= d also u dt + u^2 / (2 a) <= d for u = v - a dt, so that the speed allowed is at least u.
    """
    previous, a = state[POSITION, j], limits[ACCELERATION, j]
    change = a * min(dt, 0.5 * (dt + span))
    rate = limits[RATE, j] * (min(dt, MOST_PERIODS * period) / dt)
    half, whole = 0.5 * a * dt, a * dt
    way = abs(limits[UPPER, j] - previous)
    careful, bold = math.sqrt(half * half + a * way) - half, math.sqrt(whole * whole + 2.0 * a * way) - whole
    high = min(max(min(min(rate, careful), velocity + change), velocity - change), bold)
    way = abs(limits[LOWER, j] - previous)
    careful, bold = math.sqrt(half * half + a * way) - half, math.sqrt(whole * whole + 2.0 * a * way) - whole
    low = -min(max(min(min(rate, careful), -velocity + change), -velocity - change), bold)
    # A joint that was off begins as in a tick of one period, however long it was off.
    first = math.inf if state[ON, j] > 0.0 else a * period * period
    # Where one side must brake harder than `change`, the other gives way.
    if velocity > 0.0:
        low = min(low, high)
    else:
        high = max(low, high)
    return previous + max(low * dt, -first), previous + min(high * dt, first)


@inlined
def _asked(state: Array2, leaders: Index1, vector: Array1, mode: int, hits: Flags2) -> None:
    """Replace what is no number, what may not be followed, and what does not agree with the joint that leads."""
    nj = len(leaders)
    for j in range(nj):
        for row in range(5):
            if not math.isfinite(vector[row * nj + j]):
                hits[NOT_FINITE, j] = True
                held = state[HELD_P + row - GAIN_P, j] if GAIN_P <= row <= GAIN_D else state[row, j]
                if row == POSITION:
                    vector[nj + j] = 0.0
                vector[row * nj + j] = held
        if mode == STALE:
            vector[j] = state[POSITION, j]
            vector[nj + j] = 0.0
            vector[2 * nj + j], vector[3 * nj + j] = state[HELD_P, j], state[HELD_D, j]
            vector[4 * nj + j] = 0.0
        elif mode != FREE:
            for row in range(1, 5):
                vector[row * nj + j] = 0.0
    for j in range(nj):
        leader = leaders[j]
        if leader != j:
            for row in range(5):
                if vector[row * nj + j] != vector[row * nj + leader]:
                    hits[COUPLED, j] = True
                    vector[row * nj + j] = vector[row * nj + leader]


@inlined
def _limit_rest(limits: Array2, vector: Array1, j: int, hits: Flags2, shown: Array2) -> None:
    """Keep velocity, gains and torque of a joint within their limits; ``shown`` gets what was asked."""
    nj = limits.shape[1]
    speed, rate = vector[nj + j], limits[RATE, j]
    shown[1, j] = speed
    if not (-rate <= speed <= rate):
        hits[VELOCITY_LIMIT, j] = True
        vector[nj + j] = min(max(speed, -rate), rate)
    kp, kd = vector[2 * nj + j], vector[3 * nj + j]
    stiff, damped = not (0.0 <= kp <= limits[KP, j]), not (0.0 <= kd <= limits[KD, j])
    if stiff or damped:
        hits[GAIN_LIMIT, j] = True
        shown[2, j] = kp if stiff else kd
        vector[2 * nj + j] = min(max(kp, 0.0), limits[KP, j])
        vector[3 * nj + j] = min(max(kd, 0.0), limits[KD, j])
    torque, effort = vector[4 * nj + j], limits[EFFORT, j]
    shown[3, j] = torque
    if not (-effort <= torque <= effort):
        hits[TORQUE_LIMIT, j] = True
        vector[4 * nj + j] = min(max(torque, -effort), effort)


@inlined
def _limit_position(
    limits: Array2,
    state: Array2,
    vector: Array1,
    j: int,
    period: float,
    elapsed: float,
    span: float,
    regular: bool,
    hits: Flags2,
) -> bool:
    """Keep a joint's position within all limits; whether it is behind its target.

    The velocity request of a joint that is held back follows the position. A joint that is behind its moving target
    approaches it as fast as it can still brake relative to the target; without this it would shoot past the target and
    swing back.
    """
    nj = limits.shape[1]
    asked, previous, on = vector[j], state[POSITION, j], vector[2 * nj + j] > 0.0
    lower, upper = limits[LOWER, j], limits[UPPER, j]
    rate, a = limits[RATE, j], limits[ACCELERATION, j]
    target = min(max(asked, lower), upper)
    velocity = state[STEP, j] / span
    if regular:
        low, high = _bounds(limits, state, j, period, velocity)
        gain = a * period
    else:
        low, high = _bounds_by_time(limits, state, j, period, elapsed, span, velocity)
        gain = a * elapsed
    speed = min(max((target - state[TARGET, j]) / elapsed, -rate), rate)
    gap = state[TARGET, j] - previous
    distance = abs(gap)
    goal = target
    if not (low <= target <= high and distance <= gain * elapsed):
        closing = math.sqrt(gain * gain + 2.0 * a * distance) - gain
        side = 1.0 if gap > 0.0 else (-1.0 if gap < 0.0 else 0.0)
        goal = previous + (speed + side * closing) * elapsed
    limited = min(max(min(max(goal, low), high), lower), upper)
    # Braking onto a position limit would end a rounding before it, and hold the joint back for ever.
    if abs(limited - target) <= ARRIVED * gain * elapsed:
        limited = target
    state[TARGET, j] = target
    outside: bool = on and target != asked
    late: bool = on and limited != target
    if outside:
        hits[POSITION_LIMIT, j] = True
    if late:
        fast = abs(target - previous) > rate * elapsed * (1.0 + 1e-9)
        hits[RATE_LIMIT if fast else ACCELERATION_LIMIT, j] = True
    if (outside or late) and vector[nj + j] != 0.0:
        vector[nj + j] = min(max((limited - previous) / elapsed, -rate), rate)
    vector[j] = limited if on else target
    return late


@lazy_entry
def guard_tick(
    table: Table,
    period: float,
    vector: Array1,
    elapsed: float,
    span: float,
    regular: bool,
    may_pass: bool,
    anchored: bool,
    mode: int,
    gain: float,
) -> int:
    """Check a command, (5 nj,), change it in place where it must be, and remember it.

    Args:
        table: Arrays that stay where they are (`andante.kernels.held`), in this order: rows of limits, (7, nj); the
            joint whose motor moves each joint, (nj,); the guard's memory, (12, nj); room for what was asked: position,
            velocity, gain, torque, (4, nj), and for which joints were changed, and why, (12, nj); ticks with an
            intervention, (12, nj), where a kind that hits a joint for the first time is left to the caller.
        period: Time between two commands [s].
        vector: The command.
        elapsed: Time since the last one, exactly a period where it is one; 0: no time has passed [s].
        span: Time of the last step [s].
        regular: Whether both are a period.
        may_pass: Whether the command may pass as it is.
        anchored: Whether the memory has the measured positions of joints that are off.
        mode: `FREE`, `STALE`, `LIMP` or `UNMEASURED`.
        gain: Factor on gains, below 1 where the robot falls.

    Returns:
        `PASSED`, `UNANCHORED`, or a bit for each kind that hit a joint for the first time, and `STOOD`, `BEHIND` and
        `ALL_ON`.
    """
    limits, leaders, state = floats2(table, 0), index1(table, 1), floats2(table, 2)
    nj = limits.shape[1]
    if may_pass and _passes(limits, leaders, state, vector, period):
        for j in range(nj):
            for row in range(5):
                state[row, j] = vector[row * nj + j]
            state[TARGET, j], state[HELD_P, j] = vector[j], vector[2 * nj + j]
            state[HELD_D, j] = vector[3 * nj + j]
        return PASSED
    if not anchored:
        return UNANCHORED
    shown, hits, counts = floats2(table, 3), flags2(table, 4), index2(table, 5)
    for kind in range(hits.shape[0]):
        for j in range(nj):
            hits[kind, j] = False
    _asked(state, leaders, vector, mode, hits)
    behind, stood, all_on = False, False, True
    for j in range(nj):
        # A joint that was off and has no angle, now or a tick before, stays off: nobody knows where it is.
        if state[FINITE, j] == 0.0 and state[ON, j] == 0.0 and vector[2 * nj + j] > 0.0:
            hits[BLIND, j] = True
            for row in range(1, 5):
                vector[row * nj + j] = 0.0
        _limit_rest(limits, vector, j, hits, shown)
        state[HELD_P, j], state[HELD_D, j] = vector[2 * nj + j], vector[3 * nj + j]
        vector[2 * nj + j] *= gain
        vector[3 * nj + j] *= gain
        shown[0, j] = vector[j]
        previous, on = state[POSITION, j], vector[2 * nj + j] > 0.0
        if elapsed == 0.0:
            target = min(max(vector[j], limits[LOWER, j]), limits[UPPER, j])
            if on and target != previous:
                stood = True
                vector[nj + j] = 0.0
            vector[j] = previous if on else target
        else:
            behind |= _limit_position(limits, state, vector, j, period, elapsed, span, regular, hits)
            state[STEP, j] = vector[j] - previous
        state[ON, j] = 1.0 if on else 0.0
        state[STEP, j] *= state[ON, j]
        all_on &= on
        for row in range(5):
            state[row, j] = vector[row * nj + j]
    code = 0
    for kind in range(hits.shape[0]):
        fresh = False
        for j in range(nj):
            fresh |= hits[kind, j] and counts[kind, j] == 0
        if fresh:
            code |= 1 << kind
        else:
            for j in range(nj):
                counts[kind, j] += hits[kind, j]
    return code | (STOOD if stood else 0) | (BEHIND if behind else 0) | (ALL_ON if all_on else 0)
