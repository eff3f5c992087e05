"""Pictures of reachable volumes as plain pixels: fast enough to follow a stance while it is changed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.reach import REACHABLE, ReachVolume, Stance, edge_limits
from andante.kinematics.reach_mesh import reach_mesh

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]

_PAPER = (250, 250, 248)
_INK = (40, 42, 46)
_SHALLOW, _DEEP = np.array([206.0, 226.0, 216.0]), np.array([24.0, 110.0, 92.0])
LIMIT_COLOURS = ((214, 96, 77), (244, 165, 60), (112, 128, 205), (150, 150, 150))
"""Colours of what limits a volume: roll, pitch, knee, leg too short."""


def reach_picture(stance: Stance, volume: ReachVolume, scale: int = 4) -> Pixels:
    """Three views of a volume, (height, width, 3): from above, from the side and from the front.

    The darker, the deeper the volume is along the line of sight; at its edge is the colour of what limits it; the feet
    are dots. Each node takes ``scale`` pixels.
    """
    top = _view(stance, volume, 2, (0, 1), scale)
    side = _view(stance, volume, 1, (0, 2), scale)
    front = _view(stance, volume, 0, (1, 2), scale)
    height = max(view.shape[0] for view in (top, side, front))
    gap = np.full((height, 3 * scale, 3), _PAPER, dtype=np.uint8)
    padded = [
        np.concatenate([np.full((height - view.shape[0], view.shape[1], 3), _PAPER, dtype=np.uint8), view])
        for view in (top, side, front)
    ]
    return np.concatenate([gap, padded[0], gap, padded[1], gap, padded[2], gap], axis=1)


def reach_figure(body: LeggedBody, stance: Stance, volume: ReachVolume) -> Any:
    """A Plotly figure of the volume's surface, coloured by what limits it, and the feet."""
    import plotly.graph_objects as go

    mesh = reach_mesh(body, stance, volume)
    x, y, z = mesh.vertices.T
    i, j, k = mesh.triangles.T
    causes = (mesh.codes.astype(np.int64) - 1) % 4
    colours = [f"rgb{LIMIT_COLOURS[cause]}" for cause in causes.tolist()]
    figure = go.Figure(
        go.Mesh3d(x=x, y=y, z=z, i=i, j=j, k=k, facecolor=colours, opacity=0.85, flatshading=True, name="body")
    )
    figure.add_trace(
        go.Scatter3d(
            x=stance.feet[:, 0],
            y=stance.feet[:, 1],
            z=stance.feet[:, 2],
            mode="markers+text",
            text=[leg.name for leg in body.legs],
            marker={"size": 5, "color": f"rgb{_INK}"},
            name="feet",
        )
    )
    limits = edge_limits(body, stance, volume)
    text = ", ".join(
        f"{limit.joint}{' (too short)' if limit.too_far else ''} {100 * share:.0f} %"
        for limit, share in list(limits.items())[:4]
    )
    figure.update_layout(
        title=f"{body.robot.title}: body positions, {volume.volume * 1e6:.0f} cm3; limited by {text}",
        scene={"aspectmode": "data", "xaxis_title": "x [m]", "yaxis_title": "y [m]", "zaxis_title": "z [m]"},
    )
    return figure


def _view(stance: Stance, volume: ReachVolume, along: int, axes: tuple[int, int], scale: int) -> Pixels:
    """The volume seen along an axis, with the feet in the frame."""
    spacing = volume.spacing
    feet = stance.feet[:, axes] / spacing
    first = volume.first[list(axes)]
    last = first + [volume.codes.shape[axis] for axis in axes]
    low = np.minimum(first, np.floor(feet.min(axis=0)).astype(np.int64)) - 3
    high = np.maximum(last, np.ceil(feet.max(axis=0)).astype(np.int64)) + 4
    depth = np.zeros(tuple(high - low))
    edge = np.zeros(tuple(high - low), dtype=np.int64)
    inside = volume.codes == REACHABLE
    part = tuple(slice(a, a + volume.codes.shape[axis]) for a, axis in zip(first - low, axes, strict=True))
    depth[part] = inside.sum(axis=along)
    # The code beside the middle of what is inside tells what limits the silhouette there.
    codes = np.moveaxis(volume.codes, along, 2)
    middle = _middle(np.moveaxis(inside, along, 2))
    edge[part] = np.take(codes, middle, axis=2)
    shown = depth > 0.0
    ring = np.zeros_like(shown)
    ring[1:] |= shown[:-1]
    ring[:-1] |= shown[1:]
    ring[:, 1:] |= shown[:, :-1]
    ring[:, :-1] |= shown[:, 1:]
    ring &= ~shown
    share = (depth / max(float(depth.max()), 1.0))[..., None]
    picture = np.where(shown[..., None], _SHALLOW + (_DEEP - _SHALLOW) * share, np.array(_PAPER, dtype=np.float64))
    colours = np.array([*LIMIT_COLOURS, _PAPER], dtype=np.float64)
    picture[ring] = colours[np.where(edge[ring] > 0, (edge[ring] - 1) % 4, 4)]
    pixels = np.repeat(np.repeat(picture.astype(np.uint8), scale, axis=0), scale, axis=1)
    for u, v in (feet - low + 0.5) * scale:
        _dot(pixels, u, v, 1.6 * scale)
    # First axis to the right, second up.
    return np.ascontiguousarray(np.swapaxes(pixels, 0, 1)[::-1])


def _middle(inside: NDArray[np.bool_]) -> int:
    """Index along the last axis of the middle of what is inside."""
    held = np.flatnonzero(inside.any(axis=(0, 1)))
    return int(held[len(held) // 2]) if len(held) else 0


def _dot(pixels: Pixels, u: float, v: float, radius: float) -> None:
    a, b = max(math.floor(u - radius), 0), max(math.floor(v - radius), 0)
    patch = pixels[a : math.ceil(u + radius) + 1, b : math.ceil(v + radius) + 1]
    du = np.arange(patch.shape[0])[:, None] + a + 0.5 - u
    dv = np.arange(patch.shape[1])[None, :] + b + 0.5 - v
    patch[du * du + dv * dv <= radius * radius] = _INK
