"""Uneven ground in Drake: tiles that touch a height field where it is nearest."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from andante.backends.drake.nearest_ground import nearest_ground
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.terrain import TerrainChoice
from andante.backends.world import Start, WorldConfig
from andante.robots.robot import Robot

SPACING = np.array([0.01, 0.012])


def looked(heights, point, reach=0.03):
    found = np.zeros((1, 6))
    nearest_ground(heights, SPACING, np.array([point]), np.array([reach]), found)
    return found[0, :3], found[0, 3:]


def sampled(heights, point):
    """Nearest of many places on the triangles around, by brute force."""
    best = np.inf
    for i in range(max(int(point[0] / 0.01) - 4, 0), min(int(point[0] / 0.01) + 5, heights.shape[0] - 1)):
        for j in range(max(int(point[1] / 0.012) - 4, 0), min(int(point[1] / 0.012) + 5, heights.shape[1] - 1)):
            for other in ((i + 1, j), (i, j + 1)):
                a, b, c = (np.array([0.01 * m, 0.012 * n, heights[m, n]]) for m, n in ((i, j), other, (i + 1, j + 1)))
                u, v = (each.ravel() for each in np.meshgrid(np.linspace(0, 1, 31), np.linspace(0, 1, 31)))
                inside = u + v <= 1.0 + 1e-12
                places = a + np.outer(u[inside], b - a) + np.outer(v[inside], c - a)
                best = min(best, float(np.linalg.norm(places - point, axis=1).min()))
    return best


def test_the_nearest_place_is_that_of_brute_force():
    random = np.random.default_rng(1)
    heights = np.cumsum(random.normal(0.0, 0.004, (30, 25)), axis=0)
    for _ in range(10):
        x, y = random.uniform((0.05, 0.06), (0.24, 0.2))
        point = np.array([x, y, heights[int(x / 0.01), int(y / 0.012)] + random.uniform(-0.004, 0.012)])
        place, _ = looked(heights, point)
        assert np.linalg.norm(place - point) == pytest.approx(sampled(heights, point), abs=1e-4)


def test_a_slope_faces_away_from_itself_above_and_below():
    heights = np.repeat(0.5 * SPACING[0] * np.arange(20)[:, None], 15, axis=1)
    up = np.array([-0.5, 0.0, 1.0]) / np.sqrt(1.25)
    on = np.array([0.1, 0.08, 0.05])
    for away in (0.008, 1e-9, -0.004):
        place, normal = looked(heights, on + away * up)
        assert place == pytest.approx(on, abs=1e-8)
        assert normal == pytest.approx(up, abs=1e-6)


def test_an_edge_faces_the_point_and_what_is_far_away_is_not_seen():
    heights = np.zeros((20, 15))
    heights[10:] = 0.05
    place, normal = looked(heights, np.array([0.1 - 0.003, 0.08, 0.05 + 0.004]))
    assert place == pytest.approx([0.1, 0.08, 0.05], abs=1e-9)
    assert normal == pytest.approx([-0.6, 0.0, 0.8], abs=1e-9)
    assert not looked(heights, np.array([0.05, 0.08, 0.04]))[1].any()
    assert not looked(heights, np.array([0.5, 0.08, 0.01]))[1].any()


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("pydrake") is None,
    reason="needs the package drake (make robots, or pip install --no-deps drake)",
)
@pytest.mark.parametrize("board", ["rolling", "blocks"])  # One height field, and four hundred boxes.
def test_a_robot_stands_on_uneven_ground_as_in_mujoco(board):
    from andante.backends.drake.world import DrakeWorld

    robot = Robot.load("littledog")
    ground = TerrainChoice(board=board, difficulty=0.5, leg_length=0.2)
    config = WorldConfig(terrain=ground, start=Start(x=1.0, clearance=0.005))
    command = robot.command()
    command.position[:] = robot.posture("stand")
    command.kp[:], command.kd[:] = robot.servo_kp, robot.servo_kd
    seen = []
    for kind in (MujocoWorld, DrakeWorld):
        world = kind(robot, config)
        world.write(command)
        for _ in range(50):
            world.advance(robot.tick)
        seen.append(world.truth())
    here, there = seen
    assert there["base_height"][0] == pytest.approx(here["base_height"][0], abs=4e-3)
    assert there["pitch"][0] == pytest.approx(here["pitch"][0], abs=0.04)
    assert there["foot_force"][2::3].sum() == pytest.approx(here["foot_force"][2::3].sum(), rel=0.03)
