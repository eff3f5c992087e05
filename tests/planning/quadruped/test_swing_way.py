"""The way of a swinging foot against cubics of scipy, and what a map or a model says to the local planner."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
import pytest

from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.planning.quadruped.body import QuadrupedBody, QuadrupedError
from andante.planning.quadruped.ground import (
    ground_height,
    ground_heights,
    ground_of_map,
    ground_traversability,
    level_ground,
    smooth_heights,
    support_plane,
)
from andante.planning.quadruped.swing import swing_state
from andante.robots.robot import Robot
from andante.terrain.elevation_map import ElevationMap

SWING = np.array([1.0, 1.5, 0.1, -0.2, 0.03, 0.4, 0.1, 0.05, 0.13, 0.4, 0.1, 0.8])
"""From 1.0 to 1.5 s; at its apex after two fifths, seen from above it moves from a tenth to four fifths."""


def at(time: float, swing: np.ndarray = SWING) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    found = np.empty(3), np.empty(3), np.empty(3)
    swing_state(swing, time, *found)
    return found


@pytest.mark.parametrize("time", [1.0, 1.02, 1.07, 1.15, 1.19, 1.21, 1.3, 1.39, 1.41, 1.45, 1.5])
def test_a_swing_is_of_cubics_between_places_of_rest(time):
    from scipy.interpolate import CubicHermiteSpline

    place, velocity, acceleration = at(time)
    for axis in range(2):
        way = CubicHermiteSpline([1.05, 1.4], SWING[[2 + axis, 5 + axis]], [0.0, 0.0])
        inside = 1.05 <= time <= 1.4
        held = min(max(time, 1.05), 1.4)
        assert place[axis] == pytest.approx(float(way(held)))
        assert velocity[axis] == pytest.approx(float(way(held, 1)) if inside else 0.0, abs=1e-12)
        assert acceleration[axis] == pytest.approx(float(way(held, 2)) if inside else 0.0, abs=1e-9)
    up = CubicHermiteSpline([1.0, 1.2, 1.5], SWING[[4, 8, 7]], [0.0, 0.0, 0.0])
    assert place[2] == pytest.approx(float(up(time)))
    assert velocity[2] == pytest.approx(float(up(time, 1)), abs=1e-12)
    if time != 1.5:
        assert acceleration[2] == pytest.approx(float(up(time, 2)), abs=1e-9)


def test_before_and_after_it_a_foot_rests_at_its_ends():
    for time, place in ((0.5, SWING[2:5]), (2.5, SWING[5:8])):
        assert at(time)[0] == pytest.approx(place)
        assert at(time)[1] == pytest.approx(np.zeros(3), abs=1e-12)


def test_at_its_apex_a_foot_begins_to_come_down():
    # From 0.5 s on: 6 way / duration^2 of the second half.
    swing = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.125, 0.25, 0.5, 0.25, 0.75])
    place, velocity, acceleration = at(0.5, swing)
    assert place[2] == 0.25
    assert velocity[2] == 0.0
    assert acceleration[2] == pytest.approx(-6.0 * 0.125 / 0.25)
    # Seen from above it moves from a quarter to three quarters, both included.
    swing[5] = 1.0
    assert at(0.25, swing)[2][0] == pytest.approx(6.0 / 0.25)
    assert at(0.75, swing)[2][0] == pytest.approx(-6.0 / 0.25)
    assert at(0.75 + 1e-9, swing)[2][0] == 0.0


def test_level_ground_has_no_end():
    ground = level_ground(0.3)
    assert ground_height(ground, 500.0, -700.0) == pytest.approx(0.3)
    assert ground_traversability(ground, -5.0, 9.0) == 1.0
    assert not ground.slope_x.any()
    assert not ground.slope_y.any()
    assert ground_height(level_ground(), 1.0, 1.0) == 0.0


def test_the_plane_below_feet_of_different_radius_is_that_below_their_balls():
    # z = 0.1 x - 0.3 y + 0.2, and each centre is its own radius above it.
    places = np.array([[0.2, 0.1], [0.3, -0.1], [-0.2, 0.2], [-0.1, -0.15]])
    radius = np.array([0.02, 0.03, 0.02, 0.05])
    feet = np.column_stack([places, places @ [0.1, -0.3] + 0.2 + radius])
    ground = support_plane(feet, radius)
    for x, y in ((0.0, 0.0), (50.0, -30.0), (-80.0, 60.0)):
        assert ground_height(ground, x, y) == pytest.approx(0.2 + 0.1 * x - 0.3 * y, abs=1e-6)
    assert (ground.slope_x[0, 0], ground.slope_y[0, 0]) == pytest.approx((0.1, -0.3))
    # Three feet that lie nearly, but not quite, in a line still tell a plane.
    near = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.01], [0.2, 0.01, 0.02]])
    assert support_plane(near, np.zeros(3)).slope_x[0, 0] == pytest.approx(0.1)


def test_a_map_is_stood_on_away_from_edges_pits_and_what_nobody_knows():
    # A step of 10 cm along x at 1 m, a hole of nothing known at y above 1.6 m; nodes of 2 cm.
    x, y = np.meshgrid(0.02 * np.arange(101), 0.02 * np.arange(101), indexing="ij")
    heights = np.where(x > 1.0, 0.1, 0.0)
    heights[y > 1.6] = math.nan
    known = ElevationMap(heights, (3.0, -2.0), 0.02)
    ground = ground_of_map(known, REFERENCE_LEG)
    assert (ground.x, ground.y, ground.spacing) == pytest.approx((3.0, -2.0, 0.02))
    assert ground_heights(ground, np.array([[3.5, -1.0], [4.5, -1.0]])) == pytest.approx([0.0, 0.1])
    stands = {place: ground_traversability(ground, *place) for place in
              [(3.5, -1.0), (4.5, -1.0), (4.0, -1.0), (4.02, -1.0), (3.5, -0.1), (3.5, -0.6)]}  # fmt: skip
    assert stands == {
        (3.5, -1.0): 1.0, (4.5, -1.0): 1.0, (4.0, -1.0): 0.0, (4.02, -1.0): 0.0, (3.5, -0.1): 0.0, (3.5, -0.6): 1.0,
    }  # fmt: skip
    # The body goes up over the edge gradually; its slope is along x alone, and level far from the step.
    way = smooth_heights(ground, np.array([[3.2, -1.0], [4.0, -1.0], [4.8, -1.0]]))
    assert way[[0, 2]] == pytest.approx([0.0, 0.1], abs=5e-3)
    assert 0.02 < way[1] < 0.08
    middle = round(1.0 / 0.02), round(1.0 / 0.02)
    assert ground.slope_x[middle] > 0.1
    assert abs(ground.slope_y[middle]) < 0.02
    assert abs(ground.slope_x[10, middle[1]]) < 0.02
    # A larger robot asks for more room.
    large = ground_of_map(known, 3.0 * REFERENCE_LEG)
    assert large.traversability.sum() < ground.traversability.sum()


def test_a_body_is_the_model_s_in_its_standing_posture():
    robot = Robot.load("spirit40")
    body = QuadrupedBody.of(robot, 0.6)
    table = body.legs.table
    data = mujoco.MjData(robot.model)
    data.qpos[:7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    for name, angle in zip(robot.joint_names, body.legs.joints(body.posture), strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_forward(robot.model, data)
    base = robot.model.body(robot.base_body).id
    np.testing.assert_allclose(body.com, data.subtree_com[base], atol=1e-9)
    assert body.rigid.mass == pytest.approx(robot.model.body_subtreemass[base])
    # The inertia by MuJoCo's own mass matrix: rotations of the floating base about its origin, moved to the centre.
    whole = np.empty((robot.model.nv, robot.model.nv))
    mujoco.mj_fullM(robot.model, data, whole)
    about, (x, y, z) = whole[3:6, 3:6], body.com
    moved = body.rigid.mass * (body.com @ body.com * np.eye(3) - np.outer([x, y, z], [x, y, z]))
    np.testing.assert_allclose(body.rigid.inertia, about - moved, atol=1e-6)
    # Feet stand straight below the hips' pitch axes, their hips at six tenths of the stretched leg.
    feet = np.array([leg.place(angles) for leg, angles in zip(body.legs.legs, body.posture, strict=True)])
    np.testing.assert_allclose(feet[:, :2], body.hips[:, :2], atol=1e-9)
    np.testing.assert_allclose(body.hips[:, :2], table.hip[:, :2] + np.stack([table.offset[:, 0], table.lateral], 1))
    long = table.lengths.sum(axis=1).mean()
    np.testing.assert_allclose(feet[:, 2], body.hips[:, 2].mean() - 0.6 * long, atol=1e-9)
    assert body.height == pytest.approx(body.com[2] - feet[0, 2] + table.radius.mean())
    assert body.radius.tolist() == table.radius.tolist()
    usual = QuadrupedBody.of(robot)
    assert usual.height - body.height == pytest.approx(0.06 * long + usual.com[2] - body.com[2])


def test_a_robot_that_is_no_quadruped_or_cannot_stand_so_is_named():
    with pytest.raises(QuadrupedError, match="robot 'nao' has"):
        QuadrupedBody.of(Robot.load("nao"))
    with pytest.raises(QuadrupedError, match=r"robot 'spirit40' cannot hold its hips at 1\.4 of its stretched legs"):
        QuadrupedBody.of(Robot.load("spirit40"), 1.4)


@pytest.mark.parametrize(
    ("feet", "joints", "doubts", "told"),
    [
        ((), 12, {"feet": "no ball at a leg's end"}, "robot 'it' has no feet: no ball at a leg's end; got '12 joints'"),
        ((), 12, {"legs": "none"}, "robot 'it' has 0 feet and 12 joints, a quadruped four and twelve"),
        (("FL", "FR", "HR", "HL"), 12, {}, "robot 'it' has 4 feet and 12 joints, a quadruped four and twelve"),
        (("FL", "FR", "HL", "HR"), 13, {"feet": "guessed"}, "robot 'it' has not twelve joints; got 13"),
        (("FL", "FR", "HL", "HR"), 11, {}, "robot 'it' has not twelve joints; got 11"),
    ],
)
def test_what_a_robot_lacks_of_a_quadruped_is_told(feet, joints, doubts, told):
    robot: Any = SimpleNamespace(
        name="it", feet=[SimpleNamespace(name=name) for name in feet], joints=[None] * joints, doubts=doubts
    )
    with pytest.raises(QuadrupedError) as error:
        QuadrupedBody.of(robot)
    assert told in str(error.value)
