"""How a keyframe is travelled: the curves, and how many ticks a duration takes.

Facts: docs/sources/keyframe-engine.md, sections 2.2 (clock) and 2.3 (curves).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from andante.motions.errors import MotionError
from andante.motions.keyframe import Interpolation
from andante.spatial.arrays import Array

_MICROSECONDS = 1_000_000
_TICK_SHARE = 4
"""The last quarter of a tick counts as done: 3 ms of the original's 12 ms tick."""


def linear(ratio: float) -> float:
    """u = r."""
    return ratio


def sine_min_to_max(ratio: float) -> float:
    """u = 0.5 sin(pi r - pi/2) + 0.5: slow at both ends."""
    return 0.5 * math.sin(math.pi * ratio - 0.5 * math.pi) + 0.5


def sine_zero_to_max(ratio: float) -> float:
    """u = sin(pi r / 2): fast at the start, slow at the end."""
    return math.sin(0.5 * math.pi * ratio)


CURVES: Mapping[Interpolation, Callable[[float], float]] = {
    Interpolation.LINEAR: linear,
    Interpolation.SINE_MIN_TO_MAX: sine_min_to_max,
    Interpolation.SINE_ZERO_TO_MAX: sine_zero_to_max,
}
"""Share of the way by share of the duration (0 to 1), for every interpolation but default."""

PEAK_SPEED: Mapping[Interpolation, float] = {
    Interpolation.LINEAR: 1.0,
    Interpolation.SINE_MIN_TO_MAX: 0.5 * math.pi,
    Interpolation.SINE_ZERO_TO_MAX: 0.5 * math.pi,
}
"""Largest slope of each curve."""


def curve_array(interpolation: Interpolation, ratios: ArrayLike) -> Array:
    """Shares of the way, (n,), for shares of the duration, (n,); ``interpolation`` is not default."""
    values = np.asarray(ratios, dtype=np.float64)
    if interpolation is Interpolation.SINE_MIN_TO_MAX:
        return np.asarray(0.5 * np.sin(math.pi * values - 0.5 * math.pi) + 0.5)
    if interpolation is Interpolation.SINE_ZERO_TO_MAX:
        return np.asarray(np.sin(0.5 * math.pi * values))
    return values.copy()


def effective_interpolation(own: Interpolation, block: Interpolation) -> Interpolation:
    """The curve of a keyframe: its own, else its block's, else linear."""
    for choice in (own, block):
        if choice is not Interpolation.DEFAULT:
            return choice
    return Interpolation.LINEAR


def keyframe_ticks(duration: float, tick: float) -> int:
    """Number of ticks that a keyframe takes, at least 1.

    With e = tick / 4 it is ``floor((duration - e) / tick) + 1`` from e on; below e it is 1. Counted in whole
    microseconds, so that decimal durations fall on the side on which they are written.

    Args:
        duration: Duration of the keyframe [s].
        tick: Period of the motion cycle [s].
    """
    length, period = round(duration * _MICROSECONDS), round(tick * _MICROSECONDS)
    done = period // _TICK_SHARE
    return (length - done) // period + 1 if length >= done else 1


def require_whole_ticks(duration: float, tick: float, of: str) -> None:
    """Refuse keyframes of a duration that is no whole number of ticks.

    Args:
        duration: Duration of each [s].
        tick: Period of the motion cycle [s].
        of: What they are of, as a refusal calls it.

    Raises:
        MotionError: It is none.
    """
    if abs(keyframe_ticks(duration, tick) * tick - duration) > 1e-9:
        raise MotionError(f"{of}'s keyframes are no whole ticks", value=duration, limit=f"multiples of {tick:g} s")


def keyframe_ratios(duration: float, tick: float) -> Array:
    """Share of the duration that has passed at each tick, (keyframe_ticks,); the last is 1.

    Args:
        duration: Duration of the keyframe [s].
        tick: Period of the motion cycle [s].
    """
    count = keyframe_ticks(duration, tick)
    length, period = max(round(duration * _MICROSECONDS), 1), round(tick * _MICROSECONDS)
    ratios: Array = np.arange(1.0, count + 1.0) * (period / length)
    ratios[-1] = 1.0
    return ratios
