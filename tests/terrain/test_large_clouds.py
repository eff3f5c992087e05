"""Clouds that are too large to be read at once: in parts they give the map that they give in one piece."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import laspy
import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from pcd_clouds import pcd, write_pcd

from andante.terrain.files import cloud_cells, cloud_parts, cloud_source, large_clouds, packing, pcd_parts, text_parts
from andante.terrain.files.cloud import grid_points
from andante.terrain.files.cloud_parts import CloudSurvey, grid_parts
from andante.terrain.files.cloud_source import CloudParts
from andante.terrain.files.found import Raster
from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError


class Held:
    """Points that are in memory, as a source."""

    def __init__(self, places: np.ndarray) -> None:
        self.places, self.size = places, len(places)

    def part(self, begin: int, count: int) -> np.ndarray:
        return self.places[begin : begin + count].copy()

    def notes(self) -> tuple[str, ...]:
        return ()


def cloud(seed: int, count: int = 3000, side: float = 1.0) -> np.ndarray:
    """A field without order, with a roof over a part of it and points that are off."""
    draw = np.random.default_rng(seed)
    x, y = draw.uniform(0.0, side, (2, count))
    z = 0.1 * np.sin(3.0 * x) + draw.normal(0.0, 0.002, count)
    z[draw.random(count) < 0.02] += 0.05
    z[(x < 0.3 * side) & (draw.random(count) < 0.5)] += 0.8
    return np.stack([x, y, z], axis=-1)


def grid(seed: int, jitter: float) -> np.ndarray:
    """A grid of 40 x 30 nodes, in any order, some of them moved."""
    draw = np.random.default_rng(seed)
    x, y = (each.ravel() for each in np.meshgrid(0.02 * np.arange(40), 0.02 * np.arange(30), indexing="ij"))
    found = np.stack([x, y, 0.1 * x + draw.normal(0.0, 0.001, len(x))], axis=-1)[draw.permutation(len(x))]
    found[:, :2] += draw.normal(0.0, jitter, (len(x), 2)) if jitter else 0.0
    return found


def with_gaps(places: np.ndarray, seed: int) -> np.ndarray:
    """The same with points that have no height or no place."""
    draw = np.random.default_rng(seed)
    places = places.copy()
    places[draw.random(len(places)) < 0.05, 2] = np.nan
    places[draw.random(len(places)) < 0.05] = np.nan
    return places


def in_parts(places: np.ndarray, size: int, resolution: float | None = None) -> Raster:
    parts = CloudParts(Held(places), lambda each: each, None, size)
    return grid_parts(parts, CloudSurvey.of(parts, "a"), None, resolution, "a", 0.3)


def same(found: Raster, expected: Raster) -> None:
    np.testing.assert_array_equal(found.heights, expected.heights)
    assert (found.variance is None) == (expected.variance is None)
    if expected.variance is not None:
        np.testing.assert_array_equal(found.variance, expected.variance)
    np.testing.assert_array_equal(found.steps, expected.steps)
    assert (found.first, found.notes) == (expected.first, expected.notes)


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["no order", "exact grid", "jittered grid", "few for each cell"]),
    st.integers(0, 5),
    st.integers(7, 4000),
    st.integers(300, 2000),
    st.booleans(),
)
def test_any_parts_give_what_one_piece_gives(kind, seed, size, strip, gaps):
    made = {
        "no order": lambda: cloud(seed),
        "exact grid": lambda: grid(seed, 0.0),
        "jittered grid": lambda: grid(seed, 0.002),
        "few for each cell": lambda: cloud(seed, 600),
    }
    places, resolution = made[kind](), 0.05 if kind == "few for each cell" else None
    places = with_gaps(places, seed) if gaps else places
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cloud_parts, "_STRIP", strip)
        patch.setattr(cloud_cells, "_HELD", 64)
        found = in_parts(places, size, resolution)
    same(found, grid_points(places, None, resolution, "a"))


def test_a_sample_of_many_points_is_the_one_of_one_piece(monkeypatch):
    monkeypatch.setattr("andante.terrain.files.cloud_grids.TOGETHER", 1000)
    monkeypatch.setattr(cloud_parts, "TOGETHER", 1000)
    places = cloud(1, 20_000, 3.0)
    same(in_parts(places, 700), grid_points(places, None, None, "a"))


def test_cells_of_dense_clouds_are_as_wide_as_those_of_boards(monkeypatch):
    """A million points on a square of half a metre would give a node each millimetre."""
    places = cloud(2, 40_000, 0.2)
    assert in_parts(places, 9000).steps[0, 0] == 0.002
    monkeypatch.setattr(cloud_parts, "_MANY", 39_000)
    assert in_parts(places, 9000).steps[0, 0] == 0.005
    assert in_parts(places, 9000, 0.003).steps[0, 0] == 0.003
    assert in_parts(grid(1, 0.0), 500).steps[0, 0] == 0.02


def ply(places: np.ndarray, order: str) -> bytes:
    head = f"ply\nformat {order} 1.0\nelement camera 2\nproperty float a\nelement vertex {len(places)}\n"
    head += "".join(f"property {kind}\n" for kind in ("double x", "uchar red", "double y", "double Z"))
    if order == "ascii":
        rows = "".join(f"{x!r} 7 {y!r} {z!r}\n" for x, y, z in places.tolist())
        return f"{head}end_header\n1.5\n2.5\n{rows}".encode()
    mark = "<" if "little" in order else ">"
    table = np.zeros(len(places), [("x", f"{mark}f8"), ("r", "u1"), ("y", f"{mark}f8"), ("z", f"{mark}f8")])
    table["x"], table["y"], table["z"] = places.T
    return f"{head}end_header\n".encode() + bytes(8) + table.tobytes()


def las(path: Path, places: np.ndarray) -> None:
    head = laspy.LasHeader(point_format=6, version="1.4")
    head.scales = np.full(3, 1e-5)
    data = laspy.LasData(head)
    data.x, data.y, data.z = places.T
    classes = np.full(len(places), 2, np.uint8)
    classes[::7], classes[1::9] = 7, 5
    data.classification = classes
    data.write(path)


def text(places: np.ndarray, divide: str, first: str = "") -> bytes:
    return (first + "".join(f"{x!r}{divide}{y!r}{divide}{z!r}\n" for x, y, z in places.tolist())).encode()


WRITE = {
    "binary.pcd": lambda path, places: write_pcd(path, places),
    "packed.pcd": lambda path, places: write_pcd(path, places, "binary_compressed"),
    "mixed.pcd": lambda path, places: path.write_bytes(
        pcd(
            {
                "i": np.zeros((len(places), 70)),
                "z": places[:, 2],
                "y": places[:, 1].astype("<f4"),
                "n": np.ones(len(places), "<u1"),
                "x": places[:, 0].astype("<f4"),
                "e": places[:, 0],
            },
            "binary_compressed",
        )
    ),
    "organised.pcd": lambda path, places: write_pcd(path, places, height=30),
    "ascii.pcd": lambda path, places: path.write_bytes(
        pcd({"i": places[:, 0], **dict(zip("zyx", places.T[::-1], strict=True))}, "ascii")
    ),
    "little.ply": lambda path, places: path.write_bytes(ply(places, "binary_little_endian")),
    "big.ply": lambda path, places: path.write_bytes(ply(places, "binary_big_endian")),
    "ascii.ply": lambda path, places: path.write_bytes(ply(places, "ascii")),
    "a.las": las,
    "a.laz": las,
    "a.xyz": lambda path, places: path.write_bytes(text(places, " ")),
    "counted.pts": lambda path, places: path.write_bytes(text(places, " ", f"{len(places)}\n")),
    "named.csv": lambda path, places: path.write_bytes(
        text(1e3 * places[:, ::-1], ",", "# of a scanner\nz [mm],y [mm],x [mm]\n")
    ),
}
OPTIONS = {
    "binary.pcd": FileOptions(up="-z", scale=2.0),
    "little.ply": FileOptions(rotate=0.5),
    "a.las": FileOptions(layer="2"),
    "a.xyz": FileOptions(height_scale=0.5),
}


@pytest.fixture
def all_are_large(monkeypatch):
    """Files of a kilobyte are large, and their points come in parts of 400."""
    for limit in ("MOST_BYTES", "MOST_TEXT"):
        monkeypatch.setattr(large_clouds, limit, 1000)
    monkeypatch.setattr(cloud_source, "MOST_BYTES", 1000)
    monkeypatch.setattr(cloud_source, "PART", 400)
    monkeypatch.setattr(cloud_source, "_PIECE", 3000)
    monkeypatch.setattr(cloud_parts, "_STRIP", 500)
    monkeypatch.setattr(text_parts, "_BLOCK", 2000)
    monkeypatch.setattr(pcd_parts, "_PIECE", 500)
    monkeypatch.setattr(packing, "_BLOCK", 700)


@pytest.mark.parametrize("name", WRITE)
def test_every_kind_of_file_gives_what_it_gives_at_once(tmp_path, request, name):
    path = tmp_path / name
    WRITE[name](path, cloud(2))
    options = OPTIONS.get(name, FileOptions())
    expected = load_map(path, options)
    request.getfixturevalue("all_are_large")
    found = load_map(path, options)
    np.testing.assert_array_equal(found.map.heights, expected.map.heights)
    np.testing.assert_array_equal(found.map.variance, expected.map.variance)
    assert (found.map.origin, found.map.spacing) == (expected.map.origin, expected.map.spacing)
    told = f"{path.stat().st_size / 1e6:,.0f} MB of points were read in parts"
    assert found.notes == (told, *expected.notes)


PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor().compress,
    ".zstd": lambda raw: b"".join(map(zstandard.ZstdCompressor().compress, (raw[:9000], raw[9000:]))),
}


@pytest.mark.parametrize(
    ("name", "ending"),
    [(name, ".gz") for name in WRITE]
    + [(name, each) for name in ("big.ply", "a.xyz") for each in PACK if each != ".gz"],
)
def test_packed_clouds_give_what_they_give_at_once(tmp_path, request, name, ending):
    WRITE[name](tmp_path / name, cloud(2))
    raw = (tmp_path / name).read_bytes()
    path = tmp_path / (name + ending)
    path.write_bytes(PACK[ending](raw))
    expected = load_map(path)
    request.getfixturevalue("all_are_large")
    found = load_map(path)
    np.testing.assert_array_equal(found.map.heights, expected.map.heights)
    told = f"{len(raw) / 1e6:,.0f} MB of points were read in parts"
    assert found.notes == (told, *expected.notes)


@pytest.mark.usefixtures("all_are_large")
@pytest.mark.parametrize("ending", PACK)
def test_packed_clouds_that_are_cut_short_or_no_such(tmp_path, ending):
    raw = PACK[ending](text(cloud(1), " "))
    (tmp_path / f"a.xyz{ending}").write_bytes(raw[:-2000])
    with pytest.raises(TerrainError, match=rf"a\.xyz\{ending}: the file cannot be unpacked"):
        load_map(tmp_path / f"a.xyz{ending}")
    (tmp_path / f"b.xyz{ending}").write_bytes(b"1 2 3\n" * 900)
    with pytest.raises(TerrainError, match=rf"b\.xyz\{ending}: the file cannot be unpacked"):
        load_map(tmp_path / f"b.xyz{ending}")


@pytest.mark.usefixtures("all_are_large")
def test_what_unpacks_to_more_than_any_cloud_is_left(tmp_path):
    (tmp_path / "a.ply.gz").write_bytes(gzip.compress(ply(cloud(1), "binary_little_endian") + bytes(9_000_000)))
    size = (tmp_path / "a.ply.gz").stat().st_size
    with pytest.raises(TerrainError, match=f"too large when unpacked; limit: {1000 + 50 * size} bytes; thin it"):
        load_map(tmp_path / "a.ply.gz")


def test_rows_of_a_packed_text_are_counted(tmp_path, monkeypatch):
    (tmp_path / "a.xyz.gz").write_bytes(gzip.compress(text(cloud(1), " ")))
    expected = load_map(tmp_path / "a.xyz.gz")
    monkeypatch.setattr(large_clouds, "MOST_ROWS", 2000)
    found = load_map(tmp_path / "a.xyz.gz")
    np.testing.assert_array_equal(found.map.heights, expected.map.heights)
    assert "read in parts" in found.notes[0]


@pytest.mark.usefixtures("all_are_large")
def test_points_that_unpack_to_more_than_any_cloud_are_left(tmp_path):
    raw = pcd({axis: np.zeros(90_000, np.float32) for axis in "xyz"}, "binary_compressed")
    (tmp_path / "a.pcd").write_bytes(raw)
    limit = 1000 + 50 * len(raw)
    with pytest.raises(TerrainError, match=f"too large when unpacked; got 1080000; limit: {limit} bytes"):
        load_map(tmp_path / "a.pcd")


@pytest.mark.usefixtures("all_are_large")
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda raw: raw[:-40], "the PCD is cut short"),
        (lambda raw: raw.replace(b"300", b"299"), "the packed points are not as large as the head says"),
        (lambda raw: raw[:-900] + b"\xff" * 900, "the packed points are damaged"),
        (lambda raw: raw[:-900] + b"\x00" * 900, "the packed points are damaged"),
    ],
)
def test_packed_points_that_lie(tmp_path, change, told):
    draw = np.random.default_rng(0)
    raw = pcd({axis: draw.normal(size=300).astype(np.float32) for axis in "xyz"}, "binary_compressed")
    (tmp_path / "a.pcd").write_bytes(change(raw))
    with pytest.raises(TerrainError, match=told):
        load_map(tmp_path / "a.pcd")


@pytest.mark.usefixtures("all_are_large")
def test_a_number_that_says_unknown_counts_in_its_own_unit(tmp_path):
    places = cloud(4)
    places[::3, 2] = 7.0
    write_pcd(tmp_path / "a.pcd", places)
    (tmp_path / "a.csv").write_bytes(text(1e3 * places, ",", "x_mm,y_mm,z_mm\n"))
    expected = grid_points(np.delete(places, slice(None, None, 3), axis=0), None, None, "a").heights
    for name, number in (("a.pcd", 7.0), ("a.csv", 7000.0)):
        found = load_map(tmp_path / name, FileOptions(nodata=number)).map.heights
        np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.usefixtures("all_are_large")
@pytest.mark.parametrize(
    "name", ["binary.pcd", "packed.pcd", "ascii.pcd", "big.ply", "ascii.ply", "a.las", "a.laz", "a.xyz"]
)
def test_of_more_points_than_are_read_every_third_is_taken(tmp_path, monkeypatch, name):
    places = cloud(5)
    WRITE[name](tmp_path / name, places)
    WRITE[name](tmp_path / f"third.{name}", places[::3])
    for each in (cloud_source, text_parts, pcd_parts, large_clouds.las_in_parts.__globals__):
        if isinstance(each, dict):
            monkeypatch.setitem(each, "MOST_IN_PARTS", 1001)
        else:
            monkeypatch.setattr(each, "MOST_IN_PARTS", 1001)
    found = load_map(tmp_path / name)
    if name in ("a.las", "a.laz"):
        # Classes go with rows, which the smaller file numbers anew.
        assert found.map.known.any()
    else:
        thin = load_map(tmp_path / f"third.{name}")
        np.testing.assert_array_equal(found.map.heights, thin.map.heights)
    assert any(note.startswith("one of every 3 points is taken of 300") for note in found.notes)


@pytest.mark.usefixtures("all_are_large")
def test_what_cannot_be_read_in_parts_says_what_to_do(tmp_path):
    head = b"ply\nformat binary_little_endian 1.0\nelement vertex 90\nproperty float x\nproperty float y\n"
    head += b"property float z\nelement face 9\nproperty list uchar int vertex_indices\nend_header\n"
    (tmp_path / "a.ply").write_bytes(head + bytes(2000))
    with pytest.raises(TerrainError, match="a mesh is read as a whole, and this one is too large"):
        load_map(tmp_path / "a.ply")
    (tmp_path / "a.txt").write_text("1 2 3 4\n" * 500)
    with pytest.raises(TerrainError, match="these rows may be points or a matrix"):
        load_map(tmp_path / "a.txt")
    with pytest.raises(TerrainError, match="a matrix is read as a whole, and this one is too large"):
        load_map(tmp_path / "a.txt", FileOptions(rows="matrix"))


@pytest.mark.usefixtures("all_are_large")
def test_a_file_that_lies_is_told_by_its_head(tmp_path, monkeypatch):
    def none(*_: object) -> np.ndarray:
        raise AssertionError("points were read")

    monkeypatch.setattr(cloud_source.FixedRows, "part", none)
    whole = pcd({axis: np.zeros(300, np.float32) for axis in "xyz"})
    (tmp_path / "a.pcd").write_bytes(whole.replace(b"300", b"900"))
    with pytest.raises(TerrainError, match=r"a\.pcd: the cloud is cut short.*900 points of 12 bytes"):
        load_map(tmp_path / "a.pcd")
    (tmp_path / "a.ply").write_bytes(ply(cloud(1), "ascii")[:30_000])
    with pytest.raises(TerrainError, match=r"a\.ply: the cloud is cut short"):
        load_map(tmp_path / "a.ply")


def test_a_file_that_was_never_written_is_refused(tmp_path):
    path = tmp_path / "a.pcd"
    path.write_bytes(pcd({axis: np.zeros(300, np.float32) for axis in "xyz"}).replace(b"300", b"90000000"))
    with path.open("r+b") as file:
        file.truncate(1_200_000_000)
    with pytest.raises(TerrainError, match="most of the file was never written"):
        load_map(path)


def test_cells_are_at_most_two_centimetres_wide_unless_asked(monkeypatch):
    for name in ("limits", "cloud_grids"):
        monkeypatch.setattr(f"andante.terrain.files.{name}.MOST_NODES", 5000)
    found = in_parts(cloud(3, 40_000), 9000)
    assert found.steps[0, 0] == 0.02
    assert "40000 points without order, gridded by 20 mm" in found.notes
    # One point far away does not make cells of metres.
    with pytest.raises(TerrainError, match="the points do not fit the spacing"):
        in_parts(np.concatenate([cloud(3, 40_000), [[900.0, 900.0, 0.0]]]), 9000)


def test_no_room_on_the_disk_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with pytest.raises(TerrainError, match=r"sorted on the disk, which cannot be written.*TMPDIR"):
        in_parts(cloud(1), 900)


def test_more_points_in_a_cell_than_are_held_are_refused(monkeypatch):
    monkeypatch.setattr(cloud_parts, "_STRIP", 100)
    with pytest.raises(TerrainError, match="a cell has too many points"):
        in_parts(cloud(1), 900, 0.5)
