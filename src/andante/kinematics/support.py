"""Support polygon of feet on the ground, how far inside it the centre of mass stands, and how ball feet rest on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from andante.kinematics.forward import Kinematics, KinematicsError
from andante.robots.parts import Foot
from andante.robots.records import Vector
from andante.spatial.arrays import Array
from andante.spatial.polygons import convex_hull, signed_distance

_LINE = 1e-4


class SupportError(KinematicsError):
    """Feet that span no ground: none, unknown, or no plane can be told from them."""


@dataclass(frozen=True, eq=False)
class Support:
    """Static balance over some feet. Plane coordinates are x forward and y left of the base, seen along the ground."""

    margin: float
    """Distance of the centre of mass's projection to the polygon's edge [m]; below zero outside."""
    com: Array
    """Projection of the centre of mass, (2,) [m]."""
    polygon: Array
    """Support polygon, (n, 2) [m], counter-clockwise."""
    height: float
    """Height of the centre of mass over the ground [m]."""
    up: Array
    """The ground's normal in the world frame of the `Kinematics`, (3,)."""
    unevenness: float
    """Largest distance of a support point from the ground plane [m]; large when the soles cannot all lie flat."""


def sole_points(kinematics: Kinematics, foot: Foot) -> Array:
    """The sole's outline corners, or a ball foot's centre less its radius along the world's down, (n, 3) [m].

    They are in the world frame, at the posture of the last update.
    """
    position, rotation = kinematics.pose(foot.site)
    if not foot.outline:
        return np.array([position - [0.0, 0.0, foot.radius]])
    outline = np.array(foot.outline)
    return np.asarray(position + outline @ rotation[:, :2].T)


def support(kinematics: Kinematics, feet: Sequence[str], up: ArrayLike | None = None) -> Support:
    """Support over feet at the posture of the last update.

    Args:
        kinematics: The robot at a posture.
        feet: Names of the feet that carry it.
        up: Direction against gravity in the world frame, (3,); None takes the normal of the plane through the feet,
            that is, the robot stands on these feet on level ground, however its torso is turned then.

    Raises:
        SupportError: No foot, an unknown foot, or feet on one line without ``up``.
    """
    robot = kinematics.robot
    by_name = {foot.name: foot for foot in robot.feet}
    if not feet:
        raise SupportError("a support needs at least one foot")
    for name in feet:
        if name not in by_name:
            raise SupportError(f"robot {robot.name!r} has no such foot", value=name, legal=list(by_name))
    points = np.concatenate([sole_points(kinematics, by_name[name]) for name in feet])
    com = kinematics.com()
    center = points.mean(axis=0)
    normal = _plane_normal(points - center, com - center, feet) if up is None else _direction(up)
    forward, left = _ground_axes(normal, kinematics.data.xmat[kinematics.base].reshape(3, 3))
    heights = (points - center) @ normal
    # With gravity given, the ground passes through the lowest point; a fitted plane passes through the middle.
    floor = 0.0 if up is None else float(heights.min())
    plane = np.stack([forward, left], axis=-1)
    polygon = convex_hull(points @ plane)
    spot = com @ plane
    return Support(
        margin=float(signed_distance(polygon, spot)),
        com=spot,
        polygon=polygon,
        height=float((com - center) @ normal) - floor,
        up=normal,
        unevenness=float(np.abs(heights - floor).max()),
    )


def static_margin(kinematics: Kinematics, joints: Vector, feet: Sequence[str], up: ArrayLike | None = None) -> float:
    """Static stability margin [m] of a posture standing on feet; below zero it falls. This is also an update.

    Args:
        kinematics: Scratch of the robot.
        joints: Joint positions, (nj,) [rad].
        feet: As in `support`.
        up: Direction against gravity in the base's frame; None: the normal of the plane through the feet.

    Raises:
        SupportError: As `support`.
    """
    kinematics.update(joints)
    return support(kinematics, feet, up).margin


