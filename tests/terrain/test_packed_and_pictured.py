"""Maps that come packed, as pictures of any kind, and as tables with titles, units and corners."""

from __future__ import annotations

import bz2
import gzip
import io
from pathlib import Path

import numpy as np
import pytest
import zstandard
from field_maps import grid_map_message, nodes
from mcap.reader import make_reader
from mcap.writer import Writer
from PIL import Image
from recordings import mcap_of, write_db3

from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

ORIGIN, SPACING = (1.0, 2.0), 0.02
X, Y = nodes((30, 20), ORIGIN, SPACING)
HEIGHTS = 0.1 * np.sin(3.0 * X) + 0.05 * Y
POINTS = np.stack([X, Y, HEIGHTS], axis=-1).reshape(-1, 3)
MAP = "grid_map_msgs/msg/GridMap"
ROWS = [f"{x:.3f},{y:.3f},{z:.8f}" for x, y, z in POINTS.tolist()]


def same(path: Path, options: FileOptions | None = None, tolerance: float = 2e-6) -> tuple[str, ...]:
    found = load_map(path, options)
    np.testing.assert_allclose(found.map.heights, HEIGHTS, atol=tolerance)
    np.testing.assert_allclose(found.map.origin, ORIGIN, atol=1e-5)
    assert found.map.spacing == pytest.approx(SPACING)
    return found.notes


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".zst", zstandard.ZstdCompressor().compress),
        (".zstd", zstandard.ZstdCompressor().compress),
    ],
)
def test_packed_files_are_read_by_their_inner_ending(tmp_path, ending, pack):
    (tmp_path / f"a.xyz{ending}").write_bytes(pack("\n".join(ROWS).encode()))
    same(tmp_path / f"a.xyz{ending}")
    (tmp_path / f"b.xyz{ending}").write_bytes(pack("\n".join(ROWS).encode())[:-9])
    with pytest.raises(TerrainError):
        load_map(tmp_path / f"b.xyz{ending}")
    # As programs that pack with several threads write them.
    halves = "\n".join(ROWS[:100]).encode(), b"\n" + "\n".join(ROWS[100:]).encode()
    (tmp_path / f"e.xyz{ending}").write_bytes(b"".join(map(pack, halves)))
    same(tmp_path / f"e.xyz{ending}")
    (tmp_path / f"c{ending}").write_bytes(b"no such")
    with pytest.raises(TerrainError, match="there is no reader"):
        load_map(tmp_path / f"c{ending}")
    # What would be larger than any file is not unpacked to its end.
    (tmp_path / f"d.npy{ending}").write_bytes(pack(bytes(70_000_000)))
    with pytest.raises(TerrainError, match=r"too large when unpacked|has more than 64000000 bytes"):
        load_map(tmp_path / f"d.npy{ending}")


def test_frames_of_zstandard_are_read_to_the_end_of_the_last(tmp_path):
    """As pzstd writes them, which puts a frame without content before each."""
    pack = zstandard.ZstdCompressor(write_checksum=True).compress
    frames = [pack("\n".join(part).encode()) for part in (ROWS[:100], ["", *ROWS[100:200]], ["", *ROWS[200:]])]
    skipped = b"\x50\x2a\x4d\x18\4\0\0\0size"
    content = b"".join(skipped + frame for frame in frames)
    (tmp_path / "a.xyz.zst").write_bytes(content)
    same(tmp_path / "a.xyz.zst")
    # Without it the map would end after a third.
    (tmp_path / "b.xyz.zst").write_bytes(content[: len(skipped) + len(frames[0]) + len(skipped) + 9])
    with pytest.raises(TerrainError, match="the file cannot be unpacked; got 'it is cut short'"):
        load_map(tmp_path / "b.xyz.zst")


