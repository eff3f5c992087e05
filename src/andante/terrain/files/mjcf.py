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
from andante.terrain.height_map import TerrainError

_ROUND = 48
"""Corners of a circle."""
_BESIDE = 0.5
"""How far an endless plane counts beyond what else stands in the scene [m]."""


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
        _plane(data.geom_xpos[number], data.geom_xmat[number].reshape(3, 3)[:, 2], low, high, place)
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
        return _grid(np.linspace(-x_half, x_half, columns), np.linspace(-y_half, y_half, rows), heights.T)
    if kind == kinds.mjGEOM_MESH:
        corners, faces = (int(each[other]) for each in (model.mesh_vertadr, model.mesh_faceadr))
        places = model.mesh_vert[corners : corners + model.mesh_vertnum[other]].astype(np.float64)
        return np.asarray(places[model.mesh_face[faces : faces + model.mesh_facenum[other]]])
    if kind == kinds.mjGEOM_BOX:
        top = _grid(np.array([-size[0], size[0]]), np.array([-size[1], size[1]]), np.full((2, 2), size[2]))
        # The sides that may look up when it is turned: those of a cube, by turning axes.
        # The corners of a mirrored one go round the other way, so that its front stays outside.
        found = [top, top[:, ::-1] * (1.0, 1.0, -1.0)]
        for a, b, c in ((1, 2, 0), (2, 0, 1)):
            side = _grid(np.array([-size[a], size[a]]), np.array([-size[b], size[b]]), np.full((2, 2), size[c]))
            placed = np.empty_like(side)
            placed[..., a], placed[..., b], placed[..., c] = side[..., 0], side[..., 1], side[..., 2]
            flip = np.ones(3)
            flip[c] = -1.0
            found += [placed, placed[:, ::-1] * flip]
        return np.concatenate(found)
    return _round(kind, size)


def _grid(x: Array, y: Array, heights: Array) -> Array:
    """Two triangles for each cell of nodes at x and y with heights (nx, ny)."""
    nodes = np.stack([*np.meshgrid(x, y, indexing="ij"), heights], axis=-1)
    a, b, c, d = nodes[:-1, :-1], nodes[1:, :-1], nodes[1:, 1:], nodes[:-1, 1:]
    return np.concatenate([np.stack(each, axis=-2).reshape(-1, 3, 3) for each in ((a, b, c), (a, c, d))])


def _round(kind: int, size: Array) -> Array:
    """Triangles of a sphere, an ellipsoid, a capsule or a cylinder along z."""
    import mujoco

    kinds = mujoco.mjtGeom
    tilt, turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, _ROUND // 2 + 1), np.linspace(0.0, 2.0 * np.pi, _ROUND + 1)
    if kind == kinds.mjGEOM_CYLINDER:
        radius, z = np.array([0.0, size[0], size[0], 0.0]), np.array([-size[1], -size[1], size[1], size[1]])
        stretch = np.ones(3)
    else:
        ball = np.full(3, size[0]) if kind != kinds.mjGEOM_ELLIPSOID else size
        radius, z, stretch = np.cos(tilt), np.sin(tilt), np.array(ball)
    around = np.stack(
        [np.outer(radius, np.cos(turn)), np.outer(radius, np.sin(turn)), np.outer(z, np.ones(_ROUND + 1))]
    )
    places = np.moveaxis(around, 0, -1) * stretch
    if kind == kinds.mjGEOM_CAPSULE:
        places[..., 2] += np.where(tilt < 0.0, -size[1], size[1])[:, None]
    a, b, c, d = places[:-1, :-1], places[1:, :-1], places[1:, 1:], places[:-1, 1:]
    return np.concatenate([np.stack(each, axis=-2).reshape(-1, 3, 3) for each in ((a, c, b), (a, d, c))])


def _plane(point: Array, normal: Array, low: Array, high: Array, place: str) -> Array:
    """Two triangles of a plane below and around what else stands in the scene.

    Raises:
        TerrainError: It is a wall.
    """
    if normal[2] < 0.1:
        raise TerrainError("a plane of the scene is a wall", place=place, value=np.round(normal, 3).tolist())
    x, y = (np.array([low[k] - _BESIDE, high[k] + _BESIDE]) for k in (0, 1))
    flat = _grid(x, y, np.zeros((2, 2)))
    flat[..., 2] = (
        point[2] - ((flat[..., 0] - point[0]) * normal[0] + (flat[..., 1] - point[1]) * normal[1]) / normal[2]
    )
    return flat
