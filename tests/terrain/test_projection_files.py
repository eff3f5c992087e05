"""Units of grids and images that say none, by the projection file beside them."""

from __future__ import annotations

import numpy as np
import pytest
from field_maps import write_asc
from PIL import Image

from andante.backends.terrain import TerrainChoice
from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

FOOT = 1200.0 / 3937.0
HEIGHTS = np.round(np.random.default_rng(3).uniform(0.0, 0.1, (12, 8)), 6)
GLOBE = 'GEOGCS["GCS_WGS_1984",DATUM["D",SPHEROID["S",6378137.0,298.2]],UNIT["Degree",0.0174532925199433]]'
PLANE = 'PROJCS["NAD_1983_Feet",' + GLOBE + ',PROJECTION["Lambert"],UNIT["Foot_US",0.3048006096012192]]'
BOTH = PLANE + ',VERTCS["NAVD_1988",VDATUM["N"],UNIT["Meter",1.0]]'


def write(folder, told):
    write_asc(folder / "field.asc", HEIGHTS, (1.0, 2.0), 0.1)
    (folder / "field.prj").write_text(told)
    return folder / "field.asc"


@pytest.mark.parametrize(
    ("told", "level", "high"),
    [
        (BOTH, FOOT, 1.0),
        ("Projection STATEPLANE\r\nZone 3104\r\nUnits FEET\r\nZunits METERS\r\nParameters\r\n", FOOT, 1.0),
        ("Projection    UTM\nZunits        FEET\nUnits         METERS\n", 1.0, FOOT),
        ("Projection    UTM\nZunits        NO\nUnits         METERS\n", 1.0, 1.0),
    ],
)
def test_a_grid_is_in_the_units_that_are_told_beside_it(tmp_path, told, level, high):
    found = load_map(write(tmp_path, told))
    assert found.map.spacing == pytest.approx(0.1 * level)
    assert found.map.origin == pytest.approx((level, 2.0 * level))
    np.testing.assert_allclose(found.map.heights, HEIGHTS * high, atol=1e-9)
    assert len(found.notes) == (1 if level != high else 0)


def test_a_unit_of_heights_that_is_not_told_is_asked_for(tmp_path):
    path = write(tmp_path, PLANE)
    with pytest.raises(
        TerrainError, match=r"field\.prj: a unit of x and y is 0\.3048006 m, of heights the file says no"
    ):
        load_map(path)
    np.testing.assert_allclose(load_map(path, FileOptions(height_scale=FOOT)).map.heights, HEIGHTS * FOOT, atol=1e-9)


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (GLOBE, r"field\.prj: the map is in degrees"),
        ("Units DD", r"field\.prj: the map is in degrees; got 'DD'"),
        ("Units FATHOMS", r"the map's unit of length is not known; got 'FATHOMS'"),
    ],
)
def test_degrees_and_other_units_are_refused_and_a_scale_that_is_given_goes_before(tmp_path, told, says):
    path = write(tmp_path, told)
    with pytest.raises(TerrainError, match=says):
        load_map(path)
    found = load_map(path, FileOptions(scale=0.5))
    assert found.map.spacing == pytest.approx(0.05)
    assert "the scale that is given counts, and not field.prj" in found.notes


def test_an_image_with_a_world_file_has_one_too_and_keeps_its_heights(tmp_path):
    Image.fromarray(np.arange(96, dtype=np.uint8).reshape(8, 12)).save(tmp_path / "a.png")
    (tmp_path / "a.pgw").write_text("0.1\n0\n0\n-0.1\n1.0\n2.0\n")
    before = load_map(tmp_path / "a.png").map
    (tmp_path / "a.prj").write_text(PLANE)
    after = load_map(tmp_path / "a.png").map
    assert after.spacing == pytest.approx(before.spacing * FOOT)
    np.testing.assert_array_equal(after.heights, before.heights)


def test_a_terrain_is_read_anew_where_only_its_projection_file_changed(tmp_path):
    path = write(tmp_path, "Units METERS")
    choice = TerrainChoice(file=str(path), height_scale=1.0)
    assert choice.load().heights.spacing == pytest.approx(0.1)
    (tmp_path / "field.prj").write_text("Units FEET ")
    assert choice.load().heights.spacing == pytest.approx(0.1 * FOOT)
