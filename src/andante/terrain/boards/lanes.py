"""Boards on the lane that scale with the robot: without edges, of blocks, and of things that lie about."""

from __future__ import annotations

import math

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.boards.course import DEEP, WIDTH, BoardKind, Course
from andante.terrain.solids import Box, LyingLog, Rock, Stone

_WAVES = 6
_LEVEL_UNDER_LOGS = 0.3
_PLATEAU = 0.6
_LEAST_TREAD, _LARGEST_TREAD, _MOST_STEPS = 0.15, 0.30, 4
_LANDING = 0.2
_CELL = 0.07
_NARROW, _WIDE = 0.04, 0.12
_LOW = 0.01
_BURIED = 0.005
_TURN = math.radians(30.0)
_LEAST_SPACING = 0.01


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
            course.solids.append(LyingLog((float(spot), 0.0, 0.0), axis, course.values["radius"], 0.6 * WIDTH))


def _gully(course: Course) -> None:
    """Both sides of the lane rise from its middle."""
    x, y = course.nodes()
    course.surface = math.tan(course.values["slope"]) * np.abs(y) * course.ramp(x)


def _flat(course: Course) -> None:
    """Nothing but the floor."""


def _gaps(course: Course) -> None:
    """Two trenches across, then a part with square holes."""
    values, rng, yaw = course.values, course.rng, course.values["yaw"]
    course.floor = -DEEP
    low, high = course.middle
    half, width = 0.5 * course.length, values["width"]
    free = half - low - 2.0 * width - _LANDING
    first = low + rng.uniform(0.0, free / 3.0)
    second = first + width + _LANDING + rng.uniform(0.0, free / 3.0)
    edges = [-half, first, first + width, second, second + width]
    for start, end in zip(edges[::2], [*edges[1::2], half], strict=True):
        course.block(start, end, 0.0, yaw)
    if values["holes"] <= 0.0:
        course.block(half, course.length + half, 0.0, yaw)
        return
    course.block(high, course.length + half, 0.0, yaw)
    size = values["hole_size"]
    rows, columns = round((high - half) / size), round(WIDTH / size)
    length, across = (high - half) / rows, WIDTH / columns
    holes = rng.permutation(rows * columns)[: round(values["holes"] * rows * columns)]
    c, s = float(np.cos(yaw)), float(np.sin(yaw))
    if yaw != 0.0:
        for side in (-1.0, 1.0):
            ahead, aside = 0.5 * (high - half), side * 0.5 * (WIDTH + half)
            beside = (half + c * ahead - s * aside, s * ahead + c * aside, -0.5 * DEEP)
            course.solids.append(Box(beside, (0.5 * (high - half), 0.5 * half, 0.5 * DEEP), yaw))
    for cell in range(rows * columns):
        if cell in holes:
            continue
        ahead, side = (cell // columns + 0.5) * length, (cell % columns + 0.5) * across - 0.5 * WIDTH
        centre = (half + c * ahead - s * side, s * ahead + c * side, -0.5 * DEEP)
        course.solids.append(Box(centre, (0.5 * length, 0.5 * across, 0.5 * DEEP), yaw))


def _steps(course: Course) -> None:
    """One to four steps up and as many down."""
    low, high = course.middle
    drawn = int(course.rng.integers(1, _MOST_STEPS + 1))
    count = round(course.values["count"]) or drawn
    treads = 2 * count - 1
    longest = min(_LARGEST_TREAD, (high - low) / treads)
    tread = course.rng.uniform(min(_LEAST_TREAD, longest), longest)
    start = 0.5 * course.length - 0.5 * treads * tread + course.rng.uniform(-0.5, 0.5) * (high - low - treads * tread)
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
    for (row, column), height in np.ndenumerate(heights):
        half = 0.5 * float(height)
        if half > 0.0:
            centre = (low + (row + 0.5) * length, (column + 0.5) * across - 0.5 * WIDTH, half)
            course.solids.append(Box(centre, (0.5 * length, 0.5 * across, half)))


def _tilted_rocks(course: Course) -> None:
    """The same on a board that rises, is level for 20 cm and falls again."""
    low, high = course.middle
    rise = 0.5 * (high - low - 0.2)
    top = rise * math.tan(course.values["pitch"])
    half = 0.5 * WIDTH
    corners = [(low, 0.0), (low + rise, top), (high - rise, top), (high, 0.0)]
    course.solids.append(Rock(np.array([(x, side * half, z) for x, z in corners for side in (-1.0, 1.0)])))
    _scatter(course, math.tan(course.values["pitch"]))


def _stepping_stones(course: Course) -> None:
    """Round posts on a grid whose rows are shifted by half, all around them a pit."""
    values, rng = course.values, course.rng
    course.floor = -DEEP
    low, high = course.middle
    course.block(-0.5 * course.length, low, 0.0)
    course.block(high, 1.5 * course.length, 0.0)
    pitch = values["diameter"] + values["gap"]
    rows = max(1, int((high - low - values["gap"]) / (pitch * math.sqrt(0.75))))
    spread = (high - low) / (rows + 1)
    for row in range(rows):
        shift = 0.5 * pitch * (row % 2)
        for column in range(-math.ceil(0.5 * WIDTH / pitch) - 1, math.ceil(0.5 * WIDTH / pitch) + 1):
            y = column * pitch + shift
            # Draws come before the decision, so that the width of the lane changes no stone.
            dx, dy, dz = rng.uniform(-1.0, 1.0, 3)
            if abs(y) > 0.5 * WIDTH - 0.5 * values["diameter"]:
                continue
            top = dz * values["jitter"]
            centre = (
                low + (row + 1) * spread + 0.1 * values["gap"] * dx,
                y + 0.1 * values["gap"] * dy,
                0.5 * (top - DEEP),
            )
            course.solids.append(Stone(centre, 0.5 * values["diameter"], 0.5 * (top + DEEP)))


def _logs(course: Course) -> None:
    """Half cylinders across, each turned a little."""
    low, high = course.middle
    spacing, radius = course.values["spacing"], course.values["radius"]
    if spacing < _LEAST_SPACING:
        raise ValueError("logs without end")
    x = low + radius + 0.5 * spacing * course.rng.uniform()
    while x < high - radius:
        # A log near the level ends turns less, so that it stays off them.
        room = max(min(x - low, high - x) - radius / math.cos(_TURN), 0.0)
        most = min(_TURN, math.atan(room / (0.5 * WIDTH)))
        yaw = course.rng.uniform(-most, most)
        axis = (-math.sin(yaw), math.cos(yaw), 0.0)
        course.solids.append(LyingLog((float(x), 0.0, 0.0), axis, radius, 0.5 * WIDTH / math.cos(yaw)))
        x += spacing * course.rng.uniform(0.8, 1.2)


def _scatter(course: Course, rise: float = 0.0) -> None:
    """A rock in most cells of a jittered grid, on ground that rises at this rate to both sides of the level middle."""
    values, rng = course.values, course.rng
    low, high = course.middle
    rows, columns = round((high - low) / _CELL), round(WIDTH / _CELL)
    for row, column in np.ndindex(rows, columns):
        present = rng.uniform() < values["density"]
        dx, dy, width, height, turn = rng.uniform(0.0, 1.0, 5)
        shape = rng.uniform(0.0, 1.0, (2, 6))
        if not present:
            continue
        size = 0.5 * (_NARROW + (_WIDE - _NARROW) * width)
        x = np.clip(low + (row + 0.25 + 0.5 * dx) * (high - low) / rows, low + size, high - size)
        side = 0.5 * WIDTH - size
        y = np.clip((column + 0.25 + 0.5 * dy) * WIDTH / columns - 0.5 * WIDTH, -side, side)
        ground = rise * min(float(x) - low, high - float(x), 0.5 * (high - low - 0.2))
        top = _LOW + (values["height"] - _LOW) * height
        corners = _rock(size, top, 2.0 * math.pi * turn, shape)
        course.solids.append(Rock(corners + np.array([x, y, ground])))


def _rock(size: float, top: float, turn: float, shape: Array) -> Array:
    """Corners of a rock of radius ``size``: a hexagon below the ground, a smaller, uneven one on top."""
    around = turn + (np.arange(6) + 0.5 * (shape[0] - 0.5)) * math.pi / 3.0
    ring = np.stack([np.cos(around), np.sin(around)], axis=-1) * size
    upper = np.column_stack([ring * (0.55 + 0.25 * shape[1:].T), top * (0.75 + 0.25 * shape[0])])
    return np.concatenate([np.column_stack([ring, np.full(6, -_BURIED)]), upper])


def _degrees(low: float, high: float) -> tuple[float, float]:
    return math.radians(low), math.radians(high)


_STRAIGHT = (0.0, 0.0)
LANE_BOARDS = (
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
    BoardKind("rocks", "uneven rocks of 4 to 12 cm", {"height": (0.01, 0.08), "density": (0.6, 0.95)}, _scatter),
    BoardKind(
        "stepping-stones",
        "round stones over a pit of 10 cm",
        {"diameter": (0.08, 0.04), "gap": (0.03, 0.09), "jitter": (0.0, 0.02)},
        _stepping_stones,
    ),
    BoardKind("logs", "half cylinders across", {"radius": (0.015, 0.04), "spacing": (0.25, 0.10)}, _logs),
    BoardKind(
        "tilted-rocks",
        "rocks on a board that rises and falls",
        {"height": (0.01, 0.08), "density": (0.6, 0.95), "pitch": _degrees(10.0, 10.0)},
        _tilted_rocks,
    ),
)
"""Kinds of boards that scale with the robot."""
