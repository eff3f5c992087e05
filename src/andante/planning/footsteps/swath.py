"""Swath: where on the map the search looks for footholds, beside the path of the body."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.planning.footsteps.search import Ground, usual_sides
from andante.planning.footsteps.settings import FootstepSettings

NOWHERE, USUAL, WIDE = 0, 1, 2
"""Marks of nodes: never looked at; near a foot's usual line; looked at where nothing nearer bears a foot."""


def swath(ground: Ground, settings: FootstepSettings | None = None) -> NDArray[np.uint8]:
    """Which nodes are looked at for any foot, (nx, ny): `NOWHERE`, `USUAL` or `WIDE`.

    A foot goes at most `FootstepSettings.aside` beside its usual line, which runs beside the body's path, and twice as
    far where there is no foothold within that. What limits steps along the path depends on the feet and is not shown.

    Args:
        ground: The course made ready for searches.
        settings: How footsteps are chosen; None: the defaults.
    """
    settings = settings or FootstepSettings()
    course, path = ground.course, ground.path
    x, y = np.meshgrid(course.ground.x, course.ground.y, indexing="ij")
    at = path.nearest
    dx, dy = x - path.points[at, 0], y - path.points[at, 1]
    cosine, sine = np.cos(path.headings[at]), np.sin(path.headings[at])
    across, ahead = cosine * dy - sine * dx, cosine * dx + sine * dy
    # Places are looked at in whole spacings around points of the path.
    spacing = course.ground.spacing
    aside = settings.aside * course.scale + 0.5 * spacing
    found = np.zeros(at.shape, dtype=np.uint8)
    off = np.min([np.abs(across - side) for side in usual_sides(course, settings)], axis=0)
    beside = np.abs(ahead) <= 0.5 * settings.pitch * course.scale + spacing
    found[beside & (off <= 2.0 * aside)] = WIDE
    found[beside & (off <= aside)] = USUAL
    return found
