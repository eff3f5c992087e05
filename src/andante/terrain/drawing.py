"""A picture of a terrain from above: colours by height with their scale, light from the upper left, start and goal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.pictures.figures import new_figure
from andante.pictures.ground import draw_ground, mark_ends
from andante.pictures.style import drawn
from andante.terrain.terrain import Terrain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHTS = 12.0, (3.4, 11.0)
_FRAME = (1.6, 1.4)
"""Room for axes, scale and title across and upward [inch]."""


def height_of(terrain: Terrain) -> float:
    """Height of a figure 12 inch wide that a terrain fills [inch]."""
    low_x, high_x, low_y, high_y = terrain.extent
    wanted = (_WIDTH - _FRAME[0]) * (high_y - low_y) / (high_x - low_x) + _FRAME[1]
    return min(max(wanted, _HEIGHTS[0]), _HEIGHTS[1])


def draw_terrain(axes: Axes, terrain: Terrain) -> None:
    """Draw the ground with start and goal."""
    draw_ground(axes, terrain.heights.heights, terrain.heights.origin, terrain.heights.spacing)
    mark_ends(axes, terrain.start, terrain.goal)


@drawn
def terrain_figure(terrain: Terrain) -> Figure:
    """The terrain from above, with its parameters as title."""
    values = ", ".join(f"{name} {value:.4g}" for name, value in terrain.values.items())
    figure = new_figure(_WIDTH, height_of(terrain), terrain.name + (f": {values}" if values else ""))
    axes = figure.subplots()
    draw_terrain(axes, terrain)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    return figure
