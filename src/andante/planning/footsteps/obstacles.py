"""What lies on the way of body and feet: wide gaps, walls and steps.

A foot that is left behind a gap needs the triangle of the others, which are beyond it: it only comes across where it
stands at the brink already. Searches must know that before the others cross.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.planning.course import Course
from andante.planning.footsteps.body_path import BodyPath
from andante.planning.footsteps.footholds import FootholdCosts
from andante.terrain.height_map import HeightMap

Array = NDArray[np.float64]
_WIDE = 0.145
"""Stretch without footholds from which on it counts, from the last to the first of them, for LittleDog [m]."""
_STRIDE = 0.12
"""Stretch that every step crosses, for LittleDog [m]."""


@dataclass(frozen=True, eq=False)
class Gaps:
    """Wide gaps beside a path, for each foot's line."""

    passed: NDArray[np.int64]
    """Number of them before each point of the path, (nl, n)."""
    brink: Array
    """Way from each point to the last foothold before the next, below 0 in it and where none follows, (nl, n) [m]."""

    @staticmethod
    def of(path: BodyPath, ground: HeightMap, costs: FootholdCosts, sides: Array, aside: float, scale: float) -> Gaps:
        """Gaps on lines at the distances ``sides`` from a path, on which feet may go ``aside`` [m].

        What lies off the map is no gap.
        """
        free = np.isfinite(np.minimum(costs.front, costs.hind))
        shape, count = np.array(free.shape), len(path.points)
        normal = np.stack([-np.sin(path.headings), np.cos(path.headings)], axis=-1)
        across = np.arange(-aside, aside + 1e-9, ground.spacing)
        passed, brink = np.zeros((len(sides), count), dtype=np.int64), np.full((len(sides), count), -1.0)
        for leg, side in enumerate(sides):
            spots = path.points[:, None] + (side + across)[None, :, None] * normal[:, None]
            nodes = np.round((spots - ground.origin) / ground.spacing).astype(int)
            inside = ((nodes >= 0) & (nodes < shape)).all(axis=-1)
            nodes = np.clip(nodes, 0, shape - 1)
            standing = np.flatnonzero((free[nodes[..., 0], nodes[..., 1]] & inside).any(axis=1))
            begin = 0
            for k in np.flatnonzero(np.diff(standing) * path.spacing >= _WIDE * scale):
                last, first = int(standing[k]), int(standing[k + 1])
                passed[leg, first:] += 1
                brink[leg, begin : last + 1] = path.spacing * np.arange(last - begin, -1, -1)
                begin = first
        return Gaps(passed, brink)


def highest_wall(course: Course, path: BodyPath) -> float:
    """Height of the highest wall on the line of the body, over the higher of both its sides' levels [m].

    A step up that is followed by a plateau is none, nor is a pit.

    Args:
        course: Robot and ground.
        path: Path of the body.
    """
    tops = course.ground.nearest(path.points)
    if course.pits is not None:
        # What stands between pits is no wall.
        i, j = np.rint((path.points - course.ground.origin) / course.ground.spacing).astype(np.intp).T
        rows, columns = course.pits.shape
        tops = np.where(course.pits[i.clip(0, rows - 1), j.clip(0, columns - 1)], np.inf, tops)
    width = max(round(_STRIDE * course.scale / path.spacing), 2)
    if len(tops) <= width:
        return 0.0
    windows = np.lib.stride_tricks.sliding_window_view(tops, width + 1)
    windows = windows[np.isfinite(windows).all(axis=1)]
    over = windows.max(axis=1) - np.maximum(windows[:, 0], windows[:, -1])
    return max(float(over.max(initial=0.0)), 0.0)