def lowest_other(kinematics: Kinematics, bodies: Sequence[str], up: Array, *, collides: bool = False) -> float:
    """Height along ``up`` of the lowest box around a geom of the robot that belongs to none of the bodies [m].

    Args:
        kinematics: The robot at the posture of the last update.
        bodies: Names of the bodies that are left out.
        up: Unit vector, (3,).
        collides: Look only at geoms that can touch something.

    Returns:
        The height; infinite where there is no such geom.
    """
    model, data = kinematics.model, kinematics.data
    carriers = {0, *(model.body(body).id for body in bodies)}
    others = np.array([body not in carriers for body in model.geom_bodyid.tolist()], dtype=bool)
    if collides:
        others &= model.geom_contype != 0
    if not others.any():
        return float("inf")
    rotation, boxes = data.geom_xmat.reshape(-1, 3, 3)[others], model.geom_aabb[others]
    middles = data.geom_xpos[others] + np.einsum("nij,nj->ni", rotation, boxes[:, :3])
    reach = np.sum(np.abs(np.einsum("nij,i->nj", rotation, up)) * boxes[:, 3:], axis=1)
    return float(np.min(middles @ up - reach))


def _plane_normal(points: Array, toward: Array, feet: Sequence[str]) -> Array:
    """Unit normal of the plane nearest to centred points, on the side of ``toward``."""
    _, spread, axes = np.linalg.svd(points, full_matrices=True)
    if len(spread) < 2 or spread[1] < _LINE:
        raise SupportError(
            "these feet lie on one line and do not tell where up is", value=list(feet), remedy="give the up direction"
        )
    normal = np.asarray(axes[2])
    return normal if float(normal @ toward) >= 0.0 else -normal


def _ground_axes(up: Array, base: Array) -> tuple[Array, Array]:
    """Forward and left along the ground: the base's x axis laid flat, or its z axis where x is upright."""
    forward = base[:, 0] - (base[:, 0] @ up) * up
    length = float(np.linalg.norm(forward))
    if length < 1e-3:
        # Lying on the belly (x down) the head's direction is forward, on the back (x up) the feet's.
        head = base[:, 2] * (-1.0 if float(base[:, 0] @ up) > 0.0 else 1.0)
        forward = head - (head @ up) * up
        length = float(np.linalg.norm(forward))
    forward = forward / length
    return forward, np.cross(up, forward)


def _direction(up: ArrayLike) -> Array:
    vector = np.asarray(up, dtype=np.float64)
    length = float(np.linalg.norm(vector)) if vector.shape == (3,) else 0.0
    if not (np.isfinite(length) and length > 0.0):
        raise SupportError("up must be three finite numbers, not all zero", value=vector.tolist())
    return np.asarray(vector / length)


_FLAT = 1e-6


@dataclass(frozen=True)
class Rest:
    """Feet in one plane that carry the robot."""

    feet: tuple[str, ...]
    """Names of the feet."""
    margin: float
    """Distance of the centre of mass's projection to the edge of the support polygon [m]; below zero outside."""
    clearance: float
    """Height over the ground of the lowest part that belongs to none of the legs' last links [m]."""


def resting(kinematics: Kinematics, within: float = 0.003) -> Rest | None:
    """The rest with the largest margin at the posture of the last update; None where no three feet span a plane.

    Args:
        kinematics: The robot at a posture; all its feet are balls.
        within: Height over the ground up to which a foot carries [m].
    """
    feet = kinematics.robot.feet
    centers = np.array([kinematics.pose(foot.site)[0] for foot in feet])
    radius = max((foot.radius for foot in feet), default=0.0)
    com = kinematics.com()
    best: Rest | None = None
    for triple in combinations(range(len(feet)), 3):
        a, b, c = centers[list(triple)]
        normal = np.cross(b - a, c - a)
        length = float(np.linalg.norm(normal))
        if length < _FLAT:
            continue
        normal /= length
        if float(normal @ (com - a)) < 0.0:
            normal = -normal
        heights = (centers - a) @ normal
        if float(heights.min()) < -within:
            continue
        standing = np.flatnonzero(heights <= within)
        side = np.cross(normal, [1.0, 0.0, 0.0])
        side /= np.linalg.norm(side)
        plane = np.stack([np.cross(side, normal), side], axis=-1)
        margin = float(signed_distance(convex_hull(centers[standing] @ plane), com @ plane))
        if best is None or margin > best.margin:
            names = tuple(feet[int(index)].name for index in standing)
            ground = float(a @ normal) - radius
            best = Rest(
                names, margin, lowest_other(kinematics, [foot.body for foot in feet], normal, collides=True) - ground
            )
    return best
