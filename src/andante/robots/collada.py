"""COLLADA meshes (.dae) as triangles for MuJoCo, which does not read them; many URDFs of humanoids bring them.

The file is read by pycollada (extra ``meshes``) from a text that was looked at before: no document type, bounded depth.
Pictures, materials, lights and cameras are left out first: a robot's shape needs none, and their files are often gone.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
import numpy.typing as npt

from andante.documents.files import check_text
from andante.documents.problems import DocumentError
from andante.robots.parts import RobotError

MAX_BYTES = 20_000_000
"""Largest COLLADA file [bytes]; those of robots' links have up to 4 million."""
MAX_DEPTH = 100
"""Deepest nesting of elements."""
MAX_ELEMENTS = 100_000
"""Most elements of one file."""
MAX_NODES = 5_000
"""Most nodes of the scene, copies by reference counted: twenty nodes can ask for a million."""
MAX_TRIANGLES = 200_000
"""Most triangles of one file; MuJoCo takes no more in a STL file."""

_TO_Z_UP: Mapping[str, npt.NDArray[np.float64]] = MappingProxyType(
    {
        "X_UP": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]),
        "Y_UP": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
        "Z_UP": np.eye(3),
    }
)
"""Axes of a file in those of a robot, by its ``up_axis``: right, up and towards the viewer as the COLLADA 1.4.1
specification has them (asset, up_axis), to right, up and away from the viewer as x, z and y."""
_FARTHEST = 1e6
"""Largest coordinate [m]; numbers of a STL file have 32 bits."""
_NOT_SHAPE = frozenset(
    {
        *("library_animations", "library_cameras", "library_controllers", "library_effects", "library_images"),
        *("library_lights", "library_materials", "instance_camera", "instance_light", "bind_material", "extra"),
        *("library_physics_scenes", "library_physics_models", "library_force_fields", "instance_physics_scene"),
        *("contributor", "created", "modified"),
    }
)


@dataclass(frozen=True)
class ColladaMesh:
    """One COLLADA file as triangles."""

    stl: bytes
    """Binary STL, metres, z up."""
    triangles: int
    """How many."""
    up_axis: str
    """``X_UP``, ``Y_UP`` or ``Z_UP``, as the file says."""
    unit: float
    """Length of the file's unit [m]."""


def read_collada(raw: bytes, place: str) -> ColladaMesh:
    """Turn a COLLADA file into triangles in metres with z up, all shapes of its scene together.

    Args:
        raw: The file.
        place: Where it comes from, for messages.

    Raises:
        RobotError: pycollada is not installed, or the file is none, too large, or without triangles.
    """
    if find_spec("collada") is None:
        raise RobotError(
            "COLLADA meshes need the package pycollada",
            place=place,
            remedy="pip install 'andante[meshes]', or convert the mesh to STL",
        )
    import collada

    root = _shape_only(raw, place)
    unit, up = _unit(root, place), _up_axis(root, place)
    try:
        # Errors are collected, for pycollada raises some of them without their text.
        document = collada.Collada(
            io.BytesIO(ElementTree.tostring(root, encoding="utf-8")), ignore=[collada.common.DaeError]
        )
        if document.errors:
            raise document.errors[0]
        scenes = [document.scene] if document.scene is not None else list(document.scenes)
        with np.errstate(over="ignore", invalid="ignore"):
            corners = _corners([node for scene in scenes for node in scene.nodes], place)
            corners = unit * corners @ _TO_Z_UP[up].T
    except (collada.common.DaeError, ValueError, TypeError, LookupError, AttributeError, RuntimeError) as error:
        raise RobotError(f"cannot be read as COLLADA: {' '.join(str(error).split())}", place=place) from error
    if not np.isfinite(corners).all() or np.abs(corners).max(initial=0.0) > _FARTHEST:
        raise RobotError("a corner of the mesh is out of range", place=place, limit=f"{_FARTHEST:g} m")
    if not len(corners):
        raise RobotError("the COLLADA scene shows no triangles", place=place)
    return ColladaMesh(binary_stl(corners), len(corners), up, unit)


def _unit(root: ElementTree.Element, place: str) -> float:
    """Length of the file's unit [m]; a file without one is in metres."""
    found = root.find("{*}asset/{*}unit")
    text = "1" if found is None else found.get("meter", "1")
    try:
        unit = float(text)
    except ValueError as error:
        raise RobotError("the unit of length is no number", place=place, value=text) from error
    if not (math.isfinite(unit) and unit > 0.0):
        raise RobotError("the unit of length is out of range", place=place, value=text, limit="above 0 m")
    return unit


