"""Maps of the field in every kind of file: by other libraries written, read cell by cell, gridded and resampled."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
import tifffile
from field_maps import (
    grid_map_message,
    nodes,
    write_all,
    write_asc,
    write_mcap,
    write_ply_cloud,
    write_ply_mesh,
    write_tiff,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.writer import CompressionType
from PIL import Image

from andante.backends.terrain import TerrainChoice
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.files.load import load_map, load_terrain
from andante.terrain.files.options import FileOptions
from andante.terrain.files.save import save_heights
from andante.terrain.height_map import TerrainError

ORIGIN, SPACING = (0.3, -0.2), 0.01
KINDS = ("png", "npz", "ply", "tif", "asc", "mcap", "csv", "matrix")


def hills(x, y):
    """Smooth ground [m]."""
    return 0.05 * np.sin(3.0 * x) + 0.03 * np.cos(4.0 * y)


@pytest.fixture(name="rough", scope="module")
def _rough():
    """Rough ground with small and large holes."""
    rng = np.random.default_rng(1)
    heights = 0.2 * np.cumsum(rng.normal(0.0, 0.01, (90, 50)), axis=0)
    heights[rng.random(heights.shape) < 0.03] = np.nan
    heights[40:50, 20:30] = np.nan
    return heights


@pytest.fixture(name="files", scope="module")
def _files(rough, tmp_path_factory):
    return write_all(tmp_path_factory.mktemp("field"), rough, ORIGIN, SPACING, jitter=0.001)


def same(found, heights, spacing=SPACING, off=2e-6):
    """Whether a map has these heights at these places, unknown ones too."""
    np.testing.assert_allclose(found.heights, heights, atol=off)
    np.testing.assert_allclose(found.origin, ORIGIN, atol=1e-4)
    assert found.spacing == pytest.approx(spacing, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_one_map_is_the_same_in_every_kind_of_file(rough, files, kind):
    path, options = files[kind]
    same(load_map(path, FileOptions(**options)).map, rough)


@pytest.mark.parametrize("kind", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_ply_meshes_of_squares_and_triangles_and_coloured_clouds(rough, tmp_path, kind):
    write_ply_mesh(tmp_path / "mesh.ply", rough, ORIGIN, SPACING, kind)
    found = load_map(tmp_path / "mesh.ply").map
    inner = ~np.isnan(found.heights)
    np.testing.assert_allclose(found.heights[inner], rough[inner], atol=1e-9)
    # A node all of whose squares miss a corner is unknown, too.
    assert np.isnan(found.heights[np.isnan(rough)]).mean() > 0.6
    known = np.isfinite(rough)
    points = np.stack([*nodes(rough.shape, ORIGIN, SPACING), rough], axis=-1)[known]
    write_ply_cloud(tmp_path / "cloud.ply", points, kind, colours=True)
    same(load_map(tmp_path / "cloud.ply").map, rough)


def test_variance_and_basic_layers_come_with_a_grid_map(rough, tmp_path):
    variance, basic = np.full(rough.shape, 4e-6), np.ones(rough.shape)
    variance[5, 6], basic[7, 8] = np.inf, np.nan
    for start, by_columns, packed in (((0, 0), True, "NONE"), ((89, 7), False, "LZ4"), ((3, 49), True, "ZSTD")):
        message = grid_map_message(
            rough, ORIGIN, SPACING, start=start, by_columns=by_columns,
            more={"variance": variance, "sure": basic}, basic=["sure"],
        )  # fmt: skip
        write_mcap(tmp_path / "a.mcap", [("/map", 3, message)], compression=CompressionType[packed])
        found = load_map(tmp_path / "a.mcap").map
        expected = rough.copy()
        expected[5, 6] = expected[7, 8] = np.nan
        same(found, expected)
        np.testing.assert_allclose(found.variance[found.known], 4e-6)


def test_the_newest_message_of_the_topic_counts(rough, tmp_path):
    path = tmp_path / "a.mcap"
    old, new = (grid_map_message(rough + lift, ORIGIN, SPACING) for lift in (0.1, 0.0))
    write_mcap(path, [("/a", 9, new), ("/a", 5, old)], schema="grid_map_msgs/GridMap", chunk=1000)
    found = load_map(path)
    same(found.map, rough)
    assert found.notes == ("the newest of 2 messages of /a",)
    write_mcap(path, [("/a", 9, new), ("/b", 5, old)])
    with pytest.raises(TerrainError, match=r"several topics have such messages; got 2; legal: /a, /b; say topic=NAME"):
        load_map(path)
    same(load_map(path, FileOptions(topic="/b")).map, rough + 0.1)
    with pytest.raises(
        TerrainError, match=r"/a: the map has no such layer; got 'elevaton'; did you mean 'elevation'\?"
    ):
        load_map(path, FileOptions(topic="/a", layer="elevaton"))
    write_mcap(path, [])
    with pytest.raises(TerrainError, match="no message of the type grid_map_msgs/msg/GridMap; limit: /chatter"):
        load_map(path)


def test_a_recording_that_ends_early_gives_what_is_whole(rough, tmp_path):
    message = grid_map_message(rough, ORIGIN, SPACING)
    write_mcap(tmp_path / "a.mcap", [("/a", n, message) for n in range(3)], chunk=1000)
    raw = (tmp_path / "a.mcap").read_bytes()
    (tmp_path / "a.mcap").write_bytes(raw[: len(raw) * 2 // 3])
    found = load_map(tmp_path / "a.mcap")
    same(found.map, rough)
    assert "the MCAP file is not whole: a record is cut short" in found.notes


@pytest.mark.parametrize("packed", [None, "zlib", "lzw", "zstd"])
def test_geotiffs_of_every_kind(rough, tmp_path, packed):
    write_tiff(tmp_path / "a.tif", rough, ORIGIN, SPACING, compression=packed, predictor=packed is not None)
    same(load_map(tmp_path / "a.tif").map, rough)
    write_tiff(tmp_path / "a.tif", rough * 1000.0, ORIGIN, SPACING, dtype=np.int16, nodata=-32768, compression=packed)
    found = load_map(tmp_path / "a.tif", FileOptions(height_scale=0.001)).map
    same(found, np.where(np.isnan(rough), np.nan, np.trunc(rough * 1000.0) / 1000.0))
    write_tiff(
        tmp_path / "a.tiff", rough, ORIGIN, SPACING, tile=(32, 16), bigtiff=True, byteorder=">", compression=packed
    )
    same(load_map(tmp_path / "a.tiff").map, rough)


def test_a_map_in_degrees_and_a_forgotten_nodata_are_named(rough, tmp_path):
    keys = (34735, "H", 8, (1, 1, 0, 1, 1024, 0, 1, 2), True)
    axes = [(33550, "d", 3, (1e-6, 1e-6, 0.0), True), (33922, "d", 6, (0.0, 0.0, 0.0, 7.0, 47.0, 0.0), True)]
    tifffile.imwrite(tmp_path / "a.tif", rough.astype(np.float32), extratags=[keys, *axes])
    with pytest.raises(TerrainError, match="the map is in degrees or geocentric; project it to metres"):
        load_map(tmp_path / "a.tif")
    np.save(tmp_path / "a.npy", np.where(np.isnan(rough), -9999.0, rough))
    with pytest.raises(TerrainError, match=r"heights are out of range; got -9999.0; .* give nodata=NUMBER"):
        load_map(tmp_path / "a.npy")


def test_ascii_grids_by_corner_and_centre_with_commas_and_without_nodata(rough, tmp_path):
    path = tmp_path / "a.asc"
    for corner in (True, False):
        write_asc(path, rough, ORIGIN, SPACING, corner=corner)
        same(load_map(path).map, rough)
    text = path.read_text()
    path.write_text(text.replace(".", ","))
    same(load_map(path).map, rough)
    path.write_text("\n".join(line for line in text.splitlines() if "NODATA" not in line))
    same(load_map(path).map, rough)


def test_units_and_axes_of_one_s_own(rough, tmp_path):
    known = np.isfinite(rough)
    points = np.stack([*nodes(rough.shape, ORIGIN, SPACING), rough], axis=-1)[known]
    write_ply_cloud(tmp_path / "mm.ply", 1000.0 * points)
    same(load_map(tmp_path / "mm.ply", FileOptions(scale=0.001)).map, rough)
    np.savetxt(tmp_path / "cm.csv", 100.0 * rough.T[::-1], delimiter=";")
    raster = FileOptions(height_scale=0.01, rows="raster", spacing=SPACING, x=ORIGIN[0], y=ORIGIN[1])
    same(load_map(tmp_path / "cm.csv", raster).map, rough)
    np.save(tmp_path / "a.npy", rough)
    turned = load_map(tmp_path / "a.npy", FileOptions(spacing=SPACING, rotate=math.pi / 2)).map
    np.testing.assert_array_equal(turned.heights, rough[:, ::-1].T)
    assert turned.origin == pytest.approx((-SPACING * (rough.shape[1] - 1), 0.0))


def test_a_matrix_and_points_are_told_apart_or_asked_for(tmp_path):
    (tmp_path / "a.csv").write_text("1;2;3;4\n1,5;;3;4\n")
    found = load_map(tmp_path / "a.csv", FileOptions(spacing=0.1)).map
    np.testing.assert_array_equal(found.heights, [[1.0, 2.0, 3.0, 4.0], [1.5, np.nan, 3.0, 4.0]])
    rows = "\n".join(f"{i % 10} {i // 10} 0.1 255 255 255" for i in range(200))
    (tmp_path / "b.txt").write_text(rows)
    with pytest.raises(TerrainError, match=r"may be points or a matrix; got '200 rows of 6'; say rows=points"):
        load_map(tmp_path / "b.txt")
    assert load_map(tmp_path / "b.txt", FileOptions(rows="points")).map.heights.shape == (10, 20)
    (tmp_path / "c.txt").write_text("red x y z\n" + "\n".join(f"7 {i % 4} {i // 4} 0.1" for i in range(16)))
    assert (load_map(tmp_path / "c.txt").map.heights == 0.1).all()


@given(
    spacing=st.sampled_from([0.004, 0.01, 0.025]), share=st.floats(0.0, 0.15), seed=st.integers(0, 99),
    x=st.floats(-50.0, 50.0), y=st.floats(-50.0, 50.0), missing=st.floats(0.0, 0.3),
)  # fmt: skip
@settings(max_examples=20, deadline=None)
def test_the_grid_about_which_a_cloud_jitters_is_found(tmp_path_factory, spacing, share, seed, x, y, missing):
    rng = np.random.default_rng(seed)
    at = nodes((40, 30), (x, y), spacing)
    keep = rng.random((40, 30)) >= missing
    keep[[0, 0, -1, -1], [0, -1, 0, -1]] = True
    points = np.stack([*at, rng.normal(0.0, 0.05, (40, 30))], axis=-1)[keep]
    jittered = points + [1.0, 1.0, 0.0] * rng.uniform(-share, share, points.shape) * spacing
    path = tmp_path_factory.mktemp("cloud") / "a.npz"
    path = path.with_suffix(".xyz")
    np.savetxt(path, jittered[rng.permutation(len(points))], fmt="%.9f")
    found = load_map(path).map
    expected = np.full((40, 30), np.nan)
    expected[keep] = points[:, 2]
    assert found.spacing == pytest.approx(spacing, rel=2e-3)
    np.testing.assert_allclose(found.heights, expected, atol=1e-8)
    np.testing.assert_allclose(found.origin, (x, y), atol=0.1 * spacing)


def test_a_cloud_without_order_is_gridded_and_says_how_sure_it_is(tmp_path):
    rng = np.random.default_rng(3)
    places = rng.uniform(0.0, 1.0, (60_000, 2))
    z = hills(*places.T) + rng.normal(0.0, 0.003, len(places))
    z[rng.random(len(z)) < 0.003] += 1.0
    write_ply_cloud(tmp_path / "a.ply", np.column_stack([places, z]))
    found = load_map(tmp_path / "a.ply", FileOptions(spacing=0.02))
    off = np.abs(found.map.heights - hills(*np.meshgrid(found.map.x, found.map.y, indexing="ij")))
    assert np.nanmax(off) < 0.008
    assert found.map.known.mean() > 0.99
    # Cells have 24 points: the median of so many normal values has 1.25 / sqrt(24) of their deviation.
    inner = found.map.variance[1:-1, 1:-1]
    assert math.sqrt(np.nanmedian(inner)) == pytest.approx(0.003 * 1.25 / math.sqrt(24.0), rel=0.3)
    assert "outliers of their cell" in " ".join(found.notes)


def test_turned_grids_are_resampled(tmp_path):
    angle, shape = 0.4, (80, 60)
    c, s = math.cos(angle), math.sin(angle)
    x, y = nodes(shape, (0.0, 0.0), SPACING)
    middle = np.array([x[-1, 0], y[0, -1]]) / 2.0
    u, v = x - middle[0], y - middle[1]
    heights = hills(middle[0] + c * u - s * v, middle[1] + s * u + c * v)
    write_mcap(tmp_path / "a.mcap", [("/a", 1, grid_map_message(heights, (0.0, 0.0), SPACING, yaw=angle))])
    found = load_map(tmp_path / "a.mcap")
    truth = hills(*np.meshgrid(found.map.x, found.map.y, indexing="ij"))
    assert np.nanmax(np.abs(found.map.heights - truth)) < 1e-3
    assert 0.4 < found.map.known.mean() < 0.8
    assert found.notes == ("resampled to 10 mm along x and y",)
    message = grid_map_message(heights, (0.0, 0.0), SPACING)
    message["info"]["pose"]["orientation"] = {"x": 0.1, "y": 0.0, "z": 0.0, "w": 0.99}
    write_mcap(tmp_path / "b.mcap", [("/a", 1, message)])
    with pytest.raises(TerrainError, match="the map leans"):
        load_map(tmp_path / "b.mcap")


def test_a_variance_below_zero_is_refused_by_its_cell(rough, tmp_path):
    variance = np.full(rough.shape, 1e-6)
    i, j = np.argwhere(np.isfinite(rough))[70]
    variance[i, j] = -1e-6
    np.savez(tmp_path / "a.npz", heights=rough, origin=ORIGIN, spacing=SPACING, variance=variance)
    write_mcap(tmp_path / "a.mcap", [("/a", 1, grid_map_message(rough, ORIGIN, SPACING, more={"variance": variance}))])
    for name in ("a.npz", "a.mcap"):
        with pytest.raises(TerrainError, match=rf"node \({i}, {j}\) .*variance of a height .*\(1 are not\); got -"):
            load_map(tmp_path / name)


def test_a_world_stands_on_what_was_chosen_below_unknown_cells(rough, tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, heights=rough, origin=ORIGIN, spacing=SPACING)
    for holes in ("nearest", "lowest"):
        terrain = load_terrain(path, FileOptions(holes=holes))
        assert np.isnan(terrain.map.heights).sum() == np.isnan(rough).sum()
        assert "are unknown; the simulated ground has the" in terrain.notes[-1]
    assert terrain.heights.heights[45, 25] == np.nanmin(rough)
    with pytest.raises(TerrainError, match=r"a.npz: node .* has \d+ holes of 4500 nodes"):
        TerrainChoice(file=str(path), holes="refuse").load()
    np.savez(path, heights=np.full((9, 9), np.nan), spacing=SPACING)
    with pytest.raises(TerrainError, match=r"a map of holes only"):
        load_terrain(path)


def test_options_that_mean_nothing_are_refused(rough, files):
    with pytest.raises(TerrainError, match=r"field.tif: the option topic means nothing to a file .tif; got '/a'"):
        load_map(files["tif"][0], FileOptions(topic="/a"))
    with pytest.raises(TerrainError, match="the option low means nothing"):
        load_map(files["asc"][0], FileOptions(low=-1.0))
    with pytest.raises(Exception, match="the option holes means nothing to a board"):
        TerrainChoice(board="rocks", holes="lowest")


def test_what_is_saved_keeps_unknown_cells_and_variance(rough, tmp_path):
    variance = np.where(np.isnan(rough), np.nan, 1e-6)
    found = ElevationMap(rough, ORIGIN, SPACING, variance)
    save_heights(tmp_path / "a.npz", found)
    again = load_map(tmp_path / "a.npz").map
    np.testing.assert_array_equal(again.heights, found.heights)
    np.testing.assert_array_equal(again.variance, found.variance)


@pytest.mark.slow
@given(st.sampled_from(KINDS), st.data())
@settings(max_examples=150, deadline=None)
def test_damaged_files_are_read_or_refused_with_one_message(files, tmp_path_factory, kind, data):
    path, options = files[kind]
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.one_of(st.integers(0, min(len(raw), 400) - 1), st.integers(0, len(raw) - 1)))
        raw[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    if data.draw(st.booleans()):
        raw = raw[: data.draw(st.integers(1, len(raw)))]
    damaged = tmp_path_factory.mktemp("damaged") / f"a{path.suffix}"
    damaged.write_bytes(bytes(raw))
    with contextlib.suppress(TerrainError):
        load_terrain(damaged, FileOptions(**options))


@pytest.mark.parametrize("names", [("elevation", "resolution"), ("Height", "cell_size"), ("grid", "spacing")])
def test_arrays_are_found_by_what_programs_call_them(rough, tmp_path, names):
    path = tmp_path / "a.npz"
    np.savez(path, **{names[0]: rough, names[1]: SPACING}, origin=np.array([*ORIGIN, 0.7]), mask=np.ones(3))
    found = load_map(path)
    same(found.map, rough)
    assert found.notes == (f"the array '{names[0]}' has the heights", "not read: mask")


def test_an_archive_may_say_x_and_y_of_its_nodes_and_arrays_of_three_columns_are_points(rough, tmp_path):
    x, y = nodes(rough.shape, ORIGIN, SPACING)
    for axes in (
        {"x": x[:, 0], "y": y[0], "z": rough},
        {"X": x.T, "Y": y.T, "Z": rough.T},
        {"x": x, "y": y, "z": rough},
    ):
        np.savez(tmp_path / "a.npz", **axes)
        same(load_map(tmp_path / "a.npz").map, rough)
    # numpy.meshgrid gives a row for each y.
    np.savez(tmp_path / "a.npz", x=x[:, 0], y=y[0], z=rough.T)
    same(load_map(tmp_path / "a.npz").map, rough)
    np.savez(tmp_path / "a.npz", x=x[:, 0] ** 2, y=y[0], z=rough)
    with pytest.raises(TerrainError, match="x and y of the nodes are not evenly spaced"):
        load_map(tmp_path / "a.npz")
    points = np.stack([x, y, rough], axis=-1).reshape(-1, 3)
    np.save(tmp_path / "a.npy", points)
    found = load_map(tmp_path / "a.npy")
    same(found.map, rough)
    assert "points x, y, z" in found.notes[0]


def test_columns_count_by_their_names_and_pivot_tables_have_coordinates_at_their_edges(rough, tmp_path):
    x, y = nodes(rough.shape, ORIGIN, SPACING)
    path, rows = tmp_path / "a.csv", np.stack([x, y, rough], axis=-1).reshape(-1, 3).tolist()
    path.write_text("Elevation [m],field.x,field.y,i\n" + "".join(f"{c!r},{a!r},{b!r},7\n" for a, b, c in rows))
    same(load_map(path).map, rough)
    lines = [["", *y[0]], *([x[i, 0], *rough[i]] for i in range(len(rough)))]
    path.write_text("\n".join(",".join(str(each) for each in line) for line in lines))
    found = load_map(path)
    same(found.map, rough)
    assert found.notes == ("the first column has x and the first row y of the nodes",)
    lines = [["", *x[:, 0]], *([y[0, j], *rough[:, j]] for j in range(len(y[0])))]
    path.write_text("\n".join(",".join(str(each) for each in line) for line in lines))
    same(load_map(path, FileOptions(rows="raster")).map, rough)


def test_clouds_with_their_number_of_points_ahead_and_names_behind_strokes(rough, tmp_path):
    points = np.stack([*nodes(rough.shape, ORIGIN, SPACING), rough], axis=-1).reshape(-1, 3).tolist()
    path, rows = tmp_path / "a.txt", "".join(f"{a!r} {b!r} {c!r} 9\n" for a, b, c in points)
    path.write_text(f"//X Y Z Intensity\n{len(points)}\n{rows}")
    same(load_map(path).map, rough)
    path.write_text(f"//X Y Z Intensity\n{len(points) + 1}\n{rows}")
    with pytest.raises(TerrainError, match="the first row is another number than that of the rows"):
        load_map(path)


def test_pages_are_bands_and_units_of_heights_are_gdals(rough, tmp_path):
    path, raster = tmp_path / "a.tif", rough.T[::-1].astype(np.float32)
    note = '<GDALMetadata><Item name="UNITTYPE" sample="0" role="unittype">cm</Item></GDALMetadata>'
    corner = (ORIGIN[0] - 0.5 * SPACING, ORIGIN[1] + (rough.shape[1] - 0.5) * SPACING)
    tags = [
        (33550, "d", 3, (SPACING, SPACING, 0.0), True),
        (33922, "d", 6, (0.0, 0.0, 0.0, *corner, 0.0), True),
        (42112, "s", 0, note, True),
    ]
    with tifffile.TiffWriter(path) as file:
        file.write(np.zeros_like(raster), extratags=tags, photometric="minisblack")
        file.write(100.0 * raster, photometric="minisblack")
    assert "the first of 2 bands" in load_map(path).notes[0]
    same(load_map(path, FileOptions(layer="2")).map, rough, off=1e-5)
    with pytest.raises(TerrainError, match="no such band; got '3'; limit: 1 to 2"):
        load_map(path, FileOptions(layer="3"))


def test_pictures_by_a_table_of_greys_are_read_and_coloured_ones_are_told(tmp_path):
    grey = np.arange(48, dtype=np.uint8).reshape(6, 8)
    Image.fromarray(grey).save(tmp_path / "grey.png")
    Image.fromarray(grey).convert("P").save(tmp_path / "table.png")
    np.testing.assert_array_equal(
        load_map(tmp_path / "table.png").map.heights, load_map(tmp_path / "grey.png").map.heights
    )
    Image.fromarray(np.stack([grey, grey[::-1], grey], axis=-1)).save(tmp_path / "colour.png")
    assert "first channel alone" in load_map(tmp_path / "colour.png").notes[0]
