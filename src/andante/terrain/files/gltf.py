"""Scenes of glTF 2.0 (.glb, .gltf) as terrain: the triangles of their meshes, turned to z up.

The format: glTF 2.0 Specification, sections 3.4 (y is up, lengths are metres), 3.5 (scenes and nodes) and 3.7 (meshes),
of github.com/KhronosGroup/glTF.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import IO

import numpy as np

from andante.documents.budget import took
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError
from andante.spatial import rotations
from andante.spatial.arrays import Array
from andante.terrain.files.found import Triangles, finite
from andante.terrain.files.gltf_buffers import DRACO, MAGIC, MESHOPT, GltfBuffers, ReadBytes, packed_mesh, parts_of_glb
from andante.terrain.files.gltf_entries import GltfEntry
from andante.terrain.files.limits import MOST_POINTS, few
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

_MOST_NODES = 30_000
"""Most nodes of a scene that are looked at, and most parts of its meshes."""
_POINTS, _TRIANGLES, _STRIP, _FAN = 0, 4, 5, 6
_MODES = ("points", "lines", "line loops", "line strips", "triangles", "triangle strips", "triangle fans")
_HARMLESS = ("KHR_mesh_quantization", "KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "KHR_xmp")
"""Extensions, or how their names begin, that a file may require: they move no corner, or are read."""
_Z_UP = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
"""What turns y up into z up: x, -z, y."""


def read_gltf(content: bytes, place: str, options: FileOptions) -> Triangles:
    """The triangles (n, 3, 3) of a scene, z up [m]: a GLB or a document, whichever ending its name has.

    Lines and points do not count, nor do meshes that bones move.

    Args:
        content: The file.
        place: Its path; its buffers are looked for in its folder.
        options: ``layer`` is the name or number of the scene; None: the one that the file says, else the first.

    Raises:
        TerrainError: Not such a file, another version, an extension that is not read, cut short, too large, or without
            triangles.
    """
    return _read(lambda begin, count: content[begin : begin + count], len(content), place, options)


def read_large_glb(file: IO[bytes], size: int, place: str, options: FileOptions) -> Triangles:
    """As `read_gltf`, of a GLB of this size [bytes], of which only the corners are read: pictures make most of it."""

    def read(begin: int, count: int) -> bytes:
        file.seek(begin)
        took(count)
        return file.read(count)

    if read(0, len(MAGIC)) != MAGIC:
        raise TerrainError("is no GLB file", place=place, limit="it begins with glTF")
    return _read(read, size, place, options)


def _read(read: ReadBytes, size: int, place: str, options: FileOptions) -> Triangles:
    if read(0, len(MAGIC)) == MAGIC:
        text, binary = parts_of_glb(read, size, place)
    else:
        text, binary = read(0, size), None
    try:
        data = parse_json_data(text.removeprefix(b"\xef\xbb\xbf").rstrip(b" \0"), place)
    except DocumentError as error:
        raise TerrainError(f"the glTF document {error.what}", place=place, limit=error.limit) from error
    if not isinstance(data, dict):
        raise TerrainError("is no glTF document", place=place, limit="an object with asset, scenes and nodes")
    document = GltfEntry(data, place)
    _known(document)
    scene = _Scene(document, GltfBuffers(document, read, binary, place))
    # What overflows is refused as no finite corner.
    with np.errstate(over="ignore", invalid="ignore"):
        scene.add(options.layer)
    return scene.triangles()


def _known(document: GltfEntry) -> None:
    """Refuse other versions, and what has to be known of extensions to read the file."""
    version = document.part("asset").text("version")
    if not version.startswith("2."):
        raise TerrainError(
            "there is no reader for this version of glTF", place=document.place, value=version or "nothing",
            limit="2.0", remedy="Blender or gltf-pipeline write it in version 2",
        )  # fmt: skip
    for name in document.texts("extensionsRequired"):
        if name == DRACO or name in MESHOPT:
            raise packed_mesh(name, document.place)
        if not name.startswith(_HARMLESS):
            raise TerrainError(
                "the file requires an extension that is not read", place=document.place, value=name,
                limit=f"{', '.join(f'{each}*' if each.endswith('_') else each for each in _HARMLESS)}",
                remedy="Blender opens and exports it without most extensions",
            )  # fmt: skip


@dataclass
class _Scene:
    """The meshes of a scene, as they are found."""

    document: GltfEntry
    buffers: GltfBuffers
    parts: list[Array] = field(default_factory=list)
    """Triangles (n, 3, 3), z up."""
    count: int = 0
    """Triangles so far."""
    meshes: int = 0
    """How many meshes stand in it."""
    primitives: int = 0
    """Of how many parts they are."""
    skinned: int = 0
    """How many more are moved by bones."""
    others: set[str] = field(default_factory=set)
    """What else than triangles there is."""
    notes: list[str] = field(default_factory=list)

    def add(self, wanted: str | None) -> None:
        """Everything that stands in the scene with this name or number."""
        document = self.document
        stack = [(number, _Z_UP) for number in reversed(self._roots(wanted))]
        seen: set[int] = set()
        while stack:
            number, outer = stack.pop()
            if number in seen:
                raise TerrainError("a node stands in the scene twice", place=document.place, value=number)
            seen.add(number)
            few(len(seen), _MOST_NODES, "nodes", document.place)
            node = document.one("nodes", number, document.place)
            pose = outer @ _pose(node)
            stack += [(child, pose) for child in reversed(node.wholes("children"))]
            if "mesh" not in node.data:
                continue
            if "skin" in node.data:
                self.skinned += 1
                continue
            self.meshes += 1
            mesh = document.one("meshes", node.whole("mesh"), node.place)
            for primitive in mesh.parts("primitives"):
                self.primitives += 1
                few(self.primitives, _MOST_NODES, "parts of meshes", document.place)
                self._add_primitive(primitive, pose)

    def _roots(self, wanted: str | None) -> list[int]:
        """The nodes that stand in the scene by themselves."""
        document = self.document
        scenes = document.parts("scenes")
        if not scenes:
            if wanted is not None:
                raise TerrainError("the file has no scenes", place=document.place, value=wanted)
            nodes = document.parts("nodes")
            inner = {child for node in nodes for child in node.wholes("children")}
            return [number for number in range(len(nodes)) if number not in inner]
        names = [scene.text("name") for scene in scenes]
        number = document.whole("scene", 0)
        if wanted is not None:
            found = [k for k, name in enumerate(names) if wanted in (name, str(k))]
            if not found:
                told = [f"{k} ({name})" if name else str(k) for k, name in enumerate(names[:20])]
                raise TerrainError("the file has no such scene", place=document.place, value=wanted, legal=told)
            number = next((k for k in found if names[k] == wanted), found[0])
        if number >= len(scenes):
            raise TerrainError("there is no such scene", place=document.place, value=number, limit=f"{len(scenes)}")
        if len(scenes) > 1:
            name = f" ({names[number]})" if names[number] else ""
            self.notes.append(f"scene {number}{name} of {len(scenes)}; layer=NUMBER chooses another")
        return scenes[number].wholes("nodes")

    def _add_primitive(self, primitive: GltfEntry, pose: Array) -> None:
        mode = primitive.whole("mode", _TRIANGLES)
        if mode >= len(_MODES):
            raise TerrainError("there is no such mode", place=primitive.place, value=mode, limit=f"0 to {_FAN}")
        if mode < _TRIANGLES:
            self.others.add(_MODES[mode])
            return
        attributes = primitive.part("attributes")
        if "POSITION" not in attributes.data:
            return
        number = attributes.whole("POSITION")
        accessor = self.document.one("accessors", number, primitive.place)
        if DRACO in primitive.part("extensions").data and "bufferView" not in accessor.data:
            raise packed_mesh(DRACO, primitive.place)
        places = self.buffers.places(number, primitive.place)
        order = None
        if "indices" in primitive.data:
            order = self.buffers.indices(primitive.whole("indices"), primitive.place)
            if len(order) and int(order.max()) >= len(places):
                raise TerrainError(
                    "a triangle names a corner that does not exist", place=primitive.place, value=int(order.max()),
                    limit=f"{len(places)} corners",
                )  # fmt: skip
        # The fewer are moved: a part may have few of the corners that many share.
        if order is not None and len(order) < len(places):
            places, order = places[order], None
        places = places @ pose[:3, :3].T
        places += pose[:3, 3]
        if order is not None:
            places = places[order]
        corners = len(places)
        if mode == _TRIANGLES:
            triangles = places[: corners - corners % 3].reshape(-1, 3, 3)
        elif corners < len("abc"):
            return
        elif mode == _STRIP:
            triangles = np.stack([places[:-2], places[1:-1], places[2:]], axis=1)
            # Every second one is turned the other way.
            triangles[1::2] = triangles[1::2, ::-1]
        else:
            first = np.broadcast_to(places[0], (corners - 2, 3))
            triangles = np.stack([first, places[1:-1], places[2:]], axis=1)
        if np.linalg.det(pose[:3, :3]) < 0.0:
            # A mirror turns fronts to backs, and by the specification they stay fronts.
            triangles = triangles[:, ::-1]
        self.count += len(triangles)
        few(self.count, MOST_POINTS, "triangles", self.document.place)
        self.parts.append(triangles)

    def triangles(self) -> Triangles:
        """All of them, z up.

        Raises:
            TerrainError: There are none, or a corner is not finite.
        """
        if not self.count:
            told = sorted(self.others) + [f"{self.skinned} meshes that bones move"] * bool(self.skinned)
            raise TerrainError(
                "the scene has no triangles", place=self.document.place, value=", ".join(told) or "nothing",
                remedy="points alone are read from .ply and .pcd" if _MODES[_POINTS] in self.others else "",
            )  # fmt: skip
        parts = self.parts
        found = finite(parts[0] if len(parts) == 1 else np.concatenate(parts), self.document.place)
        notes = [f"a scene of {self.meshes} meshes, {self.count} triangles, turned from y up to z up", *self.notes]
        if self.skinned:
            notes.append(f"{self.skinned} meshes that bones move are left out")
        if self.others:
            notes.append(f"{', '.join(sorted(self.others))} are left out")
        return Triangles(found, tuple(notes))


def _pose(node: GltfEntry) -> Array:
    """Where a node lies in the one above it, (4, 4)."""
    matrix = node.numbers("matrix", 16)
    if matrix is not None:
        # By columns.
        return np.array(matrix).reshape(4, 4).T
    pose = np.eye(4)
    turn = node.numbers("rotation", 4)
    if turn is not None:
        length = math.hypot(*turn)
        if not 1e-6 <= length < math.inf:
            raise TerrainError("rotation is no quaternion", place=node.place, value=turn)
        x, y, z, w = (each / length for each in turn)
        pose[:3, :3] = rotations.to_matrix(np.array([w, x, y, z]))
    pose[:3, :3] *= np.array(node.numbers("scale", 3) or [1.0, 1.0, 1.0])
    pose[:3, 3] = node.numbers("translation", 3) or [0.0, 0.0, 0.0]
    return pose
