"""The plane through heights: by hand, and what counts as an incline."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.terrain.ground_plane import GroundPlane

PLACES = np.array([(x, y) for x in (-0.2, 0.0, 0.3) for y in (-0.1, 0.1)])


def test_a_plane_is_found_as_it_is():
    plane = GroundPlane.through(PLACES, 0.3 * PLACES[:, 0] - 0.4 * PLACES[:, 1] + 2.0)
    assert (plane.rise_x, plane.rise_y, plane.height) == pytest.approx((0.3, -0.4, 2.0))
    assert plane.rise == pytest.approx(0.5)
    assert plane.off == pytest.approx(np.zeros(6), abs=1e-12)
    assert plane.inclined(0.2)


@pytest.mark.parametrize(("angle", "inclined"), [(0.0, False), (0.049, False), (0.051, True), (-0.3, True)])
def test_level_ground_is_no_incline(angle, inclined):
    assert GroundPlane.through(PLACES, math.tan(angle) * PLACES[:, 0]).inclined(0.2) is inclined


def test_ground_that_leaves_the_plane_by_a_tenth_of_the_robot_is_no_incline():
    heights = 0.3 * PLACES[:, 0]
    heights[0] += 0.05
    off = float(np.abs(GroundPlane.through(PLACES, heights).off).max())
    assert GroundPlane.through(PLACES, heights).inclined(off / 0.099)
    assert not GroundPlane.through(PLACES, heights).inclined(off / 0.101)
