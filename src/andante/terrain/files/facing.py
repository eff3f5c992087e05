"""Which way most of a cloud or mesh faces: ground that lies on its side, or was seen by a tilted camera."""

from __future__ import annotations

import math

import numpy as np

from andante.spatial.arrays import Array

_MOST = 0.85
"""Share of a surface in one direction from which on it is told: walls of a corridor are less, beside its floor."""
_STEEP = math.radians(35.0)
"""Angle from z up to which it is a slope."""
_NEAR = math.cos(math.radians(20.0))
"""Cosine of the angle to an axis up to which the axis is named."""
_BLOCK = 1 << 16
"""So many triangles are looked at together."""
_QUERIES, _NEIGHBOURS = 2000, 12
"""Points at which the direction of a cloud is taken, and how many tell it there."""


def facing_of_triangles(triangles: Array) -> str | None:
    """What a user should know of which way triangles (n, 3, 3) [m] face; None: up, or no way."""
    moments, total = np.zeros((3, 3)), 0.0
    # A million of them at once would take 100 MB more.
    for begin in range(0, len(triangles), _BLOCK):
        a, b, c = (triangles[begin : begin + _BLOCK, corner] for corner in range(3))
        more, area = _moments(np.cross(b - a, c - a))
        moments, total = moments + more, total + area
    return _told(moments, total, triangles.mean(axis=(0, 1)))


def facing_of_points(known: Array) -> str | None:
    """What a user should know of which way points (n, 3) [m] face; None: up, or no way."""
    from scipy.spatial import cKDTree

    if len(known) < _NEIGHBOURS:
        return None
    asked = known[:: max(1, len(known) // _QUERIES)]
    distances, near = cKDTree(known).query(asked, k=_NEIGHBOURS)
    around = known[near]
    offsets = around - around.mean(axis=1, keepdims=True)
    normals = np.linalg.eigh(np.einsum("nki,nkj->nij", offsets, offsets))[1][..., 0]
    # Where points are far apart each of them stands for more ground.
    return _told(*_moments(normals * distances[:, -1:] ** 2), known.mean(axis=0))


def _moments(areas: Array) -> tuple[Array, float]:
    """How much faces which way, (3, 3), of directions (n, 3) as long as the areas that face them, and all of it."""
    sizes = np.linalg.norm(areas, axis=1)
    units = areas / np.where(sizes > 0.0, sizes, 1.0)[:, None]
    return areas.T @ units, float(sizes.sum())


def _told(moments: Array, total: float, middle: Array) -> str | None:
    """The note for what faces which way around a middle (3,) [m]; see `_moments`."""
    if not 0.0 < total < math.inf:
        return None
    shares, axes = np.linalg.eigh(moments / total)
    share, most = float(shares[-1]), axes[:, -1]
    if share < _MOST or abs(float(most[2])) > math.cos(_STEEP):
        return None
    largest = int(np.argmax(np.abs(most)))
    if abs(float(most[largest])) > _NEAR:
        name = "xyz"[largest]
        return (
            f"{100.0 * share:.0f} % of the surface faces along {name}: if {name} is the vertical of the file, say "
            f"up={name} or up=-{name}"
        )
    # A camera, which is the origin of what it sees, is above the ground.
    most = -most if float(most @ middle) > 0.0 else most
    text = ",".join(f"{each:.3f}" for each in most)
    off = math.degrees(math.acos(min(abs(float(most[2])), 1.0)))
    return (
        f"{100.0 * share:.0f} % of the surface lies in planes inclined by {off:.0f} deg: if that is the ground, as a "
        f"tilted camera sees it, say up={text}"
    )
