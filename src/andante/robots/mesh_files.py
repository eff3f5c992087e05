"""Finding the mesh files of a model: MuJoCo knows neither ``package://`` nor files beside a URDF's package."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.robots.model_budget import MAX_FILE
from andante.robots.parts import RobotError

_READABLE = (".stl", ".obj", ".msh")


@dataclass(frozen=True)
class PreparedUrdf:
    """A URDF that MuJoCo can compile."""

    text: str
    """The new text."""
    assets: dict[str, bytes]
    """Mesh files by the names that the text uses."""
    declared: dict[str, tuple[float, float]]
    """Effort [N m] and velocity [rad/s] per joint as the file declares them, 0 where it does not."""
    mended: tuple[str, ...]
    """Links whose inertia no body can have; the products of inertia are dropped."""


def prepare_urdf(text: str, path: Path) -> PreparedUrdf:
    """Prepare a URDF for MuJoCo.

    Visual meshes are dropped, collision meshes are found and read, links have the mass that the file gives them (MuJoCo
    would make one up from the collision shapes), and an extension for MuJoCo is replaced.

    Args:
        text: The URDF, already known to be XML.
        path: Where it comes from; meshes are looked up from there.

    Raises:
        RobotError: An unresolved mesh path, a mesh format that MuJoCo does not read, a wrong number, or not one root.
    """
    root = ElementTree.fromstring(text)
    for element in root.iter():
        # Files made for Drake declare a namespace, which ElementTree writes into every name.
        element.tag = element.tag.rpartition("}")[2]
    folders = _mesh_folders(root, path)
    assets: dict[str, bytes] = {}
    mended = []
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
        inertial, name = link.find("inertial"), link.get("name", "")
        if inertial is not None:
            if _is_massless(inertial, f"{path}: link {name!r}"):
                link.remove(inertial)
            elif _mend_inertia(inertial, f"{path}: link {name!r}"):
                mended.append(name)
        for mesh in link.iter("mesh"):
            found = _find_mesh(mesh.get("filename", ""), path, folders)
            key = f"{len(assets)}_{found.name}"
            assets[key] = read_mesh(found)
            mesh.set("filename", key)
    _check_root(root, path)
    declared = {}
    for joint in root.findall("joint"):
        limit = joint.find("limit")
        if limit is not None:
            name = joint.get("name", "")
            place = f"{path}: joint {name!r}: limit"
            declared[name] = (_number(limit, "effort", place), _number(limit, "velocity", place))
    for old in root.findall("mujoco"):
        root.remove(old)
    extension = ElementTree.SubElement(root, "mujoco")
    ElementTree.SubElement(
        extension,
        "compiler",
        {"fusestatic": "false", "strippath": "true", "balanceinertia": "true", "inertiafromgeom": "false"},
    )
    return PreparedUrdf(ElementTree.tostring(root, encoding="unicode"), assets, declared, tuple(mended))


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
    """Take meshes out of a parsed MJCF whose files are missing and that are only looked at.

    Models are handed on without them. A mesh that collides, or that decides over a body's mass, stays and is refused.

    Returns:
        Names of the meshes that were left out.
    """
    import mujoco

    folder = Path(spec.modelfiledir or path.parent) / spec.meshdir
    lost = {
        mesh.name or Path(mesh.file).stem: mesh
        for mesh in spec.meshes
        if mesh.file and not os.path.isfile(folder / (Path(mesh.file).name if spec.strippath else mesh.file))
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
    return tuple(left_out)


def read_mesh(file: Path) -> bytes:
    """The bytes of a mesh file.

    Raises:
        RobotError: It cannot be read, is no file, or is larger than 40 MB.
    """
    try:
        return read_bytes(file, max_bytes=MAX_FILE)
    except DocumentError as error:
        raise RobotError(f"the mesh {error.what}", place=str(file), value=error.value, limit=error.limit) from error


def _mesh_folders(root: ElementTree.Element, path: Path) -> list[Path]:
    """Folders for meshes without a package: beside the URDF, and the ``meshdir`` of its extension for MuJoCo."""
    named = [compiler.get("meshdir", "") for compiler in root.iterfind("mujoco/compiler")]
    return [path.parent, *(path.parent / name for name in named if name)]


def _find_mesh(name: str, urdf: Path, folders: list[Path]) -> Path:
    place = f"{urdf}: mesh"
    if not name or "\0" in name:
        raise RobotError("a mesh needs a file name", place=place)
    plain = re.sub(r"^(file://|model://)", "", name)
    candidates: list[Path] = []
    if plain.startswith("package://"):
        package, _, rest = plain.removeprefix("package://").partition("/")
        for folder in urdf.resolve().parents:
            candidates += [folder / package / rest, folder / rest]
    else:
        # MuJoCo itself looks for the bare file name in the folder that ``meshdir`` names.
        candidates = [folder / file for folder in folders for file in (plain, Path(plain).name)]
    for candidate in candidates:
        if os.path.isfile(candidate):
            if candidate.suffix.lower() not in _READABLE:
                raise RobotError("MuJoCo does not read this mesh format", place=place, value=name, legal=_READABLE)
            return candidate
    raise RobotError(
        "the mesh file cannot be found",
        place=place,
        value=name,
        remedy="package:// paths are looked up in the folders above the URDF, others beside it",
    )


def _check_root(root: ElementTree.Element, path: Path) -> None:
    """One root link; one that only carries a floating joint is the world and gets the name that MuJoCo has for it."""
    links = {link.get("name", ""): link for link in root.findall("link")}
    ends = [(joint, joint.find("parent"), joint.find("child")) for joint in root.findall("joint")]
    children = {child.get("link", "") for _, _, child in ends if child is not None}
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        raise RobotError("a URDF needs exactly one root link", place=str(path), value=roots)
    below = [(joint, parent) for joint, parent, _ in ends if parent is not None and parent.get("link") == roots[0]]
    if below and all(joint.get("type") == "floating" for joint, _ in below) and "world" not in links:
        links[roots[0]].set("name", "world")
        for _, parent in below:
            parent.set("link", "world")


def _is_massless(inertial: ElementTree.Element, place: str) -> bool:
    mass = inertial.find("mass")
    return mass is not None and _number(mass, "value", place) == 0.0


def _mend_inertia(inertial: ElementTree.Element, place: str) -> bool:
    """Drop the products of inertia where they contradict the moments; real files have such placeholders."""
    inertia = inertial.find("inertia")
    if inertia is None:
        return False
    xx, yy, zz = (_number(inertia, name, place) for name in ("ixx", "iyy", "izz"))
    xy, xz, yz = (_number(inertia, name, place, signed=True) for name in ("ixy", "ixz", "iyz"))
    moments = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if moments[0] > 1e-9 * moments[-1] or min(xx, yy, zz) <= 0.0:
        return False
    for name in ("ixy", "ixz", "iyz"):
        inertia.set(name, "0")
    return True


def _number(element: ElementTree.Element, name: str, place: str, *, signed: bool = False) -> float:
    text = element.get(name, "0")
    try:
        value = float(text)
    except ValueError as error:
        raise RobotError(f"{name} is no number", place=place, value=text) from error
    if not math.isfinite(value) or (value < 0.0 and not signed):
        limit = "a finite number" if signed else "a finite number of at least 0"
        raise RobotError(f"{name} is out of range", place=place, value=text, limit=limit)
    return value
