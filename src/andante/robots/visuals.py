"""Visual meshes: shapes of a bare MJCF that are only looked at, taken out of what is simulated and put into pictures.

A robot of another package has a hundred megabytes of them, which cost seconds and memory in every run and every worker
although nothing touches them. They are read from the robot's file when something is drawn.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Vector

_PREFIX = "andante_visual_"


@dataclass(frozen=True, eq=False)
class VisualMesh:
    """A shape that is only looked at."""

    body: str
    """Body that carries it."""
    vertices: NDArray[np.float32]
    """Corners in the shape's frame, (nv, 3) [m]."""
    faces: NDArray[np.int32]
    """Corner numbers of its triangles, (nt, 3)."""
    position: Vector
    """Place of the shape's frame in the body, (3,) [m]."""
    orientation: Vector
    """Orientation of that frame in the body, (4,) wxyz."""
    colour: Vector
    """Red, green, blue, opacity, (4,)."""
    group: int
    """MuJoCo's group of shapes."""


def take_out_visuals(spec: mujoco.MjSpec) -> bool:
    """Take shapes out of a parsed MJCF that nothing collides with and no mass depends on; whether there were any."""
    paired = {name for pair in spec.pairs for name in (pair.geomname1, pair.geomname2)}
    visual = [geom for geom in spec.geoms if _only_looked_at(geom) and geom.name not in paired]
    removed = {id(geom) for geom in visual}
    names = {geom.meshname for geom in visual}
    names -= {geom.meshname for geom in spec.geoms if id(geom) not in removed}
    for geom in visual:
        spec.delete(geom)
    for mesh in [mesh for mesh in spec.meshes if (mesh.name or Path(mesh.file).stem) in names]:
        spec.delete(mesh)
    return bool(visual)


def visual_meshes(path: Path) -> tuple[VisualMesh, ...]:
    """The visual meshes of a MJCF file.

    Raises:
        RobotError: The file cannot be read any more, or MuJoCo does not take it.
    """
    from andante.robots.bare.preparing import parse_bare
    from andante.robots.model_text import compile_spec

    spec = parse_bare(path)
    marked = [geom for geom in spec.geoms if _only_looked_at(geom)]
    for number, geom in enumerate(marked):
        geom.name = f"{_PREFIX}{number}"
    model = compile_spec(spec, place=str(path))
    return tuple(_mesh(model, int(model.geom(f"{_PREFIX}{number}").id)) for number in range(len(marked)))


def add_visuals(spec: mujoco.MjSpec, meshes: Collection[VisualMesh]) -> None:
    """Put visual meshes into a specification; those of bodies that it does not have are left out."""
    for number, each in enumerate(meshes):
        body = spec.body(each.body)
        if body is None:
            continue
        name = f"{_PREFIX}{number}"
        spec.add_mesh(
            name=name,
            uservert=each.vertices.ravel(),
            userface=each.faces.ravel(),
            # The vertices are scaled already; the file may say a scale for all meshes.
            scale=[1.0, 1.0, 1.0],
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )
        body.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=name,
            pos=each.position,
            quat=each.orientation,
            rgba=each.colour,
            group=each.group,
            contype=0,
            conaffinity=0,
            mass=0.0,
        )


def _only_looked_at(geom: Any) -> bool:
    touches = geom.contype or geom.conaffinity
    return bool(geom.type == mujoco.mjtGeom.mjGEOM_MESH and not touches and geom.parent.explicitinertial)


def _mesh(model: mujoco.MjModel, geom: int) -> VisualMesh:
    mesh, material = int(model.geom_dataid[geom]), int(model.geom_matid[geom])
    first, corners = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    begin, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    own = model.geom_rgba[geom]
    plain = bool(np.array_equal(own, np.array([0.5, 0.5, 0.5, 1.0], np.float32)))
    return VisualMesh(
        str(model.body(int(model.geom_bodyid[geom])).name),
        np.array(model.mesh_vert[first : first + corners]),
        np.array(model.mesh_face[begin : begin + count]),
        np.array(model.geom_pos[geom]),
        np.array(model.geom_quat[geom]),
        np.array(model.mat_rgba[material] if material >= 0 and plain else own, dtype=np.float64),
        int(model.geom_group[geom]),
    )
