"""A terrain's bodies as MuJoCo's.

Ground that is given by its heights becomes a height field, and its level parts boxes, whose edges a height field would
round over one spacing of its grid. Bodies of boards of real size are boxes, cylinders and convex meshes.
"""

from __future__ import annotations

import mujoco
import numpy as np

from andante.backends.terrain import TERRAIN
from andante.terrain.height_map import HeightMap
from andante.terrain.solids import Box, LyingLog, Solid, Stone
from andante.terrain.terrain import Terrain

_COLOUR = [0.72, 0.66, 0.56, 1.0]
_LEAST_RELIEF = 1e-4
_BASE = 0.05


def add_terrain(spec: mujoco.MjSpec, terrain: Terrain, friction: float, contact_time: float, weight: float) -> None:
    """Add a terrain's bodies to a world.

    Args:
        spec: The world.
        terrain: The terrain.
        friction: Sliding friction of its geoms.
        contact_time: Time constant of its contacts [s].
        weight: Weight with which it decides how soft its contacts are (solmix).
    """
    solids, rest = terrain.solids, terrain.surface
    if rest is not None:
        # Its kernel needs numba, whose import most runs are spared.
        from andante.terrain.level_patches import LevelPatches

        patches = LevelPatches.of(rest, terrain.floor, _BASE)
        solids, rest = (*solids, *patches.boxes), patches.rest
    geoms = [_add_solid(spec, number, solid) for number, solid in enumerate(solids)]
    if rest is not None:
        geoms.append(_add_surface(spec, rest))
    for geom in geoms:
        geom.rgba = _COLOUR
        geom.condim = 3
        geom.friction = [friction, 0.0, 0.0]
        geom.solref = [contact_time, 1.0]
        geom.solmix = weight


def _add_solid(spec: mujoco.MjSpec, number: int, solid: Solid) -> mujoco.MjsGeom:
    name, world = f"{TERRAIN}_{number}", spec.worldbody
    if isinstance(solid, Box):
        turn = [np.cos(0.5 * solid.yaw), 0.0, 0.0, np.sin(0.5 * solid.yaw)]
        return world.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_BOX, pos=solid.centre, size=solid.half, quat=turn)
    if isinstance(solid, Stone):
        size = [solid.radius, solid.half, 0.0]
        return world.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_CYLINDER, pos=solid.centre, size=size)
    if isinstance(solid, LyingLog):
        middle, way = np.array(solid.centre), np.array(solid.axis) * solid.half
        ends = [*(middle - way), *(middle + way)]
        return world.add_geom(
            name=name, type=mujoco.mjtGeom.mjGEOM_CYLINDER, fromto=ends, size=[solid.radius, 0.0, 0.0]
        )
    # MuJoCo collides with the convex hull of a mesh, which a rock is of its corners.
    spec.add_mesh(name=name, uservert=solid.corners.ravel().tolist())
    return world.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)


def _add_surface(spec: mujoco.MjSpec, surface: HeightMap) -> mujoco.MjsGeom:
    low_x, high_x, low_y, high_y = surface.extent
    z = surface.heights
    lowest, relief = float(z.min()), max(float(np.ptp(z)), _LEAST_RELIEF)
    spec.add_hfield(
        name=TERRAIN,
        nrow=z.shape[1],
        ncol=z.shape[0],
        size=[0.5 * (high_x - low_x), 0.5 * (high_y - low_y), relief, _BASE],
        userdata=np.ascontiguousarray((z.T - lowest) / relief).ravel(),
    )
    return spec.worldbody.add_geom(
        name=f"{TERRAIN}_surface",
        type=mujoco.mjtGeom.mjGEOM_HFIELD,
        hfieldname=TERRAIN,
        pos=[0.5 * (low_x + high_x), 0.5 * (low_y + high_y), lowest],
    )
