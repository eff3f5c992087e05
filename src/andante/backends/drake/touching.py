"""Shapes of a MuJoCo model for Drake, the points of them that can touch the ground, and which of them meet."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from andante.backends.backend import BackendError
from andante.robots.records import Vector

_RING = 12
"""Points on the rim of a cylinder."""
_MOST_POINTS = 64
"""Points of a hull that may touch the ground, the farthest in evenly spread directions."""


def shape_of(drake: Any, model: mujoco.MjModel, geom: int) -> Any:
    """A shape as Drake has it.

    Raises:
        BackendError: Drake has no such shape, as of height fields that move.
    """
    geometry = drake.geometry
    size, kind = [float(value) for value in model.geom_size[geom]], model.geom_type[geom]
    types = mujoco.mjtGeom
    if kind == types.mjGEOM_PLANE:
        return geometry.HalfSpace()
    if kind == types.mjGEOM_SPHERE:
        return geometry.Sphere(size[0])
    if kind == types.mjGEOM_BOX:
        return geometry.Box(*(2.0 * value for value in size))
    if kind == types.mjGEOM_CAPSULE:
        return geometry.Capsule(size[0], 2.0 * size[1])
    if kind == types.mjGEOM_CYLINDER:
        return geometry.Cylinder(size[0], 2.0 * size[1])
    if kind == types.mjGEOM_ELLIPSOID:
        return geometry.Ellipsoid(*size)
    if kind == types.mjGEOM_MESH:
        return geometry.Convex(points=_hull(model, geom).T, label=f"hull_{geom}")
    raise BackendError(
        "Drake has no such shape", place=f"shape {model.geom(geom).name or geom}", value=types(kind).name
    )


def touching_points(model: mujoco.MjModel, geom: int) -> list[tuple[Vector, float]]:
    """Centres and radii of the points of a shape that can touch the ground, in its frame."""
    types = mujoco.mjtGeom
    size, kind = model.geom_size[geom], model.geom_type[geom]
    if kind == types.mjGEOM_SPHERE:
        return [(np.zeros(3), float(size[0]))]
    if kind == types.mjGEOM_CAPSULE:
        return [(np.array([0.0, 0.0, end * size[1]]), float(size[0])) for end in (-1.0, 1.0)]
    if kind == types.mjGEOM_BOX:
        corners = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
        return [(np.array(corner) * size, 0.0) for corner in corners]
    if kind == types.mjGEOM_CYLINDER:
        angles = np.linspace(0.0, 2.0 * np.pi, _RING, endpoint=False)
        rim = [(size[0] * np.cos(a), size[0] * np.sin(a), end * size[1]) for a in angles for end in (-1.0, 1.0)]
        return [(np.array(point), 0.0) for point in rim]
    points = _hull(model, geom) if kind == types.mjGEOM_MESH else _directions(_MOST_POINTS) * size
    if len(points) > _MOST_POINTS:
        points = points[np.unique(np.argmax(points @ _directions(_MOST_POINTS).T, axis=0))]
    return [(point, 0.0) for point in points]


def meets(model: mujoco.MjModel, first: int, second: int) -> bool:
    """Whether MuJoCo looks for contacts of two shapes of moving bodies."""
    kinds, partners = model.geom_contype, model.geom_conaffinity
    if not (kinds[first] & partners[second] or kinds[second] & partners[first]):
        return False
    one, other = (int(model.body_weldid[model.geom_bodyid[geom]]) for geom in (first, second))
    if one == other:
        return False
    above = [int(model.body_weldid[model.body_parentid[body]]) for body in (one, other)]
    if above[0] == other or above[1] == one:
        return False
    pair = sorted((int(model.geom_bodyid[first]), int(model.geom_bodyid[second])))
    signature = (pair[0] << 16) + pair[1]
    return signature not in set(model.exclude_signature.tolist())


def _hull(model: mujoco.MjModel, geom: int) -> Vector:
    """Corners of the convex hull of a mesh in the shape's frame, (n, 3) [m]."""
    from scipy.spatial import ConvexHull

    mesh = int(model.geom_dataid[geom])
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    points = np.asarray(model.mesh_vert[first : first + count], dtype=np.float64)
    corners: Vector = points[np.sort(ConvexHull(points).vertices)]
    return corners


def _directions(count: int) -> Vector:
    """Evenly spread unit vectors, (n, 3): a spiral by the golden angle."""
    height = 1.0 - 2.0 * (np.arange(count) + 0.5) / count
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count)
    around = np.sqrt(1.0 - height**2)
    return np.column_stack([around * np.cos(angle), around * np.sin(angle), height])
