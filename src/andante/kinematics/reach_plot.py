"""Pictures of reachable volumes: silhouettes as pixels, fast enough to follow a stance while it is changed; figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.reach import REACHABLE, ReachVolume, Stance, edge_limits
from andante.pictures.figures import new_figure
from andante.pictures.style import drawn, foot_colour
from andante.spatial.arrays import Array, Index

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LIMIT_COLOURS = {"roll": "#cc79a7", "pitch": "#009e73", "knee": "#5b5f97", "leg too short": "#9aa5b1"}
"""Colours of what limits a volume, in the order of its codes."""
_VIEWS = (("from above", 2, (0, 1)), ("from the side", 1, (0, 2)), ("from the front", 0, (1, 2)))
"""Names, axis of sight, axes to the right and up."""


@dataclass(frozen=True, eq=False)
class Silhouette:
    """A volume seen along an axis."""

    depth: Array
    """How much of the line of sight is reachable, (nv, nu) [m]; rows run upward."""
    limits: Index
    """Row of `LIMIT_COLOURS` of what limits the volume there at its rim, (nv, nu); -1 elsewhere."""
    extent: tuple[float, float, float, float]
    """Least and largest place to the right, least and largest upward [m]."""


def silhouette(volume: ReachVolume, along: int) -> Silhouette:
    """A volume seen along an axis of the world (0 to 2)."""
    from scipy.ndimage import binary_dilation

    inside = np.moveaxis(volume.codes == REACHABLE, along, 2)
    # A node more on every side, for the rim.
    depth = np.pad(inside.sum(axis=2), 1) * volume.spacing
    # The code beside the middle of what is inside tells what limits the silhouette there.
    held = np.flatnonzero(inside.any(axis=(0, 1)))
    codes = np.moveaxis(volume.codes, along, 2)[:, :, held[len(held) // 2]] if len(held) else depth[1:-1, 1:-1]
    edge = np.pad(codes.astype(np.int64), 1)
    shown = depth > 0.0
    rim = binary_dilation(shown) & ~shown
    limits = np.where(rim & (edge > 0), (edge - 1) % len(LIMIT_COLOURS), -1)
    # The grid is larger than what is reachable; the rim is kept.
    part = [np.flatnonzero(shown.any(axis=k)) for k in (1, 0)]
    low = np.array([each[0] - 1 if len(each) else 0 for each in part])
    high = np.array([each[-1] + 2 if len(each) else 1 for each in part])
    box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
    first = np.delete(volume.first, along) - 1.5
    (left, bottom), (right, top) = (first + low) * volume.spacing, (first + high) * volume.spacing
    return Silhouette(depth[box].T, limits[box].T, (float(left), float(right), float(bottom), float(top)))


@drawn
def reach_picture(body: LeggedBody, stance: Stance, volume: ReachVolume) -> Figure:
    """Three views of a volume: from above, from the side and from the front.

    The darker, the deeper the volume is along the line of sight; at its edge is the colour of what limits it.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    views = [(name, axes, silhouette(volume, along)) for name, along, axes in _VIEWS]
    deepest = 100.0 * max(float(view.depth.max(initial=0.0)) for *_, view in views) or 1.0
    colours = list(LIMIT_COLOURS.values())
    figure = new_figure(14.0, 4.6, told_limits(body, stance, volume))
    places = figure.subplots(1, 3)
    for axes, (title, (right, up), view) in zip(places, views, strict=True):
        feet = 100.0 * stance.feet[:, (right, up)]
        extent = 100.0 * np.array(view.extent)
        look = {"origin": "lower", "extent": tuple(extent), "interpolation": "none", "zorder": 1.0}
        depth = np.ma.masked_equal(100.0 * view.depth, 0.0)
        shades = axes.imshow(depth, cmap="Greys", vmin=-0.3 * deepest, vmax=1.6 * deepest, **look)
        limits = np.ma.masked_less(view.limits, 0)
        axes.imshow(limits, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(colours) - 0.5, **look)
        names: dict[tuple[int, ...], str] = {}
        for row, (leg, foot) in enumerate(zip(body.legs, feet, strict=True)):
            face = foot_colour(row) if stance.carries[row] else "none"
            axes.plot(*foot, "o", color=foot_colour(row), markerfacecolor=face, markersize=10)
            # Feet one behind the other share one label.
            at = tuple(np.round(foot).astype(int).tolist())
            names[at] = f"{names[at]}, {leg.name}" if at in names else leg.name
        for at, name in names.items():
            axes.annotate(name, at, (0, 9), textcoords="offset points", horizontalalignment="center", fontweight="bold")
        ends = np.concatenate([extent.reshape(2, 2).T, feet])
        room = 0.1 * float(np.ptp(ends, axis=0).max())
        low, high = ends.min(axis=0) - room, ends.max(axis=0) + room
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", adjustable="box", title=title)
        axes.set(xlabel=f"{'xyz'[right]} [cm]", ylabel=f"{'xyz'[up]} [cm]")
    bar = figure.colorbar(shades, ax=places, label="depth along the line of sight [cm]", shrink=0.7, pad=0.01)
    bar.ax.set_ylim(0.0, deepest)
    bar.ax.grid(visible=False)
    handles = [Patch(color=colour, label=name) for name, colour in LIMIT_COLOURS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, title="what limits the position of the base")
    return figure


def told_limits(body: LeggedBody, stance: Stance, volume: ReachVolume) -> str:
    """Robot, volume, and what limits most of its edge, as one line with a semicolon between."""
    limits = ", ".join(
        f"{limit.joint}{' (too short)' if limit.too_far else ''} {100 * share:.0f} %"
        for limit, share in list(edge_limits(body, stance, volume).items())[:4]
    )
    return f"{body.robot.title}: where the base can be, {volume.volume * 1e6:.0f} cm³; limited by {limits}"
