"""Maps as other programs write them: text of any ending, columns that are no numbers, frames and records of numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from field_maps import nodes, ply_head, write_asc

from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

ORIGIN, SPACING = (1.0, 2.0), 0.02
X, Y = nodes((30, 20), ORIGIN, SPACING)
HEIGHTS = 0.1 * np.sin(3.0 * X) + 0.05 * Y
POINTS = np.stack([X, Y, HEIGHTS], axis=-1).reshape(-1, 3)


def same(found, tolerance=1e-6):
    np.testing.assert_allclose(found.heights, HEIGHTS, atol=tolerance)
    np.testing.assert_allclose(found.origin, ORIGIN, atol=1e-6)
    assert found.spacing == pytest.approx(SPACING)


@pytest.mark.parametrize("name", ["grid.asc", "grid.txt", "grid.xyz"])
def test_an_ascii_grid_is_known_by_its_head_and_comments_stand_before_it(tmp_path, name):
    write_asc(tmp_path / name, HEIGHTS, ORIGIN, SPACING)
    same(load_map(tmp_path / name).map)
    (tmp_path / name).write_text("# by a program\r\n#\n\n" + (tmp_path / name).read_text())
    same(load_map(tmp_path / name).map)
    with pytest.raises(TerrainError, match="the option rows means nothing to an ASCII grid; got 'raster'"):
        load_map(tmp_path / name, FileOptions(rows="raster"))


def test_clouds_of_text_are_read_under_every_ending_that_programs_give_them(tmp_path):
    np.savetxt(tmp_path / "a.asc", POINTS, header="X Y Z", comments="//")
    same(load_map(tmp_path / "a.asc").map)
    np.savetxt(tmp_path / "b.asc", POINTS)
    same(load_map(tmp_path / "b.asc").map)
    np.savetxt(tmp_path / "a.tsv", POINTS, delimiter="\t", header="x\ty\tz", comments="")
    same(load_map(tmp_path / "a.tsv").map)
    shades = np.concatenate([POINTS, np.full((len(POINTS), 4), 7.0)], axis=1)
    np.savetxt(tmp_path / "a.pts", shades, header=str(len(POINTS)), comments="")
    same(load_map(tmp_path / "a.pts").map)
    (tmp_path / "c.asc").write_text("ncolls 3\nnrows 2\n1 2 3\n4 5 6\n")
    with pytest.raises(TerrainError, match="no such entry in the head of an ASCII grid; got 'ncolls'"):
        load_map(tmp_path / "c.asc")


def test_columns_that_do_not_count_need_no_numbers(tmp_path):
    rows = [f"2026-01-01T00:00:{k % 60}Z,map,{x:.3f},{y:.3f},{z:.8f}" for k, (x, y, z) in enumerate(POINTS.tolist())]
    (tmp_path / "a.csv").write_text("\n".join(["stamp,frame,x,y,z", *rows]))
    same(load_map(tmp_path / "a.csv").map)
    (tmp_path / "b.csv").write_text("\n".join(["stamp,frame,x,y,z", *rows[:9], "t,map,1.0,two,0.1"]))
    with pytest.raises(TerrainError, match=r"b\.csv:11: a row has numbers; got 't,map,1\.0,two,0\.1'"):
        load_map(tmp_path / "b.csv")


def test_an_archive_may_name_the_middle_of_its_grid(tmp_path):
    middle = np.array([X.mean(), Y.mean(), 0.0])
    np.savez(tmp_path / "a.npz", elevation=HEIGHTS, resolution=SPACING, center=middle)
    same(load_map(tmp_path / "a.npz").map)


@pytest.mark.parametrize("turn", [0.0, 90.0])
@pytest.mark.parametrize("form", ["rasterio", "matrix", "gdal"])
def test_the_transform_of_an_image_is_that_of_rasterio_or_gdal(tmp_path, form, turn):
    """Their cells' outer corner at column c and row r lies at the transform of (c, r)."""
    s, c = math.sin(math.radians(turn)), math.cos(math.radians(turn))
    corner = (ORIGIN[0] - 0.5 * SPACING, Y.max() + 0.5 * SPACING)
    north_up = np.array([[SPACING, 0.0, corner[0]], [0.0, -SPACING, corner[1]], [0.0, 0.0, 1.0]])
    matrix = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ north_up
    a, b, e, d, f, g = matrix[:2].ravel().tolist()
    told = {"rasterio": (a, b, e, d, f, g), "matrix": matrix, "gdal": (e, a, b, g, d, f)}[form]
    name = "geotransform" if form == "gdal" else "transform"
    np.savez(tmp_path / "a.npz", dem=HEIGHTS.T[::-1], **{name: np.array(told)})
    same(load_map(tmp_path / "a.npz", FileOptions(rotate=-math.radians(turn))).map)


