"""Boards without edges: rolling ground, side slope, gully, the flat lane."""

from __future__ import annotations

import math

import numpy as np

from andante.terrain.boards.course import WIDTH, BoardKind, Course
from andante.terrain.solids import Log

_WAVES = 6
_LEVEL_UNDER_LOGS = 0.3


def _rolling(course: Course) -> None:
    """Waves of many directions; a long wave is as much higher as it is longer, so that none is steep alone."""
    x, y = course.nodes()
    rng, heights = course.rng, np.zeros_like(x)
    for length in rng.uniform(course.values["shortest"], course.values["longest"], _WAVES):
        heading, phase = rng.uniform(0.0, math.pi), rng.uniform(0.0, 2.0 * math.pi)
        heights += length * np.sin(2.0 * math.pi * (x * math.cos(heading) + y * math.sin(heading)) / length + phase)
    # Half of highest to lowest is the amplitude.
    heights -= 0.5 * (heights.max() + heights.min())
    heights *= course.values["amplitude"] / heights.max()
    course.surface = heights * course.ramp(x, 0.2)


def _side_slope(course: Course) -> None:
    """The lane turns about its long axis; on every second board (by the seed) logs lie across."""
    x, y = course.nodes()
    slope = math.tan(course.values["slope"])
    side = course.rng.choice((-1.0, 1.0))
    course.surface = side * slope * y * course.ramp(x)
    low, high = course.middle
    if course.rng.uniform() < course.values["logs"]:
        angle = math.atan(side * slope)
        first, last = low + _LEVEL_UNDER_LOGS, high - _LEVEL_UNDER_LOGS
        for spot in np.linspace(first, last, 4):
            axis = (0.0, math.cos(angle), math.sin(angle))
            course.solids.append(Log((float(spot), 0.0, 0.0), axis, course.values["radius"], 0.6 * WIDTH))


def _gully(course: Course) -> None:
    """Both sides of the lane rise from its middle."""
    x, y = course.nodes()
    course.surface = math.tan(course.values["slope"]) * np.abs(y) * course.ramp(x)


def _flat(course: Course) -> None:
    """Nothing but the floor."""


def _degrees(low: float, high: float) -> tuple[float, float]:
    return math.radians(low), math.radians(high)


SMOOTH = (
    BoardKind(
        "rolling",
        "waves of 15 to 50 cm",
        {"amplitude": (0.01, 0.06), "shortest": (0.15, 0.15), "longest": (0.5, 0.5)},
        _rolling,
    ),
    BoardKind(
        "side-slope",
        "ground that falls to the side, half of the boards with logs across",
        {"slope": _degrees(5.0, 25.0), "radius": (0.01, 0.025), "logs": (0.5, 0.5)},
        _side_slope,
    ),
    BoardKind("gully", "a V along the lane", {"slope": _degrees(15.0, 30.0)}, _gully),
    BoardKind("flat", "level ground for speed", {}, _flat),
)
"""Kinds of boards without edges."""
