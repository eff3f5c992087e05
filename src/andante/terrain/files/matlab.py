"""Matrices of MATLAB and Octave (.mat, versions 5 to 7) as terrain.

The format: "MAT-File Format", MathWorks, chapter 1. It is read here, within limits: a reader that believes the sizes in
a hostile file asks for as much memory as they say. Version 7.3 is HDF5, and refused with what makes version 7 of it.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.found import Points, Raster
from andante.terrain.files.limits import MOST_BYTES, MOST_NODES
from andante.terrain.files.named_arrays import FEWEST_POINTS, heights_of
from andante.terrain.height_map import TerrainError

_HEAD = 128
_STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
"""How numbers stand in the file, which may be in fewer bytes than their class has."""
_MATRIX, _PACKED = 14, 15
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
"""Kinds of numbers of matrices; others are texts, cells, structures and sparse ones."""
_COMPLEX, _LOGICAL = 0x800, 0x200
_MOST_ELEMENTS = 1000
_BEGINNING = 4096
"""Bytes in which class, size and name of a matrix stand."""
_LONGEST_NAME = 63
_MOST_UNPACKED = 4 * MOST_BYTES
"""Bytes to which all that is asked for may unpack; one after the other is, and some twice."""
_PLACES = frozenset(("x", "xs", "x_coords", "x_coordinates"))
"""What says along which of them rows run."""
_NOT_OF_MATRICES = frozenset(("transform", "geotransform"))
"""Names that programs for images give, whose rows are not those of a matrix."""


def read_mat(
    content: bytes, place: str, layer: str | None = None, nodata: float | None = None, *, said: bool = True
) -> Raster | Points:
    """The raster or the points in a file of matrices, by the names that arrays of numpy have, too.

    Rows of a matrix run along y, as in surf and meshgrid, unless x and y of its nodes tell another way.

    Args:
        content: The file.
        place: The file's name.
        layer: Name of the matrix of heights; None: what such ones are called.
        nodata: Number that says unknown; None: what the file says.
        said: Whether the user says what one in the heights stands for.

    Raises:
        TerrainError: Not such a file, of version 4 or 7.3, cut short, or too large when unpacked; there are no heights.
    """
    if content.startswith((b"MATLAB 7.3", b"\x89HDF", b"# Created by Octave")):
        raise TerrainError(
            "the matrices are of another format than that of versions 5 to 7", place=place,
            value=content[:11].decode("latin-1"), remedy="save('FIELD.mat', ..., '-v7') writes it, in Octave too",
        )  # fmt: skip
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
    if order is None:
        raise TerrainError(
            "is no file of matrices of MATLAB", place=place, limit="versions 5 to 7", remedy="save it with -v7"
        )
    try:
        matrices = _Matrices(content, order, place)
        if not matrices.names:
            raise TerrainError(
                "the file has no matrices of real numbers", place=place,
                remedy="of a structure save('FIELD.mat', '-struct', 'NAME', '-v7') writes the fields as matrices",
            )  # fmt: skip
        found = heights_of(matrices, place, layer, nodata, said=said)
    except (ValueError, OverflowError, struct.error, zlib.error) as error:
        raise TerrainError("the file of matrices is damaged", place=place, value=str(error) or None) from error
    if isinstance(found, Raster) and not matrices.asked & _PLACES:
        note = "rows of the matrix run along y, columns along x, as in surf"
        return replace(found, notes=(*found.notes, note))
    return found


class _Element(NamedTuple):
    kind: int
    body: bytes
    end: int
    """Where the next one begins."""


class _Matrix(NamedTuple):
    shape: tuple[int, ...]
    kind: np.dtype[Any]
    number: int
    """Of its element in the file."""


class _Matrices:
    """The matrices of a file, transposed: their first index runs along x."""

    def __init__(self, content: bytes, order: str, place: str) -> None:
        self._order, self._place = order, place
        self._elements, self._room = list[tuple[int, bytes]](), _MOST_UNPACKED
        self._matrices = dict[str, _Matrix]()
        self.asked = set[str]()
        """Names of those that were read, in small letters."""
        at = _HEAD
        while at + 8 <= len(content) and len(self._elements) < _MOST_ELEMENTS:
            kind, body, at = self._element(content, at)
            self._elements.append((kind, body))
            if kind in (_MATRIX, _PACKED):
                self._note(len(self._elements) - 1)

    @property
    def names(self) -> Sequence[str]:
        return tuple(self._matrices)

    def kept(self, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
        matrix = self._matrices[name]
        return matrix.shape[::-1], matrix.kind

    def read(self, name: str) -> Array:
        shape, _, number = self._matrices[name]
        self.asked.add(name.lower())
        count = math.prod(shape)
        if count > MOST_NODES:
            raise TerrainError("the matrix is too large", place=f"{self._place}: {name}", value=shape,
                               limit=f"{MOST_NODES} nodes")  # fmt: skip
        body, at = self._unpacked(number, MOST_BYTES), 0
        for _ in range(3):
            at = self._element(body, at).end
        kind, raw, _ = self._element(body, at)
        if kind not in _STORED:
            raise ValueError(f"the numbers of {name} are of no known kind ({kind})")
        values = np.frombuffer(raw, f"{self._order}{_STORED[kind]}").astype(np.float64)
        if len(values) != count:
            raise ValueError(f"{name} has {len(values)} numbers for its size {shape}")
        matrix = values.reshape(shape, order="F")
        if len(shape) == 2 and min(shape) == 1:
            # Numbers alone, rows and columns: what goes with heights.
            return matrix.reshape(-1) if count > 1 else matrix.reshape(())
        points = len(shape) == 2 and shape[1] == 3 and shape[0] >= FEWEST_POINTS
        return matrix if points else matrix.T

    def _note(self, number: int) -> None:
        """Keep a matrix of real numbers by its name."""
        body = self._unpacked(number, _BEGINNING)
        _, flags, at = self._element(body, 0)
        _, sizes, at = self._element(body, at)
        _, name, _ = self._element(body, at)
        told = int(struct.unpack_from(f"{self._order}I", flags)[0])
        shape = tuple(np.frombuffer(sizes, f"{self._order}i4").tolist())
        text = name[:_LONGEST_NAME].decode("latin-1")
        if told & 0xFF not in _CLASSES or told & _COMPLEX or min(shape, default=0) < 1 or text in _NOT_OF_MATRICES:
            return
        kind = np.dtype(np.bool_) if told & _LOGICAL else np.dtype(_CLASSES[told & 0xFF])
        self._matrices[text] = _Matrix(shape, kind, number)

    def _unpacked(self, number: int, most: int) -> bytes:
        """What stands in a matrix's element, up to so many bytes."""
        kind, body = self._elements[number]
        if kind == _MATRIX:
            return body[:most]
        unpacker = zlib.decompressobj()
        raw = unpacker.decompress(body, 8 + most)
        self._room -= len(raw)
        if self._room < 0:
            raise TerrainError("the file unpacks to too much", place=self._place, limit=f"{_MOST_UNPACKED} bytes")
        inner, _ = struct.unpack_from(f"{self._order}2I", raw)
        if inner != _MATRIX:
            raise ValueError("what is packed is no matrix")
        return raw[8:]

    def _element(self, content: bytes, at: int) -> _Element:
        """The element that begins at a place; its end is where the next one does."""
        kind, size = struct.unpack_from(f"{self._order}2I", content, at)
        if kind >> 16:
            # A short one: its size, kind and up to four bytes stand in eight.
            size, kind = kind >> 16, kind & 0xFFFF
            if size > 4:
                raise ValueError(f"a short element of {size} bytes")
            return _Element(kind, content[at + 4 : at + 4 + size], at + 8)
        begin = at + 8
        body = content[begin : begin + size]
        if len(body) < size and len(content) != _BEGINNING:
            raise ValueError(f"an element of {size} bytes is cut short")
        return _Element(kind, body, begin + size + (0 if kind == _PACKED else -size % 8))
