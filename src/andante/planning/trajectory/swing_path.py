"""Where a foot goes through the air: up, over all that lies between, and down, by the shortest rounded way."""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, kernel
from andante.planning.feasibility.clearance import height_at
from andante.planning.feasibility.scene import Scene
from andante.spatial.arrays import Array, Array1, Array2, Array3

POINTS = 49
"""Points of a swing's path, evenly spaced along it."""
_LOOKS = 65
"""Places between both ends at which the ground is looked at."""
_STEEPNESS = 1.0
"""The clearance grows to the whole lift over this many lifts of way."""
_ROUNDING = 3
"""Half width of the mean that rounds corners, in points."""


@kernel
def swing_path(
    scene: Scene, start: Array, end: Array, lift: float, wide: float, back: float, aside: Array, path: Array
) -> None:
    """The path of a foot's centre.

    In the upright plane through both ends it is the upper convex hull of the ground that a ball touches plus a
    clearance that grows from either end: a taut string over pegs. It is then rounded.

    Args:
        scene: Robot and ground.
        start: Where the foot lifts off, (3,) [m].
        end: Where it lands, (3,) [m].
        lift: Clearance over the ground between [m].
        wide: How far before and behind what is highest the foot is above it [m].
        back: How far the foot keeps back half way up, or half way down, so that knee and shank pass the edge [m].
        aside: Which way and how far it goes aside half way, so that the folded leg passes the trunk, (2,) [m].
        path: Gets the points, (`POINTS`, 3) [m].
    """
    across = math.hypot(end[0] - start[0], end[1] - start[1])
    # A foot put down where it was still goes up and down.
    way = max(across, 2.0 * lift)
    least = min(start[2], end[2])
    heights = np.empty(_LOOKS)
    for n in range(_LOOKS):
        share = n / (_LOOKS - 1)
        x, y = start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
        heights[n] = max(height_at(scene, scene.foot, x, y), least)
    reach = int(wide / way * (_LOOKS - 1))
    hull = np.empty((_LOOKS, 2))
    size = 0
    for n in range(_LOOKS):
        share = n / (_LOOKS - 1)
        t = share * way
        if n == 0:
            z = start[2]
        elif n == _LOOKS - 1:
            z = end[2]
        else:
            z = heights[max(n - reach, 0) : n + reach + 1].max() + lift * min(
                1.0, min(t, way - t) / (_STEEPNESS * lift)
            )
        while size >= 2 and (hull[size - 1, 0] - hull[size - 2, 0]) * (z - hull[size - 2, 1]) >= (
            hull[size - 1, 1] - hull[size - 2, 1]
        ) * (t - hull[size - 2, 0]):
            size -= 1
        hull[size, 0], hull[size, 1] = t, z
        size += 1
    flat = np.empty((POINTS, 2))
    _resample(hull[:size], flat)
    for _ in range(2):
        _round(flat)
    even = np.empty((POINTS, 2))
    _resample(flat, even)
    for n in range(POINTS):
        share = even[n, 0] / way
        path[n, 0] = start[0] + share * (end[0] - start[0])
        path[n, 1] = start[1] + share * (end[1] - start[1])
        path[n, 2] = even[n, 1]
    path[0], path[POINTS - 1] = start, end
    if across > 1e-6:
        _keep_back(scene, back / across * (end - start), path)
    for n in range(1, POINTS - 1):
        share = n / (POINTS - 1)
        for axis in range(2):
            path[n, axis] += 4.0 * share * (1.0 - share) * aside[axis]


@kernel
def _keep_back(scene: Scene, way: Array, path: Array) -> None:
    """Bend the lower side of a path away from the edge that it goes over, by ``way`` (2,) [m] half way up or down."""
    up = path[len(path) - 1, 2] > path[0, 2]
    low, sign = (path[0, 2], -1.0) if up else (path[len(path) - 1, 2], 1.0)
    top = int(np.argmax(path[:, 2]))
    height = max(path[top, 2] - low, 1e-9)
    for n in range(1, len(path) - 1):
        if (n < top) != up:
            continue
        share = min(max((path[n, 2] - low) / height, 0.0), 1.0)
        bend = sign * 4.0 * share * (1.0 - share)
        x, y = path[n, 0] + bend * way[0], path[n, 1] + bend * way[1]
        # Not into what stands behind.
        if height_at(scene, scene.foot, x, y) < path[n, 2]:
            path[n, 0], path[n, 1] = x, y


@kernel
def _resample(line: Array, points: Array) -> None:
    """Points (n, 2) evenly spaced along a line of corners (m, 2)."""
    total = 0.0
    for n in range(1, len(line)):
        total += math.hypot(line[n, 0] - line[n - 1, 0], line[n, 1] - line[n - 1, 1])
    count = len(points)
    points[0], points[count - 1] = line[0], line[len(line) - 1]
    corner, before = 1, 0.0
    length = math.hypot(line[1, 0] - line[0, 0], line[1, 1] - line[0, 1])
    for n in range(1, count - 1):
        wanted = total * n / (count - 1)
        while before + length < wanted and corner < len(line) - 1:
            before += length
            corner += 1
            length = math.hypot(line[corner, 0] - line[corner - 1, 0], line[corner, 1] - line[corner - 1, 1])
        t = min((wanted - before) / max(length, 1e-12), 1.0)
        for axis in range(2):
            points[n, axis] = line[corner - 1, axis] + t * (line[corner, axis] - line[corner - 1, axis])


@kernel
def _round(points: Array) -> None:
    """Replace each point by the mean of its neighbours; the window shrinks towards the ends, which stay."""
    old = points.copy()
    count = len(points)
    for n in range(1, count - 1):
        reach = min(_ROUNDING, min(n, count - 1 - n))
        for axis in range(2):
            total = 0.0
            for m in range(n - reach, n + reach + 1):
                total += old[m, axis]
            points[n, axis] = total / (2 * reach + 1)


@kernel
def along_path(path: Array, share: float, place: Array) -> None:
    """The place (3,) at a share 0 to 1 of a path (n, 3) of evenly spaced points."""
    at = min(max(share, 0.0), 1.0) * (len(path) - 1)
    n = min(int(at), len(path) - 2)
    t = at - n
    for axis in range(3):
        place[axis] = path[n, axis] + t * (path[n + 1, axis] - path[n, axis])


@entry
def draw_paths(
    scene: Scene,
    starts: Array2,
    places: Array2,
    lifts: Array1,
    wide: Array1,
    back: Array1,
    aside: Array2,
    paths: Array3,
) -> None:
    """`swing_path` of all steps, (k, 3), (k, 3), (k,), (k,), (k,), (k, 2) to (k, m, 3)."""
    for step in range(len(lifts)):
        swing_path(scene, starts[step], places[step], lifts[step], wide[step], back[step], aside[step], paths[step])
