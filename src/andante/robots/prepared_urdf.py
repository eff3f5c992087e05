"""A URDF made ready for MuJoCo, with its meshes read and its masses whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from andante.robots.collada import ColladaMesh, binary_stl, read_collada
from andante.robots.mesh_files import read_mesh
from andante.robots.mesh_paths import find_mesh
from andante.robots.parts import RobotError
from andante.robots.urdf_joints import ROUNDING, Mimic, check_links, read_joints, read_number
from andante.robots.urdf_tree import urdf_tree
from andante.robots.virtual_base import VirtualBase, free_virtual_base

LEAST_MASS = 0.001
"""Mass that a moving link without one is given [kg]: fingers and frames of real files have none, and nothing without
mass can be moved."""
ASSUMED_RADIUS = 0.05
"""A link with mass but without moments of inertia gets those of a ball of its mass with this radius [m]."""
_XACRO = "the file is for xacro: run it first, `xacro FILE > robot.urdf`"
_ROUNDED = 0.01
"""A principal moment of inertia that is larger than the other two together by at most this share is a flat body whose
numbers were rounded by the file's writer."""
_SLENDER = 0.01
"""A principal moment of inertia of 0 is set to this share of the largest: a rod's about its length, rounded away."""
_VERTEX = re.compile(rb"\bvertex\s++(\S++)\s++(\S++)\s++(\S++)", re.IGNORECASE)
_FARTHEST = 1e6
"""Largest coordinate of a mesh [m]."""
_ENTRIES = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
"""Row and column of each number of a URDF's inertia."""


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
    """Links whose products of inertia contradict the moments; they are dropped."""
    completed: tuple[str, ...] = ()
    """Links to which the file gives no moment of inertia, or no mass where they move; both are assumed."""
    converted: str = ""
    """What was done with COLLADA meshes, empty where there are none."""
    mimics: tuple[Mimic, ...] = ()
    """Joints that turn with another one."""
    replaced: tuple[str, ...] = ()
    """Links with moments of inertia that no body can have; other ones are assumed."""
    base: VirtualBase | None = None
    """The chain of virtual joints in whose place the base has a floating joint."""
    softer: tuple[str, ...] = ()
    """Joints whose safety controller, a program of ROS, would stop them within their limits."""
    ends: tuple[str, ...] = ()
    """Joints with a limit at one end only; the other is 0."""


def prepare_urdf(text: str, path: Path, made: Mapping[str, bytes] | None = None) -> PreparedUrdf:
    """Prepare a URDF for MuJoCo.

    Visual meshes are dropped, collision meshes are found and read, links have the mass that the file gives them (MuJoCo
    would make one up from the collision shapes), and an extension for MuJoCo is replaced.

    Args:
        text: The URDF, already known to be XML.
        path: Where it comes from; meshes are looked up from there.
        made: Meshes by name that are no files.

    Raises:
        RobotError: An unresolved mesh path, a mesh format that is not read, a wrong number, not one root, two joints of
            one name or to what is no link, or a file for xacro.
    """
    root = urdf_tree(text, str(path))
    _check_expanded(root, path)
    for element in root.iter():
        # Files made for Drake declare a namespace, which ElementTree writes into every name.
        element.tag = element.tag.rpartition("}")[2]
    check_links(root, path)
    base = free_virtual_base(root)
    folders = _mesh_folders(root, path)
    assets: dict[str, bytes] = {}
    converted = _Converted()
    mended, replaced = [], []
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
        for shape in link.findall("collision"):
            # MuJoCo prints a line for each of two that have one name; exporters call them all alike.
            shape.attrib.pop("name", None)
        inertial, name = link.find("inertial"), link.get("name", "")
        if inertial is not None:
            if _is_massless(inertial, f"{path}: link {name!r}"):
                link.remove(inertial)
            else:
                if _mend_inertia(inertial, f"{path}: link {name!r}"):
                    mended.append(name)
                if _replace_moments(inertial, f"{path}: link {name!r}"):
                    replaced.append(name)
        for mesh in link.iter("mesh"):
            named = mesh.get("filename", "")
            if made and named in made:
                assets[named] = made[named]
                continue
            found = find_mesh(named, path, folders)
            if found.suffix.lower() == ".dae":
                key = f"{len(assets)}_{found.stem}.stl"
                assets[key] = converted.read(found)
            else:
                key = f"{len(assets)}_{found.name}"
                raw = read_mesh(found)
                assets[key] = _without_text(raw) if found.suffix.lower() == ".stl" else raw
            mesh.set("filename", key)
    _check_root(root, path)
    if root.find("joint") is not None and root.find("link/inertial") is None:
        raise RobotError(
            "no link of the file has a mass, and what a robot weighs decides over all that it does",
            place=str(path),
            remedy="give its links an <inertial> with mass and inertia, as CAD programs write it",
        )
    completed = _complete_inertias(root)
    joints = read_joints(root, path)
    for old in root.findall("mujoco"):
        root.remove(old)
    extension = ElementTree.SubElement(root, "mujoco")
    ElementTree.SubElement(
        extension,
        "compiler",
        {"fusestatic": "false", "strippath": "true", "balanceinertia": "true", "inertiafromgeom": "false"},
    )
    told = ElementTree.tostring(root, encoding="unicode")
    return PreparedUrdf(
        told,
        assets,
        joints.declared,
        tuple(mended),
        completed,
        converted.told(),
        joints.mimics,
        tuple(replaced),
        base,
        joints.softer,
        joints.completed,
    )


