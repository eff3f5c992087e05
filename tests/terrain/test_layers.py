"""The layers of a map: each against values by hand, a slow computation or a property."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.kernels import entry
from andante.planning.quadruped.global_plan.layers import body_layers
from andante.planning.quadruped.global_plan.settings import LEG
from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import HeightMap, TerrainError
from andante.terrain.layers import Layers
from andante.terrain.lookup import bilinear, nearest
from andante.terrain.pits import find_pits

BILINEAR, NEAREST = entry(bilinear.py_func), entry(nearest.py_func)
STEP = 0.02
X, Y = STEP * np.arange(120), STEP * np.arange(80)


def layers(heights, variance=None):
    """For a body with legs of 41 cm."""
    return body_layers(ElevationMap(heights, (0.0, 0.0), STEP, variance), LEG)


def fine(heights, variance=None):
    """For LittleDog's feet."""
    return Layers.of(ElevationMap(heights, (0.0, 0.0), 0.005, variance))


def test_flat_ground_is_traversable_everywhere():
    found = layers(np.full((120, 80), 0.7))
    assert (found.traversability == 1.0).all()
    np.testing.assert_allclose(found.smooth, 0.7, atol=1e-12)
    assert not found.pits.any()
    assert not found.unknown.any()
    assert (found.pit_distance > 100.0).all()
    assert (found.foothold_distance == 0.0).all()


def test_a_slope_by_hand():
    found = layers(np.repeat(0.2 * X[:, None], 80, axis=1))
    inner = (slice(45, 75), slice(30, 50))
    np.testing.assert_allclose(found.slope[inner], math.atan(0.2), atol=1e-9)
    np.testing.assert_allclose(found.tilt[0][inner], 0.2, atol=1e-9)
    np.testing.assert_allclose(found.tilt[1][inner], 0.0, atol=1e-9)
    # 1 - 0.19740 / 0.57, and nothing is rough.
    np.testing.assert_allclose(found.traversability[inner], 0.65369, atol=1e-5)


def test_smooth_ground_and_relief_beside_a_step_by_hand():
    found = layers(np.where(X[:, None] >= 1.2 - 1e-9, 0.1, 0.0) * np.ones(len(Y)))
    # Scaled to legs of 41.2 cm the smooth ground is the mean within 0.198 m, which are 9 nodes.
    offsets = np.arange(-9, 10)
    disc = np.add.outer(offsets**2, offsets**2) <= (found.settings.smooth / STEP) ** 2
    assert found.smooth[60, 40] == pytest.approx(0.1 * disc[9:].sum() / disc.sum())
    assert found.relief[60, 40] == pytest.approx(0.1)
    assert found.relief[55, 40] == 0.0


def test_a_deep_narrow_pit_is_found_and_mended_and_a_wide_drop_is_ground():
    for depth, expected in ((0.5, True), (0.25, False)):
        heights = np.zeros((120, 80))
        heights[50:70] = -depth
        found = layers(heights)
        assert found.pits.any() == expected
        if expected:
            np.testing.assert_array_equal(found.pits, heights < 0.0)
            np.testing.assert_allclose(found.mended.heights, 0.0, atol=1e-12)
            assert (found.traversability[heights < 0.0] == 0.0).all()
            assert found.pit_distance[45, 40] == pytest.approx(5 * STEP)
    heights = np.zeros((120, 80))
    heights[50:110] = -0.5
    assert not layers(heights).pits.any()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("board", "values"), [("gaps", {}), ("gaps", {"width": 0.17}), ("stepping-stones", {})])
def test_pits_of_boards_are_found_where_they_are(board, values, seed):
    terrain = make_board(board, 0.6, seed, values=values)
    assert terrain.pits.any()
    np.testing.assert_array_equal(terrain.layers().pits, terrain.pits)


@pytest.mark.parametrize("board", ["rolling", "steps", "mesa", "barrier", "rocks", "blocks", "logs", "gully"])
def test_ground_that_is_walked_over_has_no_pits(board):
    assert not make_board(board, 0.5, 1).layers().pits.any()


