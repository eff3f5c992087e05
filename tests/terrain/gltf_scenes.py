"""Scenes of glTF 2.0 by its specification: documents, their buffers, and GLB files of both."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


class Scene:
    """A document and its only buffer, under way."""

    def __init__(self) -> None:
        self.raw = b""
        self.data: dict[str, Any] = {
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": [],
            "accessors": [], "bufferViews": [],
        }  # fmt: skip

    def accessor(self, table, kind: str = "f4", *, pad: int = 0, lead: int = 0, **more) -> int:
        """Rows of numbers, ``pad`` bytes behind each and ``lead`` bytes before the first; its number."""
        table = np.asarray(table)
        rows = table.reshape(len(table), -1).astype("<" + kind)
        self.raw += bytes(-len(self.raw) % 4)
        view = {"buffer": 0, "byteOffset": len(self.raw), "byteLength": lead + len(rows) * (rows[0].nbytes + pad)}
        if pad:
            view["byteStride"] = rows[0].nbytes + pad
        self.raw += b"\x7f" * lead + b"".join(row.tobytes() + b"\x7f" * pad for row in rows)
        self.data["bufferViews"].append(view)
        told = {"bufferView": len(self.data["bufferViews"]) - 1, "componentType": CODES[kind], "count": len(rows)}
        shape = "SCALAR" if rows.shape[1] == 1 else f"VEC{rows.shape[1]}"
        self.data["accessors"].append(told | {"type": shape} | ({"byteOffset": lead} if lead else {}) | more)
        return len(self.data["accessors"]) - 1

    def mesh(self, *primitives: dict[str, Any]) -> int:
        self.data["meshes"].append({"primitives": list(primitives)})
        return len(self.data["meshes"]) - 1

    def node(self, *, scene: int | None = 0, **told) -> int:
        self.data["nodes"].append(told)
        number = len(self.data["nodes"]) - 1
        if scene is not None:
            self.data["scenes"][scene]["nodes"].append(number)
        return number

    def triangles(self, corners, indices=None, kind: str = "u2", **told) -> int:
        """A mesh of corners (n, 3), in a node of its own."""
        primitive = {"attributes": {"POSITION": self.accessor(corners)}}
        if indices is not None:
            primitive["indices"] = self.accessor(indices, kind)
        return self.node(mesh=self.mesh(primitive), **told)

    def document(self, uri: str | None = None, **more) -> bytes:
        buffer = {"byteLength": len(self.raw)} | ({"uri": uri} if uri else {})
        return json.dumps(self.data | {"buffers": [buffer]} | more).encode()

    def glb(self, **more) -> bytes:
        return glb(self.document(**more), self.raw)


def glb(document: bytes, raw: bytes = b"", version: int = 2) -> bytes:
    """A GLB: its head, a part of JSON, filled with blanks, and one of bytes."""
    document += b" " * (-len(document) % 4)
    parts = struct.pack("<I", len(document)) + b"JSON" + document
    if raw:
        raw += bytes(-len(raw) % 4)
        parts += struct.pack("<I", len(raw)) + b"BIN\0" + raw
    return b"glTF" + struct.pack("<II", version, 12 + len(parts)) + parts


def sheet(height: float = 0.0, x: float = 0.0, side: float = 1.0) -> np.ndarray:
    """A level square (4, 3) of the format's axes, y up: map x from ``x`` on, map y from 0 on, which is against z."""
    return np.array([[x, height, 0], [x + side, height, 0], [x + side, height, -side], [x, height, -side]])


QUAD = (0, 1, 2, 0, 2, 3)
