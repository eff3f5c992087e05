"""BodyShape: how thick a robot's legs are and where its trunk is, from the shapes in its model."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from andante.kinematics.leg_table import LeggedBody
from andante.spatial.arrays import Array

_THICKEST = 0.15
"""Largest radius of a link as share of the leg's length; a shape that is thicker is no straight link."""
_THINNEST = 0.02
"""Smallest radius as share of the leg's length; also that of a link without shape."""
_PITCH = 0.15
"""Distance of neighbouring points of the belly as share of the leg's length."""
_ASIDE = 0.046
"""Distance from the trunk, as share of the leg, that one at zero roll has on every robot: room that is enough."""


@dataclass(frozen=True, eq=False)
class BodyShape:
    """What of a robot may touch the ground besides its feet, or its own legs.

    Upper and lower links run straight from axis to axis and to the foot, as thick as their shapes; the trunk is the
    boxes around its shapes at zero angles, of which only the undersides can come down on something.
    """

    belly: Array
    """Points of the trunk's underside in the base's frame, (n, 3) [m]."""
    upper: Array
    """Radius of each leg's upper link, (nl,) [m]."""
    lower: Array
    """Radius of each leg's lower link, (nl,) [m]."""
    trunk: Array
    """Boxes that lower links can hit as low and high corners in the base's frame, (m, 2, 3) [m]."""

    @staticmethod
    def of(body: LeggedBody) -> BodyShape:
        """Read the shapes of a robot's model; those that collide, or all where none of a link collides."""
        model = body.robot.model
        data = mujoco.MjData(model)
        data.qpos[:] = model.qpos0
        mujoco.mj_kinematics(model, data)
        owners = {
            int(model.joint(joint).bodyid[0]): (row, link)
            for row, leg in enumerate(body.legs)
            for link, joint in enumerate(leg.joints)
        }
        shapes: dict[tuple[int, int], list[int]] = {}
        shanks = []
        base = model.body(body.robot.base_body).id
        feet = {model.site(foot.site).id for foot in body.robot.feet}
        for geom in range(model.ngeom):
            owner = _owner(model, int(model.geom_bodyid[geom]), owners, base)
            if owner is not None and owner[1] == 2:
                shanks.append(geom)
            if owner is not None and not _is_foot(model, geom, feet):
                shapes.setdefault(owner, []).append(geom)
        least, most = _THINNEST * body.leg_length, _THICKEST * body.leg_length
        radii = np.empty((len(body.legs), 2))
        for row in range(len(body.legs)):
            for link in (1, 2):
                found = [_thickness(model, geom) for geom in _solid(model, shapes.get((row, link), []))]
                radii[row, link - 1] = np.clip(max(found, default=0.0), least, most)
        trunk = _solid(model, shapes.get((-1, -1), []))
        return BodyShape(
            belly=_belly(body, [shape_box(model, data, base, geom) for geom in trunk]),
            upper=radii[:, 0].copy(),
            lower=radii[:, 1].copy(),
            trunk=trunk_boxes(body, data, base, trunk, shanks, radii[:, 1]),
        )


def _owner(model: mujoco.MjModel, body: int, owners: dict[int, tuple[int, int]], base: int) -> tuple[int, int] | None:
    """Leg and link to which a body belongs, (-1, -1) for the trunk, None for the world."""
    while body not in owners and body not in (base, 0):
        body = int(model.body_parentid[body])
    if body == 0:
        return None
    return owners.get(body, (-1, -1))


def _is_foot(model: mujoco.MjModel, geom: int, feet: set[int]) -> bool:
    """Whether a geom is the ball around a foot's site."""
    if model.geom_type[geom] != mujoco.mjtGeom.mjGEOM_SPHERE:
        return False
    body = model.geom_bodyid[geom]
    near = [site for site in feet if model.site_bodyid[site] == body]
    return any(np.linalg.norm(model.site_pos[site] - model.geom_pos[geom]) < model.geom_size[geom, 0] for site in near)


def _solid(model: mujoco.MjModel, geoms: list[int]) -> list[int]:
    colliding = [geom for geom in geoms if model.geom_contype[geom] or model.geom_conaffinity[geom]]
    return colliding or geoms


def _thickness(model: mujoco.MjModel, geom: int) -> float:
    """Radius of a round shape; of any other the middle one of its half widths."""
    if model.geom_type[geom] in (
        mujoco.mjtGeom.mjGEOM_SPHERE,
        mujoco.mjtGeom.mjGEOM_CAPSULE,
        mujoco.mjtGeom.mjGEOM_CYLINDER,
    ):
        return float(model.geom_size[geom, 0])
    return float(np.sort(model.geom_aabb[geom, 3:])[1])


