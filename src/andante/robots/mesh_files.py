"""Mesh, texture and height field files of a parsed MJCF: collected, or left out where they are missing."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.robots.model_budget import MAX_FILE
from andante.robots.parts import RobotError

_POINTER = b"version https://git-lfs"
"""What a file begins with that Git has not fetched."""


def collect_meshes(spec: Any, path: Path) -> dict[str, bytes]:
    """Read the mesh, texture and height field files of a parsed MJCF, by the names that its XML uses.

    Raises:
        RobotError: A file cannot be read or is too large.
    """
    assets: dict[str, bytes] = {}
    folder = Path(spec.modelfiledir or path.parent)
    for kind, directory in (("meshes", spec.meshdir), ("textures", spec.texturedir), ("hfields", spec.meshdir)):
        for item in getattr(spec, kind):
            for file in (item.file, *getattr(item, "cubefiles", ())):
                if file:
                    name = Path(directory) / (Path(file).name if spec.strippath else file)
                    assets[str(name)] = read_mesh(folder / name)
    return assets


def leave_out_lost_visuals(spec: Any, path: Path) -> tuple[str, ...]:
    """Take meshes and textures out of a parsed MJCF whose files are missing and that are only looked at, and height
    fields of its world.

    Models are handed on without them. A mesh that collides, or that decides over a body's mass, stays and is refused.

    Returns:
        Names of what was left out.
    """
    import mujoco

    folder = Path(spec.modelfiledir or path.parent) / spec.meshdir
    lost = {
        mesh.name or Path(mesh.file).stem: mesh
        for mesh in spec.meshes
        if mesh.file and not _is_there(folder / (Path(mesh.file).name if spec.strippath else mesh.file))
    }
    shapes: dict[str, list[Any]] = {name: [] for name in lost}
    for geom in spec.geoms:
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH and geom.meshname in lost:
            shapes[geom.meshname].append(geom)
    left_out = []
    for name, geoms in shapes.items():
        if all(not (geom.contype or geom.conaffinity) and geom.parent.explicitinertial for geom in geoms):
            for element in (*geoms, lost[name]):
                spec.delete(element)
            left_out.append(name)
        elif os.path.isfile(file := folder / (Path(lost[name].file).name if spec.strippath else lost[name].file)):
            # MuJoCo would only tell of a wrong header.
            read_mesh(file)
    return (*left_out, *_leave_out_lost_textures(spec, path), *_leave_out_lost_grounds(spec, folder))


def _leave_out_lost_textures(spec: Any, path: Path) -> list[str]:
    """Take textures out of a parsed MJCF whose files are missing; materials keep their colours."""
    folder, names = Path(spec.modelfiledir or path.parent) / spec.texturedir, []
    for texture in list(spec.textures):
        files = [Path(file).name if spec.strippath else file for file in (texture.file, *texture.cubefiles) if file]
        if all(_is_there(folder / file) for file in files):
            continue
        # MuJoCo calls a texture without a name by its file.
        name = texture.name or Path(texture.file).stem
        for material in spec.materials:
            material.textures = ["" if each == name else each for each in material.textures]
        spec.delete(texture)
        names.append(name)
    return names


def _leave_out_lost_grounds(spec: Any, folder: Path) -> list[str]:
    """Take height fields out of a parsed MJCF whose files are missing and that only the world uses, which is another
    one here."""
    names = []
    for field in list(spec.hfields):
        name = field.name or Path(field.file).stem
        shapes = [geom for geom in spec.geoms if geom.hfieldname == name]
        lost = field.file and not _is_there(folder / (Path(field.file).name if spec.strippath else field.file))
        if lost and all(geom.parent.name == "world" for geom in shapes):
            for element in (*shapes, field):
                spec.delete(element)
            names.append(name)
    return names


def read_mesh(file: Path) -> bytes:
    """The bytes of a mesh file.

    Raises:
        RobotError: It cannot be read, is no file, is larger than 40 MB, or only points to the file.
    """
    try:
        raw = read_bytes(file, max_bytes=MAX_FILE)
    except DocumentError as error:
        raise RobotError(f"the mesh {error.what}", place=str(file), value=error.value, limit=error.limit) from error
    if raw.startswith(_POINTER):
        raise RobotError("is Git LFS's pointer to a file, not the file", place=str(file), remedy="run git lfs pull")
    return raw


def _is_there(file: Path) -> bool:
    """Whether a file is there, and is no pointer to one that was not fetched."""
    if not os.path.isfile(file):
        return False
    with suppress(OSError), open(file, "rb") as head:
        return head.read(len(_POINTER)) != _POINTER
    return True
