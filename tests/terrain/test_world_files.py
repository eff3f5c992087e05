"""World files beside images: where these lie, and how far their pixels are apart."""

from __future__ import annotations

import os

import numpy as np
import pytest
import tifffile
from PIL import Image

from andante.backends.terrain import TerrainChoice
from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

GREY = (np.arange(12, dtype=np.uint8).reshape(3, 4) * 20).astype(np.uint8)
"""Three rows of four pixels."""


def picture(folder, ending, grey=GREY):
    file = folder / f"field.{ending}"
    if ending.startswith("tif"):
        tifffile.imwrite(file, grey)
    else:
        Image.fromarray(grey).save(file)
    return file


@pytest.mark.parametrize(
    ("ending", "beside"),
    [("png", "pgw"), ("png", "PGW"), ("png", "pngw"), ("png", "wld"), ("tif", "tfw"), ("tiff", "tfw"),
     ("tiff", "tiffw"), ("pgm", "pmw"), ("pgm", "wld")],
)  # fmt: skip
def test_an_image_lies_where_its_world_file_says(tmp_path, ending, beside):
    file = picture(tmp_path, ending)
    # The first pixel's middle at x 2, y 7, its row the farthest to the north.
    (tmp_path / f"field.{beside}").write_text("0.02\n0.0\n0.0\n-0.02\n2.0\n7.0\n")
    found = load_map(file)
    assert found.map.spacing == pytest.approx(0.02)
    assert found.map.origin == pytest.approx((2.0, 6.96))
    assert found.map.heights == pytest.approx(GREY[::-1].T / 255.0 * 0.1)
    assert any(f"field.{beside}" in note for note in found.notes)


def test_an_image_that_lies_turned_by_a_quarter_or_south_up_comes_upright(tmp_path):
    file = picture(tmp_path, "png")
    for lines, origin, heights in (
        ("0,02\r\n0\r\n0\r\n0,02\r\n1\r\n1", (1.0, 1.0), GREY.T),
        # Columns run along y, rows along x.
        ("0\n0.02\n0.02\n0\n1\n1", (1.0, 1.0), GREY),
    ):
        (tmp_path / "field.pgw").write_text(lines)
        found = load_map(file).map
        assert found.origin == pytest.approx(origin)
        assert found.heights == pytest.approx(heights / 255.0 * 0.1)


def test_a_spacing_that_is_given_and_axes_of_a_geotiff_go_before_a_world_file(tmp_path):
    file = picture(tmp_path, "png")
    (tmp_path / "field.pgw").write_text("0.02\n0.0\n0.0\n-0.02\n2.0\n7.0\n")
    found = load_map(file, FileOptions(spacing=0.01))
    assert (found.map.spacing, found.map.origin) == (0.01, (0.0, 0.0))
    assert any("field.pgw" in note for note in found.notes)
    tags = [(33550, "d", 3, (0.5, 0.5, 0.0), True), (33922, "d", 6, (0.0, 0.0, 0.0, 10.0, 20.0, 0.0), True)]
    tifffile.imwrite(tmp_path / "field.tif", GREY.astype(np.float32), extratags=tags)
    (tmp_path / "field.tfw").write_text("0.02\n0.0\n0.0\n-0.02\n2.0\n7.0\n")
    assert load_map(tmp_path / "field.tif").map.spacing == 0.5


@pytest.mark.parametrize("text", ["", "0.02\n0\n0\n-0.02\n2", "<world/>", "0.02 0 0 -0.02 nan 7", "1 2 3 4 5 6 7"])
def test_what_is_no_world_file_is_named(tmp_path, text):
    file = picture(tmp_path, "png")
    (tmp_path / "field.wld").write_text(text)
    with pytest.raises(TerrainError, match=r"field\.wld.*six numbers.*spacing"):
        load_map(file)


def test_a_terrain_is_read_anew_where_only_its_world_file_changed(tmp_path):
    file, world = picture(tmp_path, "png"), tmp_path / "field.pgw"
    world.write_text("0.02\n0.0\n0.0\n-0.02\n2.0\n7.0\n")
    choice = TerrainChoice(file=str(file))
    assert choice.load().heights.spacing == pytest.approx(0.02)
    world.write_text("0.04\n0.0\n0.0\n-0.04\n2.0\n7.0\n")
    os.utime(world, ns=(1, 1))
    assert choice.load().heights.spacing == pytest.approx(0.04)
