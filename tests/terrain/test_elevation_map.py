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
