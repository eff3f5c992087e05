"""Grids of Surfer and of GRASS, written straight from the formats' descriptions."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

HEIGHTS = np.add.outer(np.arange(5) * 0.01, np.arange(4) * 0.002)
SHOWN = HEIGHTS.copy()
SHOWN[1, 2] = np.nan
ENDS = (1.0, 1.08, 2.0, 2.06)
BLANK = 1.70141e38


def rows_of(mark) -> list[list]:
    """Rows along x from the south, with a mark where nothing is known."""
    return [[mark if np.isnan(z) else z for z in row] for row in SHOWN.T.tolist()]


def dsaa(mark=BLANK) -> bytes:
    rows = "\r\n".join(" ".join(map(str, row)) for row in rows_of(mark))
    return f"DSAA\r\n5 4\r\n{ENDS[0]} {ENDS[1]}\r\n{ENDS[2]} {ENDS[3]}\r\n0 0.046\r\n{rows}\r\n".encode()


def dsbb() -> bytes:
    return b"DSBB" + struct.pack("<2h6d", 5, 4, *ENDS, 0.0, 0.046) + np.array(rows_of(BLANK), "<f4").tobytes()


def dsrb(turn=0.0) -> bytes:
    grid = struct.pack("<2i8d", 4, 5, 1.0, 2.0, 0.02, 0.02, 0.0, 0.046, turn, 1e20)
    data = np.array(rows_of(2e20), "<f8").tobytes()
    parts = ((b"DSRB", struct.pack("<i", 2)), (b"GRID", grid), (b"FLTI", b"1234"), (b"DATA", data))
    return b"".join(name + struct.pack("<i", len(part)) + part for name, part in parts)


def grass(*more: str, mark="*") -> bytes:
    head = ["north: 2.07", "south: 1.99", "east: 1.09", "west: 0.99", "rows: 4", "cols: 5", *more]
    return "\n".join([*head, *(" ".join(map(str, row)) for row in rows_of(mark)[::-1])]).encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.grd", dsaa()), ("a.grd", dsaa().replace(b"\r\n", b"\n")), ("a.GRD", dsbb()), ("a.grd", dsrb()),
     ("a.asc", grass()), ("a.asc", grass("null: -1", "type: double", mark="-1")),
     ("a.asc", grass("null: none", mark="none"))],
)  # fmt: skip
def test_grids_of_surfer_and_grass_are_read(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    found = load_map(tmp_path / name).map
    assert found.spacing == pytest.approx(0.02)
    assert found.origin == pytest.approx((1.0, 2.0))
    assert found.heights == pytest.approx(SHOWN, abs=1e-8, nan_ok=True)


def test_the_multiplier_of_grass_and_a_number_of_ones_own_count(tmp_path):
    (tmp_path / "a.asc").write_bytes(grass("multiplier: 0.5"))
    assert load_map(tmp_path / "a.asc").map.heights == pytest.approx(0.5 * SHOWN, nan_ok=True)
    (tmp_path / "a.grd").write_bytes(dsaa("-9999"))
    assert np.isnan(load_map(tmp_path / "a.grd", FileOptions(nodata=-9999.0)).map.heights[1, 2])


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [("a.grd", dsaa()[:-20], "not as many heights.*18.*4 x 5"), ("a.grd", dsbb()[:-3], "not as many heights"),
     ("a.grd", dsbb()[:20], "cut short"), ("a.grd", dsrb()[:-8], "not as many heights"),
     ("a.grd", dsrb(30.0), "turned"), ("a.grd", dsrb()[:100], "cut short"),
     ("a.grd", b"CDF\1rest", "no grid of Surfer"),
     ("a.grd", dsaa().replace(b"5 4", b"90000 90000"), "too large"),
     ("a.grd", dsaa().replace(b"1.0 1.08", b"1.08 1.0"), "must rise"),
     ("a.asc", grass().replace(b"east: 1.09\n", b""), "east"), ("a.asc", grass("cellsize 1"), "ESRI or that of GRASS"),
     ("a.asc", grass().replace(b"2.07", b"1.5"), "cell size must be above zero")],
)  # fmt: skip
def test_what_is_wrong_with_such_a_grid_is_named(tmp_path, name, content, told):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TerrainError, match=told):
        load_map(tmp_path / name)


@pytest.mark.parametrize("begin", [b"CDF\x01", b"\x89HDF\r\n\x1a\n"])
def test_a_grid_of_gmt_says_how_it_becomes_one_of_surfer(tmp_path, begin):
    (tmp_path / "a.grd").write_bytes(begin + bytes(100))
    with pytest.raises(TerrainError, match=r"but one of GMT, in netCDF; gmt grdconvert FIELD\.grd OTHER\.grd=sf"):
        load_map(tmp_path / "a.grd")
