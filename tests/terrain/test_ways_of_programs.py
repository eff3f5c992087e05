"""What programs write that the description of a format does not show first: one map, the same from all of them."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import tifffile
from field_maps import grid_map_message, nodes, write_mcap
from PIL import Image

from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

ORIGIN, SPACING, SHAPE = (1.0, 2.0), 0.05, (31, 21)


@pytest.fixture(name="rough", scope="module")
def _rough():
    return np.round(np.random.default_rng(4).uniform(0.0, 0.1, SHAPE), 6)


@pytest.fixture(name="points", scope="module")
def _points(rough):
    x, y = nodes(SHAPE, ORIGIN, SPACING)
    return np.round(np.stack([x, y, rough], axis=-1).reshape(-1, 3), 6)


def read(folder, name, content, **options):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_map(path, FileOptions(**options))


def same(found, rough):
    np.testing.assert_allclose(found.map.heights, rough, atol=1e-9)
    np.testing.assert_allclose(found.map.origin, ORIGIN, atol=1e-9)
    assert found.map.spacing == pytest.approx(SPACING)


def table(points, divide=",", mark=".", quote=""):
    return (
        "\n".join(divide.join(f"{quote}{value!r}{quote}".replace(".", mark) for value in row) for row in points) + "\n"
    )


def quads():
    number = np.arange(SHAPE[0] * SHAPE[1]).reshape(SHAPE)
    return np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)


@pytest.mark.parametrize("head", ["", "x,y,z\n"])
def test_decimal_commas_between_quotes_divide_nothing(rough, points, tmp_path, head):
    same(read(tmp_path, "a.csv", head + table(points.tolist(), mark=",", quote='"')), rough)
    grid = table(rough.tolist(), mark=",", quote='"')
    same(read(tmp_path, "b.csv", grid, spacing=SPACING, x=ORIGIN[0], y=ORIGIN[1]), rough)


def test_columns_are_found_by_the_names_of_paraview_and_else_told(rough, points, tmp_path):
    rows = table(np.column_stack([points[:, 2], points]).tolist())
    for head in ('"elevation_1","Points:0","Points:1","Points:2"', "d,Points_0,Points_1,Points_2"):
        same(read(tmp_path, "a.csv", f"{head}\n{rows}"), rough)
    other = read(
        tmp_path, "b.csv", "u,v,w,q\n" + table(np.column_stack([points, points[:, 0]]).tolist()), rows="points"
    )
    same(other, rough)
    assert other.notes == ("x, y and z are the columns u, v, w",)


@pytest.mark.parametrize(
    ("head", "order", "factor"),
    [("northing,easting,elev", (1, 0, 2), 1.0), ("ground,y,x", (2, 1, 0), 1.0), ("N,E,Z", (1, 0, 2), 1.0),
     ("pos_z,pos_x,pos_y", (2, 0, 1), 1.0), ("Z_MM,X_MM,Y_MM", (2, 0, 1), 1e3), ("elevation_m,x_m,y_m", (2, 0, 1), 1.0),
     ("x,y,z,normal_x,normal_y,normal_z", (0, 1, 2, 2, 2, 2), 1.0)],
)  # fmt: skip
def test_columns_in_any_order_are_told_by_their_names_and_units(rough, points, tmp_path, head, order, factor):
    path = tmp_path / "a.csv"
    # Where a column of the table stands in x, y, z.
    places = [order.index(axis) for axis in range(3)]
    table = np.zeros((len(points), len(order)))
    table[:, places] = points * factor
    np.savetxt(path, table, fmt="%.17g", delimiter=",", header=head, comments="")
    found = load_map(path).map
    assert found.heights == pytest.approx(rough, nan_ok=True)
    assert found.origin == pytest.approx(tuple(points[:, :2].min(axis=0)))


def test_units_in_the_names_of_columns_count_unless_a_scale_is_given(rough, points, tmp_path):
    text = "X [mm],Y [mm],Z [mm]\n" + table((points * 1000.0).tolist())
    found = read(tmp_path, "a.csv", text)
    same(found, rough)
    assert found.notes == ("the columns x, y, z are in units of 0.001 m, 0.001 m, 0.001 m",)
    same(read(tmp_path, "a.csv", text, scale=0.001), rough)
    tall = "X (m);Y (m);Z (cm)\n" + table((points * (1.0, 1.0, 100.0)).tolist(), divide=";")
    same(read(tmp_path, "b.csv", tall), rough)


def test_tables_of_excel_in_utf_16_are_read(rough, points, tmp_path):
    same(read(tmp_path, "a.txt", ("x\ty\tz\r\n" + table(points.tolist(), "\t")).encode("utf-16")), rough)


def test_comments_of_a_ply_in_any_language_end_where_their_line_ends(rough, points, tmp_path):
    # "\u0445" and "\u00c5" have the byte 0x85 in UTF-8, which ends a line of text in other encodings.
    head = "ply\nformat ascii 1.0\ncomment \u0432\u044b\u0445\u043e\u0434 \u00c5\nelement vertex 651\n"
    head += "".join(f"property double {axis}\n" for axis in "xyz") + "end_header\n"
    same(read(tmp_path, "a.ply", head + table(points.tolist(), " ")), rough)


def test_points_of_a_ply_that_are_infinite_were_not_measured(rough, points, tmp_path):
    spoilt = points.copy()
    spoilt[5, 0], spoilt[40, 2] = np.inf, -np.inf
    head = "ply\nformat binary_little_endian 1.0\nelement vertex 651\n"
    head += "".join(f"property double {axis}\n" for axis in "xyz") + "end_header\n"
    found = read(tmp_path, "a.ply", head.encode() + spoilt.astype("<f8").tobytes()).map
    known = np.ones(SHAPE, dtype=bool)
    known.ravel()[[5, 40]] = False
    np.testing.assert_array_equal(found.known, known)
    np.testing.assert_allclose(found.heights[known], rough[known])


def test_long_lines_of_an_obj_go_on_and_paths_in_comments_do_not(rough, points, tmp_path):
    corners = "".join(f"v {a} {b} {c}\n" for a, b, c in points.tolist())
    faces = "".join("f {} {} \\\n {}\\\r\n {}\n".format(*row) for row in (quads() + 1).tolist())
    same(read(tmp_path, "a.obj", "# saved to C:\\maps\\\n" + corners + faces), rough)
    with pytest.raises(TerrainError, match=r"no faces; points alone are read from"):
        read(tmp_path, "b.obj", corners)


def test_an_stl_may_be_written_in_capitals(rough, points, tmp_path):
    sides = points[quads()[:, [0, 1, 2, 0, 2, 3]]].reshape(-1, 3, 3).tolist()
    facets = ("".join(f"  VERTEX {a} {b} {c}\n" for a, b, c in each) for each in sides)
    text = "".join(f"FACET NORMAL 0 0 1\n OUTER LOOP\n{each} ENDLOOP\nENDFACET\n" for each in facets)
    same(read(tmp_path, "a.stl", f"SOLID A\n{text}ENDSOLID A\n"), rough)


@pytest.mark.parametrize("word", ["null", "*", "1.#QNAN", "NODATA"])
def test_a_word_may_say_unknown_in_an_ascii_grid(rough, tmp_path, word):
    rows = [[repr(value) for value in row] for row in rough.T[::-1].tolist()]
    rows[2][4] = rows[-1][0] = word
    head = f"ncols 31\nnrows 21\nxllcenter 1\nyllcenter 2\ncellsize 0.05\nNODATA_value {word}\n"
    found = read(tmp_path, "a.asc", head + "\n".join(" ".join(row) for row in rows))
    expected = rough.copy()
    expected[4, 18] = expected[0, 0] = np.nan
    same(found, expected)


def test_arrays_say_both_spacings_and_the_first_node_in_more_ways(rough, tmp_path):
    wide = rough[:, ::2]
    np.savez(tmp_path / "a.npz", z=wide, dx=SPACING, dy=2.0 * SPACING, xmin=1.0, ymin=2.0)
    found = load_map(tmp_path / "a.npz")
    assert found.map.extent == pytest.approx((1.0, 2.5, 2.0, 3.0))
    np.testing.assert_allclose(found.map.heights[:, ::2], wide, atol=1e-9)
    np.savez(tmp_path / "b.npz", height=rough, xs=1.0 + SPACING * np.arange(31), ys=2.0 + SPACING * np.arange(21))
    same(load_map(tmp_path / "b.npz"), rough)
    np.savez(tmp_path / "c.npz", z=wide, dx=SPACING, dy=-SPACING)
    with pytest.raises(TerrainError, match="spacing of a height map must be above zero"):
        load_map(tmp_path / "c.npz")


def test_a_pgm_has_comments_anywhere_in_its_head(tmp_path):
    grey = np.arange(48, dtype=np.uint8).reshape(6, 8)
    plain = read(tmp_path, "a.pgm", b"P5 8 6 255\n" + grey.tobytes()).map.heights
    head = b"P5 # a\n# b\n8 # width\n6\n# c\n#\n255\n"
    np.testing.assert_array_equal(read(tmp_path, "b.pgm", head + grey.tobytes()).map.heights, plain)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_line_that_is_wrong_is_named_whatever_ends_lines(tmp_path, end):
    for name, lines in (("a.csv", ["0,0,1", "0,1,1", "0,q,1"]), ("a.obj", ["v 0 0 1", "v 0 1 1", "f 1 2 9"])):
        with pytest.raises(TerrainError, match=rf"{name}:3: "):
            read(tmp_path, name, end.join(lines) + end)


def test_an_occupancy_grid_of_map_server_is_no_map_of_heights(tmp_path):
    grey = np.full((6, 9), 254, np.uint8)
    grey[:, :3], grey[2] = 205, 0
    Image.fromarray(grey).save(tmp_path / "map.pgm")
    Image.fromarray(grey).save(tmp_path / "map.png")
    (tmp_path / "map.yaml").write_text("image: map.pgm\nresolution: 0.05\n")
    for name in ("map.pgm", "map.png"):
        with pytest.raises(TerrainError, match=r"where walls are and not how high.*low=30cm high=0 nodata=205"):
            load_map(tmp_path / name)
        # Black is low ground for whoever says so.
        assert load_map(tmp_path / name, FileOptions(high=0.255)).map.heights.max() == pytest.approx(0.254)
        # As the refusal says: black is as high as walls, and grey is not known.
        walls = load_map(tmp_path / name, FileOptions(low=0.3, high=0.0, nodata=205, spacing=0.05)).map
        assert np.nanmax(walls.heights) == 0.3
        assert np.nanmin(walls.heights) == pytest.approx(0.0, abs=0.002)
        assert (~walls.known).sum() == (grey == 205).sum()
    with pytest.raises(TerrainError, match="where walls are and not how high"):
        load_map(tmp_path / "map.yaml")


def test_a_geotiff_in_colours_is_told(tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", np.zeros((5, 4, 3), np.uint8), photometric="rgb")
    assert any("the image is in colours" in note for note in load_map(tmp_path / "a.tif").notes)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("lengths", [(0, 1, 2), (2,)])
def test_points_of_a_ply_may_have_lists_beside_their_coordinates(tmp_path, binary, lengths):
    i, j = np.indices((5, 4))
    points = np.stack([i.ravel(), j.ravel(), 0.01 * i.ravel()], axis=-1).astype(np.float32)
    rows = [(k, point, list(range(lengths[k % len(lengths)]))) for k, point in enumerate(points.tolist())]
    head = f"ply\nformat {'binary_big_endian' if binary else 'ascii'} 1.0\nelement vertex {len(points)}\n"
    head += "property uchar id\nproperty float x\nproperty list uchar short seen\nproperty float y\nproperty double z\n"
    body = b"".join(
        struct.pack(f">BfB{len(seen)}hfd", k, x, len(seen), *seen, y, z)
        if binary
        else f"{k} {x!r} {len(seen)} {' '.join(map(str, seen))} {y!r} {z!r}\n".encode()
        for k, (x, y, z), seen in rows
    )
    (tmp_path / "a.ply").write_bytes((head + "end_header\n").encode() + body)
    found = load_map(tmp_path / "a.ply").map
    assert found.spacing == 1.0
    assert found.heights == pytest.approx(0.01 * i, abs=1e-8)


def test_a_variance_that_nobody_filled_does_not_count_and_what_one_hides_is_counted(rough, tmp_path):
    empty, part = np.full(SHAPE, np.nan), np.full(SHAPE, 1e-6)
    part[:2, 0] = np.nan, np.inf
    write_mcap(tmp_path / "a.mcap", [("/map", 1, grid_map_message(rough, ORIGIN, SPACING, more={"variance": empty}))])
    np.savez(tmp_path / "a.npz", heights=rough, spacing=SPACING, variance=empty)
    for name in ("a.mcap", "a.npz"):
        found = load_map(tmp_path / name)
        assert found.map.known.all()
        assert found.map.variance is None
        assert found.notes == ("the variance is a number nowhere: it does not count",)
    # Infinite is another word: nobody knows it.
    np.savez(tmp_path / "b.npz", heights=rough, spacing=SPACING, variance=np.full(SHAPE, np.inf))
    assert not load_map(tmp_path / "b.npz").map.known.any()
    np.savez(tmp_path / "b.npz", heights=rough, spacing=SPACING, variance=part)
    found = load_map(tmp_path / "b.npz")
    assert int((~found.map.known).sum()) == 2
    assert found.notes == ("2 heights whose variance is not finite are unknown",)


def test_the_only_layer_of_a_grid_map_has_the_heights_and_of_several_one_is_asked_for(rough, tmp_path):
    path = tmp_path / "a.mcap"
    write_mcap(path, [("/map", 1, grid_map_message(rough, ORIGIN, SPACING, name="ground"))])
    found = load_map(path)
    assert found.map.heights == pytest.approx(rough, abs=1e-7)
    assert found.notes == ("the only layer 'ground' has the heights",)
    write_mcap(path, [("/map", 1, grid_map_message(rough, ORIGIN, SPACING, name="ground", more={"slope": rough}))])
    with pytest.raises(TerrainError, match=r"no such layer.*ground, slope.*say layer=NAME"):
        load_map(path)
    with pytest.raises(TerrainError, match=r"no such layer; got 'elevation'"):
        load_map(path, FileOptions(layer="elevation"))
