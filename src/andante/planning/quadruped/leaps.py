"""Leaps of a body plan as a robot can do them: pushed off from rest by its legs, then in free fall.

A global plan gives the body its vertical speed at once, as its source does, and adds the legs' push to that. Legs
cannot: here the body's height is drawn anew over push, flight and landing with the plan's times and ways. It goes from
the height and vertical speed before the push to those of the take-off by a cubic, flies, and is braked by another.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.spatial.gravity import GRAVITY

Array = NDArray[np.float64]


def with_pushed_leaps(plan: BodyPlan, rise: float) -> BodyPlan:
    """The plan with its leaps drawn anew.

    Args:
        plan: A plan with or without leaps; a leap that is not pushed off and landed is left as it is.
        rise: How much higher than before the push the body is at take-off, and than afterwards at touch-down [m].
    """
    states, step = plan.states.copy(), plan.step
    rows, last = plan.primitives, len(plan.primitives) - 1
    start = 0
    while start <= last:
        if rows[start] != Primitive.LEAP_STANCE:
            start += 1
            continue
        off = _end(rows, start, Primitive.LEAP_STANCE)
        down = _end(rows, off, Primitive.FLIGHT)
        rest = min(_end(rows, down, Primitive.LAND_STANCE), last)
        if off < down < rest:
            _draw(states, max(start - 1, 0), off, down, rest, step, rise)
        start = max(rest, start + 1)
    return replace(plan, states=states)


def _end(rows: NDArray[np.int64], start: int, primitive: Primitive) -> int:
    """First row from ``start`` on that is of another primitive."""
    while start < len(rows) and rows[start] == primitive:
        start += 1
    return start


def _draw(states: Array, start: int, off: int, down: int, rest: int, step: float, rise: float) -> None:
    before, after = states[start, 2], states[rest, 2]
    high, low = before + rise, after + rise
    flight = (down - off) * step
    speed = (low - high) / flight + 0.5 * GRAVITY * flight
    _cubic(states, start, off, before, 0.0, high, speed, step)
    time = step * np.arange(down - off + 1)
    states[off : down + 1, 2] = high + speed * time - 0.5 * GRAVITY * time**2
    states[off : down + 1, 8] = speed - GRAVITY * time
    _cubic(states, down, rest, low, speed - GRAVITY * flight, after, 0.0, step)


def _cubic(
    states: Array, first: int, last: int, start: float, speed: float, end: float, end_speed: float, step: float
) -> None:
    """Heights and vertical speeds of rows from a place and speed to another by a Hermite cubic."""
    duration = (last - first) * step
    s = np.linspace(0.0, 1.0, last - first + 1)
    way = end - start
    states[first : last + 1, 2] = (
        start
        + way * s * s * (3.0 - 2.0 * s)
        + duration * speed * s * (1.0 - s) ** 2
        - duration * end_speed * s * s * (1.0 - s)
    )
    states[first : last + 1, 8] = (
        way * 6.0 * s * (1.0 - s) / duration + speed * (1.0 - s) * (1.0 - 3.0 * s) - end_speed * s * (2.0 - 3.0 * s)
    )
