"""Level patches: together with the rest they are the ground, and the largest rectangle is the largest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.terrain.boards.make import SUITE, make_board
from andante.terrain.height_map import HeightMap
from andante.terrain.level_patches import LevelPatches, largest_rectangle

BASE = 0.05


def top(patches: LevelPatches, ground: HeightMap, floor: float) -> np.ndarray:
    """What a foot meets at the nodes, seen from above."""
    x, y = np.meshgrid(ground.x, ground.y, indexing="ij")
    found = np.full(x.shape, floor)
    for box in patches.boxes:
        found = np.maximum(found, box.tops(x, y))
    return found if patches.rest is None else np.maximum(found, patches.rest.heights)


@pytest.mark.parametrize("board", ["flat", *SUITE])
def test_patches_and_rest_are_the_ground_at_every_node(board):
    ground = make_board(board, 0.5, 1).heights
    floor = float(ground.heights.min())
    patches = LevelPatches.of(ground, floor, BASE)
    np.testing.assert_allclose(top(patches, ground, floor), ground.heights, atol=1e-6)
    if patches.rest is not None:
        assert (patches.rest.heights <= ground.heights).all()


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_random_steps_and_slopes_are_kept_at_every_node(seed):
    rng = np.random.default_rng(seed)
    heights = 0.3 * 0.005 * np.arange(40)[:, None] * rng.integers(0, 2) * np.ones(30)
    for _ in range(5):
        i, j = rng.integers(0, 30), rng.integers(0, 22)
        heights[i : i + rng.integers(2, 15), j : j + rng.integers(2, 15)] = rng.choice([-0.1, 0.0, 0.004, 0.05])
    ground = HeightMap(heights, (1.0, -0.1), 0.005)
    floor = float(heights.min()) - rng.choice([0.0, 0.02])
    patches = LevelPatches.of(ground, floor, BASE)
    np.testing.assert_allclose(top(patches, ground, floor), heights, atol=1e-6)
    for box in patches.boxes:
        low_x, high_x, low_y, high_y = box.bounds
        assert low_x >= ground.extent[0] - 1e-9
        assert high_x <= ground.extent[1] + 1e-9
        assert low_y >= ground.extent[2] - 1e-9
        assert high_y <= ground.extent[3] + 1e-9
        assert box.centre[2] - box.half[2] == pytest.approx(float(heights.min()) - BASE)


def test_a_wall_stands_half_way_between_its_nodes():
    heights = np.zeros((41, 21))
    heights[20:] = 0.08
    patches = LevelPatches.of(HeightMap(heights, (0.0, 0.0), 0.005), 0.0, BASE)
    assert patches.rest is None
    (box,) = patches.boxes
    assert box.bounds == pytest.approx((0.0975, 0.2, 0.0, 0.1))
    assert box.centre[2] + box.half[2] == pytest.approx(0.08)


def test_ground_without_anything_level_stays_a_height_field():
    rng = np.random.default_rng(0)
    ground = HeightMap(rng.normal(0.0, 0.001, (60, 40)), (0.0, 0.0), 0.005)
    patches = LevelPatches.of(ground, float(ground.heights.min()), BASE)
    assert patches.boxes == ()
    assert patches.rest is ground


@given(st.integers(0, 10_000), st.integers(1, 7), st.integers(1, 7), st.floats(0.3, 0.95))
@settings(max_examples=60, deadline=None)
def test_the_largest_rectangle_is_the_largest(seed, rows, columns, share):
    cells = np.random.default_rng(seed).random((rows, columns)) < share
    a, b, c, d = largest_rectangle(cells)
    assert cells[a:b, c:d].all()
    areas = [
        (j - i) * (m - k)
        for i in range(rows)
        for j in range(i + 1, rows + 1)
        for k in range(columns)
        for m in range(k + 1, columns + 1)
        if cells[i:j, k:m].all()
    ]
    assert (b - a) * (d - c) == max(areas, default=0)
