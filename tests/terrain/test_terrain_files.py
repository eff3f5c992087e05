"""Terrain from meshes, images and point grids: written here, read back, and refused where it is broken."""

from __future__ import annotations

import io
import re
import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from andante.documents.settings import SettingsError
from andante.terrain.files.images import read_pgm, read_png
from andante.terrain.files.load import load_heights, load_map, load_terrain
from andante.terrain.files.meshes import read_obj, read_stl, top_of_mesh
from andante.terrain.files.options import FileOptions
from andante.terrain.files.ply import read_ply
from andante.terrain.files.rows import read_rows
from andante.terrain.height_map import TerrainError

HILL = np.array([[0.0, 0.1, 0.0], [0.0, 0.3, 0.1], [0.2, 0.2, 0.0]])


def sheet(heights: np.ndarray, spacing: float) -> np.ndarray:
    """Two triangles per cell, (n, 3, 3)."""
    nx, ny = heights.shape
    node = np.array([[(i * spacing, j * spacing, heights[i, j]) for j in range(ny)] for i in range(nx)])
    cells = []
    for i in range(nx - 1):
        for j in range(ny - 1):
            a, b, c, d = node[i, j], node[i + 1, j], node[i + 1, j + 1], node[i, j + 1]
            cells += [(a, b, c), (a, c, d)]
    return np.array(cells)


def stl(triangles: np.ndarray) -> bytes:
    body = b"".join(struct.pack("<12fH", 0, 0, 1, *each.ravel(), 0) for each in triangles)
    return b"\0" * 80 + struct.pack("<I", len(triangles)) + body


def obj(heights: np.ndarray, spacing: float) -> str:
    nx, ny = heights.shape
    lines = [f"v {i * spacing} {j * spacing} {heights[i, j]}" for i in range(nx) for j in range(ny)]
    for i in range(nx - 1):
        for j in range(ny - 1):
            a, b = i * ny + j + 1, (i + 1) * ny + j + 1
            lines.append(f"f {a}/1 {b}/1 {b + 1} {a + 1}" if (i + j) % 2 else f"f {a} {b} {b + 1} {a - nx * ny}")
    return "\n".join(lines).replace(f"f 1 {ny + 1} {ny + 2} {1 - nx * ny}", f"f 1 {ny + 1} {ny + 2} 2")


