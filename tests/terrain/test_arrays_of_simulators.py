"""Clouds and meshes in numpy's files, as simulators and scanners' programs leave them."""

from __future__ import annotations

import numpy as np
import pytest
from field_maps import nodes

from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

X, Y = nodes((40, 30), (0.2, -0.4), 0.02)
HEIGHTS = 0.1 * np.sin(3.0 * X) + 0.05 * Y
POINTS = np.stack([X, Y, HEIGHTS], axis=-1).reshape(-1, 3)
CORNER = np.arange(40 * 30).reshape(40, 30)
TRIANGLES = np.concatenate(
    [
        np.stack([CORNER[:-1, :-1], CORNER[1:, :-1], CORNER[1:, 1:]], axis=-1).reshape(-1, 3),
        np.stack([CORNER[:-1, :-1], CORNER[1:, 1:], CORNER[:-1, 1:]], axis=-1).reshape(-1, 3),
    ]
)


@pytest.mark.parametrize("columns", [4, 6, 7])
def test_a_cloud_with_intensity_colours_or_normals_is_no_grid(tmp_path, columns):
    rows = np.column_stack([np.tile(POINTS, (2, 1)), np.ones((2 * len(POINTS), columns - 3))])
    np.save(tmp_path / "a.npy", rows.astype(np.float32))
    np.savez(tmp_path / "a.npz", points=rows)
    for name in ("a.npy", "a.npz"):
        found = load_map(tmp_path / name)
        np.testing.assert_allclose(found.map.heights, HEIGHTS, atol=1e-6)
        assert f"rows of {columns} numbers are points: x, y, z, others" in found.notes[0]


def test_a_narrow_lane_is_a_grid(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((400, 4)))
    assert load_map(tmp_path / "a.npy").map.heights.shape == (400, 4)


@pytest.mark.slow
def test_millions_of_points_are_thinned_and_told(tmp_path):
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.uniform(0.0, 10.0, (2_000_000, 2)), np.zeros(2_000_000)])
    np.save(tmp_path / "a.npy", rows.astype(np.float32))
    found = load_map(tmp_path / "a.npy", FileOptions(resolution=0.05))
    assert "one of every 2 points is taken of 2000000, which are more than 1000000" in found.notes
    assert found.map.heights.shape == (201, 201)


@pytest.mark.parametrize("names", [("vertices", "triangles"), ("vertices", "faces")])
def test_vertices_and_triangles_are_a_mesh(tmp_path, names):
    np.savez(tmp_path / "a.npz", **{names[0]: POINTS.astype(np.float32), names[1]: TRIANGLES.astype(np.uint32)})
    found = load_map(tmp_path / "a.npz")
    np.testing.assert_allclose(found.map.heights, HEIGHTS, atol=1e-6)
    assert found.notes[0] == f"the arrays {names[0]!r} and {names[1]!r} are a mesh of {len(TRIANGLES)} triangles"


def test_triangles_of_corners_that_are_not_there_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", vertices=POINTS, triangles=TRIANGLES + 1)
    with pytest.raises(TerrainError, match="a triangle names a corner that is not there"):
        load_map(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", vertices=POINTS[:, :2], triangles=TRIANGLES)
    with pytest.raises(TerrainError, match="a mesh has rows of three"):
        load_map(tmp_path / "a.npz")
