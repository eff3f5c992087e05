"""The filter chain: each layer against values by hand or a slow computation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.spatial.compiled import entry
from andante.terrain.height_map import HeightMap, TerrainError
from andante.terrain.lookup import bilinear, nearest
from andante.terrain.traversability import Traversability, TraversabilitySettings

BILINEAR, NEAREST = entry(bilinear.py_func), entry(nearest.py_func)
STEP = 0.02
X, Y = STEP * np.arange(120), STEP * np.arange(80)


def layers(heights, holes=None, **values):
    return Traversability.of(HeightMap(heights, (0.0, 0.0), STEP), TraversabilitySettings(**values), holes)


def step(height):
    """A step up at x = 1.2 m."""
    return np.where(X[:, None] >= 1.2 - 1e-9, height, 0.0) * np.ones(len(Y))


def test_flat_ground_is_traversable_everywhere():
    found = layers(np.full((120, 80), 0.7))
    assert (found.traversability == 1.0).all()
    np.testing.assert_allclose(found.smooth, 0.7, atol=1e-12)
    np.testing.assert_allclose(found.normals[2], 1.0, atol=1e-12)
    assert not found.holes.any()
    assert (found.hole_distance > 100.0).all()
    assert (found.foothold_distance == 0.0).all()


def test_a_slope_by_hand():
    found = layers(np.repeat(0.2 * X[:, None], 80, axis=1))
    inner = (slice(40, 80), slice(30, 50))
    np.testing.assert_allclose(found.slope[inner], math.atan(0.2), atol=1e-9)
    np.testing.assert_allclose(found.smooth_normals[0][inner], -0.2 / math.sqrt(1.04), atol=1e-9)
    np.testing.assert_allclose(found.roughness[inner], 0.0, atol=1e-9)
    # 0.5 + 0.5 (1 - 0.19740 / 0.4) + 0.02.
    np.testing.assert_allclose(found.traversability[inner], 0.77325, atol=1e-5)


def test_a_step_by_hand():
    found = layers(step(0.1))
    # Just above the edge: nodes of the disc of 10 steps ahead of or on the edge are 168 of 317, so 0.1 * 168 / 317.
    offsets = np.arange(-10, 11)
    disc = np.add.outer(offsets**2, offsets**2) <= 100
    share = disc[10:].sum() / disc.sum()
    edge = 60
    assert found.smooth[edge, 40] == pytest.approx(0.1 * share)
    assert found.roughness[edge, 40] == pytest.approx(0.1 * (1.0 - share))
    # The plane of least squares within 0.15 m rises by sum(x z) / sum(x^2).
    offsets = np.arange(-7, 8)
    disc = np.add.outer(offsets**2, offsets**2) <= 7.5**2
    x = disc * offsets[:, None] * STEP
    rise = 0.1 * x[7:].sum() / (x * offsets[:, None] * STEP).sum()
    assert found.slope[edge, 40] == pytest.approx(math.atan(rise))
    even = 0.5 * (1.0 - found.roughness[edge, 40] / 0.1) + 0.5 * (1.0 - math.atan(rise) / 0.4)
    assert found.traversability[edge, 40] == pytest.approx(even + 0.02)
    assert found.relief[edge, 40] == pytest.approx(0.1)
    assert found.relief[edge - 5, 40] == 0.0


def test_a_hole_in_level_ground_by_hand():
    heights, holes = np.zeros((120, 80)), np.zeros((120, 80), dtype=bool)
    holes[50:65, 30:50] = True
    heights[holes] = -0.2
    found = layers(heights, holes)
    np.testing.assert_allclose(found.ground.heights, 0.0, atol=1e-12)
    np.testing.assert_array_equal(found.holes, holes)
    # 0.075 m are 2 * round(1.875) + 1 = 5 nodes: beside the rim two of five columns are inside.
    assert found.hole_mask[49, 40] == pytest.approx(0.6)
    assert found.traversability[49, 40] == pytest.approx(1.02 * 0.6)
    assert found.traversability[47, 40] == 1.0
    assert (found.traversability[holes] == 0.0).all()
    assert found.hole_distance[45, 40] == pytest.approx(5 * STEP)
    assert found.foothold_distance[57, 40] == pytest.approx(8 * STEP)


def test_a_deep_narrow_pit_is_a_hole_without_being_told():
    for depth, expected in ((0.5, True), (0.25, False)):
        heights = np.zeros((120, 80))
        heights[50:70] = -depth
        found = layers(heights)
        assert found.holes.any() == expected
        if expected:
            np.testing.assert_array_equal(found.holes, heights < 0.0)
    # A drop that is wider than the square is ground.
    heights = np.zeros((120, 80))
    heights[50:110] = -0.5
    assert not layers(heights).holes.any()


def test_holes_are_mended_harmonically():
    # A plane is harmonic, so a hole in it is mended to it.
    plane = 0.3 * X[:, None] + 0.1 * Y
    holes = np.zeros((120, 80), dtype=bool)
    holes[40:60, 20:45] = holes[100:, 70:] = True
    broken = np.where(holes, -1.0, plane)
    np.testing.assert_allclose(layers(broken, holes).ground.heights[40:60, 20:45], plane[40:60, 20:45], atol=1e-9)
    # Otherwise each inner node is the mean of its neighbours, and nothing is beyond what the rim has.
    rng = np.random.default_rng(3)
    mended = layers(np.where(holes, -1.0, rng.uniform(0.0, 0.05, (120, 80))), holes).ground.heights
    inner = mended[41:59, 21:44]
    mean = 0.25 * (mended[40:58, 21:44] + mended[42:60, 21:44] + mended[41:59, 20:43] + mended[41:59, 22:45])
    np.testing.assert_allclose(inner, mean, atol=1e-12)
    assert 0.0 <= mended.min() <= mended.max() <= 0.05


def test_fine_maps_are_thinned_and_coarse_ones_kept():
    fine = HeightMap(np.arange(401.0)[:, None] * 1e-4 * np.ones(101), (-1.0, 0.0), 0.005)
    found = Traversability.of(fine)
    assert found.ground.spacing == pytest.approx(0.02)
    assert found.ground.heights.shape == (101, 26)
    assert found.ground.extent == pytest.approx(fine.extent)
    coarse = HeightMap(np.zeros((30, 20)), (0.0, 0.0), 0.05)
    assert Traversability.of(coarse).ground.spacing == 0.05


def test_what_has_no_layers_is_refused():
    with pytest.raises(TerrainError, match=r"not of the map's shape; got \(3, 3\); limit: \(120, 80\)"):
        layers(np.zeros((120, 80)), np.zeros((3, 3), dtype=bool))
    with pytest.raises(TerrainError, match="a map of holes only has no traversability"):
        layers(np.zeros((120, 80)), np.ones((120, 80), dtype=bool))


@given(st.integers(0, 10_000), st.floats(-2.0, 9.0), st.floats(-2.0, 7.0))
@settings(max_examples=60, deadline=None)
def test_lookups_are_those_of_the_map(seed, u, v):
    grid = np.random.default_rng(seed).normal(size=(8, 6))
    ground = HeightMap(grid, (0.0, 0.0), 1.0)
    assert BILINEAR(grid, u, v) == pytest.approx(float(ground.nearest((u, v))), abs=1e-12)
    i, j = min(max(math.floor(u + 0.5), 0), 7), min(max(math.floor(v + 0.5), 0), 5)
    assert NEAREST(grid, u, v) == grid[i, j]