@given(st.integers(0, 10_000), st.floats(-5.0, 5.0))
@settings(max_examples=20, deadline=None)
def test_pits_do_not_depend_on_the_level_nor_on_which_way_the_map_lies(seed, level):
    rng = np.random.default_rng(seed)
    heights = np.zeros((40, 30))
    for _ in range(4):
        i, j = rng.integers(0, 36), rng.integers(0, 26)
        heights[i : i + rng.integers(1, 20), j : j + rng.integers(1, 20)] = rng.choice([-0.3, -0.05, 0.1])

    def pits(z):
        return find_pits(HeightMap(z, (0.0, 0.0), 0.02), 0.26, 0.075)

    found = pits(heights)
    np.testing.assert_array_equal(pits(heights + level), found)
    np.testing.assert_array_equal(pits(heights.T), found.T)
    np.testing.assert_array_equal(pits(heights[::-1]), found[::-1])
    # A deeper pit stays one.
    assert pits(np.where(found, heights - 0.2, heights))[found].all()


def test_unknown_places_are_no_footholds_but_small_holes_are_bridged():
    heights = np.zeros((121, 81))
    heights[20, 20] = heights[30:32, 40:42] = np.nan
    heights[60:80, 30:50] = np.nan
    found = fine(heights)
    expected = np.zeros(heights.shape, dtype=bool)
    expected[60:80, 30:50] = True
    # A disc is round: some nodes at the four corners of the square are bridged.
    assert not found.unknown[~expected].any()
    assert (expected & ~found.unknown).sum() <= 12
    assert (found.traversability[found.unknown] == 0.0).all()
    assert found.traversability[20, 20] == found.traversability[31, 41] == 1.0
    # Nobody knows whether the ground goes on behind the rim of what is known: it is an edge.
    assert found.edge_distance[58, 40] == pytest.approx(2 * 0.005)
    assert found.ground.heights[20, 20] == 0.0


def test_what_is_uncertain_is_worth_less():
    variance = np.zeros((60, 40))
    variance[:30], variance[45:] = 0.01**2, 0.03**2
    found = fine(np.zeros((60, 40)), variance)
    # 1 cm of the 2 cm at which nothing is left; 3 cm are too many.
    assert found.traversability[10, 20] == pytest.approx(0.5)
    assert found.traversability[40, 20] == 1.0
    assert found.traversability[50, 20] == 0.0
    assert (fine(np.zeros((60, 40))).deviation == 0.0).all()


def test_pits_and_unknown_places_are_mended_harmonically():
    # A plane is harmonic, so a hole in it is mended to it.
    plane = 0.3 * X[:, None] + 0.1 * Y
    holes = np.zeros((120, 80), dtype=bool)
    holes[40:60, 20:45] = True
    found = layers(np.where(holes, np.nan, plane))
    assert np.abs(found.mended.heights - plane)[43:57, 23:42].max() < 0.01
    # Otherwise each inner node is the mean of its neighbours, and nothing is beyond what the rim has.
    rng = np.random.default_rng(3)
    mended = layers(np.where(holes, np.nan, rng.uniform(0.0, 0.05, (120, 80)))).mended.heights
    inner = mended[45:55, 25:40]
    mean = 0.25 * (mended[44:54, 25:40] + mended[46:56, 25:40] + mended[45:55, 24:39] + mended[45:55, 26:41])
    np.testing.assert_allclose(inner, mean, atol=1e-12)
    assert 0.0 <= mended.min() <= mended.max() <= 0.05


def test_fine_maps_are_thinned_and_coarse_ones_kept():
    ground = ElevationMap(np.arange(401.0)[:, None] * 1e-4 * np.ones(101), (-1.0, 0.0), 0.005)
    found = body_layers(ground, LEG)
    assert found.map.spacing == pytest.approx(0.02)
    assert found.map.heights.shape == (101, 26)
    assert found.map.extent == pytest.approx(ground.extent)
    coarse = ElevationMap(np.zeros((30, 20)), (0.0, 0.0), 0.05)
    assert body_layers(coarse, LEG).map is coarse


def test_a_map_of_which_nothing_is_known_has_no_layers():
    with pytest.raises(TerrainError, match="holes only"):
        _ = layers(np.full((30, 30), np.nan)).traversability


@given(st.integers(0, 10_000), st.floats(-2.0, 9.0), st.floats(-2.0, 7.0))
@settings(max_examples=60, deadline=None)
def test_lookups_are_those_of_the_map(seed, u, v):
    grid = np.random.default_rng(seed).normal(size=(8, 6))
    ground = HeightMap(grid, (0.0, 0.0), 1.0)
    assert BILINEAR(grid, u, v) == pytest.approx(float(ground.nearest((u, v))), abs=1e-12)
    i, j = min(max(math.floor(u + 0.5), 0), 7), min(max(math.floor(v + 0.5), 0), 5)
    assert NEAREST(grid, u, v) == grid[i, j]
