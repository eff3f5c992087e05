"""Ball ground, clearances and the test of a step against independent oracles."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from courses import BODY, RADIUS
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.kernels import entry
from andante.kinematics.com_ik import com_ik, stance_com
from andante.kinematics.support_triangle import inner_triangle
from andante.planning.course import PlanningError
from andante.planning.feasibility.ball_kernels import rest_balls
from andante.planning.feasibility.body_shape import BodyShape
from andante.planning.feasibility.clearance import belly_clearance, leg_clearance
from andante.planning.feasibility.pose_room import NOWHERE, PoseRules
from andante.planning.feasibility.scene import Scene, ball_ground
from andante.planning.feasibility.steps import look_at_step, swing_apex
from andante.planning.footsteps.footholds import rise_beside
from andante.spatial.polygons import convex_hull, signed_distance
from andante.spatial.rotations import from_rpy, to_matrix
from andante.terrain.height_map import HeightMap

# Inner kernels, compiled for calls from Python.
leg_clearance = entry(leg_clearance.py_func)
belly_clearance = entry(belly_clearance.py_func)
look_at_step = entry(look_at_step.py_func)
swing_apex = entry(swing_apex.py_func)
inner_triangle = entry(inner_triangle.py_func)

RULES = PoseRules.of(BODY.leg_length)


def body_clearance(scene, position, rotation, angles, feet):
    """Least height of belly, thighs and shanks over the ground [m]."""
    legs = [leg_clearance(scene, leg, position, rotation, angles[leg], feet[leg]) for leg in range(len(feet))]
    return min(belly_clearance(scene, position, rotation, -math.inf), *legs)


def _level(step: float = 0.0) -> HeightMap:
    """A map of 1.2 m by 0.6 m whose ground rises by ``step`` at x = 0."""
    x = np.arange(-0.6, 0.6001, 0.005)
    return HeightMap(np.where(x > -1e-9, step, 0.0)[:, None] * np.ones(121), (-0.6, -0.3), 0.005)


def _stance(front: float, hind: float, ground: Scene) -> np.ndarray:
    feet = np.array([[front, 0.08, 0], [front, -0.08, 0], [hind, 0.08, 0], [hind, -0.08, 0]], dtype=float)
    for foot in feet:
        i, j = round((foot[0] - ground.x) / ground.spacing), round((foot[1] - ground.y) / ground.spacing)
        foot[2] = ground.foot[i, j]
    return feet


def test_a_ball_rests_its_radius_above_level_ground_and_against_an_edge_as_on_a_circle():
    ground = _level(0.05)
    grid = ball_ground(ground, 0.01)
    assert grid[10, 60] == pytest.approx(0.01)
    assert grid[-10, 60] == pytest.approx(0.06)
    # One node, 5 mm, before the first node on top.
    assert grid[119, 60] == pytest.approx(0.05 + math.sqrt(0.01**2 - 0.005**2))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 0.02))
def test_ball_ground_is_the_least_height_at_which_no_point_of_the_ground_is_in_the_ball(seed, radius):
    rng = np.random.default_rng(seed)
    ground = HeightMap(rng.uniform(0.0, 0.03, (12, 9)), (0.0, 0.0), 0.005)
    grid = ball_ground(ground, radius)
    i, j = rng.integers(0, 12), rng.integers(0, 9)
    u, v = np.meshgrid(np.arange(-8, 9) * 0.0025, np.arange(-8, 9) * 0.0025, indexing="ij")
    inside = u**2 + v**2 <= radius**2
    spots = np.stack([ground.x[i] + u[inside], ground.y[j] + v[inside]], axis=-1)
    expected = (ground.nearest(spots) + np.sqrt(radius**2 - u[inside] ** 2 - v[inside] ** 2)).max()
    assert grid[i, j] == pytest.approx(expected, abs=1e-12)


def test_places_under_a_ball_that_could_not_raise_it_are_not_looked_at():
    """Level ground of a millimetre is done with at once: what must not be looked at is endless here."""
    away = np.arange(-19, 20)
    left = 0.0095**2 - (away[:, None] ** 2 + away[None, :] ** 2) * 0.0005**2
    order = np.argsort(-left[left >= 0.0], kind="stable")
    places, lifts = np.argwhere(left >= 0.0)[order], np.sqrt(left[left >= 0.0][order])
    fine, rests = np.full((39, 39), np.inf), np.empty((1, 1))
    fine[19, 19] = 0.0
    for highest, found in ((0.0, 0.0095), (0.03, np.inf)):
        rest_balls(fine, np.array([[highest]]), places, lifts, 2, rests)
        assert rests[0, 0] == pytest.approx(found)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.001, 0.005]), st.floats(0.0, 0.012))
def test_what_is_higher_within_a_gap_is_what_a_look_at_every_node_finds(seed, spacing, gap):
    ground = HeightMap(np.random.default_rng(seed).uniform(0.0, 0.03, (13, 9)), (0.0, 0.0), spacing)
    course = SimpleNamespace(ground=ground, body=BODY)
    stands = ball_ground(ground, float(BODY.table.radius.max()))
    i, j = np.meshgrid(np.arange(13), np.arange(9), indexing="ij")
    expected = [
        [stands[np.hypot(i - row, j - column) * spacing <= gap + 1e-6 * spacing].max() for column in range(9)]
        for row in range(13)
    ]
    assert np.array_equal(rise_beside(course, gap), expected - stands)


def test_what_is_asked_of_one_ground_again_is_not_worked_out_again():
    ground = _level()
    assert ball_ground(ground, 0.01) is ball_ground(ground, 0.01)
    assert ball_ground(ground, 0.02) is not ball_ground(ground, 0.01)


def test_a_radius_below_zero_is_named():
    with pytest.raises(PlanningError, match="radius of a ball must not be below zero"):
        ball_ground(_level(), -1.0)


def test_the_shape_is_that_of_the_model():
    shape = BodyShape.of(BODY)
    np.testing.assert_allclose(shape.upper, 0.009)
    np.testing.assert_allclose(shape.lower, 0.006)
    np.testing.assert_allclose(shape.belly.min(axis=0), [-0.13, -0.045, -0.03])
    np.testing.assert_allclose(shape.belly.max(axis=0), [0.13, 0.045, -0.03])


@pytest.mark.slow
def test_clearance_over_level_ground_is_that_of_the_lowest_point():
    scene = Scene.of(BODY, _level())
    feet = _stance(0.0667, -0.0667, scene)
    low = stance_com(BODY, [0.0, 0.0, 0.05], feet)
    clearance = body_clearance(scene, low.position, low.rotation, low.angles, feet)
    assert clearance == pytest.approx(min(0.05 - 0.03, 0.05 - 0.006), abs=0.02)
    assert clearance <= 0.02 + 1e-9


@pytest.mark.slow
def test_a_step_that_the_oracle_allows_holds_by_com_ik():
    scene, poses, possible = Scene.of(BODY, _level(0.06)), np.zeros((2, 6)), 0
    rng = np.random.default_rng(3)
    for _ in range(60):
        before = _stance(0.03, -0.16, scene) + 0.0
        before[:, :2] += rng.uniform(-0.03, 0.03, (4, 2)) * [1.0, 0.3]
        leg = int(rng.integers(0, 4))
        place = before[leg] + [rng.uniform(0.0, 0.15), 0.0, 0.0]
        for foot in (*before, place):
            i, j = np.round((foot[:2] - [scene.x, scene.y]) / scene.spacing).astype(int)
            foot[:] = scene.x + i * scene.spacing, scene.y + j * scene.spacing, scene.foot[i, j]
        room, _ = look_at_step(
            scene, RULES, before, leg, place, swing_apex(scene, before[leg], place, RULES.lift), poses
        )
        if room < RULES.least:
            continue
        possible += 1
        after = before.copy()
        after[leg] = place
        triangle = convex_hull(np.delete(before, leg, axis=0)[:, :2])
        for pose, feet in zip(poses, (before, after), strict=True):
            found = com_ik(BODY, pose[:3], feet, to_matrix(from_rpy(pose[3:])))
            assert found.slack > 0.0
            assert signed_distance(triangle, pose[:2]) >= RULES.margin - 1e-9
            assert body_clearance(scene, found.position, found.rotation, found.angles, feet) > 0.0
    assert possible >= 10


@pytest.mark.parametrize("height", [0.02, 0.075, 0.108])
def test_first_front_and_last_hind_foot_come_up_a_step(height):
    scene, poses = Scene.of(BODY, _level(height)), np.zeros((2, 6))
    front = _stance(-0.04, -0.22, scene)
    place = np.array([0.03, -0.08, height + RADIUS])
    assert look_at_step(scene, RULES, front, 1, place, height + RADIUS + RULES.lift, poses)[0] >= RULES.least
    last = np.array([[0.145, 0.075, 0], [0.045, -0.075, 0], [0.035, 0.075, 0], [-0.065, -0.08, -height]])
    last[:, 2] += height + RADIUS
    place = np.array([0.03, -0.08, height + RADIUS])
    found, _ = look_at_step(scene, RULES, last, 3, place, height + RADIUS + RULES.lift, poses)
    assert found >= RULES.least


def test_what_is_out_of_reach_or_without_support_has_no_room():
    scene, poses = Scene.of(BODY, _level(0.25)), np.zeros((2, 6))
    before = _stance(-0.04, -0.22, scene)
    place = np.array([0.03, -0.08, 0.25 + RADIUS])
    assert look_at_step(scene, RULES, before, 1, place, place[2] + RULES.lift, poses)[0] < RULES.least
    line = before.copy()
    line[2] = 0.5 * (line[0] + line[3]) + [0.0, 0.001, 0.0]
    assert look_at_step(scene, RULES, line, 1, place, place[2], poses) == (NOWHERE, 0)


@settings(deadline=None)  # the first example compiles
@given(st.integers(0, 1000), st.floats(0.0, 0.02))
def test_the_inner_triangle_keeps_the_margin(seed, margin):
    feet = np.random.default_rng(seed).uniform(-0.15, 0.15, (4, 3))
    corners = np.empty((3, 2))
    triangle = convex_hull(feet[1:, :2])
    if inner_triangle(feet, 0, margin, corners):
        np.testing.assert_allclose(signed_distance(triangle, corners), margin, atol=1e-9)
    else:
        spots = triangle.mean(axis=0)
        grid = np.stack(np.meshgrid(*[np.linspace(-0.15, 0.15, 61)] * 2), axis=-1).reshape(-1, 2)
        assert signed_distance(triangle, np.vstack([grid, spots])).max() <= margin + 1e-9
