"""What a robot is told of the ground: grids of level ground, of a plane below its feet, and of a map at its pits."""

from __future__ import annotations

import numpy as np
import pytest

from andante.planning.quadruped.ground import (
    ground_height,
    ground_of_map,
    ground_traversability,
    level_ground,
    smooth_heights,
    support_plane,
)
from andante.terrain.elevation_map import ElevationMap


def test_level_ground_is_four_nodes_a_metre_apart():
    ground = level_ground(0.25)
    assert (ground.x, ground.y, ground.spacing) == (0.0, 0.0, 1.0)
    for grid, value in zip(ground[3:], (0.25, 0.25, 0.0, 0.0, 1.0), strict=True):
        assert grid.tolist() == [[value] * 2] * 2


def test_a_plane_goes_on_for_a_hundred_metres_around_the_feet():
    feet = np.array([[1.5, 2.25, 0.5], [1.5, 1.75, 0.5], [0.5, 2.25, 0.25], [0.5, 1.75, 0.25]])
    ground = support_plane(feet, np.full(4, 0.125))
    assert (ground.x, ground.y, ground.spacing) == (1.0 - 100.0, 2.0 - 100.0, 200.0)
    assert ground.height.tolist() == ground.smooth.tolist() == [[0.25 - 25.0] * 2, [0.25 + 25.0] * 2]
    assert ground.slope_x.tolist() == [[0.25] * 2] * 2
    assert ground.slope_y.tolist() == [[0.0] * 2] * 2
    assert ground.traversability.tolist() == [[1.0] * 2] * 2
    # Beyond that it is level.
    assert ground_height(ground, 300.0, 0.0) == 25.25


def test_feet_less_than_a_third_of_a_micrometre_off_a_line_tell_no_plane():
    # The determinant of these is 10.24 m^2 times the square of half the width.
    for half, told in ((4e-7, True), (2e-7, False)):
        feet = np.array([[0.8, half, 0.08], [0.8, -half, 0.08], [-0.8, half, -0.08], [-0.8, -half, -0.08]])
        assert support_plane(feet, np.zeros(4)).slope_x[0, 0] == pytest.approx(0.1 if told else 0.0)


def test_of_at_most_eight_maps_the_ground_is_kept():
    assert ground_of_map.cache_info().maxsize == 8


def test_no_foot_stands_in_a_pit_and_the_body_is_carried_over_it():
    # A hole of 40 cm by 60 cm, half a metre deep, in level ground of 2.4 m.
    heights = np.full((121, 121), 0.125)
    heights[50:70, 45:75] -= 0.5
    ground = ground_of_map(ElevationMap(heights, (-1.2, -1.2), 0.02), 0.448)
    for x, y, stands in ((0.0, 0.0, 0.0), (0.1, -0.1, 0.0), (0.9, 0.0, 1.0), (0.0, -0.9, 1.0)):
        assert ground_traversability(ground, x, y) == stands
    assert ground_height(ground, 0.0, 0.0) == pytest.approx(-0.375)
    assert smooth_heights(ground, np.array([[0.0, 0.0], [1.1, 1.1]]))[1] == pytest.approx(0.125)
    assert smooth_heights(ground, np.array([[0.0, 0.0]]))[0] > 0.0
    assert set(np.unique(ground.traversability)) == {0.0, 1.0}
