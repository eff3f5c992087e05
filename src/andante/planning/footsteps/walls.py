"""Walls: what goes up and comes down again within a stride, so that no foot need stand on it."""

from __future__ import annotations

import numpy as np

from andante.planning.course import Course
from andante.planning.footsteps.body_path import BodyPath

_STRIDE = 0.12
"""Stretch that every step crosses, for LittleDog [m]."""


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
