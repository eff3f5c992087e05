"""Shapes that collide, from SDF to URDF; what URDF has no word for becomes a mesh."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from andante.robots.collada import binary_stl
from andante.robots.mesh_paths import find_mesh
from andante.robots.parts import RobotError
from andante.robots.sdf.assembly import Assembly
from andante.robots.sdf.elements import number, vector, word
from andante.robots.sdf.neighbours import resource_folders

SOLID = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "cone", "mesh")
"""Shapes that are taken over."""
_NOT_SOLID = ("plane", "heightmap", "image", "polyline", "empty")
"""Shapes of the ground, or of none; they are left out by name."""
BALL, CONE = "andante_ball.stl", "andante_cone.stl"
"""Meshes by these names are made here: a ball of radius 1, and a cone of radius 1 from -0.5 to its tip at 0.5."""
_AROUND = 24
"""Corners of a circle."""
_FACETED = f"with flat faces, {_AROUND} around:"


def urdf_shape(geometry: Element | None, file: Path, place: str, model: Assembly) -> Element | None:
    """The geometry of a collision as URDF has it; None: it is left out.

    Args:
        geometry: SDF's ``<geometry>``.
        file: The SDF, beside which meshes are looked for.
        place: Where it stands, for messages.
        model: What is left out, or taken otherwise, is put down there.

    Raises:
        RobotError: No shape, an unknown one, a size that is not above 0, or a mesh that is not found or not read.
    """
    shape = None if geometry is None else next(iter(geometry), None)
    if shape is None:
        raise RobotError("a collision needs a geometry with a shape", place=place, legal=(*SOLID, *_NOT_SOLID))
    place = f"{place}: {shape.tag}"
    if shape.tag in _NOT_SOLID:
        model.left_out.add(f"collision shape {shape.tag}")
        return None
    if shape.tag not in SOLID:
        raise RobotError("there is no such shape", place=place, value=shape.tag, legal=(*SOLID, *_NOT_SOLID))
    made = Element("geometry")
    if shape.tag == "mesh":
        _mesh(shape, made, file, place, model)
    elif shape.tag == "box":
        SubElement(made, "box", size=_sizes(word(shape, "size", place), f"{place}: size"))
    elif shape.tag == "ellipsoid":
        model.changed.add(_FACETED, shape.tag)
        SubElement(made, "mesh", filename=BALL, scale=_sizes(word(shape, "radii", place), f"{place}: radii"))
    elif shape.tag == "cone":
        model.changed.add(_FACETED, shape.tag)
        radius, length = (_size(shape, name, place) for name in ("radius", "length"))
        SubElement(made, "mesh", filename=CONE, scale=f"{radius!r} {radius!r} {length!r}")
    else:
        names = ("radius",) if shape.tag == "sphere" else ("radius", "length")
        SubElement(made, shape.tag, {name: repr(_size(shape, name, place)) for name in names})
    return made


def made_meshes(text: str) -> dict[str, bytes]:
    """The meshes that a URDF names and that are made here, by name, as binary STL; none where it names none."""
    if BALL not in text and CONE not in text:
        return {}
    turns = np.linspace(0.0, 2.0 * math.pi, _AROUND, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns), np.zeros(_AROUND)], axis=1)
    heights = np.linspace(-0.5 * math.pi, 0.5 * math.pi, _AROUND // 2 + 1)[1:-1]
    rings = [circle * math.cos(each) + (0.0, 0.0, math.sin(each)) for each in heights]
    ball = np.concatenate([*rings, [(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)]])
    cone = np.concatenate([circle - (0.0, 0.0, 0.5), [(0.0, 0.0, 0.5)]])
    return {BALL: _hull(ball), CONE: _hull(cone)}


def _hull(corners: np.ndarray) -> bytes:
    """The convex hull of corners (n, 3) as binary STL, its triangles counter-clockwise from outside."""
    # Every robot that is loaded from a file loads this module; few have such shapes.
    from scipy.spatial import ConvexHull

    hull = ConvexHull(corners)
    triangles = corners[hull.simplices]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    inward = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return binary_stl(triangles)


def _mesh(shape: Element, made: Element, file: Path, place: str, model: Assembly) -> None:
    found = find_mesh(word(shape, "uri", place), file, [file.parent], resource_folders())
    scale = vector(shape.findtext("scale") or "1 1 1", 3, f"{place}: scale")
    if not all(scale):
        raise RobotError("a scale is 0", place=f"{place}: scale", value=shape.findtext("scale"))
    if shape.find("submesh") is not None:
        model.changed.add("the whole mesh in place of its submesh", shape.findtext("submesh/name") or "")
    SubElement(made, "mesh", filename=str(found), scale=" ".join(map(repr, scale)))


def _size(shape: Element, name: str, place: str) -> float:
    size = number(shape, name, place)
    if size <= 0.0:
        raise RobotError("is not above 0", place=f"{place}: {name}", value=size)
    return size


def _sizes(text: str, place: str) -> str:
    sizes = vector(text, 3, place)
    if min(sizes) <= 0.0:
        raise RobotError("is not above 0", place=place, value=text)
    return " ".join(map(repr, sizes))
