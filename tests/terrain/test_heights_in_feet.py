"""Heights of GeoTIFFs in feet: told by keys, names or texts they are feet; where nothing tells it nobody guesses."""

from __future__ import annotations

import numpy as np
import pytest
import tifffile
from test_unknown_in_files import METRES, ORIGIN, SPACING, axes, same

from andante.backends.terrain import TerrainChoice
from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

SURVEY_FOOT, FOOT = 1200.0 / 3937.0, 0.3048
PROJECTED = (1024, 0, 1, 1)
ESRI = (
    'ESRI PE String = PROJCS["NAD_1983_Feet",GEOGCS["G",UNIT["Degree",0.0174532925199433]],UNIT["Foot_US",'
    '0.3048006096012192]]{},VERTCS["NAVD88",VDATUM["N"],PARAMETER["Direction",1.0],UNIT["Foot_US",0.3048006096012192]]|'
)


@pytest.fixture(name="rough", scope="module")
def _rough():
    return np.random.default_rng(2).uniform(0.0, 0.1, (30, 20))


def write(path, rough, keys, *, text="", level=1.0, high=1.0, metadata=""):
    """A GeoTIFF whose places and heights are in units of so many metres."""
    tags = axes(SPACING / level, keys, metadata=metadata)
    if text:
        tags.append((34737, "s", 0, text, True))
    tifffile.imwrite(path, (rough.T[::-1] / high).astype(np.float32), extratags=tags, photometric="minisblack")
    return path


def cited(key, text):
    """A key whose value is a text."""
    return (key, 34737, len(text), 0)


NAMED = "NAD83 / UTM zone 10N + NAVD88 height (ft)|"
OWN = "NAVD88 height (ftUS)|"
FEET = [
    ([PROJECTED, (3076, 0, 1, 9001), (4099, 0, 1, 9002)], "", 1.0, FOOT),
    ([PROJECTED, (3076, 0, 1, 9001), (4096, 0, 1, 6360)], "", 1.0, SURVEY_FOOT),
    ([PROJECTED, (3072, 0, 1, 2263), (3076, 0, 1, 0), (4096, 0, 1, 6360)], "", SURVEY_FOOT, SURVEY_FOOT),
    ([PROJECTED, (3072, 0, 1, 2921), (4099, 0, 1, 9001)], "", FOOT, 1.0),
    ([PROJECTED, cited(1026, NAMED), (3076, 0, 1, 9001)], NAMED, 1.0, FOOT),
    ([PROJECTED, (3076, 0, 1, 9001), (4096, 0, 1, 32767), cited(4097, OWN)], OWN, 1.0, SURVEY_FOOT),
    ([PROJECTED, (3072, 0, 1, 32767), cited(3073, ESRI)], ESRI, SURVEY_FOOT, SURVEY_FOOT),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "text", "level", "high"), FEET)
def test_feet_are_found_wherever_a_program_tells_them(rough, tmp_path, keys, text, level, high):
    same(load_map(write(tmp_path / "a.tif", rough, keys, text=text, level=level, high=high)).map, rough)


NOT_TOLD = [
    [PROJECTED, (3076, 0, 1, 9003)],
    [PROJECTED, (3076, 0, 1, 9003), (4096, 0, 1, 32767)],
    [PROJECTED, (3072, 0, 1, 2263)],
]


@pytest.mark.parametrize("keys", NOT_TOLD)
def test_where_places_are_in_feet_and_nothing_tells_heights_it_is_asked_for(rough, tmp_path, keys):
    path = write(tmp_path / "a.tif", rough, keys, level=SURVEY_FOOT)
    with pytest.raises(TerrainError) as caught:
        load_map(path)
    assert str(caught.value) == (
        f"{path}: a unit of x and y is 0.3048006 m, of heights the file says none; height_scale=0.3048006 where they "
        "have the same, height_scale=1 where they are in metres"
    )
    same(load_map(path, FileOptions(height_scale=1.0)).map, rough)
    np.testing.assert_allclose(load_map(path, FileOptions(height_scale=0.5)).map.heights, 0.5 * rough, atol=1e-6)
    # What the band says of itself counts, too.
    unit = '<GDALMetadata><Item name="UNITTYPE" sample="0" role="unittype">m</Item></GDALMetadata>'
    same(load_map(write(path, rough, keys, level=SURVEY_FOOT, metadata=unit)).map, rough)


def test_heights_in_a_unit_of_their_own_have_no_length_in_a_geotiff(rough, tmp_path):
    path = write(tmp_path / "a.tif", rough, [*METRES, (4096, 0, 1, 32767), (4099, 0, 1, 32767)])
    with pytest.raises(TerrainError, match="the heights have a unit of their own, of which the file says no length"):
        load_map(path)
    same(load_map(path, FileOptions(height_scale=1.0)).map, rough)


def test_systems_of_heights_are_told_where_they_are_not_known_and_depths_are_none(rough, tmp_path):
    path = write(tmp_path / "a.tif", rough, [*METRES, (4096, 0, 1, 5703)])
    assert load_map(path).notes == ()
    write(path, rough, [*METRES, (4096, 0, 1, 9999)])
    assert load_map(path).notes == ("the file names heights by EPSG:9999 and no unit of them: read as metres",)
    write(path, rough, [*METRES, (4096, 0, 1, 6358)])
    with pytest.raises(TerrainError, match=r"the map has depths, not heights; got 'EPSG:6358'; turn their sign"):
        load_map(path)


def test_a_system_on_the_globe_is_in_degrees_where_no_key_says_what_it_is(rough, tmp_path):
    path = write(tmp_path / "a.tif", rough, [(1025, 0, 1, 1), (2048, 0, 1, 4326)])
    with pytest.raises(TerrainError, match="the map is in degrees or geocentric"):
        load_map(path)


def test_a_factor_of_one_that_is_said_stays_said(rough, tmp_path):
    """A scenario that was written with it reads back as it was, and of before it means nothing to an image."""
    path = write(tmp_path / "a.tif", rough, NOT_TOLD[0], level=SURVEY_FOOT)
    choice = TerrainChoice(file=str(path), height_scale=1.0)
    again = TerrainChoice.model_validate(choice.model_dump(exclude_defaults=True))
    assert again.load().heights.origin == pytest.approx(ORIGIN)
    FileOptions(height_scale=1.0).refuse_others(("low", "high"), "an image")
    with pytest.raises(TerrainError, match="the option height_scale means nothing to an image"):
        FileOptions(height_scale=2.0).refuse_others(("low", "high"), "an image")
