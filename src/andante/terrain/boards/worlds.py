"""Worlds: grounds of real size for dynamic quadrupeds, from (0, 0) to (5, 0), as Quad-SDK has them.

Their lengths are metres whatever the robot: a gap of 40 cm is one for every robot. Sizes of gaps, steps, slopes and
walls are those of Quad-SDK's meshes; what was not to be read there (depth of pits, the pits of `step-10-local-min`, the
noise of the rough grounds) is chosen here. The two worlds with a wall end at (6, 0), since (5, 0) touches the wall.
"""

from __future__ import annotations

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.boards.course import BoardKind, Course, Site
from andante.terrain.solids import Box, Rock

PIT = 0.5
"""Depth of pits, deeper than legs of this class reach [m]."""
_X, _Y = (-2.0, 7.0), (-2.0, 2.0)
_PLACE = Site(_X, _Y, 0.01, (0.0, 0.0), (5.0, 0.0), False)
_WALLED = Site(_X, _Y, 0.01, (0.0, 0.0), (6.0, 0.0), False)
_ROUGH = Site((-2.0, 8.0), (-4.0, 4.0), 0.05, (0.0, 0.0), (5.0, 0.0), False)
_HUGE = Site((-15.0, 15.0), (-15.0, 15.0), 0.05, (0.0, 0.0), (5.0, 0.0), False)
_EDGE = 3.0
"""Where gaps begin and steps rise [m]."""
_SLOPE = (1.0, 5.0)
_WALL_HALF, _WALL_START, _WALL_END = 0.1, 2.0, 5.0
_LEVEL, _BLEND = 0.5, 0.5
_FINE, _COARSE = 0.25, 3.0


def _gap(course: Course) -> None:
    """A trench across."""
    course.floor = -PIT
    far = _EDGE + course.values["width"]
    if not far < _X[1]:
        raise ValueError("no far side")
    _slab(course, (_X[0], _EDGE), _Y, 0.0)
    _slab(course, (far, _X[1]), _Y, 0.0)


def _step(course: Course) -> None:
    """A rise to the end."""
    _slab(course, (_EDGE, _X[1]), _Y, course.values["height"])


def _stairs(course: Course) -> None:
    """Steps up to a plateau, from half a metre before `_EDGE`."""
    tread, riser = course.values["tread"], course.values["riser"]
    for number in range(round(course.values["count"])):
        _slab(course, (_EDGE - 0.5 + number * tread, _X[1]), _Y, (number + 1) * riser, number * riser)


def _slope(course: Course) -> None:
    """A ramp up to a plateau."""
    _ramps(course, ((_Y, _SLOPE),))


def _slope_with_hole(course: Course) -> None:
    """The same with a hole through it."""
    course.floor = -PIT
    _slab(course, (_X[0], _SLOPE[0]), _Y, 0.0)
    (first, last), side = (2.25, 3.75), 0.75
    middle = (-side, side)
    strips = (
        ((_Y[0], -side), _SLOPE),
        ((side, _Y[1]), _SLOPE),
        (middle, (_SLOPE[0], first)),
        (middle, (last, _SLOPE[1])),
    )
    _ramps(course, strips)


def _gap_behind_wall(course: Course) -> None:
    """A dead end straight ahead; the way is a corridor beside it, across a trench."""
    course.floor = -PIT
    _wall(course)
    far = _WALL_START + course.values["width"]
    _corridor(course, ((_X[0], _WALL_START), (far, _X[1])))


def _parkour_behind_wall(course: Course) -> None:
    """The same with two trenches and, between them, a bank of 45 degrees against the wall."""
    course.floor = -PIT
    _wall(course)
    width, (first, last) = course.values["width"], (2.61, 3.83)
    _corridor(course, ((_X[0], first - width), (first, last), (last + width, _X[1])))
    foot, top = -0.96, -_WALL_HALF
    corners = [(x, *rest) for x in (first, last) for rest in ((foot, 0.0), (top, 0.0), (top, top - foot))]
    course.solids.append(Rock(np.array(corners)))


def _step_beside_pits(course: Course) -> None:
    """A step, and before it a pit on either side of the straight way."""
    course.floor = -PIT
    first, last, near, far = 1.6, 2.4, 0.45, 1.35
    _slab(course, (_X[0], first), _Y, 0.0)
    for side in ((_Y[0], -far), (-near, near), (far, _Y[1])):
        _slab(course, (first, last), side, 0.0)
    _slab(course, (last, _EDGE), _Y, 0.0)
    _slab(course, (_EDGE, _X[1]), _Y, course.values["height"])


