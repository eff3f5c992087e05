"""Layers of a cloud: roofs and trees over the floor, and clouds of one layer, which are gridded as ever."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pcd_clouds import write_pcd

from andante.terrain.files.cloud import grid_points
from andante.terrain.files.cloud_layers import LowestLayers
from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions


def cloud(rng, count, low, high, z) -> np.ndarray:
    places = rng.uniform(low, high, (count, 2))
    return np.column_stack([places, z + rng.normal(0.0, 0.003, count)])


@pytest.mark.parametrize(("roof", "scale", "known"), [(2.0, 1.0, True), (0.5, 1.0, True), (0.5, 2.0, False)])
def test_the_floor_below_a_roof_counts_where_there_is_room(tmp_path, roof, scale, known):
    rng = np.random.default_rng(2)
    floor, above = cloud(rng, 40_000, (0.0, 0.0), (2.0, 1.0), 0.1), cloud(rng, 30_000, (0.8, 0.0), (1.2, 1.0), roof)
    write_pcd(tmp_path / "a.pcd", rng.permutation(np.concatenate([floor, above])))
    found = load_map(tmp_path / "a.pcd", FileOptions(resolution=0.05), scale)
    under = (found.map.x > 0.85) & (found.map.x < 1.15)
    inner = found.map.heights[:, 1:-1]
    assert np.nanmax(np.abs(inner - 0.1)) < 0.01
    assert np.isfinite(inner[under]).all() if known else np.isnan(inner[under]).all()
    assert np.isfinite(inner[found.map.x < 0.75]).mean() > 0.99
    (note,) = (each for each in found.notes if "one above the other" in each)
    assert (" 0 of these are unknown" in note) == known


def test_ground_below_a_tree_counts_and_lone_points_below_the_ground_do_not():
    rng = np.random.default_rng(3)
    ground = cloud(rng, 9000, (0.0, 0.0), (3.0, 3.0), 0.0)
    leaves = cloud(rng, 30_000, (1.0, 1.0), (2.0, 2.0), 0.0) + np.column_stack(
        [np.zeros((30_000, 2)), rng.uniform(1.0, 3.0, 30_000)]
    )
    below = cloud(rng, 60, (0.0, 0.0), (3.0, 3.0), -1.5)
    found = grid_points(np.concatenate([ground, leaves, below]), 0.1, None, "a")
    assert np.nanmax(np.abs(found.heights[1:-1, 1:-1])) < 0.02


def test_layers_by_hand():
    numbers = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2, 3])
    z = np.array([1.0, 0.0, 0.05, 1.1, 0.0, 0.9, -2.0, 0.1, 0.12, 5.0])
    found = LowestLayers.of(numbers, z, np.bincount(numbers), room=0.92, usual=2.5)
    assert found is not None
    # Cell 2 has a lone point below two, which is no layer, so all of it counts as before.
    np.testing.assert_array_equal(found.cells, [0, 1])
    np.testing.assert_array_equal(found.kept, [False, True, True, False, True, False, True, True, True, True])
    np.testing.assert_array_equal(found.low, [False, True])


@given(st.integers(0, 999), st.floats(0.0, 3.0), st.floats(0.0, 0.28), st.booleans())
@settings(max_examples=25, deadline=None)
def test_clouds_of_one_layer_are_gridded_to_the_same_bytes(seed, slope, step, many):
    """However steep, with steps, lone outliers and few or many points, where a cell's ground rises less than a gap."""
    assume(0.05 * slope + step < 0.28)
    rng = np.random.default_rng(seed)
    places = rng.uniform(0.0, 1.0, (6000 if many else 400, 2))
    z = slope * places[:, 0] + step * (places[:, 1] > 0.5) + rng.normal(0.0, 0.002, len(places))
    cloud_of_one = np.column_stack([places, z])
    found = grid_points(cloud_of_one, 0.05, None, "a")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LowestLayers, "of", staticmethod(lambda *given: None))
        before = grid_points(cloud_of_one, 0.05, None, "a")
    assert found.heights.tobytes() == before.heights.tobytes()
    assert found.notes == before.notes