def test_recordings_that_rosbag2_packed_whole_or_by_message(tmp_path):
    pack = zstandard.ZstdCompressor().compress
    write_db3(tmp_path / "a_0.db3", [("/a", 9, MAP, grid_map_message(HEIGHTS, ORIGIN, SPACING))])
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "a_0.db3.zstd").write_bytes(pack((tmp_path / "a_0.db3").read_bytes()))
    (whole / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
    same(whole)
    same(whole / "a_0.db3.zstd")
    content = mcap_of([("/a", 5, MAP, grid_map_message(HEIGHTS, ORIGIN, SPACING))])
    with (tmp_path / "b.mcap").open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        for schema, channel, message in make_reader(io.BytesIO(content)).iter_messages():
            kind = writer.register_schema(schema.name, schema.encoding, schema.data)
            number = writer.register_channel(channel.topic, channel.message_encoding, kind)
            writer.add_message(number, message.log_time, pack(message.data), message.publish_time)
        writer.finish()
    same(tmp_path / "b.mcap")


def test_what_elevation_mapping_calls_invalid_is_unknown(tmp_path):
    message = grid_map_message(HEIGHTS, ORIGIN, SPACING, more={"is_valid": (X < 1.3).astype(float)})
    write_db3(tmp_path / "a.db3", [("/a", 9, MAP, message)])
    found = load_map(tmp_path / "a.db3")
    np.testing.assert_array_equal(found.map.known, X < 1.3)
    assert found.notes == (f"the layer 'is_valid' says that {int((X >= 1.3).sum())} cells are unknown",)
    np.testing.assert_array_equal(load_map(tmp_path / "a.db3", FileOptions(layer="is_valid")).map.known, True)


@pytest.mark.parametrize(("ending", "tolerance"), [("jpg", 2e-3), ("bmp", 1e-3), ("webp", 1e-3)])
def test_pictures_of_other_kinds_lie_as_png_does(tmp_path, ending, tolerance):
    low, high = float(HEIGHTS.min()), float(HEIGHTS.max())
    grey = np.round(255.0 * (HEIGHTS - low) / (high - low)).astype(np.uint8)[:, ::-1].T
    options = FileOptions(spacing=SPACING, low=low, high=high, x=ORIGIN[0], y=ORIGIN[1])
    how = {"jpg": {"quality": 98}, "bmp": {}, "webp": {"lossless": True}}[ending]
    Image.fromarray(grey).save(tmp_path / f"a.{ending}", **how)
    assert same(tmp_path / f"a.{ending}", options, tolerance) == ()
    Image.fromarray(np.stack([grey] * 3, axis=-1)).save(tmp_path / f"b.{ending}", **how)
    assert same(tmp_path / f"b.{ending}", options, tolerance) == ()
    Image.fromarray(np.stack([grey, 255 - grey, grey], axis=-1)).save(tmp_path / f"c.{ending}", **how)
    assert load_map(tmp_path / f"c.{ending}", options).notes == (
        "the image is in colours; heights are its first channel alone",
    )
    (tmp_path / f"d.{ending}").write_bytes((tmp_path / f"a.{ending}").read_bytes()[:60])
    with pytest.raises(TerrainError, match=r"the picture is damaged|size is out of range"):
        load_map(tmp_path / f"d.{ending}")
    (tmp_path / f"f.{ending}").write_bytes(b"nothing of the kind")
    with pytest.raises(TerrainError, match=r"is no picture; limit: JPEG, BMP or WebP"):
        load_map(tmp_path / f"f.{ending}")
    Image.new("L", (3000, 3000)).save(tmp_path / f"e.{ending}")
    with pytest.raises(TerrainError, match=r"the image's size is out of range.*\(3000, 3000\)"):
        load_map(tmp_path / f"e.{ending}")


def test_titles_above_the_names_and_units_below_them(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["Survey of the field; by hand", "Date: 2026-05-01", "", "x,y,z", *ROWS]))
    assert same(path) == ("2 of the first lines are left out",)
    path.write_text("\n".join(["// made by a program", "x,y,z", *ROWS]))
    assert same(path) == ("1 of the first lines are left out",)
    scaled = [f"{1e3 * x:.1f};{1e3 * y:.1f};{100.0 * z:.6f}" for x, y, z in POINTS.tolist()]
    path.write_text("\n".join(["X;Y;Z", "[mm];[mm];[cm]", *scaled]).replace(".", ","))
    assert same(path) == ("the columns x, y, z are in units of 0.001 m, 0.001 m, 0.01 m",)
    # Names that tell the columns are no title: what stands below them has numbers.
    path.write_text("\n".join(["x,y,z", "a,b,c", *ROWS]))
    with pytest.raises(TerrainError, match=r"a\.csv:2: a row has numbers; got 'a,b,c'"):
        load_map(path)
    path.write_text("a story of two words\n" * 400)
    with pytest.raises(TerrainError, match=r"a\.csv:52: a row has numbers; got 'a story of two words'"):
        load_map(path)
    path.write_text("a story of two words\n" * 4)
    with pytest.raises(TerrainError, match=r"has no rows of numbers; got 'a story of two words'"):
        load_map(path)


