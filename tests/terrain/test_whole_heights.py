"""Grids whose heights are whole numbers of an unknown unit, texts in UTF-16, and files that are too large."""

from __future__ import annotations

import numpy as np
import pytest
import tifffile

from andante.terrain.files import load
from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

X, Y = np.meshgrid(0.02 * np.arange(30), 0.02 * np.arange(20), indexing="ij")
MILLIMETRES = np.round(40.0 * X + 90.0 * Y)


def grid(heights: np.ndarray, cell: float = 0.02) -> str:
    rows = "\n".join(" ".join(f"{each:g}" for each in row) for row in heights.T[::-1])
    nx, ny = heights.shape
    return f"ncols {nx}\nnrows {ny}\nxllcenter 0\nyllcenter 0\ncellsize {cell:g}\n{rows}\n"


def told(found) -> list[str]:
    return [note for note in found.notes if "whole numbers" in note]


def test_heights_in_whole_numbers_on_close_nodes_are_told(tmp_path):
    path = tmp_path / "a.asc"
    path.write_text(grid(MILLIMETRES))
    (note,) = told(load_map(path))
    assert note == (
        "the heights are whole numbers from 0 to 57 and count as metres: height_scale=LENGTH says another unit "
        "(0.001: mm)"
    )
    said = load_map(path, FileOptions(height_scale=0.001))
    assert not told(said)
    np.testing.assert_allclose(said.map.heights, 0.001 * MILLIMETRES, atol=1e-12)
    scale = (33550, "d", 3, (0.02, 0.02, 0.0), True), (33922, "d", 6, (0, 0, 0, 0, 0.4, 0), True)
    tifffile.imwrite(tmp_path / "a.tif", MILLIMETRES.T[::-1].astype(np.int16), extratags=scale)
    assert told(load_map(tmp_path / "a.tif")) == [note]


def test_whole_metres_that_may_be_ground_are_not_told(tmp_path):
    path = tmp_path / "a.asc"
    for heights, cell in ((MILLIMETRES, 1.0), (np.where(X > 0.3, 1.0, 0.0), 0.02), (0.001 * MILLIMETRES, 0.02)):
        path.write_text(grid(heights, cell))
        assert not told(load_map(path))


def test_a_grid_in_utf_16_is_one(tmp_path):
    path = tmp_path / "a.asc"
    path.write_text(grid(0.001 * MILLIMETRES), encoding="utf-16")
    np.testing.assert_allclose(load_map(path).map.heights, 0.001 * MILLIMETRES, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("a.ply", "thin it"),
        ("a.mcap.zst", "recordings that are not packed may have any size"),
        ("a.png", "take a part"),
    ],
)
def test_what_is_too_large_says_what_makes_it_smaller(tmp_path, monkeypatch, name, remedy):
    monkeypatch.setattr(load, "MOST_BYTES", 1000)
    (tmp_path / name).write_bytes(bytes(1001))
    with pytest.raises(TerrainError, match=rf"the file is too large; got 1001; limit: 1000 bytes; .*{remedy}"):
        load_map(tmp_path / name)
