"""Hostile surfaces: octrees, scenes of glTF, and clouds that are packed."""

from __future__ import annotations

import base64
import gzip
import json
import struct
import zlib
from typing import Any

import numpy as np
from hostile_case import BOARD, ON_BOARD, Cases, beside, fifo, lazy, link, raw

CASES = Cases()


def _octree(stream: bytes, *, binary: bool = True, size: str = "0.05", kind: str = "OcTree") -> bytes:
    first = "# Octomap OcTree binary file" if binary else "# Octomap OcTree file"
    return f"{first}\n#\nid {kind}\nsize 1\nres {size}\ndata\n".encode() + stream


_FIRST, _LAST = b"\x03\x00", b"\x00\xc0"
"""Nodes of which the first, or the last, child alone is a node."""


def _leaves(depth: int) -> bytes:
    """A binary octree that is whole from this level on: all of its cells are leaves, free and occupied in turn."""
    return b"\x66\x66" if depth == 0 else b"\xff\xff" + 8 * _leaves(depth - 1)


def _towers(levels: int = 6) -> bytes:
    """Leaves of 32 cells, all the way up: each of two million is looked at in a thousand columns."""
    return b"\x03\x03" + 2 * _towers(levels - 1) if levels else _leaves(4)


CASES.add("an octree without end", "a.bt", lazy(lambda: _octree(_FIRST * 1_000_000)), *ON_BOARD)
CASES.add("an octree that is deeper than any", "a.ot", raw(_octree(b"\0\0\0\0\1" * 5000, binary=False)), *ON_BOARD)
CASES.add("an octree of nodes everywhere", "a.bt", lazy(lambda: _octree(b"\xff\xff" * 30_000_000)), *ON_BOARD)
CASES.add("an octree of 17 million leaves", "a.bt", lazy(lambda: _octree(_LAST + _FIRST * 7 + _leaves(7))), *ON_BOARD)
CASES.add(
    "an octree of two million leaves",
    "a.bt",
    lazy(lambda: _octree(_LAST + _FIRST * 8 + _leaves(6))),
    BOARD,
    taken=True,
)
CASES.add("an octree of towers", "a.bt", lazy(lambda: _octree(_towers())), *ON_BOARD)
CASES.add("an octree that is one cell", "a.bt", raw(_octree(b"\x00\x80")), *ON_BOARD)
CASES.add("an octree of cells of no size", "a.bt", raw(_octree(b"\x66\x66", size="1e-320")), *ON_BOARD)
CASES.add("an octree of cells without end", "a.bt", raw(_octree(b"\x66\x66", size="1e308")), *ON_BOARD)
CASES.add(
    "an octree whose head has no end", "a.ot", lazy(lambda: b"# Octomap OcTree file\n" + b"#\n" * 9_000_000), *ON_BOARD
)
CASES.add("an octree of NaN", "a.ot", lazy(lambda: _octree(b"\0\0\xc0\x7f\xff" * 2_000_000, binary=False)), *ON_BOARD)
CASES.add("an octree of another kind", "a.ot", raw(_octree(bytes(900), binary=False, kind="x" * 9000)), *ON_BOARD)


def _scene(change: dict[str, Any], raw_bytes: bytes = bytes(4000)) -> bytes:
    """A GLB of a triangle, of which entries are replaced."""
    data: dict[str, Any] = {
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 4000}], "buffers": [{"byteLength": 4000}],
    }  # fmt: skip
    text = json.dumps(data | change).encode()
    text += b" " * (-len(text) % 4)
    parts = struct.pack("<I", len(text)) + b"JSON" + text + struct.pack("<I", len(raw_bytes)) + b"BIN\0" + raw_bytes
    return b"glTF" + struct.pack("<II", 2, 12 + len(parts)) + parts


def _chain(count: int) -> bytes:
    nodes = [{"children": [number + 1]} for number in range(count)]
    return _scene({"nodes": [*nodes, {"mesh": 0}]})


def _fans(count: int) -> bytes:
    """Nodes that all carry the same mesh, of a thousand parts without a triangle."""
    empty = {"attributes": {"POSITION": 0}, "indices": 1}
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": 300, "type": "VEC3"},
        {"bufferView": 0, "componentType": 5121, "count": 0, "type": "SCALAR"},
    ]
    return _scene({
        "nodes": [{"mesh": 0}] * count, "scenes": [{"nodes": list(range(count))}],
        "meshes": [{"primitives": [empty] * 1000}], "accessors": accessors,
    })  # fmt: skip


def _instances(count: int) -> bytes:
    """Nodes that all carry a mesh of 300 triangles."""
    shape = {"bufferView": 0, "componentType": 5121, "count": 900, "type": "VEC3", "normalized": True}
    return _scene({"nodes": [{"mesh": 0}] * count, "scenes": [{"nodes": list(range(count))}], "accessors": [shape]})


