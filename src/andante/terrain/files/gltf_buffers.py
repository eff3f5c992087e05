"""Bytes and numbers of glTF files: the parts of a GLB, buffers in and beside the file, and accessors.

The format: glTF 2.0 Specification, sections 3.6 (binary data) and 4 (GLB), and KHR_mesh_quantization, of
github.com/KhronosGroup/glTF.
"""

from __future__ import annotations

import base64
import binascii
import functools
import os
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from andante.documents.budget import budgeted
from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.spatial.arrays import Array, Index
from andante.terrain.files.gltf_entries import GltfEntry
from andante.terrain.files.limits import MOST_BYTES, MOST_POINTS, few
from andante.terrain.height_map import TerrainError

MAGIC = b"glTF"
"""What a GLB begins with."""
DRACO, MESHOPT = "KHR_draco_mesh_compression", ("EXT_meshopt_compression", "KHR_meshopt_compression")
"""Extensions that pack a mesh."""
_JSON, _BIN = b"JSON", b"BIN\0"
_MOST_JSON = 20_000_000
"""Longest JSON of a GLB [bytes]."""
_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_INDICES = (5121, 5123, 5125)
_WIDTHS = {"SCALAR": 1, "VEC3": 3}
_LONGEST_STEP, _MOST_BESIDE = 65_536, 100
_DATA = re.compile(r"data:[^,]{0,200};base64,", re.IGNORECASE)
_URI = re.compile(rb'"uri"\s{0,9}:\s{0,9}"(?!data:)([^"\\\0]{1,1000})"')
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_UNPACK = "gltf-transform cp FIELD.glb OUT.glb writes it unpacked (npm install -g @gltf-transform/cli)"

ReadBytes = Callable[[int, int], bytes]
"""The bytes of a file from a place on, so many."""


def buffers_beside(path: Path) -> list[Path]:
    """Files in which the corners of a document stand, by what it names; none for other kinds of files."""
    if path.suffix.lower() != ".gltf":
        return []
    state = path.stat()
    try:
        named = _buffers(path, (state.st_mtime_ns, state.st_size, state.st_ino))
    except (DocumentError, ValueError):
        # Whoever loads it says why.
        return []
    return [each for each in sorted({path.parent / name for name in named}) if each.is_file()]


@functools.lru_cache(maxsize=64)
@budgeted()
def _buffers(path: Path, _: tuple[int, ...]) -> tuple[str, ...]:
    """Names of files in a document."""
    text = read_bytes(path, max_bytes=MOST_BYTES)
    return tuple(unquote(each.decode()) for each in _URI.findall(text)[:_MOST_BESIDE])


def packed_mesh(extension: str, place: str) -> TerrainError:
    """The refusal of a mesh that is packed by an extension."""
    return TerrainError("the mesh is packed, which is not read", place=place, value=extension, remedy=_UNPACK)


def parts_of_glb(read: ReadBytes, size: int, place: str) -> tuple[bytes, tuple[int, int] | None]:
    """The JSON of a GLB, and where its binary part begins and ends; None: it has none.

    Args:
        read: Its bytes.
        size: How many there are.
        place: The file.

    Raises:
        TerrainError: It is none, of another version, or cut short.
    """
    head = read(0, 12)
    if not head.startswith(MAGIC) or len(head) < 12:
        raise TerrainError("is no GLB file", place=place, limit="it begins with glTF")
    version, total = np.frombuffer(head, "<u4", 2, 4).tolist()
    if version != 2:
        raise TerrainError(
            "there is no reader for this version of glTF", place=place, value=version, legal=("2",),
            remedy="Blender or gltf-pipeline write it in version 2",
        )  # fmt: skip
    if total > size:
        raise TerrainError("the GLB is cut short", place=place, value=f"{size} bytes", limit=f"{total} bytes")
    at, text, binary = 12, b"", None
    while at + 8 <= total and binary is None:
        chunk = read(at, 8)
        length, kind = int.from_bytes(chunk[:4], "little"), chunk[4:8]
        at += 8
        if at + length > total:
            raise TerrainError("a part of the GLB is cut short", place=place, value=total, limit=f"{at + length} bytes")
        if kind == _JSON and not text:
            few(length, _MOST_JSON, "bytes of JSON", place)
            text = read(at, length)
        elif not text:
            break
        elif kind == _BIN:
            binary = (at, at + length)
        at += length
    if not text:
        raise TerrainError("the GLB has no JSON in front", place=place, value=kind_of(read, place))
    return text, binary


def kind_of(read: ReadBytes, place: str) -> str:
    """What the first part of a GLB is called."""
    return read(16, 4).decode("latin-1") or "nothing"


