"""Boards of things that lie about: rocks, tilted rocks, stepping stones, logs."""

from __future__ import annotations

import math

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.boards.course import DEEP, LENGTH, WIDTH, BoardKind, Course
from andante.terrain.solids import Log, Rock, Stone

_CELL = 0.07
_NARROW, _WIDE = 0.04, 0.12
_LOW = 0.01
_BURIED = 0.005
_TURN = math.radians(30.0)
_LEAST_SPACING = 0.01


def _rocks(course: Course) -> None:
    """A rock in most cells of a jittered grid."""
    _scatter(course, 0.0)


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
    course.block(-0.5 * LENGTH, low, 0.0)
    course.block(high, 1.5 * LENGTH, 0.0)
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
        course.solids.append(Log((float(x), 0.0, 0.0), axis, radius, 0.5 * WIDTH / math.cos(yaw)))
        x += spacing * course.rng.uniform(0.8, 1.2)


def _scatter(course: Course, rise: float) -> None:
    """Rocks on ground that rises at this rate to both sides of the level middle."""
    values, rng = course.values, course.rng
    low, high = course.middle
    rows, columns = round((high - low) / _CELL), round(WIDTH / _CELL)
    for row in range(rows):
        for column in range(columns):
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


SCATTERED = (
    BoardKind("rocks", "uneven rocks of 4 to 12 cm", {"height": (0.01, 0.08), "density": (0.6, 0.95)}, _rocks),
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
        {"height": (0.01, 0.08), "density": (0.6, 0.95), "pitch": (math.radians(10.0), math.radians(10.0))},
        _tilted_rocks,
    ),
)
"""Kinds of boards of scattered bodies."""
