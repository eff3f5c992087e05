"""Why there is no plan, told from how far the search came and what lies ahead of there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.planning.course import Course, NoPlanError
from andante.planning.footsteps.body_path import BodyPath
from andante.planning.footsteps.costs import FootholdCosts
from andante.planning.footsteps.settings import FootstepSettings

Array = NDArray[np.float64]
_LOOK = 0.45
"""How far ahead of the hind feet is looked for what is in the way, for LittleDog [m]."""
_WIDE_GAP, _HIGH_STEP = 0.05, 0.03
"""What counts as a gap and as a step, for LittleDog [m]."""


_LEAP, _TALL = 0.185, 0.15
"""A stretch without footholds and a rise that no step manages, for LittleDog [m]; searches fail before, but slowly."""


def check_passable(course: Course, costs: FootholdCosts, path: BodyPath, settings: FootstepSettings) -> float:
    """Refuse what no search needs to try: a gap far too wide, a wall far too high, no foothold at all.

    Returns:
        Largest height difference of footholds that follow each other on the way [m].

    Raises:
        NoPlanError: The path crosses such a place.
    """
    lengths, heights, standing = _profile(course, costs, path, settings)
    lead = int(np.argmin(np.hypot(*(path.points - course.position[:2]).T)))
    goal = min(round(path.goal / path.spacing), len(lengths) - 1)
    if not standing[lead : goal + 1].any():
        raise NoPlanError(
            "there are no footholds", place=_where(path.points[lead]), limit="the robot stays at its start"
        )
    tops = course.ground.nearest(path.points)
    begin = lead
    for k in range(lead, goal + 1):
        if not standing[k]:
            continue
        level = heights[begin] if standing[begin] else course.ground.nearest(path.points[begin])
        rise = max(abs(float(heights[k] - level)), float(tops[begin : k + 1].max() - max(level, heights[k])))
        if rise > _TALL * course.scale:
            raise NoPlanError(
                "a step is higher than the legs manage",
                place=_where(path.points[begin]),
                value=f"{100.0 * rise:.1f} cm",
                limit=f"{100.0 * _TALL * course.scale:.1f} cm",
            )
        begin = _checked_gap(course, path, lengths, begin, k)
    _checked_gap(course, path, lengths, begin, goal)
    return _highest_step(course, lengths, heights, standing, lead, goal)[0]


def _checked_gap(course: Course, path: BodyPath, lengths: Array, begin: int, end: int) -> int:
    gap = float(lengths[end] - lengths[begin])
    if gap > _LEAP * course.scale:
        raise NoPlanError(
            "a gap without footholds is wider than the legs reach",
            place=_where(path.points[begin]),
            value=f"{100.0 * gap:.1f} cm",
            limit=f"{100.0 * _LEAP * course.scale:.1f} cm",
        )
    return end


def refusal(
    course: Course, costs: FootholdCosts, path: BodyPath, feet: Array, settings: FootstepSettings
) -> NoPlanError:
    """What is in the way of a robot whose feet (4, 3) came farthest."""
    lengths, heights, standing = _profile(course, costs, path, settings)
    reached = [int(np.argmin(np.hypot(*(path.points - foot[:2]).T))) for foot in feet]
    first, last = min(reached), max(reached)
    stop = min(last + round(_LOOK * course.scale / path.spacing), len(lengths) - 1)
    middle = feet[:, :2].mean(axis=0)
    came = f"the robot comes to x {middle[0]:.2f} m"
    if not standing[first : stop + 1].any():
        place = path.points[min(last + 1, len(path.points) - 1)]
        return NoPlanError("there are no footholds", place=_where(place), limit=came)
    gap, at = _widest_gap(lengths, standing, first, stop)
    rise, step_at = _highest_step(course, lengths, heights, standing, first, stop)
    if gap >= _WIDE_GAP * course.scale and gap >= 1.5 * rise:
        return NoPlanError(
            "a gap without footholds is wider than the legs reach",
            place=_where(path.points[at]),
            value=f"{100.0 * gap:.1f} cm",
            limit=came,
        )
    if rise >= _HIGH_STEP * course.scale:
        return NoPlanError(
            "a step is higher than the legs manage",
            place=_where(path.points[step_at]),
            value=f"{100.0 * rise:.1f} cm",
            limit=came,
        )
    return NoPlanError(
        "no footsteps were found from here on",
        place=_where(path.points[last]),
        limit=came,
        remedy="allow more tests, or other settings",
    )


def _where(place: Array) -> str:
    return f"x {place[0]:.2f} m, y {place[1]:.2f} m"


def _profile(
    course: Course, costs: FootholdCosts, path: BodyPath, settings: FootstepSettings
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Length of each point of the path, the highest foothold across there [m], and whether there is one."""
    ground, scale = course.ground, course.scale
    hang = np.abs(course.body.table.hip[:, 1] + course.body.table.lateral).max() + (settings.outward + 0.02) * scale
    across = np.arange(-hang, hang + 1e-9, ground.spacing)
    normal = np.stack([-np.sin(path.headings), np.cos(path.headings)], axis=-1)
    spots = path.points[:, None] + across[None, :, None] * normal[:, None]
    nodes = np.round((spots - ground.origin) / ground.spacing).astype(int)
    shape = np.array(ground.heights.shape)
    inside = ((nodes >= 0) & (nodes < shape)).all(axis=-1)
    nodes = np.clip(nodes, 0, shape - 1)
    free = np.isfinite(np.minimum(costs.front, costs.hind))[nodes[..., 0], nodes[..., 1]] & inside
    heights = np.where(free, ground.heights[nodes[..., 0], nodes[..., 1]], -np.inf)
    level = np.where(free.any(axis=1), np.max(heights, axis=1), np.nan)
    # A place that only one foot finds carries no walk.
    enough = free.mean(axis=1) > 0.1
    lengths = np.arange(len(path.points), dtype=np.float64) * np.float64(path.spacing)
    return lengths, np.asarray(level, dtype=np.float64), np.asarray(enough, dtype=np.bool_)


def _widest_gap(lengths: Array, standing: NDArray[np.bool_], first: int, stop: int) -> tuple[float, int]:
    """Width of the widest stretch without footholds [m], and where it begins."""
    widest, where, begin = 0.0, first, first
    for k in range(first, stop + 1):
        if standing[k]:
            begin = k
        elif lengths[k] - lengths[begin] > widest:
            widest, where = float(lengths[k] - lengths[begin]), begin
    return widest, where


def _highest_step(
    course: Course, lengths: Array, heights: Array, standing: NDArray[np.bool_], first: int, stop: int
) -> tuple[float, int]:
    """Largest height difference of footholds that follow each other, up or down [m], and where."""
    highest, where, before = 0.0, first, -1
    for k in range(first, stop + 1):
        if not standing[k]:
            continue
        if before >= 0 and abs(heights[k] - heights[before]) > highest:
            highest, where = float(abs(heights[k] - heights[before])), before
        before = k
    return highest, where