def _rough(course: Course) -> None:
    """Smoothed noise, level around start and goal."""
    x, y = course.nodes()
    heights = course.values["height"] * _noise(course, _FINE)
    if course.values["hills"] > 0.0:
        heights = heights + course.values["hills"] * _noise(course, _COARSE)
    for place in (course.site.start, course.site.goal):
        distance = np.hypot(x - place[0], y - place[1])
        share = np.clip((distance - _LEVEL) / _BLEND, 0.0, 1.0)
        level = heights.flat[int(np.argmin(distance))]
        heights = level + (heights - level) * share * share * (3.0 - 2.0 * share)
    distance = np.hypot(x - course.site.start[0], y - course.site.start[1])
    course.surface = heights - heights.flat[int(np.argmin(distance))]


def _noise(course: Course, width: float) -> Array:
    """Noise over the site, smoothed by a Gaussian of this width [m], from 0 to 1."""
    from scipy import ndimage

    white = course.rng.standard_normal(course.nodes()[0].shape)
    smooth = ndimage.gaussian_filter(white, width / course.site.spacing, mode="reflect")
    return np.asarray((smooth - smooth.min()) / np.ptp(smooth))


def _slab(
    course: Course, x: tuple[float, float], y: tuple[float, float], top: float, bottom: float | None = None
) -> None:
    base = course.floor if bottom is None else bottom
    if not (x[1] > x[0] and top > base):
        return
    middle = (0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1]), 0.5 * (top + base))
    course.solids.append(Box(middle, (0.5 * (x[1] - x[0]), 0.5 * (y[1] - y[0]), 0.5 * (top - base))))


def _ramps(course: Course, strips: tuple[tuple[tuple[float, float], tuple[float, float]], ...]) -> None:
    """Pieces of the slope, each (y range, x range) of it, and its plateau."""
    grade, (low, high) = course.values["grade"], _SLOPE
    for (right, left), (first, last) in strips:
        bottom, heights = min(course.floor, 0.0), (grade * (first - low), grade * (last - low))
        corners = [
            (x, y, z)
            for x, top in zip((first, last), heights, strict=True)
            for y in (right, left)
            for z in (bottom, top)
        ]
        course.solids.append(Rock(np.unique(np.array(corners), axis=0)))
    _slab(course, (high, _X[1]), _Y, grade * (high - low))


def _wall(course: Course) -> None:
    """An L that makes a dead end on the left: along the middle, then across to the left."""
    height = course.values["wall"]
    _slab(course, (_WALL_START, _WALL_END), (-_WALL_HALF, _WALL_HALF), height)
    _slab(course, (_WALL_END - 0.2, _WALL_END), (_WALL_HALF, _Y[1]), height)


def _corridor(course: Course, parts: tuple[tuple[float, float], ...]) -> None:
    """Level ground, whole left of the wall, in parts right of it."""
    _slab(course, _X, (-_WALL_HALF, _Y[1]), 0.0)
    for x in parts:
        _slab(course, x, (_Y[0], -_WALL_HALF), 0.0)


def _same(**values: float) -> dict[str, tuple[float, float]]:
    """Parameters that do not change with difficulty."""
    return {name: (value, value) for name, value in values.items()}


WORLDS = (
    *(
        BoardKind(f"gap-{cm}", f"a trench of {cm} cm across, 50 cm deep", _same(width=0.01 * cm), _gap, _PLACE)
        for cm in (20, 30, 40, 50, 80)
    ),
    *(
        BoardKind(f"step-{cm}", f"a step of {cm} cm up", _same(height=0.01 * cm), _step, _PLACE)
        for cm in (10, 15, 20, 25, 30)
    ),
    BoardKind("stairs-13x28", "five steps up", _same(riser=0.13, tread=0.28, count=5), _stairs, _PLACE),
    *(
        BoardKind(f"slope-{percent}", f"a ramp of {percent} %", _same(grade=0.01 * percent), _slope, _PLACE)
        for percent in (20, 40)
    ),
    BoardKind("slope-20-hole", "a ramp of 20 % with a hole", _same(grade=0.2), _slope_with_hole, _PLACE),
    BoardKind(
        "gap-40-local-min", "a dead end; beside it a trench", _same(width=0.4, wall=1.0), _gap_behind_wall, _WALLED
    ),
    BoardKind(
        "parkour-local-min",
        "a dead end; beside it two trenches and a steep bank",
        _same(width=0.61, wall=1.0),
        _parkour_behind_wall,
        _WALLED,
    ),
    BoardKind("step-10-local-min", "a step, pits beside the way", _same(height=0.1), _step_beside_pits, _PLACE),
    BoardKind("rough-25", "rough ground of 10 x 8 m", _same(height=0.246, hills=0.0), _rough, _ROUGH),
    BoardKind("rough-40-huge", "rough ground of 30 x 30 m with hills", _same(height=0.4, hills=2.1), _rough, _HUGE),
)
"""Kinds of boards of real size."""
