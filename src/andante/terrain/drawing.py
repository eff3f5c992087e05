"""A picture of a terrain from above: colours by height with their scale, light from the upper left, start and goal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.pictures.figures import new_figure
from andante.pictures.ground import draw_ground, mark_ends
from andante.pictures.style import drawn
from andante.terrain.height_map import Grid
from andante.terrain.terrain import Terrain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHTS = 12.0, (3.4, 11.0)
_FRAME = (1.6, 1.4)
"""Room for axes, scale and title across and upward [inch]."""


def height_of(ground: Grid) -> float:
    """Height of a figure 12 inch wide that a map fills [inch]."""
    low_x, high_x, low_y, high_y = ground.extent
    wanted = (_WIDTH - _FRAME[0]) * (high_y - low_y) / (high_x - low_x) + _FRAME[1]
    return min(max(wanted, _HEIGHTS[0]), _HEIGHTS[1])


def draw_map(axes: Axes, ground: Grid, start: tuple[float, float], goal: tuple[float, float] | None) -> None:
    """Draw a map with the ends of a way over it, both x and y [m]; where it is unknown it says so."""
    draw_ground(axes, ground.heights, ground.origin, ground.spacing)
    mark_ends(axes, start, goal)


@drawn
def terrain_figure(terrain: Terrain) -> Figure:
    """The terrain from above, with its parameters as title."""
    values = ", ".join(f"{name} {value:.4g}" for name, value in terrain.values.items())
    figure = new_figure(_WIDTH, height_of(terrain.map), terrain.name + (f": {values}" if values else ""))
    axes = figure.subplots()
    draw_map(axes, terrain.map, terrain.start, terrain.goal)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3)
    return figure