def _belly(body: LeggedBody, boxes: list[Array]) -> Array:
    """Points of the underside of boxes around a trunk's shapes, (n, 3) [m]."""
    if not boxes:
        # A trunk without shape is at least what carries the hips.
        boxes = [np.stack([body.table.hip.min(axis=0), body.table.hip.max(axis=0)])]
    low, high = np.min([each for each, _ in boxes], axis=0), np.max([each for _, each in boxes], axis=0)
    count = np.maximum(np.ceil((high - low) / (_PITCH * body.leg_length)).astype(np.int64), 2) + 1
    x, y = np.linspace(low[0], high[0], count[0]), np.linspace(low[1], high[1], count[1])
    spot_x, spot_y = np.meshgrid(x, y, indexing="ij")
    spots = np.column_stack([spot_x.ravel(), spot_y.ravel(), np.full(spot_x.size, np.inf)])
    # Each shape's underside is as deep as it is itself: a low head does not make the whole trunk low.
    reach = 0.5 * (high - low)[:2] / (count - 1)[:2] + 1e-9
    for bottom, top in boxes:
        over = ((spots[:, :2] >= bottom[:2] - reach) & (spots[:, :2] <= top[:2] + reach)).all(axis=1)
        spots[over, 2] = np.minimum(spots[over, 2], bottom[2])
    return np.ascontiguousarray(spots[np.isfinite(spots[:, 2])])


def shape_box(model: mujoco.MjModel, data: mujoco.MjData, base: int, geom: int) -> Array:
    """Low and high corner (2, 3) of the box around a shape in the frame of the base [m].

    Args:
        model: The robot's model.
        data: Its state, at which the shapes have been placed.
        base: Number of the base's body.
        geom: Number of the shape.
    """
    rotation, position = data.xmat[base].reshape(3, 3), data.xpos[base]
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    signs = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
    world = data.geom_xpos[geom] + (centre + signs * half) @ data.geom_xmat[geom].reshape(3, 3).T
    found = (world - position) @ rotation
    return np.stack([found.min(axis=0), found.max(axis=0)])


def may_touch(model: mujoco.MjModel, one: int, other: int) -> bool:
    """Whether two shapes of different bodies can come into contact in a model."""
    kinds, affine = model.geom_contype, model.geom_conaffinity
    if not (kinds[one] & affine[other] or kinds[other] & affine[one]):
        return False
    # A pair that is left out is kept as one number, the first body's in its upper half.
    bodies = sorted((int(model.geom_bodyid[one]), int(model.geom_bodyid[other])))
    left_out = {tuple(sorted((int(pair) >> 16, int(pair) & 0xFFFF))) for pair in model.exclude_signature}
    return tuple(bodies) not in left_out


def trunk_boxes(
    body: LeggedBody, data: mujoco.MjData, base: int, trunk: list[int], shanks: list[int], radii: Array
) -> Array:
    """Boxes that lower legs keep off, (n, 2, 3) of low and high corners in the base's frame [m].

    A box around a round or bent shape is wider than the shape. Legs at zero roll are clear of every robot's trunk, so
    that boxes are drawn in until they are.

    Args:
        body: The robot.
        data: Its state, at which the shapes have been placed.
        base: Number of the base's body.
        trunk: Shapes of the trunk.
        shanks: Shapes of the lower legs and the feet.
        radii: Radius of each lower link, (nl,) [m].
    """
    model, table = body.robot.model, body.table
    boxes = [
        shape_box(model, data, base, geom) for geom in trunk if any(may_touch(model, geom, shank) for shank in shanks)
    ]
    if not boxes:
        return np.empty((0, 2, 3))
    found = np.array(boxes)
    knees = table.hip[:, 1] + table.offset[:, 1] + table.upper[:, 1]
    feet = knees + table.lower[:, 1]
    keep = radii + _ASIDE * body.leg_length
    left = table.hip[:, 1] > 0.0
    found[:, 1, 1] = np.minimum(found[:, 1, 1], (np.minimum(knees, feet) - keep)[left].min(initial=np.inf))
    found[:, 0, 1] = np.maximum(found[:, 0, 1], (np.maximum(knees, feet) + keep)[~left].max(initial=-np.inf))
    return np.ascontiguousarray(found[found[:, 0, 1] < found[:, 1, 1]])
