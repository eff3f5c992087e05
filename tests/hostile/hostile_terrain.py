"""Hostile terrain: arrays, zips, pictures, meshes and points."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from hostile_case import BOARD, ON_BOARD, ON_MOTION, Cases, lazy, raw
from hostile_containers import encrypted, npy, npz, png

CASES = Cases()


def _zeros(count: int) -> bytes:
    return npz(npy(f"({count}, {count})", bytes(8 * count * count)))


def _many_members(count: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(count):
            archive.writestr(zipfile.ZipInfo(f"a{number}"), b"")
    return stream.getvalue()


def _las_head(points: int, records: int = 0, kind: int = 3) -> bytes:
    """The head of a LAS 1.2 file, whose points of 34 bytes begin behind it."""
    counts = struct.pack("<HIIBHI", 227, 227, records, kind, 34, points)
    return (b"LASF" + bytes(20) + b"\1\2").ljust(94, b"\0") + counts + bytes(20) + struct.pack("<12d", *[1e-3] * 12)


CASES.add("an array header of 1e6 x 1e6", "a.npy", raw(npy("(1000000, 1000000)")), *ON_BOARD)
CASES.add("an array header of negative size", "a.npy", raw(npy("(-5, 5)")), *ON_BOARD)
CASES.add("an array header of 300 digits", "a.npy", raw(npy(f"({'9' * 300}, 5)")), *ON_BOARD)
CASES.add("an array header that is code", "a.npy", raw(npy("(1, 1)").replace(b"'shape'", b"exit(1)")), *ON_BOARD)
CASES.add(
    "an array header of 65,000 brackets",
    "a.npy",
    raw(b"\x93NUMPY\x01\x00" + struct.pack("<H", 65_000) + b"(" * 65_000),
    *ON_BOARD,
)
CASES.add("an array of texts", "a.npy", raw(npy("(2, 2)", bytes(400_000_0), "<U250000")), *ON_BOARD)
CASES.add(
    "an array of records",
    "a.npy",
    lazy(lambda: npy("(2,)", bytes(32)).replace(b"'<f8'", b"[('a','<f8'),('b','<f8')]")),
    *ON_BOARD,
)
CASES.add(
    "5 MB that inflate to gigabytes",
    "a.npz",
    lazy(lambda: npz(npy("(20000, 20000)", bytes(300_000_000)))),
    *ON_BOARD,
)
CASES.add("a map of 3000 x 3000", "a.npz", lazy(lambda: _zeros(3000)), *ON_BOARD)
CASES.add(
    "corrupt deflate",
    "a.npz",
    raw(npz(npy("(30, 30)", os.urandom(7200))).replace(b"\x93NUMPY", b"\x00" * 6)[:200] + b"\xff" * 4000),
    *ON_BOARD,
)
CASES.add(
    "deflate with a changed byte",
    "a.npz",
    lazy(
        lambda: (lambda made: made[:600] + bytes([made[600] ^ 255]) + made[601:])(
            npz(npy("(60, 60)", np.random.default_rng(1).bytes(28_800)))
        )
    ),
    *ON_BOARD,
)
CASES.add("an encrypted zip", "a.npz", raw(encrypted(npz(npy("(3, 3)", bytes(72))))), *ON_BOARD)
CASES.add("an encrypted zip of a motion", "a.npz", raw(encrypted(npz(npy("(3,)", bytes(24)), "time.npy"))), *ON_MOTION)
CASES.add(
    "a zip that lies about its size",
    "a.npz",
    raw((lambda made: made.replace(struct.pack("<I", 200), struct.pack("<I", 2**31)))(npz(npy("(3, 3)", bytes(72))))),
    *ON_BOARD,
    taken=True,
)
CASES.add("a zip with 70,000 members", "a.npz", lazy(lambda: _many_members(70_000)), *ON_BOARD, *ON_MOTION)
CASES.add("a zip in a zip", "a.npz", raw(npz(npz(b"x"))), *ON_BOARD)
CASES.add("a zip whose names go up", "a.npz", raw(npz(npy("(3, 3)", bytes(72)), "../../heights.npy")), *ON_BOARD)
CASES.add("a PNG of 30000 x 30000", "a.png", raw(png(30000, 30000, 5)), *ON_BOARD)
CASES.add("a PNG of 2 billion x 2 billion", "a.png", raw(png(2**31 - 1, 2**31 - 1)), *ON_BOARD)
CASES.add(
    "a PNG that inflates too far",
    "a.png",
    lazy(lambda: png(10, 10, body=zlib.compress(bytes(300_000_000), 9))),
    *ON_BOARD,
    taken=True,
)
CASES.add("a PNG without data", "a.png", raw(png(100, 100)), *ON_BOARD)
CASES.add(
    "a PNG with a huge chunk", "a.png", raw(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 2**31 - 1) + b"IHDR"), *ON_BOARD
)
CASES.add(
    "a LAS that lies about its points",
    "a.las",
    raw(_las_head(points=2**32 - 1) + bytes(2000)),
    *ON_BOARD,
)
CASES.add(
    "a LAZ of four billion records",
    "a.laz",
    raw(_las_head(points=100, records=2**32 - 1, kind=131) + bytes(40_000)),
    *ON_BOARD,
)
CASES.add("a TIFF", "a.tif", raw(b"II*\x00\x08\x00\x00\x00" + b"\xff" * 100), *ON_BOARD)
CASES.add("a TIFF named PNG", "a.png", raw(b"II*\x00\x08\x00\x00\x00" + b"\xff" * 100), *ON_BOARD)
CASES.add("a PGM of 99999 x 99999", "a.pgm", raw(b"P5 99999 99999 255\n" + bytes(100)), *ON_BOARD)
CASES.add("a PGM of 5,000 digits", "a.pgm", raw(b"P5 " + b"9" * 5000 + b" 1 255\n" + bytes(100)), *ON_BOARD)
CASES.add("a PGM of 20 MB of comments", "a.pgm", lazy(lambda: b"P2 " + b"#\n" * 10_000_000), *ON_BOARD)
CASES.add(
    "an STL that lies about its facets", "a.stl", raw(bytes(80) + struct.pack("<I", 2**31) + bytes(5000)), *ON_BOARD
)
CASES.add("an STL of a point", "a.stl", raw(bytes(80) + struct.pack("<I", 100) + bytes(5000)), *ON_BOARD)
CASES.add(
    "an STL that is a kilometre wide",
    "a.stl",
    raw(b"vertex 0 0 0\nvertex 1000 0 0\nvertex 0 1000 0\n"),
    *ON_BOARD,
    taken=True,
)
CASES.add("two million vertices", "a.stl", lazy(lambda: b"vertex 0 0 0\n" * 1_800_000), *ON_BOARD)
CASES.add(
    "an OBJ whose face has a million corners", "a.obj", lazy(lambda: b"v 0 0 0\nf " + b"1 " * 1_000_000), *ON_BOARD
)
CASES.add("an OBJ of wrong corners", "a.obj", raw(b"v 0 0 0\nf 1 -9999999999999999999999 1\n"), *ON_BOARD)
CASES.add("points a kilometre apart at 1 mm", "a.xyz", raw(b"0 0 0\n0.001 0 0\n0 0.001 0\n1000 1000 0\n"), *ON_BOARD)
CASES.add(
    "a million points",
    "a.csv",
    lazy(lambda: "".join(f"{n % 1100},{n // 1100},0\n" for n in range(1_100_000))),
    *ON_BOARD,
    taken=True,
)
CASES.add("points of 1e308", "a.txt", raw(b"0 0 0\n1e308 0 0\n0 1e308 0\n-1e308 -1e308 0\n"), *ON_BOARD)
CASES.add("points in one line of 20 MB", "a.txt", lazy(lambda: b"1 " * 10_000_000), *ON_BOARD)


def _cloud(divide: str) -> bytes:
    """An honest cloud of 480,000 points, 13 MB."""
    points = np.random.default_rng(0).normal(size=(480_000, 3))
    return "".join(f"{x:.6f}{divide}{y:.6f}{divide}{z:.6f}\n" for x, y, z in points.tolist()).encode()


def _pcd_head(points: int, size: int = 4) -> bytes:
    counts = f"SIZE {size} {size} {size}\nTYPE F F F\nWIDTH {points}\nHEIGHT 1\n"
    return f"VERSION .7\nFIELDS x y z\n{counts}DATA binary\n".encode()


def _large(change: Callable[[np.ndarray], object] = lambda places: None, told: int = 6_000_000) -> bytes:
    """A cloud of 6 million points, 72 MB, that are changed before it is written."""
    places = np.random.default_rng(0).random((6_000_000, 3), dtype=np.float32)
    change(places)
    return _pcd_head(told) + places.tobytes()


def _one_far_away(places: np.ndarray) -> None:
    places[3_000_000] = 5000.0


def _empty(path: Path) -> Path:
    path.touch()
    return path


def _never_written(folder: Path, name: str) -> None:
    with (folder / name).open("wb") as file:
        file.write(_pcd_head(250_000_000))
        file.truncate(3_000_001_000)


def _polygons(lengths: Sequence[int]) -> bytes:
    """A PLY of polygons of these many corners each, of 1,000 vertices."""
    random, counts = np.random.default_rng(0), np.array(lengths)
    starts = np.cumsum(4 * counts + 1) - 4 * counts - 1
    rows = np.zeros(starts[-1] + 4 * counts[-1] + 1, np.uint8)
    numbers = np.ones(len(rows), bool)
    numbers[starts] = False
    rows[starts] = counts
    rows[numbers] = random.integers(0, 1000, counts.sum()).astype("<i4").view(np.uint8)
    columns = "".join(f"property float {axis}\n" for axis in "xyz")
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex 1000\n{columns}element face {len(lengths)}\n"
    head += "property list uchar int vertex_indices\nend_header\n"
    return head.encode() + random.normal(size=(1000, 3)).astype("<f4").tobytes() + rows.tobytes()


CASES.add("a PCD of 3 GB that was never written", "a.pcd", _never_written, *ON_BOARD)
CASES.add("a PCD of 5 GB", "a.pcd", lambda folder, name: os.truncate(_empty(folder / name), 5 * 10**9), *ON_BOARD)
CASES.add("a PCD of 72 MB that says more", "a.pcd", lazy(lambda: _large(told=300_000_000)), *ON_BOARD)
CASES.add("a PCD of 72 MB of zeros", "a.pcd", lazy(lambda: _large(lambda places: places.fill(0.0))), *ON_BOARD)
CASES.add("a PCD of 72 MB of no numbers", "a.pcd", lazy(lambda: _large(lambda places: places.fill(np.nan))), *ON_BOARD)
CASES.add("a PCD of 72 MB with a point far away", "a.pcd", lazy(lambda: _large(_one_far_away)), *ON_BOARD)
CASES.add("a text of 72 MB in one line", "a.txt", lazy(lambda: b"1 " * 36_000_000), *ON_BOARD)
CASES.add("a text of 72 MB of one column", "a.xyz", lazy(lambda: b"1\n" * 36_000_000), *ON_BOARD)
CASES.add("a text cloud of 13 MB", "a.xyz", lazy(lambda: _cloud(" ")), *ON_BOARD, taken=True)
CASES.add("a CSV cloud of 13 MB", "a.csv", lazy(lambda: _cloud(",")), *ON_BOARD, taken=True)
CASES.add("a PLY of 450,000 mixed polygons", "a.ply", lazy(lambda: _polygons([3, 4] * 225_000)), *ON_BOARD)
CASES.add("a PLY of mixed polygons of 42 MB", "a.ply", lazy(lambda: _polygons([5, *[129, 130] * 40_000])), *ON_BOARD)
CASES.add("a PLY of equal polygons of 62 MB", "a.ply", lazy(lambda: _polygons([255] * 60_000)), *ON_BOARD)


def _mesh(side: int) -> bytes:
    """A PLY of an honest surface of side x side vertices a centimetre apart."""
    x, y = np.meshgrid(np.arange(side) * 0.01, np.arange(side) * 0.01, indexing="ij")
    vertices = np.stack([x, y, 0.01 * np.sin(9.0 * x) * np.cos(7.0 * y)], axis=-1).reshape(-1, 3)
    corner = np.arange(side * side).reshape(side, side)
    a, b, c, d = (each.ravel() for each in (corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]))
    faces = np.concatenate([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)])
    rows = np.zeros(len(faces), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    rows["count"], rows["corners"] = 3, faces
    columns = "".join(f"property float {axis}\n" for axis in "xyz")
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\n{columns}"
    head += f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    return head.encode() + vertices.astype("<f4").tobytes() + rows.tobytes()


# It is read, and no more: a walk of 7 m over it is planned in earnest.
CASES.add("a PLY of a million honest triangles", "a.ply", lazy(lambda: _mesh(708)), BOARD, taken=True)
