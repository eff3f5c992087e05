"""Shaping a height map by hand: brushes that raise, lower and flatten, boxes, gaps and ramps.

The same stroke on the same map always gives the same map, in however many parts a hand draws it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.height_map import HeightMap, TerrainError

Tool = Literal["raise", "lower", "flatten", "box", "gap", "ramp"]
"""What a stroke does, see `Stroke.tool`."""
TOOLS: tuple[str, ...] = get_args(Tool)
HIGHEST = 5.0
"""Farthest from zero that a shaped ground comes [m]."""
MOST_NODES = 1_000_000
"""Largest board that is made to draw on [nodes]."""
_RIM = 1e-9


@dataclass(frozen=True)
class Stroke:
    """One movement of a tool.

    Raises:
        TerrainError: An unknown tool, no points, numbers that are not finite, or a radius or height not above zero.
    """

    tool: Tool
    """raise, lower: by ``height`` along the line, less towards the brush's rim; flatten: towards the height of the
    first point; box, gap: everything in the rectangle between the nodes nearest to first and last point is level,
    ``height`` above or below the first point; ramp: from the first to the last point, ``height`` up, twice ``radius``
    wide."""
    points: tuple[tuple[float, float], ...]
    """Places on the way [m]."""
    height: float
    """How far up or down [m]."""
    radius: float
    """Half the width of brush or ramp [m]."""

    def __post_init__(self) -> None:
        if self.tool not in TOOLS:
            raise TerrainError("there is no such tool", value=self.tool, legal=TOOLS)
        if not self.points or not np.isfinite(np.array(self.points)).all():
            raise TerrainError("a stroke needs points that are finite", value=self.points[:3])
        for name, most in (("height", HIGHEST), ("radius", math.inf)):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0.0 < value <= most):
                raise TerrainError(
                    f"the {name} of a stroke is out of range", value=value, limit=f"above 0 to {most:g} m"
                )


@dataclass(frozen=True, eq=False)
class Patch:
    """A rectangle of a map."""

    i: int
    """Its first row along x."""
    j: int
    """Its first column along y."""
    heights: Array
    """Heights of its nodes, (n, m) [m]."""

    @property
    def part(self) -> tuple[slice, slice]:
        """Where it lies in the map."""
        n, m = self.heights.shape
        return slice(self.i, self.i + n), slice(self.j, self.j + m)


def shaped(ground: HeightMap, stroke: Stroke) -> Patch:
    """What a stroke makes of the ground: the rectangle that changes.

    Raises:
        TerrainError: It begins off the map, touches no node, or would come too high or too low.
    """
    first = np.array(stroke.points[0])
    level = float(ground.at(first))
    points = np.array(stroke.points)
    if stroke.tool in ("box", "gap"):
        # Corners are nodes: a block has upright sides between nodes, and one is never lost between two of them.
        points = ground.origin + np.round((points - ground.origin) / ground.spacing) * ground.spacing
    reach = 0.0 if stroke.tool in ("box", "gap") else stroke.radius
    used = points[[0, -1]] if stroke.tool in ("box", "gap", "ramp") else points
    rows, columns = _window(ground, used.min(axis=0) - reach, used.max(axis=0) + reach)
    before = ground.heights[rows, columns]
    x, y = np.meshgrid(ground.x[rows], ground.y[columns], indexing="ij")
    if stroke.tool in ("box", "gap"):
        after = np.full(before.shape, level + (stroke.height if stroke.tool == "box" else -stroke.height))
    elif stroke.tool == "ramp":
        after = _ramp(before, x, y, points[0], points[-1], level, stroke)
    else:
        weight = _brush(ground, points, stroke.radius, rows, columns)
        if stroke.tool == "flatten":
            after = before + weight * (level - before)
        else:
            after = before + weight * (stroke.height if stroke.tool == "raise" else -stroke.height)
    if not before.size:
        raise TerrainError("the stroke touches no node of the map", value=stroke.points[0])
    worst = float(after.flat[int(np.argmax(np.abs(after)))])
    if abs(worst) > HIGHEST:
        raise TerrainError("the ground would come too far up or down", value=worst, limit=f"{HIGHEST:g} m")
    return Patch(rows.start, columns.start, after)


def level_map(length: float, width: float, spacing: float) -> HeightMap:
    """Level ground at height 0 [m], x from 0 and y about 0, to draw on.

    Raises:
        TerrainError: Lengths that make no grid.
    """
    for name, value in (("length", length), ("width", width), ("spacing", spacing)):
        if not (math.isfinite(value) and value > 0.0):
            raise TerrainError(f"the {name} of a board must be above zero", value=value)
    shape = (round(length / spacing) + 1, 2 * round(0.5 * width / spacing) + 1)
    if shape[0] * shape[1] > MOST_NODES:
        raise TerrainError("the board has too many nodes", value=shape, limit=f"{MOST_NODES} in all")
    return HeightMap(np.zeros(shape), (0.0, -spacing * (shape[1] // 2)), spacing)


def _window(ground: HeightMap, low: Array, high: Array) -> tuple[slice, slice]:
    """Rows and columns of the nodes in a rectangle."""
    first = np.ceil((low - ground.origin) / ground.spacing - _RIM)
    last = np.floor((high - ground.origin) / ground.spacing + _RIM)
    begin = np.clip(first, 0, ground.heights.shape).astype(np.int64)
    end = np.clip(last + 1, begin, ground.heights.shape).astype(np.int64)
    return slice(int(begin[0]), int(end[0])), slice(int(begin[1]), int(end[1]))


def _brush(ground: HeightMap, points: Array, radius: float, rows: slice, columns: slice) -> Array:
    """How much of a brush's effect each node of a window gets: 1 on the line, 0 from the radius on, a cosine between.

    A node gets the most that any part of the line gives it, so that a slow hand changes nothing.
    """
    weight = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
    ends = list(pairwise(points)) if len(points) > 1 else [(points[0], points[0])]
    for a, b in ends:
        near, beside = _window(ground, np.minimum(a, b) - radius, np.maximum(a, b) + radius)
        if near.start >= near.stop or beside.start >= beside.stop:
            continue
        x, y = np.meshgrid(ground.x[near], ground.y[beside], indexing="ij")
        way = b - a
        square = max(float(way @ way), 1e-18)
        share = np.clip(((x - a[0]) * way[0] + (y - a[1]) * way[1]) / square, 0.0, 1.0)
        away = np.hypot(x - a[0] - share * way[0], y - a[1] - share * way[1])
        given = 0.5 + 0.5 * np.cos(np.pi * np.minimum(away / radius, 1.0))
        part = (
            slice(near.start - rows.start, near.stop - rows.start),
            slice(beside.start - columns.start, beside.stop - columns.start),
        )
        weight[part] = np.maximum(weight[part], given)
    return weight


def _ramp(before: Array, x: Array, y: Array, a: Array, b: Array, level: float, stroke: Stroke) -> Array:
    way = b - a
    length = float(np.hypot(*way))
    if length < _RIM:
        return np.array(before)
    along = ((x - a[0]) * way[0] + (y - a[1]) * way[1]) / length
    across = np.abs((y - a[1]) * way[0] - (x - a[0]) * way[1]) / length
    on = (along >= -_RIM) & (along <= length + _RIM) & (across <= stroke.radius + _RIM)
    return np.where(on, level + stroke.height * np.clip(along / length, 0.0, 1.0), before)
