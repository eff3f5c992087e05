"""Boards of blocks: gaps and holes, steps, mesa, barrier, block field."""

from __future__ import annotations

import numpy as np

from andante.terrain.boards.course import DEEP, LENGTH, WIDTH, BoardKind, Course
from andante.terrain.solids import Box

_PLATEAU = 0.6
_LEAST_TREAD, _LARGEST_TREAD, _MOST_STEPS = 0.15, 0.30, 4
_LANDING = 0.2


def _gaps(course: Course) -> None:
    """Two trenches across, then a part with square holes."""
    values, rng, yaw = course.values, course.rng, course.values["yaw"]
    course.floor = -DEEP
    low, high = course.middle
    half, width = 0.5 * LENGTH, values["width"]
    free = half - low - 2.0 * width - _LANDING
    first = low + rng.uniform(0.0, free / 3.0)
    second = first + width + _LANDING + rng.uniform(0.0, free / 3.0)
    edges = [-half, first, first + width, second, second + width]
    for start, end in zip(edges[::2], [*edges[1::2], half], strict=True):
        course.block(start, end, 0.0, yaw)
    if values["holes"] <= 0.0:
        course.block(half, LENGTH + half, 0.0, yaw)
        return
    course.block(high, LENGTH + half, 0.0, yaw)
    size = values["hole_size"]
    rows, columns = round((high - half) / size), round(WIDTH / size)
    length, across = (high - half) / rows, WIDTH / columns
    holes = rng.permutation(rows * columns)[: round(values["holes"] * rows * columns)]
    c, s = np.cos(yaw), np.sin(yaw)
    if yaw != 0.0:
        for side in (-1.0, 1.0):
            ahead, aside = 0.5 * (high - half), side * 0.5 * (WIDTH + half)
            beside = (half + c * ahead - s * aside, s * ahead + c * aside, -0.5 * DEEP)
            course.solids.append(Box(_floats(beside), (0.5 * (high - half), 0.5 * half, 0.5 * DEEP), yaw))
    for cell in range(rows * columns):
        if cell in holes:
            continue
        ahead, side = (cell // columns + 0.5) * length, (cell % columns + 0.5) * across - 0.5 * WIDTH
        centre = (half + c * ahead - s * side, s * ahead + c * side, -0.5 * DEEP)
        course.solids.append(Box(_floats(centre), (0.5 * length, 0.5 * across, 0.5 * DEEP), yaw))


def _steps(course: Course) -> None:
    """One to four steps up and as many down."""
    low, high = course.middle
    drawn = int(course.rng.integers(1, _MOST_STEPS + 1))
    count = round(course.values["count"]) or drawn
    treads = 2 * count - 1
    longest = min(_LARGEST_TREAD, (high - low) / treads)
    tread = course.rng.uniform(min(_LEAST_TREAD, longest), longest)
    start = 0.5 * LENGTH - 0.5 * treads * tread + course.rng.uniform(-0.5, 0.5) * (high - low - treads * tread)
    for level in range(count):
        bottom = level * course.values["riser"]
        first, last = start + level * tread, start + (treads - level) * tread
        course.block(first, last, bottom + course.values["riser"], course.values["yaw"], bottom)


def _mesa(course: Course) -> None:
    """A step up, a plateau, a step down."""
    low, high = course.middle
    start = low + course.rng.uniform(0.25, 0.75) * (high - low - _PLATEAU)
    course.block(start, start + _PLATEAU, course.values["height"], course.values["yaw"])


def _barrier(course: Course) -> None:
    """A wall across the lane."""
    low, high = course.middle
    start = course.rng.uniform(low + 0.3, high - 0.3)
    course.block(start, start + course.values["thickness"], course.values["height"], course.values["yaw"])


def _blocks(course: Course) -> None:
    """Square blocks side by side, each of its own height."""
    low, high = course.middle
    size = course.values["size"]
    rows, columns = round((high - low) / size), round(WIDTH / size)
    length, across = (high - low) / rows, WIDTH / columns
    heights = course.rng.uniform(0.0, course.values["height"], (rows, columns))
    for row in range(rows):
        for column in range(columns):
            half = 0.5 * float(heights[row, column])
            if half <= 0.0:
                continue
            centre = (low + (row + 0.5) * length, (column + 0.5) * across - 0.5 * WIDTH, half)
            course.solids.append(Box(centre, (0.5 * length, 0.5 * across, half)))


def _floats(values: tuple[float, ...]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z


_STRAIGHT = (0.0, 0.0)
BLOCKS = (
    BoardKind(
        "gaps",
        "two trenches 10 cm deep, then square holes",
        {"width": (0.03, 0.14), "holes": (0.1, 0.3), "hole_size": (0.04, 0.08), "yaw": _STRAIGHT},
        _gaps,
    ),
    BoardKind(
        "steps",
        "one to four steps up and down",
        {"riser": (0.02, 0.108), "count": _STRAIGHT, "yaw": _STRAIGHT},
        _steps,
    ),
    BoardKind("mesa", "up, a plateau of 60 cm, down", {"height": (0.02, 0.108), "yaw": _STRAIGHT}, _mesa),
    BoardKind(
        "barrier",
        "a wall across",
        {"height": (0.03, 0.108), "thickness": (0.05, 0.02), "yaw": _STRAIGHT},
        _barrier,
    ),
    BoardKind("blocks", "a field of blocks of 5 cm", {"height": (0.01, 0.06), "size": (0.05, 0.05)}, _blocks),
)
"""Kinds of boards made of blocks."""
