"""Maps whose numbers are no metres: degrees without a word of it, millimetres, Web Mercator, rows and columns."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tifffile
from field_maps import nodes, write_asc

from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

X, Y = nodes((30, 20), (0.0, 0.0), 0.02)
HEIGHTS = 0.1 * np.sin(3.0 * X) + 0.05 * Y


@pytest.mark.parametrize("seconds", [1.0, 3.0])
@pytest.mark.parametrize("steep", [0.0, 2.0])
def test_a_map_of_arc_seconds_that_says_no_unit_is_refused_however_level(tmp_path, seconds, steep):
    ground = 400.0 + np.round(np.cumsum(np.random.default_rng(3).normal(0.0, steep, (30, 20)), axis=0))
    write_asc(tmp_path / "srtm.asc", ground, (11.0, 48.0), seconds / 3600.0)
    with pytest.raises(
        TerrainError, match=rf"the map are {seconds:.0f} / 3600 apart, as .* in arc seconds; .*project it"
    ):
        load_map(tmp_path / "srtm.asc")
    found = load_map(tmp_path / "srtm.asc", FileOptions(scale=111e3, height_scale=1.0 / 111e3))
    assert found.map.spacing == pytest.approx(seconds * 111.0 / 3.6)


def test_a_finer_map_of_the_globe_is_known_by_its_slopes(tmp_path):
    """Nodes 0.0005 degrees apart, some 50 m."""
    ground = 400.0 + np.cumsum(np.random.default_rng(3).normal(0.0, 2.0, (30, 20)), axis=0)
    write_asc(tmp_path / "dem.asc", ground, (11.0, 48.0), 0.0005)
    with pytest.raises(TerrainError, match=r"of another unit than the places; .*a map in degrees has to be projected"):
        load_map(tmp_path / "dem.asc")


def test_heights_in_millimetres_over_rough_places_in_metres_are_refused_and_walls_are_not(tmp_path):
    rng = np.random.default_rng(1)
    rough = HEIGHTS + rng.normal(0.0, 0.02, HEIGHTS.shape)
    np.savez(tmp_path / "mm.npz", heights=1e3 * rough, spacing=0.02)
    with pytest.raises(TerrainError, match=r"of another unit than the places; got \d+; .*say height_scale"):
        load_map(tmp_path / "mm.npz")
    found = load_map(tmp_path / "mm.npz", FileOptions(height_scale=0.001)).map
    np.testing.assert_allclose(found.heights, rough, atol=1e-12)
    # Walls of a metre on level ground, noise of 2 cm on nodes of 1 mm: nothing of it is another unit.
    walls = np.where(np.arange(60)[:, None] // 5 % 2, 1.0, 0.0) + np.zeros((60, 40))
    grounds = {"walls": walls, "noise": rng.normal(0.0, 0.02, (60, 40)), "level": np.full((9, 9), 0.3)}
    for name, heights in grounds.items():
        np.savez(tmp_path / f"{name}.npz", heights=heights, spacing=0.001)
        assert load_map(tmp_path / f"{name}.npz").map.known.all()


def test_nodes_farther_apart_than_a_foot_needs_are_told(tmp_path):
    np.savetxt(tmp_path / "mm.xyz", 1e3 * np.stack([X, Y, HEIGHTS], axis=-1).reshape(-1, 3))
    told = load_map(tmp_path / "mm.xyz").notes[-1]
    assert told == "nodes are 20 m apart, which tells no foot where to stand: scale=0.001 if the file is in mm"
    assert load_map(tmp_path / "mm.xyz", FileOptions(scale=0.001)).notes == ()


@pytest.mark.parametrize("north", [0.0, 3e6, -6.5e6])
def test_web_mercator_tells_by_how_much_it_stretches(tmp_path, north):
    tags = [
        (33550, "d", 3, (0.02, 0.02, 0.0), True),
        (33922, "d", 6, (0.0, 0.0, 0.0, 1e6, north, 0.0), True),
        (34735, "H", 12, (1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 3857), True),
    ]
    tifffile.imwrite(tmp_path / "web.tif", HEIGHTS.T[::-1].astype(np.float32), extratags=tags)
    notes = [note for note in load_map(tmp_path / "web.tif").notes if "Web Mercator" in note]
    latitude = 2.0 * math.atan(math.exp(north / 6378137.0)) - 0.5 * math.pi
    if north == 0.0:
        assert notes == []
    else:
        assert f"are {1.0 / math.cos(latitude):.3f} times those on the ground" in notes[0]


@pytest.mark.parametrize("head", ["lon,lat,alt", "Latitude,Longitude,Height"])
def test_places_by_longitude_and_latitude_are_refused_by_their_names(tmp_path, head):
    rows = [
        f"{11 + 0.05 * x:.6f},{48 + 0.05 * y:.6f},{z:.4f}" for x, y, z in zip(X.flat, Y.flat, HEIGHTS.flat, strict=True)
    ]
    (tmp_path / "a.csv").write_text("\n".join([head, *rows]))
    with pytest.raises(TerrainError, match=r"the places are in degrees; got 'l\w+, l\w+'; project them to metres"):
        load_map(tmp_path / "a.csv")


@pytest.mark.parametrize(("head", "first"), [("row,col,height", 0), ("i;j;z", 1), ("column,row,height_mm", 0)])
def test_rows_and_columns_are_nodes_and_no_metres(tmp_path, head, first):
    mark, known = ";" if ";" in head else ",", np.ones(HEIGHTS.shape, dtype=bool)
    known[3:6, 4] = False
    lines = [head]
    for i, j in np.argwhere(known).tolist():
        place = (j + first, i + first) if head.startswith("column") else (i + first, j + first)
        lines.append(mark.join(map(str, (*place, HEIGHTS[i, j] * (1000.0 if head.endswith("mm") else 1.0)))))
    (tmp_path / "a.csv").write_text("\n".join(lines))
    found = load_map(tmp_path / "a.csv", FileOptions(spacing=0.02))
    np.testing.assert_allclose(found.map.heights, np.where(known, HEIGHTS, np.nan), atol=1e-12)
    assert found.map.spacing == 0.02
    told = "rows and columns count nodes, rows along x as in a matrix; rows=raster: down as in an image"
    assert found.notes == (told,)
    image = load_map(tmp_path / "a.csv", FileOptions(spacing=0.02, rows="raster")).map
    np.testing.assert_allclose(image.heights, np.where(known, HEIGHTS, np.nan)[::-1].T, atol=1e-12)
    assert "5 mm; spacing=LENGTH says it" in load_map(tmp_path / "a.csv").notes[-1]


@pytest.mark.parametrize(
    ("rows", "told"),
    [("0,0.5,1\n1,1,2\n", "rows and columns are whole numbers"), ("0,0,1\n0,0,2\n1,1,3\n", "a node stands twice")],
)
def test_rows_and_columns_that_make_no_grid_are_named(tmp_path, rows, told):
    (tmp_path / "a.csv").write_text("row,col,height\n" + rows)
    with pytest.raises(TerrainError, match=told):
        load_map(tmp_path / "a.csv")