def _up_axis(root: ElementTree.Element, place: str) -> str:
    """The file's axis that is up; Y_UP in a file that does not say, as the COLLADA 1.4.1 specification has it."""
    up = (root.findtext("{*}asset/{*}up_axis") or "Y_UP").strip()
    if up not in _TO_Z_UP:
        raise RobotError("there is no such up axis", place=place, value=up, legal=tuple(_TO_Z_UP))
    return up


def _shape_only(raw: bytes, place: str) -> ElementTree.Element:
    """The file without what is not shape, after a look at it as a text.

    Raises:
        RobotError: Too large, no UTF-8, no XML, a document type declaration, nested too deeply, or not COLLADA.
    """
    if len(raw) > MAX_BYTES:
        raise RobotError("the COLLADA file is too large", place=place, value=len(raw), limit=f"{MAX_BYTES} bytes")
    try:
        text = raw.decode("utf-8-sig")
        check_text(text, place=place, max_bytes=MAX_BYTES)
    except UnicodeDecodeError as error:
        raise RobotError("the COLLADA file is no UTF-8 text", place=place) from error
    except DocumentError as error:
        raise RobotError(str(error)) from error
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator="}")
    depth = elements = skipped = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, elements, skipped
        depth, elements = depth + 1, elements + 1
        if depth > MAX_DEPTH or elements > MAX_ELEMENTS:
            limit = f"{MAX_DEPTH} levels, {MAX_ELEMENTS} elements"
            raise RobotError("the COLLADA file is nested too deeply or has too many elements", place=place, limit=limit)
        if skipped or name.rpartition("}")[2] in _NOT_SHAPE:
            skipped += 1
        else:
            builder.start(_qualified(name), {_qualified(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth, skipped
        depth -= 1
        if skipped:
            skipped -= 1
        else:
            builder.end(_qualified(name))

    def data(words: str) -> None:
        if not skipped:
            builder.data(words)

    def doctype(*_: object) -> None:
        raise RobotError("document type declarations are refused", place=place)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = data, doctype
    parser.buffer_text = True
    try:
        parser.Parse(text, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        where = f"{place}:{parser.CurrentLineNumber}"
        reason = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
        raise RobotError(f"cannot be read as XML: {reason}", place=where) from error
    root = builder.close()
    if root.tag.rpartition("}")[2] != "COLLADA":
        raise RobotError("is no COLLADA file", place=place, value=root.tag, limit="root element <COLLADA>")
    return root


def _qualified(name: str) -> str:
    return "{" + name if "}" in name else name


def _corners(nodes: list[Any], place: str) -> npt.NDArray[np.float64]:
    """Corners of all triangles below nodes of the scene, (n, 3, 3) [the file's unit and axes]."""
    found = [np.empty((0, 3, 3))]
    todo = [(node, np.eye(4)) for node in nodes]
    seen = triangles = 0
    while todo:
        node, pose = todo.pop()
        seen += 1
        if seen > MAX_NODES:
            raise RobotError("the COLLADA scene has too many nodes, copies counted", place=place, limit=f"{MAX_NODES}")
        for primitive in node.geometry.primitives if hasattr(node, "geometry") else ():
            if hasattr(primitive, "triangleset"):
                primitive = primitive.triangleset()
            index = getattr(primitive, "vertex_index", None)
            if index is None or np.ndim(index) != 2 or index.shape[1] != 3:
                continue  # lines and points have no surface
            triangles += len(index)
            if triangles > MAX_TRIANGLES:
                raise RobotError("the COLLADA scene has too many triangles", place=place, limit=f"{MAX_TRIANGLES}")
            corners = np.asarray(primitive.vertex, float)[index]
            found.append(corners @ pose[:3, :3].T + pose[:3, 3])
        if hasattr(node, "children"):
            inside = pose @ np.asarray(node.matrix, float)
            todo += [(child, inside) for child in node.children]
    return np.concatenate(found)


def binary_stl(corners: npt.NDArray[np.float64]) -> bytes:
    """Triangles (n, 3, 3) [m] as binary STL; their normals are left at zero, as readers work them out."""
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    rows = np.zeros(len(corners), record)
    rows["corners"] = corners
    return bytes(80) + len(corners).to_bytes(4, "little") + bytes(rows.tobytes())
