"""The limits of an engine's output, for all joints in one call per tick; see `output_limits` beside it."""

from __future__ import annotations

import math

from andante.kernels import inlined, lazy_entry
from andante.spatial.arrays import Array1, Array2, Index1

LOWER, UPPER, LOW, HIGH, MOST, CHANGE = range(6)
"""Rows of bounds, (6, nj): limits of positions [rad], where targets end [rad], the longest step of a tick [rad], and
its largest change from one tick to the next [rad]."""
POSITION, STEP, TARGET, ON, NEXT = range(5)
"""Rows of the memory, (5, nj): the last command [rad], its step [rad], its target [rad], 1 where the joint was on, and
room for this tick's step."""
ROWS = 5


@inlined
def _between(value: float, low: float, high: float) -> float:
    """The nearest number within bounds; NaN stays NaN."""
    if value < low:
        value = low
    if value > high:
        value = high
    return value


@inlined
def _step_to_rest(way: float, change: float) -> float:
    """Largest step d after which braking ends within a way: d + d^2 / (2 c) = way, with c the change per tick [rad]."""
    # As way (1 - ...) would lose all digits of a short way, the root is taken in its other form.
    return 2.0 * way / (1.0 + math.sqrt(1.0 + 2.0 * way / change))


@inlined
def _nearest(bounds: Array2, state: Array2, j: int, target: float) -> float:
    """The step of a joint that comes nearest to the target within the limits [rad]."""
    change, most, position, before = bounds[CHANGE, j], bounds[MOST, j], state[POSITION, j], state[STEP, j]
    gap = state[TARGET, j] - position
    # A joint that can be at its target now, with a speed relative to it that one tick can take away, goes there.
    if abs(gap) <= change:
        wished = target - position
    else:
        moved = _between(target - state[TARGET, j], -most, most)
        closing = _step_to_rest(abs(gap), change)
        wished = moved + (closing if gap > 0.0 else -closing)
    above, below = bounds[UPPER, j] - position, position - bounds[LOWER, j]
    up = min(most, _step_to_rest(above if above > 0.0 else 0.0, change))
    down = min(most, _step_to_rest(below if below > 0.0 else 0.0, change))
    high, low = min(up, before + change), max(-down, before - change)
    return _between(wished, min(low, high), high)


@lazy_entry
def limit_output(
    bounds: Array2,
    state: Array2,
    followers: Index1,
    leaders: Index1,
    wanted: Array1,
    stiffness: Array1,
    measured: Array1,
    position: Array1,
) -> None:
    """Keep what is wanted of the joints within their limits, and remember it.

    Args:
        bounds: Rows of bounds, (6, nj).
        state: The memory, (5, nj).
        followers: Joints that follow another one, (nf,).
        leaders: The joint that each of them follows, (nf,).
        wanted: Positions that are asked for, (nj,) [rad].
        stiffness: Stiffness, (nj,); joints without are off.
        measured: Measured positions, (nj,) [rad]: where a joint begins that was off.
        position: Gets the positions to command, (nj,) [rad].
    """
    within = True
    for j in range(len(wanted)):
        on = stiffness[j] > 0.0
        target = _between(wanted[j], bounds[LOW, j], bounds[HIGH, j])
        if not (on and state[ON, j] > 0.0):
            start = _between(measured[j], bounds[LOWER, j], bounds[UPPER, j])
            state[POSITION, j], state[TARGET, j], state[STEP, j] = start, start, 0.0
        change = bounds[CHANGE, j]
        way = target - state[POSITION, j]
        # The step, its change, the change relative to the target's own step, and where braking would end.
        bend, lag = way - state[STEP, j], way - target + state[TARGET, j]
        end = way * abs(way) / (2.0 * change) + target
        within &= (
            -bounds[MOST, j] <= way <= bounds[MOST, j]
            and -change <= bend <= change
            and -change <= lag <= change
            and bounds[LOWER, j] <= end <= bounds[UPPER, j]
        )
        state[NEXT, j] = way
    for j in range(len(wanted)):
        on = stiffness[j] > 0.0
        target = _between(wanted[j], bounds[LOW, j], bounds[HIGH, j])
        way = state[NEXT, j] if within else _nearest(bounds, state, j, target)
        # An off joint asks for nothing: it is told where it is.
        position[j] = state[POSITION, j] + way if on else target
        state[STEP, j] = way if on else 0.0
        state[TARGET, j], state[ON, j] = target, 1.0 if on else 0.0
    for number in range(len(followers)):
        follower, leader = followers[number], leaders[number]
        position[follower], state[STEP, follower] = position[leader], state[STEP, leader]
    for j in range(len(wanted)):
        state[POSITION, j] = position[j]