def test_a_transform_that_may_be_of_other_indices_is_not_guessed(tmp_path):
    np.savez(tmp_path / "a.npz", heights=HEIGHTS, transform=np.array([SPACING, 0.0, 1.0, 0.0, SPACING, 2.0]))
    with pytest.raises(TerrainError, match=r"'transform' does not say which index of heights runs along x; .*spacing"):
        load_map(tmp_path / "a.npz")
    np.savez(
        tmp_path / "b.npz", heights=HEIGHTS, transform=np.array([SPACING, 0.0, 1.0, 0.0, SPACING, 2.0]), spacing=SPACING
    )
    assert load_map(tmp_path / "b.npz").notes[0] == "not read: transform"


@pytest.mark.parametrize("names", [("lat", "lon"), ("Latitude", "Longitude")])
def test_nodes_in_degrees_are_refused_unless_the_spacing_is_told(tmp_path, names):
    """They were left out, and the nodes taken for 5 mm apart."""
    nodes = dict(
        zip(names, (48.0 + 1e-6 * np.arange(len(HEIGHTS)), 11.0 + 1e-6 * np.arange(HEIGHTS.shape[1])), strict=True)
    )
    np.savez(tmp_path / "a.npz", elevation=HEIGHTS, **nodes)
    with pytest.raises(TerrainError, match=rf"the nodes lie at {names[0]} and {names[1]}, which are degrees; project"):
        load_map(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", elevation=HEIGHTS, **nodes, spacing=SPACING)
    assert load_map(tmp_path / "b.npz").map.spacing == pytest.approx(SPACING)


@pytest.mark.parametrize("shape", [(1, 30, 20), (30, 20, 1)])
def test_indices_of_one_value_do_not_count(tmp_path, shape):
    np.save(tmp_path / "a.npy", HEIGHTS.reshape(shape))
    same(load_map(tmp_path / "a.npy", FileOptions(spacing=SPACING, x=ORIGIN[0], y=ORIGIN[1])).map)
    np.savez(tmp_path / "a.npz", heights=HEIGHTS.reshape(shape), spacing=SPACING, origin=ORIGIN)
    same(load_map(tmp_path / "a.npz").map)


def test_records_with_fields_x_y_and_z_are_points(tmp_path):
    kind = [("intensity", "u1"), ("X", ">f8"), ("Z", "f4"), ("Y", "f8")]
    cloud = np.zeros(len(POINTS), kind)
    cloud["X"], cloud["Y"], cloud["Z"] = POINTS.T
    np.save(tmp_path / "a.npy", cloud)
    same(load_map(tmp_path / "a.npy").map)
    np.savez(tmp_path / "a.npz", cloud=cloud)
    same(load_map(tmp_path / "a.npz").map)
    np.save(tmp_path / "b.npy", np.array([(1.0, "a")], dtype=[("x", "f8"), ("name", "U3")]))
    with pytest.raises(TerrainError, match="an array of numbers is needed"):
        load_map(tmp_path / "b.npy")


def test_strips_of_triangles_are_told_as_not_read(tmp_path):
    head = ply_head(
        "ascii", [f"element vertex {len(POINTS)}", "property float x", "property float y", "property float z",
                  "element tristrips 1", "property list int int vertex_indices"],
    )  # fmt: skip
    body = "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in POINTS.tolist()) + "4 0 1 2 3\n"
    (tmp_path / "a.ply").write_bytes(head + body.encode())
    assert load_map(tmp_path / "a.ply").notes[0].startswith("strips of triangles (tristrips) are not read")