def _doubling() -> bytes:
    """Nodes whose two children are the same."""
    return _scene({"nodes": [*({"children": [number + 1] * 2} for number in range(60)), {"mesh": 0}]})


def _surface(side: int) -> bytes:
    """A scene of an honest surface of side x side corners a centimetre apart."""
    x, z = np.meshgrid(np.arange(side) * 0.01, np.arange(side) * -0.01, indexing="ij")
    corners = np.stack([x, 0.01 * np.sin(9.0 * x) * np.cos(7.0 * z), z], axis=-1).reshape(-1, 3).astype("<f4")
    corner = np.arange(side * side, dtype="<u4").reshape(side, side)
    a, b, c, d = (each.ravel() for each in (corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]))
    faces = np.concatenate([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)])
    size = corners.nbytes + faces.nbytes
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": len(corners), "type": "VEC3"},
        {"bufferView": 0, "byteOffset": corners.nbytes, "componentType": 5125, "count": faces.size, "type": "SCALAR"},
    ]
    return _scene(
        {
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}], "accessors": accessors,
            "bufferViews": [{"buffer": 0, "byteLength": size}], "buffers": [{"byteLength": size}],
        },
        corners.tobytes() + faces.tobytes(),
    )  # fmt: skip


def _document(uri: str) -> bytes:
    text = _scene({"buffers": [{"byteLength": 4000, "uri": uri}]})
    return text[20 : 20 + struct.unpack("<I", text[12:16])[0]]


CASES.add("a GLB that says more than there is", "a.glb", raw(b"glTF" + struct.pack("<II", 2, 2**32 - 1)), *ON_BOARD)
CASES.add(
    "a GLB of 30 MB of JSON",
    "a.glb",
    lazy(lambda: b"glTF" + struct.pack("<III", 2, 30_000_020, 30_000_000) + b"JSON" + b" " * 30_000_000),
    *ON_BOARD,
)
CASES.add("a glTF of brackets", "a.gltf", lazy(lambda: b"[" * 5_000_000), *ON_BOARD)
CASES.add(
    "a glTF of a million empty nodes",
    "a.gltf",
    lazy(lambda: b'{"asset":{"version":"2.0"},"nodes":[' + b"{}," * 900_000 + b"{}]}"),
    *ON_BOARD,
)
CASES.add("nodes in nodes in nodes", "a.glb", lazy(lambda: _chain(49_000)), *ON_BOARD)
CASES.add("more nodes in nodes", "a.glb", lazy(lambda: _chain(200_000)), *ON_BOARD)
CASES.add("nodes that double sixty times", "a.glb", lazy(_doubling), *ON_BOARD)
CASES.add("nodes that go round", "a.glb", raw(_scene({"nodes": [{"children": [1]}, {"children": [0]}]})), *ON_BOARD)
CASES.add("a mesh of parts without end", "a.glb", lazy(lambda: _fans(40_000)), *ON_BOARD)
CASES.add("a mesh that stands 40,000 times", "a.glb", lazy(lambda: _instances(40_000)), *ON_BOARD)
CASES.add("a triangle of zeros", "a.glb", raw(_scene({})), *ON_BOARD)
CASES.add("a triangle of no numbers", "a.glb", raw(_scene({}, b"\xff" * 4000)), *ON_BOARD)
CASES.add(
    "two billion corners",
    "a.glb",
    raw(_scene({"accessors": [{"bufferView": 0, "componentType": 5126, "count": 2**31, "type": "VEC3"}]})),
    *ON_BOARD,
)
CASES.add(
    "corners without bytes",
    "a.glb",
    raw(_scene({"accessors": [{"componentType": 5126, "count": 2_999_999, "type": "VEC3"}]})),
    *ON_BOARD,
)
CASES.add("a GLB of a million honest triangles", "a.glb", lazy(lambda: _surface(708)), BOARD, taken=True)
CASES.add("a buffer of the system", "a.gltf", raw(_document("../../../../../../etc/passwd")), *ON_BOARD)
CASES.add("a buffer of the network", "a.gltf", raw(_document("http://localhost:1/a.bin")), *ON_BOARD)
CASES.add(
    "a buffer that never ends", "a.gltf", beside(raw(_document("a.bin")), {"a.bin": link("/dev/zero")}), *ON_BOARD
)
CASES.add("a buffer that is a pipe", "a.gltf", beside(raw(_document("a.bin")), {"a.bin": fifo}), *ON_BOARD)


def _pcd(points: int, packed: bytes) -> bytes:
    head = f"VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH {points}\nHEIGHT 1\nDATA binary_compressed\n"
    return head.encode() + struct.pack("<II", len(packed), 12 * points) + packed


def _ply(count: int) -> bytes:
    columns = "".join(f"property float {axis}\n" for axis in "xyz")
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {count}\n{columns}end_header\n"
    return head.encode() + bytes(12 * count)


def _zstd(content: bytes) -> bytes:
    from zstandard import ZstdCompressor

    return ZstdCompressor().compress(content)


