"""Maps that were mirrored on the way, lie far away in a small unit, or have nothing in them."""

from __future__ import annotations

import numpy as np
import pytest

from andante.terrain.files.load import load_map
from andante.terrain.files.meshes import top_of_mesh
from andante.terrain.files.options import FileOptions
from andante.terrain.files.readers import SUFFIXES
from andante.terrain.files.solid_triangles import box_triangles
from andante.terrain.height_map import TerrainError


def solid(low: tuple[float, float, float], high: tuple[float, float, float]) -> np.ndarray:
    ends = np.array([low, high])
    return box_triangles(0.5 * (ends[1] - ends[0])) + ends.mean(axis=0)


def hall() -> np.ndarray:
    """A room of slabs, with a step on its floor."""
    parts = [
        ((0, 0, -0.1), (6, 4, 0)),
        ((0, 0, 2.5), (6, 4, 2.7)),
        ((2, 1, 0), (3, 2, 0.15)),
        ((0, 0, 0), (0.2, 4, 2.5)),
    ]
    return np.concatenate([solid(*each) for each in parts])


@pytest.mark.parametrize("mirror", [(1.0, 1.0, 1.0), (1.0, -1.0, 1.0), (-1.0, 1.0, 1.0)])
def test_a_mirrored_room_has_its_floor(mirror):
    found = top_of_mesh(hall() * mirror, 0.1, "hall.obj")
    assert np.nanmedian(found.heights) == pytest.approx(0.0, abs=1e-9)
    assert any("a ceiling lies 2.5 m over the ground" in note for note in found.notes)
    assert any("look inside out" in note for note in found.notes) == (min(mirror) < 0.0)


def test_a_mirrored_block_on_a_slab_keeps_its_top():
    block = np.concatenate([solid((0, 0, -0.1), (4, 4, 0)), solid((0.1, 0.1, 0), (3.9, 3.9, 1.5))])
    assert np.nanmax(top_of_mesh(block, 0.1, "block.obj").heights) == pytest.approx(1.5)


def test_coordinates_in_millimetres_are_told_what_scales_them(tmp_path):
    x, y = np.meshgrid(np.arange(30.0), np.arange(30.0))
    rows = np.column_stack([x.ravel() + 450_000.0, y.ravel() + 5_200_000.0, 0.1 * x.ravel()])
    path = tmp_path / "survey.xyz"
    np.savetxt(path, 1000.0 * rows, fmt="%.0f")
    with pytest.raises(
        TerrainError, match=r"got '5\.20003e\+09 m'; limit: 1e\+07 m; scale=0\.001 if the file is in mm"
    ):
        load_map(path)
    assert load_map(path, FileOptions(scale=0.001)).map.origin == pytest.approx((450_000.0, 5_200_000.0))


@pytest.mark.parametrize("suffix", sorted(SUFFIXES - {".mcap", ".db3", ".bag"}))
def test_files_without_a_byte_are_told_to_be_empty(tmp_path, suffix):
    path = tmp_path / f"map{suffix}"
    path.write_bytes(b"")
    with pytest.raises(TerrainError, match="the file is empty"):
        load_map(path)


def test_a_cloud_without_points_is_told_so(tmp_path):
    path = tmp_path / "map.ply"
    axes = "".join(f"property float {axis}\n" for axis in "xyz")
    path.write_text(f"ply\nformat ascii 1.0\nelement vertex 0\n{axes}end_header\n")
    with pytest.raises(TerrainError, match="the file has no vertices"):
        load_map(path)


@pytest.mark.parametrize(("name", "rows"), [("a.txt", "{} {} {} 12 255 7\n"), ("a.asc", "{} {} {} -0.5 12 255 7\n")])
def test_points_with_colours_of_bytes_are_points(tmp_path, name, rows):
    places = [(0.05 * (k % 20), 0.05 * (k // 20), 0.01 * (k % 7)) for k in range(200)]
    (tmp_path / name).write_text("".join(rows.format(*(f"{each:.3f}" for each in place)) for place in places))
    assert load_map(tmp_path / name).map.heights.shape == (20, 10)
