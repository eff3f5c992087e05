"""The ball: it rolls as far as its deceleration says, bounces about as told, and is no contact of the robot's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.backends.ball import Ball, rolling_distance
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.terrain import TerrainChoice
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot


@pytest.fixture(scope="module")
def ers7() -> Robot:
    return Robot.load("ers7")


def rolled(robot: Robot, ball: Ball, seconds: float, friction: float = 0.7) -> tuple[MujocoWorld, np.ndarray]:
    world = MujocoWorld(robot, WorldConfig(friction=friction, ball=ball))
    start = world.data.joint("ball").qpos[:3].copy()
    for _ in range(round(seconds / 0.008)):
        world.advance(0.008)
    return world, world.data.joint("ball").qpos[:3] - start


@pytest.mark.parametrize("friction", [0.5, 0.9])
@pytest.mark.parametrize(("speed", "deceleration"), [(1.0, 0.35), (0.7, 0.35), (1.0, 0.7)])
def test_it_rolls_to_rest_after_v2_over_2a(ers7: Robot, speed: float, deceleration: float, friction: float) -> None:
    ball = Ball(position=(0.3, 0.6), velocity=(0.6 * speed, 0.8 * speed), deceleration=deceleration)
    world, way = rolled(ers7, ball, speed / deceleration + 0.5, friction)
    assert float(np.hypot(*way[:2])) == pytest.approx(rolling_distance(speed, deceleration), rel=0.02)
    assert math.atan2(way[1], way[0]) == pytest.approx(math.atan2(0.8, 0.6), abs=0.02)
    assert np.abs(world.data.joint("ball").qvel).max() < 0.01


def test_a_ball_without_spin_slides_first_and_rolls_on_with_six_tenths(ers7: Robot) -> None:
    world = MujocoWorld(ers7, WorldConfig(ball=Ball(position=(0.3, 0.6), deceleration=0.0)))
    world.data.joint("ball").qvel[:] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    for _ in range(125):
        world.advance(0.008)
    assert world.data.joint("ball").qvel[0] == pytest.approx(0.6, abs=0.02)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.5])
def test_it_bounces_about_as_told(ers7: Robot, restitution: float) -> None:
    world = MujocoWorld(ers7, WorldConfig(ball=Ball(position=(0.4, 0.6), restitution=restitution)))
    world.data.joint("ball").qpos[2] += 0.2
    speeds = []
    for _ in range(100):
        world.advance(0.004)
        speeds.append(float(world.data.joint("ball").qvel[2]))
    down = int(np.argmin(speeds))
    assert max(speeds[down:]) / -speeds[down] == pytest.approx(restitution, abs=0.15)


def test_the_robot_stands_beside_a_ball_as_without_one(ers7: Robot) -> None:
    alone, beside = MujocoWorld(ers7, WorldConfig()), MujocoWorld(ers7, WorldConfig(ball=Ball(position=(0.5, 0.0))))
    for world in (alone, beside):
        for _ in range(50):
            world.advance(0.008)
    assert beside.truth()["base_height"] == pytest.approx(alone.truth()["base_height"], abs=1e-6)
    # The ball lies on the ground; the robot does not.
    assert beside.truth()["other_contacts"][0] == 0.0
    assert np.allclose(beside.read().position, alone.read().position, atol=1e-5)
    labels = next(field.labels for field in beside.truth_layout.fields if field.name == "qpos")
    assert labels[-7:-4] == ("ball.x", "ball.y", "ball.z")


def test_the_seed_draws_its_place(ers7: Robot) -> None:
    world = MujocoWorld(ers7, WorldConfig(ball=Ball(position=(0.3, 0.1), position_noise=0.02)))
    places = []
    for seed in (1, 2, 1):
        world.reset(seed)
        places.append(world.data.joint("ball").qpos[:2].copy())
    assert np.array_equal(places[0], places[2])
    assert not np.array_equal(places[0], places[1])
    assert np.abs(np.array(places) - [0.3, 0.1]).max() <= 0.02


@pytest.mark.parametrize("direction", [0.0, 2.0])
def test_it_begins_on_the_ground_of_a_slope_and_rolls_down(ers7: Robot, direction: float) -> None:
    """It began in the ground where that rises, and leapt a metre high."""
    config = WorldConfig(slope=0.12, slope_direction=direction, ball=Ball(position=(0.6, 0.3), deceleration=0.0))
    world = MujocoWorld(ers7, config)
    normal = np.array([-math.sin(0.12) * math.cos(direction), -math.sin(0.12) * math.sin(direction), math.cos(0.12)])
    place = world.data.joint("ball").qpos
    assert float(normal @ place[:3]) == pytest.approx(0.5 * Ball().diameter, abs=1e-6)
    start, apart = place[:3].copy(), []
    for _ in range(60):
        world.advance(0.008)
        apart.append(float(normal @ place[:3]))
    assert max(apart) < 0.5 * Ball().diameter + 0.002
    down = -np.array([math.cos(direction), math.sin(direction)])
    assert float(down @ (place[:2] - start[:2])) > 0.03


def test_it_begins_on_a_board(ers7: Robot) -> None:
    board = TerrainChoice(board="mesa", parameters={"height": 0.075})
    ground = board.load().heights
    high = np.argwhere(ground.heights > 0.07)
    x, y = ground.x[round(high[:, 0].mean())], ground.y[round(high[:, 1].mean())]
    world = MujocoWorld(ers7, WorldConfig(terrain=board, ball=Ball(position=(float(x), float(y)))))
    place = world.data.joint("ball").qpos
    assert place[2] == pytest.approx(float(ground.nearest((x, y))) + 0.5 * Ball().diameter, abs=1e-6)