_CUT_SHORT = (
    "eNqdlH1MU2cUxs+9tLZcoV4/rtEJcjGVsYKbRUr4UHMLdaNRTKsXt26LIWpxqYH4MaIY5+hIzRXFjwpTcBvFLKZDwoyKbmBitzmjZDJikJEtyxLw"
    "k1Sj28CwZctO7+suQm76B3++yfu85znP+b0n/+33csxWV8paV/Zow5OY8sG3AFjQbq/iYWsBrbktJNoXWsvyTxkcwWrRxP/ssyXkn5qGh+uitdFn"
    "SyLate1NreO0R9mQ1+LQrbE73sG7dSb+NiOZ2xkph4h7TXyXzzZ/w0fnVp0+V97t/1Zzv/YsAA/MXRAoXqXwr6iv4djtqCJPmDh2z/faTQ1Fm9cU"
    "FBp1/YMlAAJwXVBFfROnn1kMFcZ6LakYj9c9HLuNkZahNtk5xfO/1n2laWBW7I+JipYW9mliW06fLNhvDKajxbktHFvus81pdur+NPGPGCkPn0sV"
    "rYOzOL/bcrLkn1WB0hhfFVAAb6bSEEvPYVNaYMhumuqRzb7U7JzyQLQeJCH8zrG78U083EtNM3ZtMb/2U63wydNOABqgzaEBg75EaAzGfGEMLgqK"
    "1i6O9fhs8/C6JFqHOLaSkZYoWv63tGbhcnGeop2xQKldwUjZpDYGfZe0jcJI4R8c6+x1fcLiUIfX9cZsAA1Q7wb0kDBxXrewb2yalWeFvkvxQLRl"
    "nsdfUq7XRxSt0baYLxKpXr84m5SzYEbEPnabOMxImSg+EWg99krroQMHCuCDQ+kAeqC/FlgolJSOUTygdIwWhmXjcW40Tyhb1t2ZieIohBaK1g51"
    "Qo8W8+vh74R+RXsk2Ut76nYXLY+EgkkRw2Wy+8hTF0x8d4+M2V4Z0/PuYUubrn9ADdPnSUXFdNPgvc2h+M7aSWG6um/v2Re1tE3li1wbN2wsXFnD"
    "3MhovNGZu1I/87OsEEAVpNVRoPGqFH4f9alyBJUkdszjDxnyT+3x/JGkjbUK5DqN+ryvyiNbioAr2o///VByvLy0YsIHaSwzGP2B82ixFK92cOwG"
    "nFOPnPkjQstBglr1cIb3hGEMU6Pa/8DhmUkI1+VvEgGG0Hb1ynoLveNaWKEtOzL0gOFzf+AiFsF+8XtHAkx26vC9Oyb+pqKt3tPmo5+K4UmRCt/R"
    "Q1p3wqRIbT/TcVnrntcfdZdmEfvY7U40c0vZpbmvLoqjRrLHIF2gdHyJ7JHnHZMljMbN9TgzQuiz3HAPNZIThVCEckiV0NIVondXTHjHhEXqfJg5"
    "ijcz5GUUMXxBdo9PGXDceQSzURnTm8d7+75K2lijhilJKjqmxw43NEHWY8tkMK3Pc/0VelEbO13li4wfNorJIk4JP0znV+/6ZWwRqxT+D4UQfeE="
)
"""``bz2.compress(b"0.25,0.5,1.75\\n" * 2_000_000)[:-90]``, which takes six seconds, deflated in base 64."""

CASES.add("a packed cloud of 400 MB of zeros", "a.ply.gz", lazy(lambda: gzip.compress(_ply(33_000_000), 1)), *ON_BOARD)
CASES.add("a packed text of 300 MB of ends of lines", "a.xyz.zst", lazy(lambda: _zstd(b"\n" * 300_000_000)), *ON_BOARD)
CASES.add(
    "a packed text that is cut short",
    "a.csv.bz2",
    lazy(lambda: zlib.decompress(base64.b64decode(_CUT_SHORT))),
    *ON_BOARD,
)
CASES.add(
    "5 million blocks of Zstandard", "a.xyz.zst", lazy(lambda: _zstd(b"")[:-3] + b"\2\0\0a" * 5_000_000), *ON_BOARD
)
CASES.add(
    "a PCD that unpacks 88 times",
    "a.pcd",
    lazy(lambda: _pcd(100_000_000, b"\0\0" + b"\xe0\xff\0" * 4_545_454)),
    *ON_BOARD,
)
CASES.add(
    "a PCD of 120 MB that is damaged", "a.pcd", lazy(lambda: _pcd(10_000_000, b"\x20\xff" * 8_000_000)), *ON_BOARD
)
# A zero, and repeats of it by 49.
CASES.add(
    "a PCD of 118 MB of one point",
    "a.pcd",
    lazy(lambda: _pcd(9_800_045, b"\0\0" + b"\xe0\x28\0" * 2_400_011)),
    *ON_BOARD,
)
