"""Shaping a map by hand: heights worked out by hand, strokes in parts, what is refused."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.terrain.height_map import HeightMap, TerrainError
from andante.terrain.shaping import TOOLS, Patch, Stroke, level_map, shaped

LEVEL = level_map(1.0, 0.4, 0.01)
"""101 x 41 nodes; x from 0 to 1 m, y from -0.2 to 0.2 m."""


def after(stroke: Stroke, ground: HeightMap = LEVEL) -> HeightMap:
    patch = shaped(ground, stroke)
    heights = ground.heights.copy()
    heights[patch.part] = patch.heights
    return HeightMap(heights, ground.origin, ground.spacing)


def test_a_level_map_begins_at_zero_and_lies_about_the_x_axis():
    assert LEVEL.heights.shape == (101, 41)
    assert LEVEL.extent == pytest.approx((0.0, 1.0, -0.2, 0.2))
    assert not LEVEL.heights.any()


def test_a_brush_raises_by_its_height_on_the_line_by_half_at_half_its_radius_and_not_beyond():
    found = after(Stroke("raise", ((0.3, 0.0), (0.6, 0.0)), 0.04, 0.1))
    assert found.at((0.45, 0.0)) == pytest.approx(0.04)
    assert found.at((0.45, 0.05)) == pytest.approx(0.02)
    assert found.at((0.45, -0.05)) == pytest.approx(0.02)
    assert found.at((0.45, 0.11)) == 0.0
    # Beside the end of the line the distance counts from the end.
    assert found.at((0.63, 0.04)) == pytest.approx(0.02)
    assert after(Stroke("lower", ((0.3, 0.0), (0.6, 0.0)), 0.04, 0.1)).at((0.45, 0.0)) == pytest.approx(-0.04)


def test_a_box_is_level_above_its_first_corner_and_a_gap_below_it():
    box = after(Stroke("box", ((0.304, -0.098), (0.501, 0.1)), 0.05, 1.0))
    # From node 30 to node 50 along x, from -0.10 to 0.10 m along y, whatever the way of the hand.
    assert int((box.heights == 0.05).sum()) == 21 * 21
    assert not (box.heights == 0.05)[:30].any()
    other = after(Stroke("box", ((0.501, 0.1), (0.304, -0.098)), 0.05, 1.0))
    assert (other.heights == box.heights).all()
    gap = after(Stroke("gap", ((0.4, 0.0), (0.45, 0.05)), 0.02, 1.0), box)
    assert gap.at((0.42, 0.02)) == pytest.approx(0.03)
    assert gap.at((0.32, 0.02)) == pytest.approx(0.05)


def test_a_ramp_rises_evenly_and_is_twice_its_radius_wide():
    found = after(Stroke("ramp", ((0.2, 0.0), (0.6, 0.0)), 0.08, 0.05))
    for x in (0.2, 0.3, 0.5, 0.6):
        assert found.at((x, 0.0)) == pytest.approx(0.08 * (x - 0.2) / 0.4)
    assert found.at((0.5, 0.05)) == pytest.approx(0.06)
    assert found.at((0.5, 0.06)) == 0.0
    assert found.at((0.61, 0.0)) == 0.0


def test_flattening_brings_the_line_to_the_height_of_its_begin():
    hill = after(Stroke("raise", ((0.7, 0.0),), 0.1, 0.2))
    found = after(Stroke("flatten", ((0.2, 0.0), (0.7, 0.0)), 0.1, 0.05), hill)
    assert found.at((0.7, 0.0)) == pytest.approx(0.0)
    assert found.at((0.7, 0.06)) == hill.at((0.7, 0.06))


@given(
    st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(-0.2, 0.2)), min_size=1, max_size=8),
    st.sampled_from(TOOLS),
    st.integers(1, 4),
)
def test_points_on_the_way_change_nothing_and_what_is_outside_the_patch_stays(points, tool, parts):
    """A slow hand draws the same as a fast one: points between two points of a line belong to it."""
    dense = [points[0]]
    for (ax, ay), (bx, by) in pairwise(points):
        dense += [(ax + (bx - ax) * k / parts, ay + (by - ay) * k / parts) for k in range(1, parts)] + [(bx, by)]
    whole = after(Stroke(tool, tuple(points), 0.03, 0.06))
    slow = after(Stroke(tool, tuple(dense), 0.03, 0.06))
    assert np.abs(whole.heights - slow.heights).max() < 1e-9
    patch = shaped(LEVEL, Stroke(tool, tuple(points), 0.03, 0.06))
    mask = np.ones(LEVEL.heights.shape, dtype=bool)
    mask[patch.part] = False
    assert (whole.heights[mask] == 0.0).all()
    assert np.abs(whole.heights).max() <= 0.03 + 1e-12


@pytest.mark.parametrize(
    ("stroke", "text"),
    [
        (lambda: Stroke("dig", ((0.1, 0.0),), 0.1, 0.1), "there is no such tool"),
        (lambda: Stroke("raise", (), 0.1, 0.1), "a stroke needs points"),
        (lambda: Stroke("raise", ((math.nan, 0.0),), 0.1, 0.1), "a stroke needs points"),
        (lambda: Stroke("raise", ((0.1, 0.0),), 0.0, 0.1), "the height of a stroke is out of range"),
        (lambda: Stroke("raise", ((0.1, 0.0),), 0.1, -1.0), "the radius of a stroke is out of range"),
        (lambda: shaped(LEVEL, Stroke("raise", ((7.0, 0.0),), 0.1, 0.1)), "this place is off the map"),
        (lambda: shaped(LEVEL, Stroke("raise", ((0.105, 0.005),), 0.1, 0.001)), "touches no node"),
        (lambda: level_map(0.0, 1.0, 0.01), "the length of a board must be above zero"),
        (lambda: level_map(100.0, 100.0, 0.01), "too many nodes"),
    ],
)
def test_what_makes_no_sense_is_refused(stroke, text):
    with pytest.raises(TerrainError, match=text):
        stroke()


def test_the_ground_stays_within_bounds():
    high = after(Stroke("box", ((0.2, 0.0), (0.4, 0.1)), 4.0, 1.0))
    with pytest.raises(TerrainError, match="too far up or down"):
        shaped(high, Stroke("raise", ((0.3, 0.05),), 1.5, 0.1))
    assert isinstance(shaped(high, Stroke("raise", ((0.3, 0.05),), 0.5, 0.1)), Patch)
