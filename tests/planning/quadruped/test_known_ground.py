"""What a robot is told of the ground: grids of level ground, of a plane below its feet, and of a map at its pits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from andante.planning.quadruped.ground import (
    ground_height,
    ground_of_map,
    ground_traversability,
    level_ground,
    mapped_ground,
    smooth_heights,
    support_plane,
)
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.layers import LayerSettings


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


def test_where_the_body_s_layers_have_a_pit_or_nothing_known_no_foot_stands():
    # Level ground from (1, 2) m on, 5 cm apart; layers with nodes every 20 cm from (0.9, 1.9) m on.
    known = ElevationMap(np.full((41, 41), 0.5), (1.0, 2.0), 0.05)
    grids = {name: np.zeros((13, 13)) for name in ("smooth", "rise_x", "rise_y")}
    nodes = 0.2 * np.arange(13)
    grids["smooth"] += nodes[:, None]
    grids["rise_x"] += 2.0 * nodes
    grids["rise_y"] += 3.0 * nodes[:, None]
    pits, unknown = np.zeros((13, 13), dtype=np.bool_), np.zeros((13, 13), dtype=np.bool_)
    pits[4, 6], unknown[8, 6] = True, True
    layers: Any = SimpleNamespace(
        mended=SimpleNamespace(origin=(0.9, 1.9), spacing=0.2), pits=pits, unknown=unknown,
        smooth=grids["smooth"], tilt=(grids["rise_x"], grids["rise_y"]),
    )  # fmt: skip
    ground = mapped_ground(known, layers, LayerSettings())
    assert (ground.x, ground.y, ground.spacing) == (1.0, 2.0, 0.05)
    x, y = 1.0 + 0.05 * np.arange(41), 2.0 + 0.05 * np.arange(41)
    np.testing.assert_allclose(ground.height, 0.5)
    np.testing.assert_allclose(ground.smooth, np.repeat((x - 0.9)[:, None], 41, axis=1), atol=1e-9)
    np.testing.assert_allclose(ground.slope_x, np.repeat((2.0 * (y - 1.9))[None], 41, axis=0), atol=1e-9)
    np.testing.assert_allclose(ground.slope_y, np.repeat((3.0 * (x - 0.9))[:, None], 41, axis=1), atol=1e-9)
    # Bilinear between nodes: half a pit at (1 - |dx| / 0.2) (1 - |dy| / 0.2) of a half.
    for middle in (0.9 + 0.8, 0.9 + 1.6):
        across, along = np.abs(x - middle)[:, None] / 0.2, np.abs(y - (1.9 + 1.2)) / 0.2
        share = np.clip(1.0 - across, 0.0, None) * np.clip(1.0 - along, 0.0, None)
        near = np.abs(x - middle) < 0.35
        inside = share[near] > 0.5 + 1e-9
        assert inside.sum() > 8
        assert (ground.traversability[near][inside] == 0.0).all()
        assert (ground.traversability[near][share[near] < 0.5 - 1e-9] == 1.0).all()


def standable(heights: np.ndarray, **changes: float) -> np.ndarray:
    """Where feet stand on heights with nodes every sixteenth of a metre, below which the body's layers have no pit."""
    none = np.zeros(heights.shape, dtype=np.bool_)
    flat = np.zeros(heights.shape)
    layers: Any = SimpleNamespace(
        mended=SimpleNamespace(origin=(0.0, 0.0), spacing=0.0625), pits=none, unknown=none, smooth=flat,
        tilt=(flat, flat),
    )  # fmt: skip
    known = ElevationMap(heights, (0.0, 0.0), 0.0625)
    return mapped_ground(known, layers, LayerSettings(**changes)).traversability


def test_no_foot_stands_on_a_slope_that_is_too_steep_though_it_has_no_edge():
    x = np.repeat(0.0625 * np.arange(33)[:, None], 33, axis=1)
    for degrees, stands in ((20.0, 1.0), (26.0, 0.0), (29.0, 0.0)):
        assert (standable(np.tan(np.radians(degrees)) * x)[4:-4, 4:-4] == stands).all(), degrees


def test_a_foot_stands_as_far_from_an_edge_as_its_clearance():
    heights = np.zeros((33, 33))
    heights[16:] = 0.25
    # Nodes 15 and 16 are the edge's.
    for clearance, reach in ((0.0625, 1), (0.09, 2), (0.125, 2), (0.13, 3), (0.1875, 3)):
        along = standable(heights, clearance=clearance)[:, 16]
        assert along.tolist() == [1.0] * (16 - reach) + [0.0] * 2 * reach + [1.0] * (17 - reach), clearance
