"""Scenes of MuJoCo (.xml, .mjcf) as terrain: what stands still in them and touches, as triangles.

Height fields are those of mujoco.readthedocs.io (XMLreference, asset/hfield): rows run along y, columns along x, and
an elevation of one is as high as the third number of their size.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from andante.robots.model_text import compile_spec, parse_file, read_model_text, refusals
from andante.robots.parts import RobotError
from andante.spatial.arrays import Array
from andante.terrain.files.found import Triangles
from andante.terrain.files.limits import MOST_POINTS, few
from andante.terrain.files.solid_triangles import box_triangles, grid_triangles, plane_triangles, round_triangles
from andante.terrain.height_map import TerrainError

_ROUND_KINDS = {2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder"}
"""MuJoCo's round geom types (mjtGeom) by number."""


def read_mjcf(content: bytes, place: str) -> Triangles:
    """The triangles (n, 3, 3) of all that stands still in a scene and touches: height fields, boxes, meshes, round
    shapes, planes. Bodies with joints are left out, as robots and what they carry.

    Args:
        content: The file; it is read again together with those that it names.
        place: Its path.

    Raises:
        TerrainError: Not such a file, or nothing in it is ground.
    """
    import mujoco

    try:
        _, root = read_model_text(Path(place))
        if root != "mujoco":
            raise TerrainError("the file is a robot's and no scene of MuJoCo", place=place, value=root, limit="mujoco")
        spec = parse_file(Path(place))
        with refusals(place):
            moving = _still(spec)
        model = compile_spec(spec, place=place)
    except RobotError as error:
        raise TerrainError(f"is no scene of MuJoCo: {error}") from error
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    touching = [k for k in range(model.ngeom) if model.geom_contype[k] or model.geom_conaffinity[k]]
    planes = [k for k in touching if model.geom_type[k] == mujoco.mjtGeom.mjGEOM_PLANE]
    parts = []
    for number in touching:
        if number not in planes:
            shape = _shape(model, number)
            parts.append(shape @ data.geom_xmat[number].reshape(3, 3).T + data.geom_xpos[number])
            few(sum(len(part) for part in parts), MOST_POINTS, "triangles", place)
    if not parts:
        raise TerrainError(
            "no ground stands in the scene", place=place, value=f"{len(planes)} planes",
            limit="a height field, a box or a mesh that touches and has no joint",
        )  # fmt: skip
    low, high = (
        np.min([part.min(axis=(0, 1)) for part in parts], axis=0),
        np.max([part.max(axis=(0, 1)) for part in parts], axis=0),
    )
    parts += [
        plane_triangles(data.geom_xpos[number], data.geom_xmat[number].reshape(3, 3)[:, 2], low, high, place)
        for number in planes
    ]
    notes = [f"of the scene {len(touching)} shapes that stand still"]
    if moving:
        notes.append(f"{len(moving)} bodies with joints are left out: {', '.join(moving[:5])}")
    return Triangles(np.concatenate(parts), tuple(notes))


def _still(spec: Any) -> list[str]:
    """Take out of a parsed scene what moves, and what is only for that; the names of the bodies."""
    for elements in (spec.keys, spec.sensors, spec.actuators, spec.tendons, spec.equalities, spec.pairs, spec.excludes):
        for element in list(elements):
            spec.delete(element)
    for element in (*spec.skins, *spec.lights, *spec.cameras):
        spec.delete(element)
    moving = []
    for body in list(spec.worldbody.bodies):
        if body.joints or body.find_all("joint"):
            moving.append(str(body.name or "one without a name"))
            spec.delete(body)
    shapes = [geom for geom in spec.geoms if geom.contype or geom.conaffinity]
    for geom in list(spec.geoms):
        if geom not in shapes:
            spec.delete(geom)
    used = {geom.meshname for geom in shapes}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)
    return moving


def _shape(model: Any, number: int) -> Array:
    """Triangles (n, 3, 3) of a shape in its own frame [m]."""
    import mujoco

    kinds, kind = mujoco.mjtGeom, model.geom_type[number]
    size, other = model.geom_size[number], int(model.geom_dataid[number])
    if kind == kinds.mjGEOM_HFIELD:
        rows, columns = int(model.hfield_nrow[other]), int(model.hfield_ncol[other])
        first = int(model.hfield_adr[other])
        x_half, y_half, top, _ = model.hfield_size[other].tolist()
        heights = top * model.hfield_data[first : first + rows * columns].reshape(rows, columns).astype(np.float64)
        return grid_triangles(np.linspace(-x_half, x_half, columns), np.linspace(-y_half, y_half, rows), heights.T)
    if kind == kinds.mjGEOM_MESH:
        corners, faces = (int(each[other]) for each in (model.mesh_vertadr, model.mesh_faceadr))
        places = model.mesh_vert[corners : corners + model.mesh_vertnum[other]].astype(np.float64)
        return np.asarray(places[model.mesh_face[faces : faces + model.mesh_facenum[other]]])
    if kind == kinds.mjGEOM_BOX:
        return box_triangles(size)
    return round_triangles(_ROUND_KINDS[int(kind)], size)
