"""Worlds and models of Gazebo (.world, .sdf) as terrain: what is static in them and touches, as triangles.

Height maps are those of Gazebo's HeightmapShape: an image's first row is the farthest along y, and its lightest pixel
is as high as the third number of the size.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.robots.collada import read_collada
from andante.robots.mesh_paths import find_mesh
from andante.robots.model_text import read_model_text
from andante.robots.parts import RobotError
from andante.robots.sdf.assembly import ModelPart, assembled
from andante.robots.sdf.elements import flag, number, parsed, vector, version_of, word
from andante.robots.sdf.neighbours import LOOKED_FOR, Neighbours, found_model, resource_folders
from andante.spatial.arrays import Array
from andante.terrain.files.found import Triangles, finite
from andante.terrain.files.images import read_png
from andante.terrain.files.limits import MOST_BYTES, MOST_POINTS, few
from andante.terrain.files.meshes import read_obj, read_stl
from andante.terrain.files.solid_triangles import box_triangles, grid_triangles, plane_triangles, round_triangles
from andante.terrain.height_map import TerrainError

_SCENE = "scene"
"""Name of the model that all of a world is put into; a world's own may be one that SDF keeps for itself."""
_SUN, _FLOOR = ("sun", "custom_sun"), "ground_plane"
"""Models without shapes, and the level ground, that come with Gazebo and need not be there."""
_ROUND = ("sphere", "cylinder", "capsule", "cone")
_NAMED = 5
"""Most names in a note."""
_PICTURES = (".png",)


def read_gazebo(content: bytes, place: str) -> Triangles:
    """The triangles (n, 3, 3) of all that is static in a world, or in a file of models, and touches.

    Args:
        content: The file; it is read again together with those that it names.
        place: Its path.

    Raises:
        TerrainError: Not such a file, what it names is not there, or nothing in it is ground.
    """
    path = Path(place)
    try:
        text, kind = read_model_text(path, also=("sdf",))
        if kind != "sdf":
            raise TerrainError("the file is no world of Gazebo", place=place, value=kind, limit="sdf")
        root = parsed(text)
        return _Scene(path).of(root, version_of(root, path))
    except RobotError as error:
        raise TerrainError(f"is no world of Gazebo: {error}") from error


class _Scene:
    """What stands in a file."""

    def __init__(self, path: Path) -> None:
        self._path, self._place = path, str(path)
        self._neighbours = Neighbours()
        self._moving: list[str] = []
        self._lost: list[str] = []
        self._other: list[str] = []
        self._whole: list[str] = []
        self._parts: list[Array] = []
        self._planes: list[tuple[Array, Array]] = []

    def of(self, root: Element, version: int) -> Triangles:
        """The triangles of a file's root."""
        worlds = root.findall("world")
        if len(worlds) > 1:
            raise TerrainError("the file has several worlds", place=self._place, value=len(worlds), limit="one")
        held = self._still(worlds[0] if worlds else root, version)
        model = assembled(held, version, self._path)
        count = 0
        for link in model.links.values():
            for number_, collision in enumerate(link.element.findall("collision")):
                where = f"{link.place}: collision {collision.get('name') or number_!r}"
                frame = model.placed(link, collision.find("pose"), where)
                count += self._take(collision.find("geometry"), link, frame, where)
        if not self._parts:
            left = [f"{len(self._moving)} models that are not static"] if self._moving else []
            left += [f"not found: {', '.join(self._lost[:_NAMED])}"] if self._lost else []
            raise TerrainError(
                "no ground stands in the world", place=self._place,
                value="; ".join([f"{len(self._planes)} planes", *left]),
                limit="a model that says <static>true</static>, with a box, a mesh, a heightmap or a round shape",
                remedy=LOOKED_FOR if self._lost else "",
            )  # fmt: skip
        low = np.min([part.min(axis=(0, 1)) for part in self._parts], axis=0)
        high = np.max([part.max(axis=(0, 1)) for part in self._parts], axis=0)
        flat = [plane_triangles(point, normal, low, high, self._place) for point, normal in self._planes]
        return Triangles(finite(np.concatenate([*self._parts, *flat]), self._place), self._notes(count))

    def _notes(self, count: int) -> tuple[str, ...]:
        notes = [f"of the world {count} shapes that are static"]
        for names, what in (
            (self._moving, "models that are not static are left out"),
            (self._other, "shapes of other kinds are left out"),
            (self._whole, "meshes count as a whole in place of their submesh"),
            (self._lost, f"included models are not found and left out ({LOOKED_FOR})"),
        ):
            if names:
                notes.append(f"{len(names)} {what}: {', '.join(names[:_NAMED])}{', ...' if names[_NAMED:] else ''}")
        return tuple(notes)

    def _still(self, holder: Element, version: int) -> Element:
        """A model of all models of a world, or of a file, that are static."""
        held = Element("model", name=_SCENE)
        # Poses that a world was saved with: models that were moved by hand.
        saved = {each.get("name"): each.find("pose") for state in holder.findall("state") for each in state}
        for child in holder:
            if child.tag == "include":
                self._include(held, child, saved)
            elif child.tag == "model":
                name = child.get("name") or "one without a name"
                if flag(child, "static", f"{self._place}: model {name!r}"):
                    held.append(_placed(child, saved.get(name)))
                else:
                    self._moving.append(name)
        return held

    def _include(self, held: Element, child: Element, saved: dict[str | None, Element | None]) -> None:
        uri = word(child, "uri", f"{self._place}: include")
        kind = uri.rstrip("/").rpartition("/")[2].lower().replace(" ", "_")
        name = (child.findtext("name") or "").strip()
        if kind in _SUN:
            return
        where = f"{self._place}: include {uri!r}"
        if found_model(uri, self._path) is None:
            if kind == _FLOOR:
                floor = SubElement(held, "model", name=name or _FLOOR)
                floor.extend(child.findall("pose"))
                SubElement(
                    SubElement(SubElement(SubElement(floor, "link", name="link"), "collision"), "geometry"), "plane"
                )
            else:
                self._lost.append(uri)
            return
        model, _, _ = self._neighbours.model(uri, (self._path,), where)
        name = name or model.get("name") or uri
        if not (flag(child, "static", where) or flag(model, "static", where)):
            self._moving.append(name)
            return
        held.append(_placed(child, saved.get(name)))

    def _take(self, geometry: Element | None, link: ModelPart, frame: Array, where: str) -> int:
        """Take in a shape; how many were."""
        shape = None if geometry is None else next(iter(geometry), None)
        if shape is None:
            raise RobotError("a collision needs a geometry with a shape", place=where)
        where = f"{where}: {shape.tag}"
        if shape.tag == "plane":
            normal = np.array(vector(shape.findtext("normal") or "0 0 1", 3, f"{where}: normal"))
            length = float(np.linalg.norm(normal))
            if length == 0.0:
                raise RobotError("a normal has no length", place=where)
            self._planes.append((frame[:3, 3], frame[:3, :3] @ normal / length))
            return 1
        own = self._shape(shape, link, where)
        if own is None:
            self._other.append(shape.tag)
            return 0
        self._parts.append(own @ frame[:3, :3].T + frame[:3, 3])
        few(sum(len(part) for part in self._parts), MOST_POINTS, "triangles", self._place)
        return 1

    def _shape(self, shape: Element, link: ModelPart, where: str) -> Array | None:
        """Triangles (n, 3, 3) of a shape in its own frame [m]; None: it is of a kind that is not taken over."""
        if shape.tag == "box":
            return box_triangles(0.5 * _sizes(shape, "size", where))
        if shape.tag == "ellipsoid":
            return round_triangles("ellipsoid", _sizes(shape, "radii", where))
        if shape.tag in _ROUND:
            length = 0.0 if shape.tag == "sphere" else _above(number(shape, "length", where), f"{where}: length")
            radius = _above(number(shape, "radius", where), f"{where}: radius")
            return round_triangles(shape.tag, np.array([radius, 0.5 * length]))
        if shape.tag == "mesh":
            if shape.find("submesh") is not None:
                self._whole.append(shape.findtext("submesh/name") or "without a name")
            return _mesh(shape, link.file, where)
        if shape.tag == "heightmap":
            return _heightmap(shape, link.file, where)
        return None


