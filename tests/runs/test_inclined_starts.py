"""Robots that start on inclined ground stand on it: they do not fall onto it."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from andante.backends.mujoco_world import MujocoWorld
from andante.robots.robot import Robot
from andante.runs.build import load_declared
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.runs.tasks.walk.placing import standing_on
from andante.runs.tasks.walk.plan import standing_request
from andante.runs.tasks.walk.task import WalkTask
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import HeightMap


def inclined(folder, rise_x, rise_y, step=0.0):
    """A file of ground that rises along x and y; ``step`` is the height of an edge in its middle [m]."""
    x, y = np.arange(0.0, 4.0, 0.01), np.arange(0.0, 1.6, 0.01)
    heights = rise_x * x[:, None] + rise_y * y[None, :] + step * (x[:, None] > 0.5)
    path = folder / "hill.npz"
    np.savez(path, heights=heights, x=x, y=y)
    return path


def ground_of(rise_x, rise_y):
    return HeightMap(rise_x * np.arange(300)[:, None] * 0.01 + rise_y * np.arange(200)[None, :] * 0.01, (0, 0), 0.01)


@pytest.mark.parametrize(("rise_x", "rise_y"), [(0.36, 0.0), (-0.36, 0.0), (0.0, 0.3), (-0.2, -0.25)])
@pytest.mark.parametrize("task", [WalkTask(), QuadrupedTask(robot="spirit40", board="flat")])
def test_every_foot_touches_and_the_weight_is_between_them(tmp_path, task, rise_x, rise_y):
    board = str(inclined(tmp_path, rise_x, rise_y))
    scenario = dataclasses.replace(task, board=board).scenario()
    robot = load_declared(scenario)
    world = MujocoWorld(robot, scenario.world)
    world.reset(0)
    data = world.data
    normal = np.array([-rise_x, -rise_y, 1.0]) / math.hypot(1.0, rise_x, rise_y)
    base = world.model.body(robot.base_body).id
    assert data.xmat[base].reshape(3, 3)[:, 2] == pytest.approx(normal, abs=1e-3)
    feet = np.stack([data.site(foot.site).xpos for foot in robot.feet])
    # Distance of each ball from the plane, worked out here.
    above = feet @ normal - [foot.radius for foot in robot.feet]
    assert above == pytest.approx(0.0005, abs=0.002)
    centre = feet.mean(axis=0)
    assert data.subtree_com[base][:2] == pytest.approx(centre[:2], abs=0.02)


def test_it_stays_where_it_was_set_down(tmp_path):
    scenario = WalkTask(board=str(inclined(tmp_path, 0.36, 0.0))).scenario()
    world = MujocoWorld(load_declared(scenario), scenario.world)
    world.reset(0)
    before = world.data.qpos[:3].copy()
    world.advance(0.5)
    assert np.linalg.norm(world.data.qpos[:3] - before) < 0.02


def test_level_ground_and_edges_are_as_before(tmp_path):
    for rise, step in ((0.0, 0.0), (0.03, 0.0), (0.0, -0.3)):
        start = WalkTask(board=str(inclined(tmp_path, rise, 0.0, step)), start=(0.5, 0.8)).scenario().world.start
        assert (start.posture, start.height, start.roll, start.pitch) == (None, None, 0.0, 0.0)
        assert (start.x, start.y) == (0.5, 0.8)


def test_a_wall_is_too_steep_to_stand_on():
    assert standing_on(Robot.load("littledog"), ground_of(8.0, 0.0), (1.5, 1.0)) is None


def test_a_plan_begins_from_where_the_robot_stands():
    robot, ground = Robot.load("littledog"), ground_of(0.3, 0.1)
    request = standing_request(robot, ElevationMap.of(ground), (1.5, 1.0))
    radius = robot.feet[0].radius * math.hypot(1.0, 0.3, 0.1)
    assert request.feet[:, 2] == pytest.approx(ground.at(request.feet[:, :2]) + radius, abs=1e-3)
    assert request.rotation[:, 2] == pytest.approx(np.array([-0.3, -0.1, 1.0]) / math.hypot(1.0, 0.3, 0.1), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("rise", [0.2, -0.2])
def test_a_dynamic_quadruped_walks_from_a_hill(tmp_path, rise):
    from andante.runs.tasks.walk.plan import walk

    task = QuadrupedTask(robot="spirit40", board=str(inclined(tmp_path, rise, 0.0)))
    assert walk(task, out=tmp_path / "walk", report=False).verdict == "pass"
