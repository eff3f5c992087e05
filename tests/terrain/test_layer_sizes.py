"""How far each layer reaches and where its limits lie: every default length of the layers by a place worked out by
hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.terrain.elevation_map import ElevationMap
from andante.terrain.layers import Layers, LayerSettings

SHAPE, MIDDLE = (81, 75), (40, 37)


def layers(heights, spacing, variance=None, **settings):
    known = ElevationMap(heights, (1.0, -2.0), spacing, variance)
    return Layers.of(known, LayerSettings(**settings) if settings else None)


def bump(height=0.002, level=0.7):
    heights = np.full(SHAPE, level)
    heights[MIDDLE] += height
    return heights


def beside(values, nodes):
    """The values a number of nodes ahead, behind, left and right of the middle."""
    i, j = MIDDLE
    return [float(values[i + di, j + dj]) for di, dj in ((nodes, 0), (-nodes, 0), (0, nodes), (0, -nodes))]


def test_a_foot_feels_the_ground_within_12_mm():
    found = layers(bump(), 0.004)
    assert min(beside(found.roughness, 3)) > 1e-5
    assert max(beside(found.roughness, 4)) < 1e-9


def test_nothing_is_left_of_a_place_where_the_ground_is_4_mm_uneven():
    # Every other row is up by 2 mm, the others down: of seven rows four have one sign and three the other, so the mean
    # is a seventh of 2 mm, and the plane through them is level.
    rows = np.where(np.arange(SHAPE[0]) % 2 == 0, 0.002, -0.002)
    found = layers(np.repeat(rows[:, None], SHAPE[1], axis=1), 0.004)
    deviation = 0.002 * math.sqrt(1.0 - 1.0 / 49.0)
    assert found.roughness[MIDDLE] == pytest.approx(deviation)
    assert found.edge_distance[MIDDLE] == math.inf
    assert found.traversability[MIDDLE] == pytest.approx(1.0 - deviation / 0.004)
    assert layers(2.5 * np.repeat(rows[:, None], SHAPE[1], axis=1), 0.004).traversability[MIDDLE] == 0.0


def test_nothing_is_left_of_a_slope_of_25_degrees():
    rise = 0.2 * 0.004 * np.arange(SHAPE[1])
    found = layers(np.repeat(rise[None, :], SHAPE[0], axis=0), 0.004)
    assert found.slope_y[MIDDLE] == pytest.approx(0.2)
    assert found.slope_x[MIDDLE] == pytest.approx(0.0, abs=1e-9)
    assert found.traversability[MIDDLE] == pytest.approx(1.0 - math.degrees(math.atan(0.2)) / 25.0)


@pytest.mark.parametrize("axis", [0, 1])
def test_an_edge_is_higher_than_10_mm_beyond_the_largest_slope_and_keeps_feet_15_mm_away(axis):
    # 10 mm, and 4 mm of way at 25 degrees: 11.865 mm.
    def step(height):
        heights = np.zeros(SHAPE)
        np.moveaxis(heights, axis, 0)[41:] = height
        return np.moveaxis(layers(heights, 0.004).edge_distance, axis, 0)[:, 37]

    assert (step(0.01185) == math.inf).all()
    assert step(0.0119)[36:46] == pytest.approx(0.004 * np.array([4, 3, 2, 1, 0, 0, 1, 2, 3, 4]))
    heights = np.zeros(SHAPE)
    np.moveaxis(heights, axis, 0)[41:] = 0.3
    # 16 mm from the wall's top and foot are free of it; at 8 mm the square under the foot is of the wall.
    found = np.moveaxis(layers(heights, 0.004, radius=0.004).traversability, axis, 0)[:, 37]
    assert found[36] == pytest.approx(1.0, abs=1e-5)
    assert found[38] == pytest.approx(0.008 / 0.015, abs=1e-5)
    assert found[40] == found[41] == 0.0


@pytest.mark.parametrize(("spacing", "reach"), [(0.004, 3), (0.05, 1)])
def test_holes_are_bridged_where_no_disc_of_12_mm_fits(spacing, reach):
    steps = np.arange(-reach, reach + 1)
    hole = slice(40 - reach, 41 + reach), slice(37 - reach, 38 + reach)
    heights = np.zeros(SHAPE)
    heights[hole] = np.nan
    # Just one disc fits into the square, so the hole is that disc.
    expected = np.zeros(SHAPE, dtype=bool)
    expected[hole] = [[i * i + j * j <= reach * reach for j in steps] for i in steps]
    np.testing.assert_array_equal(layers(heights, spacing).unknown, expected)
    heights[40 - reach] = 0.0
    assert not layers(heights, spacing).unknown.any()


def test_a_hole_at_the_rim_goes_on_beyond_it():
    # Four rows on the map and three beyond it hold a disc of seven; three and three do not.
    first, last = slice(4), slice(-4, None)
    holes = [(0, first, True), (0, last, True), (1, first, True), (1, last, True)]
    for axis, where, holds in [*holes, (0, slice(3), False), (1, slice(-3, None), False)]:
        heights = np.zeros(SHAPE)
        np.moveaxis(heights, axis, 0)[where] = np.nan
        np.testing.assert_array_equal(layers(heights, 0.004).unknown, np.isnan(heights) & holds)


def test_a_pit_is_narrower_than_26_cm_and_deeper_than_75_mm():
    def found(nodes, depth):
        heights = np.full((100, 40), 0.7)
        heights[40 : 40 + nodes] -= depth
        return int(layers(heights, 0.01).pits.sum())

    assert found(26, 0.076) == 26 * 40
    assert found(27, 0.076) == 0
    assert found(26, 0.074) == 0


def test_mended_ground_has_no_edges_at_its_pits_for_a_body_and_has_them_for_a_foot():
    heights = np.zeros(SHAPE)
    heights[30:40] = -0.3
    heights[60, 20:50] = np.nan
    heights[50:70, 30:45] = np.nan
    foot, body = layers(heights, 0.01), layers(heights, 0.01, mends=True)
    assert foot.edge_distance[28, 10] == pytest.approx(0.01)
    assert foot.edge_distance[55, 35] == 0.0
    assert (body.edge_distance == math.inf).all()
    assert body.traversability[28, 10] == 1.0
    assert (body.traversability[30:40] == 0.0).all()


def test_the_smooth_ground_is_a_mean_of_9_cm_and_bodies_tilt_by_it_over_18_cm():
    found = layers(bump(0.05), 0.009)
    steps = np.arange(-10, 11)
    nodes = int((np.add.outer(steps**2, steps**2) <= 100).sum())
    for distance in (0, 10):
        assert beside(found.smooth, distance) == pytest.approx([0.7 + 0.05 / nodes] * 4)
    assert beside(found.smooth, 11) == pytest.approx([0.7] * 4, abs=1e-12)
    # A plane reaches 20 nodes to where the smooth bump's rim is, 10 from its middle.
    along, across = found.tilt
    ahead, behind, _, _ = beside(along, 30)
    assert ahead < -1e-7
    assert behind > 1e-7
    _, _, left, right = beside(across, 30)
    assert left < -1e-7
    assert right > 1e-7
    assert beside(along, 31) == pytest.approx([0.0] * 4, abs=1e-10)


@pytest.mark.parametrize(("spacing", "nodes"), [(0.009, 4), (0.1, 1)])
def test_relief_is_that_within_36_mm_and_of_the_neighbours_at_least(spacing, nodes):
    found = layers(bump(0.05), spacing)
    assert beside(found.relief, nodes) == pytest.approx([0.05] * 4)
    assert beside(found.relief, nodes + 1) == [0.0] * 4


def test_curvature_is_the_second_derivative_less_what_a_foot_of_12_mm_smooths_away():
    spacing, pace = 0.002, 60.0
    wave = 0.01 * np.cos(pace * spacing * (np.arange(241) - 120.0))
    found = layers(np.repeat(wave[:, None], 60, axis=1), spacing).curvature[120, 30]
    # A wave stays one under a mean of Gauss, smaller by exp(-(radius pace)^2 / 2); what is cut off at four deviations
    # is little.
    assert found == pytest.approx(-0.01 * pace**2 * math.exp(-0.5 * (0.012 * pace) ** 2), rel=3e-3)
    hollow = 0.5 * (spacing * (np.arange(81) - 40.0)) ** 2
    assert layers(hollow[:, None] + np.zeros(75), spacing).curvature[MIDDLE] == pytest.approx(1.0, rel=1e-6)


def test_what_is_nowhere_is_1_km_away():
    found = layers(np.zeros(SHAPE), 0.01)
    assert (found.pit_distance == 1000.0).all()
    nowhere = layers(np.zeros(SHAPE), 0.01, np.full(SHAPE, 0.02**2))
    assert (nowhere.foothold_distance == 1000.0).all()
    heights = np.zeros(SHAPE)
    heights[30:40] = -0.3
    heights[60:, 40:] = np.nan
    found = layers(heights, 0.01)
    assert found.pit_distance[25, 10] == pytest.approx(0.05)
    assert found.pit_distance[70, 38] == pytest.approx(0.02)
    assert found.foothold_distance[39, 10] > 0.0


def test_certainty_ends_at_a_deviation_of_2_cm_and_is_not_asked_where_nothing_is_known():
    heights, variance = np.zeros(SHAPE), np.full(SHAPE, 0.005**2)
    heights[:20], variance[:20] = np.nan, np.nan
    found = layers(heights, 0.01, variance)
    assert (found.deviation[:20] == 0.0).all()
    assert found.deviation[MIDDLE] == pytest.approx(0.005)
    assert found.traversability[MIDDLE] == pytest.approx(0.75)
