"""What collides on a body: its lowest point, the ball or the sole at the end of a leg."""

from __future__ import annotations

import math
from typing import NamedTuple

import mujoco
import numpy as np

from andante.robots.records import Vector
from andante.spatial.polygons import area, convex_hull

_ROUND = 24
"""Points on a circle."""
_FLAT = 0.004
"""How far above a body's lowest point its shape still counts as sole [m]."""
_SMALLEST_SOLE = 5e-4
"""Smallest area of a sole [m^2]."""

_LONG = 2.5
"""Least length of a shin over its thickness."""
_BESIDE = 0.3
"""How far beside a shin its joint may be, as a share of half its length."""
_FROM_MIDDLE = 0.5
"""Least distance of that joint from the middle of a shin along it, as a share of half its length."""
_AS_FAR = 0.95
"""A ball ends a leg where it reaches as far from its joint as this share of what reaches farthest."""


class SphereShape(NamedTuple):
    """A round end of a leg."""

    centre: Vector
    """Its centre in the world, (3,) [m]."""
    radius: float
    """Its radius [m]; 0 where the leg ends in no shape."""
    exact: bool
    """Whether it is a sphere or the round end of a capsule; else the largest ball that fits at a shape's bottom."""


def colliding(model: mujoco.MjModel, body: int) -> list[int]:
    """Shapes of a body that collide, as geom numbers."""
    first = int(model.body_geomadr[body])
    shapes = range(first, first + int(model.body_geomnum[body])) if first >= 0 else ()
    return [geom for geom in shapes if model.geom_contype[geom] or model.geom_conaffinity[geom]]


def fixed_to(model: mujoco.MjModel, body: int) -> list[int]:
    """A body, and the bodies below it that no joint moves against it."""
    found = [body]
    for each in range(body + 1, model.nbody):
        if int(model.body_parentid[each]) in found and not model.body_jntnum[each]:
            found.append(each)
    return found


def points(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Vector:
    """Points of a shape's surface among which its lowest one is, (n, 3) in the world [m]."""
    kind, size = model.geom_type[geom], model.geom_size[geom]
    rotation: Vector = np.array(data.geom_xmat[geom]).reshape(3, 3)
    centre: Vector = np.array(data.geom_xpos[geom])
    kinds = mujoco.mjtGeom
    down = np.array([0.0, 0.0, -1.0])
    found: Vector = centre[None]
    if kind == kinds.mjGEOM_SPHERE:
        found = found + size[0] * down
        return found
    if kind == kinds.mjGEOM_CAPSULE:
        found = found + np.outer([-size[1], size[1]], rotation[:, 2]) + size[0] * down
        return found
    if kind == kinds.mjGEOM_ELLIPSOID:
        # The point of an ellipsoid in direction d is S S d / |S d|, in the ellipsoid's frame.
        local = size * size * (rotation.T @ down)
        found = found + rotation @ local / np.linalg.norm(size * (rotation.T @ down))
        return found
    if kind == kinds.mjGEOM_CYLINDER:
        turn = np.linspace(0.0, 2.0 * math.pi, _ROUND, endpoint=False)
        circle = np.stack([size[0] * np.cos(turn), size[0] * np.sin(turn)], axis=1)
        local = np.concatenate([np.column_stack([circle, np.full(_ROUND, end)]) for end in (-size[1], size[1])])
    elif kind == kinds.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        first = int(model.mesh_vertadr[mesh])
        local = np.array(model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])], dtype=np.float64)
    else:
        box, middle = model.geom_aabb[geom, 3:], model.geom_aabb[geom, :3]
        local = middle + box * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    found = found + local @ rotation.T
    return found


def lowest_point(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> float | None:
    """Height of the lowest colliding point of a body [m]; None where nothing of it collides."""
    heights = [float(points(model, data, geom)[:, 2].min()) for geom in colliding(model, body)]
    return min(heights, default=None)


def ball(model: mujoco.MjModel, data: mujoco.MjData, body: int, joint: Vector | None = None) -> SphereShape:
    """The round end of a leg.

    Args:
        model: The robot.
        data: Its reference posture.
        body: What ends the leg.
        joint: Where its last joint is, (3,) [m]: a shin ends away from it, however it lies; None: at its bottom.
    """
    shapes = colliding(model, body)
    if not shapes:
        return SphereShape(np.array(data.xpos[body]), 0.0, exact=False)
    geom = min(shapes, key=lambda each: float(points(model, data, each)[:, 2].min()))
    kinds = mujoco.mjtGeom
    spheres = [each for each in shapes if model.geom_type[each] == kinds.mjGEOM_SPHERE]
    if joint is not None and spheres and model.geom_type[geom] != kinds.mjGEOM_SPHERE:
        # A shin that lies level may be lower than the ball at its end.
        reach = {each: float(np.linalg.norm(points(model, data, each) - joint, axis=1).max()) for each in shapes}
        last = max(spheres, key=lambda each: reach[each])
        geom = last if reach[last] >= _AS_FAR * max(reach.values()) else geom
    surface = points(model, data, geom)
    radius = float(model.geom_size[geom, 0])
    kind = model.geom_type[geom]
    tip = None if joint is None else _tip(model, data, geom, joint)
    exact = bool(kind == kinds.mjGEOM_SPHERE or kind == kinds.mjGEOM_CAPSULE)
    if tip is not None:
        return SphereShape(tip, float(model.geom_aabb[geom, 3:].min()), exact=exact)
    if exact:
        return SphereShape(surface[int(np.argmin(surface[:, 2]))] + (0.0, 0.0, radius), radius, exact=True)
    low, high = surface.min(axis=0), surface.max(axis=0)
    radius = 0.5 * float(min(high[0] - low[0], high[2] - low[2]))
    middle = 0.5 * (low + high)
    return SphereShape(np.array([middle[0], middle[1], low[2] + radius]), radius, exact=False)


def _tip(model: mujoco.MjModel, data: mujoco.MjData, geom: int, joint: Vector) -> Vector | None:
    """The centre of the largest ball at the end of a shin (3,) [m]: a long shape that begins at a joint and ends away
    from it; None: the shape is no shin."""
    rotation: Vector = np.array(data.geom_xmat[geom]).reshape(3, 3)
    middle, half = np.array(model.geom_aabb[geom, :3]), np.array(model.geom_aabb[geom, 3:])
    long = int(np.argmax(half))
    wide, thin = float(np.delete(half, long).max()), float(half.min())
    own = rotation.T @ (joint - data.geom_xpos[geom]) - middle
    aside = float(np.linalg.norm(np.delete(own, long)))
    away = abs(float(own[long]))
    if half[long] < _LONG * wide or aside > _BESIDE * half[long] or not _FROM_MIDDLE * half[long] <= away:
        return None
    end = middle.copy()
    end[long] -= np.sign(own[long]) * (half[long] - thin)
    return np.asarray(data.geom_xpos[geom] + rotation @ end)


def sole(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> tuple[float, Vector] | None:
    """The flat underside of a body and of what is fixed to it, such as cleats: its height [m] and its convex outline
    (n, 2) in the world's x and y [m], counter-clockwise; None where the underside is not flat."""
    surface = [points(model, data, geom) for each in fixed_to(model, body) for geom in colliding(model, each)]
    if not surface:
        return None
    found = np.concatenate(surface)
    height = float(found[:, 2].min())
    outline = convex_hull(found[found[:, 2] <= height + _FLAT, :2])
    if len(outline) < 3 or area(outline) < _SMALLEST_SOLE:
        return None
    return height, outline
