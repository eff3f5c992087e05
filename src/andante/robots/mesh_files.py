"""Finding the mesh files of a model: MuJoCo knows neither ``package://`` nor files beside a URDF's package."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from andante.robots.robot import RobotError

_MAX_MESH_BYTES = 100_000_000
_READABLE = (".stl", ".obj", ".msh")


def resolve_urdf(text: str, path: Path) -> tuple[str, dict[str, bytes], dict[str, tuple[float, float]]]:
    """Prepare a URDF for MuJoCo.

    Visual meshes are dropped, collision meshes are found and read, and the root link is put on a free joint (MuJoCo
    would weld it to the world and lose its mass).

    Returns:
        The new text, the mesh files by name, and (effort, velocity) per joint as the file declares them.

    Raises:
        RobotError: No XML, an unresolved mesh path, or a mesh format that MuJoCo does not read.
    """
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", text):
        raise RobotError("document type declarations are refused", place=str(path))
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise RobotError(f"is no XML: {error}", place=str(path)) from error
    except RecursionError as error:
        raise RobotError("is nested too deeply", place=str(path)) from error
    assets: dict[str, bytes] = {}
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
        for mesh in link.iter("mesh"):
            name = mesh.get("filename", "")
            found = _find_mesh(name, path)
            key = f"{len(assets)}_{found.name}"
            assets[key] = read_mesh(found)
            mesh.set("filename", key)
    _free_root(root, path)
    declared = {}
    for joint in root.iter("joint"):
        limit = joint.find("limit")
        if limit is not None:
            declared[joint.get("name", "")] = (_number(limit, "effort", path), _number(limit, "velocity", path))
    for old in root.findall("mujoco"):
        root.remove(old)
    extension = ElementTree.SubElement(root, "mujoco")
    ElementTree.SubElement(
        extension, "compiler", {"fusestatic": "false", "strippath": "true", "balanceinertia": "true"}
    )
    return ElementTree.tostring(root, encoding="unicode"), assets, declared


def collect_meshes(spec: Any, path: Path) -> dict[str, bytes]:
    """Read the mesh, texture and height field files of a parsed MJCF, by the names that its XML uses.

    Raises:
        RobotError: A file cannot be read or is too large.
    """
    assets: dict[str, bytes] = {}
    folder = Path(spec.modelfiledir or path.parent)
    for kind, directory in (("meshes", spec.meshdir), ("textures", spec.texturedir), ("hfields", spec.meshdir)):
        for item in getattr(spec, kind):
            if item.file:
                file = folder / directory / item.file
                assets[str(Path(directory) / item.file)] = read_mesh(file)
    return assets


def read_mesh(file: Path) -> bytes:
    """The bytes of a mesh file.

    Raises:
        RobotError: It cannot be read, or is larger than 100 MB.
    """
    try:
        if file.stat().st_size > _MAX_MESH_BYTES:
            raise RobotError("the mesh is too large", place=str(file), limit=f"{_MAX_MESH_BYTES} bytes")
        return file.read_bytes()
    except OSError as error:
        raise RobotError(f"the mesh cannot be read: {error.strerror}", place=str(file)) from error


def _find_mesh(name: str, urdf: Path) -> Path:
    plain = re.sub(r"^(file://|model://)", "", name)
    candidates: list[Path] = []
    if plain.startswith("package://"):
        _, _, rest = plain.removeprefix("package://").partition("/")
        package = plain.removeprefix("package://").partition("/")[0]
        for folder in urdf.resolve().parents:
            candidates += [folder / rest, folder / package / rest]
    else:
        candidates = [urdf.parent / plain, Path(plain)]
    for candidate in candidates:
        if candidate.is_file():
            if candidate.suffix.lower() not in _READABLE:
                raise RobotError(
                    "MuJoCo does not read this mesh format", place=f"{urdf}: mesh", value=name, legal=_READABLE
                )
            return candidate
    raise RobotError(
        "the mesh file cannot be found",
        place=f"{urdf}: mesh",
        value=name,
        remedy="package:// paths are looked up in the folders above the URDF",
    )


def _free_root(root: ElementTree.Element, path: Path) -> None:
    links = [link.get("name", "") for link in root.findall("link")]
    children = set()
    for joint in root.findall("joint"):
        child = joint.find("child")
        if child is not None:
            children.add(child.get("link", ""))
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        raise RobotError("a URDF needs exactly one root link", place=str(path), value=roots)
    floating = [j for j in root.findall("joint") if j.get("type") == "floating"]
    if floating:
        return
    ElementTree.SubElement(root, "link", {"name": "andante_world"})
    joint = ElementTree.SubElement(root, "joint", {"name": "root", "type": "floating"})
    ElementTree.SubElement(joint, "parent", {"link": "andante_world"})
    ElementTree.SubElement(joint, "child", {"link": roots[0]})


def _number(element: ElementTree.Element, name: str, path: Path) -> float:
    text = element.get(name, "0")
    try:
        return float(text)
    except ValueError as error:
        raise RobotError("is no number", place=f"{path}: limit {name}", value=text) from error
