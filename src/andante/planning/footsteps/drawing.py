"""A picture of footsteps on a map from above: one colour per foot, and the path of the body."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from andante.planning.course import Course, PlanningError
from andante.planning.footstep import FootstepPlan
from andante.robots.png import png_bytes
from andante.terrain.drawing import relief

_COLOURS = ((220, 60, 40), (40, 90, 220), (240, 160, 40), (60, 190, 220))
"""Of the feet by row."""
_MIDDLE = (255, 255, 255)


def draw_footsteps(course: Course, plan: FootstepPlan, path: Path, scale: int = 4) -> None:
    """Write a PNG picture; x runs to the right, y up. White dots are the middle of the feet after each step.

    Args:
        course: The course.
        plan: The footsteps.
        path: The file to write.
        scale: Pixels per node of the map.

    Raises:
        PlanningError: The file cannot be written.
    """
    pixels = relief(course.ground, scale)
    radius = float(course.body.table.radius.max()) / course.ground.spacing * scale
    stances = plan.stances()
    for leg, foot in enumerate(plan.feet):
        _disc(pixels, course, foot, scale, radius, _COLOURS[leg % len(_COLOURS)])
    for step in plan.steps:
        _disc(pixels, course, step.place, scale, radius, _COLOURS[step.leg % len(_COLOURS)])
    for stance in stances:
        _disc(pixels, course, stance.mean(axis=0), scale, 0.3 * radius, _MIDDLE)
    try:
        path.write_bytes(png_bytes(pixels))
    except OSError as error:
        raise PlanningError(f"the picture cannot be written: {error.strerror or error}", place=str(path)) from error


def _disc(
    pixels: NDArray[np.uint8],
    course: Course,
    place: NDArray[np.float64],
    scale: int,
    radius: float,
    colour: tuple[int, int, int],
) -> None:
    u, v = ((place[:2] - course.ground.origin) / course.ground.spacing + 0.5) * scale
    rows, columns = np.ogrid[: pixels.shape[0], : pixels.shape[1]]
    pixels[np.hypot(rows - (pixels.shape[0] - v), columns - u) <= radius] = colour