def test_names_of_surveyors_in_their_own_letters(tmp_path):
    named = [f"{k};{row.replace(',', ';')}" for k, row in enumerate(ROWS)]
    for encoding in ("utf-8", "latin-1"):
        (tmp_path / "a.csv").write_text("\n".join(["Nr;Rechtswert;Hochwert;Höhe", *named]), encoding=encoding)
        assert same(tmp_path / "a.csv") == ()


@pytest.mark.parametrize("head", ["N°;X;Y;Hauteur", "Punto;Este;Norte;Cota", "Punto;x;y;Quota", "序号;X;Y;高程"])
@pytest.mark.parametrize("ending", ["csv", "dat", "xyzi"])
def test_heights_by_their_names_in_more_languages(tmp_path, head, ending):
    rows = [f"{k};{row.replace(',', ';').replace('.', ',')}" for k, row in enumerate(ROWS)]
    (tmp_path / f"a.{ending}").write_text("\n".join([head, *rows]), encoding="utf-8")
    assert same(tmp_path / f"a.{ending}") == ()


def test_points_whose_heights_have_no_name_are_not_taken_from_the_first_columns(tmp_path):
    """Of a cloud the first three columns had been taken, which are a number, x and y here."""
    rows = [f"{k} {row.replace(',', ' ')}" for k, row in enumerate(ROWS)]
    (tmp_path / "a.xyz").write_text("\n".join(["id x y up", *rows]))
    with pytest.raises(TerrainError, match="no column is named as one of heights, or several are; got 'id, x, y, up'"):
        load_map(tmp_path / "a.xyz")
    rows = [f"{row.replace(',', ' ')} {k}" for k, row in enumerate(ROWS)]
    (tmp_path / "a.xyz").write_text("\n".join(["x y up id", *rows]))
    same(tmp_path / "a.xyz", FileOptions(rows="points"))


@pytest.mark.parametrize(("corner", "across"), [("y\\x", True), ("y", True), ("x", False), ("X/Y", False)])
def test_the_corner_of_a_pivot_table_tells_its_axes(tmp_path, corner, across):
    x, y = X[:, 0], Y[0]
    first, second, cells = (x, y, HEIGHTS.T) if across else (y, x, HEIGHTS)
    rows = [",".join([corner, *(f"{each:.3f}" for each in first)])]
    rows += [",".join([f"{at:.3f}", *(f"{z:.8f}" for z in row)]) for at, row in zip(second, cells, strict=True)]
    (tmp_path / "a.csv").write_text("\n".join(rows))
    same(tmp_path / "a.csv")
    rows[0] = ",".join([corner, *(f"{each**2:.3f}" for each in first)])
    (tmp_path / "a.csv").write_text("\n".join(rows))
    with pytest.raises(TerrainError, match="the first row and the first column have no even coordinates"):
        load_map(tmp_path / "a.csv")


def test_more_columns_than_three_are_points_in_a_file_of_points(tmp_path):
    (tmp_path / "a.xyz").write_text("\n".join(row.replace(",", " ") + " 10 20 30" for row in ROWS))
    same(tmp_path / "a.xyz")
    (tmp_path / "a.csv").write_text("\n".join(row + ",10.5,20,30" for row in ROWS))
    with pytest.raises(TerrainError, match="these rows may be points or a matrix"):
        load_map(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a.nc", r"gdal_translate FIELD\.nc FIELD\.tif"),
        ("a.r16", r"fromfile\('FIELD\.r16', '<u2'\).*height_scale=LENGTH and spacing=LENGTH"),
        ("a.r32", r"fromfile\('FIELD\.r32', '<f4'\)"),
        ("a.hgt", r"gdalwarp -t_srs EPSG:CODE FIELD\.hgt"),
        ("a.ptx", "CloudCompare"),
        ("a.pkl", "may hold a program and is never opened"),
        ("a.hdr", r"name that one \(FIELD\.flt"),
        ("a.tar.gz", "unpack it"),
    ],
)
def test_what_others_read_says_how_it_becomes_a_map(tmp_path, name, told):
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(TerrainError, match=told):
        load_map(tmp_path / name)
