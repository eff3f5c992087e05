"""LAS and LAZ clouds, written by laspy: kinds of points, units of their systems, classes, and files that lie."""

from __future__ import annotations

import contextlib
import struct
import sys
from pathlib import Path

import laspy
import numpy as np
import pytest
from field_maps import nodes
from laspy.vlrs.vlrlist import VLRList

from andante.terrain.files import las as las_file
from andante.terrain.files import limits
from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

X, Y = nodes((60, 40), (0.0, 0.0), 0.02)
HEIGHTS = 0.1 * np.sin(3.0 * X) + 0.05 * Y
FOOT, SURVEY_FOOT = 0.3048, 1200.0 / 3937.0
ON_GLOBE = 'GEOGCS["NAD83 [2011]",DATUM["N",SPHEROID["GRS 1980",6378137,298.257]],UNIT["degree",0.0174532925199433]]'
FEET_AND_METRES = (
    f'COMPD_CS["c",PROJCS["p",{ON_GLOBE},PROJECTION["Lambert"],UNIT["US survey foot",0.3048006096012192,'
    'AUTHORITY["EPSG","9003"]],AXIS["X",EAST]],VERT_CS["h",VERT_DATUM["N",2005],UNIT["metre",1.0],AXIS["Up",UP]]]'
)
FEET_OF_2018 = (
    'PROJCRS["p",BASEGEOGCRS["E",DATUM["E",ELLIPSOID["G",6378137,298.257,LENGTHUNIT["metre",1]]]],'
    'CONVERSION["U",METHOD["T"],PARAMETER["False easting",5e5,LENGTHUNIT["metre",1]]],'
    'CS[Cartesian,2],AXIS["E",east],LENGTHUNIT["foot",0.3048]]'
)


def write_las(
    path: Path,
    heights: np.ndarray = HEIGHTS,
    *,
    kind: int = 3,
    units: tuple[float, float] = (1.0, 1.0),
    keys: tuple[int, ...] = (),
    text: str = "",
    late: bool = False,
    classes: np.ndarray | None = None,
) -> Path:
    head = laspy.LasHeader(point_format=kind, version="1.4" if kind > 5 else "1.2")
    head.scales = np.full(3, 1e-7)
    if keys:
        head.vlrs.append(laspy.VLR("LASF_Projection", 34735, "", struct.pack(f"<{len(keys)}H", *keys)))
    record = laspy.VLR("LASF_Projection", 2112, "", text.encode() + b"\0")
    if text and late:
        head.evlrs = VLRList([record])
    elif text:
        head.vlrs.append(record)
    cloud = laspy.LasData(head)
    cloud.x, cloud.y, cloud.z = X.ravel() / units[0], Y.ravel() / units[0], heights.ravel() / units[1]
    if classes is not None:
        cloud.classification = classes.ravel().astype(np.uint8)
    cloud.write(path)
    return path


@pytest.mark.parametrize("ending", ["las", "laz"])
@pytest.mark.parametrize("kind", [0, 1, 2, 3, 6, 7, 8])
def test_every_kind_of_points_gives_the_heights_back(tmp_path, ending, kind):
    found = load_map(write_las(tmp_path / f"field.{ending}", kind=kind))
    assert found.notes == ()
    assert found.map.spacing == pytest.approx(0.02)
    np.testing.assert_allclose(found.map.heights, HEIGHTS, atol=1e-7)


@pytest.mark.parametrize(
    ("units", "told"),
    [
        ((FOOT, FOOT), {"keys": (1, 1, 0, 3, 1024, 0, 1, 1, 3076, 0, 1, 9002, 4099, 0, 1, 9002)}),
        ((SURVEY_FOOT, 1.0), {"text": FEET_AND_METRES, "kind": 6}),
        ((SURVEY_FOOT, 1.0), {"text": FEET_AND_METRES, "kind": 6, "late": True}),
        ((1.0, 1.0), {"text": " ", "kind": 6}),
    ],
)
def test_units_are_those_of_the_files_system(tmp_path, units, told):
    found = load_map(write_las(tmp_path / "field.laz", units=units, **told))
    assert found.map.spacing == pytest.approx(0.02, rel=1e-6)
    np.testing.assert_allclose(found.map.heights, HEIGHTS, atol=1e-6)
    assert found.notes == ()


