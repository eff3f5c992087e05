"""PLY meshes and clouds as terrain: text, little and big endian.

Read here, since the one library that reads the whole format is under the GPL, and trimesh's reader refuses faces of
several sizes, which Blender writes, and keeps an object for each row of text. The format: Greg Turk, "The PLY Polygon
File Format", 1994.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from andante.spatial.arrays import Array, Index
from andante.terrain.files.found import Points, Triangles, finite, measured
from andante.terrain.files.limits import MOST_POINTS, few, numbers_in, thinned
from andante.terrain.height_map import TerrainError

HEAD = 65_536
"""Longest head [bytes]."""
_KINDS = {
    name: kind
    for kind, names in {
        "i1": ("char", "int8"),
        "u1": ("uchar", "uint8"),
        "i2": ("short", "int16"),
        "u2": ("ushort", "uint16"),
        "i4": ("int", "int32"),
        "u4": ("uint", "uint32"),
        "f4": ("float", "float32"),
        "f8": ("double", "float64"),
    }.items()
    for name in names
}
_FORMATS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_FACES = ("vertex_indices", "vertex_index")
_LONGEST_LIST = 255


@dataclass
class PlyElement:
    """A kind of rows, and its columns: name, type, and for a list the type of its length."""

    name: str
    count: int
    columns: list[tuple[str, str, str]] = field(default_factory=list)


def read_ply(content: bytes, place: str) -> Points | Triangles:
    """The mesh in a PLY file, or, where it has no faces, its points; colours and normals do not count. Of more points
    than clouds may have every second, third and so on is taken.

    Raises:
        TerrainError: Not such a file, cut short, too large, or a face names a corner that does not exist.
    """
    order, elements, at = ply_head(content, place)
    text = numbers_in(content[at:], place) if not order else np.zeros(0)
    vertices, faces, begin = None, None, 0 if not order else at
    cloud = not any(element.name == "face" and element.count for element in elements)
    taken, fewer = thinned(0)
    for element in elements:
        if element.name == "vertex" and not element.count:
            raise TerrainError("the file has no vertices", place=place, remedy="export it anew: nothing was in it")
        if element.name == "vertex" and cloud and not any(length for *_, length in element.columns):
            taken, fewer = thinned(element.count)
        else:
            few(element.count, MOST_POINTS, "points or faces", place)
        if vertices is not None and (faces is not None or element.name != "face"):
            continue
        source = _Source(content, order, text, begin, f"{place}: {element.name}")
        columns, begin = source.columns(element)
        if element.name == "vertex":
            columns = dict(zip(axes_of(list(columns), place), columns.values(), strict=True))
            vertices = np.stack([columns[axis][::taken].astype(np.float64) for axis in "xyz"], axis=-1)
        elif element.name == "face" and any(length for *_, length in element.columns):
            faces = next((columns[name] for name in _FACES if name in columns), None)
    if vertices is None or not len(vertices):
        raise TerrainError("the file has no vertices", place=place)
    if faces is None or not len(faces):
        return Points(measured(vertices), (*note_of_strips(elements), *fewer))
    if not faces.min() >= 0.0 or faces.max() >= len(vertices):
        bad = float(faces.max() if faces.max() >= len(vertices) else faces.min())
        raise TerrainError(
            "a face names a corner that does not exist", place=place, value=bad, limit=f"0 to {len(vertices) - 1}"
        )
    return Triangles(finite(vertices[faces.astype(np.int64, copy=False)], place))


def axes_of(names: list[str], place: str) -> list[str]:
    """Names of the columns of vertices, with x, y and z in small letters; some programs write X, Y and Z.

    Raises:
        TerrainError: One of them is missing.
    """
    names = [name.lower() if name in ("X", "Y", "Z") else name for name in names]
    missing = [axis for axis in "xyz" if axis not in names]
    if missing:
        raise TerrainError("a vertex has no such coordinate", place=place, value=missing[0], legal=names)
    return names


def note_of_strips(elements: list[PlyElement]) -> tuple[str, ...]:
    """What is said of a cloud whose file has strips of triangles."""
    if not any(element.name == "tristrips" and element.count for element in elements):
        return ()
    return ("strips of triangles (tristrips) are not read: the corners count as a cloud; save faces",)


def ply_head(content: bytes, place: str) -> tuple[str, list[PlyElement], int]:
    """The order of bytes (empty: text), the elements, and where their rows begin."""
    end = content.find(b"end_header", 0, HEAD)
    if not content.startswith(b"ply") or end < 0:
        raise TerrainError("is no PLY file", place=place, limit=f"'ply' to 'end_header' in {HEAD} bytes")
    at = end + len(b"end_header")
    at += 2 if content[at : at + 2] == b"\r\n" else 1
    order: str | None = None
    elements: list[PlyElement] = []
    # str.splitlines would end lines within letters of UTF-8 too, as within those of a name in a comment.
    for number, raw in enumerate(content[:end].splitlines(), 1):
        line = raw.decode("latin-1")
        words = line.split()
        here = f"{place}:{number}"
        match words:
            case [] | ["ply"] | ["comment" | "obj_info", *_]:
                continue
            case ["format", kind, _] if kind in _FORMATS:
                order = _FORMATS[kind]
            case ["element", name, count] if count.isdecimal() and len(count) <= 12:
                elements.append(PlyElement(name, int(count)))
            case ["property", "list", length, kind, name] if elements and {length, kind} <= set(_KINDS):
                elements[-1].columns.append((name, _KINDS[kind], _KINDS[length]))
            case ["property", kind, name] if elements and kind in _KINDS:
                elements[-1].columns.append((name, _KINDS[kind], ""))
            case _:
                raise TerrainError("this line of the head is not known", place=here, value=line[:100])
    if order is None:
        raise TerrainError("the head names no format", place=place, legal=_FORMATS)
    for element in elements:
        names = [column[0] for column in element.columns]
        if len(set(names)) != len(names) or not names or any(kind[0] == "f" for *_, kind in element.columns if kind):
            raise TerrainError("the columns of an element are none", place=f"{place}: {element.name}", value=names[:20])
    return order, elements, at


@dataclass(frozen=True)
class _Source:
    """Where rows are read: bytes in an order, or the numbers of a text, from a place on."""

    content: bytes
    order: str
    text: Array
    begin: int
    place: str

    def columns(self, element: PlyElement) -> tuple[dict[str, Array], int]:
        """Columns by name, those of lists as triangles (n, 3), and where the rows end."""
        if not element.count:
            return {}, self.begin
        lists = [name for name, _, length in element.columns if length]
        if not lists:
            return self._plain(element)
        # Lists of one length, as nearly all are, are columns too.
        lengths = self._lengths_of_first(element)
        alike = self._alike(element, lengths)
        if alike is None and len(lists) > 1:
            raise TerrainError(
                "rows with several lists of different lengths are not read",
                place=self.place,
                value=lists,
                remedy="save it as triangles",
            )
        return alike if alike is not None else self._of_any_length(element)

    def _plain(self, element: PlyElement) -> tuple[dict[str, Array], int]:
        table, end = self._table([(name, kind) for name, kind, _ in element.columns], element.count)
        self._enough(end)
        return table or {}, end

    def _lengths_of_first(self, element: PlyElement) -> dict[str, int]:
        at, lengths = self.begin, {}
        for name, kind, length in element.columns:
            if not length:
                at += self._width(kind)
                continue
            lengths[name], at = self._length(at, length)
            at += lengths[name] * self._width(kind)
        return lengths

    def _alike(self, element: PlyElement, lengths: dict[str, int]) -> tuple[dict[str, Array], int] | None:
        """The columns if all lists are as long as those of the first row."""
        parts: list[tuple[str, str]] = []
        for name, kind, length in element.columns:
            if length:
                parts.append((f"#{name}", length))
            parts += [(f"{name}.{k}", kind) for k in range(lengths.get(name, 1))]
        table, end = self._table(parts, element.count)
        if table is None:
            return None
        for name, corners in lengths.items():
            if not (table[f"#{name}"] == corners).all():
                return None
            if name in _FACES:
                few(element.count * (corners - 2), MOST_POINTS, "triangles", self.place)
        found = {name: table[f"{name}.0"] for name, _, length in element.columns if not length}
        found |= {
            name: _fan(_numbered(np.stack([table[f"{name}.{k}"] for k in range(lengths[name])], axis=-1)))
            for name in _FACES
            if lengths.get(name, 0) >= 3
        }
        return found, end

    def _table(self, parts: list[tuple[str, str]], count: int) -> tuple[dict[str, Array] | None, int]:
        """Columns of as many rows, None where there are less, and where the rows end."""
        kind = np.dtype([(name, self.order + each) for name, each in parts])
        end = self.begin + count * (kind.itemsize if self.order else len(parts))
        if end > self._size:
            return None, end
        if not self.order:
            table = self.text[self.begin : end].reshape(count, len(parts))
            return {name: table[:, k] for k, (name, _) in enumerate(parts)}, end
        rows = np.frombuffer(self.content, kind, count, self.begin)
        return {name: rows[name] for name, _ in parts}, end

    def _of_any_length(self, element: PlyElement) -> tuple[dict[str, Array], int]:
        """One list in each row, of any length: its triangles, and the columns beside it. The rows are walked, their
        corners taken together."""
        number = next(k for k, (*_, length) in enumerate(element.columns) if length)
        name, kind, length_kind = element.columns[number]
        before, after = (
            sum(self._width(each) for _, each, _ in part)
            for part in (element.columns[:number], element.columns[number + 1 :])
        )
        width, at, whole = self._width(kind), self.begin, self._size
        starts, counts = np.empty(element.count, np.int64), np.empty(element.count, np.int64)
        for row in range(element.count):
            count, at = self._length(at + before, length_kind)
            starts[row], counts[row] = at, count
            at += count * width + after
            if at > whole:
                self._enough(at)
        # Corners take many times the room of their bytes: told before they are taken.
        few(int((counts[counts >= 3] - 2).sum()) if name in _FACES else 0, MOST_POINTS, "triangles", self.place)
        fans: list[Array] = []
        for count in np.unique(counts[counts >= 3]).tolist() if name in _FACES else []:
            here = starts[counts == count]
            if self.order:
                raw = np.frombuffer(self.content, np.uint8)[here[:, None] + np.arange(count * width)]
                rings = _numbered(raw.view(self.order + kind))
            else:
                rings = self.text[here[:, None] + np.arange(count)]
            fans.append(_fan(rings))
        found: dict[str, Array] = {}
        # Where each column begins: those before the list from the row's begin on, others from the list's end on.
        begins = starts - self._width(length_kind) - before
        for each in element.columns:
            if each[2]:
                begins = starts + counts * width
                continue
            found[each[0]] = self._each(begins, each[1])
            begins = begins + self._width(each[1])
        if name in _FACES:
            found[_FACES[0]] = np.concatenate(fans) if fans else np.zeros((0, 3))
        return found, at

    def _each(self, begins: Index, kind: str) -> Array:
        """The number of a kind at each of some places."""
        if not self.order:
            return self.text[begins]
        raw = np.frombuffer(self.content, np.uint8)[begins[:, None] + np.arange(self._width(kind))]
        return np.asarray(raw.view(self.order + kind)[:, 0])

    def _width(self, kind: str) -> int:
        return np.dtype(kind).itemsize if self.order else 1

    def _length(self, at: int, kind: str) -> tuple[int, int]:
        if kind == "u1" and self.order and at < len(self.content):
            return self.content[at], at + 1
        self._enough(at + self._width(kind))
        count = float(np.frombuffer(self.content, self.order + kind, 1, at)[0] if self.order else self.text[at])
        if not (0.0 <= count <= _LONGEST_LIST and count.is_integer()):
            raise TerrainError(
                "a list has no such length", place=self.place, value=count, limit=f"0 to {_LONGEST_LIST}"
            )
        return int(count), at + self._width(kind)

    @property
    def _size(self) -> int:
        return len(self.content) if self.order else len(self.text)

    def _enough(self, end: int) -> None:
        if end > self._size:
            raise TerrainError("the PLY is cut short", place=self.place, value=self._size, limit=f"{end} at least")


def _numbered(corners: Array) -> Array:
    """Numbers of corners as wide integers; those of other kinds as they are, so that NaN is told."""
    return corners.astype(np.int64) if corners.dtype.kind in "iu" else corners.astype(np.float64)


def _fan(rings: Array) -> Array:
    """Triangles (n (k - 2), 3) of rings of k corners, (n, k)."""
    count = rings.shape[1]
    pick: Index = np.array([(0, k, k + 1) for k in range(1, count - 1)])
    return np.asarray(rings[:, pick].reshape(-1, 3))
