"""What lies on the way of body and feet: wide gaps, walls and steps.

A foot that is left behind a gap needs the triangle of the others, which are beyond it: it only comes across where it
stands at the brink already. Searches must know that before the others cross.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.planning.course import KnownCourse
from andante.planning.footsteps.body_path import BodyPath
from andante.planning.footsteps.footholds import FootholdCosts
from andante.planning.footsteps.settings import FootstepSettings
from andante.spatial.arrays import Array, Flags, Index
from andante.terrain.height_map import HeightMap

_WIDE = 0.145
"""Stretch without footholds from which on it counts, from the last to the first of them, for LittleDog [m]."""
_STRIDE = 0.12
"""Stretch that every step crosses, for LittleDog [m]."""


@dataclass(frozen=True, eq=False)
class Gaps:
    """Wide gaps beside a path, for each foot's line."""

    passed: Index
    """Number of them before each point of the path, (nl, n)."""
    brink: Array
    """Way from each point to the last foothold before the next, below 0 in it and where none follows, (nl, n) [m]."""

    @staticmethod
    def of(path: BodyPath, ground: HeightMap, costs: FootholdCosts, sides: Array, aside: float, scale: float) -> Gaps:
        """Gaps on lines at the distances ``sides`` from a path, on which feet may go ``aside`` [m].

        What lies off the map is no gap.
        """
        free = np.isfinite(np.minimum(costs.front, costs.hind))
        count, across = len(path.points), np.arange(-aside, aside + 1e-9, ground.spacing)
        passed, brink = np.zeros((len(sides), count), dtype=np.int64), np.full((len(sides), count), -1.0)
        for leg, side in enumerate(sides):
            i, j, inside = path.nodes_beside(ground, side + across)
            standing = np.flatnonzero((free[i, j] & inside).any(axis=1))
            begin = 0
            for k in np.flatnonzero(np.diff(standing) * path.spacing >= _WIDE * scale):
                last, first = int(standing[k]), int(standing[k + 1])
                passed[leg, first:] += 1
                brink[leg, begin : last + 1] = path.spacing * np.arange(last - begin, -1, -1)
                begin = first
        return Gaps(passed, brink)


def highest_wall(course: KnownCourse, path: BodyPath) -> float:
    """Height of the highest wall on the line of the body, over the higher of both its sides' levels [m].

    A step up that is followed by a plateau is none, nor is a pit.

    Args:
        course: Robot and ground.
        path: Path of the body.
    """
    tops = course.ground.nearest(path.points)
    # What stands between pits is no wall.
    i, j, _ = path.nodes_beside(course.ground, np.zeros(1))
    tops = np.where(course.layers.pits[i[:, 0], j[:, 0]], np.inf, tops)
    width = max(round(_STRIDE * course.scale / path.spacing), 2)
    if len(tops) <= width:
        return 0.0
    windows = np.lib.stride_tricks.sliding_window_view(tops, width + 1)
    windows = windows[np.isfinite(windows).all(axis=1)]
    over = windows.max(axis=1) - np.maximum(windows[:, 0], windows[:, -1])
    return max(float(over.max(initial=0.0)), 0.0)


def highest_step(course: KnownCourse, costs: FootholdCosts, path: BodyPath, settings: FootstepSettings) -> float:
    """Largest height difference of footholds that follow each other on the way of the body [m]."""
    heights, standing = _profile(course, costs, path, settings)
    lead = path.at(course.position)
    goal = min(round(path.goal / path.spacing), len(heights) - 1)
    levels = heights[lead : goal + 1][standing[lead : goal + 1]]
    return float(np.abs(np.diff(levels)).max(initial=0.0))


def _profile(
    course: KnownCourse, costs: FootholdCosts, path: BodyPath, settings: FootstepSettings
) -> tuple[Array, Flags]:
    """The highest foothold across each point of the path [m], and whether there is one."""
    ground, scale = course.ground, course.scale
    hang = np.abs(course.body.table.hip[:, 1] + course.body.table.lateral).max() + (settings.outward + 0.02) * scale
    i, j, inside = path.nodes_beside(ground, np.arange(-hang, hang + 1e-9, ground.spacing))
    free = np.isfinite(np.minimum(costs.front, costs.hind))[i, j] & inside
    heights = np.where(free, ground.heights[i, j], -np.inf)
    level = np.where(free.any(axis=1), np.max(heights, axis=1), np.nan)
    # A place that only one foot finds carries no walk.
    enough = free.mean(axis=1) > 0.1
    return np.asarray(level, dtype=np.float64), np.asarray(enough, dtype=np.bool_)
