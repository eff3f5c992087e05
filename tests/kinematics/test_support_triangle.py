"""Support triangles: one margin however the corners are given, the nearest point, and errors of one family."""

from __future__ import annotations

import numpy as np
import pytest

from andante.kinematics.forward import KinematicsError
from andante.kinematics.leg_model import LegGeometryError
from andante.kinematics.leg_table import StanceError
from andante.kinematics.nao_leg import UnreachableError
from andante.kinematics.pitch_roll_leg import LegReachError
from andante.kinematics.planar_chain import PlanarChainError
from andante.kinematics.support import SupportError
from andante.kinematics.support_triangle import corner_margin, into_triangle, triangle_margin
from andante.spatial.polygons import convex_hull, signed_distance

RNG = np.random.default_rng(7)


@pytest.mark.parametrize("swing", range(4))
def test_the_margin_of_feet_is_that_of_their_corners_and_of_the_polygon_inside(swing: int) -> None:
    for _ in range(50):
        feet, point = RNG.uniform(-0.2, 0.2, (4, 3)), RNG.uniform(-0.2, 0.2, 2)
        corners = np.ascontiguousarray(np.delete(feet, swing, axis=0)[:, :2])
        margin = triangle_margin(feet, swing, *point)
        assert margin == corner_margin(corners, *point)
        exact = float(signed_distance(convex_hull(corners), point))
        # Outside, beyond a corner, a line is nearer than the triangle.
        assert margin == pytest.approx(exact) if exact > 0.0 else exact - 1e-12 <= margin < 1e-12


def test_the_nearest_point_is_the_point_itself_inside_and_on_the_edge_outside() -> None:
    for _ in range(50):
        corners, point = RNG.uniform(-0.2, 0.2, (3, 2)), RNG.uniform(-0.3, 0.3, 2)
        nearest = np.array(into_triangle(corners, *point))
        inside = float(signed_distance(convex_hull(corners), point))
        assert np.hypot(*(nearest - point)) == pytest.approx(max(-inside, 0.0), abs=1e-12)


@pytest.mark.parametrize(
    "error", [LegGeometryError, StanceError, UnreachableError, LegReachError, PlanarChainError, SupportError]
)
def test_errors_of_kinematics_are_one_family(error: type[Exception]) -> None:
    assert issubclass(error, KinematicsError)
