"""Convex polygons: hand-worked squares and triangles, properties on random hulls, degenerate shapes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from andante.spatial import polygons as poly

SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
SPOTS = st.tuples(st.floats(-4.0, 4.0), st.floats(-4.0, 4.0))
clouds = st.integers(3, 25).flatmap(lambda n: arrays(np.float64, (n, 2), elements=st.floats(-1.0, 1.0, width=32)))


def test_hull_of_a_square_with_points_inside_and_on_its_edge():
    points = [[1, 1], [0, 0], [2, 0], [1, 0], [2, 2], [0, 2], [0, 1], [2, 2]]
    np.testing.assert_array_equal(poly.convex_hull(points), SQUARE)


@pytest.mark.parametrize(
    ("points", "corners"),
    [
        ([[1, 2]], [[1, 2]]),
        ([[1, 2], [1, 2], [-0.0, 0.0], [0.0, -0.0]], [[0, 0], [1, 2]]),
        ([[0, 0], [1, 1], [2, 2]], [[0, 0], [2, 2]]),
    ],
)
def test_hull_of_points_without_an_inside(points, corners):
    np.testing.assert_array_equal(poly.convex_hull(points), corners)


@given(clouds)
def test_hull_contains_all_points_and_is_convex(cloud):
    hull = poly.convex_hull(cloud)
    assume(len(hull) >= 3 and poly.area(hull) > 1e-3)
    edge = np.roll(hull, -1, axis=0) - hull
    following = np.roll(edge, -1, axis=0)
    assert (edge[:, 0] * following[:, 1] - edge[:, 1] * following[:, 0] > 0.0).all()
    assert poly.signed_distance(hull, cloud).min() > -1e-7
    assert {tuple(corner) for corner in hull.tolist()} <= {(x + 0.0, y + 0.0) for x, y in cloud.tolist()}
    assert poly.signed_distance(hull, hull.mean(axis=0)) > 0.0


def test_area_by_hand():
    triangle = [[1.0, 1.0], [4.0, 1.0], [1.0, 3.0]]
    assert poly.area(SQUARE) == 4.0
    assert poly.area(SQUARE[::-1]) == -4.0
    assert poly.area(triangle) == 3.0


@given(clouds, st.floats(-100, 100), st.floats(-100, 100), st.floats(-3, 3))
def test_area_moves_with_the_polygon(cloud, x, y, angle):
    hull = poly.convex_hull(cloud)
    assume(len(hull) >= 3 and poly.area(hull) > 1e-2)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    moved = hull @ turn.T + [x, y]
    assert poly.area(moved) == pytest.approx(poly.area(hull), abs=1e-11)


@pytest.mark.parametrize(
    ("point", "distance"),
    [((1, 1), 1), ((0.5, 1), 0.5), ((2, 1), 0), ((0, 0), 0), ((3, 1), -1), ((5, 6), -5), ((-3, -4), -5), ((1, -2), -2)],
)
def test_signed_distance_to_a_square_by_hand(point, distance):
    assert poly.signed_distance(SQUARE, point) == pytest.approx(distance, abs=1e-15)


def test_signed_distance_keeps_the_batch_shape_and_has_no_inside_below_three_corners():
    assert poly.signed_distance(SQUARE, np.zeros((3, 4, 2))).shape == (3, 4)
    assert poly.signed_distance([[0, 0], [2, 0]], [1, 1]) == -1.0
    assert poly.signed_distance([[0, 0], [2, 0]], [1, 0]) == 0.0
    assert poly.signed_distance([[0, 0]], [3, 4]) == -5.0


def test_bad_polygons_are_named():
    with pytest.raises(poly.PolygonError, match=r"points in the plane are needed; got \(0,\)"):
        poly.convex_hull([])
    with pytest.raises(poly.PolygonError, match=r"must be finite; got .*nan"):
        poly.convex_hull([[0, 0], [1, math.nan]])
    with pytest.raises(poly.PolygonError, match="two numbers"):
        poly.signed_distance(SQUARE, [1, 2, 3])


@given(st.lists(st.tuples(arrays(np.float64, (5, 2), elements=st.floats(-3.0, 3.0)), SPOTS), min_size=1, max_size=8))
def test_many_signed_distances_are_those_of_each(pairs):
    hulls = [poly.convex_hull(cloud) for cloud, _ in pairs]
    spots = np.array([spot for _, spot in pairs])
    each = [float(poly.signed_distance(hull, spot)) for hull, spot in zip(hulls, spots, strict=True)]
    assert poly.signed_distances(hulls, spots).tolist() == each


def test_no_polygons_have_no_distances():
    assert poly.signed_distances([], np.empty((0, 2))).tolist() == []