def png(rows: np.ndarray, colour: int, depth: int, filters: list[int]) -> bytes:
    """A PNG of byte rows (height, bytes) whose lines are filtered as named; written from the specification."""
    step = {0: 1, 2: 3, 4: 2, 6: 4}[colour] * depth // 8
    lines = b""
    for number, kind in enumerate(filters):
        line = rows[number].astype(int)
        up = rows[number - 1].astype(int) if number else np.zeros_like(line)
        left, corner = (np.concatenate([np.zeros(step, int), each[:-step]]) for each in (line, up))
        estimate = left + up - corner
        paeth = np.where(
            (abs(estimate - left) <= abs(estimate - up)) & (abs(estimate - left) <= abs(estimate - corner)),
            left,
            np.where(abs(estimate - up) <= abs(estimate - corner), up, corner),
        )
        guess = [np.zeros_like(line), left, up, (left + up) // 2, paeth][kind]
        lines += bytes([kind]) + ((line - guess) % 256).astype(np.uint8).tobytes()
    head = struct.pack(">II5B", rows.shape[1] // step, rows.shape[0], depth, colour, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")]
    packed = b"".join(struct.pack(">I", len(b)) + k + b + struct.pack(">I", zlib.crc32(k + b)) for k, b in chunks)
    return b"\x89PNG\r\n\x1a\n" + packed


def write(folder, name: str, content: bytes | str):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_meshes_give_back_their_nodes(tmp_path):
    binary = load_heights(write(tmp_path, "a.stl", stl(sheet(HILL, 0.1))), FileOptions(spacing=0.1))
    np.testing.assert_allclose(binary.heights, HILL, atol=1e-6)
    text = "solid s\n" + "".join(
        "facet normal 0 0 1\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in each)
        + "endloop\nendfacet\n"
        for each in sheet(HILL * 1e3, 100.0).tolist()
    )
    scaled = load_heights(write(tmp_path, "b.stl", text), FileOptions(spacing=0.1, scale=0.001))
    np.testing.assert_allclose(scaled.heights, HILL, atol=1e-9)
    wavefront = load_heights(write(tmp_path, "c.obj", obj(HILL, 0.1)), FileOptions(spacing=0.1))
    np.testing.assert_allclose(wavefront.heights, HILL, atol=1e-9)


def test_the_upper_of_two_surfaces_counts_and_walls_do_not():
    low, high = sheet(np.zeros((3, 3)), 0.1), sheet(np.ones((3, 3)), 0.1)
    wall = np.array([[[0, 0, 5], [0.1, 0, 5], [0.2, 0, 9]]], dtype=float)
    found = top_of_mesh(np.concatenate([high, low, wall]), 0.1, "mesh")
    assert (found.heights == 1.0).all()
    assert found.first == (0.0, 0.0)


def test_places_without_mesh_are_holes(tmp_path):
    path = write(tmp_path, "torn.stl", stl(sheet(HILL, 0.1)[:-1]))
    with pytest.raises(TerrainError, match=r"torn.stl: node \(6, 7\) at x 0.120 m, y 0.140 m: .* has 10 holes"):
        load_heights(path, FileOptions(spacing=0.02, holes="refuse"))
    assert np.isfinite(load_heights(path, FileOptions(spacing=0.02, holes="lowest")).heights).all()


@given(st.integers(0, 3), st.sampled_from([8, 16]), st.lists(st.integers(0, 4), min_size=4, max_size=4), st.integers())
@settings(max_examples=60, deadline=None)
def test_png_of_every_filter_and_depth_is_read(kind, depth, filters, seed):
    colour = (0, 2, 4, 6)[kind]
    step = {0: 1, 2: 3, 4: 2, 6: 4}[colour] * depth // 8
    rows = np.random.default_rng(abs(seed)).integers(0, 256, (4, 5 * step), dtype=np.uint8)
    found = read_png(png(rows, colour, depth, filters), "a.png")
    first = rows.reshape(4, 5, step).astype(float)
    expected = first[..., 0] / 255 if depth == 8 else (first[..., 0] * 256 + first[..., 1]) / 65535
    if colour > 2:
        # What is transparent is unknown; of 16 bits the higher ones count.
        expected[first[..., -(depth // 8)] == 0] = np.nan
    np.testing.assert_allclose(found, expected)


def test_an_image_lies_with_x_to_the_right_and_y_up(tmp_path):
    rows = np.zeros((2, 9), dtype=np.uint8)
    rows[0, 6:] = 255
    ground = load_heights(
        write(tmp_path, "a.png", png(rows, 2, 8, [0, 0])), FileOptions(spacing=0.1, low=-0.1, high=0.2)
    )
    assert ground.heights.shape == (3, 2)
    assert ground.heights[2, 1] == pytest.approx(0.2)
    assert ground.heights.min() == pytest.approx(-0.1)


def test_pgm_is_read_in_both_forms():
    assert read_pgm(b"P2\n# note\n2 2\n4\n0 1\n2 4\n", "a").tolist() == [[0.0, 0.25], [0.5, 1.0]]
    assert read_pgm(b"P5 2 1 65535 " + bytes([0, 0, 255, 255]), "a").tolist() == [[0.0, 1.0]]


def test_point_grids_and_arrays_are_read(tmp_path):
    rows = [f"{1 + 0.1 * i:.3f}, {2 + 0.1 * j:.3f}, {HILL[i, j]}" for i in range(3) for j in range(3)]
    shuffled = [rows[k] for k in np.random.default_rng(1).permutation(9)]
    ground = load_heights(write(tmp_path, "a.csv", "x,y,z\n" + "\n".join(shuffled)))
    np.testing.assert_allclose(ground.heights, HILL)
    assert (*ground.origin, ground.spacing) == pytest.approx((1.0, 2.0, 0.1))
    np.save(tmp_path / "b.npy", HILL)
    assert load_heights(tmp_path / "b.npy", FileOptions(spacing=0.2)).spacing == 0.2
    np.savez(tmp_path / "c.npz", heights=HILL, spacing=0.25, origin=[3.0, 4.0])
    packed = load_heights(tmp_path / "c.npz")
    assert (*packed.origin, packed.spacing) == (3.0, 4.0, 0.25)


def test_missing_and_nan_points_are_holes(tmp_path):
    rows = [f"{i} {j} {'nan' if (i, j) == (1, 1) else 0}" for i in range(3) for j in range(3) if (i, j) != (2, 0)]
    path = write(tmp_path, "a.xyz", "\n".join(rows))
    with pytest.raises(TerrainError, match=r"a.xyz: node \(1, 1\) at x 1.000 m, y 1.000 m: .* 2 holes of 9 nodes"):
        load_heights(path, FileOptions(holes="refuse"))
    assert load_heights(path).heights.shape == (3, 3)
    assert np.argwhere(~load_map(path).map.known).tolist() == [[1, 1], [2, 0]]


def test_a_file_becomes_terrain_with_a_way_through_it(tmp_path):
    np.save(tmp_path / "plain.npy", np.zeros((201, 61)))
    terrain = load_terrain(tmp_path / "plain.npy", FileOptions(spacing=0.01))
    assert terrain.name == "plain"
    assert terrain.surface is terrain.heights
    assert (terrain.start, terrain.goal) == (pytest.approx((0.15, 0.3)), pytest.approx((1.85, 0.3)))


HEADER = b"\x89PNG\r\n\x1a\n"
PALETTE = io.BytesIO()
Image.new("P", (3, 2)).save(PALETTE, "PNG")
PICKLED = io.BytesIO()
np.save(PICKLED, np.array([[{}]], dtype=object), allow_pickle=True)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tga", b"", r"no reader for this kind of terrain file; got 'a.tga'; .*legal: .stl"),
        ("a.stl", b"solid\n", "is no STL file"),
        ("a.stl", b"vertex 1 2 x\n" * 3, "a vertex is no three numbers"),
        ("a.stl", b"vertex 1 2 nan\n" * 3, "a.stl: triangle 0: a vertex is not finite"),
        ("a.stl", b"vertex 1 2 3\n" * 3, "the mesh does not fit the spacing"),
        ("a.obj", b"v 0 0 0\n", "the file has no faces"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", r"a.obj:2: a face names a corner that does not exist; got 2; limit: 1 to 1"),
        ("a.png", b"GIF", "is no PNG file"),
        ("a.png", HEADER, "the PNG is damaged"),
        ("a.png", PALETTE.getvalue(), "this kind of PNG carries no heights; got 'P'; limit: 8 or 16 bits, grey or RGB"),
        ("a.png", png(np.zeros((2, 3), np.uint8), 0, 8, [0, 0])[:46], "the PNG is damaged"),
        ("a.pgm", b"P5 2 2 255 a", "the PGM is cut short"),
        ("a.pgm", b"P5 999999 999999 255 a", "the image's size is out of range"),
        ("a.npy", b"nothing", "is no numpy array of heights"),
        ("a.npy", PICKLED.getvalue(), "is no numpy array of heights"),
        ("a.npz", b"PK\x03\x04", "is no numpy array of heights"),
        ("a.csv", b"1,2,3\n1,2\n", "a.csv:2: a point has three numbers"),
        (
            "a.csv",
            b"0 0 0\n1 0 0\n0 1 0\n0 1 0\n",
            "the points lie on no square grid, and they are too few for a cloud; got 4; limit: at least 16",
        ),
        ("a.csv", b"0 0 0\n1 0 0\n2 0 0\n3 0 0\n", "the points lie on one line"),
        ("a.csv", b"0 0 0\n1 0 0\n0 1 0\n1.4 1 0\n2.4 1 0\n", "the points lie on no square grid"),
    ],
)
def test_broken_files_are_refused(tmp_path, name, content, message):
    with pytest.raises(TerrainError, match=message):
        load_heights(write(tmp_path, name, content), FileOptions(spacing=0.1))


def test_a_missing_file_and_bad_options_are_refused(tmp_path):
    with pytest.raises(TerrainError, match="the file cannot be read: No such file"):
        load_heights(tmp_path / "none.png")
    with pytest.raises(SettingsError, match=r"terrain.spacing: is not legal; got 0.0; limit: above 0"):
        FileOptions(spacing=0.0)


@given(st.binary(max_size=300))
@settings(max_examples=150, deadline=None)
def test_no_bytes_crash_a_reader(content):
    for reader in (read_png, read_pgm, read_stl, read_obj):
        for start in (b"", HEADER, b"P5 3 2 255 ", b"v 1 2 3\n"):
            try:
                reader(start + content, "fuzz")
            except TerrainError:
                continue


@pytest.mark.parametrize(
    ("divide", "comma", "end"),
    [
        (",", False, "\n"),
        (", ", False, "\r\n"),
        (";", True, "\n"),
        ("\t", False, "\n"),
        (" ", True, "\n"),
        ("  ", False, "\r\n"),
    ],
)
def test_long_texts_of_points_hold_the_numbers_that_were_written(divide, comma, end):
    points = np.random.default_rng(4).normal(size=(20_000, 3))
    points[7, 2] = 1.25e-17
    rows = [divide.join(repr(float(value)) for value in row) for row in points]
    text = end.join(row.replace(".", ",") if comma else row for row in rows)
    assert len(text) > 1_000_000
    np.testing.assert_array_equal(read_rows(text.encode(), "a.txt", "points").places, points)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("1,2", "a.csv:15000: a point has three numbers; got 2"),
        ("1,2,3,4", "a.csv:15000: a point has three numbers; got 4"),
        ("1 2,3,4", "a.csv:15000: a row has numbers; got '1 2,3,4'"),
        ("1,2,-e", "a.csv:15000: a row has numbers; got '1,2,-e'"),
    ],
)
def test_a_bad_row_deep_in_a_long_text_is_named_by_its_line(row, told):
    rows = ["0.25,0.5,0.125"] * 30_000
    rows[14_999] = row
    with pytest.raises(TerrainError, match=re.escape(told)):
        read_rows("\n".join(rows).encode(), "a.csv", "points")


def test_unknown_places_and_comments_deep_in_a_long_text_stay_what_they_are():
    rows = ["0.25,0.5,0.125"] * 30_000
    rows[9_000], rows[12_000], rows[20_000], rows[25_000] = "1,2,", "# a remark", "1,,3", ""
    found = read_rows("\n".join(rows).encode(), "a.csv", "points").places
    assert found.shape == (29_998, 3)
    np.testing.assert_array_equal(found[9_000], [1.0, 2.0, np.nan])
    np.testing.assert_array_equal(found[19_999], [1.0, np.nan, 3.0])
    assert np.isnan(found).sum() == 2


@pytest.mark.parametrize("lengths", [[255] * 4_000, [3, *[255] * 4_000]], ids=["alike", "mixed"])
def test_polygons_of_too_many_triangles_are_refused_by_their_lengths(lengths):
    head = (
        "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
    )
    head += f"element face {len(lengths)}\nproperty list uchar uchar vertex_indices\nend_header\n"
    content = head.encode() + bytes(12) + b"".join(bytes([length]) + bytes(length) for length in lengths)
    tracemalloc.start()
    with pytest.raises(TerrainError, match=f"too many triangles; got {253 * 4_000 + len(lengths) - 4_000}; limit"):
        read_ply(content, "a.ply")
    largest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The corners of a million triangles alone take 72 MB.
    assert largest < 10_000_000


def test_level_ground_below_zero_is_no_pit_and_a_trench_is_one_at_any_height(tmp_path):
    heights = np.zeros((80, 30))
    heights[30:50, 20:] = 0.05
    trench = heights.copy()
    trench[38:44] = -0.2
    for zero in (0.0, -0.5, 300.0):
        np.savez(tmp_path / "level.npz", heights=zero + heights, spacing=0.02)
        assert not load_terrain(tmp_path / "level.npz").pits.any()
        np.savez(tmp_path / "trench.npz", heights=zero + trench, spacing=0.02)
        np.testing.assert_array_equal(load_terrain(tmp_path / "trench.npz").pits, trench < -0.1)
