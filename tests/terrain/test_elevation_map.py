"""What is known of the ground: unknown cells, variance, and a ground made of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import HeightMap, TerrainError

VALUES = st.one_of(st.floats(-3.0, 3.0), st.just(np.nan), st.just(np.inf))


@given(arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(2, 6)), elements=VALUES))
@settings(max_examples=50, deadline=None)
def test_what_is_not_finite_is_unknown_and_the_ground_agrees_where_it_is_known(heights):
    found = ElevationMap(heights, (1.0, 2.0), 0.1, np.full(heights.shape, 1e-6))
    assert (found.known == np.isfinite(heights)).all()
    assert (np.isnan(found.variance) == ~found.known).all()
    if not found.known.any():
        with pytest.raises(TerrainError, match="holes only"):
            found.filled("nearest")
        return
    for way in ("nearest", "lowest"):
        ground = found.filled(way)
        assert (ground.heights[found.known] == heights[found.known]).all()
        assert np.isin(ground.heights, heights[found.known]).all()
        assert ground.extent == found.extent


def test_a_ground_is_known_exactly():
    board = make_board("blocks", 0.3, 1)
    assert (board.map.heights == board.heights.heights).all()
    assert board.map.variance is None
    assert board.map.known.all()
    np.testing.assert_array_equal(board.map.x, board.heights.x)
    assert board.map.covers(board.goal)


@pytest.mark.parametrize(
    ("variance", "message"),
    [
        (
            [[0.0, 1e-6], [-1e-6, 0.0]],
            r"node \(1, 0\) at x 1.100 m, y 2.000 m: .*not below zero \(1 are not\); got -1e-06",
        ),
        (
            [[0.0, 1e-6], [0.0, np.nan]],
            r"node \(1, 1\) at x 1.100 m, y 2.100 m: the variance of a height must be finite",
        ),
        ([[0.0, 1e-6]], r"the variance of a map has the shape of its heights; got \(1, 2\); limit: \(2, 2\)"),
    ],
)
def test_a_variance_that_is_none_is_refused_by_its_cell(variance, message):
    with pytest.raises(TerrainError, match=message):
        ElevationMap(np.zeros((2, 2)), (1.0, 2.0), 0.1, np.array(variance))


def test_a_variance_means_nothing_where_the_height_is_unknown():
    found = ElevationMap([[np.nan, 0.0], [0.0, 0.0]], (0.0, 0.0), 0.1, np.array([[-5.0, 1.0], [1.0, 1.0]]))
    assert np.isnan(found.variance[0, 0])
    assert (found.variance[found.known] == 1.0).all()


def test_grids_that_are_none_are_refused_alike():
    for kind in (HeightMap, ElevationMap):
        with pytest.raises(TerrainError, match="a height map is a grid"):
            kind(np.zeros((1, 5)), (0.0, 0.0), 0.1)
        with pytest.raises(TerrainError, match="origin of a height map must be finite"):
            kind(np.zeros((2, 2)), (np.nan, 0.0), 0.1)


def test_thinning_takes_every_so_many_nodes_with_their_variance():
    heights = np.arange(35.0).reshape(7, 5)
    found = ElevationMap(heights, (1.0, 2.0), 0.1, 1e-3 * heights)
    thin = found.thinned(0.22)
    np.testing.assert_array_equal(thin.heights, [[0, 2, 4], [10, 12, 14], [20, 22, 24], [30, 32, 34]])
    np.testing.assert_array_equal(thin.variance, 1e-3 * thin.heights)
    assert thin.spacing == pytest.approx(0.2)
    assert thin.origin == pytest.approx((1.0, 2.0))
    assert ElevationMap(heights, (1.0, 2.0), 0.1).thinned(0.2).variance is None
    # Two rows are left at the least.
    assert found.thinned(0.4).heights.shape == (2, 2)
    assert found.thinned(0.5) is found
    for spacing in (0.01, 0.1, 0.14):
        assert found.thinned(spacing) is found


def test_the_nearest_known_node_is_named_with_its_distance():
    heights = np.full((5, 4), np.nan)
    heights[1, 2] = heights[4, 3] = 0.3
    found = ElevationMap(heights, (1.0, 2.0), 0.1)
    # (1, 2) lies at 1.1, 2.2; three and four tenths away.
    assert (
        found.nearest_known((0.8, 1.8))
        == f"the nearest known is {found.node(1, 2)}, 0.500 m away"
        == "the nearest known is node (1, 2) at x 1.100 m, y 2.200 m, 0.500 m away"
    )
    assert found.nearest_known((1.45, 2.3)).startswith("the nearest known is node (4, 3) at x 1.400 m, y 2.300 m, 0.05")
    with pytest.raises(TerrainError, match=r"nothing of the map is known; got \(2, 2\)"):
        ElevationMap(np.full((2, 2), np.nan), (0.0, 0.0), 0.1).nearest_known((0.0, 0.0))


def test_a_map_cannot_be_changed_and_keeps_nothing_of_what_it_was_made_from():
    heights, variance = np.zeros((3, 3)), np.zeros((3, 3))
    found = ElevationMap(heights, (0.0, 0.0), 0.1, variance)
    heights[0, 0] = variance[0, 0] = 1.0
    assert found.heights[0, 0] == found.variance[0, 0] == 0.0
    for each in (found.heights, found.variance):
        with pytest.raises(ValueError, match="read-only"):
            each[0, 0] = 1.0