class _Converted:
    """The COLLADA meshes of one model: each file is read once, links often share one."""

    def __init__(self) -> None:
        self._meshes: dict[Path, ColladaMesh] = {}

    def read(self, file: Path) -> bytes:
        """A file as binary STL."""
        if file not in self._meshes:
            self._meshes[file] = read_collada(read_mesh(file), str(file))
        return self._meshes[file].stl

    def told(self) -> str:
        """What was done, in one line."""
        if not self._meshes:
            return ""
        by_axis = Counter(mesh.up_axis for mesh in self._meshes.values())
        by_unit = Counter(mesh.unit for mesh in self._meshes.values())
        axes = ", ".join(f"{count} with {axis}" for axis, count in sorted(by_axis.items()))
        units = ", ".join(f"{count} in units of {unit:g} m" for unit, count in sorted(by_unit.items()))
        return f"{len(self._meshes)} COLLADA files, turned to metres and z up as each says ({axes}; {units})"


def _without_text(raw: bytes) -> bytes:
    """An ASCII STL file as a binary one, which MuJoCo reads; any other bytes as they are, for MuJoCo to judge."""
    if not raw[:80].lstrip().lower().startswith(b"solid") or len(raw) == 84 + 50 * int.from_bytes(raw[80:84], "little"):
        return raw
    try:
        numbers = [float(word) for corner in _VERTEX.findall(raw) for word in corner]
    except ValueError:
        return raw
    whole = numbers and len(numbers) % 9 == 0 and all(abs(number) < _FARTHEST for number in numbers)
    return binary_stl(np.array(numbers).reshape(-1, 3, 3)) if whole else raw


def _mesh_folders(root: ElementTree.Element, path: Path) -> list[Path]:
    """Folders for meshes without a package: beside the URDF, and the ``meshdir`` of its extension for MuJoCo."""
    named = [compiler.get("meshdir", "") for compiler in root.iterfind("mujoco/compiler")]
    return [path.parent, *(path.parent / name for name in named if name)]


def _check_expanded(root: ElementTree.Element, path: Path) -> None:
    """No macros left: MuJoCo passes over what it does not know, and a robot would lack parts without a word."""
    for element in root.iter():
        if "xacro" in element.tag.rpartition("}")[0] or element.tag.startswith("xacro:"):
            value = f"xacro:{element.tag.rpartition('}')[2].removeprefix('xacro:')}"
            raise RobotError("this is no URDF yet", place=str(path), value=value, remedy=_XACRO)
    for element in (each for part in (*root.findall("{*}link"), *root.findall("{*}joint")) for each in part.iter()):
        for name, value in element.items():
            if "${" in value or "$(" in value:
                place = f"{path}: {element.tag.rpartition('}')[2]}: {name}"
                raise RobotError("this is no URDF yet", place=place, value=value, remedy=_XACRO)


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
    return mass is not None and read_number(mass, "value", place) == 0.0


