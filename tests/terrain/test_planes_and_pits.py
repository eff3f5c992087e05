"""Planes, means and mended holes against least squares and linear systems written out node by node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.terrain.height_map import HeightMap, TerrainError
from andante.terrain.pits import find_pits, mended
from andante.terrain.planes import disc_mean, disc_planes, plane_fit

STEP, SHAPE = 0.02, (9, 7)
seeds = st.integers(0, 10_000)


def ground_of(seed, level=3.0):
    heights = level + np.random.default_rng(seed).normal(0.0, 0.05, SHAPE)
    return HeightMap(heights, (0.4, -0.3), STEP)


def around(ground, i, j, reach, disc=None):
    """Offsets (n, 2) [m] and heights (n,) of the nodes around one; the outermost go on beyond the rim."""
    offsets, heights = [], []
    for di in range(-reach, reach + 1):
        for dj in range(-reach, reach + 1):
            if disc is None or di * di + dj * dj <= disc**2 + 1e-6:
                offsets.append((di * STEP, dj * STEP))
                row, column = min(max(i + di, 0), SHAPE[0] - 1), min(max(j + dj, 0), SHAPE[1] - 1)
                heights.append(ground.heights[row, column])
    return np.array(offsets), np.array(heights)


def fitted(offsets, heights):
    """Rises and standard deviation of the plane of least squares."""
    matrix = np.column_stack([offsets, np.ones(len(offsets))])
    found = np.linalg.lstsq(matrix, heights, rcond=None)[0]
    return found[0], found[1], float(np.sqrt(np.mean((matrix @ found - heights) ** 2)))


# Half a spacing and less is one node; 1.6 of them are two.
@pytest.mark.parametrize(("radius", "reach"), [(0.004, 1), (0.02, 1), (0.032, 2), (0.06, 3)])
@given(seeds)
@settings(max_examples=4, deadline=None)
def test_planes_under_a_foot_are_those_of_least_squares(radius, reach, seed):
    ground = ground_of(seed)
    found = plane_fit(ground, radius)
    for i in range(SHAPE[0]):
        for j in range(SHAPE[1]):
            wanted = fitted(*around(ground, i, j, reach))
            assert [each[i, j] for each in found] == pytest.approx(wanted, abs=1e-9)


# Discs are cut off, not rounded: 1.9 spacings reach one node along the axes and the four corners.
@pytest.mark.parametrize(
    ("radius", "reach", "disc"), [(0.004, 1, 1.0), (0.02, 1, 1.0), (0.038, 1, 1.9), (0.04, 2, 2.0), (0.06, 3, 3.0)]
)
@given(seeds)
@settings(max_examples=4, deadline=None)
def test_means_and_planes_in_a_disc_are_those_of_its_nodes(radius, reach, disc, seed):
    ground = ground_of(seed)
    mean, (rise_x, rise_y) = disc_mean(ground, radius), disc_planes(ground, radius)
    for i in range(SHAPE[0]):
        for j in range(SHAPE[1]):
            offsets, heights = around(ground, i, j, reach, disc)
            assert mean[i, j] == pytest.approx(heights.mean(), abs=1e-12)
            assert (rise_x[i, j], rise_y[i, j]) == pytest.approx(fitted(offsets, heights)[:2], abs=1e-9)


def test_level_ground_far_above_zero_deviates_by_nothing():
    found = plane_fit(HeightMap(np.full(SHAPE, 1234.5), (0.0, 0.0), STEP), 0.02)
    assert all((each == 0.0).all() for each in found)


@given(seeds, st.floats(0.1, 0.9))
@settings(max_examples=25, deadline=None)
def test_holes_are_the_mean_of_their_neighbours_on_the_map(seed, share):
    rng = np.random.default_rng(seed)
    ground, holes = ground_of(seed), rng.random(SHAPE) < share
    holes[tuple(rng.integers(0, SHAPE))] = False
    found = mended(ground, holes)
    assert (found.heights[~holes] == ground.heights[~holes]).all()
    assert found.extent == ground.extent
    for i, j in np.argwhere(holes):
        beside = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
        inside = [found.heights[each] for each in beside if 0 <= each[0] < SHAPE[0] and 0 <= each[1] < SHAPE[1]]
        assert found.heights[i, j] == pytest.approx(np.mean(inside), abs=1e-9)


def test_a_ground_without_holes_is_itself_and_one_of_holes_is_none():
    ground = ground_of(1)
    assert mended(ground, np.zeros(SHAPE, dtype=bool)) is ground
    with pytest.raises(TerrainError, match=r"pits and unknown places only has no ground; got \(9, 7\)"):
        mended(ground, np.ones(SHAPE, dtype=bool))


def test_a_pit_is_deeper_than_asked_and_narrower_than_the_square():
    heights = np.zeros((30, 20))
    heights[8:12] = -0.25
    ground = HeightMap(heights, (0.0, 0.0), 0.02)
    # A square of 2 * 2 + 1 nodes does not fit into four, and does into five.
    assert find_pits(ground, 0.08, 0.24).sum() == 4 * 20
    assert not find_pits(ground, 0.08, 0.25).any()
    heights[12] = -0.25
    assert not find_pits(HeightMap(heights, (0.0, 0.0), 0.02), 0.08, 0.24).any()
    assert find_pits(HeightMap(heights, (0.0, 0.0), 0.02), 0.12, 0.24).sum() == 5 * 20


def test_the_smallest_square_has_three_nodes():
    heights = np.zeros((30, 20))
    heights[4:6], heights[20:23] = -0.25, -0.25
    found = find_pits(HeightMap(heights, (0.0, 0.0), 0.02), 0.001, 0.1)
    assert found[4:6].all()
    assert not found[20:23].any()


def test_the_rim_of_a_map_mirrors_it_so_that_what_is_open_there_is_half_of_a_pit():
    heights = np.zeros((30, 20))
    heights[:3], heights[-4:] = -0.25, -0.25
    found = find_pits(HeightMap(heights, (0.0, 0.0), 0.02), 0.12, 0.1)
    assert found[:3].all()
    assert not found[3:].any()
