"""Ground seen from above: colours by height with their scale, light from the upper left, axes in metres."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from andante.pictures.style import BAD, GOOD, HEIGHT_COLOURS, INK, UNKNOWN
from andante.spatial.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

_LEAST_SPAN = 2.0
"""Heights that differ by less than this have nearly one colour [cm]."""
_FAR, _ROUND = 10_000.0, 100
"""From where on numbers of an axis count from somewhere near, and to which multiple that is rounded [m]."""
_MOST_NODES = 2_000_000
"""Nodes that are drawn of a map; larger ones are thinned evenly."""


def draw_ground(axes: Axes, heights: Array, origin: tuple[float, float], spacing: float) -> None:
    """Draw a map of heights, one pixel per node, with a scale of heights beside it; unknown ones have their own colour.

    Args:
        axes: Where; its limits become the edges of the map.
        heights: Height of each node, (nx, ny) [m], NaN where it is unknown; the first index runs along x.
        origin: x and y of the first node [m].
        spacing: Distance of neighbouring nodes [m].
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgb

    stride = math.ceil(math.sqrt(heights.size / _MOST_NODES))
    heights, spacing = heights[::stride, ::stride], spacing * stride
    z = 100.0 * heights.T
    unknown = np.isnan(z)
    low_z, high_z = (0.0, 0.0) if unknown.all() else (float(np.nanmin(z)), float(np.nanmax(z)))
    norm = Normalize(low_z, max(high_z, low_z + _LEAST_SPAN))
    shades = ScalarMappable(norm, LinearSegmentedColormap.from_list("heights", HEIGHT_COLOURS))
    # Beside unknown ground nothing tells how light falls.
    rise_y, rise_x = (np.nan_to_num(rise) for rise in np.gradient(heights.T, spacing))
    light = (1.0 + 0.6 * rise_x - 0.6 * rise_y) / np.sqrt(1.0 + rise_x**2 + rise_y**2)
    lit = np.clip(0.45 + 0.55 * light, 0.35, 1.1)[..., None] * shades.to_rgba(z)[..., :3]
    if unknown.any():
        lit[unknown] = to_rgb(UNKNOWN)
        axes.plot([], [], "s", color=UNKNOWN, label="height unknown", linestyle="none")
    low = np.array(origin) - 0.5 * spacing
    high = low + np.array(heights.shape) * spacing
    axes.imshow(np.clip(lit, 0.0, 1.0), origin="lower", extent=(low[0], high[0], low[1], high[1]), interpolation="none")
    axes.set(aspect="equal")
    for axis, name, first in ((axes.xaxis, "x", float(low[0])), (axes.yaxis, "y", float(low[1]))):
        _label(axis, name, first)
    axes.grid(visible=False)
    scale = axes.inset_axes((1.01, 0.0, 0.012, 1.0))
    axes.figure.colorbar(shades, cax=scale, label="height [cm]")
    scale.grid(visible=False)


def _label(axis: Axis, name: str, first: float) -> None:
    """Label an axis that begins somewhere [m]; far away, as coordinates of surveys are, its numbers count from near
    there. Matplotlib writes what it takes off them in a corner, where a legend may be."""
    if abs(first) < _FAR:
        axis.set_label_text(f"{name} [m]")
        return
    taken = math.floor(first / _ROUND) * _ROUND
    axis.set_label_text(f"{name} [m], from {taken:.0f} m")
    axis.set_major_formatter(lambda place, _: f"{place - taken:g}")


def mark_ends(axes: Axes, start: tuple[float, float], goal: tuple[float, float] | None) -> None:
    """Mark where a way begins and, unless it leads to no place, where it ends, both x and y [m]."""
    for name, place, colour, shape in (("start", start, GOOD, "o"), ("goal", goal, BAD, "X")):
        if place is None:
            continue
        axes.plot(*place, shape, color=colour, markeredgecolor="white", markersize=11, label=name, linestyle="none")


def draw_discs(axes: Axes, places: Array, radius: float, **look: object) -> None:
    """Draw discs of a radius [m] at some places, (n, 2) [m]."""
    from matplotlib.collections import EllipseCollection

    sizes = np.full(len(places), 2.0 * radius)
    circles = EllipseCollection(
        sizes, sizes, np.zeros(len(places)), units="xy", offsets=places, offset_transform=axes.transData, **look
    )
    axes.add_collection(circles, autolim=False)


def draw_way(axes: Axes, points: Array, label: str) -> None:
    """Draw a way, (n, 2) [m], dark with a light rim, so that it is seen on any ground."""
    from matplotlib.patheffects import Normal, Stroke

    rim = [Stroke(linewidth=3.5, foreground="white"), Normal()]
    axes.plot(points[:, 0], points[:, 1], color=INK, linewidth=1.6, label=label, path_effects=rim)