def _mend_inertia(inertial: ElementTree.Element, place: str) -> bool:
    """Drop the products of inertia where they contradict the moments; real files have such placeholders."""
    inertia = inertial.find("inertia")
    if inertia is None:
        return False
    xx, yy, zz = (read_number(inertia, name, place) for name in ("ixx", "iyy", "izz"))
    xy, xz, yz = (read_number(inertia, name, place, signed=True) for name in ("ixy", "ixz", "iyz"))
    moments = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if moments[0] > 1e-9 * moments[-1] or min(xx, yy, zz) <= 0.0:
        return False
    for name in ("ixy", "ixz", "iyz"):
        inertia.set(name, "0")
    return True


def _replace_moments(inertial: ElementTree.Element, place: str) -> bool:
    """Give a link moments of inertia that a body can have, where they are not, as small a change as will do.

    MuJoCo refuses a moment of 0. One that is larger than the other two together it would set to the mean of all three
    without a word, that of a flat plate, too, whose last digit was rounded.
    """
    inertia = inertial.find("inertia")
    if inertia is None:
        return False
    xx, yy, zz = (read_number(inertia, name, place) for name in ("ixx", "iyy", "izz"))
    xy, xz, yz = (read_number(inertia, name, place, signed=True) for name in ("ixy", "ixz", "iyz"))
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if moments[2] <= ROUNDING:
        return False
    told = bool(moments[0] <= ROUNDING)
    if told:
        moments = np.maximum(moments, _SLENDER * moments[2])
    most = float(moments[0] + moments[1])
    if moments[2] <= most:
        if not told:
            return False
    elif moments[2] <= (1.0 + _ROUNDED) * most:
        moments[2] = most
    else:
        moments[:], told = moments.mean(), True
    # Within what a float can hold, so that the sum stays larger.
    moments[2] = min(moments[2], (1.0 - 1e-9) * float(moments[0] + moments[1]))
    tensor = axes @ np.diag(moments) @ axes.T
    for name, (row, column) in _ENTRIES.items():
        inertia.set(name, repr(float(tensor[row, column])))
    return told


def _complete_inertias(root: ElementTree.Element) -> tuple[str, ...]:
    """Give moving links without mass, and links with mass but no moments of inertia, small ones; returns their names.

    MuJoCo refuses a file without them. A link without mass that carries others on fixed joints is left alone: MuJoCo
    counts them together.
    """
    moving, carriers = set(), set()
    for joint in root.findall("joint"):
        parent, child = joint.find("parent"), joint.find("child")
        if parent is not None and child is not None:
            if joint.get("type") in ("revolute", "continuous", "prismatic"):
                moving.add(child.get("link", ""))
            elif joint.get("type") == "fixed":
                carriers.add(parent.get("link", ""))
    below = {child.get("link", "") for joint in root.findall("joint") for child in joint.findall("child")}
    # A base is set free, and then moves as well.
    moving |= {link.get("name", "") for link in root.findall("link")} - below - {"world"}
    names = []
    for link in root.findall("link"):
        name = link.get("name", "")
        inertial = link.find("inertial")
        mass = None if inertial is None else inertial.find("mass")
        weight = 0.0 if mass is None else float(mass.get("value", "0"))
        inertia = None if inertial is None else inertial.find("inertia")
        moments = [0.0] * 3 if inertia is None else [float(inertia.get(key, "0")) for key in ("ixx", "iyy", "izz")]
        if max(moments) > ROUNDING if weight > 0.0 else name not in moving or name in carriers:
            continue
        if inertial is None:
            inertial = ElementTree.SubElement(link, "inertial")
        for old in (mass, inertia):
            if old is not None:
                inertial.remove(old)
        weight = weight or LEAST_MASS
        moment = f"{0.4 * weight * ASSUMED_RADIUS**2:.9g}"
        ElementTree.SubElement(inertial, "mass", {"value": f"{weight:.9g}"})
        ElementTree.SubElement(
            inertial,
            "inertia",
            dict.fromkeys(("ixx", "iyy", "izz"), moment) | dict.fromkeys(("ixy", "ixz", "iyz"), "0"),
        )
        names.append(name)
    return tuple(names)