class GltfBuffers:
    """The buffers of a document."""

    def __init__(self, document: GltfEntry, read: ReadBytes, binary: tuple[int, int] | None, place: str) -> None:
        """Look at none.

        Args:
            document: The document.
            read: The bytes of its file.
            binary: Where in it the buffer without a name is; None: it has none.
            place: The file.
        """
        self._document, self._read, self._binary, self._place = document, read, binary, place
        self._held: dict[int, bytes] = {}
        self._corners: dict[int, Array] = {}
        self._count = 0
        self._room = MOST_BYTES

    def places(self, number: int, asker: str) -> Array:
        """Corners (n, 3) of an accessor.

        Raises:
            TerrainError: There is no such, it is of another kind, packed, sparse, cut short or too large.
        """
        if number not in self._corners:
            # Parts of other materials often share their corners.
            accessor = self._document.one("accessors", number, asker)
            kind = self._kind(accessor, "VEC3", tuple(_KINDS))
            table = self._table(accessor, kind, 3).astype(np.float64)
            if accessor.data.get("normalized") is True and kind.kind in "iu":
                table = np.maximum(table / float(2 ** (8 * kind.itemsize - (kind.kind == "i")) - 1), -1.0)
            self._corners[number] = table
            self._count += len(table)
            few(self._count, 3 * MOST_POINTS, "corners", self._place)
        return self._corners[number]

    def indices(self, number: int, asker: str) -> Index:
        """Numbers (n,) of an accessor; raises as `places`."""
        accessor = self._document.one("accessors", number, asker)
        return self._table(accessor, self._kind(accessor, "SCALAR", _INDICES), 1)[:, 0].astype(np.int64)

    def _kind(self, accessor: GltfEntry, shape: str, legal: tuple[int, ...]) -> np.dtype[np.void]:
        if accessor.text("type") != shape:
            raise TerrainError(
                "an accessor is of another type", place=accessor.place, value=accessor.text("type"), legal=(shape,)
            )
        code = accessor.whole("componentType")
        if code not in legal:
            raise TerrainError(
                "an accessor has no such components", place=accessor.place, value=code, legal=[str(k) for k in legal]
            )
        return np.dtype(_KINDS[code])

    def _table(self, accessor: GltfEntry, kind: np.dtype[np.void], width: int) -> Array:
        count, place = accessor.whole("count"), accessor.place
        few(count, 3 * MOST_POINTS, "corners", place)
        if "sparse" in accessor.data:
            raise TerrainError("a sparse accessor is not read", place=place, remedy=_UNPACK)
        if "bufferView" not in accessor.data:
            # The format has zeros there, which are no mesh.
            raise TerrainError("an accessor has no bytes", place=place, limit="a bufferView")
        view = self._document.one("bufferViews", accessor.whole("bufferView"), place)
        size = width * kind.itemsize
        step = view.whole("byteStride", 0) or size
        if not size <= step <= _LONGEST_STEP:
            raise TerrainError(
                "byteStride is out of range", place=view.place, value=step, limit=f"{size} bytes or more"
            )
        begin, needed = accessor.whole("byteOffset", 0), (count - 1) * step + size if count else 0
        if begin + needed > view.whole("byteLength"):
            raise TerrainError(
                "an accessor reaches beyond its view", place=place, value=begin + needed,
                limit=f"{view.whole('byteLength')} bytes",
            )  # fmt: skip
        raw = self._bytes(view, begin, needed)
        return np.ndarray((count, width), kind, raw, strides=(step, kind.itemsize))

    def _bytes(self, view: GltfEntry, begin: int, count: int) -> bytes:
        """So many bytes of a view."""
        number = view.whole("buffer")
        buffer = self._document.one("buffers", number, view.place)
        packed = next((name for name in MESHOPT if name in view.part("extensions").data), "")
        if packed and not (number == 0 and self._binary) and not buffer.text("uri"):
            raise packed_mesh(packed, view.place)
        at, length = view.whole("byteOffset", 0) + begin, buffer.whole("byteLength")
        if at + count > length:
            raise TerrainError(
                "a view reaches beyond its buffer", place=view.place, value=at + count, limit=f"{length}"
            )
        uri = buffer.text("uri")
        if not uri:
            if number != 0 or self._binary is None:
                raise TerrainError("a buffer has neither bytes nor a name", place=buffer.place)
            first, end = self._binary
            found = self._read(first + at, count) if first + at + count <= end else b""
        else:
            if number not in self._held:
                self._held[number] = self._named(uri, buffer.place)
            found = self._held[number][at : at + count]
        if len(found) < count:
            raise TerrainError("a buffer is cut short", place=buffer.place, value=len(found), limit=f"{count} bytes")
        return found

    def _named(self, uri: str, place: str) -> bytes:
        """The bytes that a URI has in itself, or of the file beside that it names."""
        told = _DATA.match(uri)
        if told:
            few(len(uri), 2 * self._room, "bytes", place)
            try:
                raw = base64.b64decode(uri[told.end() :], validate=True)
            except (binascii.Error, ValueError) as error:
                raise TerrainError("a buffer is no base64", place=place, value=str(error)[:80]) from error
        else:
            raw = self._beside(uri, place)
        self._room -= len(raw)
        few(-self._room, 0, "bytes in buffers beyond the limit", place)
        return raw

    def _beside(self, uri: str, place: str) -> bytes:
        """A file in the folder of the document, or below it."""
        name = unquote(uri)
        folder = Path(self._place).parent
        if _SCHEME.match(name) or "\0" in name or os.path.isabs(name) or "\\" in name:
            raise TerrainError(
                "a buffer is read from a file beside alone", place=place, value=uri[:200],
                limit="the name of a file in the same folder", remedy="download it, or save the scene as one .glb",
            )  # fmt: skip
        path = folder / name
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
            raise TerrainError(
                "a buffer lies outside of the file's folder", place=place, value=uri[:200], limit=str(folder),
                remedy="put it beside the file, or save the scene as one .glb",
            )  # fmt: skip
        try:
            return read_bytes(path, max_bytes=max(self._room, 0))
        except DocumentError as error:
            raise TerrainError(
                f"a buffer {error.what}", place=str(path), value=error.value, limit=error.limit,
                remedy="the .bin of a .gltf lies beside it" if not error.limit else "",
            ) from error  # fmt: skip