def _placed(child: Element, saved: Element | None) -> Element:
    """A model or an inclusion, where the world was saved with it."""
    if saved is None or not (saved.text or "").strip():
        return child
    moved = copy.copy(child)
    for old in moved.findall("pose"):
        moved.remove(old)
    new = SubElement(moved, "pose")
    new.text = saved.text
    return moved


def _above(value: float, where: str) -> float:
    if value <= 0.0:
        raise RobotError("is not above 0", place=where, value=value)
    return value


def _sizes(shape: Element, name: str, where: str) -> Array:
    sizes = vector(word(shape, name, where), 3, f"{where}: {name}")
    return np.array([_above(each, f"{where}: {name}") for each in sizes])


def _named(shape: Element, file: Path, where: str, what: str, legal: Sequence[str] | None = None) -> tuple[bytes, Path]:
    """The content of a file that a shape names, and its path."""
    more = {} if legal is None else {"legal": legal}
    found = find_mesh(word(shape, "uri", where), file, [file.parent], resource_folders(), what=what, **more)
    try:
        return read_bytes(found, max_bytes=MOST_BYTES), found
    except DocumentError as error:
        raise TerrainError(f"the file {error.what}", place=str(found), value=error.value, limit=error.limit) from error


def _mesh(shape: Element, file: Path, where: str) -> Array:
    raw, found = _named(shape, file, where, "mesh")
    scale = np.array(vector(shape.findtext("scale") or "1 1 1", 3, f"{where}: scale"))
    suffix = found.suffix.lower()
    if suffix == ".obj":
        return np.asarray(read_obj(raw, str(found)) * scale)
    if suffix == ".dae":
        raw = read_collada(raw, str(found)).stl
    elif suffix != ".stl":
        raise RobotError("this mesh format is not read", place=where, value=found.name, legal=(".stl", ".obj", ".dae"))
    return np.asarray(read_stl(raw, str(found)) * scale)


def _heightmap(shape: Element, file: Path, where: str) -> Array:
    raw, found = _named(shape, file, where, "heightmap", _PICTURES)
    size = _sizes(shape, "size", where)
    middle = np.array(vector(shape.findtext("pos") or "0 0 0", 3, f"{where}: pos"))
    shares = read_png(raw, str(found))
    few(2 * shares.size, MOST_POINTS, "triangles in a heightmap: name its image itself", str(found))
    # Without one lighter than black all is level.
    heights = size[2] * shares[::-1].T / (float(shares.max()) or 1.0)
    columns, rows = heights.shape
    x, y = (np.linspace(-0.5, 0.5, count) * side for count, side in ((columns, size[0]), (rows, size[1])))
    return np.asarray(grid_triangles(x, y, heights) + middle)