@pytest.mark.parametrize(
    ("unit", "told"),
    [
        (SURVEY_FOOT, {"keys": (1, 1, 0, 2, 1024, 0, 1, 1, 3076, 0, 1, 9003)}),
        (FOOT, {"text": FEET_OF_2018, "kind": 7}),
    ],
)
def test_a_cloud_in_feet_that_says_no_unit_of_heights_asks_for_it(tmp_path, unit, told):
    path = write_las(tmp_path / "field.laz", units=(unit, unit), **told)
    with pytest.raises(TerrainError, match=rf"of heights the file says none; height_scale={unit:.7g} where they have"):
        load_map(path)
    np.testing.assert_allclose(load_map(path, FileOptions(height_scale=unit)).map.heights, HEIGHTS, atol=1e-6)
    np.testing.assert_allclose(load_map(path, FileOptions(height_scale=1.0)).map.heights, HEIGHTS / unit, atol=1e-6)


@pytest.mark.parametrize("told", [{"text": ON_GLOBE, "kind": 6}, {"keys": (1, 1, 0, 1, 1024, 0, 1, 2)}])
def test_degrees_are_refused(tmp_path, told):
    with pytest.raises(TerrainError, match=r"field\.las: the map is in degrees or geocentric; project it to metres"):
        load_map(write_las(tmp_path / "field.las", **told))


def test_noise_is_left_out_and_a_class_can_be_taken_alone(tmp_path):
    classes = np.full(HEIGHTS.shape, 2)
    classes[10, 5], classes[20, 8], classes[30:34, 10:14] = 7, 18, 5
    heights = np.where(classes == 2, HEIGHTS, 4.0)
    write_las(tmp_path / "field.laz", heights, classes=classes, kind=6)
    found = load_map(tmp_path / "field.laz")
    assert found.notes == (
        "2 points are withheld or of a class of noise, and left out",
        "points of the classes 2, 5 count; layer=2 takes those of the ground alone",
    )
    assert np.isnan(found.map.heights[[10, 20], [5, 8]]).all()
    assert found.map.heights[31, 11] == pytest.approx(4.0)
    ground = load_map(tmp_path / "field.laz", FileOptions(layer="2"))
    assert (np.isnan(ground.map.heights) == (classes != 2)).all()
    np.testing.assert_allclose(ground.map.heights[classes == 2], HEIGHTS[classes == 2], atol=1e-7)
    with pytest.raises(TerrainError, match=r"no point is of this class; got 'ground'; .*legal: 2, 5, 7, 18"):
        load_map(tmp_path / "field.laz", FileOptions(layer="ground"))


def test_of_too_many_points_every_third_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_POINTS", 1000)
    monkeypatch.setattr(las_file, "_CHUNK", 700)
    read = las_file.read_las(write_las(tmp_path / "field.laz").read_bytes(), "field.laz")
    assert read.notes == ("one of every 3 points is taken of 2400, which are more than 1000",)
    np.testing.assert_allclose(read.places[:, 2], HEIGHTS.ravel()[::3], atol=1e-7)


@pytest.mark.parametrize("package", ["laspy", "lazrs"])
def test_a_missing_library_is_named_with_its_extra(tmp_path, monkeypatch, package):
    write_las(tmp_path / "field.las")
    monkeypatch.setattr(las_file, "find_spec", lambda name: None if name == package else sys)
    with pytest.raises(TerrainError, match=rf"need the package {package}; pip install 'andante\[terrain\]', or pdal"):
        load_map(tmp_path / "field.las")


@pytest.mark.parametrize("ending", ["las", "laz"])
@pytest.mark.parametrize("kind", [3, 6])
def test_files_cut_anywhere_and_sizes_that_lie_end_with_one_message(tmp_path, ending, kind):
    whole = write_las(tmp_path / f"field.{ending}", kind=kind).read_bytes()
    begin = struct.unpack_from("<I", whole, 96)[0]
    for length in (*range(0, 500, 23), *range(500, len(whole) - 1, len(whole) // 9)):
        with pytest.raises(TerrainError):
            las_file.read_las(whole[:length], "field")
    for at in (94, 96, 100, 107, 247, *range(begin, min(begin + 120, len(whole) - 4), 7), len(whole) - 4):
        lied = whole[:at] + b"\xff\xff\xff\x7f" + whole[at + 4 :]
        with contextlib.suppress(TerrainError):
            assert len(las_file.read_las(lied, "field").places) <= 2400


def test_layers_larger_than_the_file_are_refused_before_memory_is_asked_for(tmp_path):
    """The unpacker asks for as much memory as a layer says it has: 2 GB for a file of 5 kB."""
    whole = write_las(tmp_path / "field.laz", kind=6).read_bytes()
    at = struct.unpack_from("<I", whole, 96)[0] + 8 + 30 + 4
    with pytest.raises(TerrainError, match=r"the packed cloud is damaged; got 'layers of \d+ bytes end at \d+, behind"):
        las_file.read_las(whole[:at] + b"\0\0\0\x7f" + whole[at + 4 :], "field.laz")
