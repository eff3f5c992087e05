"""How much noise a map shows, against maps whose noise is known, and what is left of it."""

from __future__ import annotations

import numpy as np
import pytest

from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.map_noise import denoised, even_holes, filled_across, height_noise


def known(heights: np.ndarray, spacing: float = 0.01) -> ElevationMap:
    return ElevationMap(heights, (0.0, 0.0), spacing)


def slope(shape: tuple[int, int]) -> np.ndarray:
    return 0.2 * np.add.outer(np.arange(shape[0]), 0.5 * np.arange(shape[1])) * 0.01


def test_the_noise_of_a_normal_distribution_is_found_on_a_slope_with_a_step_and_holes():
    rng = np.random.default_rng(3)
    heights = slope((150, 80)) + 0.002 * rng.standard_normal((150, 80))
    heights[70:] += 0.05
    heights[rng.random(heights.shape) < 0.05] = np.nan
    assert height_noise(known(heights)) == pytest.approx(0.002, rel=0.05)


@pytest.mark.parametrize("board", ["flat", "steps", "gaps", "blocks", "rocks", "rolling", "side-slope", "logs"])
def test_boards_show_less_than_counts_as_noise_and_more_with_a_millimetre(board):
    ground = make_board(board, 1.0, 2).heights
    assert height_noise(ElevationMap.of(ground)) < 0.14e-3
    noisy = ground.heights + np.random.default_rng(1).uniform(-1e-3, 1e-3, ground.heights.shape)
    assert height_noise(known(noisy, ground.spacing)) > 0.6e-3


def test_a_map_of_which_little_is_known_shows_none():
    assert height_noise(known(np.full((4, 4), np.nan))) == 0.0
    assert height_noise(known(np.array([[0.0, 1.0], [2.0, 0.0]]))) == 0.0


def test_noise_falls_below_a_third_and_a_step_stays_where_it_is():
    rng = np.random.default_rng(5)
    true = np.zeros((60, 60))
    true[30:] = 0.02
    noisy = true + rng.uniform(-1e-3, 1e-3, true.shape)
    quiet = denoised(known(noisy), height_noise(known(noisy)))
    assert np.std(quiet.heights - true) < np.std(noisy - true) / 3.0
    assert np.abs(quiet.heights - true).max() < 1.5e-3


def test_what_is_unknown_stays_unknown_and_draws_come_nearer_to_each_other():
    rng = np.random.default_rng(6)
    draws = []
    for _ in range(2):
        heights = 0.3 * slope((50, 40)) + rng.uniform(-1e-3, 1e-3, (50, 40))
        heights[10:13, 5:9] = np.nan
        quiet = denoised(known(heights), 0.6e-3)
        assert (np.isnan(quiet.heights) == np.isnan(heights)).all()
        draws.append((heights, quiet.heights))
    before = np.nanstd(draws[0][0] - draws[1][0])
    assert np.nanstd(draws[0][1] - draws[1][1]) < 0.5 * before


def test_a_plane_and_a_straight_edge_go_on_through_a_hole_and_nothing_is_said_of_an_edge_in_all_directions():
    heights = slope((20, 20))
    heights[10:] += 0.1
    holes = np.zeros(heights.shape, dtype=bool)
    holes[4:6, 4:6] = holes[9:11, 12:14] = True
    seen = known(np.where(holes, np.nan, heights))
    filled = filled_across(seen, holes, 0.6e-3)
    assert filled.known.all()
    assert np.abs(filled.heights - heights).max() < 1e-9
    ends = np.zeros((11, 11))
    ends[6, 4:7], ends[5, 6], ends[5, 5] = 0.1, 0.1, np.nan
    assert not filled_across(known(ends), np.isnan(ends), 0.6e-3).known[5, 5]


def test_only_the_holes_that_are_named_are_filled_and_with_the_variance_of_what_is_beside_them():
    heights, variance = np.zeros((12, 12)), np.full((12, 12), 1e-6)
    variance[:, 6:] = 4e-6
    heights[3:5, 5], heights[8:10, 8] = np.nan, np.nan
    variance[np.isnan(heights)] = np.nan
    seen = ElevationMap(heights, (0.0, 0.0), 0.01, variance)
    few = np.zeros(heights.shape, dtype=bool)
    few[:6] = True
    filled = filled_across(seen, few, 0.6e-3)
    assert filled.known[3:5, 5].all()
    assert not filled.known[8:10, 8].any()
    assert filled.variance is not None
    assert 1e-6 <= filled.variance[3, 5] <= 4e-6
    assert filled.heights[0, 0] == 0.0
    rim = np.zeros((6, 6))
    rim[0, 0] = np.nan
    assert not filled_across(known(rim), np.isnan(rim), 0.6e-3).known[0, 0]


def test_holes_with_even_rims_are_told_from_wide_ones_from_steps_and_from_those_at_the_rim_of_the_map():
    heights = slope((60, 40)) + np.random.default_rng(4).uniform(-1e-3, 1e-3, (60, 40))
    heights[50:] += 0.05
    spots = {"even": (10, 10), "wide": (20, 20), "step": (49, 20), "rim": (0, 30)}
    for i, j in spots.values():
        heights[i : i + 3, j : j + 3] = np.nan
    wide = np.zeros(heights.shape, dtype=bool)
    wide[21, 21] = True
    even = even_holes(known(heights), wide, 0.6e-3)
    found = {name: int(even[i : i + 3, j : j + 3].sum()) for name, (i, j) in spots.items()}
    assert found == {"even": 9, "wide": 0, "step": 0, "rim": 0}
    assert even.sum() == 9
