"""Footholds of a regular gait straight to the goal, fixed in the world.

Each foot has its places along the way, whatever its other places come to: where one has to be moved, no later one
moves with it. Searches place each step relative to the one before, so that one near-tie changes all that follow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.planning.course import KnownCourse
from andante.planning.footsteps.settings import FootstepSettings
from andante.spatial.arrays import Array, Index

_LAG = 0.125
"""Share of a stride by which hind feet are behind front feet: of all such gaits one whose poses have most room and
whose feet of a side keep apart."""
_SHORTEST = 0.68
"""Shortest stride that is tried, as a share of the longest."""
_STRIDES = 9
"""Most strides that are tried."""
_SHORT = 0.9
"""Share of the tolerance before the goal at which the middle of the feet ends."""


@dataclass(frozen=True, eq=False)
class RegularSteps:
    """Steps of one length to the goal."""

    legs: Index
    """Row of the foot of each step, (n,)."""
    places: Array
    """Where each would go on level ground, (n, 2) [m]."""
    ahead: Array
    """Direction of the way, (2,)."""
    stride: float
    """Length of a step [m]."""


def regular_steps(course: KnownCourse, settings: FootstepSettings, sides: Array) -> list[RegularSteps]:
    """Ways of regular steps to the goal, those of the longest strides first; none where the gait is another one.

    Two feet that are diagonal to each other step one after the other, then the other two: the crawl in the order of
    the settings.

    Args:
        course: The course.
        settings: How footsteps are chosen.
        sides: Usual distance of each foot from the way, above zero to the left, (4,) [m].
    """
    pairs = _pairs(course, settings)
    goal, begin = np.array(course.goal), course.position[:2]
    far = float(np.hypot(*(goal - begin)))
    if pairs is None or far <= 0.0:
        return []
    scale, ahead = course.scale, (goal - begin) / far
    across = np.array([-ahead[1], ahead[0]])
    first = (course.feet[:, :2] - begin) @ ahead
    hind = course.body.table.hip[:, 0] <= 0.0
    way = far - float(first.mean()) - _SHORT * settings.tolerance * scale
    longest = settings.longest * scale
    strides = np.linspace(longest, _SHORTEST * longest, _STRIDES)
    counts = sorted({_pairs_needed(way, float(stride)) for stride in strides})
    found = []
    for count in counts if way > 0.0 else ():
        stride = way / _strides_gone(count)
        if stride > longest:
            continue
        legs = np.array([leg for k in range(count) for leg in pairs[k % 2]], dtype=np.int64)
        # A pair's places are half a stride ahead of the other's.
        on = np.repeat(0.5 * (np.arange(count) + 1.0), 2) - _LAG * hind[legs]
        along = first[legs] + stride * on
        places = begin + along[:, None] * ahead + sides[legs][:, None] * across
        found.append(RegularSteps(legs, places, ahead, stride))
    return found


def _strides_gone(pairs: int) -> float:
    """Strides by which the middle of the feet has moved after so many steps of two feet."""
    return 0.25 * (2.0 * pairs - 1.0) - 0.5 * _LAG


def _pairs_needed(way: float, stride: float) -> int:
    """Steps of two feet over a way with strides that are not longer."""
    return max(math.ceil(0.5 * (4.0 * (way / stride + 0.5 * _LAG) + 1.0) - 1e-9), 2)


def _pairs(course: KnownCourse, settings: FootstepSettings) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The diagonal pairs in the order of the gait, front foot first; None: the gait has no such pairs."""
    names, hip = [leg.name for leg in course.body.legs], course.body.table.hip
    if len(settings.order) != 4 or any(name not in names for name in settings.order):
        return None
    rows = [names.index(name) for name in settings.order]
    for turn in (3, 1, 0, 2):
        a, b, c, d = rows[turn:] + rows[:turn]
        if all(hip[f, 0] > 0.0 >= hip[h, 0] and hip[f, 1] * hip[h, 1] < 0.0 for f, h in ((a, b), (c, d))):
            return (a, b), (c, d)
    return None
