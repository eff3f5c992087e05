"""Solid shapes of scenes as triangles, in their own frames: boxes, round shapes, grids of heights, planes."""

from __future__ import annotations

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.height_map import TerrainError

_ROUND = 48
"""Corners of a circle."""
_BESIDE = 0.5
"""How far an endless plane counts beyond what else stands in the scene [m]."""


def grid_triangles(x: Array, y: Array, heights: Array) -> Array:
    """Two triangles for each cell of nodes at x and y with heights (nx, ny)."""
    nodes = np.stack([*np.meshgrid(x, y, indexing="ij"), heights], axis=-1)
    a, b, c, d = nodes[:-1, :-1], nodes[1:, :-1], nodes[1:, 1:], nodes[:-1, 1:]
    return np.concatenate([np.stack(each, axis=-2).reshape(-1, 3, 3) for each in ((a, b, c), (a, c, d))])


def box_triangles(size: Array) -> Array:
    """Triangles (n, 3, 3) of a box by half its sides (3,), seen from outside."""
    top = grid_triangles(np.array([-size[0], size[0]]), np.array([-size[1], size[1]]), np.full((2, 2), size[2]))
    # The sides that may look up when it is turned: those of a cube, by turning axes.
    # The corners of a mirrored one go round the other way, so that its front stays outside.
    found = [top, top[:, ::-1] * (1.0, 1.0, -1.0)]
    for a, b, c in ((1, 2, 0), (2, 0, 1)):
        side = grid_triangles(np.array([-size[a], size[a]]), np.array([-size[b], size[b]]), np.full((2, 2), size[c]))
        placed = np.empty_like(side)
        placed[..., a], placed[..., b], placed[..., c] = side[..., 0], side[..., 1], side[..., 2]
        flip = np.ones(3)
        flip[c] = -1.0
        found += [placed, placed[:, ::-1] * flip]
    return np.concatenate(found)


def round_triangles(kind: str, size: Array) -> Array:
    """Triangles (n, 3, 3) of a round shape along z.

    Args:
        kind: sphere, ellipsoid, capsule, cylinder or cone.
        size: The radius and half the length (2,), of an ellipsoid three radii (3,) [m].
    """
    tilt, turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, _ROUND // 2 + 1), np.linspace(0.0, 2.0 * np.pi, _ROUND + 1)
    stretch = np.ones(3)
    if kind == "cylinder":
        radius, z = np.array([0.0, size[0], size[0], 0.0]), np.array([-size[1], -size[1], size[1], size[1]])
    elif kind == "cone":
        radius, z = np.array([0.0, size[0], 0.0]), np.array([-size[1], -size[1], size[1]])
    else:
        radius, z = np.cos(tilt), np.sin(tilt)
        stretch = np.array(size) if kind == "ellipsoid" else np.full(3, size[0])
    around = np.stack(
        [np.outer(radius, np.cos(turn)), np.outer(radius, np.sin(turn)), np.outer(z, np.ones(_ROUND + 1))]
    )
    places = np.moveaxis(around, 0, -1) * stretch
    if kind == "capsule":
        places[..., 2] += np.where(tilt < 0.0, -size[1], size[1])[:, None]
    a, b, c, d = places[:-1, :-1], places[1:, :-1], places[1:, 1:], places[:-1, 1:]
    return np.concatenate([np.stack(each, axis=-2).reshape(-1, 3, 3) for each in ((a, c, b), (a, d, c))])


def plane_triangles(point: Array, normal: Array, low: Array, high: Array, place: str) -> Array:
    """Two triangles of a plane below and around what else stands in the scene.

    Raises:
        TerrainError: It is a wall.
    """
    if normal[2] < 0.1:
        raise TerrainError("a plane of the scene is a wall", place=place, value=np.round(normal, 3).tolist())
    x, y = (np.array([low[k] - _BESIDE, high[k] + _BESIDE]) for k in (0, 1))
    flat = grid_triangles(x, y, np.zeros((2, 2)))
    flat[..., 2] = (
        point[2] - ((flat[..., 0] - point[0]) * normal[0] + (flat[..., 1] - point[1]) * normal[1]) / normal[2]
    )
    return flat
